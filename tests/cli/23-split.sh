#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith sign --split: signatures of the blocks of a large file, in which kith compare finds a document.
. "$(dirname "$0")/lib.sh"

text 1 4096 >document
text 2 200000 >host
{ head -c 70001 host; cat document; tail -c +74098 host; } >planted
same "the document replaces as many bytes" 200000 "$(stat -c %s planted)"

# split SIZE FILE OPTIONS...: the records of its blocks
split_file()
{
    local size=$1 file=$2
    shift 2
    "$KITH" sign -s coates2015 -C 16 --split "$size" "$@" "$file"
}

# each block has the record that its bytes have as a file; of 262,144 bytes read at once, the last block lacks one
cat planted host >long
while read -r size file; do
    split_file "$size" "$file" >blocks
    mkdir -p parts && rm -f parts/*
    split -b "$size" -a 4 -d "$file" parts/
    "$KITH" sign -s coates2015 -C 16 parts | cut -d: -f1-11 >wanted
    cut -d: -f1-11 blocks | cmp - wanted || fail "blocks of $size bytes"
    awk -F: -v file="$file" -v at=0 '{ print file "@" at; at += $6 }' blocks >names
    cut -d: -f12 blocks | cmp - names || fail "names of blocks of $size bytes"
done <<'END'
64 planted
1000 planted
4096 planted
200000 planted
300000 planted
52429 long
END
split_file 2048 planted --json | python3 -c '
import json, sys
blocks = [json.loads(line) for line in sys.stdin]
assert [b["path"] for b in blocks] == ["planted@%d" % at for at in range(0, 200000, 2048)]
assert sum(b["size"] for b in blocks) == 200000' || fail "JSON"
: >empty
same "an empty file has one block" "0 empty@0" "$(split_file 64 empty | cut -d: -f6,12 | tr : ' ')"
for i in 1 2 3 4; do cp planted "parts/$i"; done
split_file 2048 parts -j 1 >one
split_file 2048 parts -j 3 | cmp - one || fail "threads change the blocks"

# the block that has most of the document, by cutting and a plain edit distance
split_file 2048 planted >blocks
split_file 2048 host >others
"$KITH" sign -s coates2015 -C 16 document >record
status 0 "$KITH" compare --json blocks document
cp out json
same "the block" "71680 73728 False" "$(json json '"{start} {end} {identical}".format(**d["block"])')"
same "the whole" "planted 200000 98" "$(json json '"{path} {size} {blocks}".format(**d)')"
python3 - >twin <<'PY'
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for k, y in enumerate(b, 1):
            corner, row[k] = row[k], min(corner + (x != y), row[k] + 1, row[k - 1] + 1)
    return row[-1]

document = open("record").read().split(":")[8]
agreeing = []
for line in open("blocks"):
    signature = line.split(":")[8]
    agreeing.append(max(len(signature), len(document)) - distance(signature, document))
best = agreeing.index(max(agreeing))
print(best * 2048, agreeing[best], max(n for i, n in enumerate(agreeing) if abs(i - best) > 1))
PY
same "by a plain distance" "$(cat twin)" "$(json json '"{start} {agreeing} {agreeing_elsewhere}".format(**d["block"])')"
same "most of the block agrees" True "$(json json 'd["block"]["agreeing"] > 2 * d["block"]["agreeing_elsewhere"]')"
status 0 "$KITH" compare blocks record
says out "  best block   bytes 71680 to 73728 of A"
says out "   200000 bytes in 98 blocks"
"$KITH" compare document - <blocks >out || fail "blocks on standard input"
says out "  best block   bytes 71680 to 73728 of B"
status 0 "$KITH" compare --json others document
same "nothing stands out" True "$(json out 'd["block"]["agreeing"] < 1.5 * d["block"]["agreeing_elsewhere"]')"
dd if=planted of=part bs=2048 skip=50 count=1 status=none
status 0 "$KITH" compare blocks part
says out "  best block   bytes 102400 to 104448 of A, identical to B by SHA-1"
says out "undecided: "
status 0 "$KITH" compare --papers --json blocks document
same "the papers' figures of the block" "$(json json 'd["block"]["signature"]')" "$(json out 'd["papers"]["signature"]')"
status 0 "$KITH" compare --time 1 blocks document
status 0 "$KITH" compare blocks empty
says out 'too-small: '

# blocks with which nothing agrees, and one that is the document though no character says so
"$KITH" sign -s coates2015 -C 100000 --split 64 planted >few
same "few characters" 0 "$(cut -d: -f8 few | sort -n | tail -1)"
dd if=planted of=part bs=64 skip=70 count=1 status=none
status 0 "$KITH" compare few part
says out "  best block   bytes 4480 to 4544 of A, identical to B by SHA-1"
status 0 "$KITH" compare few document
says out "  best block   none: no character of any block's signature agrees"
status 0 "$KITH" compare --papers --json few document
says out '"block":{"agreeing":0}}'
status 0 "$KITH" compare blocks empty
says out "  best block   none: "
# of two blocks that agree as much, the identical one
{ head -c 2048 document; printf x; tail -c +2050 document | head -c 2047; } >twice
split_file 2048 twice >two
tail -c 2048 twice >part
status 0 "$KITH" compare two part
says out "  best block   bytes 2048 to 4096 of A, identical to B by SHA-1"

# errors
# wrong TEXT COMMAND...
wrong()
{
    local text=$1
    shift
    status 2 "$@"
    says err "$text"
    same "output of '$*'" "" "$(cat out)"
}
wrong "scheme gf8 does not use --split" "$KITH" sign --split 2048 planted
wrong "scheme min does not use --split" "$KITH" sign -s min --split 2048 planted
wrong "--split takes a number from 64 to 1073741824, not '63'" "$KITH" sign -s coates2011 --split 63 planted
wrong "both hold blocks" "$KITH" compare blocks others
wrong "--time is an option of --exact" "$KITH" compare --time 1 planted document
{ head -1 blocks; tail -1 blocks; } >gap
wrong "gap: holds more than one record" "$KITH" compare gap document
{ head -1 blocks; sed -n '2s/planted@/planted2@/p' blocks; } >mixed
wrong "mixed: line 2: is no block of the same file" "$KITH" compare mixed document
{ head -1 blocks; "$KITH" sign -s coates2015 -C 17 --split 2048 planted | sed -n 2p; } >mixed
wrong "mixed: line 2: is no block of the same file" "$KITH" compare mixed document
{ head -1 blocks; sed -n '2s/coates2015/coates2016/p' blocks; } >mixed
wrong "mixed: line 2: field 2 (scheme) is unknown: 'coates2016' (--raw treats it as content)" "$KITH" compare mixed document
"$KITH" sign -s min document >min.sketch
wrong "the sketches differ in their scheme" "$KITH" compare blocks min.sketch
status 3 "$KITH" sign -s coates2015 --split 2048 nothing planted
same "the other file has its blocks" 98 "$(wc -l <out)"
finish
