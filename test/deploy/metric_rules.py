"""What a query on Recloser's metrics must keep: names, labels and values are those of the table, and what is counted is read as a rate."""
import pathlib
import subprocess
import sys
import tempfile

import promql

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEPLOY = ROOT / 'deploy'
sys.path.insert(0, str(DEPLOY))
import metric_table  # noqa: E402  (a folder that is no package)

TABLE = metric_table.read()
SCRAPED = {'job', 'instance'}  # labels that Prometheus adds
PROMETHEUS_OWN = {'scrape_duration_seconds', 'scrape_samples_scraped', 'up'}
GRPC_CODES = set('OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED '
                 'FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split())


def base(series):
    """The name in the table of a series; None when there is none."""
    metric = metric_table.of_series(TABLE, series)
    return metric and metric.name


def labels(series):
    name = base(series)
    return SCRAPED | (set(TABLE[name].labels) if name else set()) | ({'le'} if series.endswith('_bucket') else set())


def values(name, label):
    if label == 'grpc_code':
        return GRPC_CODES
    if label in ('from', 'to'):
        return values('recloser_breaker_state', 'state')
    return set(TABLE[name].values.get(label, ()))


def check_matchers(series, matchers):
    for label, operator, value in matchers:
        if label not in labels(series):
            yield '%s has no label %s' % (series, label)
        elif base(series) and not value.startswith('$'):
            known = values(base(series), label)
            for each in value.split('|') if '~' in operator else [value]:
                if known and each not in known:
                    yield '%s is never %s="%s"; there are %s' % (series, label, each, sorted(known))


def breaches(expr):
    """What is wrong with a query, in sentences."""
    used = promql.metrics(expr)
    for series in sorted(used - PROMETHEUS_OWN):
        if base(series) is None:
            yield '%s is not in the table of metrics' % series
    for series, matchers in promql.selectors(expr):
        yield from check_matchers(series, matchers)
    known = set().union(*map(labels, used)) if used else set()
    for grouping in promql.groupings(expr):
        for label in grouping.labels:
            if label not in known:
                yield 'no metric of the query has the label %s' % label
    for series in promql.counted(expr):
        if base(series) and TABLE[base(series)].type == 'gauge':
            yield '%s is a gauge: it has no rate' % series


def promtool(tool, *arguments, text=None, folder=None):
    """Runs promtool; `text` becomes a file whose name is the last argument. Returns whether it was content, and what it said."""
    with tempfile.TemporaryDirectory() as own:
        if text is not None:
            file = pathlib.Path(own) / 'rules.yml'
            file.write_text(text)
            arguments = (*arguments, str(file))
        done = subprocess.run([tool, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode == 0, done.stdout
