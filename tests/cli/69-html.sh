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

# ---- a case ----

images
hostile='<img src=x onerror=alert(1)><!--<script>"&'
mkdir -p known disk/home
text 11 30000 >known/letter
text 12 200000 >known/book
text 13 50000 >known/list
cp known/letter "disk/home/$hostile"
sed 's/e/E/; 20,40d' known/letter >disk/home/edited
{ text 21 70000; cat known/list; text 22 50000; } >disk/home/archive
{ text 23 20000; head -c 60000 known/book | tail -c 20000; text 24 9000; tail -c 40000 known/book; } >disk/home/parts
cp known/list disk/home/removed
mke2fs -q -t ext4 -d disk fs.img 8M
debugfs -w -R 'rm /home/removed' fs.img 2>/dev/null
{ head -c 1048576 /dev/zero; cat fs.img; head -c 1048576 /dev/zero; } >disk.dd
printf 'start=2048, size=16384, type=83\n' | sfdisk -q disk.dd
status 0 "$KITH" add -q --kind notable 'known <b>.kith' known
status 0 "$KITH" scan -q -r 'known <b>.kith' --case a.case disk.dd
status 0 "$KITH" report --format jsonl --sort significance a.case
mv out a.jsonl
status 0 "$KITH" report --format html a.case
mv out a.html
page frame a.html
page case a.html a.jsonl
page plain a.html "$(grep -c '"type":"finding"' a.jsonl)"
page hostile a.html "$hostile"
# .ci/run fetches it
if [ -e "${AXE:-}" ]; then
    page axe a.html "$AXE"
    page axe pair.html "$AXE"
else
    echo "accessibility is not tested: there is no axe-core (AXE)"
fi
status 0 "$KITH" report --format html a.case
cmp -s out a.html || fail "the same case gave another page"
finish
