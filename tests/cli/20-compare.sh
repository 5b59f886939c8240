#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith compare: the verdicts on files whose relation is known by construction.
. "$(dirname "$0")/lib.sh"

text 1 60000 >a
text 2 60000 >other
{ head -c 20000 a; text 3 700; tail -c 40000 a; } >inserted
python3 -c '
import random
r, d = random.Random(5), bytearray(open("a", "rb").read())
for i in r.sample(range(len(d)), 300):
    d[i] = d[i] % 26 + 97 if d[i] % 26 + 97 != d[i] else 65
open("edited", "wb").write(d)'
{ text 4 400000; cat a; text 5 300001; } >host
{ text 6 50000; head -c 30000 a | tail -c 9000; text 7 50000; } >partly
{ tail -c 30000 a; head -c 30000 a; } >swapped
truncate -s 100000 zeros
printf 'short' >tiny
printf 'short!' >tiny2

# compare FILE FILE: JSON to ./json
compare()
{
    "$KITH" compare --json "$@" >json || fail "compare $*: exit $?"
}

compare a a
same "the same file" "identical sha1 0 0 0 1.0" \
    "$(json json '"%s %s %d %d %d %s" % (d["verdict"], d["proof"], d["edits"], d["edits_low"], d["edits_high"], d["resemblance"])')"
cp a copy
compare a copy
same "a copy" "identical $(sha1sum <a | cut -c1-40) 60000" "$(json json '"%s %s %d" % (d["verdict"], d["ref_sha1"], d["matched"])')"

compare a inserted
same "700 bytes inserted" "variant True True" \
    "$(json json '"%s %s %s" % (d["verdict"], abs(d["edits"] - 700) < 20, d["edits_low"] <= 700 <= d["edits_high"])')"
same "ranges on both sides of the insertion" "[0, 700] True True" "$(json json \
    'str([r["ref_start"] - r["obj_start"] for r in d["ranges"] if r["obj_end"] - r["obj_start"] > 9000]) + " %s %s" % (
        abs(max(r["obj_start"] for r in d["ranges"]) - 20000) < 200, d["matched"] > 59000)')"
compare a edited
same "300 bytes changed" "variant True True" \
    "$(json json '"%s %s %s" % (d["verdict"], 150 < d["edits"] < 450, d["edits_low"] <= 300 <= d["edits_high"])')"

compare host a
same "A contains B" "embedded ref True True" \
    "$(json json '"%s %s %s %s" % (d["verdict"], d["embedded"], d["containment"] > .97, d["containment_reverse"] < .2)')"
same "where" "400000" "$(json json 'max((r["obj_end"] - r["obj_start"], r["obj_start"] - r["ref_start"]) for r in d["ranges"])[1]')"
compare a host
same "B contains A" "embedded obj" "$(json json 'd["verdict"] + " " + d["embedded"]')"
compare partly a
same "a part" "fragment 29000" \
    "$(json json 'd["verdict"] + " %d" % max((r["obj_end"] - r["obj_start"], r["obj_start"] - r["ref_start"]) for r in d["ranges"])[1]')"
same "about 9000 bytes of it" True "$(json json '8500 < d["matched"] < 9500')"
compare a swapped
same "halves swapped" "variant True 2" \
    "$(json json '"%s %s %d" % (d["verdict"], d["matched"] > 57000, len([r for r in d["ranges"] if r["obj_end"] - r["obj_start"] > 20000]))')"
compare a other
same "unrelated" "none [] 0.0" "$(json json '"%s %s %s" % (d["verdict"], d["ranges"], d["containment"])')"
compare tiny tiny2
same "too small" "too-small False" "$(json json 'd["verdict"] + " " + str("edits" in d)')"
# repetitive content: the same except for one byte, and one of many copies
python3 -c '
import random
block = random.Random(5).randbytes(4096)
x = bytearray(block * 40)
open("repeats", "wb").write(x)
x[100] ^= 1
open("repeats-edited", "wb").write(x)
open("copies", "wb").write((open("a", "rb").read() + bytes(512)) * 40)'
compare repeats repeats-edited
same "repeated content" "variant True" "$(json json 'd["verdict"] + " " + str(d["edits_low"] <= 1 <= d["edits_high"])')"
compare copies a
same "one of many copies" "embedded ref" "$(json json 'd["verdict"] + " " + d["embedded"]')"
tr a-z A-Z <a >capitals
compare a capitals
same "the same in capitals is not a version" True "$(json json 'd["verdict"] in ("none", "fragment")')"
compare a zeros
same "low entropy" low-entropy "$(json json 'd["verdict"]')"

# the true distance, by plain dynamic programming
distance='
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, c in enumerate(a):
        new = [i + 1]
        for j, e in enumerate(b):
            new.append(min(row[j] + (c != e), row[j + 1] + 1, new[j] + 1))
        row = new
    return row[-1]
