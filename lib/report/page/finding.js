/* SPDX-License-Identifier: Apache-2.0 */

/* A finding as the writer stores it (report_html_row.c), and its details in words. */

/* The columns of a row.  Those from SET on are missing in objects without a finding. */
const [ID, VERDICT, EVIDENCE, VOLUME, KIND, ADDRESS, PATH, PATHS, SIZE, SHA1, FLAGS, REASON, TIMES, SET, REF_ID, REF_NAME,
  REF_SHA1, REF_SIZE, MATCHED, RESEMBLANCE, CONTAINMENT, SCORE, REORDERED, EDITS, E_TEXT, LN_E, PROOF, PROOF_TEXT, ALSO, RANGES,
  LEFT_OUT, TWINS, OBJECTS, COMMON, PREVIEW] = Array(35).keys();

const VERDICTS = ['identical', 'variant', 'embedded', 'fragment', 'none', 'too-small', 'low-entropy', 'unreadable',
  'skipped'];
const PROOFS = ['estimate', 'blocks', 'sha1', 'members'];
const CHUNK = 1, PARTIAL = 2, PROVED = 4;
const IDENTICAL = 0, FRAGMENT = 3;

function is_finding(row) {
  return row.length > SET;
}

/* The ranges are stored in groups of six: start and length in the object, in the reference, and on the image of what lies there
   in one piece. */
function pair_of(row) {
  const flat = row[RANGES], ranges = [];
  for (let i = 0; i + 5 < flat.length; i += 6)
    ranges.push({start: [flat[i], flat[i + 2]], length: [flat[i + 1], flat[i + 3]], image: flat[i + 4], piece: flat[i + 5]});
  return {size: [row[SIZE], row[REF_SIZE]], ranges, verdict: VERDICTS[row[VERDICT]],
    names: ['Object', 'Reference'],
    proof: row[FLAGS] & PROVED ? 'proved' : PROOFS[row[PROOF]] === 'estimate' ? 'estimated' : 'partly'};
}

function object_name(row) {
  return row[PATH] || `${row[KIND]} ${row[ADDRESS]}`;
}

function badge(row) {
  const name = VERDICTS[row[VERDICT]];
  return element('span', {class: `badge ${name}`}, element('b', {'aria-hidden': 'true'}, name[0].toUpperCase()), name);
}

function span_words(row) {
  const pair = pair_of(row);
  if (pair.ranges.length === 0)
    return '';
  const first = pair.ranges[0], last = pair.ranges[pair.ranges.length - 1];
  return ` between byte ${grouped(first.start[0])} and byte ${grouped(sum(last.start[0], last.length[0]))} of the ` +
    (row[FLAGS] & CHUNK ? 'chunk' : 'object');
}

/* Sector first: it is what another tool is given. */
function place_words(row) {
  const [first] = pair_of(row).ranges;
  if ((first === undefined || first.image < 0) && row[KIND] === 'member')
    return element('p', {class: 'place'}, 'The match lies in a member of a container, which was unpacked: it has no place of its own on the image.');
  if (first === undefined || first.image < 0)
    return '';
  return element('p', {class: 'place'}, `On the image, the match begins at sector ${grouped(sector_of(first.image))} ` +
    `(byte ${grouped(first.image)}; a sector has 512 bytes).`);
}

function verdict_words(row) {
  if (PROOFS[row[PROOF]] === 'members')
    return `The object and the reference are containers: ${row[EDITS]}.`;
  const sure = PROOFS[row[PROOF]] !== 'estimate', contains = sure ? 'contains' : 'appears to contain';
  const matched = `${count_of(row[MATCHED], 'byte')} of the object ${row[MATCHED] === 1 ? 'matches' : 'match'}`;
  switch (VERDICTS[row[VERDICT]]) {
    case 'identical':
      return 'The object is identical to the reference: their lengths and SHA-1 are equal.';
    case 'variant':
      return `The object ${sure ? 'is' : 'appears to be'} a version of the reference${row[FLAGS] & PROVED ? ' and contains all of it' : ''}` +
        `${row[REORDERED] ? ', with the same content in another order' : ''}: ${matched}${span_words(row)}.`;
    case 'embedded':
      return `The object ${contains} the reference${row[FLAGS] & PROVED ? '' : ', or at least 80 % of it'}: ${matched}${span_words(row)}.`;
    default:
      return `The object ${contains} a part of the reference: ${matched}${span_words(row)}.`;
  }
}

