"""What the dashboard shows: rows of panels, each with its queries. `generate.py` makes Grafana's JSON of it.

In a query `@name{matchers}` stands for the metric recloser_name, with a matcher for each of the dashboard's variables whose label the
metric has; a name that is not in the table of metrics is an error.
"""
import collections

# `unit`: Grafana's. `limits`: of the axis. `dashed`: a regular expression on legends that are limits, not values.
Panel = collections.namedtuple('Panel', 'title description queries unit kind stacked limits dashed',
                               defaults=('short', 'timeseries', False, (0, None), None))
Query = collections.namedtuple('Query', 'expr legend')

VARIABLES = ('job', 'instance', 'target', 'grpc_service', 'grpc_method')
STATES = (('closed', 'green'), ('half_open', 'yellow'), ('open', 'red'), ('forced_open', 'purple'), ('disabled', 'blue'))

METHOD = '{{grpc_method}}'
BREAKER = '{{grpc_method}} of {{instance}}'
RATE = '[$__rate_interval]'


def quantiles(metric):
    return [Query('histogram_quantile(%g, sum by (le, grpc_method) (rate(@%s_bucket%s)))' % (q, metric, RATE), 'p%g ' % (q * 100) + METHOD)
            for q in (0.5, 0.95, 0.99)]


def per_second(metric, by, legend):
    return Query('sum by (%s) (rate(@%s%s))' % (by, metric, RATE), legend)


def share(part, whole, by, legend):
    return Query('sum by (%s) (rate(@%s%s)) / sum by (%s) (rate(@%s%s))' % (by, part, RATE, by, whole, RATE), legend)


# The states as numbers, for the timeline: 0 closed, 1 half_open, ...
STATE_NUMBER = 'sum without (state) (%s)' % ' or '.join('%d * @breaker_state{state="%s"}' % (number, name)
                                                        for number, (name, _) in enumerate(STATES))

