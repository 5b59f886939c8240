#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An index of fingerprints that is kept: what is added, queried and removed in several runs is what brute force finds.
. "$(dirname "$0")/lib.sh"

mkdir a b c
for family in 1 2 3 4; do
    text $family 12000 >a/$family-0
    sed '60s/^/an inserted passage /' a/$family-0 >a/$family-1
    sed '30s/^/another one /; 90d' a/$family-0 >b/$family-2
    sed '10,40d' a/$family-0 >c/$family-3
done
cp a/1-0 b/copy
cp b/2-2 c/same
text 9 12000 >b/alone
printf x >b/tiny
: >b/empty

# Pairs of a new file and one before it, by the fingerprints that kith sign prints; with ++ instead of --, queries: new files
# are not added, and those that are identical to an old one are also near others.
cat >brute.py <<'PY'
import json, os, subprocess, sys
limit, names = float(sys.argv[1]), sys.argv[2:]
query = '++' in names
split = names.index('++' if query else '--')
old, new = names[:split], names[split + 1:]
bits, first = {}, {}
for name in old + new:
    sketch = json.loads(subprocess.run([os.environ['KITH'], 'sign', '-s', 'hamming', '--json', name], capture_output=True).stdout)
    bits[name] = sketch['sha1'], int(''.join(reversed(sketch['values'])), 16)
seen = []
for name in old + new:
    here = os.path.abspath(name)
    same = [s for s in seen if bits[s][0] == bits[name][0]]
    if name in new and same:
        print(here, 'identical', os.path.abspath(same[0]), '1.0000')
    if name in new and (query or not same):
        for s in (old if query else seen):
            r = 1 - 2 * bin(bits[s][1] ^ bits[name][1]).count('1') / 400
            if r >= limit and bits[s][0] != bits[name][0] and not [t for t in seen[:seen.index(s)] if bits[t][0] == bits[s][0]]:
                print(here, 'similar', os.path.abspath(s), '%.4f' % r)
    if not query or name in old:
        seen.append(name)
PY
pairs()
{
    tr -d '\r' <out | tail -n +2 | awk -F, '{ print $1, $6, $7, $12 }' | sort
}
# brute RESEMBLANCE OLD.. -- NEW..
brute()
{
    python3 brute.py "$@" | sort
}

for way in alg-h scan hamming; do
    rm -f index
    status 0 "$KITH" cluster --index index --resemblance .7 --candidates $way --csv -q a
    same "a by $way" "$(brute .7 -- a/*)" "$(pairs)"
    status 0 "$KITH" cluster --index index --resemblance .7 --candidates $way --csv -q b
    same "b by $way" "$(brute .7 a/* -- b/[!et]*)" "$(pairs)"
    status 0 "$KITH" cluster --index index --resemblance .7 --candidates $way --csv -q a b
    same "nothing new by $way" "" "$(pairs)"
    cp index before
    status 0 "$KITH" cluster --index index --resemblance .7 --candidates $way --csv -q --query c
    same "c by $way" "$(brute .7 a/* b/[!et]* ++ c/*)" "$(pairs)"
    cmp -s index before || fail "a query changed the index"
done
[ "$(pairs | wc -l)" -gt 4 ] || fail "few pairs of c: $(cat out)"

# of a family only the nearest, and who has more is counted
status 0 "$KITH" cluster --index index --resemblance .7 --csv --query c
mv out all
status 0 "$KITH" cluster --index index --resemblance .7 --csv --most 2 --query c
same "the two nearest of each" "$(tr -d '\r' <all | awk -F, '$6 != "similar" || ++seen[$1] <= 2')" "$(tr -d '\r' <out)"
more=$(tr -d '\r' <all | awk -F, '$6 == "similar" && ++seen[$1] == 3' | wc -l)
says err "$more files near more than --most allows; only the nearest are listed"
status 0 "$KITH" cluster --index index --resemblance .7 --csv --most 0 --query c
cmp -s out all || fail "--most 0 does not list all"

# summaries
status 0 "$KITH" cluster --index index --json b
same "known" "7 0 6 1 1 0 14" "$(python3 -c '
import json
s = json.loads(list(open("out"))[-1])["summary"]
print(s["files"], s["added"], s["known"], s["too_few_samples"], s["empty"], s["pairs"], s["index_files"])')"
status 0 "$KITH" cluster --index index --format text --resemblance .7 --query c
says out "5 files, 0 added"
says out "the index has 14 files, 13 different; 400 bits in "

# all files of the index, by any number of groups, from any folder
status 0 "$KITH" cluster --index index --resemblance .7 --method single --json -q
same "clusters" "$(for f in 1 2 3 4; do echo "$PWD/a/$f-0 $PWD/a/$f-1 $PWD/b/$f-2$([ $f -ne 1 ] || echo " $PWD/b/copy")"; done)" "$(python3 -c '
import json
for line in list(open("out"))[:-1]:
    c = json.loads(line)
    print(*sorted(m["path"] for m in [c["representative"]] + c["members"]))')"
cp out whole
for m in 75 400; do
    status 0 "$KITH" cluster --index index --resemblance .7 --method single --json -q --groups $m
    same "$m groups" "$(head -n -1 whole)" "$(head -n -1 out)"
    (cd a && status 0 "$KITH" cluster --index ../index --resemblance .7 --candidates alg-h --json --query ../c)
    same "groups are kept" $m "$(python3 -c 'import json; print(json.loads(list(open("a/out"))[-1])["summary"]["groups"])')"
    rm a/out a/err
