"""Each command that a document says to type is run as it is written, or is known to be run by another test."""
import argparse
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

from documents import ROOT, Document, documents

PATIENCE = 120  # seconds for one command

# Run here, in a folder with the files that the document shows.
HERE = ('recloser check *', 'recloser convert *', 'recloser simulate *', 'recloser replay *', 'protoc *')

# Too costly to run here, or not for a machine of ours to run: which file says that it is done, and by what words.
ELSEWHERE = {
    './dev demo': ('test/demo/CMakeLists.txt', 'RECLOSER_DEMO="$<TARGET_FILE:recloser-demo>"'),
    './dev test': ('.ci/run', "'test'"),
    './dev package': ('.ci/run', "'package --try'"),
    'sudo apt install ./build/package/*.deb': ('test/packages/deb_in_chroot.sh', 'apt-get install -qq -y --no-install-recommends /root/librecloser0'),
    './dev simulate --bars --seeds 20 --report report.html': ('test/sim/report_test.cc', 'ReportHtml'),
    './dev bench*': ('test/bench/bench_command_test.sh', '--seconds 0.01'),
    './dev evaluate --check': ('test/evaluate/live_test.sh', '--check'),
    './dev evaluate --scenario *': ('test/evaluate/live_test.sh', 'evaluate --scenario'),
    'curl -H * http://127.0.0.1:8080/control *': ('test/page/controls_test.cc', '/control'),
    # Nothing is pulled from the network: the form of these files is tested, as deploy/README.md says.
    'docker *': ('test/deploy/manifests_test.py', 'Dockerfile'),
    'kubectl *': ('test/deploy/manifests_test.py', 'kustomization.yaml'),
}

# Sections whose commands one test runs from the first to the last.
SECTIONS = {('docs/guide.md', 'The first client in five minutes'): 'test/docs/first_client_test.py'}

DOCUMENTS = [Document(path) for path in documents()]


def matching(text, patterns):
    # Brackets in commands are no sets of characters.
    return next((pattern for pattern in patterns if fnmatch.fnmatchcase(text, pattern.replace('[', '[[]'))), None)


def elsewhere(command):
    return (str(command.document), command.section) in SECTIONS or matching(command.text, ELSEWHERE)


def lists_of_options(words):
    """Of the program that the words call, what --help says; None for verbs of ./dev that have no such program here."""
    if words[0] == './dev':
        if words[1] == 'demo':
            return help_of(args.demo)
        if words[1] not in ('simulate', 'evaluate'):
            return None
    return help_of(args.recloser, words[1])


def help_of(*command):
    return subprocess.run([*command, '--help'], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


class Commands(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)

    def folder_of(self, document):
        folder = self.scratch / document.path.name
        (folder / 'bin').mkdir(parents=True)
        (folder / 'bin' / 'recloser').symlink_to(args.recloser)
        for name, text in document.files().items():
            (folder / name).write_text(text)
        shutil.copy(ROOT / 'test/events/golden/standard.trace', folder / 'breakers.trace')
        return folder

    def test_are_run_as_they_are_written(self):
        run = 0
        for document in DOCUMENTS:
            commands = [command for command in document.commands() if not elsewhere(command)]
            if not commands:
                continue
            folder = self.folder_of(document)
            environment = {**os.environ, 'PATH': '%s:%s' % (folder / 'bin', os.environ['PATH'])}
            for command in commands:
                with self.subTest(document=str(command.document), line=command.line, command=command.text):
                    self.assertTrue(matching(command.text, HERE), 'neither run here nor known to be run elsewhere')
                    done = subprocess.run(['sh', '-euc', command.text], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                          capture_output=True, text=True, timeout=PATIENCE)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    run += 1
        self.assertGreater(run, 10)

    def test_that_are_run_elsewhere_are(self):
        known = {(str(path), section) for path, section in SECTIONS}
        commands = [command for document in DOCUMENTS for command in document.commands()]
        for pattern, (path, words) in ELSEWHERE.items():
            with self.subTest(command=pattern):
                self.assertIn(words, (ROOT / path).read_text(), path)
                self.assertTrue(any(matching(command.text, [pattern]) for command in commands), 'no document has it')
        self.assertLessEqual(known, {(str(command.document), command.section) for command in commands})
        for path in SECTIONS.values():
            self.assertTrue((ROOT / path).exists())

    def test_have_verbs_and_options_that_exist(self):
        verbs = set(re.findall(r'^\./dev (\w+)', subprocess.run([ROOT / 'dev', 'help'], capture_output=True, text=True, check=True).stdout,
                               re.MULTILINE)) | {'help'}
        for document in DOCUMENTS:
            for command in [*document.mentioned(), *document.commands()]:
                if not command.text.startswith(('./dev ', 'recloser ')):
                    continue
                with self.subTest(document=str(command.document), line=command.line, command=command.text):
                    words = shlex.split(re.sub(r'[\[\]]', '', command.text))
                    if words[0] == './dev':
                        self.assertIn(words[1], verbs)
                    shown = lists_of_options(words)
                    for word in words[2:]:
                        if shown and word.startswith('--'):
                            self.assertRegex(shown, r'(?<![\w-])%s(?![\w-])' % re.escape(word))


class Files(unittest.TestCase):
    def test_policies_are_good(self):
        checked = 0
        for document in DOCUMENTS:
            for code in document.code:
                if code.language != 'json':
                    continue
                with self.subTest(document=str(code.document), line=code.line), tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / 'policies.json'
                    path.write_text(code.text)
                    done = subprocess.run([args.recloser, 'check', path], capture_output=True, text=True, timeout=PATIENCE)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    checked += 1
        self.assertGreater(checked, 5)

    def test_yaml_can_be_read(self):
        for document in DOCUMENTS:
            for code in document.code:
                if code.language == 'yaml':
                    with self.subTest(document=str(code.document), line=code.line):
                        self.assertIsInstance(yaml.safe_load(code.text), dict)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--recloser', required=True)
    parser.add_argument('--demo', required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
