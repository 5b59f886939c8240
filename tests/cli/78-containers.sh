#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Containers are opened wherever they lie: in files, deleted files, free space and slack; whole, damaged, nested, and when they
# are bombs.  What is in them is known from the files that went in.
. "$(dirname "$0")/lib.sh"
images python3 zip tar gzip

mkdir known disk packed
text 1 30000 >known/report.txt
text 2 20000 >known/letter.txt
text 3 1500 >known/note.txt
"$KITH" add -q --kind notable set.kith known >/dev/null 2>&1 || fail "no set"
sum1=$(sha1sum <known/report.txt | cut -c1-40)

# found ADDRESS-PATTERN VERDICT: rows of rows.csv with that address
found()
{
    python3 - "$1" "$2" <<'PY'
import csv, re, sys
print(sum(re.fullmatch(sys.argv[1], row['address']) is not None and row['verdict'] == sys.argv[2]
          for row in csv.DictReader(open('rows.csv'))))
PY
}

# ---- as files ----

tar -czf packed/a.tgz -C known report.txt letter.txt
zip -q -X -j packed/b.zip known/report.txt known/letter.txt
(cd packed && zip -q -X -0 c.zip a.tgz b.zip)
zip -q -X -j -P secret packed/locked.zip known/letter.txt
status 3 "$KITH" scan -r set.kith packed
mv out rows.csv
says err "locked.zip/letter.txt: it is encrypted"
same "in a tgz" 2 "$(found '-/tar/(report|letter).txt' identical)"
same "in a zip" 2 "$(found '-/zip/(report|letter).txt' identical)"
same "in a zip in a zip" 2 "$(found '-/zip/b.zip//zip/(report|letter).txt' identical)"
same "in a tgz in a zip" 2 "$(found '-/zip/a.tgz//tar/(report|letter).txt' identical)"
grep -q "^packed,-,-/zip/report.txt,member,b.zip/report.txt,,30000,$sum1,identical," rows.csv ||
    fail "no row as expected: $(cat rows.csv)"

status 0 "$KITH" scan --containers no -q -r set.kith packed
same "closed" "" "$(grep -c member out | grep -v '^0$')"
rm -f packed/locked.zip # what is deeper than was asked for is no reason for status 3
status 0 "$KITH" scan --depth 1 --all -r set.kith packed
same "not deeper" 0 "$(grep -c 'c.zip/a.tgz/' out)"
grep -q nested out err && fail "what was not wanted is reported: $(grep nested out err)"
status 0 "$KITH" scan --depth 1 --case shallow.case -q -r set.kith packed
status 2 "$KITH" scan --depth 2 --case shallow.case -q -r set.kith packed
status 2 "$KITH" scan --depth 1 --containers known --case shallow.case -q -r set.kith packed
says err "containers=known depth=1"
status 0 "$KITH" scan --depth 1 --case shallow.case -q -r set.kith packed
zip -q -X -j -P secret packed/locked.zip known/letter.txt
status 2 "$KITH" scan --depth 9 -r set.kith packed
status 2 "$KITH" scan --containers some -r set.kith packed
says err "unknown value of --containers 'some'; the values of --containers are no, known, all"

# the ciphers of libcrypto work in the sandbox; tests/data/containers/pdf/streams has the digest by qpdf
status 0 "$KITH" ls -q --csv --hash "${SRCDIR:-.}/tests/data/containers/pdf/encrypted-256.pdf"
says out "encrypted-256.pdf/8-0,,1056,350cd3533af3fbe070332a8cea4b464b15753c92"
# also where nothing else needs libcrypto
status 0 "$KITH" ls -q --csv "${SRCDIR:-.}/tests/data/containers/pdf/encrypted-256.pdf"
says out "encrypted-256.pdf/8-0,,1056,"

# what ls lists has the digests of the files that went in
status 3 "$KITH" ls -q --csv --hash packed
same "listed" 4 "$(grep -c "$sum1" out)"

