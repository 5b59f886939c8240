# SPDX-License-Identifier: Apache-2.0
"""What a page of `kith report --format html` or `kith compare --format html` must be, in a real browser.

    python3 html.py frame PAGE         the policy, recomputed; nothing is loaded from elsewhere
    python3 html.py pair PAGE JSON     the picture of `kith compare`, beside its ranges
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
    check('links elsewhere', not re.search(r'\b(src|href|action)\s*=\s*["\']?(?!#|data:)', page.replace(script.group(0), '')))
    with Browser() as browser:
        shown = browser.open(path)
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


MATCHES = '''[...document.querySelectorAll('svg.map .match')].map(m => ({object: m.dataset.object, reference: m.dataset.reference,
    band: m.querySelector('.band').getAttribute('d'), rects: [...m.querySelectorAll('rect')].map(r =>
    ['x', 'width'].map(a => Number(r.getAttribute(a))))}))'''
STRIPS = '''[...document.querySelectorAll('svg.map .strip')].map(s => ({from: Number(s.dataset.from), scale: Number(s.dataset.scale),
    width: Number(s.closest('svg').dataset.width), margin: Number(s.closest('svg').dataset.margin)}))'''


def check_map(page, ranges):
    """ranges: (start, end) in the object, and in the reference"""
    matches, strips = page.run(MATCHES), page.run(STRIPS)
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
    with Browser() as browser:
        page = browser.open(path)
        clean(page, path)
        check_map(page, [((r['obj_start'], r['obj_end']), (r['ref_start'], r['ref_end'])) for r in facts['ranges']])
        check('the verdict', facts['verdict'] in page.run('document.querySelector(".sentence").textContent'))
        check('both hashes', all(h in page.run('document.body.innerText') for h in (facts['sha1'], facts['ref_sha1'])))
        check('hatched unless proved', page.run('document.querySelectorAll("svg.map .band[fill^=url]").length') ==
              (0 if facts['proof'] == 'sha1' else len(facts['ranges'])))


{'frame': frame, 'pair': pair}[sys.argv[1]](*sys.argv[2:])
sys.exit(failures > 0)
