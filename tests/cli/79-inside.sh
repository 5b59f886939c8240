#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A disk image inside another one is evidence of its own, read where it is: the same as the image as a file, in every format and
# wherever the object lies, whole or damaged.  No image can contain itself: only one level is read, and an object consists of
# bytes of the outer image.
. "$(dirname "$0")/lib.sh"
images python3 zip mdel tar mkntfs ntfscp

# ---- images in images ----

mkdir disk disk/folder known images cut
text 1 90000 >disk/report.txt
text 2 400000 >disk/folder/large.txt
text 3 700 >disk/note.txt
cp disk/report.txt disk/folder/large.txt known/
zip -q -X -j disk/known.zip known/report.txt
"$KITH" add -q set.kith known >/dev/null 2>&1 || fail "no set"
mke2fs -q -F -t ext4 -b 1024 -d disk part.img 3M 2>/dev/null || fail "mke2fs failed"
truncate -s 5M disk.dd
echo '2048,,83' | sfdisk -q disk.dd || fail "sfdisk failed"
dd if=part.img of=disk.dd bs=1M seek=1 conv=notrunc status=none
(
    cp disk.dd images/disk.bin
    qemu-img convert -O qcow2 disk.dd images/disk.qcow2
    qemu-img convert -O vdi disk.dd images/disk.vdi
    qemu-img convert -O vmdk disk.dd images/disk.vmdk
    qemu-img convert -O vhdx disk.dd images/disk.vhdx
    qemu-img convert -O vmdk -o subformat=streamOptimized disk.dd images/stream.vmdk
    ewfacquirestream -q -c best -f encase6 -t images/disk <disk.dd
    ewfacquirestream -q -c none -S 1048576 -f encase6 -t images/parts <disk.dd
    qemu-img convert -O vmdk -o subformat=twoGbMaxExtentSparse disk.dd images/split.vmdk
    head -c 250000 images/disk.qcow2 >images/cut.qcow2
    head -c 250000 images/disk.vmdk >images/cut.vmdk
    head -c 60000 images/disk.E01 >images/cut.E01
    head -c 2500000 disk.dd >images/cut.bin
    tar -cf images/machine.ova -C images stream.vmdk
    (cd images && zip -q -X -0 stored.zip machine.ova disk.E01 && zip -q -X packed.zip disk.qcow2)
) >err 2>&1 || fail "no images: $(cat err)"
mke2fs -q -F -t ext4 -b 4096 -d images outer.img 32M 2>/dev/null || fail "mke2fs failed"
"$KITH" ls -q --csv outer.img >rows.csv 2>/dev/null

# address NAME: of the file in the outer image
address()
{
    python3 -c 'import csv, sys
print(*[r["address"] for r in csv.DictReader(open("rows.csv")) if r["path"] == sys.argv[1] and r["kind"] == "file"])' "$1"
}

# shorn FILE EVIDENCE: without its name, and advice that only one of the two gets
shorn()
{
    sed "s# (to read all of them, extract all of them)##; s#$2#IT#g; s#\\b${2##*/}:#IT:#g" "$1"
}

# alike OWN INNER OPTIONS...: both pieces of evidence yield the same rows, messages and exit status
alike()
{
    local own=$1 inner=$2 expected
    shift 2
    "$KITH" "$@" "$own" >own.out 2>own.err
    expected=$?
    status $expected "$KITH" "$@" "$inner"
    same "$inner: rows" "" "$(diff <(shorn own.out "$own") <(shorn out "$inner") | head -n 5)"
    same "$inner: messages" "" "$(diff <(shorn own.err "$own") <(shorn err "$inner") | head -n 5)"
}

for name in disk.bin disk.qcow2 disk.vdi disk.vmdk stream.vmdk disk.E01; do
    alike images/$name "outer.img/$(address $name)" ls -q --csv --hash --hash-image
    grep -q ",image,,,5242880,$(sha1sum <disk.dd | cut -c1-40)" out || fail "$name is not the disk: $(head -c 300 out)"
    alike images/$name "outer.img/$(address $name)" scan -q --csv --all -r set.kith
done
inner=outer.img/$(address disk.qcow2)
same "found" 3 "$(grep -c ',identical,' out)"
for jobs in 1 8; do
    status 0 "$KITH" scan -q -j $jobs --csv --all -r set.kith "$inner"
    mv out jobs.$jobs
