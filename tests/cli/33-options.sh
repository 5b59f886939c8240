#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line has no traps: one meaning for each option, and errors that say what is right.
. "$(dirname "$0")/lib.sh"

# refused TEXT COMMAND...: exit status 2, the text, and nothing left behind
refused()
{
    local text=$1 before
    shift
    before=$(ls -A)
    status 2 "$@"
    says err "$text"
    rm -f out err
    same "files after '$*'" "$(grep -vxE 'out|err' <<<"$before")" "$(ls -A)"
}

mkdir known tree
text 1 20000 >known/letter
cp known/letter tree/copy
status 0 "$KITH" add -q known.kith known

# ---- -o is the sector offset, --case the case ----

for command in ls scan add; do
    status 0 "$KITH" "$command" --help
    says out "-o, --offset SECTOR"
done
status 0 "$KITH" scan --help
says out "    --case CASE"
grep -q -- --output out && fail "scan still has --output"
refused "--offset takes a number from 0 to 140737488355327, not 'my.case'" "$KITH" scan -r known.kith -o my.case tree
refused "output" "$KITH" scan -r known.kith --output my.case tree
status 0 "$KITH" scan -q -r known.kith --case my.case tree
[ -s my.case ] || fail "there is no case"

# ---- names that are probably something else ----

refused "'2048' looks like a sector offset; to create a file of that name, write ./2048" "$KITH" scan -r known.kith --case 2048 tree
refused "'-x' looks like an option; to create a file of that name, write ./-x" "$KITH" scan -r known.kith --case -x tree
refused "'2048' looks like a sector offset" "$KITH" add 2048 known
refused "'-x' looks like an option" "$KITH" add -- -x known
refused "'63' looks like a sector offset" "$KITH" import 63 known/letter
refused "'1' looks like a sector offset" "$KITH" sets merge -o 1 known.kith
refused "'--csv' looks like an option" "$KITH" export -o --csv known.kith
status 0 "$KITH" scan -q -r known.kith --case ./2048 tree
status 0 "$KITH" scan -q -r known.kith --case 2048 tree # which exists now
finish
