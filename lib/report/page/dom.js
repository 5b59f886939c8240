/* SPDX-License-Identifier: Apache-2.0 */
'use strict';

/*
 * Elements and numbers.  All text becomes text nodes: nothing in this page is ever parsed as HTML, which the
 * page's policy enforces (Trusted Types).
 */

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function')
      node.addEventListener(name, value);
    else if (value !== undefined && value !== false)
      node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== undefined && child !== ''));
  return node;
}

/* An element with attributes (a function listens to the event of that name) and children: nodes or text. */
function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/* Numbers above 2^53 come as text, since they would lose digits otherwise. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function count_of(number, noun) {
  const plural = /(s|x|ch|sh)$/.test(noun) ? 'es' : 's';
  return `${grouped(number)} ${noun}${Number(number) === 1 ? '' : plural}`;
}

/* Exact arithmetic on offsets, whatever their size. */
function sum(a, b) {
  const total = BigInt(a) + BigInt(b);
  return total <= Number.MAX_SAFE_INTEGER ? Number(total) : String(total);
}

function sector_of(byte) {
  return String(BigInt(byte) / 512n);
}

/* As report_values_size writes it. */
function size_text(bytes) {
  let scaled = Number(bytes);
  if (scaled < 10000)
    return count_of(scaled, 'byte');
  let unit = -1;
  do {
    scaled /= 1000;
    unit++;
  } while (scaled >= 999.95 && unit < 5);
  return `${scaled.toFixed(1)} ${'kMGTPE'[unit]}B`;
}

/* The JSON in an element, which is removed: the text is not needed twice. */
function take_json(node) {
  const value = JSON.parse(node.textContent);
  node.remove();
  return value;
}
