// The recent changes of state, each with its sentence and its numbers.
import {h} from './dom.js';
import * as format from './format.js';
import {badge} from './overview.js';

const kShares = new Set(['failure_rate', 'slow_call_rate', 'failure_rate_threshold', 'slow_call_rate_threshold', 'admitted_share', 'ramp_share']);
const kScores = new Set(['rating', 'open_threshold', 'close_threshold']);
const kTold = new Set(['unix_time_seconds', 'age_seconds', 'from', 'to', 'reason', 'explanation', 'scores']);

/** "seconds_in_from" as "in from". */
const label = (name) => name.replace(/^seconds_|_seconds$/g, '').replaceAll('_', ' ');

function value(name, of) {
  if (/^seconds_|_seconds$/.test(name)) return format.duration(of);
  if (kShares.has(name)) return format.share(of);
  return kScores.has(name) ? format.score(of) : format.number(of);
}

/** Every number that the decision used, whatever there is. */
function numbers(transition) {
  const own = Object.entries(transition).filter(([name]) => !kTold.has(name)).map(([name, of]) => [label(name), value(name, of)]);
  const scores = Object.entries(transition.scores).map(([metric, of]) => [`score of ${metric}`, format.score(of)]);
  return h('dl', {class: 'figures small'}, [...own, ...scores].map(([name, of]) => h('div', {}, h('dt', {}, name), h('dd', {}, of))));
}

function row(transition) {
  return h('tr', {'data-key': `${transition.generation} ${transition.unix_time_seconds}`},
    h('td', {class: 'when'}, format.ago(transition.age_seconds), h('small', {}, format.clock(transition.unix_time_seconds))),
    h('td', {class: 'change'}, badge(transition.from), h('span', {class: 'faint'}, ' to '), badge(transition.to)),
    h('td', {}, h('details', {}, h('summary', {}, transition.explanation), numbers(transition))));
}

export function transitions(breaker) {
  const list = breaker.transitions;
  return h('div', {'data-key': 'transitions', class: 'scroll list', role: 'region', 'aria-label': 'Recent transitions', tabindex: 0},
    h('table', {class: 'transitions'},
      h('caption', {}, 'Recent transitions'),
      list.length > 0 && h('thead', {}, h('tr', {}, ['When', 'Change', 'Why, and the numbers'].map((text) => h('th', {scope: 'col'}, text)))),
      h('tbody', {}, list.length > 0 ? list.map(row) : h('tr', {}, h('td', {class: 'empty'}, 'None since the page was started.')))));
}
