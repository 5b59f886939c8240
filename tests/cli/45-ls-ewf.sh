#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls of E01 and S01 sets that are damaged, incomplete or mixed up: refused with the reason, or read with --force; what
# is listed as ok has the right SHA-1.  12 mutants of each set; EWF_MUTANTS=500 makes more.
. "$(dirname "$0")/lib.sh"
images python3 ewfacquire

# Two images of the same size, and sets of them with and without compression, in one segment and several.
for seed in 1 2; do
    name=$(tr 12 ab <<<$seed)
    mkdir $name
    text $seed 700000 >$name/text
    head -c 3000000 /dev/urandom >$name/random
    for i in 1 2 3 4 5 6 7 8; do echo "$i$seed $((i * 9000)) $name/text$i"; done | texts
    mke2fs -q -F -t ext4 -b 1024 -d $name $name.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
    for compression in none fast; do
        ewfacquirestream -q -c $compression -d sha1 -t $name-$compression >/dev/null 2>err <$name.img || fail "$(cat err)"
        ewfacquirestream -q -c $compression -b 16 -S 1048576 -t $name-$compression-parts >/dev/null 2>err <$name.img ||
            fail "$(cat err)"
        ln -f $name.img $name.raw # ewfacquire looks at the name
        for options in "" "-parts -b 16 -S 1048576"; do
            set -- $options
            ewfacquire -q -u -f smart -c $compression "${@:2}" -t $name-smart-$compression${1:-} $name.raw >/dev/null 2>err </dev/null ||
                fail "$(cat err)"
        done
    done
done

# The same objects as those of the raw image, and the digests that were stored.
"$KITH" ls -q --hash --csv a.img | sed 's/^[^,]*//' >expected
for set in a-{none,fast}{,-parts}.E01 a-smart-{none,fast}{,-parts}.s01; do
    status 0 "$KITH" ls --hash --hash-image --csv $set
    same "$set is not like the image" "" "$(tr -d '\r' <out | grep -v ',image,' | sed 's/^[^,]*//' | cut -d, -f1-17 |
        diff <(tr -d '\r' <expected) - | head -n 3)"
    says out ",image,,,8388608,$(sha1sum <a.img | cut -c1-40)"
done
status 0 "$KITH" ls --summary --hash-image a-fast.E01
same "stored digests" 2 "$(grep -c '(matches the hash stored in it)' out)"

# A digest of something else, in a section with a correct checksum, is a contradiction.
cp a-fast.E01 wrong.E01
python3 - <<'PY'
import struct, zlib
data = bytearray(open('wrong.E01', 'rb').read())
changed = []
for kind, length in (b'hash', 32), (b'digest', 76):
    at = data.find(kind.ljust(16, b'\0'))
    if at >= 0:
        here = at + 76
        assert zlib.adler32(data[here:here + length]) == struct.unpack_from('<I', data, here + length)[0], kind
        data[here] ^= 1
        struct.pack_into('<I', data, here + length, zlib.adler32(data[here:here + length]))
        changed.append(kind)
assert changed, 'no digest is stored'
open('wrong.E01', 'wb').write(data)
PY
status 3 "$KITH" ls --summary --hash-image wrong.E01
says err "the md5 of the image does not match the one stored in it at acquisition"
says out "(DOES NOT MATCH the hash stored in it)"
says out "$(md5sum <a.img | cut -c1-32)"

# Each kind of damage to a set is named.
refused()
{
    status 3 "$KITH" ls --csv "$1"
    same "rows of what was refused" "" "$(tail -n +2 out)"
    says err "$2"
}
last=$(ls a-fast-parts.E* | tail -n 1)
mkdir m
copy()
{
    rm -f m/*
    local file
    for file in a-fast-parts.E*; do cp "$file" "m/m${file#a-fast-parts}"; done
}
copy; rm m/m.E02; refused m/m.E01 "segment E02 is missing"
copy; rm "m/m.${last#*.}"; refused m/m.E01 "segment ${last#*.} is missing"
copy; rm m/m.E01; refused m/m.E02 "segment E01 is missing"
copy; cp m/m.E02 m/m.E03; refused m/m.E01 "m.E03: this is segment 2 by its header, but 3 by its name"
copy; mv m/m.E03 m/x; mv m/m.E02 m/m.E03; mv m/x m/m.E02; refused m/m.E01 "m.E02: this is segment 3"
copy; cp b-fast-parts.E02 m/m.E02 # only the hash reveals it, since these sets have no identifier
status 3 "$KITH" ls --hash-image --csv m/m.E01
says err "the md5 of the image does not match the one stored in it at acquisition"
copy; cp b-fast-parts.E02 "m/m.E$(printf %02d $((10#${last##*E} + 1)))"; refused m/m.E01 "the set ends before this segment"
copy; truncate -s -100000 m/m.E02; refused m/m.E01 "m.E02: truncated"
copy; cp m/m.E02 m/alone; refused m/alone "segment E01 is missing"
copy; printf x >m/m.EXE; status 0 "$KITH" ls --csv m/m.E01

# With --force the rest is read; what lies on lost parts is marked and reported.
copy; rm m/m.E02
status 3 "$KITH" ls --force --hash --csv m/m.E01
says err "segment E02 is missing"
says err "of the image cannot be read"
says out "bytes of it cannot be read"
[ "$(tr -d '\r' <out | grep -c ',ok$')" -gt 3 ] || fail "nothing is listed of a set without its second segment"

# The same without reading anything: the losses are known.
tr -d '\r' <out | sed 's/^[^,]*//' | grep ',ok$' | cut -d, -f3,4 | sort >whole
status 3 "$KITH" ls --force --csv m/m.E01
says err "of the image cannot be read"
says out "bytes of it cannot be read"
tr -d '\r' <out | sed 's/^[^,]*//' | grep ',ok$' | cut -d, -f3,4 | sort >listed
same "objects that are listed as whole" "" "$(diff whole listed | head -n 3)"

# A set without its size holds nothing that could be listed.
python3 - a-none.E01 empty.E01 <<'PY'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], 'rb').read())
for name in b'volume', b'data':
    at = data.find(name + bytes(16 - len(name)))
    if at >= 0:
        data[at + 76 + 4:at + 76 + 8] = bytes(4)
        data[at + 76 + 16:at + 76 + 24] = bytes(8)
        data[at + 76 + 1048:at + 76 + 1052] = struct.pack('<I', zlib.adler32(data[at + 76:at + 76 + 1048]))
