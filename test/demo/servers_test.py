"""The demo servers as processes, driven by a client in another language.

The stubs are generated from the .proto files when the test starts.
"""
import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import grpc
from grpc_tools import protoc

args = None
echo_pb2 = echo_pb2_grpc = fault_pb2 = fault_pb2_grpc = json_format = None

TIMEOUT = 20  # seconds; only ends a test that hangs


def generate_stubs():
    global echo_pb2, echo_pb2_grpc, fault_pb2, fault_pb2_grpc, json_format
    os.makedirs(args.out, exist_ok=True)
    status = protoc.main(['protoc', '-I' + args.protos, '--python_out=' + args.out, '--grpc_python_out=' + args.out,
                          'recloser/demo/v1/echo.proto', 'recloser/demo/v1/fault.proto'])
    if status != 0:
        sys.exit('protoc failed')
    sys.path.insert(0, args.out)
    from google.protobuf import json_format
    from recloser.demo.v1 import echo_pb2, echo_pb2_grpc, fault_pb2, fault_pb2_grpc


class Server:
    """A server process; its addresses by name, as it printed them."""

    def __init__(self, binary, *flags):
        self.process = subprocess.Popen([binary, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ports = {}
        for line in self.process.stdout:
            words = line.split()
            if words == ['ready']:
                return
            assert words[0] == 'listening' and len(words) == 3, line
            self.ports[words[1]] = words[2]
        raise AssertionError('not ready: ' + self.process.stderr.read())

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.wait(TIMEOUT)
        output = self.process.stdout.read() + self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode, output

    def kill_if_alive(self):
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)


class ServerTest(unittest.TestCase):
    def start(self, binary, *flags):
        server = Server(binary, *flags)
        self.addCleanup(server.kill_if_alive)
        return server

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def connect(self, address):
        channel = grpc.insecure_channel(address, options=[('grpc.initial_reconnect_backoff_ms', 20), ('grpc.min_reconnect_backoff_ms', 20),
                                                          ('grpc.max_reconnect_backoff_ms', 20), ('grpc.use_local_subchannel_pool', 1)])
        self.addCleanup(channel.close)
        return channel

    def echo(self, server):
        return echo_pb2_grpc.EchoStub(self.connect(server.ports['echo']))

    def control(self, server):
        return fault_pb2_grpc.FaultControlStub(self.connect(server.ports['control']))

    def plan(self, **fields):
        return fault_pb2.SetPlanRequest(plan=json_format.ParseDict(fields, fault_pb2.FaultPlan()))

    def assert_code(self, code, call, *arguments, **more):
        with self.assertRaises(grpc.RpcError) as caught:
            call(*arguments, timeout=more.pop('timeout', TIMEOUT), **more)
        self.assertEqual(caught.exception.code(), code, caught.exception)

    def eventually(self, condition):
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def scrape(self, server):
        with urllib.request.urlopen(server.ports['metrics'], timeout=TIMEOUT) as page:
            return page.read().decode()


class EchoServerTest(ServerTest):
    def test_answers_unary_calls_and_all_kinds_of_streams(self):
        stub = self.echo(self.start(args.echo))
        request = echo_pb2.EchoRequest
        response = stub.Echo(request(payload=b'hello', echo_metadata=True), timeout=TIMEOUT, metadata=[('x-key', 'value')])
        self.assertEqual(response.payload, b'hello')
        self.assertIn(('x-key', b'value'), [(entry.key, entry.value) for entry in response.metadata])
        self.assertEqual(stub.Increment(request(), timeout=TIMEOUT).counter, 1)
        self.assertEqual([r.message_index for r in stub.ServerStream(request(messages=3), timeout=TIMEOUT)], [1, 2, 3])
        self.assertEqual(stub.ClientStream(iter([request()] * 4), timeout=TIMEOUT).message_index, 4)
        answers = stub.BidiStream(iter([request(payload=b'a'), request(payload=b'b')]), timeout=TIMEOUT)
        self.assertEqual([r.payload for r in answers], [b'a', b'b'])
        self.assert_code(grpc.StatusCode.NOT_FOUND, stub.Echo, request(code=echo_pb2.NOT_FOUND))
        counts = {m.method: (m.received, m.ok, m.failed) for m in stub.Stats(echo_pb2.StatsRequest(), timeout=TIMEOUT).methods}
        self.assertEqual(counts, {'Echo': (2, 1, 1), 'Increment': (1, 1, 0), 'ServerStream': (1, 1, 0), 'ClientStream': (1, 1, 0),
                                  'BidiStream': (1, 1, 0)})


class FaultServerTest(ServerTest):
    def test_a_plan_set_at_run_time_acts(self):
        server = self.start(args.fault)
        stub, control = self.echo(server), self.control(server)
        stub.Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT)
        control.SetPlan(self.plan(phases=[{'errors': [{'code': 'ABORTED', 'probability': 1}]}]), timeout=TIMEOUT)
        self.assert_code(grpc.StatusCode.ABORTED, stub.Echo, echo_pb2.EchoRequest())
        control.SetPlan(self.plan(phases=[{'outage': 'BLACKHOLE'}]), timeout=TIMEOUT)
        self.assert_code(grpc.StatusCode.DEADLINE_EXCEEDED, stub.Echo, echo_pb2.EchoRequest(), timeout=0.1)
        control.SetPlan(self.plan(phases=[{'outage': 'REFUSE'}]), timeout=TIMEOUT)
        self.eventually(lambda: not control.GetStatus(fault_pb2.GetStatusRequest(), timeout=TIMEOUT).port_open)
        host, port = server.ports['echo'].split(':')
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), timeout=TIMEOUT)
        control.Reset(fault_pb2.ResetRequest(), timeout=TIMEOUT)
        stub.Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT, wait_for_ready=True)

    def test_a_bad_plan_is_refused(self):
        control = self.control(self.start(args.fault))
        self.assert_code(grpc.StatusCode.INVALID_ARGUMENT, control.SetPlan, fault_pb2.SetPlanRequest())

    def test_ends_well_in_the_middle_of_a_plan_with_hundreds_of_calls_in_flight(self):
        plan = os.path.join(self.folder(), 'plan.json')
        with open(plan, 'w') as file:
            file.write('{"pool": {"workers": 2, "service_time": {"fixed": "0.5s"}}, "phases": [{"name": "slow", "length": "60s"}, {}]}')
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.start(args.fault, '--plan', plan)
            stub, control = self.echo(server), self.control(server)
            calls = [stub.Echo.future(echo_pb2.EchoRequest(), timeout=TIMEOUT) for _ in range(300)]
            self.eventually(lambda: control.GetStatus(fault_pb2.GetStatusRequest(), timeout=TIMEOUT).in_flight >= 250)
            start = time.monotonic()
            self.assertEqual(server.stop(number), (0, ''))
            self.assertLess(time.monotonic() - start, 5)
            for call in calls:
                self.assertIn(call.code(), (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED))

    def test_restarts_on_its_port_after_a_kill_with_a_client_connected(self):
        server = self.start(args.fault)
        stub = self.echo(server)
        stub.Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT)
        held = stub.Echo.future(echo_pb2.EchoRequest(delay={'seconds': 60}), timeout=TIMEOUT)
        server.stop(signal.SIGKILL)
        self.assertEqual(held.code(), grpc.StatusCode.UNAVAILABLE)
        self.start(args.fault, '--listen', server.ports['echo'])
        stub.Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT, wait_for_ready=True)

    def test_survives_being_stopped_and_continued(self):
        server = self.start(args.fault)
        stub = self.echo(server)
        stub.Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT)
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED | os.WNOWAIT)  # its threads may answer a little longer
        self.assert_code(grpc.StatusCode.DEADLINE_EXCEEDED, stub.Echo, echo_pb2.EchoRequest(), timeout=0.2)
        server.process.send_signal(signal.SIGCONT)
        stub.Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT, wait_for_ready=True)
        self.assertEqual(server.stop(), (0, ''))


