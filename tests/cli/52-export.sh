#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Other programs read what kith export writes.
. "$(dirname "$0")/lib.sh"

mkdir -p tree/sub
for i in $(seq 1 30); do text "$i" $((i * 211)) >"tree/file $i"; done
text 3 633 >"tree/$(printf 'back\\slash')"
text 99 999 >"tree/sub/$(printf 'new\nline')"
text 98 998 >"tree/sub/$(printf '\377\376')"
text 97 997 >"tree/=cmd|x"
status 0 "$KITH" add --md5 --sha256 -q s.kith tree

status 0 "$KITH" export --sha1sum s.kith
cp out sums
(cd tree && sha1sum -c --quiet ../sums) || fail "sha1sum does not find the files as they are told"
same "lines" 33 "$(grep -c . sums)"

status 0 "$KITH" export --csv s.kith
python3 - out tree <<'PY' || fail "the CSV is not what is in the folder"
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
python3 - s.kdb tree <<'PY' || fail "the kdb is not what is in the folder"
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
says err "1 files were left out"
same "names of the first" "first third" "$(python3 -c 'import sqlite3
print(*[n for (n,) in sqlite3.connect("same.kdb").execute("SELECT name FROM file_names JOIN hashes ON id = hash_id WHERE md5 = ? ORDER BY name", (bytes(15) + b"\x02",))])')"

# a set that is not there leaves no file behind
status 2 "$KITH" export -o fresh nowhere.kith
[ -e fresh ] && fail "an output was made of a set that is not there"

# what a form cannot hold is left out and told
(cd tree && md5sum -- file*) >list
status 0 "$KITH" import -q m.kith list
status 3 "$KITH" export --sha1sum m.kith
says err "30 files were left out"
status 3 "$KITH" export --hashdeep m.kith
status 2 "$KITH" export
status 2 "$KITH" export s.kith m.kith
status 2 "$KITH" export --csv --json s.kith
says err "exclude each other"
status 2 "$KITH" export nowhere.kith
says err "nowhere.kith: No such file"
status 2 "$KITH" export tree
finish
