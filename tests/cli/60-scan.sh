#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith scan: every verdict with its bytes, in folders and in images; against tarfile, sha1sum, icat, dd and a naive twin.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
export PYTHONPATH=$data PYTHONDONTWRITEBYTECODE=1

# python NAME [ARGUMENT...] <PROGRAM: with findings.py
python()
{
    local name=$1
    shift
    python3 -c 'import sys; from findings import *; exec(compile(sys.stdin.read(), sys.argv[1], "exec"))' "$name" "$@" ||
        fail "$name"
}

# scan EXPECTED FILE ARGUMENT...: the CSV into FILE
# what is packed in box.tar is looked for in its bytes here: 62-scan-members.sh opens containers
scan()
{
    local expected=$1 file=$2
    shift 2
    status "$expected" "$KITH" scan --containers no --csv "$@"
    mv out "$file"
}

# ---- a folder: one file for each verdict, made from the references ----

mkdir refs tree
cp "$SRCDIR/COPYING" refs/licence
python 'the files cannot be made' <<'PY'
import io, os, tarfile
for i, size in enumerate((3000, 9000, 30000, 80000, 150000)):
    write("refs/text%d" % i, words(100 + i, size))
for i, size in enumerate((12288, 70001)):
    write("refs/noise%d" % i, noise(200 + i, size))
refs = {name: read("refs/" + name) for name in os.listdir("refs")}

os.mkdir("tree/same")
for name, content in refs.items():
    write("tree/same/" + name, content)
os.mkdir("tree/edited")
for seed, (name, edits) in enumerate((("licence", 3), ("licence", 25), ("text2", 1), ("text2", 12), ("text3", 40), ("text4", 5),
                                      ("text4", 60), ("noise1", 8))):
    write("tree/edited/%s-%d" % (name, edits), edited(refs[name], seed, edits))
write("tree/edited/text1-longer", refs["text1"] + words(1, 900))
write("tree/edited/text2-shorter", refs["text2"][:12000] + refs["text2"][13500:])
with tarfile.open("tree/box.tar", "w", tarfile.USTAR_FORMAT) as tar:
    for name in sorted(refs):
        info = tarfile.TarInfo("folder/" + name)
        info.size = len(refs[name])
        tar.addfile(info, io.BytesIO(refs[name]))
