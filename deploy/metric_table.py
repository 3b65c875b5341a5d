"""The table of Recloser's metrics, for what is made from it or checked against it here.

It is read from docs/api.md, whose table the tests compare with the exporter's own (lib/prometheus), so it cannot drift from what a program
exports.

    table = metric_table.read()
    table['recloser_breaker_state'].labels        # ('target', 'grpc_service', 'grpc_method', 'state')
    table['recloser_breaker_state'].values        # {'state': ('closed', 'open', 'half_open', 'forced_open', 'disabled')}
    metric_table.of_series(table, 'recloser_call_duration_seconds_bucket').name  # 'recloser_call_duration_seconds'
"""
import collections
import pathlib
import re

API_PAGE = pathlib.Path(__file__).resolve().parent.parent / 'docs' / 'api.md'
ROW = re.compile(r'^\| `(recloser_\w+)` \| (counter|gauge|histogram) \| ([\w, ]*) \| (.*) \|$', re.MULTILINE)
# In the help text: "(state: closed, open; mode: enforce, shadow)".
VALUES = re.compile(r'[(;] ?(\w+): ([^:;()]+)(?=[;)])')

Metric = collections.namedtuple('Metric', 'name type labels help values')


def read(page=API_PAGE):
    """All metrics by name, in the page's order. `values`: of the labels whose help text lists them."""
    text = page.read_text().split('<!-- metrics: begin', 1)[1].split('<!-- metrics: end', 1)[0]
    table = {}
    for name, kind, labels, help_text in ROW.findall(text):
        labels = tuple(label for label in labels.split(', ') if label)
        values = {label: tuple(items.split(', ')) for label, items in VALUES.findall(help_text) if label in labels}
        table[name] = Metric(name, kind, labels, help_text, values)
    if not table:
        raise ValueError('%s: no table of metrics' % page)
    return table


def of_series(table, series):
    """The metric that a series belongs to: one of a histogram's three, or the metric's only one. None when there is none."""
    for ending in ('', '_bucket', '_sum', '_count'):
        metric = table.get(series.removesuffix(ending))
        if series.endswith(ending) and metric and (metric.type == 'histogram') == bool(ending):
            return metric
    return None
