#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HTML pages in headless Chromium: what they show is what the program says otherwise, they load nothing, and their policy holds.
. "$(dirname "$0")/lib.sh"
html=${SRCDIR:?set by make check}/tests/data/html.py

# What the browser sees is the same with sanitizers.
browser=$(command -v chromium)
[ -z "${SANITIZERS:-}" ] || browser=''

# page MODE ARGUMENTS...: a check in the browser, which is started once, in the end
pages=()
page()
{
    pages+=("$@" --)
}

# ---- kith compare ----

text 1 60000 >'a<script>alert(1)<!--&"'
{ head -c 20000 a*; text 3 7000; tail -c 40000 a*; } >b
{ text 4 300000; head -c 30000 b | tail -c 9000; text 5 200000; } >part
count=0
for pair in 'a* b' 'a* a*' 'part b' 'b part'; do
    count=$((count + 1))
    # shellcheck disable=SC2086
    set -- $pair
    status 0 "$KITH" compare --json "$@"
    mv out pair$count.json
    status 0 "$KITH" compare --format html "$@"
    mv out pair$count.html
    page pair pair$count.html pair$count.json
done
page frame pair4.html
status 0 "$KITH" compare --format html b part
cmp -s out pair4.html || fail "the same comparison gave another page"
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
python3 - <<'PY'
import zipfile
with zipfile.ZipFile('disk/home/packed.zip', 'w') as archive:
    archive.write('known/letter', 'in/letter', zipfile.ZIP_DEFLATED)
    archive.write('known/list', 'stored')
PY
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
grep -q '>1 file, 10,485,760 bytes, last modified <span class="time">[0-9T:-]*Z</span>, ' a.html || fail "the files of the evidence"
grep -q '10,485,760 of 10,485,760 bytes of the image are accounted for: 0 could not be read, 0 ' a.html || fail "coverage"
page frame a.html
page case a.html a.jsonl
page plain a.html "$(grep -c '"type":"finding"' a.jsonl)"
page hostile a.html "$hostile"
# .ci/run fetches it
if [ -e "${AXE:-}" ]; then
    page axe a.html "$AXE"
    page axe pair4.html "$AXE"
else
    echo "accessibility is not tested: there is no axe-core (AXE)"
fi
status 0 "$KITH" report --format html a.case
cmp -s out a.html || fail "the same case gave another page"

# ---- bytes of the evidence ----

mkdir pictures evidence
python3 - >pictures/picture <<'END'
import random, struct, sys, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
random = random.Random(1)
lines = b''.join(b'\0' + random.randbytes(120) for _ in range(30))
sys.stdout.buffer.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 40, 30, 8, 2, 0, 0, 0)) +
    chunk(b'IDAT', zlib.compress(lines)) + chunk(b'IEND', b''))
END
cp pictures/picture evidence/found
status 0 "$KITH" add -q --kind notable pictures.kith pictures
status 0 "$KITH" scan -q --containers no -r pictures.kith --case b.case evidence
status 0 "$KITH" report --format html --with-bytes evidence b.case
mv out b.html
page frame b.html
page bytes b.html pictures/picture
# elsewhere, all of it is compared
cp -r evidence moved
status 0 "$KITH" report --format html --with-bytes evidence=moved b.case
mv out moved.html
page bytes moved.html pictures/picture
flip_bit moved/found 2000
status 3 "$KITH" report --format html --with-bytes moved b.case
says err "1 finding without bytes: the page says why"
says out "the object is not the one that was scanned: its SHA-1 differs"
grep -q '"picture":' out && fail "bytes of another object were shown"
rm moved/found
status 3 "$KITH" report --format html --with-bytes moved b.case
says out "it was not found in the evidence, or could not be read"
status 0 "$KITH" report --format html --with-bytes disk.dd a.case
[ "$(grep -o '"ends":' out | wc -l)" -eq "$(grep -c '"type":"finding"' a.jsonl)" ] || fail "a finding has no bytes"
status 2 "$KITH" report --format html --with-bytes nowhere b.case
says err "nowhere"
status 2 "$KITH" report --with-bytes evidence b.case
says err "--with-bytes is an option of --format html"
[ -z "$browser" ] || python3 "$html" "${pages[@]}" >said 2>&1 || fail "$(tail -n 30 said)"
[ -n "$browser" ] || [ "$failures" -gt 0 ] || skip "no chromium: the pages were made, but not opened"
finish
