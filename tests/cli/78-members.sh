#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Members of containers in kith ls, audit and cluster, and the archives of other programs.
. "$(dirname "$0")/lib.sh"
images python3 mke2fs zip bsdtar

mkdir -p tree/sub host
texts <<'TEXTS'
1 60000 tree/a.txt
2 90000 tree/sub/b.txt
3 700 tree/c d.txt
TEXTS
touch -d 2021-05-06T07:08:10Z tree/a.txt tree/sub/b.txt "tree/c d.txt"
(cd tree && zip -q -X -r ../host/a.zip . && bsdtar -czf ../host/t.tgz . && bsdtar -cf ../host/t.tar . &&
    bsdtar --format 7zip -cf ../host/s.7z . && bsdtar --format newc -cf ../host/c.cpio .) || fail "no archives"
gzip -c tree/a.txt >host/one.gz
xz -c tree/sub/b.txt >host/one.xz

# What is written is what was packed, whatever packed it.
for archive in a.zip t.tgz t.tar s.7z c.cpio one.gz one.xz; do
    "$KITH" ls -q --json --hash --only member host/$archive 2>/dev/null >members
    python3 -c '
import json
for line in open("members"):
    if json.loads(line)["size"]: print(json.loads(line)["address"], end="\0")' >addresses
    mapfile -d '' -t addresses <addresses
    rm -rf got
    status 0 "$KITH" extract -q -d got -- host/$archive "${addresses[@]}"
    case $archive in
    one.gz) sha1sum <tree/a.txt ;;
    one.xz) sha1sum <tree/sub/b.txt ;;
    *) find tree -type f -exec sha1sum {} + ;;
    esac | cut -d ' ' -f 1 | sort >truth
    same "$archive" "$(cat truth)" "$(sha1sum got/[0-9]* | cut -d ' ' -f 1 | sort)"
    same "$archive: kith ls" "$(cat truth)" "$(python3 -c '
import json
rows = [json.loads(line) for line in open("members")]
assert all(row["parent"] == "-" and row["kind"] == "member" for row in rows)
print("\n".join(sorted(row["sha1"] for row in rows if row["size"])))')"
done

# Every format of kith ls; members are apart from the bytes on the disk.
{ head -c 90112 /dev/zero; cat host/a.zip; head -c 90000 /dev/zero; } >disk.raw
mkdir disk
cp host/a.zip disk
mke2fs -q -F -t ext4 -d disk disk.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
status 0 "$KITH" ls --csv disk.img
cp out all.csv
same "members" "3" "$(grep -c ',member,' all.csv)"
status 0 "$KITH" ls --csv --containers no disk.img
same "without" "$(grep -v ',member,' all.csv)" "$(cat out)"
status 0 "$KITH" ls --csv --only member disk.img
same "only members" "$(grep -e ',member,' -e ^evidence, all.csv)" "$(cat out)"
status 0 "$KITH" ls --summary disk.img
grep -q '^    member  *3  *150.7 kB  (packed in the objects above)$' out || fail "summary: $(cat out)"
status 0 "$KITH" ls -l disk.img
grep -q '^member  *60.0 kB  2021-05-06T07:08:10Z  [0-9-]*/zip/a.txt  a.zip/a.txt$' out || fail "text: $(cat out)"
status 0 "$KITH" ls --body --md5 disk.img
same "body" "$(md5sum <tree/a.txt | cut -c 1-32)|/a.zip/a.txt|60000|$(date -d 2021-05-06T07:08:10Z +%s)" \
    "$(grep '/a.zip/a.txt|' out | cut -d '|' -f 1,2,7,9)"
status 0 "$KITH" ls --body host/one.xz
same "without a time" "1" "$(wc -l <out)"
for form in no known all; do
    status 0 "$KITH" ls --account --containers $form disk.img
    same "account, $form" "disk.img,,total,$(grep -v ,member, all.csv | tail -n +2 | wc -l),$(stat -c %s disk.img)" "$(tail -n 1 out | tr -d '\r')"
done
# Free space is read only if everything is to be opened.
same "free space" "0 3" "$(for form in known all; do "$KITH" ls -q --csv --containers $form disk.raw 2>/dev/null | grep -c ',member,'; done | xargs)"

# A pattern is one for files; what is packed in a file goes with it.
"$KITH" add -q set.kith tree
"$KITH" scan -q --csv -r set.kith --include '*.zip' host 2>err | cut -d, -f5 | tr -d '\r' | sort -u >out
same "include" "$(printf '%s\n' 'a.zip/a.txt' 'a.zip/c d.txt' a.zip/sub/b.txt)" "$(grep -x 'a.zip/.*' out)"
! grep -q '^t\.t' out || fail "include: $(cat out)"
"$KITH" scan -q --csv -r set.kith --exclude '*.zip' host 2>err | cut -d, -f5 >out
! grep -q 'a.zip' out || fail "exclude: $(cat out)"

# An audit leaves containers closed, and then asks for no members; opened, these have the names that kith add gave them.
mkdir audited
cp host/a.zip audited
"$KITH" add -q full.kith audited
status 0 "$KITH" audit full.kith audited
says err "3 members of containers in the set not looked for (--containers)"
status 0 "$KITH" audit --all --csv --containers all full.kith audited
same "members match" "matched matched matched matched" "$(tail -n +2 out | cut -d, -f1 | tr -d '\r' | xargs)"
(cd tree && echo changed >>a.txt && zip -q -X ../audited/a.zip a.txt)
status 1 "$KITH" audit --csv --containers all full.kith audited
same "a changed member" "a.zip/a.txt" "$(awk -F, '$1 == "varied"' out | grep -o 'a.zip/a.txt' | head -n 1)"
same "missing" "$(printf '%s\n' 'a.txt of a.zip' a.zip)" "$(awk -F, '$1 == "missing" { print $5 }' out | sort)"

# Documents in containers cluster if these are opened; members of a file with two names are there once.
ln host/a.zip host/link.zip
rm host/t.* host/s.7z host/c.cpio host/one.*
status 0 "$KITH" cluster -q --csv host
! grep -q 'a.txt' out || fail "cluster: $(cat out)"
cp tree/sub/b.txt host
status 0 "$KITH" cluster -q --csv --containers all host
grep -q 'a.zip/sub/b.txt' out && grep -q ',b.txt' out && ! grep -q 'link.zip/' out || fail "cluster: $(cat out)"
# What unrelated documents have in common is left out.
mkdir -p doc/word letters
cp tree/sub/b.txt doc/word/styles.xml
for i in 1 3; do
    head -c $((i * 20000)) tree/a.txt | tail -c 20000 >doc/word/note.txt
    (cd doc && zip -q -X ../letters/$i.docx '[Content_Types].xml' word/* 2>/dev/null)
done
status 0 "$KITH" cluster --csv --containers all letters
same "boilerplate" "" "$(grep styles.xml out)"
says err "2 members of containers are left out, since unrelated documents have the same"
finish
