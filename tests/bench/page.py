# SPDX-License-Identifier: Apache-2.0
"""How fast a page is: page.py PAGE.  The best of three times until it is loaded and its table shown, in headless Chromium, what
sorting, filtering and searching take, and the memory of the process that shows it."""
import os, sys, time

sys.path.insert(0, os.path.join(os.environ['SRCDIR'], 'tests/data'))
from browser import Browser, find


def renderer(group):
    """The largest process of the browser, in MB."""
    largest = 0
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.getpgid(int(pid)) == group:
                with open('/proc/%s/smaps_rollup' % pid) as file:
                    largest = max([largest] + [int(line.split()[1]) for line in file if line.startswith('Pss:')])
        except (ProcessLookupError, FileNotFoundError, PermissionError):
            pass
    return largest / 1024


STEPS = [
    ('sort by size', 'document.querySelectorAll("#findings thead button")[3].click()'),
    ('only variants', 'document.querySelector("button.badge.variant").click()'),
    ('search', '''new Promise(done => { const i = document.querySelector('input[type=search]'); i.value = 'user42';
        const before = document.querySelector('#place').textContent;
        i.dispatchEvent(new Event('input', {bubbles: true}));
        const end = () => document.querySelector('#place').textContent !== before ? done() : setTimeout(end, 5); end() })'''),
]
if not find():
    sys.exit('there is no chromium')
times, steps = [], {}
for _ in range(3):
    with Browser() as browser:
        page = browser.open(sys.argv[1])
        rows = page.run('document.querySelectorAll(".expand").length')
        times.append(time.monotonic() - page.start)
        if not rows:
            sys.exit('the page shows no finding')
        memory = renderer(browser.process.pid)
        for name, script in STEPS:
            start = time.monotonic()
            page.run(script)
            steps[name] = min(steps.get(name, 99), time.monotonic() - start)
print('%-16s %6.2f s  %6.0f MB' % ('interactive', min(times), memory))
for name, seconds in steps.items():
    print('%-16s %6.2f s' % (name, seconds))
