#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith add stores the files of folders and images in a set: checked against sha1sum and the truth of images.sh.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data

mkdir -p tree/sub
for i in 1 2 3 4 5 6 7 8 9; do echo "$i $((i * 3000)) tree/text$i"; done | texts
text 5 15000 >tree/sub/again
: >tree/empty
printf x >tree/one
head -c 100000 /dev/zero >tree/zeros
seq 300000 >tree/sub/numbers
cp tree/text1 "tree/$(printf 'odd\nna,me "\377')"
printf 'x' >tree/=formula

status 0 "$KITH" add -j1 --name 'A, "set"' --kind notable --category test --md5 --sha256 --note 'made here' one.kith tree
says out "one.kith: 13 added, 3 merged into existing entries, 0 already there, 0 left out; 13 files in total"
[ -s err ] && fail "unexpected messages: $(cat err)"
status 0 "$KITH" sets info one.kith
says out 'name        A, "set"'
says out 'kind        notable'
says out 'category    test'
says out 'files       13 ('
says out 'folder tree,'
says out ': made here'
status 0 "$KITH" sets verify one.kith
says out "one.kith: sound"
[ "$(find . -name 'one.kith*' | wc -l)" -eq 1 ] || fail "the set at rest is more than one file"

# every digest as in coreutils
status 0 "$KITH" export --json one.kith
cp out one.json
python3 - one.json tree <<'PY' || fail "digests, sizes or names are wrong"
import hashlib, json, os, sys
truth = {}
for folder, _, names in os.walk(os.fsencode(sys.argv[2])):
    for name in names:
        path = os.path.join(folder, name)
        data = open(path, 'rb').read()
        entry = truth.setdefault(hashlib.sha1(data).hexdigest(), [hashlib.md5(data).hexdigest(), hashlib.sha256(data).hexdigest(), len(data), set(), data])
        entry[3].add(path[len(sys.argv[2]) + 1:])
def raw(text):
    out, i = b'', 0
    while i < len(text):
        if text[i] != '\\':
            out += text[i].encode(); i += 1
        elif text[i + 1] == '\\':
            out += b'\\'; i += 2
        else:
            out += bytes([int(text[i + 2:i + 4], 16)]); i += 4
    return out
found = 0
for line in open(sys.argv[1]):
    d = json.loads(line)
    if 'sha1' not in d:
        continue
    found += 1
    md5, sha256, size, names, data = truth[d['sha1']]
    assert (d['md5'], d['sha256'], d['size']) == (md5, sha256, size), d
    assert {raw(n) for n in [d['name']] + d.get('names', [])} == names, (d, names)
    blocks = [hashlib.sha1(data[i:i + 4096]).hexdigest() for i in range(0, size, 4096)]
    assert d.get('blocks', '') == (''.join(blocks) if len(blocks) > 1 else ''), d['name']
assert found == len(truth) == 13, found
PY

# nothing is added twice
status 0 "$KITH" add one.kith tree
says out "0 added, 0 merged into existing entries, 16 already there"
"$KITH" export --json one.kith | cmp -s - one.json || fail "adding the same again changed the set"
status 0 "$KITH" sets info one.kith
says out "generation 1"

# the same for any number of workers, and in several steps
status 0 "$KITH" add -j5 --name 'A, "set"' --kind notable --category test --md5 --sha256 two.kith tree
status 0 "$KITH" export --json two.kith
grep -v '^{"source"' one.json >a
grep -v '^{"source"' out >b
cmp -s a b || fail "-j1 and -j5 differ"

# the records are those of kith sign, to the precision to which a set stores fingerprints
status 0 "$KITH" sign tree
python3 - one.json out <<'PY' || fail "records differ from kith sign"
import json, sys
def fields(line):
    return line.rstrip('\n').split(':')
signed = {}
for line in open(sys.argv[2]):
    f = fields(line)
    signed[f[6].split('/')[0]] = f
for line in open(sys.argv[1]):
    d = json.loads(line)
    if 'record' in d:
        kept, whole = fields(d['record']), signed[d['sha1']]
        if kept[1:6] == whole[1:6]:
            assert kept[8] == whole[8] and kept[9] == whole[9], d['name']
        else:
            assert d['size'] < 6144 or d['size'] > 1 << 20, d['name']
PY

# the properties of a set do not change
status 2 "$KITH" add --kind known one.kith tree
says err "its kind is notable"
status 2 "$KITH" add -C 64 one.kith tree
says err "with -n 12 -C 128"
status 0 "$KITH" add -C 128 -q one.kith tree
status 0 "$KITH" add -n 16 -C 64 --block 512 other.kith tree/text1
status 0 "$KITH" sets info other.kith
says out "n 16, C 64, blocks of 512 bytes"
status 0 "$KITH" sets verify other.kith