'
head -c 3000 a >x
{ head -c 1000 a; text 8 90; tail -c +1031 a | head -c 1900; } >y
compare -x x y
same "exact" "$(python3 -c "$distance"'
print(distance(open("x", "rb").read(), open("y", "rb").read()))')" "$(json json 'd["edits_exact"]')"
head -c 3000000 /dev/urandom >noise1
head -c 3000000 /dev/urandom >noise2
compare -x -t 1 noise1 noise2
same "exact with too little time" "None True" "$(json json 'str(d["edits_exact"]) + " " + str(d["edits_exact_more_than"] >= 1024)')"

# records: of the same file, of another density, from standard input, mixed with files
"$KITH" sign -C 32 inserted >inserted.record
"$KITH" sign -C 32 a >a.record
"$KITH" compare --json -C 32 a inserted >of-files
# JSON except for the files that records were read from
json_of_contents()
{
    "$KITH" compare --json "$@" | sed -E 's/"(ref_)?record":"[^"]*",//g'
}
json_of_contents a.record inserted.record >of-records
cmp of-files of-records || fail "records and files give different answers"
json_of_contents - inserted <a.record >mixed
cmp of-files mixed || fail "a record on standard input and a file give different answers"
"$KITH" sign -C 8 a >dense.record
json_of_contents dense.record inserted.record >reduced
cmp of-files reduced || fail "a denser record is not reduced to the same"
compare a.record inserted
same "where a record was read from" a.record "$(json json 'd["record"]')"
compare --raw a.record a
same "a record taken as content" "$(stat -c %s a.record)" "$(json json 'd["size"]')"

# the papers' figures, by their formulas over the records' signatures
"$KITH" sign -s coates2015 a >a2015
"$KITH" sign -s coates2015 inserted >inserted2015
compare -p a2015 inserted2015
same "papers" "$(python3 -c "$distance"'
a, b = (open(f).read().split(":")[8] for f in ("a2015", "inserted2015"))
ld, longer = distance(a, b), max(len(a), len(b))
print(len(a), len(b), ld, ld * 101, "%.4f" % (abs(.82 * longer - ld) / (.82 * longer)))')" \
    "$(json json '"{signature} {ref_signature} {distance} {edits_2011} {significance:.4f}".format(**d["papers"])')"
same "no verdict from the papers' schemes" undecided "$(json json 'd["verdict"]')"
# no figures from a few characters, no relation beyond E, no estimate without the difference of lengths
text 81 60 >few1
text 82 60 >few2
: >few3
for scheme in coates2011 coates2015; do
    for few in few2 few3; do
        "$KITH" compare -s $scheme -C 20 --papers few1 $few >out
        says out "no estimates: signatures so short are alike by chance"
        compare -s $scheme -C 20 --papers few1 $few
        same "$scheme: no figures of $few" "True False False" \
            "$(json json '"{too_short} %s %s".format(**d["papers"]) % ("edits_2015" in d["papers"], "significance" in d["papers"])')"
    done
    same "too small" too-small "$(json json 'd["verdict"]')"
done
text 83 300000 >long
"$KITH" compare -s coates2015 --papers long a >out
says out "no relation of the wholes: unrelated signatures of these lengths are "
says out "by their lengths at least $((300000 - $(stat -c %s a))) bytes"
grep -q significance out && fail "unrelated texts have a significance"
compare -s coates2015 --papers long a
same "unrelated" "True $((300000 - $(stat -c %s a)))" "$(json json '"{unrelated} {edits_least}".format(**d["papers"])')"
"$KITH" compare --papers a2015 inserted2015 >out
says out "significance $(compare -p a2015 inserted2015; json json '"%.3f" % d["papers"]["significance"]')"
"$KITH" compare -s coates2011 --papers a inserted >out
says out "no significance: E of unrelated bits must be measured (--factors)"

