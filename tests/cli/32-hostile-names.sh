#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Names that control a terminal, hide or end a line never reach one: every command, on both outputs, in a pipe and on a
# terminal.  And no cell of a CSV is a formula, whatever separator the reader uses.
. "$(dirname "$0")/lib.sh"
images
cat >walk.py <<'PY'
import csv, io, os, pty, re, subprocess, sys, threading
KITH = os.environ['KITH']
# no slash, and no zero: each name has as many characters of one kind as fit
NAMES = [
    bytes(range(1, 32)) + b'\x7f',
    ''.join(map(chr, range(0x80, 0xa0))).encode(),
    b'a'.join(bytes([c]) for c in range(0x80, 0xa0)),
    ''.join(map(chr, [0x61c, *range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x2065),
                      *range(0x2066, 0x2070), 0xad, 0xfeff, 0xfe0f, 0x34f, 0x180e, 0xfff9, 0xe0041])).encode(),
    b'\x1b[31;1m\x1b]0;title\x07\x1b[2J\x1bP1$r\x1b\\\x9b1;1H\xc2\x9d0;t\xc2\x9c\r\n',
    b'=1+1;=2;@x;"=3" ;+4;\t=5',
    b'\xc0\x9b\xe0\x80\x9b\xf0\x82\x80\xae\xed\xa0\x80\xff\xe2\x80',
]
BAD = re.compile('[\0-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f'
                 '\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\udc80-\udcff]')
LENIENT = re.compile(BAD.pattern.replace('\\udc80-\\udcff', '\\udc80-\\udc9f').replace('\udc80-\udcff', '\udc80-\udc9f'))
runs, faults, shown, terminal = 0, 0, set(), True

def on_terminal(args, given):
    parent, child = pty.openpty()
    process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=child, stderr=child)
    os.close(child)
    threading.Thread(target=lambda: process.communicate(given)).start()
    data = b''
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        data += piece
    os.close(parent)
    process.wait()
    return data.replace(b'\r\n', b'\n')

def check(args, data, pattern):
    global faults
    text = data.replace(b'\r\n', b'\n').decode('utf-8', 'surrogateescape')
    found = pattern.search(text)
    shown.update(re.findall(r'\\x([0-9a-f]{2})', text))
    if found and faults < 20:
        faults += 1
        print('FAILED:', args, 'writes', ascii(text[max(0, found.start() - 60):found.end() + 20]))
    return text

def kith(*args, given=b'', forms=False):
    """Runs it in pipes and on a terminal; what it wrote to the pipe."""
    global runs
    args = [os.fsencode(KITH)] + [a if isinstance(a, bytes) else a.encode() for a in args]
    pattern = LENIENT if forms else BAD
    runs += 1
    done = subprocess.run(args, input=given, capture_output=True, timeout=120)
    if done.returncode < 0 or done.returncode > 4:
        print('FAILED:', args, 'exit', done.returncode)
        sys.exit(1)
    out = check(args, done.stdout, pattern)
    check(args, done.stderr, BAD)
    if terminal and b'--csv' not in args:
        check(args, on_terminal(args, given), pattern)
    return out

def no_formulas(text, *columns):
    """Neither with the comma nor with the semicolon as separator."""
    global faults
    formula = re.compile('[ "]*[=+@\uff1d]|[ "]*-[^@]')
    rows = list(csv.DictReader(io.StringIO(text, newline='')))
    assert rows, 'no rows'
    cells = [r[c] or '' for r in rows for c in columns]
    cells += [c for r in csv.reader(io.StringIO(text, newline=''), delimiter=';') for c in r]
    for cell in cells:
        if formula.match(cell):
            faults += 1
            print('FAILED: a formula:', ascii(cell))
    return rows

def turned_back(cell):
    taken = re.sub(r'''(^|;)'(?=[ "']*[=+@\uff1d\uff0b\uff0d\uff20-])''', r'\1', cell)
    return re.sub(rb'\\(\\|x[0-9a-f]{2})', lambda m: b'\\' if m[1] == b'\\' else bytes([int(m[1][1:], 16)]), taken.encode())