write("tree/odd", noise(1, 54321) + refs["text2"] + noise(2, 12345) + refs["noise0"] + noise(3, 7))
write("tree/part", words(2, 40000) + refs["text4"][8192:8192 + 49152] + words(3, 30001))
write("tree/unaligned", words(4, 20011) + refs["text3"][10001:40013] + words(5, 17))
write("tree/alone", refs["text4"][20480:20480 + 40960])
write("tree/strange", words(6, 50000))
write("tree/small", refs["text2"][:60])
write("tree/empty", b"")
write("tree/zeros", bytes(300000))
write("tree/table", b"".join(b"%08d" % (i // 4000) for i in range(20000)))
PY
status 0 "$KITH" add -q --name 'The "set"' --kind notable set.kith refs

scan 0 folder.csv -r set.kith tree
says err " of 28 objects ("
scan 0 folder-all.csv --all -r set.kith tree
python 'verdicts or ranges in a folder are wrong' <<'PY'
import os, tarfile
found = rows("folder.csv")
everything = rows("folder-all.csv")
refs = {name: read("refs/" + name) for name in os.listdir("refs")}
assert [r for r in everything if r["verdict"] not in WITHOUT] == found
for r in everything:
    assert r["evidence"] == "tree" and r["volume"] == "-" and r["kind"] == "file"
    content = read(os.path.join(b"tree", raw_path(r)))
    assert r["sha1"] == sha1(content) and int(r["size"]) == len(content), r
for r in found:
    assert (r["set"], r["set_kind"]) == ('The "set"', "notable") and r["ref_sha1"] == sha1(refs[r["ref_name"]]), r
of = lambda path: [r for r in everything if r["path"] == path]

for name, content in refs.items():
    r, = of("same/" + name)
    assert (r["verdict"], r["ref_name"], r["matched"]) == ("identical", name, str(len(content))), r
    assert span(r) == (0, len(content), 0, len(content)), r

for name in os.listdir("tree/edited"):
    r, = of("edited/" + name)
    reference = refs[name.split("-")[0]]
    assert (r["verdict"], r["ref_name"]) == ("variant", name.split("-")[0]), r
    content = read("tree/edited/" + name)
    exact = distance(reference, content)
    assert int(r["edits_low"]) <= exact <= int(r["edits_high"]), (exact, r)
    assert int(r["edits"]) <= 3 * exact + 100 and exact <= 3 * int(r["edits"]) + 100, (exact, r)
    there = sum(reference[i:i + 4096] in content for i in range(0, len(reference), 4096))
    assert r["proof"] in ["estimate"] + [proof(k, len(reference)) for k in range(1, there + 1)], (there, r)
    assert r["proof"] != "estimate" or there <= 1, (there, r)
    assert float(r["e_value"]) < 1e-3, r
assert span(of("edited/text1-longer")[0]) == (0, 9000, 0, 9000) and of("edited/text1-longer")[0]["proof"] == all_blocks(9000)

with tarfile.open("tree/box.tar") as tar:
    members = {os.path.basename(m.name): m.offset_data for m in tar}
assert len(of("box.tar")) == len(members) == len(refs)
for name, at in members.items():
    r = one(of("box.tar"), ref_name=name, verdict="embedded")
    assert span(r) == (at, at + len(refs[name]), 0, len(refs[name])), (at, r)
    assert r["proof"] == all_blocks(len(refs[name])) and r["containment"] == "1.000" and r["edits"] == "0", r

for name, at in (("text2", 54321), ("noise0", 54321 + 30000 + 12345)):
    r = one(of("odd"), ref_name=name, verdict="embedded")
    assert span(r) == (at, at + len(refs[name]), 0, len(refs[name])) and r["proof"] == all_blocks(len(refs[name])), r

r = one(of("part"), ref_name="text4", verdict="fragment")
assert span(r) == (40000, 40000 + 49152, 8192, 8192 + 49152) and r["proof"] == "blocks 12/37" and r["matched"] == "49152", r
r = one(of("alone"), ref_name="text4", verdict="fragment")
assert span(r) == (0, 40960, 20480, 61440) and r["proof"] == "blocks 10/37", r
# Its first and last blocks are not whole, so they are not proved and their ends an estimate.
r = one(of("unaligned"), ref_name="text3", verdict="fragment")
start, end, ref_start, ref_end = span(r)
assert start - ref_start == end - ref_end == 20011 - 10001 and r["proof"] == "blocks 6/20", r
assert abs(ref_start - 10001) <= 256 and abs(ref_end - 40013) <= 256, r

for name, verdict in (("strange", "none"), ("small", "too-small"), ("empty", "too-small"), ("zeros", "low-entropy"),
                      ("table", "low-entropy")):
    r, = of(name)
    assert r["verdict"] == verdict, r
PY

# ---- the same bytes for any number of workers, and again ----

for jobs in 1 2 8 2; do
    scan 0 again.csv --all -j$jobs -r set.kith tree
    cmp -s folder-all.csv again.csv || fail "-j$jobs gives a different report"
done

# ---- names that would harm a spreadsheet, a terminal or a parser ----

mkdir names reference-names
for name in $'new\nline' 'quo"te' 'com,ma' '=cmd|calc' '+1' '-1' '@sum' $'not\xffutf8' $'es\033[31mcape' 'back\slash' ' space ' $'tab\t' \
    $'cr\r' 'Größe 日本' $'right\u202eleft'; do
    cp refs/text1 "names/$name"
    text 77 5000 >"reference-names/$name"
    printf '%s' "$name" >>"reference-names/$name"
    cp "reference-names/$name" "names/of $name"
done
status 0 "$KITH" add -q --name '=1+1' names.kith reference-names
mkdir '=evidence,"'
cp -r names '=evidence,"/'
scan 0 names.csv -r set.kith -r names.kith '=evidence,"'
python 'names are not safe or not whole' <<'PY'
import os
found = rows("names.csv")
names = set(os.listdir(b"names"))
assert {raw_path(r) for r in found} == {b"names/" + n for n in names}
for r in found:
    assert r["evidence"] == "'=evidence,\"" and r["verdict"] == "identical"
    name = raw_path(r)[len(b"names/"):]
    assert bool(r["path_hex"]) == (raw_path(r) != r["path"].encode()), r
    if name.startswith(b"of "):
        assert r["set"] == "'=1+1" and unescape(r["ref_name"].removeprefix("'")) == name[3:], r
assert len(found) == len(names) == 30
PY
"$KITH" scan -q --text -r set.kith -r names.kith '=evidence,"' >out
LC_ALL=C grep -q "$(printf '[\001-\011\013-\037]')" out && fail "the text has a control character of a name"
grep -qF $'\u202e' out && fail "the text has a direction-changing character"
mkdir top
cp -r names/=cmd* names/@sum top
scan 0 top.csv -r set.kith top
python 'names in the first place are not safe' <<'PY'
assert {(r["path"], r["path_hex"]) for r in rows("top.csv")} == {("'=cmd|calc", b"=cmd|calc".hex()), ("'@sum", b"@sum".hex())}
PY

# ---- images ----

(images mkntfs ntfscp icat) >/dev/null || { echo "without images"; finish; }
images mkntfs ntfscp icat
mkdir src
cp tree/same/text3 src/same
cp tree/edited/text4-60 src/edited
cp tree/box.tar tree/odd src/
cp tree/same/text2 src/gone
cp tree/edited/licence-3 src/gone-edited
head -c 500 tree/strange >src/short
head -c 60 refs/text2 >src/small
head -c 20000 /dev/zero >src/zeros
mkdir src/folder
cp refs/noise1 src/folder/noise
mke2fs -q -F -t ext4 -b 4096 -N 64 -d src ext4.img 16M 2>/dev/null >&2
debugfs -w -f - ext4.img >/dev/null 2>&1 <<<$'rm gone\nrm gone-edited'
# A piece of a reference in free blocks, and a small reference in the slack after a file.
block=$(debugfs -R 'ffb 100 3000' ext4.img 2>/dev/null | tr -dc '0-9 ' | awk '{ print $1 }')
dd if=refs/text4 of=ext4.img bs=4096 skip=5 seek=$((block + 20)) count=14 conv=notrunc status=none
dd if=refs/noise1 of=ext4.img bs=512 skip=33 seek=$(((block + 60) * 8 + 3)) count=70 conv=notrunc status=none
short=$(debugfs -R 'blocks short' ext4.img 2>/dev/null | tr -dc 0-9)
dd if=refs/text0 of=ext4.img bs=1 seek=$((short * 4096 + 555)) conv=notrunc status=none

scan 0 ext4.csv --all -r set.kith ext4.img
python 'verdicts or ranges in an ext4 image are wrong' "$block" "$short" <<'PY'
import os, subprocess, sys, tarfile
block, short = int(sys.argv[2]), int(sys.argv[3])
found = rows("ext4.csv")
image = read("ext4.img")
refs = {name: read("refs/" + name) for name in os.listdir("refs")}
checked = 0
for r in found:
    assert r["evidence"] == "ext4.img" and r["volume"] == "-"
    if r["address"].split("-")[1:2] in (["4097"], ["4098"]):   # icat finds no block maps
        assert r["kind"] == "metadata", r
    elif r["address"][0] != "@":                      # icat reads the bytes that were hashed
        content = subprocess.run(["icat", "ext4.img", r["address"].split("-")[0]], capture_output=True).stdout
        assert r["sha1"] == sha1(content) and int(r["size"]) == len(content), r
        checked += 1
    else:
        start, length = map(int, r["address"][1:].split("+"))
        assert length == int(r["size"]) and sha1(image[start:start + length]) == r["sha1"], r
assert checked >= 10, checked
assert one(found, path="same", kind="file")["verdict"] == "identical"
assert one(found, path="folder/noise", kind="file")["ref_name"] == "noise1"
assert one(found, path="edited", kind="file")["verdict"] == "variant"
assert one(found, path="gone", kind="deleted", verdict="identical")["ref_name"] == "text2"
assert one(found, path="gone-edited", kind="deleted", verdict="variant")["ref_name"] == "licence"
with tarfile.open("tree/box.tar") as tar:
    for m in tar:
        name = os.path.basename(m.name)
        r = one(found, path="box.tar", kind="file", ref_name=name, verdict="embedded")
        assert span(r) == (m.offset_data, m.offset_data + m.size, 0, m.size) and r["proof"] == all_blocks(m.size), r
for name, verdict in (("short", "none"), ("small", "too-small"), ("zeros", "low-entropy")):
    one(found, path=name, kind="file", verdict=verdict)

free = [r for r in found if r["kind"] == "unallocated" and r["verdict"] not in WITHOUT]
r = one(free, ref_name="text4", verdict="fragment")
assert place(r) == (block + 20) * 4096 and span(r)[2:] == (5 * 4096, 19 * 4096) and r["proof"] == "blocks 14/37", (block, r)
assert r["matched"] == str(14 * 4096) and span(r)[1] - span(r)[0] == 14 * 4096, r
r = one(free, ref_name="noise1", verdict="fragment")
assert abs(place(r) - (block + 60) * 4096 - 3 * 512) <= 256 and abs(span(r)[2] - 33 * 512) <= 256, r
assert place(r) - span(r)[2] == (block + 60) * 4096 + 3 * 512 - 33 * 512 and r["proof"] == "blocks 7/18", r
r = one(found, kind="slack", path="short", ref_name="text0")
assert place(r) == short * 4096 + 555 and span(r)[:2] == (55, 3055) and span(r)[2:] == (0, 3000) and r["proof"] == "sha1", r
assert r["verdict"] in ("embedded", "variant"), r

# The bytes of a finding, located as the manual says.
for r in found:
    if r["address"][0] == "@" and r["proof"] in ("sha1",) or r["proof"].startswith("blocks") and r["kind"] == "unallocated":
        start, end, ref_start, ref_end = span(r)
        if int(r["matched"]) == end - start == ref_end - ref_start and r["ref_name"] != "noise1":
            print(place(r), end - start, r["ref_name"], ref_start, file=open("places", "a"))
PY
[ "$(wc -l <places)" -ge 3 ] || fail "there are no places to check"
while read -r start length name from; do
    tail -c +$((start + 1)) ext4.img | head -c "$length" >piece
    cmp -s piece <(tail -c +$((from + 1)) "refs/$name" | head -c "$length") || fail "$length bytes at $start are not those of $name at $from"
done <places

for jobs in 1 2 8; do
    scan 0 again.csv --all -j$jobs -r set.kith ext4.img
    cmp -s ext4.csv again.csv || fail "-j$jobs gives a different report on an image"
done

# The same disk as an E01, and in segments.
ewfacquirestream -q -c fast -f encase6 -t disk >/dev/null 2>&1 <ext4.img
ewfacquirestream -q -c none -f encase6 -S 3145728 -t parts >/dev/null 2>&1 <ext4.img
for disk in disk parts; do
    scan 0 again.csv --all -r set.kith $disk.E01
    cmp -s ext4.csv <(sed "s/^$disk\.E01/ext4.img/" again.csv) || fail "$disk.E01 has different findings: $(diff ext4.csv again.csv | head -n 4)"
done

# FAT: deleted files; in a partition, whose place addresses count from the start of the disk.
truncate -s 16M fat.img
mkfs.fat --invariant -i 6b697468 -F 16 fat.img >/dev/null
mcopy -i fat.img tree/same/text3 '::/A long name of a text'
mcopy -i fat.img tree/same/noise1 ::/GONE.BIN
mcopy -i fat.img tree/odd ::/ODD
mdel -i fat.img ::/GONE.BIN
truncate -s 18M part.img
echo '2048,32768,6' | sfdisk -q part.img >/dev/null 2>&1
dd if=fat.img of=part.img bs=1M seek=1 conv=notrunc status=none
dd if=refs/text4 of=part.img bs=512 seek=100 conv=notrunc status=none
scan 0 part.csv -r set.kith part.img
python 'a FAT partition is wrong' <<'PY'
import os, subprocess
found = rows("part.csv")
image = read("part.img")
for r in found:
    assert r["kind"] == "gap" or r["volume"].endswith("@1048576"), r
    if r["kind"] in ("file", "deleted"):
        content = subprocess.run(["icat", "-o", "2048", "part.img", r["address"].split("-")[0]], capture_output=True).stdout
        assert r["sha1"] == sha1(content), r
assert one(found, path="A long name of a text")["verdict"] == "identical"
assert one(found, path="_ONE.BIN", kind="deleted")["verdict"] == "identical"
assert {r["ref_name"] for r in found if r["path"] == "ODD"} == {"text2", "noise0"}
r = one(found, kind="gap", ref_name="text4")
assert place(r) == 51200 and image[place(r):place(r) + 150000] == read("refs/text4") and r["proof"] == all_blocks(150000), r
assert r["verdict"] == "embedded", r
PY

# NTFS: streams.
truncate -s 8M ntfs.img
mkntfs -F -Q -q -s 512 -p 0 -H 16 -S 63 ntfs.img >/dev/null 2>&1
ntfscp -f -q ntfs.img tree/strange /plain >/dev/null 2>&1
ntfscp -f -q -N hidden ntfs.img refs/text3 /plain >/dev/null 2>&1
ntfscp -f -q -N box ntfs.img tree/odd /plain >/dev/null 2>&1
ntfscp -f -q -N resident ntfs.img tree/small /plain >/dev/null 2>&1
scan 0 ntfs.csv --all --only file,stream -r set.kith ntfs.img
python 'streams of NTFS are wrong' <<'PY'
import subprocess
found = rows("ntfs.csv")
for r in found:
    if r["path"].startswith("plain"):
        content = subprocess.run(["icat", "ntfs.img", r["address"]], capture_output=True).stdout
        assert r["sha1"] == sha1(content) and len(content) == int(r["size"]), r
assert one(found, path="plain")["verdict"] == "none"
assert one(found, path="plain:hidden", kind="stream", verdict="identical")["ref_name"] == "text3"
assert span(one(found, path="plain:box", kind="stream", ref_name="text2"))[:2] == (54321, 84321)
assert one(found, path="plain:resident", kind="stream")["verdict"] == "too-small"
PY

# What cannot be read is reported with the reason: a truncated image, an unreadable folder.
"$KITH" ls -q --csv --only file ext4.img >ls.csv
python 'the image cannot be cut' <<'PY'
places = {r["path"]: [int(x) for x in re.split("[@+]", r["runs"])] for r in csv.DictReader(open("ls.csv", newline=""))
          if "@" in r["runs"] and " " not in r["runs"]}
last = max(places, key=lambda p: places[p][1])
write("cut.img", read("ext4.img")[:places[last][1] + 5])
write("after-end", last.encode())
PY
scan 3 cut.csv --all -r set.kith cut.img
python 'a cut image is wrong' <<'PY'
found = rows("cut.csv")
r = one(found, path=read("after-end").decode(), kind="file")
assert "beyond the end" in r["proof"], r
whole = {(r["address"], r["ref_name"]): r for r in rows("ext4.csv")}
same = [r for r in found if r["verdict"] in ("identical", "variant", "embedded", "fragment") and r["kind"] == "file"]
assert len(same) > 10
for r in same:
    w = whole[r["address"], r["ref_name"]]
    assert all(r[c] == w[c] for c in COLUMNS.split(",")[1:]), (r, w)
PY
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir closed
    cp refs/text1 refs/text2 closed/
    chmod 755 . closed
    chmod 644 closed/text1 set.kith
    chmod 600 closed/text2
    setpriv --reuid=65534 --clear-groups "$KITH" scan --csv --all -r set.kith closed >out 2>err
    same "a file that cannot be opened" 3 $?
    says err "text2"
    mv out closed.csv
    python 'a closed file is wrong' <<'PY'
found = rows("closed.csv")
assert one(found, path="text1")["verdict"] == "identical"
r = one(found, path="text2")
assert r["verdict"] == "unreadable" and "ermission denied" in r["proof"] and r["sha1"] == "", r
PY
fi
finish
