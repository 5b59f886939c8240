#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every scheme can cluster, by each way to find candidates that suits it; and says which limits it cannot measure.
. "$(dirname "$0")/lib.sh"

mkdir tree
for family in 1 2; do
    text $family 20000 >tree/$family-0
    sed '100s/^/an inserted passage /' tree/$family-0 >tree/$family-1
    sed '200s/^/another one here /; 300d' tree/$family-0 >tree/$family-2
done
text 3 20000 >tree/alone
: >tree/empty
printf x >tree/tiny

# groups: the names in each cluster of ./out
groups()
{
    python3 -c '
import json
lines = [json.loads(line) for line in open("out")]
print(*[" ".join(m["path"] for m in [c["representative"]] + c["members"]) for c in lines[:-1]], sep="; ")'
}
expected="1-0 1-1 1-2; 2-0 2-1 2-2"
for scheme in shingles min mod minmod nested minwise hamming bsw gf8; do
    status 0 "$KITH" cluster -q --json -s $scheme tree
    same "$scheme" "$expected" "$(groups)"
done
status 0 "$KITH" cluster -q --json -s coates2015 --edits 20% tree
same coates2015 "$expected" "$(groups)"
for scheme in min hamming; do
    status 0 "$KITH" cluster -q --json -s $scheme --method single -j 1 tree
    same "$scheme, single linkage" "$expected" "$(groups)"
    cp out one
    status 0 "$KITH" cluster -q --json -s $scheme --method single -j 5 tree
    cmp -s one out || fail "$scheme depends on the number of threads"
done
status 0 "$KITH" cluster -q --json -s chunks -C 50 --resemblance .3 tree
same chunks "$expected" "$(groups)"
# one bit a sample says little, but unrelated files do not become related
status 0 "$KITH" cluster -q --json -s coates2011 --edits 45% tree
same coates2011 "$expected" "$(groups)"
status 0 "$KITH" cluster -q --json -s mod --tokens words --canonical case,punctuation -C 4 --containment .8 tree
same "words" "$expected" "$(groups)"
for candidates in index hamming alg-h alg-g scan; do
    status 0 "$KITH" cluster -q --json --resemblance .8 --candidates $candidates tree
    same "gf8 by $candidates" "$expected" "$(groups)"
done
status 0 "$KITH" cluster -q --json -s hamming --size 64 --resemblance .8 --candidates alg-g tree
same "hamming by alg-g" "$expected" "$(groups)"
# 64 bits, r = 0.8: up to 6 bits differ
for m in 7 20 64; do
    status 0 "$KITH" cluster -q --json -s hamming --size 64 --resemblance .8 --candidates alg-h --groups $m tree
    same "hamming in $m groups" "$expected" "$(groups)"
    same "alg-h, $m" "alg-h $m" "$(python3 -c 'import json; s = json.loads(list(open("out"))[-1])["summary"]; print(s["candidates"], s["groups"])')"
done
status 0 "$KITH" cluster --format text -s hamming --size 64 --resemblance .8 tree
says out "pairs by scan of fingerprints of 64 bits, up to 6 of which differ"

# what a scheme cannot measure is empty
status 0 "$KITH" cluster -q --csv -s min tree
same "min: resemblance only" "" "$(tail -n +2 out | cut -d, -f9-13 | tr -d ',\r\n')"
status 0 "$KITH" cluster -q --csv -s coates2015 --edits 20% tree
same "coates: edits only" 0 "$(tail -n +2 out | awk -F, '$8 != "" || $9 != "" || ($2 == "similar" && $11 == "")' | wc -l)"
status 0 "$KITH" cluster --format text -s nested tree
says out "1 file has too few samples to be compared"
says out "1 empty file is left out"
mkdir few
yes abcdefghij | head -c 20000 >few/one
yes abcdefghij | head -c 19000 >few/two
status 0 "$KITH" cluster --format text -s mod few
says out "2 files have too few samples to be compared"

# refused TEXT OPTION...
refused()
{
    local text=$1
    shift
    status 2 "$KITH" cluster "$@" tree
    says err "$text"
}
refused "scheme min does not estimate containment" -s min --containment .5
refused "scheme chunks gives no interval, which --certain needs" -s chunks --certain
refused "scheme coates2015 gives no interval" -s coates2015 --edits 5 --certain
refused "scheme hamming does not estimate containment" -s hamming --containment .5
refused "scheme mod does not estimate edits" -s mod --edits 5
refused "scheme coates2011 does not estimate resemblance, only edits" -s coates2011 --resemblance .5
refused "scheme hamming has no index: --candidates takes hamming, alg-h, alg-g or scan" -s hamming --candidates index
refused "--candidates alg-h needs a limit of resemblance" --edits 5 --candidates alg-h
refused "--common has no meaning for --candidates alg-h" --candidates alg-h --common 5
refused "differ in 6 bits may differ in all of 6 groups: more than 6 groups are needed" -s hamming --size 64 --resemblance .8 --groups 6
refused "65 groups of 64 bits" -s hamming --size 64 --resemblance .8 --groups 65
refused "alg.G would need" --resemblance .5 --candidates alg-g --groups 150
refused "--groups has no meaning for --candidates index" --groups 5
refused "--groups has no meaning for --candidates scan" --groups 5 --resemblance .8 --candidates scan
refused "fingerprints of 1 bit do not separate a resemblance of 0.5 from none: --size must be at least 64" -s hamming --size 1
refused "fingerprints of 24 bits do not separate a resemblance of 0.8 from none: --size must be at least 25" -s hamming --size 24 --resemblance .8
refused "can be clustered up to --size 65535" -s hamming --size 70000
refused "scheme coates2011 estimates only edits: limit them (--edits)" -s coates2011
refused "--plagiarism needs scheme gf8" -s mod --plagiarism
refused "scheme min does not use --rate" -s min -C 5
refused "unknown scheme 'mid' (did you mean min?)" -s mid
refused "unknown algorithm 'alg-x'" --candidates alg-x
mkdir large
python3 -c 'import random; print(random.Random(1).randbytes(1 << 20).hex())' >large/one
cp tree/1-0 large
status 3 "$KITH" cluster --format text -s shingles large
says err "one: left out: its sketch is too large, "
says out "1 file is too large for the scheme"
mkdir zeros
head -c 2000000 /dev/zero >zeros/one
cp tree/1-0 zeros
status 3 "$KITH" cluster -s coates2015 --edits 10 zeros
says err "one: left out: its sketch is too large, 1999992 values: "
status 3 "$KITH" cluster -s shingles large/one
says err "nothing to cluster: none of the files could be read and sampled"
status 3 "$KITH" cluster -q -s hamming --candidates alg-g --resemblance .5 nowhere
status 0 "$KITH" add -q tree.kith tree
status 2 "$KITH" cluster -s min tree.kith
says err "tree.kith: a reference set has records of scheme gf8; for scheme min give its files"
finish