os.mkdir('tree')
words = b'The quick brown fox jumps over the lazy dog. ' * 40
for i, name in enumerate(NAMES):
    open(b'tree/' + name, 'wb').write(b'%d ' % i + os.urandom(3000) + words)
subprocess.run(['mke2fs', '-q', '-t', 'ext4', '-d', 'tree', '-L', '\x1b[1m\u202e', 'disk.img', '8M'], check=True)

# ---- names in evidence ----
for evidence in 'tree', 'disk.img':
    for form in '--long', '--summary', '--json', '--body', '--csv':
        text = kith('ls', form, '--hash', evidence)
    rows = no_formulas(text, 'path', 'evidence', 'status')
    by_hex = {bytes.fromhex(r['path_hex']) for r in rows if r['path_hex']}
    assert set(NAMES) <= by_hex, 'path_hex lacks names'
    assert set(NAMES) <= {turned_back(r['path']) for r in rows}, 'paths cannot be turned back'
kith('sign', 'tree'), kith('sign', '--json', 'tree')
kith('sign', '-0', given=b'\0'.join(b'tree/' + n for n in NAMES) + b'\0nowhere\x1b[2J\0')
kith('add', '--md5', '--sha256', 's.kith', 'tree')
kith('add', 's.kith', 'disk.img')
kith('add', 's.kith', 'disk.img', 'nowhere\x1b')
for form in '--text', '--csv':
    text = kith('scan', form, '--all', '-r', 's.kith', 'tree', 'disk.img')
no_formulas(text, 'path', 'ref_name')
kith('scan', '-r', 's.kith', '--case', 'c.case', 'disk.img', 'tree')
for form in '--text', '--csv', '--about', '--check':
    kith('report', form, 'c.case')
kith('report', '--text', '--all', 'c.case')
for form in 'jsonl', 'dfxml', 'case', 'timesketch', 'summary':
    kith('report', '--format', form, '--all', 'c.case')
numbers = re.findall(r' finding ([0-9.]+)$', kith('report', '--text', 'c.case'), re.M)
kith('explain', 'c.case', *numbers)
kith('extract', '-d', 'extracted', 'c.case', *numbers), kith('extract', '-d', 'extracted', 'disk.img', *NAMES)
no_formulas(check(['manifest.csv'], open('extracted/manifest.csv', 'rb').read(), BAD), 'path', 'evidence', 'reason')
for form in '--text', '--csv', '--json':
    text = kith('audit', *([form] if form != '--text' else []), '--all', 's.kith', 'tree', 'disk.img')
    if form == '--csv':
        no_formulas(text, 'path', 'known', 'evidence')
for form in '--csv', '--json', '--sha1sum', '--hashdeep':
    text = kith('export', form, 's.kith', forms=form in ('--sha1sum', '--hashdeep'))
    if form == '--csv':
        assert set(NAMES) <= {bytes.fromhex(r['name_hex']) for r in no_formulas(text, 'name') if r['name_hex']}
for action in 'info', 'list', 'verify':
    kith('sets', action, 's.kith')
kith('sets', 'info', '--json', 's.kith'), kith('sets', 'list', '--csv', 's.kith')