# a set in the folder that is added does not become a part of itself
mkdir self
cp tree/text1 tree/text2 self
for _ in 1 2; do
    (cd self && "$KITH" add -q set.kith .) || fail "a set in its own folder"
done
status 0 "$KITH" sets info self/set.kith
says out "files       2 ("

# errors
status 2 "$KITH" add
says err "no set given"
status 2 "$KITH" add x.kith
says err "no file, folder or image given"
status 2 "$KITH" add --kind nonsense x.kith tree
status 2 "$KITH" add -C 100 x.kith tree
[ -e x.kith ] && fail "a set was created despite a wrong option"
status 3 "$KITH" add new.kith nowhere tree/text1
says err "nowhere: No such file"
[ -e new.kith ] && fail "a set was made of a part of what was named"
status 0 "$KITH" add new.kith tree/text1
status 3 "$KITH" add new.kith nowhere tree/text1
says err "nowhere: No such file"
says out "1 already there"
status 3 "$KITH" add none.kith nowhere
says err "nowhere: No such file"
[ -e none.kith ] && fail "a set was created from nothing"
status 2 "$KITH" add tree/text1 tree
says err "tree/text1: "
status 2 "$KITH" add nofolder/x.kith tree
status 2 "$KITH" add tree tree
echo >nl.kith
status 2 "$KITH" add nl.kith tree

# images: the files of the truth, with their SHA-1
(images mkntfs) >/dev/null || { echo "without images"; finish; }
images mkntfs
bash "$data/images.sh" images ext4 disk-gpt || fail "images.sh failed"
status 0 "$KITH" add disk.kith images/disk-gpt.img
status 0 "$KITH" sets info disk.kith
says out "image raw images/disk-gpt.img"
says out "SHA-256 $(sha256sum <images/disk-gpt.img | cut -c1-64)"
status 0 "$KITH" ls --hash --csv --only file,stream images/disk-gpt.img
python3 -c 'import csv, sys
print("\n".join(sorted({r["sha1"] for r in csv.DictReader(open("out", newline="")) if r["sha1"]})))' >wanted
status 0 "$KITH" export --sha1sum disk.kith
cut -c1-40 out | sed 's/^\\//' | sort -u >got
[ -s got ] || fail "nothing was added from the image"
python3 - out wanted <<'PY' || fail "the files of the image are not those that ls lists"
import sys
got = {line.lstrip('\\')[:40] for line in open(sys.argv[1], errors='replace')}
wanted = set(open(sys.argv[2]).read().split())
assert got == wanted, got ^ wanted
PY
status 0 "$KITH" add --as-file whole.kith images/disk-gpt.img
status 0 "$KITH" export --sha1sum whole.kith
same "an image as a file" "$(sha1sum <images/disk-gpt.img | cut -c1-40)  disk-gpt.img" "$(cat out)"

# a volume of an image, by its sector: the files of the truth, and only of the requested kinds
volume=$(awk -F'\t' '$2 == "file" && $1 != "-" { print $1; exit }' images/disk-gpt.truth)
sector=$((${volume#*@} / 512))
awk -F'\t' -v v="$volume" '$1 == v && $2 == "file" { print $5 }' images/disk-gpt.truth | sort -u >wanted
system=$("$KITH" ls --summary images/disk-gpt.img | sed -n "s/^volume $volume: \([a-z]*\).*/\1/p")
status 0 "$KITH" add -q -i raw -o "$sector" -f "$system" --only file --object-seconds 30 volume.kith images/disk-gpt.img
cmp -s wanted <("$KITH" export --sha1sum volume.kith | sed 's/^\\//' | cut -c1-40 | sort -u) || fail "the files of one volume"
awk -F'\t' '$2 == "stream" { print $5 }' images/disk-gpt.truth | sort -u >wanted
status 0 "$KITH" add -q --only stream streams.kith images/disk-gpt.img
[ -s wanted ] && cmp -s wanted <("$KITH" export --sha1sum streams.kith | sed 's/^\\//' | cut -c1-40 | sort -u) || fail "only streams"
status 3 "$KITH" add -q -i ewf ewf.kith images/disk-gpt.img
says err "disk-gpt.img"
status 3 "$KITH" add -q -o "$sector" -f iso9660 iso.kith images/disk-gpt.img
status 3 "$KITH" add -q -o 1 nothing.kith images/disk-gpt.img
for wrong in '-i nonsense' '-f nonsense' '-o -1' '--only nonsense' '--object-seconds 0'; do
    # shellcheck disable=SC2086
    status 2 "$KITH" add $wrong new2.kith tree
done
finish
