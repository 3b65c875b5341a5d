"""Links in the documents lead somewhere: files, folders, headings; no text is left over from a merge; each alert has its section in the guide."""
import re
import unittest
import urllib.parse

from documents import ROOT, Document, documents

DOCUMENTS = {path: Document(path) for path in documents()}


class Links(unittest.TestCase):
    def test_lead_to_files_and_headings_that_exist(self):
        for document in DOCUMENTS.values():
            for link in document.links:
                with self.subTest(document=str(link.document), line=link.line, target=link.target):
                    self.follow(link)

    def follow(self, link):
        target = urllib.parse.urlparse(link.target)
        if target.scheme:
            self.assertIn(target.scheme, ('http', 'https'))
            return
        path = ((ROOT / link.document).parent / target.path).resolve() if target.path else ROOT / link.document
        self.assertTrue(path.is_relative_to(ROOT) and path.exists(), 'there is no such file')
        if target.fragment:
            self.assertIn(target.fragment, DOCUMENTS[path.relative_to(ROOT)].headings)

    def test_no_heading_of_a_document_occurs_twice(self):
        for document in DOCUMENTS.values():
            if document.path.name != 'CHANGELOG.md':  # each version has the same ones
                self.assertEqual(len(document.headings), len(set(document.headings)), document.path)


class Text(unittest.TestCase):
    def test_is_of_one_version_not_of_two_that_were_to_be_merged(self):
        for document in DOCUMENTS:
            with self.subTest(document=str(document)):
                self.assertNotRegex((ROOT / document).read_text(), r'(?m)^(<{7}|={7}|>{7})( |$)')


class Runbook(unittest.TestCase):
    def test_has_a_section_for_each_alert_and_no_other(self):
        rules = (ROOT / 'deploy/prometheus/recloser_alerts.yml').read_text()
        guide = (ROOT / 'docs/guide.md').read_text()
        runbook = guide[guide.index('\n## Runbook\n') + 1:]
        runbook = runbook[:runbook.index('\n## ')]
        self.assertEqual(set(re.findall(r'^### (\w+)$', runbook, re.MULTILINE)), set(re.findall(r'- alert: (\w+)', rules)))

    def test_urls_of_the_alerts_lead_to_it(self):
        rules = (ROOT / 'deploy/prometheus/recloser_alerts.yml').read_text()
        urls = re.findall(r'runbook_url: (\S+)', rules)
        self.assertGreater(len(urls), 0)
        for url in urls:
            path, _, fragment = url.partition('#')
            self.assertEqual(path, 'docs/guide.md')
            self.assertIn(fragment, DOCUMENTS[next(p for p in DOCUMENTS if str(p) == path)].headings)


class Readme(unittest.TestCase):
    def test_stays_short(self):
        self.assertLess(len((ROOT / 'README.md').read_text().splitlines()), 200)


if __name__ == '__main__':
    unittest.main()