done
cmp -s jobs.1 jobs.8 || fail "the rows depend on the number of workers"
alike images/disk.bin "outer.img/$(address disk.bin)" ls -q --csv -o 2048

# ---- members of containers that do not compress them ----

# the addresses are those of the messages
status 3 "$KITH" ls -q --csv outer.img
tr -d '\r' <out | sed -n 's#.*kith reads this one as \([^",]*\).*#\1#p' | grep -v "^outer.img/[0-9-]*$" >members
ova=$(address machine.ova) zip=$(address stored.zip)
same "members" "outer.img/$ova/tar/stream.vmdk outer.img/$zip/zip/disk.E01 outer.img/$zip/zip/machine.ova//tar/stream.vmdk" \
    "$(sort members | tr '\n' ' ' | sed 's/ $//')"
while read -r member; do
    alike "images/${member##*/}" "$member" ls -q --csv --hash --hash-image
done <members
grep -q "packed.zip/disk.qcow2,.*extract it, then scan it" rows.csv || fail "the packed one is not for extraction"
status 3 "$KITH" ls "outer.img/$(address packed.zip)/zip/disk.qcow2"
says err "it is not stored as it is: extract it"
status 3 "$KITH" ls "outer.img/$zip/zip/other.E01"
says err "there is no such object"

# ---- what must be extracted: a format that libraries read by path, a file that is compressed ----

grep -q 'disk.vhdx,.*extract this one (VHDX), then scan it' rows.csv || fail "the VHDX is not for extraction"
status 3 "$KITH" ls "outer.img/$(address disk.vhdx)"
says err "cannot be read where it is (VHDX): extract it"
truncate -s 12M ntfs.img
(mkntfs -q -F -C ntfs.img && ntfscp -q ntfs.img disk.dd disk.dd) >err 2>&1 || fail "no NTFS: $(cat err)"
status 3 "$KITH" ls -q --csv ntfs.img
grep 'disk.dd,.*,compressed,' out | cut -d, -f3 >packed
grep -q 'disk.dd,.*extract it, then scan it' out || fail "the compressed one is not for extraction"
status 3 "$KITH" ls "ntfs.img/$(cat packed)"
says err "it is not stored as it is: extract it"

# ---- damaged, incomplete, split ----

for name in cut.qcow2 cut.vmdk cut.E01 cut.bin; do
    cp images/$name cut/$name
    alike cut/$name "outer.img/$(address $name)" ls -q --csv --hash --force
done
status 3 "$KITH" ls "outer.img/$(address cut.qcow2)"
says err "--force"
status 3 "$KITH" ls "outer.img/$(address split.vmdk)"
says err "is split into several files; extract all of them"
status 3 "$KITH" ls "outer.img/$(address parts.E01)"
says err "segment E02 is missing"
says err "extract all of them"
status 3 "$KITH" ls "outer.img/$(address parts.E02)"

# ---- where the object lies ----

# deleted, and in pieces: of a row of files every other one makes room
mkfs.fat -C -F 16 -n OUTER fat.img 12288 >/dev/null || fail "mkfs.fat failed"
for i in $(seq 1 20); do text "$i" 200000 | mcopy -i fat.img - ::/f"$i"; done
for i in $(seq 2 2 20); do mdel -i fat.img ::/f"$i"; done
mcopy -i fat.img images/disk.qcow2 ::/PIECES || fail "no room"
mcopy -i fat.img images/disk.E01 ::/GONE.E01
mdel -i fat.img ::/GONE.E01
truncate -s 20M outer.dd
printf '2048,4096,83\n8192,,6\n' | sfdisk -q outer.dd || fail "sfdisk failed"
dd if=part.img of=outer.dd bs=1M seek=1 count=2 conv=notrunc status=none
dd if=fat.img of=outer.dd bs=1M seek=4 conv=notrunc status=none
"$KITH" ls -q --csv outer.dd >rows.csv 2>/dev/null
python3 - <<'PY'
import csv
for row in csv.DictReader(open('rows.csv')):
    if row['path'] == 'PIECES' and row['kind'] == 'file':
        print(row['volume'] + '/' + row['address'], len(row['runs'].split()), file=open('pieces', 'w'))
    if row['kind'] in ('deleted', 'orphan') and row['path'].upper().endswith('ONE.E01'):
        print(row['volume'] + '/' + row['address'], file=open('gone', 'w'))
