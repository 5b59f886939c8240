#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith extract CASE FINDING: the objects of findings and their matching bytes, from evidence that is where it was, elsewhere, or
# changed.
. "$(dirname "$0")/lib.sh"
images python3

mkdir known disk
texts <<'END'
1 60000 known/a.txt
2 200000 known/b.txt
3 30000 before
4 40000 disk/other.txt
END
cp known/a.txt disk/copy.txt
cat before known/a.txt before >disk/emb.bin
{ head -c 90000 known/b.txt; echo changed; tail -c +90101 known/b.txt; } >disk/var.txt
{ cat before; tail -c +50001 known/b.txt | head -c 30000; cat before; } >disk/frag.bin
"$KITH" add -q --kind notable set.kith known || fail "no set"
mke2fs -q -F -t ext4 -d disk disk.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
ewfacquirestream -q -c fast -t disk >/dev/null 2>&1 <disk.img
qemu-img convert -O qcow2 -c disk.img disk.qcow2

# number CASE FILE: of the finding in this file
number()
{
    "$KITH" report --text "$1" | awk -v file="$2" '$2 == file { found = 1 } found && / finding [0-9.]+$/ { print $NF; exit }'
}

# column FOLDER COLUMN: of the manifest, each row's value
column()
{
    python3 -c 'import csv, sys; print(*[r[sys.argv[2]] for r in csv.DictReader(open(sys.argv[1] + "/manifest.csv", newline=""))], sep="\n")' "$@"
}

