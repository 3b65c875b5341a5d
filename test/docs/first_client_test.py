"""The guide's first client, made by a newcomer who has the guide and an installed Recloser: its files, its commands in their order, then the
outage and the change of policies that it invites to. Only the ports differ, so that nothing else on the machine is in the way."""
import argparse
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from documents import Document

SECTION = 'The first client in five minutes'
PATIENCE = 60  # seconds for one thing to happen
PORTS = ('50051', '9464', '8080')


def free_ports(count):
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in range(count)]
    try:
        return [str(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


class Program:
    """A command that runs until it is ended; what it says is kept."""

    def __init__(self, test, command, **how):
        self.command, self.lines = command, []
        self.process = subprocess.Popen(['sh', '-c', 'exec ' + command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        test.addCleanup(self.end)

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def wait_for(self, pattern, after=0):
        """Until it says so; how many lines it has said by then."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for number, line in enumerate(self.lines[after:], after + 1):
                if re.search(pattern, line):
                    return number
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError('%s did not say %r: %s' % (self.command, pattern, ''.join(self.lines)[-2000:]))

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # as Ctrl-C does
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class FirstClient(unittest.TestCase):
    def setUp(self):
        document = Document('docs/guide.md')
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for code in document.code:
            if code.section == SECTION and code.name:
                (self.folder / code.name).write_text(code.text)
        ports = dict(zip(PORTS, free_ports(len(PORTS))))
        self.commands = [re.sub(r'\b(%s)\b' % '|'.join(PORTS), lambda port: ports[port[1]], command.text)
                         for command in document.commands() if command.section == SECTION]
        prefix = pathlib.Path(args.prefix)
        self.how = {'cwd': self.folder, 'env': {
            **os.environ, 'PATH': '%s:%s' % (prefix / 'bin', os.environ['PATH']), 'CMAKE_PREFIX_PATH': str(prefix), 'CXX': args.compiler}}

    def next(self, beginning):
        command = self.commands.pop(0)
        self.assertTrue(command.startswith(beginning), command)
        return command

    def run_next(self, beginning):
        done = subprocess.run(['sh', '-c', self.next(beginning)], capture_output=True, text=True, timeout=5 * PATIENCE, **self.how)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def run_until(self, command, pattern):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            said = subprocess.run(['sh', '-c', command], capture_output=True, text=True, timeout=PATIENCE, **self.how).stdout
            if re.search(pattern, said):
                return
            time.sleep(0.1)
        self.fail('%s did not show %r: %s' % (command, pattern, said))

    def test_works_as_the_guide_says(self):
        self.next('sudo apt install ')  # the machine that runs the tests has a compiler
        self.assertIn('good', self.run_next('recloser check '))
        self.run_next('cmake -S ')
        self.run_next('cmake --build ')
        serve = self.next('recloser-echo-server ')
        server = Program(self, serve, **self.how)
        server.wait_for('^ready$')
        client = Program(self, self.next('build/first_client '), **self.how)
        client.wait_for(r'^page: http://127\.0\.0\.1:\d+/$')
        client.wait_for(r'^10 ok, 0 failed, 0 rejected$')
        metrics, status = self.next('curl '), self.next('curl ')
        self.assertEqual(self.commands, [])
        self.run_until(metrics, r'state="closed"\} 1')
        self.run_until(status, r'"state": *"closed"')

        server.end()
        gone = len(client.lines)
        client.wait_for(r' [1-9]\d* rejected$', after=gone)
        self.run_until(metrics, r'state="(open|half_open)"\} 1')
        Program(self, serve, **self.how).wait_for('^ready$')
        client.wait_for(r'^10 ok, 0 failed, 0 rejected$', after=len(client.lines))
        self.run_until(metrics, r'state="closed"\} 1')

        policies = self.folder / 'policies.json'
        changed = policies.read_text().replace('"deadline": "1s"', '"deadline": "2s"')
        self.assertNotEqual(changed, policies.read_text())
        policies.write_text(changed)
        self.run_until(metrics.replace('^recloser_breaker_state', '^recloser_config_generation'), r'\} 2$')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--prefix', required=True)
    parser.add_argument('--compiler', required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
