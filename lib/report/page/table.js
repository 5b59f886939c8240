/* SPDX-License-Identifier: Apache-2.0 */

/* The findings: sorted, filtered, a page at a time, since a browser cannot show 50,000 rows. */

const COLUMNS = [
  {name: 'finding', key: row => row[ID] ? row[ID].split('.').map(part => part.padStart(20, '0')).join('.') : '\uffff'},
  {name: 'verdict', key: row => row[VERDICT]},
  {name: 'object', key: row => object_name(row)},
  {name: 'size', key: row => Number(row[SIZE]), number: true, falls: true},
  {name: 'reference', key: row => is_finding(row) ? row[REF_NAME] : '\uffff'},
  {name: 'matched', key: row => is_finding(row) ? Number(row[MATCHED]) : -1, number: true, falls: true},
  {name: 'score', key: row => is_finding(row) ? row[SCORE] : -1, number: true, falls: true},
  {name: 'E', key: row => is_finding(row) ? row[LN_E] ?? -Infinity : Infinity, number: true},
  {name: 'proof', key: row => is_finding(row) ? 2 * row[PROOF] + (row[FLAGS] & PROVED ? 1 : 0) : -1, falls: true},
];

/* Roles are repeated, since narrow windows do not show the table as one, and browsers then forget what it is. */
function cell(attributes, ...children) {
  return element('td', {role: 'cell', ...attributes}, children);
}

class Findings {
  constructor(rows, about) {
    Object.assign(this, {rows, about, first: 0, page: 50, column: undefined, rising: true, open: new Set()});
    this.chosen = {text: '', verdicts: new Set()};
    this.order = Uint32Array.from(rows.keys());
    this.shown = this.order;
    this.body = document.querySelector('#findings tbody');
    this.region = document.querySelector('#findings-region');
  }

  /* ---- choosing ---- */

  /* What a search looks at; made when first needed. */
  text_of(i) {
    this.texts ??= this.rows.map(row => [row[ID], row[PATH], row[ADDRESS], row[KIND], row[VOLUME], row[SHA1], row[REF_NAME],
      row[REF_SHA1]].join('\n').toLowerCase());
    return this.texts[i];
  }

  accepts(i, words) {
    const row = this.rows[i], {verdicts, set, kind, evidence, volume, proof} = this.chosen;
    return (verdicts.size === 0 || verdicts.has(row[VERDICT])) && (!set || String(row[SET]) === set) &&
      (!kind || row[KIND] === kind) && (!evidence || String(row[EVIDENCE]) === evidence) &&
      (!volume || row[VOLUME] === volume) && (!proof || String(row[PROOF]) === proof) &&
      words.every(word => this.text_of(i).includes(word));
  }

  choose() {
    const words = this.chosen.text.toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = this.order.filter(i => this.accepts(i, words));
    this.first = 0;
    this.render();
  }

  /* Equal ones stay in the order of the report, which is not that of any column, and which the third click restores. */
  sort(column) {
    const {key, falls} = COLUMNS[column], again = column === this.column;
    const ends = again && this.rising === Boolean(falls);
    this.rising = again ? !this.rising : !falls;
    this.column = ends ? undefined : column;
    const sign = this.rising ? 1 : -1, keys = this.rows.map(ends ? () => 0 : key);
    this.order = Uint32Array.from(this.rows.keys())
      .sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : 0) || a - b);
    this.choose();
  }

  /* ---- drawing ---- */

  header() {
    return element('tr', {role: 'row'}, COLUMNS.map(({name, number}, i) => {
      const sorted = i === this.column ? this.rising ? 'ascending' : 'descending' : 'none';
      const arrow = {ascending: '▲', descending: '▼', none: '↕'}[sorted];
      return element('th', {scope: 'col', role: 'columnheader', 'aria-sort': sorted, class: number ? 'number' : undefined},
        element('button', {type: 'button', click: () => { this.sort(i); this.focus_header(i); }}, name,
          element('span', {class: 'arrow', 'aria-hidden': 'true'}, arrow)));
    }));
  }

  focus_header(i) {
    document.querySelectorAll('#findings thead button')[i].focus();
  }

  details_row(i) {
    return element('tr', {class: 'more', role: 'row', id: `details-${i}`},
      cell({colspan: COLUMNS.length}, details_of(this.rows[i], this.about, this.region.clientWidth - 40)));
  }

  toggle(i, button) {
    const opens = !this.open.delete(i), row = button.closest('tr');
    button.setAttribute('aria-expanded', String(opens));
    if (opens) {
      this.open.add(i);
      row.after(this.details_row(i));
    } else {
      row.nextElementSibling.remove();
    }
  }

  row(i) {
    const row = this.rows[i], found = is_finding(row);
    const button = element('button', {type: 'button', class: 'expand', 'aria-expanded': String(this.open.has(i)),
      'aria-controls': `details-${i}`, click: event => this.toggle(i, event.currentTarget)},
      row[ID] || grouped(i + 1));
    const where = [row[KIND] === 'file' ? '' : row[KIND], row[VOLUME] === '-' ? '' : `volume ${row[VOLUME]}`]
      .filter(Boolean).join(', ');
    const first = [
      element('th', {scope: 'row', role: 'rowheader'}, button),
      cell({}, badge(row)),
      cell({class: 'name'}, object_name(row), element('small', {}, where)),
      cell({class: 'number', title: count_of(row[SIZE], 'byte')}, size_text(row[SIZE]))];
    const last = found ? [
      cell({class: 'name', 'data-label': 'like'}, row[REF_NAME] || '(no name)',
        element('small', {}, this.about.sets[row[SET]].name)),
      cell({class: 'number', 'data-label': 'matched', title: count_of(row[MATCHED], 'byte')}, size_text(row[MATCHED])),
      cell({class: 'number', 'data-label': 'score'}, row[SCORE].toFixed(3)),
      cell({class: 'number', 'data-label': 'E'}, row[E_TEXT]),
      cell({class: 'proof', 'data-label': 'proof'}, row[PROOF_TEXT])] : [cell({class: 'name', colspan: 5}, row[REASON])];
    return element('tr', {class: 'finding', role: 'row'}, first, last);
  }

  render() {
    const last = Math.min(this.first + this.page, this.shown.length), rows = [];
    for (let at = this.first; at < last; at++) {
      const i = this.shown[at];
      rows.push(this.row(i));
      if (this.open.has(i))
        rows.push(this.details_row(i));
    }
    document.querySelector('#findings thead').replaceChildren(this.header());
    this.body.replaceChildren(...rows);
    this.show_place(last);
  }

  show_place(last) {
    const all = this.rows.length, shown = this.shown.length;
    const part = shown === all ? count_of(all, 'row') : `${grouped(shown)} of ${count_of(all, 'row')}`;
    document.querySelector('#place').textContent =
      shown ? `${part}; shown: ${grouped(this.first + 1)} to ${grouped(last)}` : `no row of ${grouped(all)} is selected`;
    document.querySelector('#previous').disabled = this.first === 0;
    document.querySelector('#next').disabled = last >= shown;
  }

  turn(pages) {
    this.first = Math.max(0, Math.min(this.first + pages * this.page, this.shown.length - 1));
    this.render();
    this.region.scrollIntoView();
  }

  open_all(opens) {
    for (let at = this.first; at < Math.min(this.first + this.page, this.shown.length); at++) {
      if (opens)
        this.open.add(this.shown[at]);
      else
        this.open.delete(this.shown[at]);
    }
    this.render();
  }
}
