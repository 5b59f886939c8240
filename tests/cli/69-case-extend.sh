#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Evidence and sets are added to a case: it holds what separate scans find, and what was read before is not read again.
. "$(dirname "$0")/lib.sh"
tamper=$SRCDIR/tests/data/tamper.py
export PYTHONPATH=$SRCDIR/tests/data PYTHONDONTWRITEBYTECODE=1
RANDOM=1504

python3 - <<'PY' || fail "the files cannot be created"
import os, random
from findings import *
r = random.Random(9)
for at, letter in enumerate("abc"):
    os.makedirs(letter)
    for i in range(8):
        write("%s/%d" % (letter, i), words(100 * at + i, r.randrange(3000, 30000)))
for folder in "one", "two":
    os.makedirs(folder + "/sub")
    for i in range(160):
        of = "%s/%d" % (r.choice("abc"), r.randrange(8))
        content = (read(of) if i % 4 == 0 else edited(read(of), i, 2) if i % 4 == 1
                   else noise(i, 900) + read(of)[:2500] if i % 8 == 2 else noise(i, r.randrange(4000)))
        write("%s/%s%d" % (folder, "sub/" if i % 3 else "", i), content)
PY
status 0 "$KITH" add -q --kind notable a.kith a
status 0 "$KITH" add -q --kind neutral -C 32 b.kith b
(cd c && md5sum -- *) >c.md5
status 0 "$KITH" import -q --kind known c.kith c.md5
evidence="one two"
if (images) >/dev/null; then
    images
    mke2fs -q -F -t ext4 -b 1024 -O ^has_journal -d two disk.img 8M >/dev/null 2>&1 || fail "mke2fs failed"
    debugfs -w -f - disk.img >/dev/null 2>&1 <<<"$(printf 'rm sub/%d\n' 1 2 4 5 8 10)"
    evidence="one two disk.img"
fi

# rows CASE [OPTION...]: its rows, sorted, without the header
rows()
{
    "$KITH" report --csv "$@" | tail -n +2 | LC_ALL=C sort
}

# findings OPTION...: the rows of a scan of all evidence, sorted
findings()
{
    # shellcheck disable=SC2086
    "$KITH" scan -q --csv "$@" $evidence 2>/dev/null | tail -n +2 | LC_ALL=C sort
}

# is_like CASE FILE...: its findings are those of the files, and it lists each object without a finding once
is_like()
{
    local case=$1
    shift
    LC_ALL=C sort "$@" >expected
    rows "$case" --show-known >got
    cmp -s expected got || fail "$case: $(diff expected got | head -n 5)"
    status 0 "$KITH" report --check "$case"
}

# ---- evidence ----

status 0 "$KITH" scan -q -r a.kith --case whole.case one two
cp one/0 kept
status 0 "$KITH" scan -q -r a.kith --case grown.case one
cp -p grown.case small.case
status 0 "$KITH" scan -r a.kith --case grown.case two
says err "grown.case: evidence added to the case: 1"
grep -q '^kith: one' err && fail "what was scanned before is mentioned: $(cat err)"
"$KITH" report --csv --all whole.case >whole.csv
"$KITH" report --csv --all grown.case | cmp -s - whole.csv || fail "evidence that was added gives different rows"
"$KITH" report --about grown.case >about
says about "extended by kith"
says about "sets added: 0, evidence to read: 1"
status 0 "$KITH" report --check grown.case
# again, in whatever order: nothing is left to do
seal=$("$KITH" case seal grown.case)
status 0 "$KITH" scan -r a.kith --case grown.case two one
grep -q "added to the case" err && fail "nothing was added: $(cat err)"
says err "two: was scanned completely before"
status 0 "$KITH" scan -r a.kith --case grown.case
says err "one: was scanned completely before"
same "the seal" "$seal" "$("$KITH" case seal grown.case)"
# what does not exist is not added
status 2 "$KITH" scan -q -r a.kith --case grown.case nowhere
says err "nowhere: No such file"
status 2 "$KITH" scan -q -r a.kith
says err "no evidence given"
status 2 "$KITH" scan -q -r a.kith --case new.case
says err "no evidence given"
same "the seal" "$seal" "$("$KITH" case seal grown.case)"

# ---- sets ----

findings --show-known -r a.kith >of.a
findings --show-known -r b.kith >of.b
findings --show-known -r c.kith >of.c
for file in of.a of.b of.c; do
    [ -s $file ] || fail "$file: nothing is found"
done
# shellcheck disable=SC2086
status 0 "$KITH" scan -q -r a.kith --case sets.case $evidence
seconds=$("$KITH" report --about sets.case | grep -c ': started')
status 0 "$KITH" scan -r b.kith --case sets.case
says err "sets.case: evidence read again for sets added to the case: $(wc -w <<<"$evidence")"
says err "one: read again for the set b: "
is_like sets.case of.a of.b
status 0 "$KITH" scan -q -r c.kith --case sets.case # files of which only the MD5 is known
is_like sets.case of.a of.b of.c
same "readings" $((3 * seconds)) "$("$KITH" report --about sets.case | grep -c ': started')"
"$KITH" report --about sets.case >about
says about "            read for the set a"
says about "read again for the set b: "
# the image is hashed and accounted for once
[ "$evidence" = "one two" ] || same "the image" "3 [(3,)]" "$(python3 -c 'import sqlite3
db = sqlite3.connect("file:sets.case?mode=ro", uri=True)
print(*(row[0] for row in db.execute("SELECT id FROM evidence WHERE sha1 IS NOT NULL")),
      db.execute("SELECT DISTINCT id >> 40 FROM account").fetchall())')"
