#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The options of kith scan do what they say, and errors are reported in words and by the exit status.
. "$(dirname "$0")/lib.sh"
export PYTHONPATH=$SRCDIR/tests/data PYTHONDONTWRITEBYTECODE=1

# is WHAT EXPRESSION [FILE]: a Python expression over found, the rows of ./out or of FILE
is()
{
    python3 -c 'import sys; from findings import *; found = rows(sys.argv[2])
ok = eval(sys.argv[1]); ok or print([(r["path"], r["verdict"], r["ref_name"], r["proof"]) for r in found]); sys.exit(not ok)' \
        "$2" "${3:-out}" || fail "$1: not $2"
}

mkdir bad ignored other tree tree/folder more
python3 - <<'PY' || fail "the files cannot be created"
from findings import *
bad, ignored, other = words(1, 40000), words(2, 20000), noise(3, 30000)
write("bad/bad", bad)
write("bad/in-both", words(4, 9000))
write("ignored/ignored", ignored)
write("ignored/part", bad[8192:16384 + 8192])
write("ignored/in-both", words(4, 9000))
write("other/other", other)
write("other/copy-of-bad", edited(bad, 1, 4))
write("tree/bad", bad)
write("tree/ignored", ignored)
write("tree/in-both", words(4, 9000))
write("tree/other", other)
write("tree/folder/bad.txt", edited(bad, 2, 6))
write("tree/folder/ignored.txt", edited(ignored, 3, 3))
write("tree/folder/box", noise(5, 20000) + other + words(6, 20000))
write("tree/folder/little", words(7, 30000) + bad[27000:28500] + words(8, 30000))
write("tree/folder/nothing", words(9, 30000))
write("tree/folder/zeros", bytes(100000))
write("more/part", words(10, 20000) + bad[4096:36864])
PY
status 0 "$KITH" add -q --kind notable bad.kith bad
status 0 "$KITH" add -q --kind known known.kith ignored
status 0 "$KITH" add -q other.kith other

# ---- several sets, and what their kinds mean ----

status 0 "$KITH" scan --csv -r bad.kith tree
grep -qE "^kith: tree: [0-9]+ findings in [0-9]+ of 10 objects \(4[0-9][0-9]\.[0-9] kB of content\): 2 identical, 1 variant(, 1 fragment|, [0-9]+ fragments)?; no verdict possible: 1 with low entropy$" err || fail "summary: $(cat err)"
is "one set" '{(r["path"], r["verdict"], r["ref_name"]) for r in found} >= {("bad", "identical", "bad"), ("folder/bad.txt", "variant", "bad"), ("in-both", "identical", "in-both")}'

status 0 "$KITH" scan --csv -r known.kith -r other.kith -r bad.kith tree
mv out three.csv
cp err three.err
says err "; 2 known objects"
is "notable sets first" '[r["set_kind"] for r in found] == sorted((r["set_kind"] for r in found), key="notable neutral".split().index) and {r["set"] for r in found} == {"bad", "other"}' three.csv
is "a known file is suppressed" 'not [r for r in found if r["path"] in ("ignored", "folder/ignored.txt")]' three.csv
is "an identical file of another set is reported although it is known" 'one(found, path="in-both")["set"] == "bad"' three.csv
is "each set has its own finding" '{(r["set"], r["verdict"]) for r in found if r["path"] == "bad"} == {("bad", "identical"), ("other", "variant")}' three.csv
for order in "-r bad.kith -r other.kith -r known.kith" "-r other.kith -r known.kith -r bad.kith"; do
    # shellcheck disable=SC2086
    status 0 "$KITH" scan --csv $order tree
    cmp -s out three.csv || fail "the order of the sets matters: $order"
    cmp -s err three.err || fail "the order of the sets matters in the summary: $order: $(cat err)"
done

