/* SPDX-License-Identifier: Apache-2.0 */

/* What the page begins with: its data are JSON in elements of their own. */

/* Where the findings of a part of the image lie: for each place, [place, identical, variant, embedded, fragment]. */
function place_strip(part) {
  const height = 36, most = Math.max(...part.places.map(([, ...counts]) => counts.reduce((a, b) => a + b)));
  const svg = drawing('svg', {class: 'places', viewBox: `0 0 ${part.count} ${height}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `Where the findings of ${part.name} lie; the table has their numbers`});
  svg.append(drawing('rect', {class: 'ground', width: part.count, height}));
  for (const [at, ...counts] of part.places) {
    const all = counts.reduce((a, b) => a + b), tall = Math.max(4, Math.sqrt(all / most) * (height - 2));
    let y = height;
    counts.forEach((number, verdict) => {
      const share = number / all * tall;
      y -= share;
      if (number)
        svg.append(drawing('rect', {class: VERDICTS[verdict], x: at, y, width: 1, height: share}));
    });
  }
  return svg;
}

function show_places(about) {
  const section = document.querySelector('#overview');
  if (!section)
    return;
  for (const [i, part] of about.parts.entries()) {
    const cell = document.querySelector(`#part-${i}`);
    if (cell && part.places.length)
      cell.append(place_strip(part));
  }
  document.querySelector('#findings-section').before(section);
}

function show_findings() {
  const about = take_json(document.querySelector('#about-data'));
  const rows = [...document.querySelectorAll('script.rows')].flatMap(take_json);
  about.listed = new Set(rows.map(row => row[ID]));
  const findings = new Findings(rows, about);
  show_places(about);
  if (rows.length === 0)
    return;
  document.querySelector('#findings-region').before(document.querySelector('#left-out'), controls(findings));
  findings.render();
  const wanted = decodeURIComponent(location.hash.slice(1)), at = rows.findIndex(row => row[ID] === wanted);
  if (wanted && at >= 0) {
    findings.open.add(at);
    findings.first = Math.floor(at / findings.page) * findings.page;
    findings.render();
    document.querySelector(`#details-${at}`).scrollIntoView();
  }
}

function show_pair() {
  const place = document.querySelector('#pair'), pair = take_json(document.querySelector('#pair-data'));
  if (pair.ranges.length)
    place.replaceChildren(map_figure(pair, place.clientWidth),
      element('details', {}, element('summary', {}, count_of(pair.ranges.length, 'range'), ' in figures'), range_table(pair)));
}

/* On paper nothing can be opened. */
window.addEventListener('beforeprint', () => {
  for (const figures of document.querySelectorAll('details'))
    figures.open = true;
});

if (document.querySelector('#about-data'))
  show_findings();
if (document.querySelector('#pair-data'))
  show_pair();
