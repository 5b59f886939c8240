#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith scan on the small images with planted files, scored against the truth about them.  Containers stay closed: the truth is about what lies on the images.
. "$(dirname "$0")/lib.sh"
corpora=$SRCDIR/../shared/corpora
[ -f "$corpora/images/small.tar.xz" ] || skip "no corpora beside the tree"
corpora=$(cd "$corpora" && pwd)
export PYTHONPATH=$SRCDIR/tests/data PYTHONDONTWRITEBYTECODE=1
mkdir small
tar -xf "$corpora/images/small.tar.xz" -C small || fail "the corpora cannot be unpacked"
[ -e small/truth.csv ] || fail "the truth is missing: $(ls small)"

status 0 "$KITH" add -q set.kith small/reference
cd small || exit 99
images=(ext4.img fat32.img ntfs.img iso.iso gpt.img ext4.E01)
status 0 "$KITH" scan --containers no -j2 --csv -r ../set.kith "${images[@]}"
same "a line for each image" 6 "$(grep -cE ' findings? in [0-9,]+ of [0-9,]+ objects' err)"
mv out ../found.csv
status 0 "$KITH" scan --containers no -q -j2 --csv --all-references -r ../set.kith "${images[@]}"
mv out ../all.csv
status 0 "$KITH" scan --containers no -q -j1 --csv -r ../set.kith "${images[@]}"
cmp -s out ../found.csv || fail "-j1 writes something else"
rm out err
cd ..

# score NAME: scores NAME.csv; what lies in free space has no path, and is identified by its place in the image
score()
{
    python3 - "$1" <<'PY' || fail "the findings cannot be read"
import csv, sys
from findings import *
with open(sys.argv[1] + ".scored", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["image", "path", "inode", "relation", "reference", "offset"])
    for r in rows(sys.argv[1] + ".csv"):
        in_place = r["address"].startswith("@")
        out.writerow([r["evidence"], raw_path(r).decode(errors="replace"), "" if in_place else r["address"].split("-")[0], r["verdict"],
                      r["ref_name"], place(r) if in_place else ""])
PY
    python3 "$corpora/scripts/score.py" small/truth.csv "$1.scored" --map inode=inode --basename-reference --accept embedded=fragment \
        --json "$1.json" >"$1.score" 2>&1 || fail "score.py failed: $(tail -n 3 "$1.score")"
    cat "$1.score"
}
score found
score all

python3 - <<'PY' || fail "too much is missing, or wrong"
import json, re

def score(name):
    text = open(name + ".score").read()
    right, recall = re.search(r"whatever the relation: precision ([\d.]+) %, recall ([\d.]+) %", text).groups()
    return json.load(open(name + ".json"))["relations"], float(right), float(recall)

def share(relation):
    return relation["found"] / relation["wanted"]

score, right, recall = score("found")
assert score["identical"]["wanted"] == score["identical"]["found"] > 50 and score["identical"]["wrong"] == 0, score
assert share(score["embedded"]) >= .95 and share(score["fragment"]) >= .9, score
assert right == 100 and recall >= 90, (right, recall)
PY
python3 - <<'PY' || fail "with --all-references too much is missing, or wrong"
import csv, json, os
relations = json.load(open("all.json"))["relations"]
assert all(relations[name]["found"] == relations[name]["wanted"] > 50 for name in ("identical", "embedded", "fragment")), relations
reported = set()
for r in csv.DictReader(open("all.scored")):
    for name in (r["path"], r["inode"]): # names of deleted files lack a letter on FAT
        reported.add((r["image"], name, r["relation"], os.path.basename(r["reference"])))
half = [t for t in csv.DictReader(open("small/truth.csv")) if t["relation"] == "variant" and float(t["true_similarity"]) >= .5]
missed = [t for t in half if not reported & {(t["image"], name, "variant", t["reference"]) for name in (t["path"], t["inode"])}]
assert len(missed) <= .05 * len(half) and len(half) > 50, (len(half), missed)
PY

# E01 and raw: the same disk, the same findings.
python3 - <<'PY' || fail "ext4.img and ext4.E01 differ"
from findings import *
found = {e: [{k: v for k, v in r.items() if k != "evidence"} for r in rows("found.csv") if r["evidence"] == e] for e in ("ext4.img", "ext4.E01")}
for a, b in zip(found["ext4.img"], found["ext4.E01"]):
    assert a == b, (a, b)
assert len(found["ext4.img"]) == len(found["ext4.E01"]) > 40, [len(rows) for rows in found.values()]
PY

# What is reported at a place lies there: every span that is proved, by the bytes of the image and of the reference.
python3 - <<'PY' || fail "bytes are not where a finding reports them"
import os
from findings import *
reference = {}
for top, _, names in os.walk("small/reference"):
    for name in names:
        content = read(os.path.join(top, name))
        reference[sha1(content)] = content
images, checked = {}, 0
for r in rows("found.csv"):
    if r["address"][0] != "@" or r["evidence"].endswith(".E01") or r["proof"] == "estimate":
        continue
    start, end, ref_start, ref_end = span(r)
    if not int(r["matched"]) == end - start == ref_end - ref_start:
        continue
    proved, blocks = map(int, r["proof"].split()[1].split("/")) if r["proof"] != "sha1" else (1, 1)
    if r["evidence"] not in images:
        images[r["evidence"]] = read("small/" + r["evidence"])
    there = images[r["evidence"]][place(r):place(r) + end - start]
    wanted = reference[r["ref_sha1"]][ref_start:ref_end]
    # Where no block is proved, ends are exact to about C bytes.
    different = [i for i in range(len(wanted)) if there[i] != wanted[i]]
    inside = [i for i in different if 256 <= i < len(wanted) - 256]
    assert not inside or proved < blocks, (r, len(inside), different[:3])
    checked += 1
print(checked, "spans compared")
assert checked > 20
PY
finish