# ---- names on the command line ----
open('list', 'w').write('sha1,name\n%040d,x\nbroken,\x1b[1my\n' % 7)
sums = b''.join(b'\\%040d  \\x%02x[2J\n' % (i, c) for i, c in enumerate(range(1, 256))) + b'\\%040d  \\q\x1b\n' % 999
for i, name in enumerate([NAMES[0] + NAMES[1] + NAMES[4], NAMES[2] + NAMES[5], NAMES[3] + NAMES[6]]):
    terminal = i == 0
    base, there = b'./' + name, b'tree/' + name
    open(there, 'wb').write(os.urandom(3000) + words)
    kith('compare', there, b'tree/' + NAMES[i]), kith('compare', '--json', there, there), kith('compare', there, base)
    kith('add', base + b'.kith', there, base)
    kith('add', '--note', name, '--category', name, '--name', name, base + b'.kith', there), kith('add', base + b'.kith', there, base)
    kith('add', '--name', 'x' + name.decode('latin-1'), base + b'.kith', there)
    open(base + b'.img', 'wb').write(open('disk.img', 'rb').read())
    open(base + b'.list', 'wb').write(open('list', 'rb').read() + b'x' + name + b'\n')
    open(base + b'.sums', 'wb').write(sums)
    for form in '--summary', '--long', '--csv', '--body', '--json':
        kith('ls', form, base + b'.img')
    kith('ls', base), kith('ls', '-o', '999', base + b'.img')
    kith('scan', '--text', '-r', base + b'.kith', base + b'.img', there), kith('scan', '-r', base, there)
    kith('scan', '-r', base + b'.kith', '--include', name, '--case', base + b'.case', base + b'.img')
    kith('scan', '-r', base + b'.kith', '--case', base + b'.case', there, base)
    kith('report', base + b'.case'), kith('report', '--about', base + b'.case'), kith('report', '--check', base + b'.case')
    kith('report', base + b'.img'), kith('report', base)
    kith('extract', '-d', base + b'.out', '--verdict', 'identical', base + b'.case'), kith('extract', '-d', base + b'.out2', base + b'.img', name)
    kith('extract', '-d', base + b'/x', base + b'.case', name), kith('explain', base + b'.case', name), kith('explain', base, '1.1.1')
    kith('audit', base + b'.kith', there, base), kith('audit', base, there)
    kith('import', base + b'2.kith', base + b'.list'), kith('import', base + b'2.kith', base + b'.sums')
    kith('import', base + b'2.kith', base), kith('import', base + b'2.kith', base + b'.img')
    for action in 'info', 'list', 'verify', 'compact':
        kith('sets', action, base + b'.kith'), kith('sets', action, base), kith('sets', action, base + b'.img')
    for action in 'merge', 'subtract', 'intersect':
        new = base + b'.' + action.encode()
        kith('sets', action, '-o', new, base + b'.kith', base + b'2.kith'), kith('sets', action, '-o', new, base, base)
    for form in '--csv', '--json', '--sha1sum', '--hashdeep':
        kith('export', form, base + b'.kith', forms=form in ('--sha1sum', '--hashdeep'))
    kith('export', '-o', base + b'.list', base + b'.kith'), kith('export', base), kith('export', '--kdb', '-o', base + b'.db', base + b'2.kith')
    damaged = bytearray(open(base + b'.kith', 'rb').read())
    damaged[-2000:-1900] = bytes(100)
    open(base + b'3.kith', 'wb').write(damaged)
    kith('sets', 'verify', base + b'3.kith'), kith('sets', 'verify', '--repair', base + b'3.kith')
    kith(name), kith('help', name), kith('completion', name), kith('ls', '--' + 'x', name), kith('ls', b'--x' + name), kith('ls', b'-' + name[:1], base)
    for option in '-i', '-f', '-o', '--only', '-j':
        kith('ls', option, name, base + b'.img')
    for option in '-t', '--blocks', '--min-matched':
        kith('scan', option, name, '-r', 's.kith', there)
    kith('add', '--kind', name, base + b'.kith', there), kith('sign', '-s', name, there), kith('sign', base), kith('sets', name)

# the test would be void if the names were not shown at all
missing = {'%02x' % c for c in [*range(1, 32), 0x7f, *range(0x80, 0xa0), 0xc2, 0xe2, 0xff] if c not in b'/'} - shown
if missing:
    faults += 1
    print('FAILED: never shown:', sorted(missing))
print(runs, 'commands')
sys.exit(faults > 0)
PY
python3 walk.py || fail "walk.py"
finish
