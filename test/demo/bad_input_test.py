"""Every program under bad flags, bad plans and bad addresses: one line on stderr that names the culprit, exit status 2, nothing started."""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest

TIMEOUT = 20  # seconds; only ends a program that started after all

HEALTHY = '{"phases": [{"name": "fine"}]}'
BAD_PLANS = {  # the file's name, its text, and what the complaint must name
    'syntax.json': ('{"phases": [', 'syntax.json'),
    'empty.json': ('', 'empty.json'),
    'no_phases.json': ('{}', 'phases'),
    'unknown_key.json': ('{"phases": [{"lenght": "1s"}]}', 'lenght'),
    'duplicate_key.json': ('{"phases": [{"length": "1s", "length": "2s"}]}', 'length'),
    'nan.json': ('{"phases": [{"errors": [{"code": "ABORTED", "probability": "NaN"}]}]}', 'phases[0].errors[0].probability'),
    'infinite.json': ('{"phases": [{"delay": {"fixed": "1s", "multiplier": "Infinity"}}]}', 'phases[0].delay.multiplier'),
    'negative.json': ('{"phases": [{"length": "-1s"}]}', 'phases[0].length'),
    'too_long.json': ('{"phases": [{"length": "86401s"}]}', 'phases[0].length'),
    'probability.json': ('{"phases": [{"errors": [{"code": "ABORTED", "probability": 1.001}]}]}', 'phases[0].errors[0].probability'),
    'code.json': ('{"phases": [{"errors": [{"code": "NO_SUCH_CODE", "probability": 1}]}]}', 'NO_SUCH_CODE'),
    'second_phase.json': ('{"phases": [{"length": "1s"}, {"capacity": {"start": 1, "end": 1}}]}', 'phases[1].capacity'),
    'workers.json': ('{"phases": [{}], "pool": {"workers": 0, "service_time": {"fixed": "1s"}}}', 'pool.workers'),
    'nan.txtpb': ('phases { errors { code: ABORTED probability: nan } }', 'phases[0].errors[0].probability'),
    'unknown_key.txtpb': ('phases { lenght { seconds: 1 } }', 'lenght'),
    'binary.txtpb': ('\0\1\2', 'binary.txtpb'),
    'plan.yaml': (HEALTHY, 'plan.yaml'),
}
SERVERS = [  # flags, and what the complaint must name
    (['--bogus'], '--bogus'), (['extra'], 'extra'), (['--listen'], '--listen'), (['--listen', ''], '--listen'),
    (['--listen', 'nonsense'], '--listen'), (['--listen', '127.0.0.1:'], '--listen'), (['--listen', '127.0.0.1:-1'], '--listen'),
    (['--listen', '127.0.0.1:65536'], '--listen'), (['--listen', ':80'], '--listen'), (['--listen', 'off'], '--listen'),
    (['--metrics', 'on'], '--metrics'), (['--metrics', '127.0.0.1:nan'], '--metrics'),
    (['--listen', '127.0.0.1:0', '--listen', '127.0.0.1:0'], '--listen'), (['--listen', 'two\nlines'], '--listen'),
]
FAULT = [
    (['--control', 'off'], '--control'), (['--seed', '-1'], '--seed'), (['--seed', 'nan'], '--seed'), (['--seed', '1.5'], '--seed'),
    (['--seed', '18446744073709551616'], '--seed'), (['--plan', 'absent.json'], 'absent.json'),
    (['--plan', '.'], '.'), (['--plan'], '--plan'),
    *((['--plan', name], culprit) for name, (_, culprit) in BAD_PLANS.items()),
]
CLIENT = [
    ([], '--target'), (['--target', ''], '--target'), (['--target', 'x', 'extra'], 'extra'), (['--target', 'x', '--bogus'], '--bogus'),
    *((['--target', 'x', flag, value], flag) for flag, values in {
        '--rate': ['nan', 'inf', '-1', '0', '0.09', '100001', '', '5/s'], '--duration': ['5', '0s', '-1s', '9ms', '3601s', 'inf', 'nan'],
        '--slo': ['0s', '61s', 'soon'], '--deadline': ['0.9ms', '61s'], '--attempt-timeout': ['0s', '61s', '59s'],
        '--max-attempts': ['0', '-1', '101', '1.5', 'nan', '99999999999'], '--page-port': ['-1', '65536', 'x'],
        '--seed': ['0', '-1', '2147483648', 'x'],
        '--max-outstanding': ['0', '100001'], '--payload': ['-1', '1048577'], '--api': ['', 'rest', 'sync,cq'], '--arm': ['', 'both'],
        '--metrics': ['on', '127.0.0.1', '127.0.0.1:65536'], '--progress': ['loud']}.items() for value in values),
    (['--target', 'x', '--json', 'no/such/file'], 'no/such/file'), (['--target', 'x', '--trace', '.'], '.'),
    (['--target', 'x', '--trace', 't', '--rate', '100000', '--duration', '1h'], '--trace'),
    (['--target', 'x', '--arm', 'none', '--max-attempts', '2'], '--max-attempts'),
    (['--target', 'x', '--rate', '5', '--rate', '6'], '--rate'),
    (['--target', 'x', '--json', 'figures.json', '--attempt-timeout', '59s'], '--attempt-timeout'),
]
DEMO = [
    (['--bogus'], '--bogus'), (['extra'], 'extra'), (['--json', 'no/such/file'], 'no/such/file'), (['--json', '.'], '.'),
    (['--json'], '--json'),
    *(([flag, value], flag) for flag, values in {'--rate': ['nan', '-1', '9.9', '201'], '--seed': ['0', '-1', '2147483648', '1.5'],
                                                 '--scale': ['nan', '0.04', '1.1']}.items() for value in values),
]
EXAMPLES = [([], 'usage'), (['127.0.0.1:1', 'extra'], 'usage')]


class BadInputTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, (text, _) in BAD_PLANS.items():
            with open(os.path.join(self.folder, name), 'w') as file:
                file.write(text)

    def check(self, binary, cases):
        before = sorted(os.listdir(self.folder))
        for flags, culprit in cases:
            with self.subTest(binary=os.path.basename(binary), flags=flags):
                process = subprocess.Popen([os.path.abspath(binary), *flags], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True, cwd=self.folder, start_new_session=True)
                try:
                    out, error = process.communicate(timeout=TIMEOUT)
                except subprocess.TimeoutExpired:
                    process.kill()
                    out, error = process.communicate()
                self.assertEqual((process.returncode, out), (2, ''), error)
                self.assertRegex(error, r'\A[^\n]+\n\Z')
                self.assertIn(culprit, error)
                self.assertEqual(sorted(os.listdir(self.folder)), before, 'it left files behind')
                with self.assertRaises(ProcessLookupError, msg='it left processes behind'):
                    os.killpg(process.pid, 0)

    def test_echo_server(self):
        self.check(args.echo, SERVERS)

    def test_fault_server(self):
        self.check(args.fault, SERVERS + FAULT)

    def test_load_client(self):
        self.check(args.client, CLIENT)

    def test_demo(self):
        self.check(args.demo, DEMO)

    def test_examples(self):
        for example in args.examples:
            self.check(example, EXAMPLES)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for flag in ('echo', 'fault', 'client', 'demo'):
        parser.add_argument('--' + flag, required=True)
    parser.add_argument('--examples', nargs='*', default=[])
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
