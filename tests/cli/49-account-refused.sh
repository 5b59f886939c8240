#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is refused unread claims nothing: many files that share blocks claim more than the image holds, and a file that shares none of
# them touches is among those that are given up.  Its content is found in blocks that belong to nobody.
. "$(dirname "$0")/lib.sh"
images

mkdir known src
python3 - <<'PY'
import random
r = random.Random(49)
open("known/planted", "wb").write(r.randbytes(16384))
open("src/large", "wb").write(r.randbytes(8 << 20))
for i in range(24):
    open("src/%02d" % i, "wb").write(b"x")
PY
status 0 "$KITH" add -q known.kith known
mke2fs -q -F -t ext2 -b 4096 -N 64 -d src disk.img 12M >/dev/null 2>&1
debugfs -w -R "write known/planted zz" disk.img >/dev/null 2>&1 # its inode is the last
# inode NAME: its number
inode()
{
    debugfs -R "stat $1" disk.img 2>/dev/null | sed -n 's/^Inode: \([0-9]*\).*/\1/p'
}
# place NAME: where its inode lies, in bytes
place()
{
    debugfs -R "imap <$(inode "$1")>" disk.img 2>/dev/null |
        sed -n 's/.*located at block \([0-9]*\), offset \(0x[0-9a-f]*\).*/\1 \2/p' | while read -r block offset; do echo $((block * 4096 + offset)); done
}
# All small files map the blocks of the large one, and then halves of it: the allowance that is left is less than the planted one.
{ place large; for i in $(seq -w 0 23); do place "$i"; done; } >places
python3 - <<'PY' || fail "no files share blocks"
import struct
large, *places = map(int, open("places"))
disk = bytearray(open("disk.img", "rb").read())
assert len(places) == 24
for i, at in enumerate(places):
    disk[at:at + 128] = disk[large:large + 128]
    if i >= 12:
        disk[at + 4:at + 8] = struct.pack("<I", 8 << 20 >> (i - 11))
open("disk.img", "wb").write(disk)
PY
status 3 "$KITH" scan --csv -r known.kith disk.img
says err "claim more data than the image holds"
same "places of the planted file" yes "$(awk -F, '$9 == "identical" || $9 == "embedded"' out | grep -q planted && echo yes)"
status 3 "$KITH" ls -q --account --csv disk.img
same "the total" "$(stat -c %s disk.img)" "$(tr -d '\r' <out | awk -F, '$3 == "total" { print $5 }')"
finish