# ---- on an image ----

cp packed/*.zip disk/
cp packed/a.tgz disk/deleted.tgz
printf 'a short file' >disk/short.txt
head -c 20000 packed/b.zip >disk/cut.zip
mke2fs -q -F -t ext4 -b 4096 -d disk disk.img 12M 2>/dev/null || fail "mke2fs failed"
debugfs -w -R "rm deleted.tgz" disk.img 2>/dev/null
# free space, from a block that is free, at a sector in the middle of it
free=$("$KITH" ls -q --csv --only unallocated disk.img 2>/dev/null | python3 -c '
import csv, re, sys
print(max((int(s), int(l)) for s, l in (re.match(r"@(\d+)\+(\d+)", r["address"]).groups() for r in csv.DictReader(sys.stdin))
          if int(l) > 1 << 20)[0])')
dd if=packed/b.zip of=disk.img bs=512 seek=$((free / 512 + 8 * 50 + 3)) conv=notrunc 2>/dev/null
# slack, at a sector
zip -q -X -j note.zip known/note.txt
block=$(debugfs -R "blocks short.txt" disk.img 2>/dev/null | tr -d ' ')
dd if=note.zip of=disk.img bs=512 seek=$((block * 8 + 2)) conv=notrunc 2>/dev/null
status 3 "$KITH" scan -r set.kith disk.img
mv out rows.csv
mv err err1
same "in files, one of them cut off" 2 "$(found '[0-9]+-1-0/zip/report.txt' identical)"
same "deleted" 1 "$(found '@[0-9]+\+[0-9]+/tar(@[0-9]+)?/report.txt' identical)"
same "in slack" 1 "$(found '@[0-9]+\+[0-9]+/zip@1012/note.txt' identical)"
same "in free space" 1 "$(found "@$free\\+[0-9]+/zip@$((8 * 50 * 512 + 3 * 512))/report.txt" identical)"
grep -q ',member,cut.zip/.*,partial' rows.csv || grep -q 'cut.zip.*identical' rows.csv || fail "nothing of what was cut off"
says err1 "cut.zip"

# neither rows nor their order depend on the number of workers; a listing reads no free space by default
status 3 "$KITH" scan -q --all -j 1 -r set.kith disk.img
mv out one.csv
status 3 "$KITH" scan -q --all -j 8 -r set.kith disk.img
cmp -s one.csv out || fail "the rows depend on the number of workers"
status 3 "$KITH" ls -q --csv disk.img
grep -q ',@.*/tar' out && fail "ls opened what is in free space"
status 3 "$KITH" ls -q --csv --containers all disk.img
grep -q '^disk.img,-,@.*/tar/report.txt,member' out || fail "ls did not open what is in free space"

# ---- a disk in a container is evidence of its own ----

