#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The account of an image in a case: it adds up to the image's size, counts what could not be read, equals that of kith ls, and
# is the same when the scan was killed and resumed.
. "$(dirname "$0")/lib.sh"
images
RANDOM=46

mkdir files
python3 - <<'PY'
import random
r = random.Random(46)
for i in range(9000):
    with open("files/%d" % i, "wb") as file:
        file.write(r.randbytes(2500 + i % 1000))
PY
mkdir some
cp files/1?? some
status 0 "$KITH" add -q set.kith some
mke2fs -q -F -t ext4 -b 4096 -N 9600 -d files disk.img 64M >/dev/null 2>&1
size=$(stat -c %s disk.img)
# A byte of the first file, so that the checksum of its chunk is wrong; nothing is compressed in this E01.
first=$(debugfs -R 'ls -l' disk.img 2>/dev/null | awk '$2 ~ /^100/ { print $1 }' | sort -n | head -n 1)
block=$(debugfs -R "blocks <$first>" disk.img 2>/dev/null | tr -dc 0-9)
ewfacquirestream -q -c none -f encase6 -t disk >/dev/null 2>&1 <disk.img
python3 - "$block" <<'PY' || fail "no chunk was damaged"
import sys
block = int(sys.argv[1])
disk, e01 = open("disk.img", "rb").read(), bytearray(open("disk.E01", "rb").read())
at = e01.find(disk[block * 4096:block * 4096 + 4096])
assert at > 0
e01[at + 100] ^= 1
open("disk.E01", "wb").write(e01)
PY

# account: the table in the standard output of kith report --about, "kind objects bytes" in each line
account()
{
    awk '$1 == "kind" && $2 == "objects" { on = 1; next } on && NF == 3 && $3 + 0 == $3 { print $1, $2, $3 } $1 == "total" { on = 0 }' out
}

began=$(date +%s%3N)
status 3 "$KITH" scan -q -j1 --case whole.case -r set.kith disk.E01
lasts=$(($(date +%s%3N) - began))
status 3 "$KITH" report --about whole.case
account >whole
same "the total" "$size" "$(awk '$1 == "total" { print $3 }' whole)"
same "the sum of all rows" "$size" "$(awk '$1 != "total" { n += $3 } END { print n }' whole)"
same "bytes of the damaged chunk" 32768 "$(awk '$1 == "unreadable" { print $3 }' whole)"
status 0 "$KITH" report --check whole.case
status 3 "$KITH" ls -q --account --csv disk.E01
same "the account of kith ls" "$(cat whole)" "$(tr -d '\r' <out | awk -F, 'NR > 1 { print $3, $4, $5 }')"
status 3 "$KITH" ls -q --account --json -j5 disk.E01
same "the account as JSON" "$(awk '{ n += $3 } END { print n }' whole)" \
    "$(python3 -c 'import json, sys; print(sum(json.loads(line)["bytes"] for line in open("out")))')"

# Files and folders are not images: their accounts have no size to add up to.
status 0 "$KITH" scan -q --case plain.case -r set.kith some/100 files/200 some
status 0 "$KITH" report --check plain.case

# Killed and resumed: what could not be read before is still known.
resumed=0
for _ in $(seq "${KILLS:-6}"); do
    rm -f killed.case*
    for _ in 1 2 3; do
        after=$((RANDOM * lasts / 32768))
        "$KITH" scan -q -j2 --case killed.case -r set.kith disk.E01 >/dev/null 2>&1 </dev/null &
        sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        "$KITH" report --csv --all killed.case >out 2>/dev/null
        [ "$(wc -l <out)" -gt 1000 ] && resumed=$((resumed + 1))
    done
    status 3 "$KITH" scan -q --case killed.case -r set.kith disk.E01
    status 3 "$KITH" report --about killed.case
    same "the account after kill -9" "$(cat whole)" "$(account)"
    status 0 "$KITH" report --check killed.case
done
echo "resumed $resumed times with the damaged chunk in the case"
[ "$resumed" -gt 0 ] || fail "no scan was killed in the middle"

# What was not requested has a row of its own.
status 0 "$KITH" ls -q --account --csv --only file disk.img
same "the sum with --only" "$size" "$(tr -d '\r' <out | awk -F, '$3 != "total" && NR > 1 { n += $5 } END { print n }')"
same "bytes of files" "$(cat files/* | wc -c)" "$(tr -d '\r' <out | awk -F, '$3 == "file" { print $5 }')"
tr -d '\r' <out | grep -q ',not-selected,0,' || fail "there is no row for what was not selected"
status 2 "$KITH" ls --account --hash disk.img
finish
