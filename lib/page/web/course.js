// The samples that the charts draw: what /course.json told so far.

export class Course {
  constructor() {
    this.clear();
  }

  clear() {
    this.next = 0;
    this.times = [];  // seconds on the clock of Status.uptime_seconds
    this.lengthSeconds = 0;
    this.breakers = new Map();  // by key: name of the series -> values, of the latest samples
  }

  /** `told`: a Course, asked for with since=next. */
  add(told) {
    if (told.first !== this.next) {  // another process, or a pause longer than what is kept
      this.clear();
      this.next = told.first;
    }
    this.next += told.uptime_seconds.length;
    this.lengthSeconds = told.length_seconds;
    this.times.push(...told.uptime_seconds);
    for (const breaker of told.breakers) {
      const key = breakerKey(breaker);
      if (!this.breakers.has(key)) this.breakers.set(key, {rating: [], offered_rate: [], admitted_share: [], rejected_rate: []});
      const series = this.breakers.get(key);
      for (const name of Object.keys(series)) series[name].push(...breaker[name].map(Number));
    }
    this.#forget();
  }

  #forget() {
    const oldest = this.times.at(-1) - this.lengthSeconds;
    const old = this.times.findIndex((time) => time >= oldest);
    this.times.splice(0, Math.max(old, 0));
    for (const series of this.breakers.values()) {
      for (const values of Object.values(series)) values.splice(0, Math.max(values.length - this.times.length, 0));
    }
  }

  /** [time, value] of each sample of one breaker's series; the value is NaN while unknown. */
  points(key, name) {
    const values = this.breakers.get(key)?.[name] ?? [];
    const first = this.times.length - values.length;
    return values.map((value, i) => [this.times[first + i], value]);
  }

  /** The span of time to show, up to `now` at the latest: as far back as there is something to see, in few steps. */
  range(now) {
    const to = this.times.at(-1) ?? now;
    const age = to - (this.times[0] ?? to);
    return {from: to - Math.min([60, 120, Infinity].find((length) => length >= age), this.lengthSeconds || 1), to};
  }

  /** Where less than everything was admitted, as far as the samples show it: {state, from, to}. */
  restricted(key) {
    const points = this.points(key, 'admitted_share');
    return points.slice(1).map(([time, share], i) => ({state: share > 0 ? 'half_open' : 'open', from: points[i][0], to: time, share}))
        .filter(({share}) => share < 1);
  }

  latest(key, name) {
    return this.breakers.get(key)?.[name].at(-1);
  }
}

export const breakerKey = ({target, name}) => `${target} ${name}`;

/** The spans of time, within [from, to], that a breaker was not closed: {state, from, to}. */
export function spans(breaker, from, to) {
  const result = [];
  let end = to;
  const add = (state, begin) => {
    if (state !== 'closed' && end > from) result.push({state, from: Math.max(begin, from), to: end});
    end = Math.min(end, begin);
  };
  for (const transition of breaker.transitions) add(transition.to, to - transition.age_seconds);
  add(breaker.transitions.at(-1)?.from ?? breaker.state, Math.max(from, to - sinceMade(breaker)));
  return result;
}

const sinceMade = (breaker) => Object.values(breaker.seconds_by_state).reduce((sum, seconds) => sum + seconds, 0);
