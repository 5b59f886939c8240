/* SPDX-License-Identifier: Apache-2.0 */

/* What filters the findings, and turns their pages. */

function distinct(rows, column, most) {
  const values = new Set();
  for (const row of rows) {
    if (row[column] !== undefined)
      values.add(row[column]);
    if (values.size > most)
      break;
  }
  return [...values].sort((a, b) => typeof a === 'number' ? a - b : a < b ? -1 : 1);
}

/* A choice between the values of a column, if there are several. */
function chooser(findings, field, column, label, name_of) {
  const values = distinct(findings.rows, column, 500);
  if (values.length < 2)
    return '';
  const select = element('select', {change: event => {
    findings.chosen[field] = event.target.value;
    findings.choose();
  }}, element('option', {value: ''}, 'all'), values.map(value => element('option', {value}, name_of(value))));
  return element('label', {}, `${label} `, select);
}

function verdict_buttons(findings) {
  const counts = new Map();
  for (const row of findings.rows)
    counts.set(row[VERDICT], (counts.get(row[VERDICT]) || 0) + 1);
  return element('div', {role: 'group', 'aria-label': 'Verdicts to show', class: 'verdicts'},
    [...counts.keys()].sort((a, b) => a - b).map(verdict => {
      const name = VERDICTS[verdict];
      return element('button', {type: 'button', 'aria-pressed': 'false', class: `badge ${name}`, click: event => {
        const chosen = findings.chosen.verdicts, pressed = !chosen.delete(verdict);
        if (pressed)
          chosen.add(verdict);
        event.currentTarget.setAttribute('aria-pressed', String(pressed));
        findings.choose();
      }}, element('b', {'aria-hidden': 'true'}, name[0].toUpperCase()), `${name} `,
      element('span', {class: 'count'}, grouped(counts.get(verdict))));
    }));
}

function search_field(findings) {
  let timer;
  return element('label', {class: 'search'}, 'Search ', element('input', {type: 'search', autocomplete: 'off',
    spellcheck: 'false', placeholder: 'path, name, address, SHA-1', input: event => {
      const text = event.target.value;
      clearTimeout(timer);
      timer = setTimeout(() => {
        findings.chosen.text = text;
        findings.choose();
      }, 120);
    }}));
}

function pager(findings) {
  const sizes = [20, 50, 200, 1000];
  return element('div', {class: 'pager'},
    element('button', {type: 'button', id: 'previous', click: () => findings.turn(-1)}, 'Previous'),
    element('output', {id: 'place', 'aria-live': 'polite'}),
    element('button', {type: 'button', id: 'next', click: () => findings.turn(1)}, 'Next'),
    element('label', {}, 'Rows per page ', element('select', {change: event => {
      findings.page = Number(event.target.value);
      findings.first = 0;
      findings.render();
    }}, sizes.map(size => element('option', {value: size, selected: size === findings.page}, size)))),
    element('button', {type: 'button', id: 'open-all', click: () => findings.open_all(true)}, 'Open all on this page'),
    element('button', {type: 'button', id: 'close-all', click: () => findings.open_all(false)}, 'Close all'));
}

function controls(findings) {
  const {about} = findings;
  return element('form', {class: 'controls', 'aria-label': 'Filter the findings', submit: event => event.preventDefault()},
    verdict_buttons(findings),
    element('div', {class: 'choices'}, search_field(findings),
      chooser(findings, 'set', SET, 'Set', value => about.sets[value].name),
      chooser(findings, 'kind', KIND, 'Kind', value => value),
      chooser(findings, 'proof', PROOF, 'Proof', value => PROOFS[value]),
      chooser(findings, 'evidence', EVIDENCE, 'Evidence', value => about.evidence[value - 1]),
      chooser(findings, 'volume', VOLUME, 'Volume', value => value === '-' ? 'none' : value)),
    pager(findings));
}
