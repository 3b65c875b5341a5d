// Asks the process for its status each second and shows it.
import {placeInChart} from './charts.js';
import {Course, breakerKey} from './course.js';
import {connectControls} from './controls.js';
import {detail} from './detail.js';
import {show} from './dom.js';
import * as format from './format.js';
import {overview, sorted, tally} from './overview.js';
import {process} from './process.js';

const kPeriodMs = 1000;
const kTimeoutMs = 5000;
/** A process that takes long to answer is asked less often: it is at it for a quarter of the time at most. */
const kShareMax = 0.25;
const kFilterFrom = 8;  // breakers

const element = (id) => document.getElementById(id);
const course = new Course();
let status = null;
let heardAt = performance.now();
let failed = false;
let pointed = null;
let chosen = null;  // the key of the breaker that is shown when the address names none: it stays, whatever happens to the others

async function ask(path) {
  const response = await fetch(path, {signal: AbortSignal.timeout(kTimeoutMs), cache: 'no-store'});
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** The breaker that the address names. */
function addressed() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';  // not of our making
  }
}

function selected(of = status) {
  const find = (key) => of.breakers.find((breaker) => breakerKey(breaker) === key);
  const breaker = find(addressed()) ?? find(chosen) ?? sorted(of.breakers)[0];
  chosen = breaker && breakerKey(breaker);
  return breaker;
}

/** `brief` with the transitions and options of the selected breaker. */
async function complete(brief) {
  const breaker = selected(brief);
  if (!breaker) return brief;
  const key = breakerKey(breaker);
  const [whole] = (await ask(`status.json?breaker=${encodeURIComponent(key)}`)).breakers;
  return {...brief, breakers: brief.breakers.map((one) => (whole && breakerKey(one) === key ? whole : one))};
}

function matches(breaker) {
  const words = element('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${breaker.name} ${breaker.target} ${format.stateName(breaker.state)} ${breaker.mode}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function render() {
  if (status === null) return;
  const breaker = selected();
  const context = {course, uptime: status.uptime_seconds, at: pointed, selected: breaker && breakerKey(breaker)};
  const open = status.breakers.filter(({state}) => state === 'open').length;
  document.title = `${open > 0 ? `${open} open \u00b7 ` : ''}Recloser${status.title ? ` \u00b7 ${status.title}` : ''}`;
  show(element('title'), status.title);
  show(element('tally'), tally(status.breakers));
  show(element('overview'), overview(status.breakers, matches, context));
  show(element('detail'), breaker ? detail(breaker, context) : []);
  show(element('process'), process(status));
  element('filter-label').hidden = status.breakers.length < kFilterFrom && element('filter').value === '';
  element('controls').hidden = !status.controls || !breaker;
}

function renderLive() {
  document.body.classList.toggle('stale', failed);
  const age = (performance.now() - heardAt) / 1000;
  const text = failed ? `No answer for ${format.duration(Math.max(1, Math.round(age)))}; these figures are old` : 'Live';
  if (element('live').textContent !== text) element('live').textContent = text;
}

async function poll() {
  const began = performance.now();
  try {
    const [newStatus, newCourse] = await Promise.all([ask('status.json?brief'), ask(`course.json?since=${course.next}`)]);
    status = await complete(newStatus);
    course.add(newCourse);
    heardAt = performance.now();
    failed = false;
  } catch {
    failed = true;
  }
  renderLive();
  if (!failed) render();
  const took = performance.now() - began;
  setTimeout(poll, failed ? kPeriodMs : Math.max(kPeriodMs - took, took / kShareMax - took));
}

window.addEventListener('resize', render);
window.addEventListener('hashchange', async () => {
  status = await complete(status).catch(() => status);  // the next poll tells what is wrong
  render();
  if (element('detail').getBoundingClientRect().top > window.innerHeight * 0.7) element('detail').scrollIntoView();
});
element('filter').addEventListener('input', render);
// A row is as good as the link in it.
element('overview').addEventListener('click', (event) => {
  if (!event.target.closest('a')) event.target.closest('tr')?.querySelector('a')?.click();
});
element('detail').addEventListener('pointermove', (event) => {
  const svg = event.target.closest('.chart svg');
  const place = svg ? placeInChart(svg, event.clientX) : null;
  if (place === pointed) return;
  pointed = place;
  render();
});
element('detail').addEventListener('pointerleave', () => {
  pointed = null;
  render();
});
connectControls(() => status && selected());
poll();
