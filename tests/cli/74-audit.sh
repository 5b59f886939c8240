#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith audit: the same as hashdeep's audit on a folder, and on images what they were made of.
. "$(dirname "$0")/lib.sh"
images python3 hashdeep

# Many files are changed in every way at random; each file has the same status as with hashdeep, which cannot see what varies.
cat >compare.py <<'PY'
import collections, json, os, random, re, shutil, subprocess, sys
r = random.Random(int(sys.argv[1]))
kith = os.environ['KITH']
shutil.rmtree('k', ignore_errors=True), shutil.rmtree('e', ignore_errors=True)
words = [''.join(r.choice('etaoinshrdlu') for _ in range(r.randint(2, 9))) for _ in range(2000)]
def text(size):
    return ' '.join(r.choice(words) for _ in range(size // 6)).encode()
def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, 'wb').write(data)
contents = [text(r.choice((0, 60, 5000, 30000))) for _ in range(40)]
unique = sys.argv[2] == 'list' # of a list, only the first name of each content is kept
for i in range(40 if unique else 60): # some contents have several names
    write(f'k/{r.choice("abc")}/{i:03}', text(5000 + i) if unique else r.choice(contents))
shutil.copytree('k', 'e')
files = sorted(os.path.join(folder, name) for folder, _, names in os.walk('e') for name in names)
varied = set()
for path in files:
    what = r.random()
    if what < .15:
        os.remove(path)
    elif what < .3:
        os.rename(path, path + '.moved')
    elif what < .4:
        shutil.copy(path, path + '.copy')
    elif what < .5:
        data = bytearray(open(path, 'rb').read())
        if len(data) > 4000:
            data[len(data) // 2] ^= 1
            varied.add(path[2:])
            open(path, 'wb').write(data)
for i in range(5):
    write(f'e/new{i}', text(9000))
listed = subprocess.run(['hashdeep', '-r', '-l', '.'], cwd='k', capture_output=True).stdout
# the first of several names with the same content counts as moved: of the list as of a set, the first by name
lines = listed.splitlines(keepends=True)
open('list', 'wb').writelines([l for l in lines if l[:1] in b'%#'] + sorted([l for l in lines if l[:1] not in b'%#'], key=lambda l: l.split(b',')[3]))
audit = subprocess.run(['hashdeep', '-r', '-l', '-a', '-vvv', '-k', '../list', '.'], cwd='e', capture_output=True, text=True)
expected = collections.Counter()
for line in audit.stdout.splitlines():
    for words, status in ((': Ok', 'matched'), (': No match', 'new'), (': Known file not used', 'missing'), (': Moved from', 'moved')):
        if words in line:
            expected[status, line[:line.rindex(words)][2:]] += 1
for source in sys.argv[2], 'k':
    if os.path.exists('set.kith'):
        os.remove('set.kith')
    subprocess.run([kith, 'import' if source == 'list' else 'add', '-q', 'set.kith', source], check=True)
    got = subprocess.run([kith, 'audit', '--json', '--all', 'set.kith', 'e'], capture_output=True, text=True)
    rows = [json.loads(line) for line in got.stdout.splitlines()]
    found = collections.Counter((row['status'].replace('varied', 'new'), re.sub('^[.]/', '', row['path'])) for row in rows[:-1])
    # where several names have one content, hashdeep says that of any of them was moved
    if found != expected:
        print('FAILED:', source, sorted((found - expected).items()), sorted((expected - found).items()))
    if (got.returncode, rows[-1]['audit']) != (audit.returncode, 'failed'):
        print('FAILED: exit', got.returncode, rows[-1])
    if source == 'k' and {row['path'] for row in rows[:-1] if row['status'] == 'varied'} != varied:
        print('FAILED: varied', varied)
if subprocess.run([kith, 'audit', 'set.kith', 'k']).returncode:
    print('FAILED: it does not pass')
PY
for seed in "1 k" "2 k" "3 list"; do
    # shellcheck disable=SC2086
    python3 compare.py $seed >said 2>&1 || fail "seed $seed: $(cat said)"
    grep -q FAILED said && fail "seed $seed: $(cat said)"
    says said "audit passed:"
done

# An image has what it was made of: alone, in a partition, in a container, and by a set that was made of an image.
mkdir -p disk/sub known
texts <<'END'
1 60000 disk/a.txt
2 100000 disk/sub/b.txt
3 20000 disk/c.txt
END
: >disk/empty
cp -r disk/. known
"$KITH" add -q known.kith known
mke2fs -q -F -t ext4 -d disk disk.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
{ head -c 1M /dev/zero; cat disk.img; } >parts.img
echo "start=2048, type=83" | sfdisk -q parts.img 2>/dev/null
ewfacquirestream -q -c fast -t disk >/dev/null 2>&1 <disk.img
"$KITH" add -q of-parts.kith parts.img
for pair in "known.kith disk.img" "known.kith parts.img" "known.kith disk.E01" "of-parts.kith parts.img"; do
    # shellcheck disable=SC2086
    status 0 "$KITH" audit $pair
    same "$pair" "audit passed: 4 matched, 0 moved, 0 varied, 0 new, 0 missing" "$(cat out)"
done
md5sum disk/a.txt disk/sub/b.txt disk/c.txt disk/empty | sed 's, disk/, ,' >list.md5
"$KITH" import -q md5.kith list.md5
status 0 "$KITH" audit md5.kith disk.img

# Another image: an edited file, one that holds a known one, one elsewhere, one missing, and a name that is hostile.
rm disk/empty
mv disk/c.txt disk/sub/
{ head -c 30000 known/a.txt; echo edited; tail -c +30011 known/a.txt; } >disk/a.txt
{ text 9 30000; cat known/sub/b.txt; text 8 30000; } >disk/holder
text 10 5000 >$'disk/=cmd\n\e[2J'
mke2fs -q -F -t ext4 -d disk other.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
status 1 "$KITH" audit known.kith other.img
sort out >sorted
same "all of it" 'audit failed: 1 matched, 1 moved, 2 varied, 1 new, 2 missing
missing    a.txt
missing    empty
moved      sub/c.txt (known as c.txt)
new        =cmd\x0a\x1b[2J
varied     a.txt (variant 1.000 of a.txt)
varied     holder (embedded 1.000 of sub/b.txt)' "$(sed 's/variant 0.99./variant 1.000/' sorted)"
status 1 "$KITH" audit --csv --all known.kith other.img
says err "kith: audit failed: 1 matched, 1 moved, 2 varied, 1 new, 2 missing"
python3 - <<'PY' || fail "the CSV is wrong"
import csv, hashlib
rows = {(row['status'], row['path']): row for row in csv.DictReader(open('out', newline=''))}
assert len(rows) == 7, rows
assert rows['matched', 'sub/b.txt']['sha1'] == hashlib.sha1(open('known/sub/b.txt', 'rb').read()).hexdigest()
assert rows['varied', 'holder']['verdict'] == 'embedded' and float(rows['varied', 'holder']['score']) == 1
assert rows['missing', 'empty']['size'] == '0' and rows['missing', 'empty']['address'] == ''
assert rows['new', "'=cmd\\x0a\\x1b[2J"]['path_hex'] == b'=cmd\n\x1b[2J'.hex()
PY
status 1 "$KITH" audit --bare --json known.kith other.img
same "bare" "2 0" "$(tail -n 1 out | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["matched"], d["moved"])')"

# What cannot be read keeps it from passing.
ewfacquirestream -q -c none -t bad >/dev/null 2>&1 <disk.img
python3 - <<'PY'
image, text = open('bad.E01', 'rb').read(), open('known/sub/b.txt', 'rb').read()
at = image.find(text[50000:50100])
open('bad.E01', 'wb').write(image[:at] + bytes([image[at] ^ 1]) + image[at + 1:])
PY
status 3 "$KITH" audit -q known.kith bad.E01
says out "unreadable sub/b.txt: "
says out "audit incomplete: 3 matched, "

status 3 "$KITH" audit known.kith nowhere
says out "audit incomplete: 0 matched, 0 moved, 0 varied, 0 new, 4 missing"

status 2 "$KITH" audit known.kith
says err "no evidence given"
status 2 "$KITH" audit
says err "no set given"
status 2 "$KITH" audit disk.img known.kith
finish
