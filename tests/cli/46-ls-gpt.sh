#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A damaged GPT: the other copy is used, which gives the same listing; this is reported, even with -q.
. "$(dirname "$0")/lib.sh"
images python3

for name in one two; do
    mkdir $name
    text ${#name} 30000 >$name/$name
    mke2fs -q -F -t ext4 -d $name $name.img 3M >err 2>&1 || fail "mke2fs: $(cat err)"
done
cp two.img three.img
for size in 512 4096; do
    truncate -s 16M whole.$size
done
printf 'label: gpt\nstart=2048,size=6144\nstart=10240,size=6144\n' | sfdisk -q whole.512 >said 2>&1 || fail "sfdisk: $(cat said)"
for place in one:1048576 two:5242880; do
    dd if=${place%:*}.img of=whole.512 bs=1M seek=$((${place#*:} / 1048576)) conv=notrunc status=none
done

# With sectors of 4096 bytes, made by hand.
python3 - whole.512 whole.4096 <<'PY'
import struct, sys, zlib
SECTOR = 4096
data = bytearray(open(sys.argv[1], 'rb').read())
entries = bytearray(data[1024:1024 + 128 * 128])
header = bytearray(data[512:512 + 92])
data[512:1048576] = bytes(1048576 - 512)
data[-33 * 512:] = bytes(33 * 512)
for i in range(2):
    first, last = struct.unpack_from('<QQ', entries, i * 128 + 32)
    struct.pack_into('<QQ', entries, i * 128 + 32, first // 8, (last + 1) // 8 - 1)
end = len(data) // SECTOR - 1
for here, other, table in (1, end, 2), (end, 1, end - 4):
    struct.pack_into('<QQQQ', header, 24, here, other, 6, end - 5)
    struct.pack_into('<Q', header, 72, table)
    struct.pack_into('<I', header, 88, zlib.crc32(entries))
    struct.pack_into('<I', header, 16, 0)
    struct.pack_into('<I', header, 16, zlib.crc32(header))
    data[here * SECTOR:here * SECTOR + 92] = header
    data[table * SECTOR:table * SECTOR + len(entries)] = entries
struct.pack_into('<I', data, 446 + 12, end)
open(sys.argv[2], 'wb').write(data)
PY

# damage SIZE PYTHON: whole.SIZE changed, as damaged.img; P, E: the primary header and its entries; B, F: those of the backup
damage()
{
    python3 - "$1" "$2" <<'PY'
import struct, sys
SECTOR = int(sys.argv[1])
data = bytearray(open(f'whole.{SECTOR}', 'rb').read())
P, E, B = SECTOR, 2 * SECTOR, len(data) - SECTOR
F = B - 16384
exec(sys.argv[2])
open('damaged.img', 'wb').write(data)
PY
}

# alike STATUS TEXT: the listing of files, slack and free blocks is that of the whole disk; TEXT is reported
alike()
{
    status "$1" "$KITH" ls -q --hash --csv damaged.img
    same "another listing" "" "$(grep -v ,gap, out | sed 's/^[^,]*//' | diff expected - | head -n 4)"
    if [ -n "$2" ]; then says err "$2"; else same "something is said" "" "$(cat err)"; fi
}

for size in 512 4096; do
    status 0 "$KITH" ls -q --hash --csv whole.$size
    same "said of a sound disk" "" "$(cat err)"
    grep -v ,gap, out | sed 's/^[^,]*//' >expected
    same "files in it" 2 "$(grep -c ',file,\(one\|two\),' expected)"

    damage $size 'data[P] ^= 1';                    alike 3 "the primary GPT is missing; the backup in sector"
    damage $size 'data[P + 60] ^= 1';               alike 3 "the primary GPT has a damaged header; the backup"
    damage $size 'data[P + 72] ^= 4';               alike 3 "the primary GPT has a damaged header; the backup"
    damage $size 'data[E + 33] ^= 1';               alike 3 "the primary GPT has damaged entries; the backup"
    damage $size 'data[E:E + 256] = bytes(256)';    alike 3 "the primary GPT has damaged entries; the backup"
    damage $size 'data[P:P + 17000] = bytes(17000)'; alike 3 "the primary GPT is missing; the backup"
    damage $size 'data[446:462] = bytes(16)';       alike 3 "the protective MBR is missing"
    damage $size 'data[:510 + 2] = bytes(512)';     alike 3 "the protective MBR is missing"
    damage $size 'data[:17000] = bytes(17000)';     alike 3 "the backup in sector"
    damage $size 'data[B] ^= 1';                    alike 0 ""
    damage $size 'data[P] ^= 1; data += bytes(70000)'; alike 3 "the backup in sector"

    # Neither is sound: all of the disk is still read, and a message says that something is missing.
    damage $size 'data[P] ^= 1; data[B] ^= 1'
    status 3 "$KITH" ls -q --csv damaged.img
    says err "there is a protective MBR, but the primary GPT is missing and the backup is missing"
    damage $size 'data[P:P + 17000] = bytes(17000); data[F:] = bytes(len(data) - F)'
    status 3 "$KITH" ls -q --csv damaged.img
    says err "there is a protective MBR"
    damage $size 'data[E + 33] ^= 1; data[F + 33] ^= 1'
    status 3 "$KITH" ls -q --csv damaged.img
    says err "the primary GPT has damaged entries and the backup has damaged entries"
done

# A repartitioned or reformatted disk holds a backup of its former table: that is not used.
damage 512 'data[446:462] = struct.pack("<BBBBBBBBII", 0, 0, 0, 0, 0x83, 0, 0, 0, 10240, 6144); data[P:P + 17000] = bytes(17000)'
status 0 "$KITH" ls -q --csv damaged.img
same "the old table" "" "$(grep ,one, out)"
says out ",file,two,"
cp whole.512 damaged.img
dd if=one.img of=damaged.img bs=4096 count=768 conv=notrunc status=none
status 0 "$KITH" ls -q --csv damaged.img
says out ",file,one,"

# It is recorded in the case.
damage 512 'data[P + 60] ^= 1'
mkdir known
cp one/one known/
"$KITH" add -q set.kith known >/dev/null 2>&1
status 3 "$KITH" scan -q -r set.kith --case disk.case damaged.img
says err "the primary GPT has a damaged header; the backup"
"$KITH" report --about disk.case >about
says about "the primary GPT has a damaged header; the backup"
finish
