#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith extract of members: what other tools unpack, from files, folders, free space, and from a case.
. "$(dirname "$0")/lib.sh"
images python3 mke2fs unzip

mkdir known host host/sub
texts <<'TEXTS'
1 60000 known/a.txt
2 90000 b.txt
TEXTS
python3 - <<'PY'
import io, random, warnings, zipfile
warnings.simplefilter('ignore')
a, b = open('known/a.txt', 'rb').read(), open('b.txt', 'rb').read()
names = ["it's $(touch hacked) [a]*?;%.txt", '../../up.txt', '/abs', 'a//b', 'sub/', '\u00fcml.txt', 'x\\y', 'n' * 65000]

def packed(method=zipfile.ZIP_DEFLATED, **members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()

with zipfile.ZipFile('host/offer.docx', 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('word/document.xml', a)
    archive.writestr(zipfile.ZipInfo('stored.txt'), b)
    for i in range(3):
        archive.writestr('twice.txt', b[i:5000 + i])
    for i, name in enumerate(names):
        archive.writestr(name, b[i:3000 + i] if name[-1] != '/' else b'')
nest = a
for i in range(7):
    nest = packed(**{'level%d' % i: nest})
open('host/nest.zip', 'wb').write(nest)
open('host/sub/outer.zip', 'wb').write(packed(**{'in/offer.docx': open('host/offer.docx', 'rb').read()}))
open('host/same.zip', 'wb').write(packed(**{'word/document.xml': b}))
open('host/cut.zip', 'wb').write(packed(**{'a.txt': a})[:12000])
open('host/bomb.zip', 'wb').write(packed(zeros=bytes(40 << 20)))
PY

# sums CASE_OR_EVIDENCE ADDRESS...: the SHA-1 of each file that is written, in the order of the operands
sums()
{
    rm -rf got
    "$KITH" extract -q -d got -- "$@" 2>err || return
    python3 - <<'PY'
import csv, hashlib, os
rows = list(csv.DictReader(open('got/manifest.csv', newline='')))
assert {row['file'] for row in rows} | {'manifest.csv'} == set(os.listdir("got")), rows
for row in sorted(rows, key=lambda row: int(row['file'].split('-')[0].split('+')[0].split('.')[-1])):
    data = open("got/" + row['file'], 'rb').read()
    assert (hashlib.sha1(data).hexdigest(), hashlib.sha256(data).hexdigest(), len(data)) == (row['sha1'], row['sha256'], int(row['size'])), row
    assert row['kind'] == 'member' and row['address'] in row['address'], row
    print(row['sha1'])
PY
}
sha1() { sha1sum "$@" | cut -d ' ' -f 1; }

# Every member, by the address and in the order of kith ls, in a folder and in a file system: as Python unpacks it.
cp host/offer.docx host/sub/outer.zip .
mke2fs -q -F -t ext4 -d host disk.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
for evidence in offer.docx disk.img; do
    "$KITH" ls -q --csv --only file,member $evidence 2>/dev/null | python3 -c '
import csv, hashlib, sys, zipfile
rows = [r for r in csv.DictReader(sys.stdin) if r["path"].startswith("offer.docx") and "/zip/" in r["address"]]
open("addresses", "w").write("".join(r["address"] + "\0" for r in rows))
with zipfile.ZipFile("offer.docx") as archive:
    truth = [hashlib.sha1(archive.read(i)).hexdigest() for i in archive.infolist() if i.filename[-1] != "/"]
open("truth", "w").write("".join(t + "\n" for t in truth))
if len(rows) != len(truth): print(len(rows), "members, not", len(truth))' >said
    same "$evidence" "" "$(cat said)"
    mapfile -d '' -t addresses <addresses
    same "$evidence: all members" "$(cat truth)" "$(sums $evidence "${addresses[@]}")"
done
[ ! -e hacked ] && [ ! -e ../up.txt ] || fail "a name was used as a path or as a command"

# By the path in the container, if it is unique; otherwise by the file and the levels.
same "paths" "$(sha1 known/a.txt b.txt; unzip -p offer.docx stored.txt 2>/dev/null | sha1)" \
    "$(sums host offer.docx/word/document.xml same.zip/word/document.xml sub/outer.zip/in/offer.docx/stored.txt)"
same "levels" "$(python3 -c 'import hashlib; print(hashlib.sha1(open("b.txt", "rb").read()[2:5002]).hexdigest())')" \
    "$(sums host 'sub/outer.zip/zip/in/offer.docx//zip/twice.txt;5')"
same "the deepest level" "$(sha1 known/a.txt)" "$(sums host nest.zip/level6/level5/level4/level3/level2/level1/level0)"
status 2 "$KITH" extract -q -d none -- host offer.docx/twice.txt
says err "several objects have the address offer.docx/twice.txt: say which one, as in offer.docx/zip/twice.txt;4"
status 2 "$KITH" extract -q -d none -- host -/zip/word/document.xml
says err "say which one, as in same.zip/zip/word/document.xml"
status 2 "$KITH" extract -q -d none -- host offer.docx/nothing
says err "there is no object with the address offer.docx/nothing"
[ ! -e none ] || fail "something was written"

# What ends early is written as far as it goes, and says so; what is too large is not written.
status 3 "$KITH" extract -q -d part -- host cut.zip/a.txt
python3 - <<'PY' || fail "part: $(cat part/manifest.csv)"
import csv
row, = csv.DictReader(open('part/manifest.csv', newline=''))
whole, part = open('known/a.txt', 'rb').read(), open('part/' + row['file'], 'rb').read()
assert 10000 < len(part) < len(whole) and whole.startswith(part), len(part)
assert row['status'] == 'partial' and 'it cannot be unpacked after byte %d' % len(part) in row['reason'], row
PY
# A size that the container states is trusted beyond what is kept in memory, and may be false.
python3 - <<'PY'
import random, zipfile
with zipfile.ZipFile('large.zip', 'w') as archive:
    archive.writestr('large', random.Random(1).randbytes(18 << 20))
data = open('large.zip', 'rb').read()
open('large.zip', 'wb').write(data[:17 << 20])
open('large', 'wb').write(data[35:17 << 20]) # after the local header
PY
status 3 "$KITH" extract -q -d large.out -- large.zip large.zip/large
head -c "$(stat -c %s large)" large.out/1-large | cmp - large || fail "large: the bytes differ"
same "large" "$((18 << 20)) partial" "$(python3 -c '
import csv
row, = csv.DictReader(open("large.out/manifest.csv", newline=""))
start, size = map(int, row["unreadable"].split("+"))
assert start <= 17 << 20 and start + size == 18 << 20, row
print(row["size"], row["status"])')"
status 3 "$KITH" extract -q --max-size 1M -d bomb -- host bomb.zip/zeros offer.docx/stored.txt
same "a bomb" "too-large ok" "$(python3 -c '
import csv
print(*[r["status"] for r in csv.DictReader(open("bomb/manifest.csv", newline=""))])')"
status 2 "$KITH" extract -q --max-total 30M -d bomb2 -- host bomb.zip/zeros

# In a deleted file, and in free space.
for name in sub/outer.zip same.zip; do
    debugfs -w -R "rm /$name" disk.img >/dev/null 2>&1
done
{ head -c 300032 /dev/zero | tr '\0' x; cat offer.docx; head -c 100000 /dev/zero; } >free.raw
for evidence in disk.img free.raw; do
    "$KITH" ls -q --csv --containers all --hash $evidence 2>/dev/null | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["kind"] == "member" and r["path"].endswith("word/document.xml") and not r["path"].startswith("offer.docx"):
        print(r["volume"], r["address"], r["sha1"])' >found
    while read -r volume address sha1; do
        same "$evidence: $address" "$sha1" "$(sums $evidence "$volume/$address")"
    done <found
    [ -s found ] && grep -q "$(sha1 known/a.txt)" found || fail "$evidence: nothing was found: $(cat found)"
done
grep -q '^- @0+[0-9]*/zip@300032/word/document.xml ' found || fail "carved: $(cat found)"

# Findings, whole and by ranges; the depth of the scan does not matter, nor do other containers with the same names.
"$KITH" add -q set.kith known
for evidence in host disk.img free.raw; do
    rm -f my.case
    "$KITH" scan -q --depth 7 -r set.kith --case my.case $evidence 2>err
    rm -rf whole ranges
    "$KITH" extract -q -d whole my.case --verdict identical,variant,embedded,fragment 2>err
    "$KITH" extract -q --ranges -d ranges my.case --verdict identical,variant,embedded,fragment 2>err
    python3 - my.case <<'PY' || fail "$evidence: $(cat err)"
import csv, os, subprocess, sys
kith = os.environ['KITH']
rows = list(csv.DictReader(subprocess.run([kith, 'report', '--csv', '--columns', 'id', sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()))
whole = {r['finding']: r for r in csv.DictReader(open('whole/manifest.csv', newline=''))}
ranges = {r['finding']: r for r in csv.DictReader(open('ranges/manifest.csv', newline=''))}
members = [r for r in rows if r['kind'] == 'member']
assert members and any(r['verdict'] == 'identical' for r in members), rows
for r in members:
    w, part = whole[r['id']], ranges[r['id']]
    data = open('whole/' + w['file'], 'rb').read()
    assert w['sha1'] == r['sha1'] and w['address'] == r['address'] and w['path'] == r['path'], (r, w)
    assert w['status'] == ('verified' if r['status'] == 'ok' else 'partial'), w
    start = int(part['offset'])
    assert open('ranges/' + part['file'], 'rb').read() == data[start:start + int(part['size'])], part
PY
done
finish
