"""The alert rules: complete, on metrics that exist, and tried where they must fire and where they must not."""
import argparse
import re
import sys
import unittest

import yaml

from metric_rules import DEPLOY, ROOT, breaches, promtool

RULES = DEPLOY / 'prometheus' / 'recloser_alerts.yml'
TESTS = ROOT / 'test' / 'deploy' / 'alerts_test.yml'
GUIDE = ROOT / 'docs' / 'guide.md'
ALERTS = {'BreakerOpenTooLong', 'BreakerFlapping', 'BreakerStuckHalfOpen', 'PermitLeak', 'RetryAmplification', 'RetryBudgetExhausted',
          'RejectionsBurnSLO', 'RatingNearThreshold', 'CallerDeadlinesTooShort', 'ConfigRejected', 'InvariantViolation', 'ExporterGone'}


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())['groups'] for rule in group['rules']]


class AlertsTest(unittest.TestCase):
    def test_all_are_there(self):
        self.assertEqual({rule['alert'] for rule in rules()}, ALERTS)

    def test_each_says_what_is_wrong_in_numbers_and_where_to_read_on(self):
        for rule in rules():
            with self.subTest(alert=rule['alert']):
                annotations = rule['annotations']
                self.assertEqual(set(annotations), {'summary', 'description', 'runbook_url'})
                self.assertRegex(annotations['description'], r'\{\{.*value')
                self.assertEqual(annotations['runbook_url'], 'docs/guide.md#' + rule['alert'].lower())
                self.assertIn(rule['labels']['severity'], ('page', 'ticket', 'bug'))

    def test_the_guide_has_a_heading_for_each(self):
        headings = re.findall(r'^#+ (\w+)$', GUIDE.read_text(), re.MULTILINE)
        self.assertLessEqual(ALERTS, set(headings))

    def test_names_labels_and_values_are_those_of_the_table(self):
        for rule in rules():
            self.assertEqual(list(breaches(rule['expr'])), [], rule['alert'])

    def test_labels_in_the_texts_are_left_in_the_result(self):
        for rule in rules():
            grouped = re.search(r'\bby \(([^)]*)\)', rule['expr'])
            if not grouped:
                continue
            texts = ' '.join(rule['annotations'].values())
            self.assertLessEqual(set(re.findall(r'\$labels\.(\w+)', texts)), set(re.split(r',\s*', grouped.group(1))), rule['alert'])

    def test_promtool_accepts_the_rules_and_the_configuration(self):
        config = DEPLOY / 'prometheus' / 'prometheus.yml'
        for arguments in (('check', 'rules', '--lint-fatal', str(RULES)), ('check', 'config', str(config))):
            content, said = promtool(args.promtool, *arguments)
            self.assertTrue(content, said)

    def test_each_fires_where_it_must_and_only_there(self):
        content, said = promtool(args.promtool, 'test', 'rules', TESTS.name, folder=TESTS.parent)
        self.assertTrue(content, said)

    def test_each_was_tried_both_ways(self):
        fires, silent = set(), set()
        for case in yaml.safe_load(TESTS.read_text())['tests']:
            for check in case['alert_rule_test']:
                (fires if check['exp_alerts'] else silent).add(check['alertname'])
        self.assertEqual(fires, ALERTS)
        self.assertEqual(silent, ALERTS)


class BreachesTest(unittest.TestCase):
    """The comparison with the table finds what it is there for."""

    def test_of_names_labels_values_and_types(self):
        for expr, said in [('recloser_breaker_stat == 1', 'not in the table'),
                           ('rate(reclosr_calls_total[5m])', 'not in the table'),
                           ('recloser_call_duration_seconds', 'not in the table'),
                           ('recloser_breaker_state{stat="open"}', 'no label stat'),
                           ('recloser_breaker_state{state="opened"}', 'never state="opened"'),
                           ('recloser_breaker_state{state=~"open|shut"}', 'never state="shut"'),
                           ('sum by (code) (rate(recloser_calls_handled_total[5m]))', 'the label code'),
                           ('rate(recloser_breaker_state[5m])', 'a gauge')]:
            with self.subTest(expr=expr):
                self.assertRegex(' '.join(breaches(expr)), said)

    def test_but_not_in_what_is_right(self):
        expr = ('histogram_quantile(0.9, sum by (le, outcome) (rate(recloser_attempt_duration_seconds_bucket{job="a"}[5m] offset 1h))) '
                '> 1.5e-3 and on (job) recloser_breaker_transitions_total{from="closed",to=~"open|half_open",mode!="shadow"}')
        self.assertEqual(list(breaches(expr)), [])


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--promtool', required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