open(sys.argv[2], 'wb').write(data)
PY
refused empty.E01 "the media size is 0"

# Stored hashes that contradict each other, whichever of them is right.
for section in hash digest; do
    python3 - a-fast.E01 two.E01 $section <<'PY'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], 'rb').read())
name = sys.argv[3].encode()
at = data.rfind(name + bytes(16 - len(name))) + 76
size = {'hash': 36, 'digest': 80}[sys.argv[3]]
data[at] ^= 1
data[at + size - 4:at + size] = struct.pack('<I', zlib.adler32(data[at:at + size - 4]))
open(sys.argv[2], 'wb').write(data)
PY
    status 3 "$KITH" ls -q --csv two.E01
    says err "the stored hashes contradict each other: the md5 is "
    says err "$(md5sum <a.img | cut -c1-32)"
done

# Sectors that the acquisition could not read and filled: their content is not evidence.
errors() # SET FROM COUNT [PYTHON]: the set e with such a list at its end
{
    rm -f e.E*
    local file
    for file in "$1".E*; do cp "$file" "e${file#"$1"}"; done
    python3 - "$file" "e${file#"$1"}" "$2" "$3" "${4:-}" <<'PY'
import struct, sys, zlib
def summed(data): return data + struct.pack('<I', zlib.adler32(data))
def section(name, following, size): return summed(name.ljust(16, b'\0') + struct.pack('<QQ', following, size) + bytes(40))
data = bytearray(open(sys.argv[1], 'rb').read())
at = data.rfind(b'done' + bytes(12))
body = bytearray(summed(struct.pack('<I', 1) + bytes(512)) + summed(struct.pack('<II', int(sys.argv[3]), int(sys.argv[4]))))
exec(sys.argv[5])
data[at:] = section(b'error2', at + 76 + len(body), 76 + len(body)) + body
data += section(b'done', len(data), 76)
open(sys.argv[2], 'wb').write(data)
PY
}
start=$(grep ',file,random,' expected | sed 's/.*,0@\([0-9]*\)+.*/\1/')
for set in a-fast a-fast-parts; do
    errors $set $((start / 512 + 20)) 3
    for hash in "" "--hash --hash-image"; do
        status 3 "$KITH" ls --csv $hash e.E01
        says err "sectors that could not be read during acquisition: 3"
        says err "bytes $(((start / 512 + 20) * 512)) to $(((start / 512 + 23) * 512 - 1)) of the image cannot be read"
        same "objects on sectors that could not be read" "file random" \
            "$(grep 'bytes of it cannot be read' out | grep -v ',image,' | cut -d, -f4,5 | tr , ' ')"
    done
    grep -q "not the one stored in it" err && fail "the image is read as acquired, but its hash differs from the stored one"
done
errors a-fast 16380 10; refused e.E01 "goes beyond the end of the disk"
errors a-fast 100 10 'body[521] ^= 1'; refused e.E01 "the list of sectors unreadable during acquisition, at byte"
errors a-fast 100 10 'body[:520] = summed(struct.pack("<I", 1 << 31) + bytes(512))'; refused e.E01 "the list of sectors unreadable during acquisition"
status 3 "$KITH" ls --force --csv e.E01
says err "of the image cannot be read"

# Ex01, which no tool here can make.
printf 'EVF2\r\n\201\0\2\1\1\0\1\0\0\0' >empty.Ex01
head -c 5000 /dev/zero >>empty.Ex01
refused empty.Ex01 "Ex01 images are read by libewf, which returns zeros for missing parts without reporting them"
status 3 "$KITH" ls --force --csv empty.Ex01
says err "cannot be opened as an EWF image"