status 0 "$KITH" scan --csv --show-known -r known.kith -r other.kith -r bad.kith tree
is "known ones are listed last" '[r["set_kind"] for r in found][-1] == "known" and one(found, path="ignored")["verdict"] == "identical" and one(found, path="folder/ignored.txt")["verdict"] == "variant"'
is "all others are the same" '[r for r in found if r["set_kind"] != "known"] == rows("three.csv")'
is "and sorted" '[r["set_kind"] for r in found] == sorted((r["set_kind"] for r in found), key="notable neutral known".split().index)'

# Content of a known set is no evidence for other sets: the known part of bad does not lead to it.
head -c 24576 tree/bad | tail -c 16384 >more/known-part
status 0 "$KITH" scan --csv -r bad.kith more/known-part
is "without the known set" 'one(found, verdict="fragment")["ref_name"] == "bad"'
status 0 "$KITH" scan --csv -r bad.kith -r known.kith more/known-part
is "with it" 'found == []'

# ---- digests of every object ----

# digests CASE: how the digests of its objects differ from those of the files
digests()
{
    python3 - "$1" <<'PY'
import hashlib, sqlite3, sys
kinds = 'sha1', 'md5', 'sha256'
rows = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute('SELECT paths, sha1, md5, sha256 FROM object').fetchall()
print(len(rows), *(kind for at, kind in enumerate(kinds) if all(
    row[1 + at] == hashlib.new(kind, open('tree/' + row[0][:-1].decode(), 'rb').read()).digest() for row in rows)),
    *('no ' + kind for at, kind in enumerate(kinds) if all(row[1 + at] is None for row in rows)))
PY
}
for option in "" --md5 --sha256 "--md5 --sha256"; do
    # shellcheck disable=SC2086
    status 0 "$KITH" scan -q $option -r bad.kith --case "digests$option.case" tree
done
same "digests by default" "10 sha1 no md5 no sha256" "$(digests digests.case)"
same "--md5" "10 sha1 md5 no sha256" "$(digests digests--md5.case)"
same "--sha256" "10 sha1 sha256 no md5" "$(digests digests--sha256.case)"
same "both" "10 sha1 md5 sha256" "$(digests "digests--md5 --sha256.case")"
status 2 "$KITH" scan -q -r bad.kith --case digests--md5.case tree
says err " md5 kinds="

# ---- several pieces of evidence ----

status 0 "$KITH" scan --csv -r bad.kith more/part tree/bad more
is "in the given order" '[r["evidence"] for r in found] == ["more/part", "tree/bad", "more", "more"]'
is "a file of its own has its name" 'found[0]["path"] == "part" and found[0]["kind"] == "file" and found[0]["sha1"] == sha1(read("more/part"))'
same "a line for each" 3 "$(grep -cE ' [0-9]+ objects? ' err)"
status 3 "$KITH" scan --csv -r bad.kith more/part nowhere tree/bad
says err "nowhere: No such file"
is "the others are scanned" '[r["evidence"] for r in found] == ["more/part", "tree/bad"]'
status 3 "$KITH" scan --csv -q -r bad.kith nowhere
says err "nowhere: No such file"
[ -s out ] && fail "nothing was scanned, but it looks as if nothing was found: $(cat out)"

# ---- which rows ----

status 0 "$KITH" scan --csv --all -r bad.kith tree
is "--all" 'len({r["path"] for r in found}) == 10 and one(found, path="folder/zeros")["verdict"] == "low-entropy" and one(found, path="folder/nothing")["verdict"] == "none"'
status 0 "$KITH" scan --csv --all-references -r other.kith -r bad.kith tree
is "--all-references" 'len(found) >= len([r for r in rows("three.csv")])'
mkdir near
for name in a b c; do
    cp bad/bad near/$name
    echo "$name" >>near/$name
