// Numbers as people read them. A value that is not known is an en dash.

const kNothing = '\u2013';
const isKnown = (value) => typeof value === 'number' && Number.isFinite(value);

/** 0.83 */
export const score = (value) => (isKnown(value) ? value.toFixed(2) : kNothing);
/** 25 % */
export const share = (value) => (isKnown(value) ? `${+(100 * value).toFixed(value < 0.1 ? 1 : 0)}\u00a0%` : kNothing);
/** 12,345 */
export const count = (value) => (isKnown(value) ? Math.round(value).toLocaleString('en-US') : kNothing);

/** 0.4, 12.5, 480, 12,500 */
export function rate(value) {
  if (!isKnown(value)) return kNothing;
  return value >= 100 ? count(value) : String(+value.toFixed(value >= 10 ? 1 : 2));
}

/** Three digits are enough for a number of unknown size. */
export const number = (value) => (isKnown(value) ? (Number.isInteger(value) ? count(value) : String(+value.toPrecision(3))) : kNothing);

/** 1.2 ms, 350 ms, 2.4 s, 3 min 12 s, 2 h 5 min, 3 d 4 h */
export function duration(seconds) {
  if (!isKnown(seconds)) return kNothing;
  const two = (large, small, largeName, smallName) => `${large}\u00a0${largeName}${small ? ` ${small}\u00a0${smallName}` : ''}`;
  if (seconds < 0.9995) return `${+(1000 * seconds).toPrecision(seconds < 0.1 ? 2 : 3)}\u00a0ms`;
  if (seconds < 59.95) return `${seconds < 9.95 ? +seconds.toFixed(1) : Math.round(seconds)}\u00a0s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return two(Math.floor(whole / 60), whole % 60, 'min', 's');
  if (whole < 86400) return two(Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), 'h', 'min');
  return two(Math.floor(whole / 86400), Math.floor((whole % 86400) / 3600), 'd', 'h');
}

/** 3 s ago */
export const ago = (seconds) => (seconds < 1 ? 'now' : `${duration(Math.floor(seconds))} ago`);

/** 14:03:22.5 of the reader's clock; `date`: with the day. */
export function clock(unixSeconds, {date = false} = {}) {
  const at = new Date(1000 * unixSeconds);
  const time = at.toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1});
  return date ? `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')} ${time}` : time;
}

const kStates = {closed: 'closed', open: 'open', half_open: 'half-open', forced_open: 'forced open', disabled: 'disabled'};
export const stateName = (state) => kStates[state] ?? state;
