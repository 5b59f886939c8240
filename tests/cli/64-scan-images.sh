#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What kith scan makes of images as containers: the hashes taken at acquisition are compared, and a mismatch is recorded.
. "$(dirname "$0")/lib.sh"
images python3

mkdir known disk
text 1 50000 >known/text
cp known/text disk/
text 2 900000 >disk/other
"$KITH" add -q --kind notable set.kith known >/dev/null 2>&1 || fail "no set"
mke2fs -q -F -t ext4 -d disk disk.img 6M >err 2>&1 || fail "mke2fs: $(cat err)"
ewfacquirestream -q -c fast -t md5 >/dev/null 2>&1 <disk.img
ewfacquirestream -q -c fast -d sha1 -t both >/dev/null 2>&1 <disk.img
ewfacquirestream -q -c fast -f ewfx -d sha1 -t xml >/dev/null 2>&1 <disk.img

# Every kind of hash that the container stores is computed, besides the SHA-1.
for set in md5.E01 both.E01 xml.e01; do
    status 0 "$KITH" scan -q -r set.kith --case $set.case $set
    "$KITH" report --about $set.case >about
    says about "sha1 $(sha1sum <disk.img | cut -c1-40)"
    says about "stored at acquisition: md5 $(md5sum <disk.img | cut -c1-32)"
    says about '            matches the acquisition hash stored in the image'
    "$KITH" report --text $set.case >text
    says text "$set: sha1 $(sha1sum <disk.img | cut -c1-40)"
    says text "md5 $(md5sum <disk.img | cut -c1-32): matches the acquisition hash stored in the image"
done
"$KITH" report --about xml.e01.case >about
says about "stored at acquisition: sha1 $(sha1sum <disk.img | cut -c1-40)"
status 0 "$KITH" scan -q -r set.kith --no-hash-image --case none.case md5.E01
"$KITH" report --about none.case >about
says about "the image was not hashed"
says about "not compared with an acquisition hash"
status 0 "$KITH" scan -q -r set.kith --case raw.case disk.img
"$KITH" report --text raw.case >text
says text "disk.img: sha1 $(sha1sum <disk.img | cut -c1-40): no acquisition hash is stored in the image"

# A different hash is stored in it: the content is still read, but this is reported, recorded, and makes exit status 3.
python3 - md5.E01 wrong.E01 <<'PY'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], 'rb').read())
for name, size in (b'hash', 32), (b'digest', 76):
    at = data.find(name + bytes(16 - len(name)))
    if at >= 0:
        data[at + 76] ^= 1
        struct.pack_into('<I', data, at + 76 + size, zlib.adler32(data[at + 76:at + 76 + size]))
open(sys.argv[2], 'wb').write(data)
PY
status 3 "$KITH" scan -q -r set.kith --case wrong.case wrong.E01
says err "the md5 of the image does not match the one stored in it at acquisition"
"$KITH" report --about wrong.case >about
says about 'DIFFERS from the acquisition hash stored in the image'
"$KITH" report --text wrong.case >text
says text "$(md5sum <disk.img | cut -c1-32): DIFFERS from the acquisition hash stored in the image"
says about "the md5 of the image does not match the one stored in it at acquisition"
says about "done; parts were not examined"
[ "$("$KITH" report --csv wrong.case | grep -c ,identical,)" -ge 1 ] || fail "nothing was found in it"
status 3 "$KITH" scan -q -r set.kith --case wrong.case wrong.E01 # resumed: unchanged
status 3 "$KITH" ls --hash-image --summary wrong.E01
says out "(DOES NOT MATCH the hash stored in it)"
# Images in a folder: their number is reported, and --images opens them, after the folder, each under its own name.
mkdir -p folder/sub
cp disk.img folder/raw.dd
cp both.E01 folder/sub/
ewfacquirestream -q -c none -S 1048576 -t folder/parts >/dev/null 2>&1 <disk.img
qemu-img convert -f raw -O qcow2 disk.img folder/sub/a.qcow2
text 9 100000 >folder/text
status 0 "$KITH" ls --csv folder
says err "4 files look like disk images and were read as plain files"
same "objects in images" 0 "$(grep -c '^folder/' out)"
status 0 "$KITH" ls --csv --images folder
grep -q "look like" err && fail "the hint is printed although they were opened"
same "images" "folder/parts.E01 folder/raw.dd folder/sub/a.qcow2 folder/sub/both.E01" \
    "$(grep '^folder/.*,file,text,' out | cut -d, -f1 | tr '\n' ' ' | sed 's/ $//')"