# human-readable text
"$KITH" compare host a >out
says out "embedded: A contains B, or nearly all of it"
says out "$(sha1sum <a | cut -c1-40)"
"$KITH" compare host host >out
says out "edits        no byte differs"
text 91 30000 >order1
{ tail -c +15001 order1; head -c 15000 order1; } >order2
"$KITH" compare order1 order2 >out
says out "edits        same content in another order; compared in place, about "
python3 -c 'd = open("order1", "rb").read(); open("order3", "wb").write(d[:999] + b"#" + d[1000:])'
"$KITH" compare order1 order3 >out
grep -qE '^  edits        (not identical; probably at most|about) [0-9,]+ bytes? differs?' out || fail "edits in words: $(cat out)"
script -qec "stty cols 100; TERM=xterm NO_COLOR=1 '$KITH' compare a inserted" /dev/null >terminal
says terminal "What matches"
grep -q '^  A A*B*' terminal || fail "no map on a terminal: $(cat terminal)"
# the map: common content has letters, in the number of cells it occupies
head -c 60000 /dev/urandom >half1
head -c 30000 half1 >half2
head -c 30000 /dev/urandom >>half2
script -qec "stty cols 78; TERM=dumb '$KITH' compare half1 half2" /dev/null >map
python3 - map <<'PY' || fail "the map does not show what is common: $(cat map)"
import re, sys
strips = re.findall(r'^  ([AB]) ([A-Za-z.]+)\r?$', open(sys.argv[1]).read(), re.M)
assert [s[0] for s in strips] == ['A', 'B']
for _, strip in strips:
    assert len(strip) == 72 and re.fullmatch('A{34,37}[a.]?[.]+', strip), strip
PY
grep -q "$(printf '\033')" terminal && fail "colours despite NO_COLOR"

# the map of files that share two parts in another order, against the definition, from the ranges: a cell has the letter of the
# range that has most of it, a capital if nine tenths of the cell lie in ranges
{ head -c 20000 a; head -c 9000 /dev/urandom; tail -c 20000 a; } >mapped1
{ head -c 5000 /dev/urandom; tail -c 20000 a; head -c 20000 a; head -c 31000 /dev/urandom; } >mapped2
compare mapped1 mapped2
script -qec "stty cols 78; TERM=dumb '$KITH' compare mapped1 mapped2" /dev/null >map
python3 - map json <<'PY' || fail "the map does not match the ranges: $(cat map)"
import json, re, sys
got = dict(re.findall(r'^  ([AB]) ([A-Za-z.]+)\r?$', open(sys.argv[1]).read(), re.M))
d = json.load(open(sys.argv[2]))
size = {'A': d['size'], 'B': d['ref_size']}
cell = max(size.values()) / 72
assert d['ranges'], d
for side, prefix in ('A', 'obj'), ('B', 'ref'):
    strip = ''
    while len(strip) * cell < size[side]:
        start, end = len(strip) * cell, min((len(strip) + 1) * cell, size[side])
        common = [max(0, min(r[prefix + '_end'], end) - max(r[prefix + '_start'], start)) for r in d['ranges']]
        best = common.index(max(common))
        full = sum(common) / (end - start) > 0.9
        strip += '.' if not any(common) else chr((ord('A') if full else ord('a')) + best % 26)
    assert got[side] == strip, (side, got[side], strip)
PY
script -qec "stty cols 78; TERM=xterm '$KITH' compare mapped1 mapped2" /dev/null >coloured
same "the map without its colours" "$(grep '^  [AB] ' map)" "$(sed 's/\x1b\[[0-9]*m//g' coloured | grep '^  [AB] ')"
grep -q "$(printf '\033')\[31m[Aa]" coloured || fail "no colours on a terminal"

# -n, -C and -k are those of kith sign
for options in '-n 16 -C 64' '-s coates2015 -n 11 -C 101 -k 3' '-s coates2011 -k 5'; do
    # shellcheck disable=SC2086
    compare -p $options a edited
    for name in a edited; do
        # shellcheck disable=SC2086
        "$KITH" sign $options "$name" >"$name.rec"
    done
    mv json direct
    compare -p a.rec edited.rec
    python3 - direct json "$options" <<'PY' || fail "compare $options: files and their records compare differently"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
words = sys.argv[3].split()
for letter, value in zip(words[::2], words[1::2]):
    name = {'-s': 'scheme', '-n': 'n', '-C': 'c', '-k': 'k'}[letter]
    assert str(a[name]) == value, (name, a[name])
for d in a, b:
    for name in 'record', 'ref_record':
        d.pop(name, None)
assert a == b, (a, b)
PY
done

# names that are not text are also given in hexadecimal
odd=$(printf 'od\377\nd')
cp a "$odd"
compare "$odd" edited
same "path_hex" "$(printf '%s' "$odd" | od -An -tx1 | tr -d ' \n') no" "$(json json 'd["path_hex"] + (" ref" if "ref_path_hex" in d else " no")')"
compare edited "$odd"
same "ref_path_hex" "$(printf '%s' "$odd" | od -An -tx1 | tr -d ' \n') no" "$(json json 'd["ref_path_hex"] + (" a" if "path_hex" in d else " no")')"
# ---- on a terminal ----

script -qec "stty cols 60; env NO_COLOR=1 '$KITH' compare a edited" /dev/null </dev/null | tr -d '\r' >shown
grep -q "^variant: " shown || fail "on a terminal: $(cat shown)"
grep -qE '^.{61,}' shown && fail "wider than the window: $(grep -E '^.{61,}' shown)"

finish
