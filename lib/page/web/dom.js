// Building and updating the page. Nothing here, or anywhere on the page, turns text into markup: names come from whoever makes calls.

const kSvg = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element: h('p', {class: 'note'}, 'text', h('b', {}, 'more')). */
export const h = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
/** The same in SVG. */
export const s = (name, attributes = {}, ...children) => fill(document.createElementNS(kSvg, name), attributes, children);

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null);
const isAlike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
/** What the reader has set, not we. */
const kReaders = new Set(['open']);

function patchAttributes(from, to) {
  for (const {name} of [...from.attributes]) {
    if (!to.hasAttribute(name) && !kReaders.has(name)) from.removeAttribute(name);
  }
  for (const {name, value} of to.attributes) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

function patch(from, to) {
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  patchAttributes(from, to);
  patchChildren(from, [...to.childNodes]);
}

function patchChildren(parent, wanted) {
  const keyed = new Map([...parent.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  let at = parent.firstChild;
  for (const node of wanted) {
    const known = keyOf(node) === null ? at : keyed.get(keyOf(node));
    if (known && isAlike(known, node)) {
      if (known === at) at = at.nextSibling;
      else parent.insertBefore(known, at);
      patch(known, node);
    } else {
      parent.insertBefore(node, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Makes `children` the children of `parent` with as few changes as possible, so that focus, selection and what is unfolded stay. */
export const show = (parent, ...children) =>
    patchChildren(parent, [...fill(document.createDocumentFragment(), {}, children).childNodes]);
