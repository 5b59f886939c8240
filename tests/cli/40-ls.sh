#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls finds every object of images of all kinds, with its bytes: against the truth written by images.sh.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images mkfs.exfat mkntfs makefs affconvert

bash "$data/images.sh" images || fail "images.sh failed"
bash "$data/deep.sh" images || fail "deep.sh failed"
for truth in images/*.truth; do
    name=$(basename "$truth" .truth)
    image=$(find images -name "$name.*" ! -name '*.truth' | LC_ALL=C sort | head -n 1)
    status 0 "$KITH" ls --hash --csv -j1 "$image"
    [ -s err ] && fail "$name: $(head -c 300 err)"
    mv out one
    python3 "$data/compare.py" one "$truth" >differences 2>&1 || fail "$name: $(head -c 600 differences)"
    status 0 "$KITH" ls --hash --csv -j5 "$image"
    cmp -s one out || fail "$name: -j1 and -j5 differ"
done

# All formats say the same.
status 0 "$KITH" ls --hash --md5 --sha256 --json images/ntfs.img
cp out json
status 0 "$KITH" ls --hash --md5 --sha256 --csv images/ntfs.img
python3 - json out <<'PY' || fail "JSON and CSV differ"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[2], newline='')))
objects = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) == len(objects) > 20
for row, obj in zip(rows, objects):
    for key in ('evidence', 'volume', 'address', 'kind', 'sha1', 'md5', 'sha256', 'mtime', 'crtime', 'flags', 'status'):
        assert row[key] == obj.get(key, ''), (key, row, obj)
    assert row['path'].lstrip("'") == obj.get('path', '') and int(row['size']) == obj['size']
    assert row['runs'] == ' '.join('%d@%d+%d' % (r['offset'], r['image_offset'], r['length']) for r in obj['runs'])
PY

# The bytes are where the runs say: read by dd, without icat.
status 0 "$KITH" ls --hash --csv images/ext4-extents.img
python3 - out images/ext4-extents.img <<'PY' || fail "runs do not lead to the content"
import csv, hashlib, sys
csv.field_size_limit(1 << 30)
image, checked = open(sys.argv[2], 'rb').read(), 0
for row in csv.DictReader(open(sys.argv[1], newline='')):
    content = bytearray(int(row['size']))
    for run in row['runs'].split():
        offset, rest = run.split('@')
        start, length = map(int, rest.split('+'))
        content[int(offset):int(offset) + length] = image[start:start + length]
    assert hashlib.sha1(content).hexdigest() == row['sha1'], row
    checked += len(row['runs'].split()) > 400
assert checked
PY

# Free blocks, slack and gaps: what fls does not list, blkls and dd do.
if command -v blkls >/dev/null; then
    blkls images/ext2.img | sha1sum | cut -c1-40 >expected
    "$KITH" ls -q --json --only unallocated images/ext2.img | python3 -c '
import hashlib, json, sys
image, h = open("images/ext2.img", "rb"), hashlib.sha1()
for line in sys.stdin:
    for run in json.loads(line)["runs"]:
        image.seek(run["image_offset"])
        h.update(image.read(run["length"]))
print(h.hexdigest())' >got
    cmp -s expected got || fail "unallocated differs from blkls"
fi

# Times and owners, for mactime; against fls, which gets these right.
if command -v fls >/dev/null; then
    fls -r -m / images/ext4.img | grep -av '[\\^]' | awk -F'|' '$2 !~ /\$OrphanFiles|lost\+found/ && $4 ~ /^r\/r/ { print $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7 "|" $8 "|" $9 "|" $10 "|" $11 }' |
        grep -av '[^ -~]' | sort >expected
    "$KITH" ls -q --body --only file,deleted images/ext4.img | awk -F'|' '{ sub(/-1-0$/, "", $3); print $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7 "|" $8 "|" $9 "|" $10 "|" $11 }' |
        grep -av '[^ -~]' | grep -av '\\x' | sort >got
    comm -23 expected got | grep -v '(deleted' >missing
    [ -s missing ] && fail "body: $(head -n 3 missing)"
    [ "$(comm -12 expected got | wc -l)" -gt 10 ] || fail "body: hardly anything agrees with fls"
fi

# A volume by its offset, as fls takes it.
status 0 "$KITH" ls --csv -o 2048 images/disk-dos.img
says out "first partition/text.txt"
grep -q "logical partition" out && fail "-o lists more than that volume"
status 0 "$KITH" ls --csv -o 2048 -f ext4 images/disk-dos.img
status 0 "$KITH" ls --csv -i ewf images/disk-ewf.E01
status 0 "$KITH" ls --summary images/disk-gpt.img
says out "partition table: gpt"
says out "volume 4@1048576: ntfs"
status 0 "$KITH" ls -l images/fat16.img
says out "deleted"
status 0 "$KITH" ls --csv --only deleted images/fat16.img
same "only deleted" "deleted kind" "$(cut -d, -f4 out | sort -u | tr '\n' ' ' | sed 's/ $//')"
status 0 "$KITH" ls --csv --metadata images/ntfs.img
says out ',$MFT,'

# A short FAT name keeps its bytes, whatever they mean.
truncate -s 2M short.img
mkfs.fat --invariant -i 6b697468 short.img >/dev/null
text 3 700 >ABC.TXT
mcopy -i short.img ABC.TXT ::/ABC.TXT
python3 -c '
data = open("short.img", "rb").read()
assert data.count(b"ABC     TXT") == 1
open("short.img", "wb").write(data.replace(b"ABC     TXT", b"\x8e\xca\x90\xb9    TXT"))'
status 0 "$KITH" ls --hash --csv --only file short.img
says out ",8eca90b92e545854,700,$(sha1sum <ABC.TXT | cut -c1-40)"

# The digests of the whole image, and those stored in an E01.
status 0 "$KITH" ls --hash-image --csv images/disk-dos.img
says out ",image,"
grep -q "$(sha1sum <images/disk-dos.img | cut -c1-40).*$(md5sum <images/disk-dos.img | cut -c1-32),$(sha256sum <images/disk-dos.img | cut -c1-64)" out ||
    fail "the image's digests are wrong"
status 0 "$KITH" ls --hash-image --summary images/disk-ewf.E01
says out "(matches the hash stored in it)"

# Files and folders of the host.
mkdir -p tree/sub
text 1 5000 >tree/a
text 2 100000 >tree/sub/'=cmd|calc'
ln -s a tree/link
status 0 "$KITH" ls --hash --csv tree
grep -q "tree,-,-,file,a,,5000,$(sha1sum <tree/a | cut -c1-40)" out || fail "a file of a folder: $(cat out)"
grep -q ",'=cmd|calc," out && fail "the path is not relative to the folder"
says out "sub/=cmd|calc"
cp tree/sub/'=cmd|calc' tree/'=x'
status 0 "$KITH" ls --csv tree
says out "'=x,3d78"
says err "links and special files skipped: 1"
status 0 "$KITH" ls --hash --csv tree/a tree/sub
says err "it is read as a plain file"
same "two pieces of evidence" 3 "$(wc -l <out | tr -d ' ')"

# Files with holes: at the end, at the start, nothing else, and more pieces of data than are kept separate.
mkdir sparse
python3 - <<'PY'
import random
random.seed(3)
for name, size, pieces in ("end", 5000001, [0]), ("begin", 5000003, [5000000]), ("empty", 5000000, []), ("many", 4300 * 16384 + 777, [i * 16384 + random.randrange(3) * 4096 for i in range(4300)]):
    with open("sparse/" + name, "wb") as file:
        for at in pieces:
            file.seek(at)
            file.write(random.randbytes(min(random.randrange(1, 9000), size - at)))
        file.truncate(size)
PY
status 0 "$KITH" ls --hash --csv sparse
for name in end begin empty many; do
    says out ",$name,,$(stat -c %s sparse/$name),$(sha1sum <sparse/$name | cut -c1-40),"
done

# names that are not text, and only those, are also given in hexadecimal
mkdir named
: >"named/$(printf 'od\377d\nx')"
: >named/plain
status 0 "$KITH" ls --json named
python3 - out <<'PY' || fail "path_hex in JSON: $(cat out)"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert sorted(bytes.fromhex(r['path_hex']) if 'path_hex' in r else r['path'].encode() for r in rows) == [b'od\xffd\nx', b'plain'], rows
assert ['path_hex' in r for r in sorted(rows, key=lambda r: r['path'])] == [True, False], rows
PY
finish