ROWS = [
    ('Is it hurting?', [
        Panel('Success of calls and of attempts',
              'Of calls: what the application sees; of attempts: what the service delivers. The distance is what retries are worth.',
              [share('calls_handled_total{grpc_code="OK"}', 'calls_handled_total', 'grpc_method', 'calls ' + METHOD),
               share('attempts_handled_total{grpc_code="OK"}', 'attempts_handled_total', 'grpc_method', 'attempts ' + METHOD)],
              'percentunit', limits=(0, 1)),
        Panel('Duration of calls', 'All attempts and waits included.', quantiles('call_duration_seconds'), 's'),
        Panel('Rejections', 'Attempts that the breaker turned away; mode shadow: would have.',
              [per_second('breaker_rejected_total', 'grpc_method, mode', METHOD + ' {{mode}}')], 'ops'),
        Panel('Calls', 'Logical calls that the application starts, and those that end badly, by code and by who made the status.',
              [per_second('calls_started_total', 'grpc_method', METHOD),
               per_second('calls_handled_total{grpc_code!="OK"}', 'grpc_code, origin', '{{grpc_code}} ({{origin}})')], 'ops'),
        Panel('Attempts by outcome', 'On the wire, as the breaker counts them.',
              [per_second('attempts_handled_total', 'outcome', '{{outcome}}')], 'ops', stacked=True),
        Panel('Would enforcing pay?',
              'Shadow mode: what the shadow would have refused, of attempts that ended well and badly; and how often it agrees.',
              [per_second('shadow_results_total{decision="reject"}', 'grpc_method, result', METHOD + ' would refuse {{result}}'),
               per_second('shadow_decisions_total', 'agreement', '{{agreement}}')], 'ops'),
    ]),
    ('Breaker', [
        Panel('State', 'Closed, half open (the ramp), open; by hand: forced open, disabled. Transitions are marked in all panels.',
              [Query(STATE_NUMBER, BREAKER)], 'none', 'state-timeline'),
        Panel('Rating and its thresholds', 'Opens at or below the lower line; a ramp goes on at or above the upper one. 1 = healthy.',
              [Query('@breaker_rating_ratio', BREAKER),
               Query('min by (edge) (@breaker_threshold_ratio)', 'threshold {{edge}}')],
              'percentunit', limits=(0, 1), dashed='threshold.*'),
        Panel('Parts of the rating, weighted', 'Score times weight of each metric; together the rating, where all are known.',
              [Query('avg by (metric) (@breaker_metric_score_ratio * @breaker_metric_weight_ratio)', '{{metric}}')],
              'percentunit', stacked=True, limits=(0, 1)),
        Panel('Window', 'How many attempts, and the age of the oldest.',
              [Query('@breaker_window_calls', 'attempts ' + BREAKER), Query('@breaker_window_seconds', 'seconds ' + BREAKER)]),
        Panel('Offered load', 'Attempts asked for per second, admitted or not; the window follows it.',
              [Query('@breaker_offered_rate', BREAKER)], 'ops'),
        Panel('Admitted share', '1 closed, 0 open, between on the ramp.', [Query('@breaker_admitted_ratio', BREAKER)], 'percentunit',
              limits=(0, 1)),
        Panel('Probes', 'How the attempts ended that were let through while open.',
              [per_second('breaker_probes_total', 'grpc_method, result', METHOD + ' {{result}}')], 'ops'),
        Panel('Time in state', 'Share of the time, exact: between two scrapes nothing is lost.',
              [Query('avg by (state) (rate(@breaker_time_in_state_seconds_total%s))' % RATE, '{{state}}')], 'percentunit', stacked=True,
              limits=(0, 1)),
        Panel('How long it stays open', 'Each time, seen when it ends.', quantiles('breaker_open_duration_seconds'), 's'),
        Panel('Since the last change of state', '', [Query('time() - @breaker_last_transition_timestamp_seconds', BREAKER)], 's'),
    ]),
    ('Retry', [
        Panel('Amplification', 'Attempts per call. The alert is at 1.25.',
              [share('attempts_started_total', 'calls_started_total', 'grpc_method', METHOD)], limits=(1, None)),
        Panel('Retries', 'By why they were made and how they ended.',
              [per_second('retries_total', 'reason, result', '{{reason}}: {{result}}')], 'ops'),
        Panel('Why there was no retry', 'Failed calls that got no further attempt.',
              [per_second('retries_suppressed_total', 'why', '{{why}}')], 'ops', stacked=True),
        Panel('Budget', 'Tokens. Retries stop at half of the size.',
              [Query('@retry_budget_tokens', '{{target}} of {{instance}}'),
               Query('max by (target) (@retry_budget_max_tokens)', 'limit: size {{target}}'),
               Query('max by (target) (@retry_budget_max_tokens) / 2', 'limit: retries stop {{target}}')], dashed='limit.*'),
        Panel('Waits before retries', '', quantiles('retry_backoff_seconds'), 's'),
    ]),
    ('Deadlines', [
        Panel('Who gave up', 'Deadlines that passed: of a call or an attempt, set by the policy or by the caller.',
              [per_second('timeouts_total', 'scope, source', '{{scope}}, set by {{source}}')], 'ops'),
        Panel('Attempts with too little time', 'DEADLINE_EXCEEDED sooner than the service usually answers; the alert is at 5 %.',
              [share('attempts_handled_total{grpc_code="DEADLINE_EXCEEDED",outcome="ignored"}', 'attempts_started_total', 'grpc_method',
                     METHOD)], 'percentunit'),
        Panel('Duration of attempts', 'The p99 by outcome: how much time is lost to failures.',
              [Query('histogram_quantile(0.99, sum by (le, outcome) (rate(@attempt_duration_seconds_bucket%s)))' % RATE,
                     '{{outcome}}')], 's'),
    ]),
    ('The library itself', [
        Panel('In flight', 'All return to 0 when nothing is called. Permits without attempts are leaks.',
              [Query('sum by (instance) (@calls_in_flight)', 'calls {{instance}}'),
               Query('sum by (instance) (@attempts_in_flight)', 'attempts {{instance}}'),
               Query('sum by (instance) (@breaker_permits_in_flight)', 'permits {{instance}}')]),
        Panel('Stale results', 'Results of an older generation: they changed nothing.',
              [per_second('breaker_stale_results_total', 'grpc_method', METHOD)], 'ops'),
        Panel('Configuration', 'Which policies each process runs. The generation grows with each update that was applied.',
              [Query('@config_info * on (job, instance, source) group_left () @config_generation', '{{instance}} {{source}} {{hash}}')],
              'none', 'table'),
        Panel('Updates of the configuration', '', [
            Query('sum by (source, result) (increase(@config_reloads_total%s))' % RATE, '{{source}} {{result}}'),
            Query('1 - @config_last_reload_successful', 'runs on older policies: {{instance}} {{source}}')]),
        Panel('Must stay 0', 'Since the process began. Each is explained in the guide.', [
            Query('sum by (instance) (@invariant_violations_total)', 'invariants broken {{instance}}'),
            Query('sum by (instance) (@clock_anomalies_total)', 'clock stepped back {{instance}}'),
            Query('@listener_errors_total', 'observers threw {{instance}}'),
            Query('@series_dropped_total', 'too many {{kind}}s {{instance}}'),
            Query('@problems_total', '{{kind}} {{instance}}')]),
        Panel('Scrapes', 'What the metrics themselves cost.', [
            Query('scrape_duration_seconds{job=~"$job",instance=~"$instance"}', '{{instance}}')], 's'),
        Panel('Series', '', [Query('scrape_samples_scraped{job=~"$job",instance=~"$instance"}', '{{instance}}')]),
    ]),
]

# A mark in all panels for each change of state; the legend is shown when pointed at.
TRANSITIONS = Query('sum by (instance, grpc_method, from, to, reason, mode) (increase(@breaker_transitions_total%s)) > 0' % RATE,
                    '{{grpc_method}} of {{instance}}: {{from}} to {{to}}, by {{reason}} ({{mode}})')
