"""The status page in headless Chromium, while its process lives through an outage."""
import argparse
import json
import subprocess
import sys
import tempfile
import time
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    sys.exit('selenium is missing (Debian: python3-selenium); ./dev test installs it')

PATIENCE = 30  # seconds; a loaded machine is slow, a broken page is for ever
TOKEN = 'a-token-for-tests'

CONTRASTS = """
const parse = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const linear = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
};
const background = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const color = parse(getComputedStyle(e).backgroundColor);
    if (color.length < 4 || color[3] > 0.99) return color;
  }
};
const poor = [];
for (const element of document.querySelectorAll('body *')) {
  const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join('');
  if (!text || !element.checkVisibility()) continue;
  const style = getComputedStyle(element);
  const ink = luminance(parse(element.ownerSVGElement ? style.fill : style.color));
  const paper = luminance(background(element));
  const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  if (ratio < 4.5) poor.push(`${text.slice(0, 20)}: ${ratio.toFixed(2)}`);
}
return poor;
"""


def start_browser(profile):
    options = Options()
    options.binary_location = ARGUMENTS.chromium
    for argument in ('--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-background-networking',
                     '--window-size=1280,1000', f'--user-data-dir={profile}', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'):
        options.add_argument(argument)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
    browser = webdriver.Chrome(service=Service(ARGUMENTS.chromedriver), options=options)
    browser.set_script_timeout(PATIENCE)
    return browser


class StatusPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.profile.cleanup)
        cls.program = subprocess.Popen([ARGUMENTS.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.end_program)
        cls.url = cls.program.stdout.readline().strip()
        cls.browser = start_browser(cls.profile.name)
        cls.addClassCleanup(cls.browser.quit)
        cls.requested = []
        cls.browser.get(cls.url)

    @classmethod
    def end_program(cls):
        if not cls.program.stdin.closed:
            cls.program.stdin.close()
        cls.program.wait(PATIENCE)
        cls.program.stdout.close()

    def order(self, what):
        self.program.stdin.write(what + '\n')
        self.program.stdin.flush()

    def wait(self, what, condition):
        return WebDriverWait(self.browser, PATIENCE, 0.1).until(lambda _: condition(), what)

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def text(self, css):
        return self.js('return document.querySelector(arguments[0])?.innerText ?? ""', css)

    def state(self, method):
        return self.js('return [...document.querySelectorAll(".overview tbody tr")]'
                       '.find((row) => row.querySelector("a").innerText === arguments[0])?.querySelector(".badge").innerText', method)

    def select(self, method):
        self.wait(f'a row of {method}', lambda: self.state(method))
        self.js('[...document.querySelectorAll(".overview a")].find((a) => a.innerText === arguments[0]).click()', method)
        self.wait('its details', lambda: self.text('#detail .name').endswith('/' + method))

    def emulate(self, width=1280, scheme='light'):
        self.browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                                     {'width': width, 'height': 900, 'deviceScaleFactor': 1, 'mobile': width < 600})
        self.browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})

    def drain_logs(self):
        """What went wrong on the console, and what was asked of whom."""
        for entry in self.browser.get_log('performance'):
            message = json.loads(entry['message'])['message']
            # The browser's own first page asks for a lot, before ours is there.
            if message['method'] == 'Network.requestWillBeSent' and not message['params']['documentURL'].startswith(
                    ('chrome:', 'chrome-untrusted:')):
                self.requested.append(message['params']['request']['url'])
        return [entry['message'] for entry in self.browser.get_log('browser') if entry['level'] in ('SEVERE', 'WARNING')]

    def tearDown(self):
        self.emulate()
        if self._testMethodName != 'test_9_says_that_the_process_is_gone':
            self.assertEqual(self.drain_logs(), [])

    def test_1_an_outage_is_seen_in_states_sentences_and_charts(self):
        self.select('Get')
        self.wait('a learnt latency', lambda: 'ms' in self.js(
            'return [...document.querySelectorAll(".figures div")].find((d) => d.innerText.startsWith("Healthy latency"))?.innerText ?? ""'))
        self.assertEqual(self.state('Get'), 'closed')
        self.assertEqual(self.state('Send'), 'forced open')
        self.order('down')
        self.wait('it opens', lambda: self.state('Get') == 'open')
        self.wait('the title tells', lambda: ' open ' in self.browser.title)
        self.assertEqual(self.state('Put'), 'closed')
        self.assertIn('Only probes are admitted', self.text('.meaning'))
        self.wait('the budget is told to be used up', lambda: 'retries have stopped' in self.text('#process'))
        line = 'return document.querySelector(".chart[data-key=rating] path.line").getAttribute("d")'
        before = self.js(line)
        self.wait('the chart moves', lambda: self.js(line) != before)
        self.order('up')
        self.wait('it closes by itself', lambda: self.state('Get') == 'closed')
        told = self.text('.transitions')
        for words in ('opened by rating: rating', 'half-opened by probe', 'closed by'):
            self.assertIn(words, told)
        for chart, lowest in (('rating', '0.'), ('admitted', '0')):
            label = self.js('return document.querySelector(`.chart[data-key=${arguments[0]}] svg`).getAttribute("aria-label")', chart)
            self.assertIn(f'lowest {lowest}', label)
        self.assertGreater(self.js('return document.querySelectorAll(".chart[data-key=rating] .band.open").length'), 0)
        self.assertIn('opens at 0.83', self.text('.chart[data-key=rating]'))
        self.assertEqual(self.js('return [...document.querySelectorAll("#process code")].map((hash) => hash.innerText)'), ['1111', '2222'])
        self.select('Reserve')
        self.wait('the shadow says what it would have done', lambda: 'if you enforced this now' in self.text('.callout').lower())

    def test_2_a_freshly_opened_page_has_a_course(self):
        self.wait('a course', lambda: len(self.js('return document.querySelector(".chart path.line")?.getAttribute("d") ?? ""')) > 40)
        self.browser.refresh()
        self.wait('the course at once', lambda: len(self.js('return document.querySelector(".chart path.line")?.getAttribute("d") ?? ""')) > 40)

    def test_3_names_are_never_markup(self):
        self.order('problem')
        hostile = "<img src=x onerror=document.title='taken'>"
        self.select(hostile)
        self.wait('the problem', lambda: "<script>document.title='taken'</script>" in self.text('#process'))
        self.assertNotIn('taken', self.browser.title)
        self.assertEqual(self.js('return document.images.length'), 1)

    def test_4_updates_leave_focus_and_what_is_unfolded(self):
        self.select('Send')
        self.js('document.querySelector("#detail .transitions details").open = true; document.querySelector("#detail .transitions summary").focus()')
        when = self.text('.transitions .when')
        self.wait('an update', lambda: self.text('.transitions .when') != when)
        self.assertTrue(self.js('return document.querySelector("#detail .transitions details").open'))
        self.assertEqual(self.js('return document.activeElement.tagName'), 'SUMMARY')

    def test_5_light_and_dark_are_both_readable(self):
        seen = []
        for scheme in ('light', 'dark'):
            self.emulate(scheme=scheme)
            seen.append(self.js('return getComputedStyle(document.body).backgroundColor'))
            self.assertEqual(self.js(CONTRASTS), [], scheme)
        self.assertNotEqual(*seen)

    def test_6_fits_a_phone(self):
        self.select('Get')
        self.emulate(width=360)
        self.wait('charts for a phone', lambda: self.js('return document.querySelector(".chart svg").viewBox.baseVal.width') < 360)
        self.assertLessEqual(self.js('return document.documentElement.scrollWidth'), 360)
        outside = ('return [...document.querySelectorAll("body *:not(.skip)")].filter((e) => !e.closest(".scroll") && '
                   'e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 80))')
        self.assertEqual(self.js(outside), [])
        self.assertEqual(self.state('Get'), 'closed')

    def test_7_can_be_read_without_seeing_it(self):
        self.select('Get')
        self.assertEqual(self.js('return document.documentElement.lang'), 'en')
        self.assertEqual(self.js('return [...document.querySelectorAll("thead th:not([scope]), tbody th:not([scope])")].length'), 0)
        self.assertEqual(self.js('return [...document.querySelectorAll("svg")].filter((s) => !s.getAttribute("aria-label") && '
                                 's.getAttribute("aria-hidden") !== "true").length'), 0)
        self.assertEqual(self.js('return [...document.querySelectorAll("input")].filter((i) => i.labels.length !== 1).length'), 0)
        self.assertEqual(self.js('return [...document.querySelectorAll(".badge")].filter((b) => !b.textContent.trim()).length'), 0)

    def test_8_controls_need_the_token(self):
        self.select('Send')
        token, reset = (self.browser.find_element(By.CSS_SELECTOR, css) for css in ('#token', '[data-control=RESET]'))
        token.send_keys('a-wrong-token-it-is')
        reset.click()
        self.browser.switch_to.alert.accept()
        self.wait('a refusal', lambda: 'Refused' in self.text('#control-result'))
        self.assertEqual(self.state('Send'), 'forced open')
        self.assertTrue(all('401' in message for message in self.drain_logs()))
        token.clear()
        token.send_keys(TOKEN)
        reset.click()
        self.browser.switch_to.alert.accept()
        self.wait('it is reset', lambda: self.state('Send') == 'closed')
        self.assertIn('Done', self.text('#control-result'))

    def test_9_says_that_the_process_is_gone(self):
        self.drain_logs()
        self.assertGreater(len(self.requested), 20)
        self.assertEqual([url for url in self.requested if not url.startswith(self.url)], [])
        self.assertEqual(self.text('#live'), 'Live')
        begin = time.monotonic()
        self.end_program()
        self.assertEqual(self.program.returncode, 0)
        self.assertLess(time.monotonic() - begin, 5)
        self.wait('the page says so', lambda: 'No answer' in self.text('#live'))


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ('program', 'chromium', 'chromedriver'):
        parser.add_argument(f'--{name}', required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
