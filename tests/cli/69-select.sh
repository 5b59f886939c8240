#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith report: the findings that options select, against a filter in Python; and one row for bytes with two addresses, against icat.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
export PYTHONPATH=$data PYTHONDONTWRITEBYTECODE=1

(images icat) >/dev/null || { echo "without images"; exit 77; }
images icat

mkdir refs more tree
python3 - <<'PY' || fail "the files cannot be made"
from findings import *
for i, size in enumerate((3000, 9000, 30000, 80000)):
    write("refs/text%d" % i, words(100 + i, size))
write("more/noise", noise(7, 70001))
write("tree/same", read("refs/text2"))
write("tree/edited", edited(read("refs/text3"), 1, 20))
write("tree/part", words(2, 40000) + read("refs/text3")[8192:8192 + 49152])
write("tree/whole", words(3, 9000) + read("more/noise") + words(4, 9000))
write("tree/gone", read("refs/text1"))
write("tree/gone-too", edited(read("refs/text2"), 2, 5))
write("tree/nothing", words(5, 20000))
PY
mke2fs -q -F -t ext4 -b 4096 -N 64 -d tree a.img 8M 2>/dev/null >&2
block=$(debugfs -R 'blocks gone' a.img 2>/dev/null | awk '{ print $1 }')
debugfs -w -f - a.img >/dev/null 2>&1 <<<$'rm gone\nrm gone-too'
status 0 "$KITH" add -q --name 'first' first.kith refs
status 0 "$KITH" add -q --name 'second' second.kith more
status 0 "$KITH" scan -q -r first.kith -r second.kith --case a.case a.img
status 0 "$KITH" report --csv --all a.case
mv out all.csv
status 0 "$KITH" report --csv a.case
mv out once.csv

python3 - "$block" <<'PY' || fail "the same bytes under two addresses"
import subprocess, sys
from findings import *
every = [r for r in rows("all.csv") if r["verdict"] not in WITHOUT]
once = rows("once.csv")
hidden = [r for r in every if r not in once]
gone = next(r for r in once if r["path"] == "gone")
assert gone["kind"] == "deleted" and gone["verdict"] == "identical" and gone["ref_name"] == "text1", gone
content = subprocess.run(["icat", "a.img", gone["address"].split("-")[0]], capture_output=True, check=True).stdout
assert sha1(content) == gone["sha1"]
assert len(hidden) == 2 and all(r["kind"] == "unallocated" for r in hidden), hidden
assert {r["ref_name"] for r in hidden} == {"text1", "text2"}, hidden
r = next(r for r in hidden if r["ref_name"] == "text1")
assert int(r["address"][1:].split("+")[0]) + int(r["obj_start"]) == int(sys.argv[1]) * 4096, (r, sys.argv[1])
assert not [r for r in once if r in hidden] and len(once) == len(every) - 2
PY
status 0 "$KITH" report --text a.case
grep -q 'the same bytes: unallocated @[0-9]*+[0-9]*$' out || fail "the text does not give the second address"

id=$("$KITH" report --json --reference text1 a.case | python3 -c 'import json, sys
print(next(d["id"] for d in map(json.loads, sys.stdin) if d["type"] == "finding"))')
says out "finding $id"
says out "$ kith extract CASE $id -d FOLDER"
status 0 "$KITH" extract a.case "$id" -d extracted
cmp -s extracted/"${id%.*}"* refs/text1 || fail "the command of finding $id does not extract it: $(ls extracted)"
"$KITH" scan -q --text -r first.kith a.img >out
grep -q 'kith extract' out && fail "a scan without a case prints commands that need one"

# select OPTIONS... : Python expression over the row r, on standard input
count=0
selects()
{
    local expression
    read -r expression
    status 0 "$KITH" report --csv "$@" a.case
    python3 -c 'import sys
from findings import *
got, every = rows("out"), [r for r in rows("all.csv") if r["verdict"] not in WITHOUT]
hidden = [r for r in every if r["kind"] == "unallocated"]
wanted = [r for r in every if eval(sys.argv[1])]
twins = {"text1", "text2"}
wanted = [r for r in wanted if not (r["kind"] == "unallocated" and r["ref_name"] in twins and
          any(o["kind"] == "deleted" and o["ref_name"] == r["ref_name"] for o in wanted))]
assert got == wanted, (len(got), len(wanted))
sys.exit(3 if not got else 0)' "$expression"
    case $? in
    0) count=$((count + 1)) ;;
    3) ;;
    *) fail "$*: not the rows that Python selects" ;;
    esac
}

