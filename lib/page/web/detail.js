// One breaker with all its numbers.
import {bar, chart} from './charts.js';
import {breakerKey, spans} from './course.js';
import {h} from './dom.js';
import * as format from './format.js';
import {badge, levels} from './overview.js';
import {transitions} from './transitions.js';

/** What the state means for a call that comes now. */
function meaning(breaker) {
  const since = format.duration(breaker.seconds_in_state);
  const next = breaker.retry_after_seconds > 0 ? `the next in ${format.duration(breaker.retry_after_seconds)}` : 'the next call is one';
  const says = {
    closed: `All attempts are admitted, for ${since} now.`,
    open: `Only probes are admitted, for ${since} now; ${next}.`,
    half_open: `The service answers again: ${format.share(breaker.admitted_share)} of the attempts are admitted, more as they succeed.`,
    forced_open: `Forced open by hand ${since} ago: nothing is admitted until it is reset.`,
    disabled: `Disabled by hand ${since} ago: everything is admitted and nothing is learnt until it is reset.`,
  }[breaker.state];
  if (breaker.mode !== 'shadow') return says;
  return `Shadow mode: nothing is blocked. If it were enforced: ${says[0].toLowerCase()}${says.slice(1)}`;
}

function charts(breaker, {course, at, uptime}) {
  if (!(course.lengthSeconds > 0)) return null;
  const key = breakerKey(breaker);
  const {from, to} = course.range(uptime);
  // The status is a little younger than the last sample; what it tells is drawn up to there.
  const aged = {...breaker, transitions: breaker.transitions.map((t) => ({...t, age_seconds: t.age_seconds - (uptime - to)}))};
  const common = {spans: spans(aged, from, to), from, to, at};
  const points = (name) => course.points(key, name);
  const lines = levels(breaker).map(({value, look}) => ({value, look, label: `${look} at ${format.score(value)}`}));
  return [
    h('div', {class: 'charts', 'data-key': 'charts'},
      chart({...common, key: 'rating', title: 'Rating', points: points('rating'), lines, top: 1, show: format.score}),
      chart({...common, key: 'offered', title: 'Offered', unit: 'attempts per second', points: points('offered_rate'), show: format.rate}),
      chart({...common, key: 'admitted', title: 'Admitted', points: points('admitted_share'), top: 1, show: format.share}),
      chart({...common, key: 'rejected', title: breaker.mode === 'shadow' ? 'Would reject' : 'Rejected', unit: 'attempts per second',
             points: points('rejected_rate'), show: format.rate})),
    h('p', {class: 'legend', 'data-key': 'bands'},
      ['open', 'half_open', 'forced_open', 'disabled'].filter((state) => common.spans.some((span) => span.state === state))
          .map((state) => h('span', {}, h('i', {class: `key band ${state}`}), format.stateName(state)))),
  ];
}

/** The rating as the convex combination that it is. */
function rating(breaker) {
  if (breaker.metrics.length === 0) return null;
  const known = breaker.metrics.filter((metric) => metric.score !== undefined);
  return h('div', {'data-key': 'rating', class: 'scroll'},
    h('table', {},
      h('caption', {}, 'How the rating is made'),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Metric'), ...['Score', 'Weight', 'Score \u00d7 weight'].map((text) =>
        h('th', {scope: 'col', class: 'number'}, text)), h('td', {class: 'wide'}))),
      h('tbody', {}, breaker.metrics.map((metric) => h('tr', {},
        h('th', {scope: 'row'}, metric.name), h('td', {class: 'number'}, metric.score === undefined ? 'unknown' : format.score(metric.score)),
        h('td', {class: 'number'}, format.score(metric.weight)), h('td', {class: 'number'}, format.score(metric.contribution)),
        h('td', {class: 'wide gauge'}, bar(metric.score)))),
      h('tr', {class: 'sum'}, h('th', {scope: 'row'}, 'Rating'), h('td', {class: 'number', colspan: 3}, format.score(breaker.rating)),
        h('td', {class: 'wide gauge'}, bar(breaker.rating, levels(breaker), breaker.state))))),
    h('p', {class: 'note'},
      `Opens at ${format.score(breaker.open_threshold)} or below, closes at ${format.score(breaker.close_threshold)} or above.`,
      known.length > 0 && known.length < breaker.metrics.length && ' An unknown score is left out; the others weigh more.'));
}