PY
read -r place runs <pieces
[ "$runs" -gt 3 ] || fail "the image is not in pieces: $runs"
alike images/disk.qcow2 "outer.dd/$place" ls -q --csv --hash --hash-image
alike images/disk.qcow2 "outer.dd/-@${place#*@}" ls -q --csv --hash
alike images/disk.E01 "outer.dd/$(cat gone)" ls -q --csv --hash --hash-image
# a range, here of all bytes: the image is what it is
alike outer.dd "outer.dd/@0+$((20 << 20))" ls -q --csv --containers no

# two volumes with the same address
dd if=part.img of=outer.dd bs=1M seek=4 conv=notrunc status=none
"$KITH" ls -q --csv outer.dd 2>/dev/null | grep '@4194304' | grep -q ,12-1-0, || fail "no second file"
status 3 "$KITH" ls outer.dd/12-1-0
says err "outer.dd/12-1-0: several objects have this address: say which one, as in outer.dd/2@1048576/12-1-0"

# ---- in a case ----

status 3 "$KITH" scan -r set.kith --case one.case outer.img "$inner"
says err "kith reads this one as $inner"
status 0 "$KITH" scan -r set.kith --case one.case "$inner"
says err "was scanned completely before"
"$KITH" report --csv --columns id one.case >out 2>/dev/null
grep -q "^$inner,2@1048576,[0-9-]*,file,report.txt,,90000,[0-9a-f]*,identical," out || fail "no finding: $(head -c 500 out)"
finding=$(grep "^$inner.*,report.txt,.*identical" out | tr -d '\r' | grep -o '2\.[0-9]*\.[0-9]*$')
status 0 "$KITH" explain one.case "$finding"
says out "kith extract -d exhibit one.case $finding"
says out "On the inner image, the match begins at byte"
grep -q "icat\|dd if" out && fail "a command that cannot read $inner: $(cat out)"
status 0 "$KITH" extract -q -d exhibit one.case "$finding"
cmp -s exhibit/*report.txt disk/report.txt || fail "not what was planted: $(ls exhibit)"
status 0 "$KITH" extract -q -d member "$inner" "2@1048576/$(grep -o '[0-9-]*/zip/report.txt' jobs.1 | head -n 1)"
cmp -s member/*report.txt disk/report.txt || fail "not what was packed: $(ls member)"
status 0 "$KITH" add -q other.kith "$inner"
status 0 "$KITH" sets list other.kith
says out "folder/large.txt"

# resuming: the inner image must be the same, by its SHA-1 if the times of the outer one differ
"$KITH" ls -q --csv outer.img >rows.csv 2>/dev/null
inside=$(python3 -c 'import csv
print(*[r["runs"].split()[-1].split("@")[1].split("+")[0] for r in csv.DictReader(open("rows.csv")) if r["path"] == "disk.bin" and r["kind"] == "file"])')
inner=outer.img/$(address disk.bin)
status 0 "$KITH" scan -q -r set.kith --case two.case "$inner"
"$KITH" add -q more.kith known/report.txt >/dev/null 2>&1
cp two.case three.case
flip_bit outer.img 1
status 0 "$KITH" scan -r more.kith --case two.case
flip_bit outer.img "$inside"
status 4 "$KITH" scan -r more.kith --case three.case
says err "it was inside 1 file,"

# ---- what is no such object ----

while read -r rest text; do
    status 3 "$KITH" ls "outer.img/$rest"
    says err "outer.img/$rest: $text"
    [ ! -s out ] || [ "$(wc -l <out)" -le 1 ] || fail "rows of outer.img/$rest"
done <<'END'
999-1-0 there is no such object
2@512/12-1-0 there is no such object
12-1 '12-1' is not the address of an object
12-1-0/zip/a there is no such object
/12-1-0 '/12-1-0' is not the address of an object
@0+0 there is no such object
12-1-0/12-1-0 '12-1-0/12-1-0' is not the address of an object
END
status 3 "$KITH" add new.kith outer.img/12-1
says err "new.kith: was not created"
status 2 "$KITH" scan -r set.kith "$inner" ./"$inner"
says err "$PWD/$inner: is given twice"
status 3 "$KITH" ls gone.img/12-1-0
says err "gone.img/12-1-0: No such file or directory"
finish