status 0 "$KITH" ls --csv --images folder folder/raw.dd
same "an image that was also named" 1 "$(grep -c '^folder/raw.dd,.*,file,text,' out)"
status 0 "$KITH" scan -q --images -r set.kith --case folder.case folder
"$KITH" report --csv folder.case >found
for image in parts.E01 raw.dd sub/a.qcow2 sub/both.E01; do
    grep -q "^folder/$image,.*,file,text,.*,identical," found || fail "nothing was found in $image"
done
cp folder.case before.case
status 0 "$KITH" scan -q --images -r set.kith --case folder.case folder # resumed: nothing is left to do
"$KITH" report --csv folder.case | cmp -s - found || fail "a resumed case differs"
status 0 "$KITH" scan -r set.kith --case noted.case folder
says err "4 files look like disk images and were read as plain files"
"$KITH" report --about noted.case >about
says about "4 files look like disk images and were read as plain files"

# An image is opened whatever its name; of a set, only the first file; damage is reported.
mkdir names
for name in a.img b.iso c.raw d.vdi e.vhd f.dat g; do cp disk.img names/$name; done
qemu-img convert -f raw -O vdi disk.img names/d.vdi
qemu-img convert -f raw -O vpc disk.img names/e.vhd
qemu-img convert -f raw -O vmdk -o subformat=monolithicFlat disk.img names/h.vmdk
qemu-img convert -f raw -O vmdk -o subformat=twoGbMaxExtentSparse disk.img names/i.vmdk
split -a 3 --numeric-suffixes=1 -b 2M disk.img names/j.
cp disk.img names/k.002 # alone, it is not a later segment
opened="names/a.img names/b.iso names/c.raw names/d.vdi names/e.vhd names/f.dat names/g names/h.vmdk names/i.vmdk names/j.001 names/k.002"
status 0 "$KITH" ls --csv names
says err "11 files look like disk images and were read as plain files"
status 0 "$KITH" ls --csv --images names
same "images of all names" "$opened" "$(grep '^names/.*,file,text,' out | cut -d, -f1 | tr '\n' ' ' | sed 's/ $//')"

# refused FILE MESSAGE: a folder with a damaged image
refused()
{
    mkdir damaged
    cp "$1" damaged/
    text 9 1000 >damaged/text
    status 0 "$KITH" ls -q --csv damaged
    status 3 "$KITH" ls -q --csv --images damaged
    says err "$2"
    status 3 "$KITH" scan -q --images -r set.kith --case damaged.case damaged
    says err "$2"
    rm -r damaged damaged.case
}
cp both.E01 broken.E01
printf 'X' | dd of=broken.E01 conv=notrunc status=none
refused broken.E01 "broken.E01: named like a segment of an EWF image, but its signature is damaged"
head -c 3000 folder/sub/a.qcow2 >cut.qcow2
refused cut.qcow2 "cut.qcow2: "
head -c 100 folder/sub/a.qcow2 | tr Q X >short.qcow2
refused short.qcow2 "short.qcow2: "
cp folder/parts.E02 lost.E02
refused lost.E02 "lost.E02: "

# The extents of a VMDK are part of the evidence that a case records.
qemu-img convert -f raw -O vmdk -o subformat=monolithicFlat disk.img flat.vmdk 2>err || fail "qemu-img: $(cat err)"
status 0 "$KITH" scan -q -r set.kith --case flat.case flat.vmdk
status 0 "$KITH" scan -r set.kith --case flat.case flat.vmdk
says err "was scanned completely before"
printf X | dd of=flat-flat.vmdk bs=1 seek=5000000 conv=notrunc status=none
status 4 "$KITH" scan -q -r set.kith --case flat.case flat.vmdk
says err "flat.vmdk: the evidence is not the one that the case was made of: it was 2 files"
finish
