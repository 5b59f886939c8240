#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A thinned set keeps one record of each cluster, every digest and every name, and states what it no longer finds.
. "$(dirname "$0")/lib.sh"

mkdir tree seen
for family in 1 2 3; do
    text $family 30000 >whole
    for version in 0 1 2 3; do
        { head -c $((version * 5000)) whole; echo "version $version"; tail -c +$((version * 5000 + 60)) whole; } >tree/$family-$version
    done
    # one that the set does not have, closest to version 3
    sed 's/version 3/another/' tree/$family-3 >seen/$family
done
text 9 5000 >tree/alone
cp tree/1-2 tree/copy
status 0 "$KITH" add -q all.kith tree
printf 'sha1,name\n%040d,hashed\n' 7 >list
status 0 "$KITH" import -q all.kith list

status 0 "$KITH" cluster -q --json all.kith
removed=$(python3 -c '
import json
print(sum(len(json.loads(line).get("members", [])) for line in open("out")))')
same "similar versions" 9 "$removed"

status 0 "$KITH" sets thin --json all.kith
same "what it would lose" "13 9 9 9 9" "$(json out '"%d %d %d %d %d" % (d["records"], d["removed"], d["whole"]["tried"], d["whole"]["found"], d["whole"]["found_after"])')"
same "of each removed record" "9 {'1-0', '2-0', '3-0'}" "$(json out '"%d %s" % (len(d["thinned"]), "{%s}" % str(sorted({f["representative"] for f in d["thinned"]}))[1:-1])')"
cat >blocks.py <<'PY'
import hashlib, json
def blocks(name):
    data = open('tree/' + name, 'rb').read()
    return [hashlib.sha1(data[at:at + 4096]).digest() for at in range(0, len(data), 4096)]
d = json.load(open('out'))
removed = [f['name'] for f in d['thinned']]
kept = set(b for name in ('1-0', '2-0', '3-0', 'alone') for b in blocks(name))
lost = [b for name in removed for b in blocks(name)]
print(len(lost), sum(b in kept for b in lost), d['blocks'], d['blocks_after'])
PY
read -r blocks there found found_there <<<"$(python3 blocks.py)"
rm blocks.py
same "blocks" "$blocks $there" "$found $found_there"
[[ $there -gt 0 && $there -lt $blocks ]] || fail "all or no blocks are lost: $there of $blocks"
[ "$(json out 'd["covered"] > .9')" = True ] || fail "few samples remain: $(cat out)"
[ "$(json out 'd["size_after"] < d["size"]')" = True ] || fail "the set would not become smaller"
mv out report
# shellcheck disable=SC2012
same "files left over" "all.kith list report seen tree whole" "$(ls -m -I out -I err | tr -d ,)"

status 0 "$KITH" sets thin --json -o thin.kith all.kith
same "the report without a new set" "$(cat report)" "$(cat out)"
status 0 "$KITH" sets verify -q thin.kith
status 0 "$KITH" sets info --json thin.kith
same "files, records" "14 4" "$(json out '"%d %d" % (d["files"], d["records"])')"
for set in all thin; do
    "$KITH" sets info $set.kith >$set.info
    "$KITH" export --sha1sum $set.kith | sort >$set.sums
    "$KITH" scan -q --csv -r $set.kith tree | cut -d, -f4- >/dev/null
    "$KITH" scan -q --csv -r $set.kith tree >$set.scan
    "$KITH" scan -q --csv -r $set.kith seen >$set.seen
done
cmp -s all.sums thin.sums || fail "digests or names are missing: $(diff all.sums thin.sums | head -3)"
grep 'further name' all.info thin.info >names
same "further names" 1 "$(grep -o '[0-9]* further name' names | sort -u | wc -l)"
# column NAME FILE
column()
{
    python3 -c 'import csv, sys; print(*[row[sys.argv[1]] for row in csv.DictReader(open(sys.argv[2], newline=""))])' "$@"
}
same "files of the set" "$(column verdict all.scan)" "$(column verdict thin.scan)"
same "all identical" 14 "$(column verdict thin.scan | tr ' ' '\n' | grep -c '^identical$')"
same "other versions, with all records" "variant variant variant" "$(column verdict all.seen)"
same "other versions, with representatives" "variant variant variant" "$(column verdict thin.seen)"
same "the representatives" "1-0 2-0 3-0" "$(column ref_name thin.seen)"

# text: a sentence for each figure
status 0 "$KITH" sets thin all.kith
says out "all.kith: 13 files with a record; 4 keep it, 9 similar to one of these become hash-only"
says out "digests of their blocks that a kept record has: $there of $blocks "
says out "9 of 9 before (70.1 to 100.0 %), 9 after (70.1 to 100.0 %)"
status 0 "$KITH" sets thin --csv all.kith
same "thinned to" "$(json report '" ".join(f["name"] + ">" + f["representative"] for f in d["thinned"])')" \
    "$(python3 -c 'import csv; print(*[r["name"] + ">" + r["representative"] for r in csv.DictReader(open("out", newline=""))])')"
same "its digest" "$(sha1sum <tree/1-0 | cut -c-40)" "$(awk -F, '$5 == "1-0" { print $7; exit }' out)"
status 0 "$KITH" sets thin -q all.kith
same "quiet" "" "$(cat out err)"
rm -rf one && mkdir one && cp tree/alone one
status 0 "$KITH" add -q one.kith one
status 0 "$KITH" sets thin one.kith
says out "one.kith: 1 file with a record; 1 keeps it, 0 similar to one of these become hash-only"
says out "nothing to thin: no record is that much like another"
says out "the new set is not smaller than the old one"
status 0 "$KITH" import -q hashes.kith list
status 0 "$KITH" sets thin hashes.kith
says out "nothing to thin: no file has a record"
rm hashes.kith
status 0 "$KITH" sets thin all.kith

# what only the removed files have is lost, and that is stated: the end of each version is its own
mkdir own
for family in 1 2 3 4; do
    text $family 60000 >whole
    for version in 0 1 2; do
        { head -c 46000 whole; text $((family * 10 + version)) 14000; } >own/$family-$version
        [ $version = 0 ] || { text $((family + 500)) 20000; text $((family * 10 + version)) 14000 | head -c 5000 | tail -c 4500; } >seen/own-$family-$version
    done
done
rm seen/[123]
status 0 "$KITH" add -q own.kith own
status 0 "$KITH" sets thin --json own.kith
same "they keep their records" "0 8" "$(json out '"%d %d" % (d["removed"], d["kept_for_own_content"])')"
status 0 "$KITH" sets thin own.kith
says out "8 similar files keep it because of their own content"
status 0 "$KITH" sets thin --json --covered .5 -o few.kith own.kith
same "removed" 8 "$(json out 'd["removed"]')"
[ "$(json out '.6 < d["covered"] < .85 and all(.6 < f["covered"] < .85 for f in d["thinned"])')" = True ] || fail "covered: $(cat out)"
same "whole files" "8 8" "$(json out '"%d %d" % (d["whole"]["found"], d["whole"]["found_after"])')"
same "pieces of 4 KiB before" 8 "$(json out 'd["pieces_4k"]["found"]')"
[ "$(json out 'd["pieces_4k"]["found_after"] < 8')" = True ] || fail "no piece is lost: $(cat out)"
for set in own few; do
    "$KITH" scan -q --csv -r $set.kith seen >$set.seen
done
same "passages of their own, before and after" "8 0" "$(($(wc -l <own.seen) - 1)) $(($(wc -l <few.seen) - 1))"

# a lower limit removes more
status 2 "$KITH" sets merge --covered 0.5 -o x.kith all.kith
says err "--covered has no meaning for merge"
status 0 "$KITH" sets thin --resemblance 0.01 --json all.kith
[ "$(json out 'd["removed"]')" -ge 9 ] || fail "a lower limit removes fewer records"

status 2 "$KITH" sets thin -o thin.kith all.kith
says err "thin.kith: File exists"
status 2 "$KITH" sets thin all.kith thin.kith
says err "thin takes one set"
status 2 "$KITH" sets thin --resemblance 2 all.kith
says err "--resemblance takes a number from 0 to 1, not '2'"
status 2 "$KITH" sets thin -C 512 all.kith
says err "--rate has no meaning for thin"
status 2 "$KITH" sets merge --resemblance 0.5 -o x.kith all.kith
says err "--resemblance has no meaning for merge"
status 2 "$KITH" sets thin tree
says err "tree: is a folder, not a reference set"
finish
