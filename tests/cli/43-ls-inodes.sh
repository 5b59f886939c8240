#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Inodes as damage, deletion and other owners leave them.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images mkntfs ntfscp

# row PATH COLUMN: of the row of a path
row()
{
    python3 -c '
import csv, sys
print(*[row[sys.argv[2]] for row in csv.DictReader(open("out", newline="")) if row["path"] == sys.argv[1]], sep="\n")' "$1" "$2"
}

# debug IMAGE COMMAND...: debugfs, which never fails
debug()
{
    local image=$1
    shift
    printf '%s\n' "$@" | debugfs -w -f /dev/stdin "$image" >said 2>&1
}

# Owners and permissions, with numbers of more than 16 bits; against debugfs.
mkdir owned
text 1 3000 >owned/of-others
mke2fs -q -F -t ext4 -d owned owned.img 3M >err 2>&1 || fail "mke2fs: $(cat err)"
debug owned.img 'set_inode_field of-others uid 66770' 'set_inode_field of-others gid 136750' 'set_inode_field of-others mode 0100750'
debugfs -R 'stat of-others' owned.img 2>/dev/null | grep -q 'User: 66770 *Group: 136750' || fail "debugfs did not set the owners"
status 0 "$KITH" ls -q --body --only file owned.img
same "owner and group" "66770|136750" "$(grep of-others out | cut -d'|' -f5,6)"
same "mode" "r/rrwxr-x---" "$(grep of-others out | cut -d'|' -f4)"

# A deleted file that no folder names any more: its bytes are listed; a file without bytes is not.
mkdir gone
text 2 5000 >gone/gone.bin
: >gone/void.bin
text 3 400 >gone/kept.bin
mke2fs -q -F -t ext2 -d gone gone.img 2M >err 2>&1 || fail "mke2fs: $(cat err)"
inode=$(debugfs -R 'stat gone.bin' gone.img 2>/dev/null | sed -n 's/^Inode: \([0-9]*\).*/\1/p')
void=$(debugfs -R 'stat void.bin' gone.img 2>/dev/null | sed -n 's/^Inode: \([0-9]*\).*/\1/p')
for i in "$inode" "$void"; do
    debug gone.img "set_inode_field <$i> links_count 0" "set_inode_field <$i> dtime 1700000000" "freei <$i>"
done
debug gone.img 'unlink gone.bin' 'unlink void.bin'
python3 - <<'PY'
data = open('gone.img', 'rb').read()
assert data.count(b'gone.bin') == 1 and data.count(b'void.bin') == 1
open('gone.img', 'wb').write(data.replace(b'gone.bin', bytes(8)).replace(b'void.bin', bytes(8)))
PY
status 0 "$KITH" ls -q --hash --csv --only file,deleted,orphan gone.img
same "content without a name" "5000 $(sha1sum <gone/gone.bin | cut -c1-40)" "$(row "\$OrphanFiles/OrphanFile-$inode" size) $(row "\$OrphanFiles/OrphanFile-$inode" sha1)"
same "nothing without a name" "" "$(grep "OrphanFile-$void" out)"
same "the file beside" 400 "$(row kept.bin size)"

# A folder with an invalid block map: its names are missing, which is reported, and its files are listed without them.
mkdir -p lost/folder
text 5 700 >lost/folder/inside.txt
mke2fs -q -F -t ext4 -d lost lost.img 2M >err 2>&1 || fail "mke2fs: $(cat err)"
folder=$(debugfs -R 'stat folder' lost.img 2>/dev/null | sed -n 's/^Inode: \([0-9]*\).*/\1/p')
debug lost.img 'set_inode_field folder block[0] 0'
status 3 "$KITH" ls --hash --csv --only file lost.img
says err "folder $folder is damaged, names may be missing"
says out "$(sha1sum <lost/folder/inside.txt | cut -c1-40)"

# Groups whose inode tables lie outside the disk: neighbours are one problem, those of another group or for another reason
# are others.
mkdir groups
text 4 2000 >groups/first.txt
mke2fs -q -F -t ext2 -b 1024 -g 512 -N 256 -O ^resize_inode,^metadata_csum -d groups groups.img 4M >err 2>&1 || fail "mke2fs: $(cat err)"
python3 - <<'PY'
import struct
data = bytearray(open('groups.img', 'rb').read())
assert struct.unpack_from('<I', data, 1024 + 40)[0] == 32, 'inodes of a group'
for group in 1, 3, 4:
    struct.pack_into('<I', data, 2048 + 32 * group + 8, 0x7fffffff)
open('groups.img', 'wb').write(data)
PY
status 3 "$KITH" ls --hash --csv --only file groups.img
same "the file in the first group" "$(sha1sum <groups/first.txt | cut -c1-40)" "$(row first.txt sha1)"
same "the inodes that cannot be read" "inodes 33 to 64 cannot be read
inodes 97 to 128 cannot be read
inodes 129 to 160 cannot be read" "$(grep -o 'inodes [0-9]* to [0-9]* cannot be read' err)"

# Invalid block maps.
python3 "$data/planted.py" planted ext4-inodes || fail "planted.py failed"
"$KITH" ls -q --csv --only file planted/ext4-inodes.img >out 2>err
for name in extents-bad-magic extents-deep; do
    same "$name" "partial: its block map is damaged" "$(row $name status)"
done

# An attribute that NTFS marks as encrypted: shown as such, with its bytes as stored.
bash "$data/images.sh" . ntfs || fail "images.sh failed"
python3 - <<'PY'
import struct
data = bytearray(open('ntfs.img', 'rb').read())
ENCRYPTED = 0x4000
name = 'non-resident.txt'.encode('utf-16-le')
at = -1
changed = 0
while (at := data.find(b'FILE', at + 1)) >= 0:
    if at % 512 or name not in data[at:at + 1024]:
        continue
    here = at + struct.unpack_from('<H', data, at + 20)[0]
    while struct.unpack_from('<I', data, here)[0] != 0xffffffff:
        kind, length = struct.unpack_from('<II', data, here)
        if kind == 0x80:
            data[here + 13] |= ENCRYPTED >> 8
            changed += 1
        here += length
assert changed == 1, changed
open('encrypted.img', 'wb').write(data)
PY
status 0 "$KITH" ls -q --hash --csv --only file ntfs.img
sha1=$(row non-resident.txt sha1)
same "flags before" "" "$(row non-resident.txt flags)"
status 0 "$KITH" ls -q --hash --csv --only file encrypted.img
same "flags" "encrypted" "$(row non-resident.txt flags)"
same "content" "$sha1" "$(row non-resident.txt sha1)"

# Windows gives $Bitmap a stream of its own; any other stream there is a user's.
echo "as Windows writes it" >content
for name in '$SRAT' mine; do
    ntfscp -f -q -i -N "$name" ntfs.img content 6 >said 2>&1 || fail "ntfscp: $(cat said)"
done
status 0 "$KITH" ls -q --metadata --csv ntfs.img
same "a stream of NTFS" "metadata" "$(row '$Bitmap:$SRAT' kind)"
same "a user's stream" "stream" "$(row '$Bitmap:mine' kind)"
finish
