# SPDX-License-Identifier: Apache-2.0
"""What a page of `kith report --format html` or `kith compare --format html` must be, in a real browser.
Several of these can follow each other, separated by --.

    python3 html.py frame PAGE         the policy, recomputed; nothing is loaded from elsewhere
    python3 html.py pair PAGE JSON     the picture of `kith compare`, beside its ranges
    python3 html.py case PAGE JSONL    the findings of a case, beside those of `kith report --format jsonl --sort significance`
    python3 html.py plain PAGE COUNT   the page without scripts: it has that many findings
    python3 html.py axe PAGE SCRIPT    accessibility, by axe-core
    python3 html.py bytes PAGE FILE N  the only finding has the bytes of this file, as of the evidence, and it is a picture
    python3 html.py hostile PAGE TEXT  a name that was harmless: the page shows it, as text
"""
import base64, hashlib, json, os, re, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser

failures = 0


def check(what, good, detail=''):
    global failures
    if not good:
        failures += 1
        print('FAILED: %s %s' % (what, detail))


def source_of(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def frame(path):
    page = open(path, encoding='utf-8').read()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    style, script = re.search(r'<style>(.*?)</style>', page, re.S), re.search(r'<script>(.*?)</script>', page, re.S)
    check('style of the policy', 'style-src ' + source_of(style.group(1)) + ';' in policy, policy)
    check('script of the policy', 'script-src ' + source_of(script.group(1)) + ';' in policy, policy)
    check('the policy begins with nothing', policy.startswith("default-src 'none';"), policy)
    check('links elsewhere', not re.search(r'<[a-z][^>]*\b(src|href|action)="?(?![#"])', page.replace(script.group(0), '')))
    shown = the_browser.open(path)
    clean(shown, path)
    # what the policy is for
    check('no script can be added', shown.run('''(() => { try { const s = document.createElement('script');
        s.text = 'window.broken = 1'; document.body.append(s); return !window.broken } catch (e) { return true } })()'''))
    check('no style can be added', shown.run('''(() => { const s = document.createElement('style');
        s.textContent = 'h1 { display: none }'; document.head.append(s);
        return getComputedStyle(document.querySelector('h1')).display !== 'none' })()'''))
    check('text cannot become HTML', shown.run('''(() => { try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>');
        return false } catch (e) { return e instanceof TypeError } })()'''))
    check('nothing can be fetched', shown.run(
        'fetch("https://example.invalid/").then(() => false, () => true)'))


def clean(page, path):
    check('requests', page.requests() == ['file://' + os.path.abspath(path)], page.requests())
    check('console', page.complaints() == [], page.complaints())


MATCHES = '''[...document.querySelectorAll('%s svg.map .match')].map(m => ({object: m.dataset.object, reference: m.dataset.reference,
    band: m.querySelector('.band').getAttribute('d'), rects: [...m.querySelectorAll('rect')].map(r =>
    ['x', 'width'].map(a => Number(r.getAttribute(a))))}))'''
STRIPS = '''[...document.querySelectorAll('%s svg.map .strip')].map(s => ({from: Number(s.dataset.from), scale: Number(s.dataset.scale),
    width: Number(s.closest('svg').dataset.width), margin: Number(s.closest('svg').dataset.margin)}))'''


def check_map(page, ranges, where=''):
    """ranges: (start, end) in the object, and in the reference"""
    matches, strips = page.run(MATCHES % where), page.run(STRIPS % where)
    check('a ribbon for each range', len(matches) == len(ranges), (len(matches), len(ranges)))
    for match, both in zip(matches, ranges):
        check('ranges', [match['object'], match['reference']] == ['%d %d' % (s, e - s) for s, e in both], (match, both))
        points = [float(n) for n in re.findall(r'-?\d+(?:\.\d+)?', match['band'])]
        drawn = [(points[0], points[2]), (points[9], points[8 - 1])]
        for side, ((start, end), strip) in enumerate(zip(both, strips)):
            x = [strip['margin'] + (at - strip['from']) / strip['scale'] * (strip['width'] - 2 * strip['margin'])
                 for at in (start, end)]
            x[1] = max(x[1], x[0] + 1.5)
            left, width = match['rects'][side]
            check('where a range is drawn', abs(left - x[0]) < .02 and abs(left + width - x[1]) < .03, (match, x))
            check('where a ribbon ends', abs(min(drawn[side]) - x[0]) < .02 and abs(max(drawn[side]) - x[1]) < .02, (match, x))


def pair(path, record):
    facts = json.load(open(record))
    page = the_browser.open(path)
    clean(page, path)
    check_map(page, [((r['obj_start'], r['obj_end']), (r['ref_start'], r['ref_end'])) for r in facts['ranges']])
    check('the verdict', facts['verdict'] in page.run('document.querySelector(".sentence").textContent'))
    check('both hashes', all(h in page.run('document.body.innerText') for h in (facts['sha1'], facts['ref_sha1'])))
    check('hatched unless proved', page.run('document.querySelectorAll("svg.map .band[fill^=url]").length') ==
          (0 if facts['proof'] == 'sha1' else len(facts['ranges'])))


ROWS = '''[...document.querySelectorAll('#findings tbody tr.finding')].map(r => [...r.children].map(c => c.innerText))'''
VERDICTS = ['identical', 'variant', 'embedded', 'fragment']


def number(text):
    return int(re.match(r'[\d,]+', text).group(0).replace(',', ''))


def press(page, key):
    for kind in ('keyDown', 'keyUp'):
        page.call('Input.dispatchKeyEvent', type=kind, key=key, code=key, text='\r' if key == 'Enter' else '',
                  windowsVirtualKeyCode={'Enter': 13, 'Tab': 9}[key])


def click(page, selector):
    page.run('document.querySelector(%s).click()' % json.dumps(selector))


def search(page, text):
    """Returns when the table shows the result."""
    page.run('''new Promise(done => { const i = document.querySelector('input[type=search]'); i.value = %s;
        i.dispatchEvent(new Event('input', {bubbles: true})); setTimeout(done, 250) })''' % json.dumps(text))


def place(page):
    return page.run('document.querySelector("#place").textContent')


def choose_rows(page, count):
    page.run('''(() => { const s = document.querySelector('.pager select'); s.value = '%d';
        s.dispatchEvent(new Event('change')) })()''' % count)


def check_counts(page, findings):
    tiles = page.run('[...document.querySelectorAll(".tiles li")].map(t => [t.className, t.querySelector("b").textContent])')
    for verdict in VERDICTS:
        wanted = sum(f['verdict'] == verdict for f in findings)
        check('tiles', [number(n) for v, n in tiles if v == verdict] == [wanted], (verdict, wanted, tiles))
    check('place', place(page).startswith('{:,} row'.format(len(findings))), place(page))
    check('a live region', page.run('document.querySelector("#place").getAttribute("aria-live")') == 'polite')


def check_sentence(page, findings):
    whole = sum(f['proof']['grade'] == 'sha1' or f['proof']['grade'] == 'blocks' and
                f['proof']['proved'] == f['proof']['blocks'] and len(f['ranges']) == 1 for f in findings)
    check('whole files', 'In {:,} of {:,} finding'.format(whole, len(findings)) in
          page.run('document.querySelector("#overview").textContent'), whole)


def check_places(page, findings):
    """The overview: how many findings begin in each part of the image, and where."""
    parts = page.run('''[...document.querySelectorAll('table.parts tbody tr')].map(r => ({
        about: r.querySelector('th').textContent, numbers: [...r.querySelectorAll('td.number')].map(c => c.textContent),
        bars: [...r.querySelectorAll('svg rect:not(.ground)')].map(b => [Number(b.getAttribute('x')), b.getAttribute('class')])}))''')
    check('the image and its volume', len(parts) == 2, parts)
    places = [(f['ranges'][0]['image'][0][0], f['verdict']) for f in findings if 'image' in f['ranges'][0]]
    check('places', len(places) > 3, places)
    for part in parts:
        start, end = [number(n) for n in re.search(r'bytes ([\d,]+) to ([\d,]+)', part['about']).groups()]
        inside = [(at, verdict) for at, verdict in places if start <= at < end]
        check('numbers of a part', [number(n) for n in part['numbers']] ==
              [sum(v == verdict for _, v in inside) for verdict in VERDICTS], (part, inside))
        check('bars of a part', sorted(map(tuple, part['bars'])) ==
              sorted({(int((at - start) / (end - start) * 200), verdict) for at, verdict in inside}), (part, inside))


def sorted_columns(page):
    return page.run('document.querySelectorAll("#findings th:not([aria-sort=none])[aria-sort]").length')


def check_order(page, findings):
    """Of the report at first, and again after the third click; between them by number."""
    numbers = [row[0] for row in page.run(ROWS)]
    by_number = sorted(numbers, key=lambda n: [int(part) for part in n.split('.')])
    check('the order of the report is that of no column', sorted_columns(page) == 0 and numbers != by_number, numbers)
    for wanted, columns in ((by_number, 1), (by_number[::-1], 1), (numbers, 0)):
        click(page, '#findings thead button')
        got = [row[0] for row in page.run(ROWS)]
        check('sorted by number', got == wanted and sorted_columns(page) == columns, (got, wanted))


def check_sort(page, column, values, numbers):
    for _ in range(2):
        page.run('document.querySelectorAll("#findings thead button")[%d].click()' % column)
        sort = page.run('document.querySelectorAll("#findings thead th")[%d].getAttribute("aria-sort")' % column)
        got = page.run(ROWS) if not numbers else page.run(
            '[...document.querySelectorAll("#findings tbody tr.finding")].map(r => r.children[%d].title)' % column)
        got = [number(v) for v in got] if numbers else [row[column].split('\n')[0] for row in got]
        check('sorted by column %d, %s' % (column, sort), got == sorted(values, reverse=sort == 'descending'), got[:5])
    check('one column is sorted', sorted_columns(page) == 1)


def name_of(finding):
    o = finding['object']
    return o.get('path') or '%s %s' % (o['kind'], o['address'])


def check_filters(page, findings):
    for verdict in VERDICTS:
        wanted = sum(f['verdict'] == verdict for f in findings)
        if not wanted:
            continue
        button = 'button.badge.' + verdict
        click(page, button)
        rows = page.run(ROWS)
        check('only ' + verdict, len(rows) == wanted and all(verdict in row[1] for row in rows), rows[:2])
        check('pressed', page.run('document.querySelector("%s").getAttribute("aria-pressed")' % button) == 'true')
        click(page, button)
    for text in {name_of(findings[0])[-12:], findings[-1]['reference'].get('name', '')[:9], 'no such text'}:
        search(page, text)
        wanted = sum(text.lower() in '\n'.join([name_of(f), f['object']['address'], f['reference'].get('name', '')]).lower()
                     for f in findings)
        check('search for ' + text, len(page.run(ROWS)) == wanted, (len(page.run(ROWS)), wanted))
    search(page, '')


def check_details(page, findings):
    """Opens each finding, by keyboard, and compares its picture."""
    rows = page.run(ROWS)
    check('every finding has a row', len(rows) == len(findings), rows[:3])
    for at, (row, finding) in enumerate(zip(rows, findings)):
        check('the number of a finding', row[0] == finding.get('id', row[0]) and re.fullmatch(r'\d+\.\d+\.\d+', row[0]), row)
        page.run('document.querySelectorAll(".expand")[%d].focus()' % at)
        press(page, 'Enter')
        details = page.run('document.querySelectorAll(".expand")[%d].getAttribute("aria-controls")' % at)
        check('expanded', page.run('document.querySelectorAll(".expand")[%d].getAttribute("aria-expanded")' % at) == 'true')
        text = page.run('document.querySelector("#%s").textContent' % details)
        for fact in (finding['object']['address'], finding['set']['name'], 'kith extract CASE %s -d FOLDER' % row[0],
                     *finding['reference']['digests'].values()):
            check('details of ' + row[0], fact in text, fact)
        check_map(page, [(r['object'], r['reference']) for r in finding['ranges']], '#' + details)
        check_sectors(page, finding, details)
        check('where it begins', ('begins at sector' in text) == ('image' in finding['ranges'][0]), text)
        parent = finding['object'].get('parent')
        check('what it is packed in', ('packed in' + (parent or '')) in text if parent else 'packed in' not in text, text)
        check('packed bytes have no place', ('no place of its own' in text) == bool(parent and 'image' not in finding['ranges'][0]), text)
        check('samples prove nothing', ('appears to' in text) == (finding['proof']['grade'] == 'estimate'), text)
        check('twins that are not listed', text.count('not listed here') == len(finding.get('twins', [])), text)
        proved = finding['proof']['grade'] == 'sha1' or page.run(
            'document.querySelector("#%s svg.map").classList.contains("proved")' % details)
        check('hatched unless proved', page.run(
            'document.querySelectorAll("#%s .band[fill^=url]").length' % details) == (0 if proved else len(finding['ranges'])))
        press(page, 'Enter')
        check('closed', not page.run('document.querySelector("#%s")' % details))


def check_sectors(page, finding, details):
    cells = page.run('''[...document.querySelectorAll('#%s table.ranges tbody tr')].map(r => [...r.children].map(c => c.textContent))
        ''' % details)
    for cell, wanted in zip(cells, finding['ranges']):
        if 'image' in wanted:
            first = wanted['image'][0][0]
            check('the place on the image', [number(c) for c in cell[5:7]] == [first, first // 512], (cell, wanted))


def case(path, jsonl):
    findings = [line for line in map(json.loads, open(jsonl)) if line['type'] == 'finding']
    check('findings to compare with', len(findings) > 3, len(findings))
    page = the_browser.open(path)
    check_counts(page, findings)
    check_sentence(page, findings)
    check_places(page, findings)
    choose_rows(page, 1000)
    check_details(page, findings)
    check_filters(page, findings)
    check_order(page, findings)
    check_sort(page, 2, [name_of(f) for f in findings], False)
    check_sort(page, 3, [f['object']['size'] for f in findings], True)
    check_sort(page, 5, [f['matched'] for f in findings], True)
    click(page, '#open-all')
    check('all are open', page.run('document.querySelectorAll("tr.more").length') == len(findings))
    clean(page, path)


def plain(path, count):
    page = the_browser.open(path, scripts=False)
    check('rows without scripts', len(page.run(ROWS)) == int(count), len(page.run(ROWS)))
    check('it says so', 'Scripts are off' in page.run('document.body.innerText'))
    check('no controls', page.run('document.querySelectorAll("main button").length') == 0)
    clean(page, path)


def axe(path, script):
    for features in ((), (('prefers-color-scheme', 'dark'),)):
        page = the_browser.open(path, features=features)
        if page.run('Boolean(document.querySelector("#open-all"))'):
            click(page, '#open-all')
        page.run(open(script).read() + '; 1')
        found = page.run('''axe.run().then(r => r.violations.map(v => v.id + ': ' + v.help + ' ' +
            v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + (n.any[0] || {message: ''}).message).join(' | ')))''')
        for violation in found:
            check('axe', False, violation)


def hostile(path, text):
    page = the_browser.open(path)
    choose_rows(page, 1000)
    check('shown as text', text in page.run('document.querySelector("#findings").innerText'))
    check('no element of it', page.run('document.querySelectorAll("#findings img, #findings script").length') == 0)
    clean(page, path)


def bytes_of(path, file):
    """The dumps of the first finding are bytes of the file, and it is shown as a picture."""
    data = open(file, 'rb').read()
    page = the_browser.open(path)
    page.run('document.querySelector(".expand").click()')
    dumps = page.run('[...document.querySelectorAll(".hex")].map(d => d.textContent)')
    check('both ends', len(dumps) == 2, dumps)
    for dump in dumps:
        for line in dump.split('\n'):
            offset, shown = int(line[:12]), bytes.fromhex(line[14:61].strip())
            check('bytes at %d' % offset, shown == data[offset:offset + len(shown)], line)
            check('text', line[63:] == ''.join(chr(c) if 32 <= c < 127 else '.' for c in shown), line)
    check('to the last byte', dumps[1].count('\n') == 3 and offset + len(shown) == len(data), dumps)
    check('a picture', page.run('''(async () => { const i = document.querySelector('.preview img'); await i.decode();
        return [i.naturalWidth, i.naturalHeight] })()''') == [40, 30])
    clean(page, path)


MODES = {'bytes': bytes_of, 'frame': frame, 'pair': pair, 'case': case, 'plain': plain, 'axe': axe, 'hostile': hostile}
with Browser() as the_browser:
    while len(sys.argv) > 1:
        end = sys.argv.index('--') if '--' in sys.argv else len(sys.argv)
        before = failures
        MODES[sys.argv[1]](*sys.argv[2:end])
        if failures > before:
            print('FAILED: ' + ' '.join(sys.argv[1:end]))
        del sys.argv[1:end + 1]
sys.exit(failures > 0)