done
status 2 "$KITH" cluster --index index --resemblance .5 --query c --groups 75
says err "--groups has no meaning with --index and --query"
status 0 "$KITH" cluster --index index -q --groups 75 --resemblance .7
status 0 "$KITH" cluster --index index --resemblance .5 --query c
says err "by scan"
status 2 "$KITH" cluster --index index --resemblance .5 --candidates alg-h --query c
says err "differ in 100 bits may differ in all of 75 groups: more than 100 groups are needed"

# removing
rm -r b
status 0 "$KITH" cluster --index index --drop b a/1-0
says out "b: 6 files removed"
says out "a/1-0: 1 file removed"
status 0 "$KITH" cluster --index index --resemblance .7 --candidates alg-h --csv -q --query c
same "after removal" "$(brute .7 a/[!1]* a/1-1 ++ c/*)" "$(pairs)"
status 3 "$KITH" cluster --index index --drop b
says err "b: no file of the index has this path or lies below it"
status 0 "$KITH" cluster --index index --resemblance .7 --csv -q c
same "after adding" "$(brute .7 a/1-1 a/[!1]* -- c/*)" "$(pairs)"

# a file has the path of a file, by itself and in a folder of its name
mkdir -p name/sub
cp a/2-0 name/name
cp a/3-0 name/sub/name
cp a/2-1 own
rm -f paths
status 0 "$KITH" cluster --index paths -q name own a/3-1
status 0 "$KITH" cluster --index paths --json -q
same "paths" "$PWD/a/3-1 $PWD/name/name $PWD/name/sub/name $PWD/own" "$(python3 -c '
import json
print(*sorted(m["path"] for c in map(json.loads, list(open("out"))[:-1]) for m in [c["representative"]] + c["members"]))')"
status 0 "$KITH" cluster --index paths --drop name/name own a/3-1
says out "a/3-1: 1 file removed"
cd name || exit 99
status 0 "$KITH" cluster --index ../paths --drop sub/../sub/name
rm out err
cd ..
status 3 "$KITH" cluster --index paths

ln a/2-0 linked
rm -f links
status 0 "$KITH" cluster --index links --format text a linked
says out "1 file left out: hard-linked to another"
status 0 "$KITH" cluster --index links --json a linked
same "links in the summary" 1 "$(python3 -c 'import json; print(json.loads(list(open("out"))[-1])["summary"]["links"])')"

# an index whose checksums are right, but not its values
cp index tampered
python3 "$SRCDIR/tests/data/tamper.py" tampered "UPDATE documents SET kind = 77" || fail "it cannot be changed"
for arguments in "" "--query c" "c"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" cluster --index tampered --csv $arguments
    says err "tampered: is damaged: a document of kind 77"
done
status 2 "$KITH" cluster --index index --resemblance .1 --query c
says err "fingerprints of 400 bits do not separate a resemblance of 0.1 from none: --resemblance must be at least 0.2"
status 2 "$KITH" cluster index
says err "index: is an index of fingerprints, not evidence; kith cluster --index index lists what is alike in it"

# a wrong file, or wrong options
printf 'some text' >text.txt
status 2 "$KITH" cluster --index text.txt a
says err "text.txt: is not a file of fingerprints"
same "left alone" "some text" "$(cat text.txt)"
status 0 "$KITH" add -q a.kith a
status 2 "$KITH" cluster --index a.kith c
says err "a.kith: is not a file of fingerprints"
cp index damaged
printf '\001' | dd of=damaged bs=1 seek=9000 conv=notrunc status=none
status 2 "$KITH" cluster --index damaged --query c
says err "damaged"
status 2 "$KITH" cluster --index missing --query c
says err "missing: no such file of fingerprints"
[ ! -e missing ] || fail "a query made an index"
status 2 "$KITH" cluster --index missing --drop c
status 2 "$KITH" cluster --index missing
mkdir small
printf x >small/tiny
for path in nowhere small; do
    status 3 "$KITH" cluster --index missing -q $path
    says err "missing: was not created, since nothing could be added"
    [ ! -e missing ] || fail "an empty index was created"
done
# refused TEXT OPTION...
refused()
{
    local text=$1
    shift
    status 2 "$KITH" cluster "$@"
    says err "$text"
}
refused "--query needs --index" --query a
refused "--drop needs --index" --drop a
refused "--query: no files given" --index index --query
refused "--containment has no meaning with --index" --index index --containment .5 a
refused "--method has no meaning with --index and files" --index index --method single a
refused "--most has no meaning with --index and --drop" --index index --most 5 --drop a
refused "--most has no meaning with --index" --index index --most 5
refused "--size has no meaning with --index and --drop" --index index --size 5 --drop a
refused "scheme hamming, no others" --index index -s min a
refused "has fingerprints with other parameters" --index index --size 64 a
refused "alg-g has no index that is kept" --index index --candidates alg-g --resemblance .99 a
refused "more than 100 groups are needed" --index new --groups 100 a
refused "lies in" --index a/new a
[ ! -e new ] || fail "an index remains after an error"
status 0 "$KITH" cluster --index index -s hamming --size 400 --resemblance .7 -q --query a
finish
