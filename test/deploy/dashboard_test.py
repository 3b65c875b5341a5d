"""The Grafana dashboard: made from the table of metrics, of the form that Grafana reads, with queries that Prometheus accepts."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import unittest

import jsonschema

import promql
from metric_rules import DEPLOY, SCRAPED, TABLE, base, breaches, labels, promtool

GENERATOR = DEPLOY / 'grafana' / 'generate.py'
TEXT = (DEPLOY / 'grafana' / 'recloser.json').read_text()
DASHBOARD = json.loads(TEXT)
SCHEMA = json.loads((pathlib.Path(__file__).parent / 'dashboard_schema.json').read_text())
PANELS = [panel for panel in DASHBOARD['panels'] if panel['type'] != 'row']


def queries():
    """Pairs of where and what, of all queries; and legends."""
    for panel in PANELS:
        for target in panel['targets']:
            yield '%s, %s' % (panel['title'], target['refId']), target['expr'], target['legendFormat']
    for annotation in DASHBOARD['annotations']['list']:
        yield annotation['name'], annotation['expr'], annotation['textFormat']


def as_prometheus_sees(expr):
    return re.sub(r'\$\w+', '.*', expr.replace('$__rate_interval', '1m'))


class DashboardTest(unittest.TestCase):
    def test_is_what_the_generator_makes(self):
        made = subprocess.run([sys.executable, '-B', str(GENERATOR), '--print'], stdout=subprocess.PIPE, text=True, timeout=60,
                              check=True).stdout
        self.assertEqual(made, TEXT, 'run deploy/grafana/generate.py')

    def test_has_the_form_that_grafana_reads(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)
        errors = ['%s: %s' % (list(error.path), error.message) for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(DASHBOARD)]
        self.assertEqual(errors, [])

    def test_has_its_rows(self):
        rows = [panel['title'] for panel in DASHBOARD['panels'] if panel['type'] == 'row']
        self.assertEqual(rows, ['Is it hurting?', 'Breaker', 'Retry', 'Deadlines', 'The library itself'])

    def test_panels_have_numbers_of_their_own_and_do_not_overlap(self):
        ids = [panel['id'] for panel in DASHBOARD['panels']]
        self.assertEqual(len(ids), len(set(ids)))
        taken = set()
        for panel in DASHBOARD['panels']:
            place = panel['gridPos']
            cells = {(x, y) for x in range(place['x'], place['x'] + place['w']) for y in range(place['y'], place['y'] + place['h'])}
            self.assertFalse(cells & taken, panel['title'])
            self.assertLessEqual(place['x'] + place['w'], 24, panel['title'])
            taken |= cells

    def test_names_labels_and_values_are_those_of_the_table(self):
        for where, expr, _ in queries():
            self.assertEqual(list(breaches(as_prometheus_sees(expr))), [], where)

    def test_every_query_follows_the_variables(self):
        variables = {variable['name'] for variable in DASHBOARD['templating']['list']} - {'datasource'}
        for where, expr, _ in queries():
            self.assertLessEqual(set(re.findall(r'\$(\w+)', expr)) - {'__rate_interval'}, variables, where)
            for series, matchers in promql.selectors(expr):
                wanted = {variable for variable in variables if variable in labels(series)}
                followed = {label for label, operator, value in matchers if (operator, value) == ('=~', '$' + label)}
                self.assertLessEqual(wanted, followed, where)

    def test_legends_name_labels_that_the_result_has(self):
        for where, expr, legend in queries():
            kept = [set(grouping.labels) for grouping in promql.groupings(expr) if grouping.kind == 'by']
            known = set.union(*kept) if kept else SCRAPED.union(*map(labels, promql.metrics(expr)))
            self.assertLessEqual(set(re.findall(r'\{\{(\w+)\}\}', legend)), known, where)

    def test_counters_are_drawn_as_rates_but_for_those_that_must_stay_0(self):
        for where, expr, _ in queries():
            for series in promql.metrics(expr) - promql.counted(expr):
                metric = TABLE.get(series)
                if metric is not None and metric.type == 'counter':
                    self.assertRegex(where, '^Must stay 0', series)

    def test_no_metric_is_left_out(self):
        used = set().union(*(promql.metrics(expr) for _, expr, _ in queries()))
        self.assertEqual(set(TABLE) - {base(series) for series in used}, set())

    def test_prometheus_accepts_every_query(self):
        records = ['  - record: query_%d\n    expr: %s\n' % (i, json.dumps(as_prometheus_sees(expr)))
                   for i, (_, expr, _) in enumerate(queries())]
        content, said = promtool(args.promtool, 'check', 'rules', text='groups:\n- name: queries\n  rules:\n' + ''.join(records))
        self.assertTrue(content, said)
        self.assertIn('SUCCESS: %d rules found' % len(records), said)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--promtool', required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