# A set with an identifier, and a segment without a place for one.
python3 - a-fast-parts m <<'PY'
import glob, struct, sys, zlib
for name in sorted(glob.glob(sys.argv[1] + '.E*')):
    data, at = bytearray(open(name, 'rb').read()), 13
    while at + 76 <= len(data):
        kind, following = data[at:at + 16].rstrip(b'\0'), struct.unpack_from('<Q', data, at + 16)[0]
        if kind in (b'volume', b'data'):
            data[at + 76 + 64:at + 76 + 80] = b'0123456789abcdef'
            struct.pack_into('<I', data, at + 76 + 1048, zlib.adler32(data[at + 76:at + 76 + 1048]))
        if kind == b'data' and name.endswith('E02'):
            data[at:at + 16] = b'session'.ljust(16, b'\0')
            struct.pack_into('<I', data, at + 72, zlib.adler32(data[at:at + 72]))
        if following <= at:
            break
        at = following
    open(sys.argv[2] + '/m' + name[-4:], 'wb').write(data)
PY
refused m/m.E01 "m.E02: no set identifier before the first chunk table"
cp b-fast-parts.E02 m/m.E02 # whose identifier is zeros
refused m/m.E01 "m.E02: belongs to another image"

# Copies of a table that extend over all later sections are not read repeatedly: that took minutes.
python3 - a-fast.E01 copies.E01 <<'PY'
import struct, sys, zlib
def summed(data): return data + struct.pack('<I', zlib.adler32(data))
def section(name, following, size): return summed(name.ljust(16, b'\0') + struct.pack('<QQ', following, size) + bytes(40))
data = open(sys.argv[1], 'rb').read()
at, count = data.find(b'table2'), 60000
out = bytearray(data[:at])
for i in range(count):
    out += section(b'table2', len(out) + 100, 100) + summed(struct.pack('<I', count * 10) + bytes(16))
out += section(b'done', len(out), 76) + bytes(count * 40)
open(sys.argv[2], 'wb').write(out)
PY
status 0 timeout 40 "$KITH" ls --csv copies.E01

# S01: the same, although its tables have neither checksums nor copies.
last=$(ls a-smart-fast-parts.s* | tail -n 1)
copy_smart()
{
    rm -f m/*
    local file
    for file in a-smart-fast-parts.s*; do cp "$file" "m/m${file#a-smart-fast-parts}"; done
}
copy_smart; status 0 "$KITH" ls --csv m/m.s01
copy_smart; rm m/m.s02; refused m/m.s01 "segment s02 is missing"
copy_smart; rm "m/m.${last#*.}"; refused m/m.s01 "segment ${last#*.} is missing"
copy_smart; cp m/m.s02 m/m.s03; refused m/m.s01 "m.s03: this is segment 2 by its header, but 3 by its name"
copy_smart; truncate -s -1000 m/m.s02; refused m/m.s01 "m.s02: truncated"
copy_smart; cp b-smart-fast-parts.s02 m/m.s02
status 3 "$KITH" ls --hash-image --csv m/m.s01
says err "the md5 of the image does not match the one stored in it at acquisition"
change_table()
{
    copy_smart
    python3 - m/m.s02 "$1" <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = data.find(b'table' + bytes(11)) + 76 + 24
def get(i): return struct.unpack_from('<I', data, at + i * 4)[0]
def put(i, value): struct.pack_into('<I', data, at + i * 4, value)
exec(sys.argv[2])
open(sys.argv[1], 'wb').write(data)
PY
}
for what in 'a, b = get(3), get(9); put(3, b); put(9, a)' 'put(5, get(4))' 'put(0, get(1))' 'put(7, 0)' 'put(2, len(data) | 1 << 31)'; do
    change_table "$what"
    refused m/m.s01 "m.s02: the chunk table at byte"
    status 3 "$KITH" ls --force --hash --csv m/m.s01
    says err "of the image cannot be read"
    says out "bytes of it cannot be read"
done
# An unreadable chunk is never taken for zeros, however often it is requested.
change_table 'put(2, get(2) + 1)'
status 3 "$KITH" ls --hash --csv m/m.s01
says err "of the image cannot be read"
tr -d '\r' <out | sed 's/^[^,]*//' | grep ',ok$' | cut -d, -f3,7,8 | grep -v '^@' |
    grep -vxFf <(cut -d, -f3,7,8 expected | tr -d '\r') >others
[ -s others ] && fail "with a wrong entry in a table: $(head -n 3 others)"

for set in {none,fast}{,-parts}.E01 smart-{none,fast}{,-parts}.s01; do
    python3 "$SRCDIR/tests/data/ewf_mutate.py" "$KITH" "${EWF_MUTANTS:-12}" a.img a-$set b-$set || fail "mutants of $set"
done
finish
