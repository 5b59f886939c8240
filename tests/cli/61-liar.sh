#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A worker that was taken over and sends findings that cannot be loses its own object, and nothing else.
. "$(dirname "$0")/lib.sh"

command -v cc >/dev/null || skip "no C compiler"
grep -qa -e __asan_init -e __tsan_init -e __ubsan_handle "$KITH" && skip "a sanitizer and a preloaded library exclude each other"
cc -shared -fPIC -O1 -o liar.so "$SRCDIR/tests/data/liar.c" -ldl || fail "cc failed"

mkdir references objects
text 1 60123 >references/one
text 2 50017 >references/two
{ head -c 30000 references/one; text 3 900; tail -c 30000 references/one; } >objects/edited
{ head -c 20000 references/two; text 4 700; tail -c 30000 references/two; } >objects/other
cp references/two objects/same
text 5 20000 >objects/unrelated
"$KITH" add -q set.kith references || fail "add: exit $?"

# rows FILE: path, verdict and reference, without the row of the object that is lied about
rows()
{
    python3 -c '
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    if row["path"] != "edited":
        print(row["path"], row["verdict"], row["ref_name"], row["matched"])' "$1"
}
status 0 "$KITH" scan --csv --all -r set.kith objects
cp out honest
same "the honest rows" 3 "$(rows honest | wc -l)"
# a size that the reference does not have; one that no finding can have
for lie in 60124 9223372036854775807; do
    export LIE_OLD=60123 LIE_NEW=$lie
    status 3 env LD_PRELOAD="$scratch/liar.so" "$KITH" scan --csv --all -r set.kith objects
    same "all other rows, if a worker says $lie" "$(rows honest)" "$(rows out)"
    same "the row of its object" "edited,unreadable,invalid result from worker" "$(python3 -c '
import csv
for row in csv.DictReader(open("out")):
    if row["path"] == "edited":
        print(row["path"], row["verdict"], row["proof"], sep=",")')"
    says err "edited: invalid result from worker"
    # the case remembers it
    status 3 env LD_PRELOAD="$scratch/liar.so" "$KITH" scan --case "$lie.case" -r set.kith objects
    status 3 "$KITH" scan --case "$lie.case" -r set.kith objects
done
# an E that no finding can have: that of an identical file, -infinity, as infinity
export LIE_OLD=18442240474082181120 LIE_NEW=9218868437227405312
status 3 env LD_PRELOAD="$scratch/liar.so" "$KITH" scan --csv --all -r set.kith objects
says err "same: invalid result from worker"
same "the other findings" "edited other" "$(python3 -c '
import csv
print(*(row["path"] for row in csv.DictReader(open("out")) if row["set"]))')"
# a size of the object beyond what a case can hold
LIE_OLD=$(stat -c %s objects/edited)
export LIE_NEW=18446744073709551615
status 3 env LD_PRELOAD="$scratch/liar.so" "$KITH" scan --csv --all -r set.kith objects
says err "edited: invalid result from worker"
same "the findings of other objects" "other same" "$(python3 -c '
import csv
print(*(row["path"] for row in csv.DictReader(open("out")) if row["set"]))')"
finish
