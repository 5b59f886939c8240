/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The evidence map: a strip for the object, a strip for the reference, and a ribbon that connects each pair of matching
 * ranges.  Solid: proved; hatched: estimated; cross-hatched: some of it is proved.
 *
 * pair: {size: [of the object, of the reference], ranges: [{start: [object, reference], length: [...], image, piece}, ...],
 *        proof: 'proved' | 'estimated' | 'partly', verdict, names: of the two sides}
 */

const STRIP = {height: 20, object: 58, reference: 168, margin: 8, least: 1.5};
let maps = 0;

/* What of a side is drawn: all of it, or, if the ranges would be too small to see, their surroundings. */
function view_of(pair, side) {
  const size = Number(pair.size[side]);
  let from = Infinity, to = 0;
  for (const range of pair.ranges) {
    from = Math.min(from, Number(range.start[side]));
    to = Math.max(to, Number(range.start[side]) + Number(range.length[side]));
  }
  const length = Math.max((to - from) * 1.5, 512);
  if (pair.ranges.length === 0 || length > size / 4)
    return {from: 0, length: Math.max(size, 1), whole: true};
  from = Math.floor(Math.max(0, Math.min(from - (length - (to - from)) / 2, size - length)));
  return {from, length: Math.ceil(length), whole: false};
}

/* Both at the same scale, if that leaves both visible. */
function views_of(pair) {
  const views = [view_of(pair, 0), view_of(pair, 1)];
  const longer = Math.max(views[0].length, views[1].length);
  const shared = Math.min(views[0].length, views[1].length) * 4 >= longer;
  for (const view of views)
    view.scale = shared ? longer : view.length;
  return views;
}

function x_of(view, width, byte) {
  return STRIP.margin + (byte - view.from) / view.scale * (width - 2 * STRIP.margin);
}

/* 1, 2 or 5 times a power of ten: about six steps. */
function step_of(length) {
  const power = 10 ** Math.floor(Math.log10(Math.max(length / 6, 1)));
  return [1, 2, 5, 10].map(n => n * power).find(step => length / step <= 6);
}

function axis(view, width, y, above) {
  const group = drawing('g', {class: 'axis'});
  const step = step_of(view.scale * Math.max(1, 640 / width));
  for (let at = Math.ceil(view.from / step) * step; at <= view.from + view.length; at += step) {
    const x = x_of(view, width, at);
    const anchor = x < 40 ? 'start' : x > width - 40 ? 'end' : 'middle';
    group.append(drawing('line', {x1: x, x2: x, y1: y, y2: above ? y - 5 : y + 5}),
      drawing('text', {x, y: above ? y - 8 : y + 16, 'text-anchor': anchor}, grouped(at)));
  }
  return group;
}

/* Where what is drawn lies in the whole. */
function locator(view, size, width, y) {
  const all = width - 2 * STRIP.margin;
  const length = Math.max(view.length / size * all, 3);
  const x = STRIP.margin + Math.min(view.from / size * all, all - length);
  return drawing('g', {class: 'locator'},
    drawing('rect', {class: 'all', x: STRIP.margin, y, width: all, height: 3}),
    drawing('rect', {class: 'part', x, y: y - 2, width: length, height: 7}));
}

function strip(pair, side, view, width) {
  const y = side ? STRIP.reference : STRIP.object;
  const label = pair.names[side];
  const group = drawing('g', {class: 'strip', 'data-side': side ? 'reference' : 'object', 'data-from': view.from,
    'data-length': view.length, 'data-scale': view.scale});
  const part = view.whole ? '' :
    `, drawn: bytes ${grouped(view.from)} to ${grouped(view.from + view.length)}`;
  group.append(drawing('rect', {class: 'content', x: STRIP.margin, y,
    width: view.length / view.scale * (width - 2 * STRIP.margin), height: STRIP.height}));
  group.append(axis(view, width, side ? y + STRIP.height : y, !side));
  const text_y = side ? y + STRIP.height + 34 : y - 40;
  group.append(drawing('text', {class: 'label', x: STRIP.margin, y: text_y},
    `${label}: ${count_of(pair.size[side], 'byte')}${part}`));
  if (!view.whole)
    group.append(locator(view, Number(pair.size[side]), width, side ? text_y + 10 : y - 30));
  return group;
}

function range_words(pair, range) {
  const words = `${pair.names[0]}: bytes ${grouped(range.start[0])} to ${grouped(sum(range.start[0], range.length[0]))}; ` +
    `${pair.names[1]}: bytes ${grouped(range.start[1])} to ${grouped(sum(range.start[1], range.length[1]))}`;
  return range.image < 0 ? words : `${words}; image: byte ${grouped(range.image)}, sector ${grouped(sector_of(range.image))}`;
}

/* Both ends of a range, as x; at least as wide as can be seen. */
function ends_of(view, width, start, length) {
  const from = x_of(view, width, Number(start)), to = x_of(view, width, Number(start) + Number(length));
  return [from, Math.max(to, from + STRIP.least)].map(x => Math.round(x * 100) / 100);
}

