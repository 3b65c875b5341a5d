"""The pieces of CMake in README and guide configure, in the project of a reader: those that find an installed Recloser and the one that takes
it in as source."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from documents import ROOT, Document

PATIENCE = 120
PROJECT = 'cmake_minimum_required(VERSION 3.25)\nproject(reader LANGUAGES CXX)\nadd_executable(my_client main.cc)\n'


def pieces(path):
    return [code for code in Document(path).code if code.language == 'cmake' and not code.name]


class Pieces(unittest.TestCase):
    def configure(self, text):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'main.cc').write_text('int main() {}\n')
            (folder / 'CMakeLists.txt').write_text(PROJECT + text)
            (folder / 'third_party').mkdir()
            (folder / 'third_party' / 'recloser').symlink_to(ROOT)
            done = subprocess.run(['cmake', '-S', folder, '-B', folder / 'build', '-G', 'Ninja'], capture_output=True, text=True, timeout=PATIENCE,
                                  env={**os.environ, 'CMAKE_PREFIX_PATH': args.prefix, 'CXX': args.compiler})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_find_what_is_installed(self):
        found = {path: [code.text for code in pieces(path) if 'FetchContent' not in code.text] for path in ('README.md', 'docs/guide.md')}
        for path, texts in found.items():
            with self.subTest(document=path):
                self.assertTrue(texts)
                self.configure('\n'.join(texts))

    def test_take_it_in_as_source(self):
        texts = [code.text for code in pieces('docs/guide.md') if 'FetchContent' in code.text]
        self.assertEqual(len(texts), 1)
        self.configure(texts[0])


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--prefix', required=True)
    parser.add_argument('--compiler', required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