# Whole objects, from any container, named or selected; each has the SHA-1 that the case has.
for image in disk.img disk.E01 disk.qcow2 disk; do
    status 0 "$KITH" scan -q -r set.kith --case $image.case $image
    status 0 "$KITH" extract -d $image.all $image.case --verdict identical,variant,embedded,fragment
    says out "$image.all: 4 files, $(cat disk/copy.txt disk/emb.bin disk/var.txt disk/frag.bin | wc -c) bytes; manifest.csv describes them"
    for file in copy.txt emb.bin var.txt frag.bin; do
        cmp disk/$file $image.all/*-$file || fail "$image: $file differs"
    done
    same "$image: verified" 4 "$(column $image.all status | grep -c '^verified$')"
done
emb=$(number disk.img.case emb.bin)
status 0 "$KITH" extract -q -d one disk.img.case "$emb" "$(number disk.img.case copy.txt)" "$emb"
same "two files and the manifest" 3 "$(find one -type f | wc -l)"
same "its number" "$emb" "$(column one finding | tail -n 1)"
cmp disk/emb.bin "one/${emb%.*}-emb.bin" || fail "its name"
status 0 "$KITH" extract -q -d by --reference b.txt --set set disk.img.case
same "by reference" 2 "$(find by -type f -name '[0-9]*' | wc -l)"

# The matching bytes: of the embedded file they are the reference, and all of them lie where the manifest says.
status 0 "$KITH" extract -q --ranges -d ranges --only file disk.img.case
cmp known/a.txt "ranges/$emb+30000-emb.bin" || fail "the range of emb.bin is not a.txt"
python3 - <<'PY' || fail "ranges are wrong"
import csv, hashlib, json, os, subprocess
rows = list(csv.DictReader(open('ranges/manifest.csv', newline='')))
expected = []
for row in map(json.loads, subprocess.run([os.environ['KITH'], 'report', '--json', 'disk.img.case'], capture_output=True).stdout.splitlines()):
    for part in row.get('ranges', []):
        start, end = part['object']
        path = row['object']['path']
        expected.append((path, start, open('disk/' + path, 'rb').read()[start:end]))
got = [(row['path'], int(row['offset']), open('ranges/' + row['file'], 'rb').read()) for row in rows]
assert len(expected) >= 4 and sorted(got) == sorted(expected), (len(got), len(expected))
assert all(hashlib.sha256(data).hexdigest() == row['sha256'] for row, (_, _, data) in zip(rows, got))
PY

# A chunk is a part of its object.
status 0 "$KITH" scan -q --blocks 64k -r set.kith --case chunks.case disk.img
status 0 "$KITH" extract -q -d chunks --path var.txt --verdict fragment,variant,embedded chunks.case
for start in 0 65536 131072; do
    found=$(python3 -c 'import csv, sys
for r in csv.DictReader(open("chunks/manifest.csv", newline="")):
    if r["address"].endswith("+" + sys.argv[1]): print(r["file"])' $start)
    cmp <(tail -c +$((start + 1)) disk/var.txt | head -c 65536) "chunks/$found" || fail "chunk $start differs"
done

# What is no file is read directly: here between the partition table and the partition.
{ head -c 1M /dev/zero; cat disk.img; } >gap.img
dd if=known/a.txt of=gap.img bs=1 seek=70001 conv=notrunc status=none
echo "start=2048, type=83" | sfdisk -q gap.img >/dev/null 2>&1
qemu-img convert -O qcow2 gap.img gap.qcow2
for image in gap.img gap.qcow2; do
    status 0 "$KITH" scan -q -r set.kith --case $image.case $image
    status 0 "$KITH" extract -q -d $image.whole --only gap $image.case
    cmp <(head -c 1M gap.img | tail -c "$(column $image.whole size)") $image.whole/[0-9]* || fail "$image: the gap differs"
    status 0 "$KITH" extract -q -d $image.range --ranges --only gap $image.case
    cmp known/a.txt $image.range/[0-9]* || fail "$image: the range in the gap differs"
    same "$image" "verified gap" "$(column $image.range status) $(column $image.range kind)"
done

# The evidence is elsewhere.
mkdir -p away
cp -p disk.img "away/new=place.img"
mv disk.img gone
status 2 "$KITH" extract -q -d none disk.img.case "$emb"
says err "disk.img: No such file or directory"
says err "if the evidence is elsewhere now: --evidence 'disk.img=PATH'"
[ ! -e none ] || fail "none was made"
for where in "away/new=place.img" "--evidence=disk.img=away/new=place.img"; do
    rm -rf moved
    status 0 "$KITH" extract -d moved disk.img.case "$emb" "$where"
    cmp disk/emb.bin moved/*-emb.bin || fail "moved: emb.bin differs"
    says err "not as it was when it was scanned, so each object is compared with its digest: then 1 file, 8388608 bytes"
    same "moved" verified "$(column moved status)"
done
mv gone disk.img
status 2 "$KITH" extract -q -d none --evidence other=disk.img disk.img.case "$emb"
says err "--evidence other=disk.img: the case has no such evidence (kith report --about lists it)"
status 0 "$KITH" scan -q -r set.kith --case both.case disk.img disk.E01
status 2 "$KITH" extract -q -d none both.case 2.1.1 1.1.1 disk.img
status 2 "$KITH" extract -q -d none both.case --set set disk.img
says err "the case has 2 pieces of evidence: say which one is disk.img, as in --evidence OLD=NEW"
status 0 "$KITH" extract -q -d both both.case --path copy.txt
same "of both" "disk.img disk.E01" "$(column both evidence | tr '\n' ' ' | sed 's/ $//')"

# A set was added: the evidence was read twice, but is one piece.
"$KITH" add -q further.kith known/b.txt
cp disk.img.case twice.case
status 0 "$KITH" scan -q -r further.kith --case twice.case
status 0 "$KITH" extract -q -d twice twice.case "away/new=place.img" --set further --path var.txt
cmp disk/var.txt twice/2.*-var.txt || fail "twice: var.txt differs"

# It has changed: nothing of what differs is kept, and the rest is as it was.
cp disk.img changed.img
at=$(grep -abo "$(tail -c +100001 disk/var.txt | head -c 30)" changed.img | head -n 1 | cut -d: -f1)
flip_bit changed.img "$at"
status 4 "$KITH" extract -q -d changed disk.img.case changed.img --path '*.txt' --set set
says err "var.txt ($(column disk.img.all address | tail -n 1) in volume -): its content is not that of the scan: the digest differs"
cmp disk/copy.txt changed/*-copy.txt || fail "changed: copy.txt differs"
same "the files" 2 "$(find changed -type f | wc -l)"
same "the rows" "changed verified" "$(column changed status | sort | tr '\n' ' ' | sed 's/ $//')"
head -c 8000000 disk.img >shorter.img
status 4 "$KITH" extract -q -d shorter disk.img.case shorter.img "$emb"
says err "the image is not that of the scan: it has 8000000 bytes instead of 8388608"
same "nothing" 1 "$(find shorter -type f | wc -l)"
status 4 "$KITH" extract -q --ranges -d changed-range disk.img.case changed.img "$(number disk.img.case var.txt)"
same "no range" 1 "$(find changed-range -type f | wc -l)"

# Wrong usage.
status 2 "$KITH" extract -d x disk.img.case
says err "no finding given: its number (kith report lists them), or options that select some, such as --verdict"
status 2 "$KITH" extract -d x disk.img.case "$emb" --set set
says err "give either the numbers of findings or options that select some"
status 2 "$KITH" extract -d x disk.img.case 1.999.1
says err "disk.img.case: there is no finding 1.999.1"
status 2 "$KITH" extract -d x disk.img.case disk.img 1.2.x
says err "'1.2.x' is not the number of a finding, such as 1.204.1"
status 2 "$KITH" extract -d x --set other disk.img.case
says err "disk.img.case: no finding was selected"
status 2 "$KITH" extract -o 5 -d x disk.img.case "$emb"
says err "--offset is an option for images: a case records it"
status 2 "$KITH" extract --ranges -d x disk.img @0+5
says err "disk.img is not a case: it has no findings to select"
finish
