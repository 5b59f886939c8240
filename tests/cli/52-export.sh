#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Other programs read what kith export writes.
. "$(dirname "$0")/lib.sh"

mkdir -p tree/sub
for i in $(seq 1 30); do echo "$i $((i * 211)) tree/file $i"; done | texts
text 3 633 >"tree/$(printf 'back\\slash')"
text 99 999 >"tree/sub/$(printf 'new\nline')"
text 98 998 >"tree/sub/$(printf '\377\376')"
text 97 997 >"tree/=cmd|x"
status 0 "$KITH" add --md5 --sha256 -q s.kith tree

status 0 "$KITH" export --sha1sum s.kith
cp out sums
(cd tree && sha1sum -c --quiet ../sums) || fail "sha1sum does not find the exported names"
same "lines" 33 "$(grep -c . sums)"

# Names that control a terminal: on standard output they are escaped, even where sha1sum then refuses the line; in a
# file they are written as sha1sum writes them.
python3 - <<'PY' || fail "no folder of hostile names"
import os
names = [b'new\nline', b'back\\slash', b'return\r', b'  blanks  ', b'\xff\xfe', b'\x80\x9b2J', b'\x1b[2J', 'C1\u009b2J'.encode(),
         'photo\u202egpj.exe'.encode(), '\u200bhidden'.encode(), b'*star', b'-dash', b'#hash', b'\\x41', b'\\n', 'gr\u00fcn'.encode(),
         b'tab\there', b'a, b', b'=1+1;=2', b'\x7f']
os.mkdir('hostile')
for i, name in enumerate(names):
    open(b'hostile/' + name, 'wb').write(b'content %d\n' % i * 50)
PY
status 0 "$KITH" add --md5 --sha256 -q h.kith hostile
status 0 "$KITH" export --sha1sum -o h.sums h.kith
(cd hostile && sha1sum -c --strict --quiet ../h.sums) || fail "sha1sum does not find files with hostile names"
same "lines of a file" 20 "$(wc -l <h.sums)"
status 0 "$KITH" export --sha1sum h.kith
cp out h.shown
(cd hostile && LC_ALL=C sha1sum -c ../h.shown >checked 2>&1)
same "files found by what is shown" 13 "$(grep -c ': OK$' hostile/checked)"
same "files not found" 0 "$(grep -c FAILED hostile/checked)"
says hostile/checked "7 lines are improperly formatted"
status 0 "$KITH" export --hashdeep h.kith
cp out h.deep
python3 - h.shown h.deep hostile <<'PY' || fail "hostile names are shown raw, or cannot be converted back"
import hashlib, os, re, sys
def safe(data):
    text = data.decode('utf-8', 'surrogateescape')
    assert not re.search('[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\udc80-\udc9f]', text), text
truth = {hashlib.sha1(open(os.path.join(os.fsencode(sys.argv[3]), n), 'rb').read()).hexdigest(): n
         for n in os.listdir(os.fsencode(sys.argv[3])) if n != b'checked'}
def byte(match):
    meant = {b'\\': b'\\', b'n': b'\n', b'r': b'\r'}
    return meant[match[1]] if match[1] in meant else bytes([int(match[1][1:], 16)])
for form in 1, 2:
    lines = open(sys.argv[form], 'rb').read().split(b'\n')
    safe(b'\n'.join(lines))
    lines = [l for l in lines if l and l[:1] not in (b'%', b'#')]
    assert len(lines) == 20
    for line in lines:
        if form == 1:
            marked, sha1, name = re.fullmatch(rb'(\\?)([0-9a-f]{40})  (.*)', line).groups()
            name = re.sub(rb'\\(\\|n|r|x[0-9a-f]{2})', byte, name) if marked else name
        else:
            sha1, name = line.split(b',', 4)[2], line.split(b',', 4)[4]
            name = re.sub(rb'\\(x[0-9a-f]{2})', byte, name)
        assert truth[sha1.decode()] == name, (line, name)