function ribbon(pair, range, views, width, fills) {
  const [a, b] = ends_of(views[0], width, range.start[0], range.length[0]);
  const [c, d] = ends_of(views[1], width, range.start[1], range.length[1]);
  const top = STRIP.object + STRIP.height, bottom = STRIP.reference, middle = (top + bottom) / 2;
  const band = `M${a} ${top}H${b}C${b} ${middle} ${d} ${middle} ${d} ${bottom}H${c}C${c} ${middle} ${a} ${middle} ${a} ${top}Z`;
  const group = drawing('g', {class: 'match', 'data-object': `${range.start[0]} ${range.length[0]}`,
    'data-reference': `${range.start[1]} ${range.length[1]}`, 'data-x': `${a} ${b} ${c} ${d}`});
  group.append(drawing('title', {}, range_words(pair, range)),
    drawing('path', {class: 'band', d: band, fill: fills.band}),
    drawing('rect', {x: a, y: STRIP.object, width: b - a, height: STRIP.height, fill: fills.strip}),
    drawing('rect', {x: c, y: STRIP.reference, width: d - c, height: STRIP.height, fill: fills.strip}));
  return group;
}

/* The fills of a map, in patterns of its own: hatched, or cross-hatched. */
function fills_of(pair, defs) {
  const id = `fill-${++maps}`;
  if (pair.proof === 'proved')
    return {band: 'currentColor', strip: 'currentColor'};
  const lines = pair.proof === 'partly' ? 'M0 8L8 0M0 0L8 8' : 'M-2 2L2 -2M0 8L8 0M6 10L10 6';
  defs.append(drawing('pattern', {id, width: 8, height: 8, patternUnits: 'userSpaceOnUse'},
    drawing('path', {d: lines, class: 'hatch'})));
  return {band: `url(#${id})`, strip: `url(#${id})`};
}

function map_words(pair) {
  const proof = {proved: 'proved', estimated: 'estimated from samples', partly: 'partly proved'}[pair.proof];
  const first = pair.ranges.slice(0, 5).map(range => range_words(pair, range)).join('. ');
  return `${count_of(pair.ranges.length, 'matching range')}, ${proof}. ${first}` +
    (pair.ranges.length > 5 ? '. The table lists all.' : '');
}

/* The picture, for a place of this width in pixels. */
function evidence_map(pair, room) {
  const width = Math.round(Math.max(300, Math.min(room, 1100))), views = views_of(pair);
  const height = STRIP.reference + STRIP.height + (views[1].whole ? 42 : 54);
  const defs = drawing('defs'), fills = fills_of(pair, defs);
  const svg = drawing('svg', {class: `map ${pair.verdict} ${pair.proof}`, viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Evidence map. ${map_words(pair)}`, 'data-width': width, 'data-margin': STRIP.margin});
  svg.append(defs, strip(pair, 0, views[0], width), strip(pair, 1, views[1], width));
  svg.append(drawing('g', {class: 'ribbons'}, pair.ranges.map(range => ribbon(pair, range, views, width, fills))));
  return svg;
}

function is_in_one_piece(range) {
  return BigInt(range.piece) >= BigInt(range.length[0]);
}

function place_cells(range) {
  if (range.image < 0)
    return ['', '', ''];
  return [grouped(range.image), grouped(sector_of(range.image)), is_in_one_piece(range) ? 'yes' : 'no'];
}

/* The same in figures. */
function range_table(pair, most = 1000) {
  const on_image = pair.ranges.some(range => range.image >= 0);
  const head = [`${pair.names[0]} from`, 'to', `${pair.names[1]} from`, 'to', 'bytes'].concat(on_image ? ['image byte', 'sector', 'in one piece'] : []);
  const rows = pair.ranges.slice(0, most).map(range => {
    const cells = [range.start[0], sum(range.start[0], range.length[0]), range.start[1],
      sum(range.start[1], range.length[1]), range.length[0]].map(grouped);
    if (on_image)
      cells.push(...place_cells(range));
    return element('tr', {}, cells.map(text => element('td', {class: 'number'}, text)));
  });
  const notes = [pair.ranges.length > 1 ? '. Ranges may overlap if content repeats' : '',
    pair.ranges.some(range => range.image >= 0 && !is_in_one_piece(range)) ?
      '. Of a range that is not in one piece on the image, the place of its first byte is given; ' +
      'kith report --format jsonl lists all pieces' : ''];
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Matching ranges'},
    element('table', {class: 'ranges'},
      element('caption', {}, 'Matching ranges: first byte, and the byte after the last', notes),
      element('thead', {}, element('tr', {}, head.map(text => element('th', {scope: 'col', class: 'number'}, text)))),
      element('tbody', {}, rows)));
}

/* The map, its key and its figures. */
function map_figure(pair, room) {
  const key = {proved: 'Solid: proved by SHA-1.', partly: 'Cross-hatched: some of the blocks are proved by SHA-1; the rest is estimated.',
    estimated: 'Hatched: estimated from samples; the ends of each range are approximate.'}[pair.proof];
  return element('figure', {}, evidence_map(pair, room), element('figcaption', {},
    `${key} Each ribbon connects bytes above with the matching bytes below; the scales are in bytes.`));
}