done
status 0 "$KITH" add -q near.kith near
status 0 "$KITH" scan --csv -r near.kith tree/bad
is "the best of near-copies" 'len(found) == 1'
status 0 "$KITH" scan --text -r near.kith tree/bad
says out "; other references match the same bytes (--all-references lists them)"
status 0 "$KITH" scan --csv --all-references -r near.kith tree/bad
is "all of them" 'sorted(r["ref_name"] for r in found) == ["a", "b", "c"]'
status 0 "$KITH" scan --csv --max-size 30000 --all -r bad.kith tree
is "--max-size" 'all((r["verdict"] == "skipped") == (int(r["size"]) > 30000) for r in found) and len(found) == 10'
is "what is skipped has no digest" 'all((r["sha1"] == "") == (r["verdict"] == "skipped") for r in found)'
status 0 "$KITH" scan --csv --max-size 1M --min-matched 40000 -r bad.kith tree
is "--min-matched is not for identical ones" '{r["path"] for r in found} == {"bad", "folder/bad.txt", "in-both"} - ({"folder/bad.txt"} if int(found[-1]["matched"]) < 40000 else set())'
status 0 "$KITH" scan --csv --min-matched 2k -r bad.kith tree/folder/little
is "too little" 'found == []'
status 0 "$KITH" scan --csv -r bad.kith tree/folder/little
is "1500 bytes of it" 'one(found, verdict="fragment")["ref_name"] == "bad"'
e=$(python3 -c 'from findings import *; print(rows("out")[0]["e_value"])')
status 0 "$KITH" scan --csv -t "$(python3 -c "print($e / 10)")" -r bad.kith tree/folder/little
is "-t below its E" 'found == []'
status 0 "$KITH" scan --csv --max-e "$(python3 -c "print($e * 2)")" -r bad.kith tree/folder/little
is "-t above its E" 'len(found) == 1'

# ---- which objects ----

paths='sorted({r["path"] for r in found if r["verdict"] != "skipped"})'
status 0 "$KITH" scan --csv --all --include '*.txt' -r bad.kith tree
is "--include" "$paths == ['folder/bad.txt', 'folder/ignored.txt']"
status 0 "$KITH" scan --csv --all --include '*.txt' --include bad --exclude 'folder/i*' -r bad.kith tree
is "several patterns" "$paths == ['bad', 'folder/bad.txt']"
status 0 "$KITH" scan --csv --all --exclude 'folder/*' -r bad.kith tree
is "--exclude" "$paths == ['bad', 'ignored', 'in-both', 'other']"
is "what is excluded was not read" 'all(r["sha1"] == "" for r in found if r["path"].startswith("folder/"))'
status 0 "$KITH" scan --csv --include 'nothing*' -r bad.kith tree
is "no finding" 'found == []'

# ---- chunks ----

status 0 "$KITH" scan --csv --all --blocks 16k -r bad.kith -r other.kith tree
mv out chunks.csv
python3 - <<'PY' || fail "--blocks"
from findings import *
import os
found = rows("chunks.csv")
for r in found:
    content = read("tree/" + r["path"])
    at = 0
    if len(content) > 16384:
        of, at = re.fullmatch(r"(.*)\+(\d+)", r["address"]).groups()
        at = int(at)
        assert at % 16384 == 0, r
    piece = content[at:at + 16384]
    assert r["sha1"] == sha1(piece) and int(r["size"]) == len(piece), r
    if r["proof"].startswith("blocks"):
        start, end, ref_start, ref_end = span(r)
        reference = read(r["set"] + "/" + r["ref_name"])
        if int(r["matched"]) == end - start == ref_end - ref_start:
            assert piece[start:end] == reference[ref_start:ref_end], r