function proof_words(row) {
  const [, found, all] = /^blocks (\d+)\/(\d+)$/.exec(row[PROOF_TEXT]) || [];
  const [, same, members] = /^members (\d+)\/(\d+)$/.exec(row[PROOF_TEXT]) || [];
  if (same !== undefined)
    return `${grouped(same)} of the reference’s ${grouped(members)} members are in the object, each with equal SHA-1 ` +
      `(${row[PROOF_TEXT]}); kith report --all lists all that was found in members`;
  if (PROOFS[row[PROOF]] === 'sha1')
    return 'proved: the SHA-1 of the whole reference is equal (sha1)';
  if (found !== undefined && row[FLAGS] & PROVED)
    return `proved: all ${grouped(all)} blocks of the reference were found, each with equal SHA-1 (${row[PROOF_TEXT]})`;
  if (found !== undefined)
    return `partly proved: ${grouped(found)} of the reference’s ${grouped(all)} blocks were found with equal SHA-1; ` +
      `the rest is inferred from samples (${row[PROOF_TEXT]})`;
  return 'none: inferred from samples in the same order and at the same distances; no byte was compared by hash (estimate)';
}

function facts(list) {
  return element('dl', {class: 'facts'}, list.filter(([, value]) => value !== '' && value !== undefined)
    .map(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]));
}

function code(text) {
  return element('code', {}, text);
}

/* To the second; the title has the rest. */
function time_part(time) {
  return element('span', {class: 'time', title: time}, time.replace(/\.\d+/, ''));
}

function times_part(times) {
  const names = ['modified', 'accessed', 'metadata changed', 'created'];
  const known = (times || []).map((time, i) => time && [`${names[i]} `, time_part(time), '; ']).filter(Boolean);
  return known.length ? [known, 'as stored in the file system: they may be wrong or forged'] : '';
}

/* What is estimated over other bytes than the ranges. */
function edits_words(row) {
  if (!row[EDITS] || row[FLAGS] & PROVED || PROOFS[row[PROOF]] === 'members')
    return PROOFS[row[PROOF]] === 'members' ? '' : row[EDITS];
  const over = VERDICTS[row[VERDICT]] === 'embedded' ? 'the bytes in which the reference lies' : 'the whole object and reference';
  return `${row[EDITS]}: an estimate over ${over}. The ranges show where a match was located; bytes outside them ` +
    'are not known to differ.';
}

function chance_words(row) {
  if (row[VERDICT] === IDENTICAL)
    return '0: an equal hash is not expected by chance';
  const least = row[E_TEXT] === '1.0e-300';
  return `${least ? 'at most ' : ''}${row[E_TEXT]}: the number of matches this good that chance alone would be expected to ` +
    `produce${least ? '; smaller values are not reported' : ''}`;
}

/* Of the address of a member: two slashes lead to its last level, or one if there is no other. */
function parent_of(address) {
  const last = address.lastIndexOf('//');
  return address.slice(0, last < 0 ? address.indexOf('/') : last);
}

function object_facts(row, about) {
  return facts([
    ['object', row[PATH] || '(no path)'],
    ['further paths', row[PATHS] > 1 ? grouped(row[PATHS] - 1) : ''],
    ['address', code(row[ADDRESS])],
    ['packed in', row[KIND] === 'member' ? code(parent_of(row[ADDRESS])) : ''],
    ['kind', row[KIND] + (row[FLAGS] & CHUNK ? ', a chunk of a large object' : '')],
    ['evidence', about.evidence[row[EVIDENCE] - 1]],
    ['volume', row[VOLUME] === '-' ? 'none' : row[VOLUME]],
    ['size', count_of(row[SIZE], 'byte')],
    ['SHA-1', row[SHA1] ? code(row[SHA1]) : 'not computed'],
    ['times', times_part(row[TIMES])],
    ['status', row[FLAGS] & PARTIAL ? `PARTIAL: some bytes could not be read. ${row[REASON]}` : row[REASON]],
  ]);
}

function reference_facts(row, about) {
  const set = about.sets[row[SET]], identical = row[VERDICT] === IDENTICAL;
  return facts([
    ['reference', row[REF_NAME] || '(no name)'],
    ['set', `${set.name} (${set.kind}), number ${grouped(row[REF_ID])}`],
    ['size', count_of(row[REF_SIZE], 'byte')],
    ['SHA-1', row[REF_SHA1] ? code(row[REF_SHA1]) : 'not in the set'],
    ['score', row[SCORE].toFixed(3) + (identical ? ', by equal hash, which is not approximate matching' :
      `, of resemblance ${row[RESEMBLANCE].toFixed(3)} and containment ${row[CONTAINMENT].toFixed(3)}`)],
    ['edits', edits_words(row)],
    ['E', chance_words(row)],
    ['proof', proof_words(row)],
    ['objects', row[COMMON] ? `common content: in ${count_of(row[OBJECTS], 'object')}` +
      (row[COMMON] > 1 ? `; this row stands for ${count_of(row[COMMON], 'finding')}` : '') :
      row[OBJECTS] > 1 ? `${grouped(row[OBJECTS])} objects have this content` : ''],
    ['also', row[ALSO] >= 64 ? `one of about ${grouped(row[ALSO] + 1)} references that match the same bytes` :
      row[ALSO] ? 'other references match the same bytes, less well or equally; a scan with --all-references lists them' : ''],
  ]);
}

