#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The detection limits that sets and scans state, compared with a simulation in Python; and --require.
. "$(dirname "$0")/lib.sh"
twin=$SRCDIR/tests/data/detection.py

# about WHAT EXPECTED ACTUAL: at most a tenth apart
about()
{
    python3 -c 'import sys; x, y = map(float, sys.argv[1:]); sys.exit(abs(x - y) > .1 * x)' "$2" "$3" ||
        fail "$1: expected about $2, got $3"
}

mkdir ref evidence
printf '%s\n' "1 20000 ref/small" "2 100000 ref/medium" "3 900000 ref/large" | texts
status 0 "$KITH" add -q set.kith ref
status 0 "$KITH" sets info set.kith
says out "limits      95 % of copied fragments of at least this many bytes are found (with --deep):"
cp out text
status 0 "$KITH" sets info --json set.kith
mv out info
number=0
while IFS=, read -r class file c deep; do
    same "class $class" "$file" "$(json info "d['limits'][$number]['file']")"
    scan=$(json info "d['limits'][$number]['scan']") finds=$(json info "d['limits'][$number]['deep']")
    about "$class" "$(python3 "$twin" "$c" 128)" "$scan"
    about "$class, --deep" "$(python3 "$twin" "$c" "$deep")" "$finds"
    grep -Eq "^  of files $class +$scan \\($finds\\)\$" text || fail "no line on files $class: $(grep '  of files' text)"
    number=$((number + 1))
done <<'END'
below 24 KiB,24575,32,32
below 128 KiB,131071,64,64
up to 1 MiB,1048576,128,128
END
same "classes" 3 "$(json info 'len(d["limits"])')"

# files above 1 MiB are sampled more sparsely; those known by their hashes alone not at all
head -c 5000000 /dev/urandom >huge
status 0 "$KITH" add -q -C 32 huge.kith huge
status 0 "$KITH" sets info --json huge.kith
same "C doubles with four times the size" "[1048576, 4194304, 16777216]" "$(json out '[x["file"] for x in d["limits"]]')"
about "files of up to 16 MiB" "$(python3 "$twin" 128 128)" "$(json out 'd["limits"][2]["scan"]')"
# records of older programs, or made with sign -C, are sparser than the set asks for
"$KITH" sign -C 128 ref/small >record
status 0 "$KITH" import -q sparse.kith record
status 0 "$KITH" sets info --json sparse.kith
about "a small file of which the set has a sparse record" "$(python3 "$twin" 128 128)" "$(json out 'd["limits"][0]["scan"]')"
(cd ref && sha1sum -- *) >hashes
status 0 "$KITH" import -q hashes.kith hashes
status 0 "$KITH" sets info hashes.kith
! grep -q limits out || fail "limits of hashes"

# ---- objects too small to rule out a fragment ----

for len in 200 300 700 2000 20000; do head -c $len /dev/urandom >evidence/$len; done
status 0 "$KITH" scan -q --csv --all -r set.kith evidence
python3 -c 'import csv
for row in csv.DictReader(open("out")): print(row["size"], row["verdict"], row["proof"])' >reasons
grep -q '^200 too-small $' reasons || fail "200 bytes: $(cat reasons)"
grep -q '^20000 none $' reasons || fail "20000 bytes: $(cat reasons)"
python3 "$twin" 128 128 300 700 2000 | tail -n +2 >shares
for len in 300 700 2000; do
    read -r share && stated=$(sed -n "s/^$len none of $len bytes, a copied fragment is found in \\([0-9]*\\) % of cases\$/\\1/p" reasons)
    python3 -c 'import sys; sys.exit(abs(100 * float(sys.argv[1]) - float(sys.argv[2])) > 3)' "$share" "$stated" ||
        fail "of $len bytes, $share are found, not '$stated' %: $(cat reasons)"
done <shares
(cd evidence && python3 -m zipfile -c ../packed.zip 700)
status 0 "$KITH" scan --csv --all -r set.kith packed.zip
says out '"of 700 bytes, a copied fragment is found in '
! grep -q 'not unpacked' err || fail "a small member counts as one that was not unpacked: $(cat err)"
status 0 "$KITH" scan -q --csv --all -r hashes.kith evidence
! grep -q 'copied fragment' out || fail "reasons without samples"