"$KITH" report --text sets.case >text
says text "one: read again for the set c: "
# each object is listed once if nothing was found in it, as in a scan for all sets
# shellcheck disable=SC2086
"$KITH" scan -q --csv --all --show-known -r a.kith -r b.kith -r c.kith $evidence >all.csv
python3 - <<'PY' || fail "objects without a finding"
import csv, os, subprocess
def rows(text):
    return list(csv.DictReader(text.splitlines(True)))
case = rows(subprocess.run([os.environ["KITH"], "report", "--csv", "--all", "--show-known", "sets.case"], capture_output=True,
                           text=True, check=True).stdout)
whole = rows(open("all.csv", newline="").read())
key = lambda r: (r["evidence"], r["volume"], r["address"], r["path"])
bare = [key(r) for r in case if not r["set"]]
found = {key(r) for r in case if r["set"]}
assert len(bare) == len(set(bare)) and not set(bare) & found, len(bare)
assert set(bare) | found == {key(r) for r in whole}, (len(bare), len(found), len(whole))
PY
# what other formats say of readings
"$KITH" report --json sets.case 2>/dev/null | head -n 1 >case.json
count=$(wc -w <<<"$evidence")
same "readings in JSON" "[($((count + 1)), 1, [2]), ($((2 * count + 1)), 1, [3])]" \
    "$(json case.json '[(e["number"], e["again"], e["sets"]) for e in d["evidence"] if e["path"] == "one" and "again" in e]')"
same "first readings" "[[1]]" "$(json case.json '[e["sets"] for e in d["evidence"] if e["path"] == "one" and "again" not in e]')"
# the same again: nothing is left to do; and new evidence, for some of the sets
seal=$("$KITH" case seal sets.case)
for set in a b c; do
    status 0 "$KITH" scan -q -r $set.kith --case sets.case
done
same "the seal" "$seal" "$("$KITH" case seal sets.case)"
status 0 "$KITH" scan -q -r a.kith -r b.kith --case sets.case a
rows sets.case >got
"$KITH" scan -q --csv -r a.kith -r b.kith a 2>/dev/null | tail -n +2 >of.new
is_like sets.case of.a of.b of.c of.new

# refused STATUS WORDS ARGUMENT...: the case stays as it is
refused()
{
    local code=$1 words=$2
    shift 2
    seal=$("$KITH" case seal sets.case)
    status "$code" "$KITH" scan -q --case sets.case "$@"
    says err "$words"
    same "the seal after '$*'" "$seal" "$("$KITH" case seal sets.case)"
}
status 0 "$KITH" add -q d.kith kept
refused 2 "is new: add it in a scan without the others" -r a.kith -r d.kith one
refused 2 "one was scanned for another choice of these sets" -r b.kith -r c.kith one
refused 2 "set 2 was b (b.kith) and is now c (c.kith)" -r a.kith -r c.kith two
refused 2 "it was created with different parameters" -r d.kith --min-matched 1
refused 2 "it was created with different parameters" -r a.kith --md5 b

# ---- rows of an extended case that was edited ----

for change in "UPDATE pass SET last_set = 1" "UPDATE pass SET again = 0" "UPDATE pass SET parameters = 'C=1 x' WHERE id = 4" \
    "DELETE FROM pass" "DELETE FROM pass WHERE id = 4" "UPDATE pass SET first_set = 9" "UPDATE refset SET path = x'78' WHERE id = 2"; do
    cp sets.case bad.case
    python3 "$tamper" bad.case "$change" || fail "it could not be changed: $change"
    status 3 "$KITH" report --check bad.case
    status 3 "$KITH" case seal bad.case
    status 2 "$KITH" scan -q -r a.kith --case bad.case one
    "$KITH" report --csv bad.case >out 2>err && fail "a report does not notice: $change"
done

# ---- kill -9 while sets are added ----

hit=0
for _ in $(seq 1 "${KILLS:-8}"); do
    [ -e victim.case ] || cp grown.case victim.case
    "$KITH" scan -q -j1 -r b.kith --case victim.case >/dev/null 2>&1 </dev/null &
    pid=$!
    sleep "0.0$((RANDOM % 90 + 10))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -eq 137 ] && hit=$((hit + 1))
    "$KITH" report --check victim.case >out 2>&1
    same "after kill -9" sound "$(cat out)"
done
status 0 "$KITH" scan -q -r b.kith --case victim.case
evidence="one two"
findings -r b.kith >of.b
findings -r a.kith >of.a
is_like victim.case of.a of.b
echo "killed $hit times"

# ---- evidence that has changed ----

printf x >>one/0
refused 4 "one: the evidence is not the one that the case was made of" -r d.kith one
refused 4 "one: the evidence is not the one that the case was made of" -r a.kith one
finish
