#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HTML pages in headless Chromium: what they show is what the program says otherwise, they load nothing, and their policy holds.
. "$(dirname "$0")/lib.sh"
html=${SRCDIR:?set by make check}/tests/data/html.py

command -v chromium >/dev/null || skip "no chromium"
[ "${SANITIZERS:-}" = "" ] || skip "what the browser sees is the same without sanitizers"

# page MODE ARGUMENTS...: a check in the browser
page()
{
    python3 "$html" "$@" >said 2>&1 || fail "$* $(tail -n 5 said)"
}

# ---- kith compare ----

text 1 60000 >'a<script>alert(1)<!--&"'
{ head -c 20000 a*; text 3 7000; tail -c 40000 a*; } >b
{ text 4 300000; head -c 30000 b | tail -c 9000; text 5 200000; } >part
for pair in 'a* b' 'a* a*' 'part b' 'b part'; do
    # shellcheck disable=SC2086
    set -- $pair
    status 0 "$KITH" compare --json "$@"
    mv out pair.json
    status 0 "$KITH" compare --format html "$@"
    mv out pair.html
    page pair pair.html pair.json
done
page frame pair.html
status 0 "$KITH" compare --format html b part
cmp -s out pair.html || fail "the same comparison gave another page"
status 2 "$KITH" compare --format html --papers b part
says err "--papers and --format html contradict each other"
finish
