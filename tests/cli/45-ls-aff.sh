#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls of AFF images in all the forms that affconvert makes, whole, damaged and incomplete: what is listed as ok has the
# right SHA-1, and what is missing is refused by name, or read with --force.  40 mutants; AFF_MUTANTS=1000 makes more.
. "$(dirname "$0")/lib.sh"
images python3 affconvert

mkdir files
text 1 700000 >files/text
base64 /dev/urandom | head -c 2000000 >files/random # an incompressible page is stored as it is, without a checksum
for i in 1 2 3 4 5 6 7 8; do echo "$i $((i * 9000)) files/text$i"; done | texts
mke2fs -q -F -t ext4 -b 1024 -d files disk.raw 9M >err 2>&1 || fail "mke2fs: $(cat err)"
"$KITH" ls -q --hash --csv disk.raw | tr -d '\r' | sed 's/^[^,]*//' >expected
cut -d, -f3,7,8 expected >known

affconvert -q -o whole.aff disk.raw >/dev/null 2>&1 || fail "affconvert"
affconvert -q -s64k -o pages.aff disk.raw >/dev/null 2>&1 || fail "affconvert -s"
affconvert -q -x -s64k -o plain.aff disk.raw >/dev/null 2>&1 || fail "affconvert -x"
affconvert -q -L -s256k -o lzma.aff disk.raw >/dev/null 2>&1 || fail "affconvert -L"
for image in whole pages plain lzma; do
    status 0 "$KITH" ls --hash --hash-image --csv $image.aff
    same "$image is not like the image" "" "$(tr -d '\r' <out | grep -v ',image,' | sed 's/^[^,]*//' | cut -d, -f1-17 |
        diff <(cut -d, -f1-17 expected) - | head -n 3)"
    says out ",image,,,9437184,$(sha1sum <disk.raw | cut -c1-40)"
    status 0 "$KITH" ls --summary --hash-image $image.aff
    same "stored digests" 2 "$(grep -c '(matches the hash stored in it)' out)"
done

# change IMAGE OUT PYTHON: parts is a list of [name, data, flag]
change()
{
    python3 - "$@" <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
at, parts = 8, []
while at < len(data):
    _, name_len, data_len, flag = struct.unpack_from('>4sIII', data, at)
    name = data[at + 16:at + 16 + name_len].decode()
    parts.append([name, data[at + 16 + name_len:at + 16 + name_len + data_len], flag])
    at += 24 + name_len + data_len
def index(name):
    return next(i for i, part in enumerate(parts) if part[0] == name)
exec(sys.argv[3])
with open(sys.argv[2], 'wb') as out:
    out.write(data[:8])
    for name, content, flag in parts:
        out.write(struct.pack('>4sIII', b'AFF', len(name), len(content), flag) + name.encode() + content +
                  struct.pack('>4sI', b'ATT', 24 + len(name) + len(content)))
PY
}

# right: what is listed as ok in out is as on the disk
right()
{
    tr -d '\r' <out | sed 's/^[^,]*//' | grep ',ok$' | cut -d, -f3,7,8 | grep -v '^@' | grep -vxFf known >others
    [ -s others ] && fail "$1: $(head -n 3 others)"
}

# wrong IMAGE PYTHON TEXT: refused; with --force marked, whether hashed or not
wrong()
{
    change "$1" wrong.aff "$2"
    status 3 "$KITH" ls --csv wrong.aff
    same "rows of what was refused" "" "$(tail -n +2 out)"
    says err "wrong.aff: $3"
    for hash in "" --hash; do
        status 3 "$KITH" ls --force $hash --csv wrong.aff
        says err "of the image cannot be read"
        says out "bytes of it cannot be read"
    done
    right "$1 with '$2'"
}

for image in pages plain; do
    wrong $image.aff 'del parts[index("page40")]' "page 40 is missing"
    wrong $image.aff 'del parts[index("page40"):index("page60")]' "page 40 is missing or damaged (20 of 144 pages are)"
    wrong $image.aff 'parts[index("page40")][0] = "page41"' "page 41 occurs 2 times"
    wrong $image.aff 'parts[index("page143")][0] = "page144"' "page 144 lies beyond the image's size"
    wrong $image.aff 'parts[index("page40")][2] = 0; parts[index("page40")][1] = b"x" * 1000' "page 40 is damaged"
    wrong $image.aff 'parts[index("page40")][2] = 0x11' "page 40 is damaged"
    wrong $image.aff 'parts[index("page40")][1:] = [bytes(4), 0x31]' "page 40 is damaged"