PY
rm hostile/checked
status 0 "$KITH" import -q again.kith h.shown
same "names recovered from what is shown" "$("$KITH" export h.kith | cut -d, -f2,6- | sed 's/,1,[^,]*,[^,]*$//' | sort)" \
    "$("$KITH" export again.kith | cut -d, -f2,6- | sed 's/,1,[^,]*,[^,]*$//' | sort)"

status 0 "$KITH" export --csv s.kith
python3 - out tree <<'PY' || fail "the CSV does not match the folder"
import csv, hashlib, os, sys
data = open(sys.argv[1], 'rb').read()
assert data.count(b'\r\n') == 34 and b'\n' not in data.replace(b'\r\n', b'')
rows = list(csv.DictReader(data.decode('utf-8').splitlines()))
assert [r['id'] for r in rows] == [str(i + 1) for i in range(33)]
for r in rows:
    assert not r['name'].startswith(('=', '+', '-', '@'))
    name = bytes.fromhex(r['name_hex']) if r['name_hex'] else r['name'].encode()
    content = open(os.path.join(os.fsencode(sys.argv[2]), name), 'rb').read()
    for kind in ('sha1', 'md5', 'sha256'):
        assert r[kind] == hashlib.new(kind, content).hexdigest()
    assert int(r['size']) == len(content)
PY

status 0 "$KITH" export --hashdeep s.kith
cp out deep
if command -v hashdeep >/dev/null; then
    (cd tree && find . -type f -exec hashdeep -k ../deep -m -s {} + | wc -l) >count
    same "files that hashdeep finds" 35 "$(cat count)"
fi
status 2 "$KITH" export --kdb s.kith
says err "-o"
status 0 "$KITH" export --kdb -o s.kdb s.kith
python3 - s.kdb tree <<'PY' || fail "the kdb does not match the folder"
import hashlib, os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
there = {m for (m,) in db.execute('SELECT md5 FROM hashes')}
truth = {hashlib.md5(open(os.path.join(f, n), 'rb').read()).digest() for f, _, ns in os.walk(sys.argv[2]) for n in ns}
assert there == truth
PY
if command -v hfind >/dev/null; then
    md5=$(md5sum <"tree/file 7" | cut -c1-32)
    hfind s.kdb "$md5" >found 2>&1
    says found "file 7"
    hfind s.kdb 00000000000000000000000000000000 >found 2>&1
    says found "Hash Not Found"
fi
status 2 "$KITH" export --kdb -o s.kdb s.kith
says err "s.kdb: File exists"
status 0 "$KITH" export -o file.csv s.kith
[ -s out ] && fail "-o writes to standard output"
status 0 "$KITH" export s.kith
cmp -s out file.csv || fail "-o writes something else"
status 2 "$KITH" export -o file.csv s.kith

# files that share an MD5: The Sleuth Kit can hold one of them
printf 'sha1,md5,name\n' >same.csv
printf '%040d,%032d,%s\n' 1 2 first 2 1 second 3 2 third >>same.csv
status 0 "$KITH" import -q same.kith same.csv
status 3 "$KITH" export --kdb -o same.kdb same.kith
says err "1 file left out"
same "names of the first" "first third" "$(python3 -c 'import sqlite3
print(*[n for (n,) in sqlite3.connect("same.kdb").execute("SELECT name FROM file_names JOIN hashes ON id = hash_id WHERE md5 = ? ORDER BY name", (bytes(15) + b"\x02",))])')"

# a missing set leaves no output file
status 2 "$KITH" export -o fresh nowhere.kith
[ -e fresh ] && fail "an output was created for a missing set"

# what a format cannot hold is left out and reported
(cd tree && md5sum -- file*) >list
status 0 "$KITH" import -q m.kith list
status 3 "$KITH" export --sha1sum m.kith
says err "30 files left out"
status 3 "$KITH" export --hashdeep m.kith
status 2 "$KITH" export
status 2 "$KITH" export s.kith m.kith
status 2 "$KITH" export --csv --json s.kith
says err "contradict each other"
status 2 "$KITH" export nowhere.kith
says err "nowhere.kith: No such file"
status 2 "$KITH" export tree
finish