qemu-img convert -O qcow2 disk.img inner.qcow2 && zip -q -X vm.zip inner.qcow2 || fail "no disk in a zip"
status 3 "$KITH" scan -q -r set.kith vm.zip
says err "vm.zip/inner.qcow2: disk images are evidence of their own"
status 0 "$KITH" extract -q -d taken vm.zip vm.zip/inner.qcow2
status 3 "$KITH" scan -q -r set.kith taken/*qcow2
grep -q '/zip/report.txt,member,' out || fail "nothing found on the extracted disk: $(head -c 300 out)"

# ---- bombs ----

mkdir bombs
python3 - <<'PY'
import gzip, io, zipfile

def packed(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()

inner = packed([('zeros', bytes(1 << 20))])
for level in range(7):
    inner = packed([('b%d.zip' % i, inner) for i in range(2)])
open('bombs/deep.zip', 'wb').write(inner)
with gzip.open('bombs/hollow.gz', 'wb', 9) as file:
    for i in range(120):
        file.write(bytes(1 << 20))
PY
cp known/report.txt bombs/report.txt
cp bombs/hollow.gz bombs/sparse.gz
truncate -s 1M bombs/sparse.gz # holes do not count
status 3 "$KITH" scan --all -r set.kith bombs
mv out rows.csv
says err "hollow.gz: opening stopped: more bytes were unpacked than an object may yield"
says err "sparse.gz: opening stopped: more bytes were unpacked than an object may yield"
says err "nested more than 5 deep"
same "beside the bombs" 1 "$(found - identical)"
# names of 4 KB take all the room that neighbours have for their members, too
mkdir names
python3 - <<'PY'
import gzip, tarfile
long = tarfile.TarInfo('n' * 4000).tobuf(tarfile.GNU_FORMAT)
open('names/a.tgz', 'wb').write(gzip.compress(long * 1000, 1) * 80)
PY
cp packed/b.zip names/
status 3 "$KITH" ls -q --csv names
same "too many names" 1 "$(grep -c 'a.tgz.*opening stopped: too many members to report' out)"
same "beside them" "$("$KITH" ls -q --csv packed/b.zip | grep -c ',member,')" "$(grep -c 'member,b.zip/.*,ok' out)"
# many small ones: 60 MiB of zeros in runs of 128 KiB, in less than 2 KB
mkdir many
python3 - <<'PY'
magic, head = b'\x28\xb5\x2f\xfd', b'\x00\x38' # a window of 128 KiB
blocks = [(i == 479) | 1 << 1 | 1 << 17 + 3 for i in range(480)]
bomb = magic + head + b''.join(block.to_bytes(3, 'little') + b'\0' for block in blocks)
for i in range(80):
    open('many/%02d.zst' % i, 'wb').write(bomb)
spent, fit = 0, 0
while spent + 4096 + (60 << 20) <= (4 << 30) + 100 * len(bomb) * (fit + 1):
    spent, fit = spent + 4096 + (60 << 20), fit + 1
open('fit', 'w').write('%d' % fit)
PY
status 3 "$KITH" ls --csv --containers known many
same "unpacked" "$(cat fit)" "$(grep -c 'member,.*,62914560,' out)"
same "not unpacked" "$((80 - $(cat fit)))" "$(grep -c 'zst/data,member,.*,0,.*opening stopped: more bytes were unpacked than all' out)"
# ---- a worker that dies while it opens a container ----

if command -v cc >/dev/null && ! grep -qa -e __asan_init -e __tsan_init -e __ubsan_handle "$KITH"; then
    cc -shared -fPIC -O1 -o deadly.so "$SRCDIR/tests/data/deadly.c" -ldl || fail "cc failed"
    mkdir deaths
    printf 'deadly content' >deadly.txt
    zip -q -X -j inner.zip known/letter.txt deadly.txt known/note.txt
    zip -q -X -j deaths/outer.zip known/report.txt inner.zip known/note.txt
    cp packed/b.zip deaths/
    for jobs in 1 8; do
        status 3 env LD_PRELOAD="$scratch/deadly.so" DEADLY=deadly "$KITH" scan --all -j $jobs -r set.kith deaths
        same "before the death" "outer.zip/inner.zip/letter.txt outer.zip/report.txt" \
            "$(grep 'outer.zip.*,identical,' out | cut -d, -f5 | sort | tr '\n' ' ' | sed 's/ $//')"
        same "after it" 0 "$(grep -c 'outer.zip.*note.txt' out)"
        same "where" 1 "$(grep -c '/zip/inner.zip//zip/;2",member,outer.zip/inner.zip,.*,unreadable,' out)"
        says err "outer.zip/inner.zip: opening stopped: the worker died: Segmentation fault"
        same "in the other one" 2 "$(grep -c 'b.zip/.*,identical,' out)"
        mv out "out$jobs"
    done
    cmp -s out1 out8 || fail "the rows depend on the number of workers"
fi
finish
