#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --format means the same in all commands, and the short forms are synonyms of it.
. "$(dirname "$0")/lib.sh"

mkdir known tree
text 1 20000 >known/letter
text 2 20000 >known/other
cp known/letter tree/copy
status 0 "$KITH" add -q --md5 known.kith known
status 0 "$KITH" scan -q -r known.kith --case a.case tree

# the_same FORMAT SHORT COMMAND...: the short form writes what --format does
the_same()
{
    local format=$1 short=$2
    shift 2
    status 0 "$@" --format "$format"
    mv out long
    [ -s long ] || fail "$* --format $format wrote nothing"
    status 0 "$@" "$short"
    cmp -s long out || fail "$* $short is not --format $format"
    status 0 "$@" "$short" --format "$format"
    cmp -s long out || fail "$* --format $format differs from giving both"
}

for format in "text -l" "text --long" "summary --summary" "csv --csv" "excel --excel" "json --json" "body --body"; do
    the_same "${format% *}" "${format#* }" "$KITH" ls tree
done
for format in text csv excel; do
    the_same $format --$format "$KITH" scan -q -r known.kith tree
    the_same $format --$format "$KITH" report a.case
done
the_same jsonl --json "$KITH" report a.case
the_same csv --csv "$KITH" sets list known.kith
the_same json --json "$KITH" sets info known.kith
for format in csv json sha1sum hashdeep; do
    the_same $format --$format "$KITH" export known.kith
done
the_same json --json "$KITH" compare known/letter tree/copy
the_same json --json "$KITH" sign known/letter

# formats without a short form
for command in "sets info known.kith" "compare known/letter known/other" "sign known/letter"; do
    # shellcheck disable=SC2086
    status 0 "$KITH" $command
    mv out default
    # shellcheck disable=SC2086
    status 0 "$KITH" $command --format text
    cmp -s out default || fail "$command: text is not the default"
done
status 0 "$KITH" sets list --format text known.kith
[ "$(wc -l <out)" -eq 2 ] || fail "sets list --format text: $(cat out)"
status 0 "$KITH" export --format kdb -o known.kdb known.kith
[ -s known.kdb ] || fail "there is no kdb"

# a contradiction names both options
against()
{
    local one=$1 other=$2
    shift 2
    # shellcheck disable=SC2086
    status 2 "$@" $one $other
    says err "$one and $other contradict each other"
    [ -s out ] && fail "'$one $other' wrote something"
}
against --csv --json "$KITH" ls tree
against --csv "--format json" "$KITH" ls tree
against "--format body" --long "$KITH" ls tree
against "--format csv" "--format text" "$KITH" report a.case
against --text --csv "$KITH" scan -r known.kith tree
against --sha1sum "--format kdb" "$KITH" export known.kith
against --json "--format text" "$KITH" compare known/letter known/other
against "--format text" --json "$KITH" sign known
against --csv --json "$KITH" sets list known.kith
against --csv --about "$KITH" report a.case
against "--format csv" --check "$KITH" report a.case
against --about --check "$KITH" report a.case
status 2 "$KITH" sets info --format csv known.kith
says err "info cannot be written as csv, only as text or json"
status 2 "$KITH" sets list --json known.kith
says err "list cannot be written as json, only as text or csv"
status 2 "$KITH" sets verify --format csv known.kith
says err "--format has no meaning for verify"
status 2 "$KITH" export --format kdb known.kith
says err "--format kdb writes a database, which needs a file (-o FILE)"
status 2 "$KITH" ls --format
says err "option --format needs a value (FORM)"
finish