const figure = (name, ...value) => h('div', {'data-key': name}, h('dt', {}, name), h('dd', {}, ...value));
/** A counter that should stay 0. */
const fault = (name, value) => figure(name, value > 0 ? h('strong', {class: 'worse'}, format.count(value)) : '0');

function figures(breaker) {
  const probes = breaker.probes;
  return h('dl', {class: 'figures', 'data-key': 'figures'},
    figure('Window', `${format.count(breaker.window_calls)} calls`, breaker.window_calls > 0 && h('small', {}, `over ${format.duration(breaker.window_seconds)}`)),
    breaker.offered_rate !== undefined && figure('Offered', `${format.rate(breaker.offered_rate)} /s`),
    figure('Admitted', format.share(breaker.admitted_share)),
    breaker.evidence !== undefined && figure('Evidence', `${format.number(breaker.evidence)} of ${format.number(breaker.evidence_limit)}`,
      bar(breaker.evidence / breaker.evidence_limit, [], 'open')),
    breaker.failure_rate !== undefined && figure('Failures', format.share(breaker.failure_rate)),
    breaker.slow_call_rate !== undefined && figure('Slow calls', format.share(breaker.slow_call_rate)),
    breaker.kind === 'adaptive' && figure('Healthy latency', format.duration(breaker.healthy_latency_seconds)),
    figure('Rejected', format.count(breaker.rejected)),
    figure('Probes', `${format.count(probes.success)} good, ${format.count(probes.failure)} bad`,
      h('small', {}, `${format.count(probes.ignored)} ignored, ${format.count(probes.lease_expired)} lost`)),
    figure('In flight', `${format.count(breaker.permits_in_flight)} permits`,
      h('small', {}, `${format.count(breaker.probes_in_flight)} probes`)),
    figure('Stale results', format.count(breaker.stale_results)),
    figure('Leases expired', format.count(breaker.leases_expired)),
    fault('Clock steps', breaker.clock_anomalies),
    fault('Broken invariants', breaker.invariant_violations));
}

function timeInStates(breaker) {
  const spent = Object.entries(breaker.seconds_by_state).filter(([, seconds]) => seconds > 0);
  return h('p', {class: 'note', 'data-key': 'times'}, 'Time spent: ',
    spent.map(([state, seconds], i) => `${i > 0 ? ', ' : ''}${format.stateName(state)} ${format.duration(seconds)}`), '.');
}

function shadow(breaker) {
  if (!breaker.shadow) return null;
  const {explanation, both_admit, both_reject, only_shadow_rejects, only_enforced_rejects} = breaker.shadow;
  return h('div', {class: 'callout', 'data-key': 'shadow'}, h('h3', {}, 'Shadow'), h('p', {class: 'sentence'}, explanation),
    h('p', {class: 'note'}, `Decisions: both admit ${format.count(both_admit)}, both reject ${format.count(both_reject)}, only the shadow ` +
      `rejects ${format.count(only_shadow_rejects)}, only the enforced one rejects ${format.count(only_enforced_rejects)}.`));
}

const settings = (breaker) => h('details', {'data-key': 'settings'}, h('summary', {}, 'Options in force'),
  h('dl', {class: 'settings'}, breaker.settings.map(({name, value}) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));

export function detail(breaker, context) {
  return [
    h('h2', {'data-key': 'heading'}, h('span', {class: 'name'}, breaker.name), ' ', badge(breaker.state)),
    h('p', {class: 'faint', 'data-key': 'what'},
      `${breaker.target} \u00b7 ${breaker.kind} \u00b7 ${breaker.mode} \u00b7 generation ${format.count(breaker.generation)}`),
    h('p', {'data-key': 'meaning', class: 'meaning'}, meaning(breaker)),
    shadow(breaker),
    charts(breaker, context),
    h('div', {class: 'pair', 'data-key': 'pair'}, rating(breaker), h('div', {}, figures(breaker), timeInStates(breaker))),
    transitions(breaker),
    settings(breaker),
  ];
}
