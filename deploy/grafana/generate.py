#!/usr/bin/env python3
"""Makes recloser.json, the Grafana dashboard, of panels.py and the table of metrics.

    deploy/grafana/generate.py            # writes recloser.json beside itself
    deploy/grafana/generate.py --print    # on stdout
"""
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import metric_table  # noqa: E402  (two folders that are no packages)
import panels  # noqa: E402

SCHEMA_VERSION = 38  # of Grafana 10; later ones migrate it when they load it
DATASOURCE = {'type': 'prometheus', 'uid': '${datasource}'}
COLUMNS = 24
WIDTH = 8
HEIGHT = 8

TABLE = metric_table.read()


def metric(series):
    found = metric_table.of_series(TABLE, series)
    if found is None:
        raise KeyError('%s is not in the table of metrics' % series)
    return found


def expand(expr):
    """`@name{matchers}` with the metric's whole name and a matcher for each variable that it has a label for."""
    def selector(match):
        name = 'recloser_' + match.group(1)
        labels = ('job', 'instance', *metric(name).labels)
        matchers = ['%s=~"$%s"' % (variable, variable) for variable in panels.VARIABLES if variable in labels]
        return '%s{%s}' % (name, ','.join(matchers + [matcher for matcher in [match.group(2)] if matcher]))
    return re.sub(r'@(\w+)(?:\{([^}]*)\})?', selector, expr)


def targets(panel):
    return [{'refId': chr(ord('A') + i), 'datasource': DATASOURCE, 'editorMode': 'code', 'expr': expand(query.expr),
             'legendFormat': query.legend, 'range': panel.kind != 'table', 'instant': panel.kind == 'table',
             'format': 'table' if panel.kind == 'table' else 'time_series'} for i, query in enumerate(panel.queries)]


def field_config(panel):
    low, high = panel.limits
    defaults = {'unit': panel.unit, 'custom': {}}
    overrides = []
    if panel.kind == 'state-timeline':
        names = {str(number): {'text': name, 'color': color, 'index': number} for number, (name, color) in enumerate(panels.STATES)}
        defaults.update(mappings=[{'type': 'value', 'options': names}], custom={'fillOpacity': 80, 'lineWidth': 0})
    elif panel.kind == 'timeseries':
        defaults.update({'min': low} if high is None else {'min': low, 'max': high})
        defaults['custom'] = {'drawStyle': 'line', 'lineWidth': 1, 'fillOpacity': 30 if panel.stacked else 0, 'showPoints': 'never',
                              'stacking': {'mode': 'normal' if panel.stacked else 'none', 'group': 'A'}}
    if panel.dashed:
        overrides.append({'matcher': {'id': 'byRegexp', 'options': panel.dashed},
                          'properties': [{'id': 'custom.lineStyle', 'value': {'fill': 'dash', 'dash': [10, 10]}},
                                         {'id': 'color', 'value': {'mode': 'fixed', 'fixedColor': 'orange'}}]})
    return {'defaults': defaults, 'overrides': overrides}


def options(panel):
    if panel.kind == 'table':
        return {'showHeader': True}
    shown = {'legend': {'displayMode': 'list', 'placement': 'bottom', 'showLegend': True}, 'tooltip': {'mode': 'multi', 'sort': 'desc'}}
    if panel.kind == 'state-timeline':
        shown.update(mergeValues=True, showValue='auto', rowHeight=0.9)
    return shown


def draw(panel, number, x, y):
    drawn = {'id': number, 'type': panel.kind, 'title': panel.title, 'description': panel.description, 'datasource': DATASOURCE,
             'gridPos': {'x': x, 'y': y, 'w': WIDTH, 'h': HEIGHT}, 'targets': targets(panel), 'fieldConfig': field_config(panel),
             'options': options(panel)}
    if panel.kind == 'table':  # a row for each series, a column for each label
        drawn['transformations'] = [{'id': 'organize', 'options': {'excludeByName': {'Time': True, '__name__': True, 'job': True},
                                                                   'renameByName': {'Value': 'generation'}}}]
    return drawn


def layout():
    drawn = []
    y = 0
    for title, row in panels.ROWS:
        drawn.append({'id': len(drawn) + 1, 'type': 'row', 'title': title, 'collapsed': False, 'panels': [],
                      'gridPos': {'x': 0, 'y': y, 'w': COLUMNS, 'h': 1}})
        y += 1
        for i, panel in enumerate(row):
            drawn.append(draw(panel, len(drawn) + 1, i * WIDTH % COLUMNS, y + i * WIDTH // COLUMNS * HEIGHT))
        y += -(-len(row) * WIDTH // COLUMNS) * HEIGHT
    return drawn


def variable(name):
    query = {'query': 'label_values(recloser_breaker_state, %s)' % name, 'refId': 'variable'}
    return {'name': name, 'label': name, 'type': 'query', 'datasource': DATASOURCE, 'query': query, 'definition': query['query'],
            'refresh': 2, 'includeAll': True, 'allValue': '.*', 'multi': True, 'sort': 1, 'hide': 0,
            'current': {'selected': True, 'text': ['All'], 'value': ['$__all']}}


def dashboard():
    transitions = {'name': 'Transitions', 'enable': True, 'iconColor': 'orange', 'datasource': DATASOURCE,
                   'expr': expand(panels.TRANSITIONS.expr), 'step': '15s', 'titleFormat': 'Breaker',
                   'textFormat': panels.TRANSITIONS.legend}
    source = {'name': 'datasource', 'label': 'Prometheus', 'type': 'datasource', 'query': 'prometheus', 'hide': 0, 'current': {}}
    return {'uid': 'recloser', 'title': 'Recloser', 'description': 'Deadlines, retries and circuit breakers of gRPC clients.',
            'tags': ['grpc', 'recloser'], 'schemaVersion': SCHEMA_VERSION, 'version': 1, 'editable': True, 'graphTooltip': 1,
            'timezone': 'browser', 'refresh': '10s', 'time': {'from': 'now-30m', 'to': 'now'},
            'templating': {'list': [source, *map(variable, panels.VARIABLES)]}, 'annotations': {'list': [transitions]}, 'links': [],
            'panels': layout()}


def main():
    text = json.dumps(dashboard(), indent=1) + '\n'
    if '--print' in sys.argv[1:]:
        sys.stdout.write(text)
    else:
        (FOLDER / 'recloser.json').write_text(text)


if __name__ == '__main__':
    main()
