"""The load client under Recloser while its service is killed, stopped, cut off or silent, and while it is itself told to stop: real
processes. Nothing may hang, get lost, be counted twice or leak; built with AddressSanitizer, the clients' exit status tells leaks too.
"""
import argparse
import concurrent.futures
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import servers_test
from servers_test import TIMEOUT, ServerTest

UNARY = ('sync', 'cq', 'callback', 'reactor', 'generic', 'cq-two-batch')
STREAMS = ('server-stream', 'client-stream', 'bidi-stream')
PROMPT = 8  # seconds from Ctrl-C to the end; far below the deadline of the calls that are cut short
HELD = ('--deadline', '60s', '--attempt-timeout', '60s')


class Client:
    """A load client; it starts its load when told to."""

    def __init__(self, folder, target, api, *flags):
        self.api = api
        self.base = os.path.join(folder, '%s-%d' % (api, time.monotonic_ns()))
        with open(self.base + '.out', 'w') as out, open(self.base + '.err', 'w') as err:
            command = [args.client, '--target', target, '--api', api, '--json', self.base + '.json', '--progress', 'jsonl', *flags]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err, text=True)

    def events(self):
        return [json.loads(line) for line in self.read('.out').splitlines(keepends=True) if line.endswith('\n')]

    def read(self, ending):
        with open(self.base + ending) as file:
            return file.read()

    def start_at(self, instant):
        self.process.stdin.write('%d\n' % (instant * 1e9))
        self.process.stdin.flush()

    def wait(self, seconds=TIMEOUT):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError('%s hangs: %s' % (self.api, self.read('.out')[-2000:]))
        finally:
            self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(TIMEOUT)
        self.process.stdin.close()

    def report(self):
        return json.loads(self.read('.json'))


class ChaosTest(ServerTest):
    def client(self, *arguments):
        client = Client(self.directory, *arguments)
        self.addCleanup(client.kill)
        return client

    def setUp(self):
        self.directory = self.folder()

    def run_clients(self, target, apis, seconds, events, rate=60):
        """A client of each API form, all from one instant on; does `events`: pairs of a time, in seconds from then, and what to do."""
        clients = [self.client(target, api, '--start-on-stdin', '--rate', str(rate), '--duration', '%gs' % seconds, '--deadline', '0.8s',
                               '--attempt-timeout', '400ms') for api in apis]
        for client in clients:
            self.eventually(client.events)
        start = time.monotonic() + 0.1
        for client in clients:
            client.start_at(start)
        for at, act in events:
            time.sleep(max(0, start + at - time.monotonic()))
            act()
        for client in clients:
            self.assertEqual((client.wait(), client.read('.err')), (0, ''), client.api)
            self.assertFalse(client.report()['interrupted'])
        return clients

    def assert_accounted(self, report):
        """Every call in exactly one place, and nothing left."""
        sent = report['offered'] - report['not_sent']
        codes = report['codes']
        self.assertEqual(sum(codes.values()), sent, report)
        self.assertEqual(codes.get('OK', 0), report['ok'], report)
        self.assertLessEqual(report['good'], report['ok'])
        self.assertLessEqual(report['rejected'], codes.get('UNAVAILABLE', 0), report)
        self.assertGreaterEqual(report['attempts'], sent - report['rejected'] - codes.get('CANCELLED', 0), report)
        self.assertLessEqual(report['attempts'], sent * (1 if report['api'] in STREAMS else 3), report)
        self.assertEqual(report['in_flight_at_end'], 0, report)

    def assert_served_again(self, client):
        """The last calls of the load were answered: the breaker has closed, or is about to."""
        intervals = [event['interval'] for event in client.events() if 'interval' in event]
        self.assertGreater(sum(interval['good'] for interval in intervals[-2:]), 0, (client.api, client.read('.out')))

    def status(self, server):
        return self.control(server).GetStatus(servers_test.fault_pb2.GetStatusRequest(), timeout=TIMEOUT, wait_for_ready=True)

    def received(self, server):
        self.eventually(lambda: self.status(server).in_flight == 0)
        counts = self.status(server).counts
        for phase in counts:
            self.assertEqual(phase.received, phase.ok + phase.errors + phase.abandoned + phase.cut)
        return sum(phase.received for phase in counts)

    def set_plan(self, server, *phases):
        return lambda: self.control(server).SetPlan(self.plan(phases=list(phases)), timeout=TIMEOUT, wait_for_ready=True)