/* Findings that repeat this one are in the page only with --all. */
function twin_list(row, about) {
  if (!row[TWINS] || row[TWINS].length === 0)
    return '';
  const twins = row[TWINS].filter(Array.isArray), more = row[TWINS].find(twin => !Array.isArray(twin));
  const listed = id => about.listed.has(id) ? `finding ${id}` : `finding ${id}, not listed here: kith report --all lists it`;
  return element('p', {}, PROOFS[row[PROOF]] === 'members' ? 'What is related in them: ' :
    twins.some(([, , kind]) => kind === 'member') ? 'Its members are identical, too: ' :
      'The same bytes of the image were also examined as ',
    twins.map(([id, address, kind], i) => [i ? ', ' : '', `${kind} `, code(address), ` (${listed(id)})`]),
    more ? `, and ${grouped(more)} more` : '', '.');
}

/* ---- what the evidence has there (--with-bytes) ---- */

function printable(pair) {
  const code = parseInt(pair, 16);
  return code >= 32 && code < 127 ? String.fromCharCode(code) : '.';
}

/* Sixteen bytes a line: offset, hexadecimal, text.  Bytes that could not be read are "??". */
function hex_dump(offset, hex) {
  const pairs = hex.match(/../g) || [], lines = [];
  for (let i = 0; i < pairs.length; i += 16) {
    const part = pairs.slice(i, i + 16);
    lines.push(`${String(sum(offset, i)).padStart(12)}  ${part.join(' ').padEnd(47)}  ${part.map(printable).join('')}`);
  }
  return element('pre', {class: 'hex', tabindex: 0}, lines.join('\n'));
}

function end_part([start, end, first, last]) {
  const range = `range from byte ${grouped(start)} to byte ${grouped(end)}`;
  if (!last)
    return [element('p', {}, `The ${range}:`), hex_dump(start, first)];
  return [element('p', {}, `The ${range} begins:`), hex_dump(start, first), element('p', {}, 'and ends:'),
    hex_dump(BigInt(end) - BigInt(last.length / 2), last)];
}

/* {note: why there is nothing; ends: [start and end of a range, its first bytes, its last ones]; picture} */
function preview_part(row) {
  const preview = row[PREVIEW];
  if (!preview)
    return '';
  if (preview.note)
    return element('p', {}, `The bytes are not shown: ${preview.note}.`);
  return element('div', {class: 'preview'},
    preview.picture ? element('img', {src: preview.picture, alt: 'The object as a picture'}) : '',
    element('details', {open: !preview.picture}, element('summary', {}, 'bytes of the object, from the evidence'),
      preview.ends.map(end_part)));
}

function commands(row) {
  if (!row[ID])
    return '';
  return element('div', {class: 'commands'}, 'To verify it: ', code(`kith explain CASE ${row[ID]}`),
    ' prints the commands of other tools (dd, icat, sha1sum) and what they must print; ', code(`kith extract CASE ${row[ID]} -d FOLDER`), ' writes the object to a folder.');
}

function match_part(row, room) {
  const pair = pair_of(row);
  if (pair.ranges.length === 0)
    return PROOFS[row[PROOF]] === 'members' ? '' : element('p', {}, 'No ranges are recorded.');
  const note = row[LEFT_OUT] ? element('p', {}, `Only the ${grouped(pair.ranges.length)} longest of ` +
    `${grouped(pair.ranges.length + row[LEFT_OUT])} ranges are in this page; kith report --format jsonl lists all.`) : '';
  return element('div', {}, map_figure(pair, room), note,
    element('details', {}, element('summary', {}, count_of(pair.ranges.length, 'range'), ' in figures'), range_table(pair)));
}

/* All that is known of a row, for a place of this width in pixels. */
function details_of(row, about, room) {
  if (!is_finding(row))
    return element('div', {class: 'details'}, object_facts(row, about));
  return element('div', {class: 'details'},
    element('p', {class: 'sentence'}, verdict_words(row)),
    place_words(row),
    match_part(row, room),
    preview_part(row),
    twin_list(row, about),
    element('div', {class: 'sides'}, object_facts(row, about), reference_facts(row, about)),
    commands(row));
}
