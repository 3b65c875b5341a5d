"""The real Prometheus server watches the demo through an outage, with the configuration, the alerts and the dashboard's queries as shipped.

Two substitutions only: the addresses, as the system chooses the ports, and the time: a minute of the rules is a second here.
"""
import argparse
import contextlib
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from metric_rules import DEPLOY

PATIENCE = 20  # seconds for one thing to happen
SCRAPE_INTERVAL = '250ms'
STEP = 0.25  # seconds between the values of a course
RATE = 80  # calls per second
SERVICE = '{job="recloser",grpc_service="recloser.demo.v1.Echo"}'

# Panels that may have nothing to show in this demo: no shadow, no policies from a file.
EMPTY = {'Would enforcing pay?', 'Configuration', 'Updates of the configuration'}


def faster(rules):
    """The same rules with all their times a sixtieth."""
    unit = {'m': 's', 'h': 'm'}
    rules = re.sub(r'\[(\d+)([mh])\]', lambda match: '[%s%s]' % (match.group(1), unit[match.group(2)]), rules)
    return re.sub(r'^( *for: )(\d+)([mh])$', lambda match: ''.join((*match.groups()[:2], unit[match.group(3)])), rules, flags=re.MULTILINE)


class Program:
    """A process that says on a line where it listens; ended with the test."""

    def __init__(self, test, command, pattern):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        test.addCleanup(self.end)
        self.said = []
        self.found = {}
        for line in self.process.stdout:
            self.said.append(line)
            for match in re.finditer(pattern, line):
                self.found.update({name: text for name, text in match.groupdict().items() if text})
            if set(self.found) == set(re.compile(pattern).groupindex):
                return
        raise AssertionError('%s ended: %s' % (command[0], ''.join(self.said)))

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            self.signal(signal.SIGCONT)  # stopped, it would not see the next
            self.signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


class Prometheus:
    def __init__(self, test, client, service):
        folder = pathlib.Path(test.enterContext(tempfile.TemporaryDirectory()))
        config = (DEPLOY / 'prometheus' / 'prometheus.yml').read_text()
        config = config.replace('15s', SCRAPE_INTERVAL).replace('client:9464', client).replace('fault-server:9465', service)
        config = config[:config.index('  - job_name: prometheus')]  # its own port is not known yet
        (folder / 'prometheus.yml').write_text(config)
        (folder / 'recloser_alerts.yml').write_text(faster((DEPLOY / 'prometheus' / 'recloser_alerts.yml').read_text()))
        command = [args.prometheus, '--config.file=%s' % (folder / 'prometheus.yml'), '--storage.tsdb.path=%s' % (folder / 'data'),
                   '--web.listen-address=127.0.0.1:0']
        # It goes on logging; more than a pipe holds would stop it, but that is a thousand times what it says in a minute.
        self.server = Program(test, command, r'msg="Listening on" address=(?P<address>\S+)')
        self.started = time.time()

    def get(self, path, **parameters):
        url = 'http://%s/api/v1/%s?%s' % (self.server.found['address'], path, urllib.parse.urlencode(parameters))
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)['data']
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it has not read its configuration yet
                return {}
            raise AssertionError('%s: %s' % (url, error.read()))

    def query(self, expr):
        """The values of an instant, by labels."""
        found = self.get('query', query=expr).get('result', ())
        return {tuple(sorted(series['metric'].items())): float(series['value'][1]) for series in found}

    def value(self, expr):
        """The sum over all series; None when there is none."""
        values = self.query(expr).values()
        return sum(values) if values else None

    def course(self, expr):
        """The values from the start until now, the latest included, of the one series there is."""
        now = time.time()
        start = now - (now - self.started) // STEP * STEP
        series, = self.get('query_range', query=expr, start=start, end=now, step=STEP)['result']
        return [float(value) for _, value in series['values']]

    def alerts(self, state):
        return {alert['labels']['alertname']: alert for alert in self.get('alerts').get('alerts', ()) if alert['state'] == state}