selects --verdict identical <<<'r["verdict"] == "identical"'
selects --verdict variant,embedded <<<'r["verdict"] in ("variant", "embedded")'
selects --set second <<<'r["set"] == "second"'
selects --reference text2 <<<'r["ref_name"] == "text2"'
selects --reference 'text[13]' <<<'r["ref_name"] in ("text1", "text3")'
selects --reference "$(sha1sum <refs/text1 | cut -d' ' -f1 | tr a-f A-F)" <<<'r["ref_name"] == "text1"'
selects --reference 1 <<<'r["ref_id"] == "1"'
selects --only unallocated <<<'r["kind"] == "unallocated"'
selects --only deleted,file <<<'r["kind"] in ("deleted", "file")'
selects --path 'gone*' <<<'r["path"].startswith("gone")'
selects --max-e 1e-200 <<<'float(r["e_value"]) <= 1e-200'
selects --min-score 0.9 <<<'float(r["score"]) >= 0.9'
selects --min-score 95% <<<'float(r["score"]) >= 0.95'
selects --min-matched 40k <<<'int(r["matched"]) >= 40960'
selects --proof sha1 <<<'r["proof"] == "sha1"'
selects --proof blocks,estimate <<<'r["proof"] != "sha1"'
selects --set first --only file --min-score 0.5 <<<'r["set"] == "first" and r["kind"] == "file" and float(r["score"]) >= 0.5'
selects --set nowhere <<<'False'
[ "$count" -ge 15 ] || fail "only $count selections have findings"

# Objects without a finding are selected, too.
status 0 "$KITH" report --csv --all --verdict none a.case
python3 -c 'from findings import *
assert rows("out") == [r for r in rows("all.csv") if r["verdict"] == "none"] != []' || fail "--all --verdict none"
for verdict in none too-small identical,low-entropy; do
    status 2 "$KITH" report --csv --verdict $verdict a.case
    says err "--verdict has a verdict of objects without a finding, which only --all lists"
done
status 0 "$KITH" report --csv --all --min-score 0 --set first a.case
python3 -c 'from findings import *
assert rows("out") == [r for r in rows("all.csv") if r["set"] == "first"] != []' || fail "--all --set"

for order in place significance reference; do
    status 0 "$KITH" report --csv --sort $order a.case
    python3 - $order <<'PY' || fail "--sort $order"
import sys
from findings import *
keys = {"place": lambda r: 0, "significance": lambda r: -float(r["score"]),
        "reference": lambda r: (r["set"], int(r["ref_id"]), -float(r["score"]))}
got, once = rows("out"), rows("once.csv")
assert sorted(map(str, got)) == sorted(map(str, once))
values = [keys[sys.argv[1]](r) for r in got]
assert values == sorted(values) and (sys.argv[1] != "place" or got == once), values
PY
done

for wrong in '--verdict alike' '--only files' '--proof yes' '--max-e 0' '--min-score 2' '--min-score -1' '--min-matched x' '--sort size' '--set=' \
    '--reference=' '--path='; do
    # shellcheck disable=SC2086 # one or two words
    status 2 "$KITH" report $wrong a.case
done
status 2 "$KITH" report --about --verdict identical a.case
says err "nothing can be selected"
status 2 "$KITH" report --check --sort place a.case

finish
