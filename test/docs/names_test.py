"""What the documents call things is what they are called: metrics, the dashboard's panels, the headings of the page."""
import json
import re
import sys
import unittest

from documents import ROOT, documents

sys.path.insert(0, str(ROOT / 'deploy'))
import metric_table  # noqa: E402  (a folder that is no package)

GUIDE = (ROOT / 'docs/guide.md').read_text()


def panels(dashboard):
    for panel in dashboard['panels']:
        yield panel['title']
        yield from panels(panel) if 'panels' in panel else ()


class Names(unittest.TestCase):
    def test_of_metrics_are_in_the_table(self):
        table = metric_table.read()
        self.assertGreater(len(table), 30)
        for path in documents():
            for name in re.findall(r'`(recloser_\w+)(?:`|\{)', (ROOT / path).read_text()):
                with self.subTest(document=str(path), name=name):
                    self.assertIn(name, table)

    def test_of_panels_and_of_the_page_are_theirs(self):
        known = set(panels(json.loads((ROOT / 'deploy/grafana/recloser.json').read_text())))
        page = '\n'.join(path.read_text() for path in (ROOT / 'lib/page/web').glob('*.[hj][ts]*'))
        known |= set(re.findall(r"['>]([A-Z][\w ,]+)['<]", page))
        operating = GUIDE[GUIDE.index('\n## Reading the page\n'):GUIDE.index('\n## When not to use it\n')]
        named = re.findall(r'(?<!\*)\*([A-Z][^*\n]*?)\??\*(?!\*)', operating)
        self.assertGreater(len(named), 20)
        for name in named:
            with self.subTest(name=name):
                self.assertTrue(name in known or name + '?' in known)


if __name__ == '__main__':
    unittest.main()