class ServerChaosTest(ChaosTest):
    def test_the_service_is_killed_and_comes_back(self):
        server = self.start(servers_test.args.fault)
        target = server.ports['echo']
        clients = self.run_clients(target, UNARY + STREAMS, 3, [(0.7, lambda: server.stop(signal.SIGKILL)),
                                                                (1.2, lambda: self.start(servers_test.args.fault, '--listen', target))])
        for client in clients:
            with self.subTest(api=client.api):
                report = client.report()
                self.assert_accounted(report)
                self.assertGreater(report['codes'].get('UNAVAILABLE', 0), 0, report)
                self.assert_served_again(client)

    def test_the_service_is_stopped_for_a_second_and_continued(self):
        server = self.start(servers_test.args.fault)
        clients = self.run_clients(server.ports['echo'], UNARY + STREAMS, 3.5, [
            (0.7, lambda: server.process.send_signal(signal.SIGSTOP)), (1.7, lambda: server.process.send_signal(signal.SIGCONT))])
        for client in clients:
            with self.subTest(api=client.api):
                report = client.report()
                self.assert_accounted(report)
                self.assertGreater(report['codes'].get('DEADLINE_EXCEEDED', 0), 0, report)
                self.assert_served_again(client)
        self.assertLessEqual(self.received(server), sum(client.report()['attempts'] for client in clients))
        self.assertEqual(server.stop(), (0, ''))

    def test_the_port_closes_and_then_nobody_answers_while_streams_are_open(self):
        server = self.start(servers_test.args.fault)
        busy = {'delay': {'fixed': '0.2s'}}
        plan = self.set_plan(server, {'length': '0.6s', **busy}, {'length': '0.5s', 'outage': 'REFUSE'}, {'length': '0.8s', **busy},
                             {'length': '0.6s', 'outage': 'BLACKHOLE'}, {})
        clients = self.run_clients(server.ports['echo'], STREAMS + ('reactor',), 3.8, [(-0.1, plan)], rate=100)
        for client in clients:
            with self.subTest(api=client.api):
                self.assert_accounted(client.report())
                self.assert_served_again(client)
        self.assertLessEqual(self.received(server), sum(client.report()['attempts'] for client in clients))
        cut, abandoned = (sum(getattr(phase, end) for phase in self.status(server).counts) for end in ('cut', 'abandoned'))
        self.assertGreater(cut, 0, 'streams were open when the port closed')
        self.assertGreater(abandoned, 0, 'streams were open when nobody answered')

    def test_each_attempt_reaches_a_service_that_errs_and_then_never_answers(self):
        server = self.start(servers_test.args.fault)
        plan = self.set_plan(server, {'length': '0.8s', 'errors': [{'code': 'UNAVAILABLE', 'probability': 0.3}]},
                             {'length': '0.6s', 'outage': 'BLACKHOLE'}, {})
        clients = self.run_clients(server.ports['echo'], UNARY + STREAMS, 2.5, [(-0.1, plan)])
        for client in clients:
            self.assert_accounted(client.report())
        self.assertEqual(self.received(server), sum(client.report()['attempts'] for client in clients))


class CtrlCTest(ChaosTest):
    """Ctrl-C to the client at random moments; each name: the service's plan, the flags, and when: from, to (s since the load's start)."""

    SITUATIONS = {
        'at the first call': ({}, (), (0, 0.03)),
        'in the middle': ({}, (), (0.1, 1)),
        'nobody answers': ({'outage': 'BLACKHOLE'}, HELD, (0.05, 1)),
        'the port is closed': ({'outage': 'REFUSE'}, HELD, (0.05, 1)),
        'in back-off': ({'errors': [{'code': 'UNAVAILABLE', 'probability': 0.35}]}, (), (0.05, 1)),
        'draining': ({'delay': {'fixed': '50s'}}, HELD + ('--duration', '0.2s'), (0.25, 1)),
    }
    ROUNDS = 3

    def test_at_any_moment_of_the_load(self):
        servers = {}
        for name, (phase, _, _) in self.SITUATIONS.items():
            servers[name] = self.start(servers_test.args.fault)
            self.set_plan(servers[name], phase)()
        self.eventually(lambda: not self.status(servers['the port is closed']).port_open)
        # Drawn before any thread runs, so that the seed tells all.
        trials = [(name, dice.choice(UNARY + STREAMS), dice.uniform(*self.SITUATIONS[name][2])) for name in self.SITUATIONS
                  for _ in range(self.ROUNDS)]
        dice.shuffle(trials)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            reports = list(pool.map(lambda trial: self.interrupt(servers[trial[0]].ports['echo'], *trial), trials))
        for name, server in servers.items():
            attempts = sum(report['attempts'] for trial, report in zip(trials, reports) if trial[0] == name)
            self.assertLessEqual(self.received(server), attempts, name)

    def interrupt(self, target, name, api, moment):
        client = self.client(target, api, '--start-on-stdin', '--rate', '200', *(self.SITUATIONS[name][1]))
        self.eventually(client.events)
        start = time.monotonic() + 0.02
        client.start_at(start)
        time.sleep(max(0, start + moment - time.monotonic()))
        client.process.send_signal(signal.SIGINT)
        self.assertEqual((client.wait(PROMPT), client.read('.err')), (0, ''), (name, api, moment))
        report = client.report()
        self.assertTrue(report['interrupted'], (name, api, moment))
        self.assert_accounted(report)
        return report

    def test_while_it_starts(self):
        server = self.start(servers_test.args.fault)
        for _ in range(5):
            moment = dice.uniform(0, 0.15)
            api = dice.choice(UNARY + STREAMS)
            with self.subTest(api=api, moment=moment):
                client = self.client(server.ports['echo'], api, '--rate', '200')
                time.sleep(moment)
                client.process.send_signal(signal.SIGINT)
                status = client.wait(PROMPT)
                self.assertEqual(client.read('.err'), '')
                if client.events():
                    self.assertEqual(status, 0)
                if status == 0:
                    self.assert_accounted(client.report())
                else:
                    self.assertEqual(status, -signal.SIGINT, 'before it catches signals')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for flag in ('client', 'fault', 'protos', 'out'):
        parser.add_argument('--' + flag, required=True)
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(1 << 32))
    args, rest = parser.parse_known_args()
    print('seed', args.seed, file=sys.stderr)
    dice = random.Random(args.seed)
    servers_test.args = args
    servers_test.generate_stubs()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