class PrometheusTest(unittest.TestCase):
    def eventually(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                self.fail('%s did not happen within %d s' % (what, PATIENCE))
            time.sleep(0.1)

    def state(self, name):
        return self.prometheus.value('recloser_breaker_state' + SERVICE[:-1] + ',state="%s"}' % name)

    def setUp(self):
        self.service = Program(self, [args.fault, '--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0'],
                               r'listening echo (?P<echo>\S+)|listening metrics http://(?P<metrics>[^/]+)/')
        # Longer than all that is waited for below; it is ended before.
        self.client = Program(self, [args.client, '--target', self.service.found['echo'], '--rate', str(RATE), '--duration', '10m',
                                     '--deadline', '1s', '--progress', 'off', '--metrics', '127.0.0.1:0'],
                              r'metrics http://(?P<metrics>[^/]+)/')
        self.prometheus = Prometheus(self, self.client.found['metrics'], self.service.found['metrics'])

    def test_an_outage_is_seen_told_and_over(self):
        self.eventually('a scrape of the closed breaker', lambda: self.state('closed') == 1)
        self.eventually('a healthy rating', lambda: (self.prometheus.value('recloser_breaker_rating_ratio' + SERVICE) or 0) > 0.95)
        self.assertEqual(self.prometheus.alerts('firing'), {})
        self.check_the_page()

        self.service.signal(signal.SIGSTOP)
        self.eventually('the alerts', lambda: {'BreakerOpenTooLong', 'RejectionsBurnSLO'} <= set(self.prometheus.alerts('firing')))
        self.check_the_alert(self.prometheus.alerts('firing')['BreakerOpenTooLong'])

        self.service.signal(signal.SIGCONT)
        self.eventually('the breaker to close', lambda: self.state('closed') == 1)
        self.eventually('the end of the alert', lambda: 'BreakerOpenTooLong' not in self.prometheus.alerts('firing'))
        self.eventually('a healthy rating again', lambda: (self.prometheus.value('recloser_breaker_rating_ratio' + SERVICE) or 0) > 0.95)

        self.check_transitions()
        self.check_the_course()
        self.check_that_the_dashboard_has_data()
        self.check_that_no_alert_took_it_for_a_bug_of_recloser()

        self.client.signal(signal.SIGINT)
        self.eventually('the alert on a missing exporter', lambda: 'ExporterGone' in self.prometheus.alerts('firing'))

    def check_the_page(self):
        with urllib.request.urlopen('http://%s/metrics' % self.client.found['metrics'], timeout=PATIENCE) as page:
            lint = subprocess.run([args.promtool, 'check', 'metrics'], input=page.read(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=PATIENCE)
        self.assertEqual((lint.returncode, lint.stdout), (0, b''))

    def check_the_alert(self, alert):
        self.assertEqual(alert['labels']['severity'], 'page')
        self.assertEqual(alert['labels']['grpc_service'], 'recloser.demo.v1.Echo')
        self.assertRegex(alert['annotations']['summary'], r'^The breaker of recloser\.demo\.v1\.Echo/\w+ at 127\.0\.0\.1:\d+ stays open\.$')
        self.assertRegex(alert['annotations']['description'], r'^127\.0\.0\.1:\d+ had it open (9\d|100)(\.\d+)?% of the last 2 minutes')

    def check_transitions(self):
        def transitions(origin, to):
            return self.prometheus.value('recloser_breaker_transitions_total%s,from="%s",to="%s"}' % (SERVICE[:-1], origin, to))
        self.assertGreaterEqual(transitions('closed', 'open'), 1)
        self.assertGreaterEqual(transitions('open', 'half_open'), 1)
        self.assertEqual(transitions('half_open', 'closed'), transitions('closed', 'open'))
        self.assertEqual(max(self.prometheus.course('recloser_breaker_state%s,state="open"}' % SERVICE[:-1])), 1)
        self.assertGreater(self.prometheus.value('recloser_breaker_time_in_state_seconds_total%s,state="open"}' % SERVICE[:-1]), 1)

    def check_the_course(self):
        rating = self.prometheus.course('recloser_breaker_rating_ratio' + SERVICE)
        opens_at, closes_at = (self.prometheus.value('recloser_breaker_threshold_ratio%s,edge="%s"}' % (SERVICE[:-1], edge))
                               for edge in ('open', 'close'))
        self.assertGreater(rating[0], closes_at)
        self.assertLess(min(rating), opens_at)
        self.assertGreater(rating[-1], closes_at)
        admitted = self.prometheus.course('recloser_breaker_admitted_ratio' + SERVICE)
        self.assertEqual((admitted[0], min(admitted), admitted[-1]), (1, 0, 1))
        states = self.prometheus.query('count by (alertstate) (last_over_time(ALERTS{alertname="BreakerOpenTooLong"}[1m]))')
        self.assertEqual(set(states), {(('alertstate', 'pending'),), (('alertstate', 'firing'),)})

    def check_that_the_dashboard_has_data(self):
        empty = set()
        for panel in json.loads((DEPLOY / 'grafana' / 'recloser.json').read_text())['panels']:
            queries = [re.sub(r'\$\w+', '.*', target['expr'].replace('$__rate_interval', '30s')) for target in panel.get('targets', ())]
            if queries and not any(self.prometheus.query(query) for query in queries):
                empty.add(panel['title'])
        self.assertLessEqual(empty, EMPTY)

    def check_that_no_alert_took_it_for_a_bug_of_recloser(self):
        fired = self.prometheus.query('count by (alertname, severity) (last_over_time(ALERTS{alertstate="firing"}[2m]))')
        self.assertEqual({dict(labels)['alertname'] for labels in fired if dict(labels)['severity'] == 'bug'}, set())


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for flag in ('client', 'fault', 'prometheus', 'promtool'):
        parser.add_argument('--' + flag, required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
