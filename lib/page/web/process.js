// What belongs to the process and not to one breaker: retry budgets, problems, where the policies came from.
import {bar} from './charts.js';
import {h} from './dom.js';
import * as format from './format.js';

const table = (caption, columns, rows) => h('div', {class: 'scroll', 'data-key': caption},
  h('table', {}, h('caption', {}, caption),
    h('thead', {}, h('tr', {}, columns.map((text) => h('th', {scope: 'col'}, text)))),
    h('tbody', {}, rows)));

function budgets(list) {
  if (list.length === 0) return null;
  return table('Retry budgets', ['Channel', 'Tokens', ''], list.map(({target, tokens, max_tokens}) => h('tr', {},
    h('th', {scope: 'row'}, target),
    h('td', {}, `${format.number(tokens)} of ${format.number(max_tokens)}`,
      tokens <= max_tokens / 2 && h('strong', {class: 'worse'}, ' retries have stopped')),
    h('td', {class: 'gauge'}, bar(tokens / max_tokens, [{value: 0.5, look: 'opens'}])))));
}

function problems(list) {
  if (list.length === 0) return null;
  return table('Problems', ['When', 'What', 'Channel', 'Detail'], list.map((problem) => h('tr', {},
    h('td', {class: 'when'}, format.ago(problem.age_seconds), h('small', {}, format.clock(problem.unix_time_seconds, {date: true}))),
    h('td', {}, problem.kind.replaceAll('_', ' ')), h('td', {}, problem.target), h('td', {}, problem.detail))));
}

function policies(list) {
  // By number: several sources may have one name.
  return list.map((source, i) => h('div', {'data-key': `policy ${i}`, class: source.last_error ? 'callout bad' : 'callout'},
    h('h3', {}, 'Policies'),
    h('p', {}, 'From ', h('b', {}, source.name), source.hash && [', content ', h('code', {}, source.hash)],
      `, generation ${format.count(source.generation)}. Updates: ${format.count(source.applied)} applied, ` +
      `${format.count(source.unchanged)} unchanged, ${format.count(source.refused)} refused.`),
    source.last_error && h('p', {}, h('strong', {class: 'worse'}, 'The latest update was refused, the policies before it are in force: '),
      source.last_error),
    source.text && h('details', {}, h('summary', {}, 'Policies in force'), h('pre', {tabindex: 0}, source.text))));
}

function faults(status) {
  const text = [[status.listener_errors, 'exceptions were thrown by observers and hooks of the application'],
                [status.breakers_refused, 'breakers were not made because there are too many']]
      .filter(([count]) => count > 0).map(([count, what]) => h('li', {}, `${format.count(count)} ${what}`));
  return text.length > 0 && h('div', {class: 'callout bad', 'data-key': 'faults'}, h('h3', {}, 'Should not be'), h('ul', {}, text));
}

export const process = (status) => [faults(status), problems(status.problems), budgets(status.retry_budgets), policies(status.policy_sources)];
