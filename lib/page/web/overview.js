// The table of all breakers, those that need a look first.
import {bar, sparkline} from './charts.js';
import {breakerKey} from './course.js';
import {h} from './dom.js';
import * as format from './format.js';

const kUrgency = ['open', 'half_open', 'forced_open', 'disabled', 'closed'];

/** Open ones first, then by name: an order that does not jump about with the numbers. */
export function sorted(breakers) {
  const urgency = (breaker) => kUrgency.indexOf(breaker.state);
  return [...breakers].sort((a, b) => urgency(a) - urgency(b));
}

export const badge = (state) => h('span', {class: `badge ${state}`}, h('i', {}), format.stateName(state));

export function levels(breaker) {
  return [{value: breaker.open_threshold, look: 'opens'}, {value: breaker.close_threshold, look: 'closes'}]
      .filter(({value}) => value !== undefined);
}

/** The name with the part that tells methods apart in front of the rest. */
function splitName(name) {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? [name, ''] : [name.slice(slash + 1), name.slice(0, slash)];
}

const state = (breaker) => [badge(breaker.state), breaker.mode === 'shadow' && h('small', {}, 'shadow')];

/** The rating, or what a breaker without one judges by. */
const judgement = (breaker) => (breaker.rating === undefined && breaker.failure_rate !== undefined ?
  h('td', {class: 'rating'}, `${format.share(breaker.failure_rate)} failed`) :
  h('td', {class: 'rating'}, h('span', {}, format.score(breaker.rating)), bar(breaker.rating, levels(breaker), breaker.state)));

function row(breaker, {course, selected, uptime}) {
  const key = breakerKey(breaker);
  const [method, service] = splitName(breaker.name);
  const {from, to} = course.range(uptime);
  return h('tr', {'data-key': key, class: selected ? 'selected' : ''},
    h('td', {class: 'wide'}, state(breaker)),
    h('th', {scope: 'row'}, h('span', {class: 'narrow'}, state(breaker)),
      h('a', {href: `#${encodeURIComponent(key)}`, 'aria-current': selected && 'true'}, method),
      h('small', {}, service && `${service} \u00b7 `, breaker.target)),
    judgement(breaker),
    h('td', {class: 'roomy'}, sparkline(course.points(key, 'rating'), course.restricted(key), from, to)),
    h('td', {class: 'number'}, format.rate(breaker.offered_rate)),
    h('td', {class: 'number wide'}, format.share(breaker.admitted_share)),
    h('td', {class: 'number wide'}, format.rate(course.latest(key, 'rejected_rate'))),
    h('td', {class: 'number roomy'}, format.duration(breaker.healthy_latency_seconds)),
    h('td', {class: 'wide'}, format.duration(Math.floor(breaker.seconds_in_state) || breaker.seconds_in_state)));
}

/** `matches`: which to show, by the reader's filter. */
export function overview(breakers, matches, context) {
  if (breakers.length === 0) return h('p', {class: 'empty'}, 'No breakers yet: the first call of a method makes one.');
  const rows = sorted(breakers).filter(matches);
  if (rows.length === 0) return h('p', {class: 'empty'}, `None of ${breakers.length} breakers matches the filter.`);
  const {from, to} = context.course.range(context.uptime);
  const column = (text, look, title) => h('th', {scope: 'col', class: look, title}, text);
  return h('table', {class: 'overview'},
    h('thead', {}, h('tr', {},
      column('State', 'wide'), column('Method'), column('Rating', '', '1 = healthy; marks: where it opens and where it closes'),
      column('Course', 'roomy', `The rating over the last ${format.duration(to - from)}`),
      column('Offered /s', 'number', 'Attempts asked for, admitted or not'), column('Admitted', 'number wide'),
      column('Rejected /s', 'number wide'), column('Healthy latency', 'number roomy', 'What the service usually takes'),
      column('For', 'wide', 'How long it has been in this state'))),
    h('tbody', {}, rows.map((breaker) => row(breaker, {...context, selected: breakerKey(breaker) === context.selected}))));
}

/** "1 open · 4 closed". */
export function tally(breakers) {
  return kUrgency.map((state) => [state, breakers.filter((breaker) => breaker.state === state).length])
      .filter(([, count]) => count > 0)
      .map(([state, count]) => h('span', {class: `badge ${state}`}, h('i', {}), `${count} ${format.stateName(state)}`));
}