class BothServersTest(ServerTest):
    def test_health_and_reflection_answer_on_every_grpc_port(self):
        for binary in (args.echo, args.fault):
            server = self.start(binary)
            for name, service in (('echo', b'recloser.demo.v1.Echo'), ('control', b'recloser.demo.v1.FaultControl')):
                if name not in server.ports:
                    continue
                channel = self.connect(server.ports[name])
                # The wire format by hand: Debian has no Python stubs for these two.
                check = channel.unary_unary('/grpc.health.v1.Health/Check')
                for asked in (b'', service):
                    message = bytes([0x0a, len(asked)]) + asked if asked else b''
                    self.assertEqual(check(message, timeout=TIMEOUT), b'\x08\x01', 'SERVING')
                reflect = channel.stream_stream('/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo')
                listed = b''.join(reflect(iter([b'\x3a\x01*']), timeout=TIMEOUT))
                self.assertIn(service, listed)

    def test_metrics_parse_and_tell_what_was_counted(self):
        for binary in (args.echo, args.fault):
            server = self.start(binary)
            self.echo(server).Echo(echo_pb2.EchoRequest(), timeout=TIMEOUT)
            if 'control' in server.ports:
                # Two phases of one name must not make two series of one name.
                phases = [{'name': 'x "quoted"', 'length': '60s'}, {'name': 'x "quoted"'}]
                self.control(server).SetPlan(self.plan(phases=phases), timeout=TIMEOUT)
            page = self.scrape(server)
            self.assertIn('demo_requests_total{method="Echo",result="ok"} 1\n', page)
            if 'control' in server.ports:
                self.assertIn('demo_phase{index="0",phase="x \\"quoted\\""} 1\n', page)
                self.assertIn('demo_phase{index="1",phase="x \\"quoted\\""} 0\n', page)
            checked = subprocess.run([args.promtool, 'check', 'metrics'], input=page, capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ''))

    def test_help_tells_the_flags(self):
        for binary in (args.echo, args.fault):
            done = subprocess.run([binary, '--help'], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertIn('--listen', done.stdout)

    def test_bad_flags_and_plans_end_with_one_line_and_status_2(self):
        folder = self.folder()
        bad = {'unknown_key.json': '{"phases": [{"lenght": "1s"}]}', 'not_json.json': '{', 'empty.json': '',
               'probability.json': '{"phases": [{"errors": [{"code": "ABORTED", "probability": 2}]}]}', 'bad.txtpb': 'phases { foo: 1 }',
               'plan.yaml': ''}
        for name, text in bad.items():
            with open(os.path.join(folder, name), 'w') as file:
                file.write(text)
        cases = [(binary, flags) for binary in (args.echo, args.fault)
                 for flags in (['--bogus'], ['extra'], ['--listen', 'nonsense'], ['--listen', '127.0.0.1:70000'], ['--listen'],
                               ['--metrics', 'on'])]
        cases += [(args.fault, ['--plan', os.path.join(folder, name)]) for name in [*bad, 'absent.json']]
        cases += [(args.fault, ['--seed', '-1']), (args.fault, ['--seed', 'x']), (args.fault, ['--control', 'x'])]
        for binary, flags in cases:
            with self.subTest(binary=os.path.basename(binary), flags=flags):
                done = subprocess.run([binary, *flags], capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual((done.returncode, done.stdout), (2, ''), done.stderr)
                self.assertRegex(done.stderr, r'\A[^\n]+\n\Z')

    def test_a_taken_port_ends_with_one_line_and_status_1(self):
        server = self.start(args.echo)
        done = subprocess.run([args.fault, '--listen', server.ports['echo']], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stdout), (1, ''))
        self.assertRegex(done.stderr, r'\A[^\n]*Address already in use\n\Z')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for flag in ('echo', 'fault', 'promtool', 'protos', 'out'):
        parser.add_argument('--' + flag, required=True)
    args, rest = parser.parse_known_args()
    generate_stubs()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
