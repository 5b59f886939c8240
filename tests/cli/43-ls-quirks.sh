#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults of libtsk (lib/disk/quirks.h) that no other image shows.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images

# rows KIND: "path size status" of the rows of that kind
rows()
{
    python3 -c '
import csv, sys
for row in csv.DictReader(open("out", newline="")):
    if row["kind"] == sys.argv[1]:
        print(row["path"], row["size"], row["status"])' "$1"
}

# QUIRK_EXT_META_GROUPS: no file of the groups after the first ones is listed, their blocks are; nothing of these is listed as free.
python3 "$data/planted.py" planted ext4-meta-bg || fail "planted.py failed"
status 3 "$KITH" ls --csv planted/ext4-meta-bg.img
says err "uses meta_bg, of which libtsk can read only the first groups: inodes after 128 are not listed, and blocks after 4095 are reported as unclaimed"
python3 - planted/ext4-meta-bg.img <<'PY' || fail "meta_bg: the listing differs"
import csv, struct, sys
data = open(sys.argv[1], 'rb').read()
blocks, first, per_group, inodes_per_group = (struct.unpack_from('<I', data, 1024 + at)[0] for at in (4, 20, 32, 40))
descriptors = 1024 // struct.unpack_from('<H', data, 1024 + 0xfe)[0] if struct.unpack_from('<I', data, 1024 + 0x60)[0] & 0x80 else 32
inodes, end = descriptors * inodes_per_group, (first + descriptors * per_group) * 1024
rows = list(csv.DictReader(open('out', newline='')))
assert (inodes, end) == (128, 4096 * 1024 + 1024) and blocks * 1024 > end, (inodes, end)
for row in rows:
    start = int(row['address'][1:].split('+')[0]) if row['address'][0] == '@' else None
    if start is None:
        assert int(row['address'].split('-')[0]) <= inodes, row
    elif start >= end:
        assert row['kind'] in ('slack', 'metadata', 'unclaimed'), row
assert sum(row['kind'] == 'unclaimed' for row in rows) > 1
PY

# QUIRK_EXT_INLINE_LARGE: such a file is listed with its content, or as unreadable.
mkdir inline
text 1 900 >inline/large.txt
text 2 500 >inline/small.txt
mke2fs -q -F -t ext4 -b 4096 -I 2048 -O inline_data,^has_journal -d inline inline.img 4M >err 2>&1 || fail "mke2fs: $(cat err)"
debugfs -R 'stat large.txt' inline.img 2>/dev/null | grep -q 'Size of inline data: 900' || fail "large.txt is not in its inode"
"$KITH" ls --hash --csv --only file inline.img >out 2>err
code=$?
says out "small.txt,,500,$(sha1sum <inline/small.txt | cut -c1-40),"
if [ $code -eq 0 ]; then
    says out "large.txt,,900,$(sha1sum <inline/large.txt | cut -c1-40),"
else
    same "status of the large one" "3 large.txt 900 unreadable" "$code $(rows file | grep large | cut -d: -f1)"
fi

# QUIRK_ISO_EXTENTS: a file of two extents, the first as large as one can be (ECMA-119, 6.5.1 and 9.1.6).
mkdir iso
text 3 3000 >iso/PART1.BIN
text 4 3000 >iso/PART2.BIN
xorriso -as mkisofs -quiet -V KITH -o small.iso iso >said 2>&1 || fail "xorriso: $(cat said)"
python3 - <<'PY'
import struct
FULL, SECTOR, MULTI_EXTENT = 0xfffff800, 2048, 0x80
data, tail = bytearray(open('small.iso', 'rb').read()), open('iso/PART2.BIN', 'rb').read()
def both(at, value):
    struct.pack_into('<I', data, at, value)
    struct.pack_into('>I', data, at + 4, value)
one, two = (data.index(b'\x0bPART%d.BIN;1' % i) - 32 for i in (1, 2))
start = struct.unpack_from('<I', data, one + 2)[0]
far = start + FULL // SECTOR
both(one + 10, FULL)
data[one + 25] |= MULTI_EXTENT
both(two + 2, far)
data[two + 33:two + 44] = b'PART1.BIN;1'
both(16 * SECTOR + 80, far + 2)
with open('large.iso', 'wb') as file:
    file.write(data)
    file.seek(far * SECTOR)
    file.write(tail.ljust(2 * SECTOR, b'\0'))
PY
status 3 "$KITH" ls --csv large.iso
same "files of two extents" "PART1.BIN 4294965248 partial: it is part of a larger file that continues as another object
PART1.BIN 3000 ok" "$(rows file)"

# QUIRK_ORPHAN_ROOT: without its path table the disc has no inode but the root.
cp small.iso pathless.iso
printf '\0\0\0\0\0\0\0\0' | dd of=pathless.iso bs=1 seek=$((16 * 2048 + 132)) conv=notrunc status=none
status 3 timeout 60 "$KITH" ls --csv pathless.iso
says err "libtsk finds no files in the iso9660 file system"
same "files without a table of paths" "" "$(rows file)"
same "all bytes are listed" "$(stat -c %s pathless.iso)" "$(rows unallocated | cut -d' ' -f2)"

# QUIRK_TABLE_CUT: the image ends before the last volume begins.
bash "$data/images.sh" . disk-dos || fail "images.sh failed"
last=$(sfdisk -d disk-dos.img 2>/dev/null | sed -n 's/.*start= *\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
head -c $((last * 512 - 2000000)) disk-dos.img >cut.img
status 3 "$KITH" ls --csv cut.img
says err "the partition table describes more than the image holds: the image is truncated"
says out "first partition/text.txt"
finish