done
wrong lzma.aff 'del parts[index("page10")]' "page 10 is missing"
change pages.aff wrong.aff 'parts[index("page40")][1] = b"ATT" + parts[index("page40")][1][3:]'
status 3 "$KITH" ls --hash --csv wrong.aff
says err "bytes 2621440 to 2686975 of the image cannot be read"
right "a damaged page"
# The LZMA library complains on standard error, which must not cost more than the page.
for damage in 'page[:100] + bytes([page[100] ^ 0x55]) + page[101:]' 'page[:len(page) // 2]' 'page[:20]'; do
    change lzma.aff wrong.aff "page = parts[index('page10')][1]; parts[index('page10')][1] = $damage"
    status 3 "$KITH" ls --hash --csv wrong.aff
    says err "bytes 2621440 to 2883583 of the image cannot be read"
    grep -q ',text1,.*,ok' out || fail "$damage: other files are lost, too"
    right "a damaged page of LZMA: $damage"
done
wrong lzma.aff 'page = parts[index("page10")][1]; parts[index("page10")][1] = page[:5] + struct.pack("<Q", 200000) + page[13:]' \
    "page 10 is damaged: it does not hold 262144 bytes"

refused()
{
    status 3 "$KITH" ls --csv "$@"
    same "rows of what was refused" "" "$(tail -n +2 out)"
}
change pages.aff wrong.aff 'del parts[index("imagesize")]'
refused wrong.aff --force
says err 'segment "imagesize" is missing or damaged'
change pages.aff wrong.aff 'parts[index("imagesize")][1] = struct.pack(">II", 9437184 - 512, 0)'
refused wrong.aff
says err "page 143 is damaged: it does not hold 65024 bytes"
head -c 100000 pages.aff >wrong.aff
refused wrong.aff
says err "damaged or truncated: no valid segment at byte"
change pages.aff wrong.aff 'parts.append(["affkey_aes256", bytes(52), 0])'
refused wrong.aff --force
says err "encrypted AFF image"

# The placeholder for a sector that the acquisition could not read is not its content.
change plain.aff wrong.aff '
page = parts[index("page40")]
page[1] = page[1][:512] + parts[index("badflag")][1] + page[1][1024:]
parts[index("badsectors")][1] = struct.pack(">II", 1, 0)'
status 3 "$KITH" ls --hash --csv wrong.aff
says err "sectors that could not be read during acquisition: 1"
says err "bytes 2621952 to 2622463 of the image cannot be read"
same "objects on a bad sector" 1 "$(grep -c 'bytes of it cannot be read' out)"
right "a bad sector"
for unmarked in 'del parts[index("badflag")]' 'parts[index("badflag")][1] = bytes(511)'; do
    wrong plain.aff "parts[index('badsectors')][1] = struct.pack('>II', 1, 0); $unmarked" \
        "sectors that could not be read during acquisition are not marked"
    grep -q ',ok.$' out && fail "$unmarked: $(grep -m 1 ',ok.$' out)"
done
wrong plain.aff 'parts[index("badsectors")][1] = bytes(7); del parts[index("badflag")]' 'segment "badsectors" at byte'

cat >mutate.py <<'PY'
import random, sys
data, rng = bytearray(open(sys.argv[1], 'rb').read()), random.Random(sys.argv[2])
places, at = [], 8
while at < len(data):
    names, content = (int.from_bytes(data[at + i:at + i + 4], 'big') for i in (4, 8))
    places += range(at, at + 16 + names)
    at += 24 + names + content
    places += range(at - 8, at)
if rng.random() < .2:
    del data[rng.randrange(len(data)):]
elif rng.random() < .2:
    at, size = rng.randrange(len(data) - 70000), rng.choice((16, 512, 70000))
    data[at:at + size] = bytes(size)
else:
    data[rng.choice(places) if rng.random() < .7 else rng.randrange(len(data))] ^= 1 << rng.randrange(8)
open('wrong.aff', 'wb').write(data)
PY
for seed in $(seq "${AFF_MUTANTS:-40}"); do
    python3 mutate.py pages.aff $seed
    for force in "" --force; do
        "$KITH" ls -q $force --hash --csv wrong.aff >out 2>err </dev/null
        got=$?
        [ $got = 0 ] || [ $got = 3 ] || fail "mutant $seed: exit $got: $(head -c 300 err)"
        [ $got = 0 ] || [ -s err ] || fail "mutant $seed: no reason"
        right "mutant $seed $force"
    done
done
finish
