#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Planted passages are found where they were planted, in the right direction, and the fullest containment comes first.
. "$(dirname "$0")/lib.sh"

mkdir tree
texts <<END
1 20000 source
2 30000 other
3 9000 own
4 25000 tree/alone
END
cp source other tree
# 8,000 bytes of one source and 6,000 of another in 9,000 of its own
{ head -c 4000 own; tail -c +5001 source | head -c 8000; tail -c +4001 own; tail -c +20001 other | head -c 6000; } >tree/thesis
head -c 12000 source >tree/whole # all of it is in the source
cp tree/alone tree/copy

# sorted_words: the words of standard input, in order
sorted_words()
{
    tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//'
}

cat >check.py <<'PY'
import csv, sys
rows = list(csv.DictReader(open('out', newline='')))
found = [(r['path'], r['in_path']) for r in rows]
print(*[a + '>' + b for a, b in found])
def near(a, b):
    return abs(a - b) <= 512
planted = {('whole', 'source'): [(0, 12000, 0, 12000)], ('source', 'whole'): [(0, 12000, 0, 12000)],
           ('thesis', 'source'): [(4000, 12000, 5000, 13000)], ('source', 'thesis'): [(5000, 13000, 4000, 12000)],
           ('thesis', 'other'): [(17000, 23000, 20000, 26000)], ('other', 'thesis'): [(20000, 26000, 17000, 23000)],
           ('copy', 'alone'): [(0, 25000, 0, 25000)], ('whole', 'thesis'): [(5000, 12000, 4000, 11000)], ('thesis', 'whole'): [(4000, 11000, 5000, 12000)]}
for r in rows:
    ranges = [tuple(map(int, range_.replace('@', '-').split('-'))) for range_ in r['ranges'].split()]
    expected = planted[r['path'], r['in_path']]
    if len(ranges) != len(expected) or not all(near(x, y) for a, b in zip(ranges, expected) for x, y in zip(a, b)):
        print('WRONG', r['path'], r['in_path'], ranges, expected)
    matched = sum(b - a for a, b, _, _ in expected)
    if abs(int(r['matched']) - matched) > 600 or abs(float(r['containment']) - matched / int(r['size'])) > .12:
        print('WRONG', r['path'], r['in_path'], r['matched'], r['containment'], matched)
    if any(a[1] > b[0] for a, b in zip(ranges, ranges[1:])):
        print('UNSORTED')
for r in rows:
    low, c, high = (float(r['containment' + end]) for end in ('_low', '', '_high'))
    truth = sum(b - a for a, b, _, _ in planted[r['path'], r['in_path']]) / int(r['size'])
    if not (low <= c <= high and low - .01 < truth < high + .01) or (r['path'] != 'copy' and high - low < .01):
        print('INTERVAL', r)
values = [min(float(r['containment']), int(r['matched']) / int(r['size'])) for r in rows]
if values != sorted(values, reverse=True):
    print('UNSORTED', values)
PY
status 0 "$KITH" cluster -q --csv --plagiarism --containment .15 tree
same "a verbatim copy comes first" "copy>alone" "$(python3 check.py | head -n 1 | cut -d ' ' -f 1)"
same "pairs" "copy>alone other>thesis source>thesis source>whole thesis>other thesis>source thesis>whole whole>source whole>thesis" \
    "$(python3 check.py | head -n 1 | sorted_words)"
same "passages" 1 "$(python3 check.py | wc -l)"
status 0 "$KITH" cluster -q --csv --plagiarism tree
same "at least a half" "copy>alone source>whole whole>source whole>thesis" "$(python3 check.py | sorted_words)"

# so sparse that the intervals are wide
status 0 "$KITH" cluster -q --csv -C 512 --plagiarism --certain tree
same "at least a half for certain" 0 "$(python3 -c 'import csv; print(sum(float(r["containment_low"]) < .5 for r in csv.DictReader(open("out", newline=""))))')"
same "source in whole is not" "copy>alone whole>source" "$(python3 check.py | sorted_words)"
status 0 "$KITH" cluster -q --csv -C 512 --plagiarism tree
certain=$(python3 -c 'import csv; print(sum(float(r["containment_low"]) >= .5 for r in csv.DictReader(open("out", newline=""))))')
mv out one
status 0 "$KITH" cluster -q --csv -C 512 --plagiarism -j 7 tree
cmp -s one out || fail "it depends on the number of threads"
status 0 "$KITH" cluster --json -C 512 --plagiarism tree
same "JSON" "whole source 0 12000" "$(sed -n 2p out >first; json first '" ".join(map(str, (d["path"], d["in_path"], d["ranges"][0]["start"] // 1000, d["in_size"] // 1000 * 600)))')"
status 0 "$KITH" cluster --format text -C 512 --plagiarism tree
says out "tree/whole"
says out " % of its bytes in tree/source, "
says out "6 files, 5 different; 4 cases of at least 50 % of one in another, $certain of them by the whole interval of 95 %"
status 0 "$KITH" cluster --json -C 512 --plagiarism tree
tail -n 1 out >last
same "for certain, in the summary" "$certain True" "$(json last 'd["summary"]["certain"], 0 < d["summary"]["certain"] < 4' | tr -d '(),')"
status 0 "$KITH" cluster --format text --plagiarism --containment 1 tree/alone tree/other
says out "2 files, 2 different; 0 cases"
status 0 "$KITH" cluster --json --plagiarism --containment 0 tree
same "the summary" "6 5 $(($(wc -l <out) - 1))" "$(tail -n 1 out >last; json last '"%d %d %d" % tuple(d["summary"][k] for k in ("files", "different", "cases"))')"
[ "$(wc -l <out)" -ge 10 ] || fail "without a limit there are fewer pairs"

# a family larger than what may share a sample, each with a passage of its own from elsewhere
mkdir many
text 5 9000 >base
text 6 90000 >elsewhere
for i in $(seq 1100); do
    { cat base; printf 'version %d\n' "$i"; [ "$i" -ne 550 ] || head -c 33000 elsewhere | tail -c 3000; } >many/"$i"
done
cp elsewhere many/z # after them
status 0 "$KITH" cluster --json --plagiarism --containment .15 many
tail -n 1 out >last
same "each in one other of the family" "1101 True 0" "$(json last '"%d %s %d" % (d["summary"]["files"], d["summary"]["families"], d["summary"]["cut"])')"
cat >family.py <<'PY'
import json
rows = [json.loads(line) for line in open('out')][:-1]
family = [r for r in rows if 'z' not in (r['path'], r['in_path'])]
print(len({r['path'] for r in family}), len(rows) < 4500, sorted({int(r['path']) for r in rows if r["in_path"] == "z"}))
PY
same "all members, and one that has passages of another file" "1100 True [550]" "$(python3 family.py)"
status 0 "$KITH" cluster --format text --plagiarism --most 2 tree many/1 many/2 many/3
says out "of files that resemble each other by 90 %, only the closest is listed with another"
status 0 "$KITH" cluster --csv -q --plagiarism --most 0 many/1 many/2 many/3
same "all of a family" 6 "$(($(wc -l <out) - 1))"
status 0 "$KITH" cluster --csv -q --plagiarism many/1 many/2 many/3
same "the closest of a family" 4 "$(($(wc -l <out) - 1))"
status 0 "$KITH" cluster --format text --plagiarism --containment 0.01 --most 1 tree
says out "compared with the closest only"
status 2 "$KITH" cluster --most 3 tree
says err "--most has no meaning without --plagiarism or --index"
status 2 "$KITH" cluster --plagiarism --method single tree
says err "--method has no meaning with --plagiarism"
finish