chunks = sum(max(1, -(-os.path.getsize(os.path.join(top, name)) // 16384)) for top, _, names in os.walk("tree") for name in names)
assert len({(r["path"], r["address"]) for r in found}) == chunks, chunks
for i in range(3):                                  # each chunk of an identical file is a fragment, of the right bytes
    r = one(found, path="bad", address="-+%d" % (i * 16384), set="bad")
    length = min(40000 - i * 16384, 16384)
    assert r["verdict"] == "fragment" and span(r) == (0, length, i * 16384, i * 16384 + length), r
    assert r["proof"] == proof(-(-length // 4096), 40000), r
assert one(found, path="in-both")["address"] == "-"
PY
for jobs in 1 8; do
    status 0 "$KITH" scan --csv --all -j$jobs --blocks 16384 -r bad.kith -r other.kith tree
    cmp -s out chunks.csv || fail "--blocks: -j$jobs writes something else"
done

# ---- deep ----

python3 -c 'from findings import *; write("shallow", noise(11, 300000) + read("other/other")[7000:7350] + noise(12, 300000))'
status 0 "$KITH" add -q -C 32 dense.kith other
status 0 "$KITH" scan --csv --deep -r dense.kith shallow
is "--deep finds 350 bytes" 'one(found, ref_name="other")["verdict"] == "fragment" and abs(span(found[0])[0] - 300000) < 64 and abs(span(found[0])[1] - 300350) < 64 and span(found[0])[0] - span(found[0])[2] == 293000'
status 0 "$KITH" scan --csv --deep -r other.kith tree
is "with any set" 'one(found, path="folder/box")["proof"] == "blocks 8/8"'
status 0 "$KITH" scan --csv --deep -r other.kith -r dense.kith tree/other
is "sets of different C" '[r["verdict"] for r in found] == ["identical"] * 2'

# ---- formats, exit status ----

status 0 "$KITH" scan --text -r bad.kith tree
grep -q "^identical  *bad (40.0 kB)" out || fail "human-readable text: $(head -n 3 out)"
says out "of bad in bad (notable)"
says out "resemblance"
status 0 "$KITH" scan -r bad.kith tree
is "a pipe gets CSV" 'len(found) > 2'
script -qec "'$KITH' scan -q -r bad.kith tree" /dev/null </dev/null >shown
says shown "of bad in bad"
status 0 "$KITH" scan -q -r bad.kith tree
[ -s err ] && fail "-q is not quiet: $(cat err)"
status 1 "$KITH" scan -q --fail-on-match -r bad.kith tree
is "the rows are there" 'len(found) > 2'
status 0 "$KITH" scan -q --fail-on-match -r bad.kith tree/other
status 0 "$KITH" scan -q --fail-on-match -r known.kith tree/ignored
status 1 "$KITH" scan -q --fail-on-match -r known.kith -r bad.kith tree/in-both
status 3 "$KITH" scan -q --fail-on-match -r bad.kith tree nowhere
[ -e /dev/full ] && { "$KITH" scan --csv -r bad.kith tree >/dev/full 2>err; same "a full disk" 2 $?; says err "cannot write to standard output"; }
"$KITH" scan --csv -r bad.kith tree 2>err | head -c 10 >/dev/null
status 0 "$KITH" scan --help
says out "--all-references"

mkdir empty
status 0 "$KITH" scan --csv -r bad.kith empty
is "an empty folder" 'found == []'

# Sets with digests only, other than SHA-1.
(cd tree && md5sum bad other) >md5
status 0 "$KITH" import -q md5.kith md5
status 0 "$KITH" scan --csv -r md5.kith tree
is "by MD5" '[(r["path"], r["verdict"], r["ref_sha1"], r["proof"]) for r in found] == [("bad", "identical", "", "sha1"), ("other", "identical", "", "sha1")] or [(r["path"], r["verdict"], r["ref_sha1"]) for r in found] == [("bad", "identical", ""), ("other", "identical", "")]'

# ---- wrong usage ----

status 2 "$KITH" scan
says err "no reference set given"
status 2 "$KITH" scan tree
says err "no reference set given (-r SET)"
status 2 "$KITH" scan -r bad.kith
says err "no evidence given"
status 2 "$KITH" scan -r nowhere.kith tree
says err "nowhere.kith: no such reference set"
status 2 "$KITH" scan -r tree/bad tree
says err "tree/bad: "
says err "reference set"
status 2 "$KITH" scan -r tree tree
says err "tree: "
status 2 "$KITH" scan -r bad.kith -r ./bad.kith tree
says err "bad.kith and ./bad.kith are the same set"
cp bad.kith copy.kith
status 2 "$KITH" scan -r bad.kith -r copy.kith tree
says err "are the same set"
status 0 "$KITH" add -q -n 16 wide.kith bad
status 2 "$KITH" scan -r bad.kith -r wide.kith tree
says err "n = 16"
says err "n = 12"
status 0 "$KITH" scan --csv -r wide.kith tree
is "a different n alone" 'one(found, path="folder/bad.txt")["verdict"] == "variant"'
for wrong in "-t 0" "-t -1" "-t x" "-t nan" "-t 1e99" "--blocks 100" "--blocks 0" "--blocks x" "--max-size -5" "--min-matched 1Q" "-j 0" "--only nonsense" "-i nonsense" \
    "-f nonsense" "--nonsense" "--blocks 99999999999999999999" "--offset -1"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" scan -r bad.kith $wrong tree
    says err "see: kith scan --help"
    [ -s out ] && fail "$wrong: rows despite it"
done
status 2 "$KITH" scan --csv --text -r bad.kith tree
says err "contradict each other"

# ---- damaged and incompatible sets ----

python3 - <<'PY'
data = bytearray(open('bad.kith', 'rb').read())
for page in range(1, len(data) // 4096):
    data[page * 4096 + 100] ^= 255
open('broken.kith', 'wb').write(data)
PY
status 2 "$KITH" scan -r broken.kith tree
says err "broken.kith: "
head -c 10000 bad.kith >cut.kith
status 2 "$KITH" scan -r cut.kith tree
says err "cut.kith: "
: >nothing.kith
status 2 "$KITH" scan -r nothing.kith tree
says err "nothing.kith: "

# A damaged page anywhere is an error, or was not needed; never a different answer.
"$KITH" scan -q --csv -r bad.kith tree >whole.csv
pages=$(($(stat -c %s bad.kith) / 4096))
for page in $(seq 1 $((pages > 24 ? pages / 24 + 1 : 1)) $((pages - 1))); do
    python3 -c 'import sys
data = bytearray(open("bad.kith", "rb").read())
data[int(sys.argv[1]) * 4096 + 2000] ^= 16
open("broken.kith", "wb").write(data)' "$page"
    "$KITH" scan -q --csv -r broken.kith tree >out 2>err
    got=$?
    if [ $got -eq 0 ]; then
        cmp -s out whole.csv || fail "page $page of a set is damaged: different findings"
    else
        same "page $page of a set is damaged" 2 $got
        says err "broken.kith: "
    fi
done

# A set that is being written cannot be scanned with.
cp bad.kith busy.kith
mkfifo pipe
"$KITH" import -q busy.kith - <pipe >/dev/null 2>&1 &
pid=$!
exec 9>pipe
python3 -c 'import hashlib
for i in range(5000): print(hashlib.sha1(b"%d" % i).hexdigest())' >list
cat list >&9
for _ in $(seq 100); do
    "$KITH" scan -q -r busy.kith tree >out 2>err && sleep 0.05 || break
done
says err "busy.kith: is being written by another program"
exec 9>&-
wait "$pid" || fail "the writer failed"
status 0 "$KITH" scan -q -r busy.kith tree
cp bad.kith killed.kith
"$KITH" import -q killed.kith pipe >/dev/null 2>&1 &
pid=$!
exec 9>pipe
cat list >&9
sleep 0.2
kill -KILL $pid
wait $pid 2>/dev/null
exec 9>&-
status 0 "$KITH" scan -q --csv -r killed.kith tree
sed -i 's/,killed,/,bad,/' out
cmp -s out whole.csv || fail "what a killed writer left changes findings"

# ---- holes too large to hash do not hide what is beside them ----

cp bad/bad sparse
truncate -s 1T sparse
truncate -s 700G late
cat bad/bad >>late
status 3 "$KITH" scan --csv -r bad.kith sparse late
says err "of its bytes are holes, so it was not hashed"
is "in a sparse file" 'one(found, evidence="sparse")["verdict"] == "embedded" and span(found[0])[:2] == (0, 40000) and found[0]["proof"] == all_blocks(40000) and not found[0]["sha1"]'
is "after a hole" 'span(one(found, evidence="late"))[:2] == (700 << 30, (700 << 30) + 40000)'
rm sparse late
if (images) >/dev/null; then
    images
    mkdir hidden
    cp bad/bad hidden/bad
    cp bad/in-both hidden/beside
    mke2fs -q -F -t ext4 -d hidden hidden.img 8M >/dev/null 2>&1 || fail "mke2fs failed"
    debugfs -w -R 'set_inode_field bad size 1099511627776' hidden.img >/dev/null 2>&1
    status 3 "$KITH" scan -q --csv --only file -r bad.kith hidden.img
    is "in a file with a false size" 'one(found, path="bad")["proof"] == all_blocks(40000) and one(found, path="beside")["verdict"] == "identical"'
    # claims of other files take nothing from a file
    mkdir neighbours
    truncate -s $((32 * 1024 - 1))M neighbours/a-huge
    (cat bad/bad; head -c 24000 other/other) >neighbours/b-holed
    truncate -s 3M neighbours/b-holed
    status 0 "$KITH" add -q holed.kith neighbours/b-holed
    mke2fs -q -F -t ext4 -d neighbours neighbours.img 8M >/dev/null 2>&1 || fail "mke2fs failed"
    status 3 "$KITH" scan -q --csv --only file -r holed.kith neighbours.img
    is "beside a file of holes" 'one(found, path="b-holed")["verdict"] == "identical"'
fi

# Sets that ship are found by name: a licence is no finding, wherever it lies.
licence=/usr/share/common-licenses/Apache-2.0
if [ -d "${HASHSETS:-}" ] && [ -e $licence ] && "$KITH" export --sha1sum "$HASHSETS/licences.kith" | grep -q "$(sha1sum <$licence | cut -c1-40)"; then
    mkdir licensed
    (cat $licence; head -c 20000 bad/bad) >licensed/reference
    (head -c 9000 tree/folder/nothing; cat $licence) >licensed-too
    status 0 "$KITH" add -q licensed.kith licensed
    status 0 "$KITH" scan -q --csv -r licensed.kith licensed-too
    is "with the licence" 'len(found) == 1 and found[0]["verdict"] in ("fragment", "variant")'
    KITH_SETS=$HASHSETS status 0 "$KITH" scan -q --csv -r licensed.kith -r licences licensed-too
    is "without it" 'not found'
fi
status 2 "$KITH" scan -q -r no-such-set tree
says err "no-such-set: "

# ---- contradictory options ----

status 2 "$KITH" scan -q -r bad.kith --case tree/here.case tree
says err "tree/here.case: lies in tree, which is evidence, and nothing is written to evidence"
[ -e tree/here.case ] && fail "a case was created in the evidence"
status 2 timeout 20 "$KITH" scan -q --only gap -r bad.kith --case here.case /
says err "here.case: lies in /, which is evidence, and nothing is written to evidence"
status 2 "$KITH" scan -q -r bad.kith --case a.case --csv tree
says err "--case writes no rows"
status 2 "$KITH" scan -q -r bad.kith --include '' tree
says err "pattern"
status 2 "$KITH" scan -q -r no-such-set tree
says err "no-such-set: "
finish