status 0 "$KITH" scan -q --csv --all --min-matched 3000 -r set.kith evidence
says out '"of 2000 bytes, a copied fragment is found in 0 % of cases"'

# ---- the log of a case ----

status 0 "$KITH" scan -q --case a.case -r set.kith evidence
status 0 "$KITH" scan -q --case a.case -r set.kith evidence
status 0 "$KITH" report --about a.case
same "entries" 1 "$(grep -c '^log .*detection limits' out)"
says out "detection limits of set: 95 % of copied fragments are found from $(json info 'd["limits"][0]["scan"]') bytes on, of files below 24 KiB; from "
status 0 "$KITH" scan -q --case a.case -r huge.kith evidence
status 0 "$KITH" report --about a.case
same "entries with a second set" 2 "$(grep -c '^log .*detection limits' out)"
status 0 "$KITH" report --check a.case
status 0 "$KITH" scan -q --deep --case b.case -r set.kith evidence
status 0 "$KITH" report --about b.case
says out "found from $(json info 'd["limits"][0]["deep"]') bytes on, of files below 24 KiB; from "
status 0 "$KITH" scan -q --min-matched 3000 --case c.case -r set.kith evidence
status 0 "$KITH" report --about c.case
says out "found from 3000 bytes on, of files below 24 KiB; from 3000 bytes on, of files below 128 KiB; from "
status 2 "$KITH" scan --min-matched 3000 --require 2000 -r set.kith evidence
says err "--min-matched drops what --require demands"

# ---- what is required ----

for require in 800 2500; do
    rm -f new.kith
    status 0 "$KITH" add -q --require $require new.kith ref
    status 0 "$KITH" sets info --json new.kith
    same "C for $require" "$(python3 "$twin" choose $require)" "$(json out 'd["c"]')"
    [ "$(json out 'd["limits"][-1]["scan"]')" -le $require ] || fail "--require $require: $(json out 'd["limits"]')"
done
rm new.kith
status 0 "$KITH" add -q --require 1M new.kith ref # not sparser than by default
status 0 "$KITH" sets info --json new.kith
same "C for 1 MiB" 128 "$(json out 'd["c"]')"
status 3 "$KITH" add -q --require 800 new.kith huge
says err "new.kith: too sparse for fragments of 800 bytes: of files up to 16 MiB, 95 % are found from "
says err "new.kith: a set made with kith add -C "
status 2 "$KITH" add -q --require 100 none.kith ref
says err "none.kith: was not created: even with -C 4, 95 % of fragments are found only from "
[ ! -e none.kith ] || fail "none.kith was created"
status 2 "$KITH" add -q --require 1000 -C 32 none.kith ref
says err "give it without -C"

limit=$(json info 'd["limits"][2]["scan"]')
status 0 "$KITH" scan -q --csv -r set.kith --require "$limit" evidence
[ ! -s err ] || fail "$(cat err)"
status 3 "$KITH" scan -q --csv -r set.kith --require $((limit - 1)) evidence
says err "set.kith: too sparse for fragments of $((limit - 1)) bytes: of files up to 1 MiB, 95 % are found from $limit bytes on"
says err "set.kith: a set made with kith add -C 64 finds fragments of "
cp ref/small evidence
status 3 "$KITH" scan -q --csv -r set.kith --require 100 --fail-on-match evidence
says err "set.kith: no set finds fragments of 100 bytes"
says out ",identical,"
status 0 "$KITH" add -q small.kith ref/small
status 3 "$KITH" scan -q --csv -r small.kith --require 1000 evidence
says err "small.kith: a scan with --deep finds fragments of "
status 0 "$KITH" scan -q --csv --deep -r small.kith --require 1000 evidence
status 0 "$KITH" add -q --kind known known.kith ref
status 0 "$KITH" scan -q --csv --deep -r small.kith -r known.kith --require 1000 evidence

finish
