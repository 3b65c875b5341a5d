// Pictures: the charts of one breaker, and the small ones in the table.
import {h, s} from './dom.js';
import * as format from './format.js';

const kHeight = 130;

/** One unit of a chart is about a pixel, so that its text is as large as the page's. */
function plot() {
  const width = Math.min(Math.max(document.documentElement.clientWidth - 44, 240), 520);
  return {width, left: 36, right: width - 6, top: 8, bottom: kHeight - 18};
}

/** 'M…L…' through the points, with gaps where the value is not known. */
function path(points, x, y) {
  let d = '';
  let drawing = false;
  for (const [time, value] of points) {
    if (!Number.isFinite(value)) {
      drawing = false;
      continue;
    }
    d += `${drawing ? 'L' : 'M'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
    drawing = true;
  }
  return d;
}

/** A round number, at least `value`. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= value * 0.999);
}

/** Round steps back from now: [seconds, label]. */
function timeTicks(length) {
  const step = [5, 10, 15, 30, 60, 120, 300, 600, 900].find((candidate) => length / candidate <= 5) ?? 1800;
  const ticks = [];
  for (let back = step; back < length * 0.98; back += step) {
    ticks.push([back, `\u2212${step < 60 ? `${back} s` : `${back / 60} min`}`]);
  }
  return ticks;
}

const bands = (spans, x, top, height) => spans.map((span) => {
  const from = x(span.from);
  return s('rect', {class: `band ${span.state}`, x: from.toFixed(1), y: top, width: Math.max(x(span.to) - from, 1.5).toFixed(1), height});
});

/**
 * One chart over time. `lines`: levels to draw, {value, look, label}; a chart without them is filled. `top`: upper end of the scale; absent: made
 * for the values. `at`: share of the width that the reader points to, or null.
 */
export function chart({key, title, unit, points, spans, from, to, lines = [], top, show, at}) {
  const {width, left, right, top: ceiling, bottom: floor} = plot();
  const shown = points.filter(([time]) => time >= from);
  const values = shown.map(([, value]) => value).filter(Number.isFinite);
  const max = top ?? roundUp(Math.max(...values, 1));
  const x = (time) => left + (right - left) * (time - from) / (to - from);
  const y = (value) => floor - (floor - ceiling) * Math.min(value, max) / max;
  const line = path(shown, x, y);
  const pointed = at === null ? undefined : nearest(shown, from + at * (to - from));
  const now = shown.at(-1)?.[1];
  const area = line && lines.length === 0 && shown.every(([, value]) => Number.isFinite(value)) &&
      `${line}L${x(shown.at(-1)[0]).toFixed(1)} ${floor}L${x(shown[0][0]).toFixed(1)} ${floor}Z`;
  const lowest = values.length ? `, lowest ${show(Math.min(...values))}, highest ${show(Math.max(...values))}` : '';
  return h('figure', {'data-key': key, class: 'chart'},
    h('figcaption', {}, h('b', {}, title), unit && h('span', {class: 'faint'}, ` ${unit}`),
      h('output', {}, pointed ? `${show(pointed[1])} \u00b7 ${format.ago(to - pointed[0])}` : show(now))),
    s('svg', {viewBox: `0 0 ${width} ${kHeight}`, role: 'img',
              'aria-label': `${title}${unit ? `, ${unit}` : ''}, over the last ${format.duration(to - from)}: now ${show(now)}${lowest}`},
      bands(spans, x, ceiling, floor - ceiling),
      [0, max / 2, max].map((value) => [
        s('path', {class: 'grid', d: `M${left} ${y(value)}H${right}`}),
        s('text', {class: 'label', x: left - 5, y: y(value) + 4, 'text-anchor': 'end'}, show(value)),
      ]),
      timeTicks(to - from).map(([back, label]) =>
        s('text', {class: 'label', x: x(to - back), y: kHeight - 4, 'text-anchor': 'middle'}, label)),
      s('text', {class: 'label', x: right, y: kHeight - 4, 'text-anchor': 'end'}, 'now'),
      area && s('path', {class: 'area', d: area}),
      lines.map(({value, look}) => s('path', {class: look, d: `M${left} ${y(value).toFixed(1)}H${right}`})),
      line && s('path', {class: 'line', d: line}),
      pointed && [s('path', {class: 'pointed', d: `M${x(pointed[0]).toFixed(1)} ${ceiling}V${floor}`}),
                  Number.isFinite(pointed[1]) && s('circle', {class: 'dot', cx: x(pointed[0]), cy: y(pointed[1]), r: 3.5})]),
    lines.length > 0 && h('p', {class: 'legend'}, lines.map(({look, label}) => h('span', {}, h('i', {class: `key ${look}`}), label))));
}

function nearest(points, time) {
  let best;
  for (const point of points) {
    if (!best || Math.abs(point[0] - time) < Math.abs(best[0] - time)) best = point;
  }
  return best;
}

/** The share of a chart's width that is at a pointer's place, or null beside the plot. */
export function placeInChart(svg, clientX) {
  const box = svg.getBoundingClientRect();
  const {width, left, right} = plot();
  const at = ((clientX - box.left) / box.width * width - left) / (right - left);
  return at >= 0 && at <= 1 ? at : null;
}

/** The rating's course, for a row of the table. */
export function sparkline(points, spans, from, to) {
  const x = (time) => 120 * (time - from) / (to - from);
  const y = (value) => 20 - 18 * value;
  return s('svg', {class: 'spark', viewBox: '0 0 120 22', width: 120, height: 22, 'aria-hidden': 'true'},
    bands(spans, x, 0, 22), s('path', {class: 'line', d: path(points, x, y)}));
}

/** A value between 0 and 1 as a bar, with the levels `ticks`, {value, look}. */
export function bar(value, ticks = [], look = '') {
  return s('svg', {class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
    s('rect', {class: 'track', width: 100, height: 10}),
    Number.isFinite(value) && s('rect', {class: `value ${look}`, width: (100 * Math.min(Math.max(value, 0), 1)).toFixed(1), height: 10}),
    ticks.map((tick) => s('rect', {class: `tick ${tick.look}`, x: (100 * tick.value - 0.6).toFixed(1), width: 1.2, height: 10})));
}
