#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A case has no content: its objects are related through references, by bounds that hold.
. "$(dirname "$0")/lib.sh"

mkdir known seen
for family in 1 2; do
    text $family 24000 >known/$family
    for place in 20 90 150; do
        sed "${place}s/^/some words that are new /; $((place + 40))d" known/$family >seen/$family-$place
    done
    cp known/$family seen/$family-same
done
cp seen/1-20 seen/1-copy
text 3 24000 >seen/alone # in no reference
text 4 24000 >seen/other
cp seen/other seen/twin # identical to each other only
: >seen/empty
status 0 "$KITH" add -q known.kith known
status 0 "$KITH" scan -q -r known.kith --case found.case seen

cat >clusters.py <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
if sys.argv[2] == 'names':
    print(*sorted(' '.join(sorted(m['path'] for m in [c['representative']] + c['members'])) for c in lines[:-1]), sep='; ')
else: # bounds against measurements
    measured = {m['path']: m['resemblance'] for c in map(json.loads, open('measured')) for m in c.get('members', [])}
    bounds = {m['path']: m['resemblance_at_least'] for c in lines[:-1] for m in c['members'] if m['role'] != 'identical'}
    print(len(bounds), all(0.5 <= r <= measured[path] + 1e-3 for path, r in bounds.items()))
PY
expected="1-150 1-20 1-90 1-copy 1-same; 2-150 2-20 2-90 2-same; other twin"
status 0 "$KITH" cluster -q --json seen
mv out measured
for method in greedy single; do
    status 0 "$KITH" cluster -q --json --method $method found.case
    same "clusters, $method" "$expected" "$(python3 clusters.py out names)"
done
status 0 "$KITH" cluster -q --json found.case
same "bounds" "7 True" "$(python3 clusters.py out bounds)"
status 0 "$KITH" cluster -q --csv found.case
same "the column" resemblance_at_least "$(head -n 1 out | cut -d, -f8)"
same "what is unknown is empty" "" "$(awk -F, '$2 == "similar" { print $9 $10 $11 $12 }' out | tr -d '\r\n')"
status 0 "$KITH" cluster --format text found.case
says out "resemblance at least 0."
says out "12 files, 10 different; 3 clusters of 11 files"
says out "1 empty file is left out"
mkdir both
cp seen/other both/both
status 0 "$KITH" scan -q -r known.kith --case both.case both seen/twin
status 0 "$KITH" cluster -q --format text both.case
same "names as they can be opened" "both/both seen/twin" "$(tail -n 2 out | awk '{ print $NF }' | tr '\n' ' ' | sed 's/ $//')"
status 0 "$KITH" cluster -q --json --resemblance 1 found.case
same "only identical objects" "1-20 1-copy; other twin" "$(python3 clusters.py out names | sed 's/; 2.*; /; /')"

for options in "--containment .5" "--edits 5" "--plagiarism" "--candidates index" "--common 5" "-s min" "-C 64"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" cluster $options found.case
    says err "found.case: a case has no content"
done
status 2 "$KITH" cluster seen found.case
says err "found.case: a case is clustered on its own"
cp found.case broken.case
python3 -c 'import os; os.truncate("broken.case", 8192)'
status 2 "$KITH" cluster broken.case
[ -s err ] || fail "no message about a truncated case"
finish
