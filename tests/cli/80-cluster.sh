#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Clusters are those that follow from kith compare on all pairs, wherever the files lie and whatever the number of threads.
. "$(dirname "$0")/lib.sh"

# ---- against all pairs ----

# Files in families: "family-version"; version 0 is the original, and later ones have more of it replaced.
mkdir tree
for family in 1 2 3; do
    text $family 16000 >whole
    for version in 0 1 2 3; do
        python3 - $family $version <<'PY' >tree/$family-$version
import random, sys
family, version = map(int, sys.argv[1:])
r = random.Random(family * 100 + version)
data = bytearray(open('whole', 'rb').read())
for _ in range(version * 16):
    at = r.randrange(len(data) - 80)
    data[at:at + 70] = bytes(r.choice(b'etaoin shrdlu') for _ in range(70))
sys.stdout.buffer.write(data)
PY
    done
done
cat tree/1-0 tree/2-0 >tree/both
cp tree/2-1 tree/copy
for file in tree/*; do
    "$KITH" sign "$file" >"$(basename "$file").record"
done
cat >pairs.py <<'PY'
import itertools, json, os, subprocess
for a, b in itertools.combinations(sorted(os.listdir('tree')), 2):
    out = subprocess.run([os.environ['KITH'], 'compare', '--json', a + '.record', b + '.record'], capture_output=True, check=True)
    print(a, b, json.loads(out.stdout).get('resemblance', 0))
PY
python3 pairs.py >pairs || fail "kith compare failed"
cat >expected.py <<'PY'
import os, sys
method, limit = sys.argv[1], float(sys.argv[2])
names = sorted(os.listdir('tree'))
r = {}
for line in open('pairs'):
    a, b, value = line.split()
    r[a, b] = r[b, a] = float(value)
leader = {}
for a in names:
    earlier = [b for b in leader if r[a, b] >= limit]
    if method == 'single':
        leader[a] = a
        for old in {leader[b] for b in earlier}:
            leader = {d: a if l == old else l for d, l in leader.items()}
    else:
        firsts = [b for b in earlier if leader[b] == b]
        leader[a] = max(firsts, key=lambda b: (r[a, b], [-ord(c) for c in b])) if firsts else a
clusters = [[d for d in names if leader[d] == l] for l in dict.fromkeys(leader[d] for d in names)]
print(sorted(c for c in clusters if len(c) > 1))
PY
# groups FILE: the names in each cluster, without folders
groups()
{
    python3 -c '
import json, os, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
print(sorted(sorted(os.path.basename(m["path"]) for m in [c["representative"]] + c["members"]) for c in lines[:-1]))' "$1"
}

for method in greedy single; do
    for limit in .2 .5 .75; do
        status 0 "$KITH" cluster -q --json --method $method --resemblance $limit tree
        same "$method clusters at $limit" "$(python3 expected.py $method $limit)" "$(groups out)"
    done
done
status 0 "$KITH" cluster -q --csv tree
same "the copy of 2-1" 2 "$(grep -E ',(2-1|copy),,' out | cut -d, -f6- | uniq -c | awk '{ print $1 }')"
same "its role" copy "$(awk -F, '$4 == "copy" { print $2 }' out)"

# ---- files on both sides of the sizes at which C changes ----

mkdir sizes
python3 - <<'PY'
import random
data = random.Random(1).randbytes(1060000)
for size in 1500, 1540, 24500, 24600, 131000, 131100, 1040000, 1060000:
    open('sizes/%d' % size, 'wb').write(data[-size:])
PY
for candidates in index hamming; do
    status 0 "$KITH" cluster -q --json --resemblance .7 --candidates $candidates sizes
    same "pairs by $candidates" "[['1040000', '1060000'], ['131000', '131100'], ['1500', '1540'], ['24500', '24600']]" "$(groups out)"
done

# ---- intervals ----

cat >intervals.py <<'PY'
import csv, math
def wilson(common, of, z=1.959963984540054):
    p, v = common / of, z * z / of
    half = z * math.sqrt(p * (1 - p) / of + v / of / 4)
    return [(p + v / 2 - half) / (1 + v), (p + v / 2 + half) / (1 + v)]
rows = [r for r in csv.DictReader(open('out', newline='')) if r['role'] == 'similar']
for r in rows:
    common, of = int(r['common']), int(r['compared'])
    for name, n in ('resemblance', of), ('containment', common / float(r['containment'])):
        expected = [common / n] + wilson(common, round(n))
        found = [float(r[name + end]) for end in ('', '_low', '_high')]
        if any(abs(x - y) > 2e-4 for x, y in zip(expected, found)):
            print(name, r, expected)
print(len(rows), sum(float(r['resemblance_low']) < .5 for r in rows), sum(float(r['resemblance']) < .5 for r in rows))
PY
status 0 "$KITH" cluster -q --csv --resemblance .5 tree
read -r similar doubtful below <<<"$(python3 intervals.py)"
same "intervals" "$similar 0" "$(python3 intervals.py | tail -n 1 | cut -d ' ' -f 1,3)"
[[ $doubtful -gt 0 && $below = 0 ]] || fail "no interval contains the limit: $(cat out)"
status 0 "$KITH" cluster -q --csv --resemblance .5 --certain tree
same "certain" "0 0" "$(python3 intervals.py | tail -n 1 | cut -d ' ' -f 2,3)"
[ "$(python3 intervals.py | cut -d ' ' -f 1)" -gt 0 ] || fail "nothing is certain"
# above MOST: the members whose interval of the edits ends above that, and all members
above()
{
    awk -F, -v most="$1" '$2 == "similar" { all++; above += $13 > most } END { print above + 0, (all > 0) }' out
}
status 0 "$KITH" cluster -q --csv --edits 1500 tree
same "edits" "1 1" "$(above 1500 | sed "s/^[1-9]/1/")"
status 0 "$KITH" cluster -q --csv --edits 1500 --certain tree
same "certain edits" "0 1" "$(above 1500)"

# ---- not on the number of threads, nor on where the files lie ----

for form in text csv json; do
    status 0 "$KITH" cluster -j 1 --format $form tree
    mv out one
    status 0 "$KITH" cluster -j 5 --format $form tree
    cmp -s one out || fail "$form differs with -j 5"
done
# members FILE: cluster, role and what follows the names
members()
{
    cut -d, -f1,2,6- "$1"
}
status 0 "$KITH" cluster --csv -q tree
members out >from-folder
[ "$(wc -l <from-folder)" -gt 12 ] || fail "few members: $(cat from-folder)"
status 0 "$KITH" add -q tree.kith tree
status 0 "$KITH" cluster --csv -q tree.kith
diff <(members out) <(sed '/,copy,/d' from-folder) >differences || fail "clusters of the set differ: $(head -5 differences)"
if PATH=$PATH:/usr/sbin:/sbin command -v mke2fs >/dev/null; then
    PATH=$PATH:/usr/sbin:/sbin mke2fs -q -t ext4 -d tree tree.img 2M 2>err >out || fail "mke2fs: $(cat err)"
    status 0 "$KITH" cluster --csv -q tree.img
    status 0 "$KITH" cluster --csv -q --only file,slack tree.img
    same "kinds" "file slack" "$(tail -n +2 out | cut -d, -f14 | tr -d '\r' | sort -u | tr '\n' ' ' | sed 's/ $//')"
    # in the order of inodes
    for from in tree tree.img; do
        status 0 "$KITH" cluster --json -q --method single $from
        mv out $from.json
    done
    same "clusters of the image" "$(groups tree.json)" "$(groups tree.img.json)"
fi
status 0 "$KITH" cluster --csv -q tree tree.kith
same "members in both" $(($(grep -c . from-folder) - 1 + 13)) "$(($(wc -l <out) - 1))"

# ---- limits ----

status 0 "$KITH" cluster -q --json --containment .9 --resemblance .3 tree
same "what contains another" "both" "$(python3 -c '
import json
print(*[m["path"] for line in open("out") for m in json.loads(line).get("members", []) if m["path"] == "both"])')"
status 0 "$KITH" cluster -q --csv --edits 0 tree
same "no edits: copies" 3 "$(wc -l <out)"
status 0 "$KITH" cluster -q --csv --edits 10% tree
[ "$(wc -l <out)" -gt 6 ] || fail "no clusters within 10 % of edits: $(cat out)"
status 0 "$KITH" cluster -q --csv --common 2 --resemblance 1 tree
same "only copies resemble each other fully" 3 "$(wc -l <out)"
status 0 "$KITH" cluster --format text --method single --common 2 tree
says out "fingerprints in more than 2 files lead to some of these only"

# ---- small and empty files, bad input ----

mkdir small none
printf a >small/one
printf a >small/same
printf b >small/other
: >small/empty
: >small/nothing
status 0 "$KITH" cluster --format text small
says out "3 files, 2 different; 1 cluster of 2 files"
says out "2 empty files are left out"
says out "1 file has too few samples to be compared"
status 3 "$KITH" cluster none
says err "nothing to cluster: no files were found"
status 3 "$KITH" cluster -q nowhere
says err "nowhere: No such file or directory"
status 2 "$KITH" cluster
says err "no folder, file, set, image or case given"
for limit in -0.1 1.5 150% x nan ''; do
    status 2 "$KITH" cluster --resemblance="$limit" tree
    status 2 "$KITH" cluster --containment="$limit" tree
done
says err "--containment"
status 2 "$KITH" cluster --edits -5 tree
status 2 "$KITH" cluster --common 0 tree
status 2 "$KITH" cluster --method sngle tree
says err "did you mean single?"
status 2 "$KITH" cluster -C 100 tree
says err "C is 100: scheme gf8 takes a power of two"
status 2 "$KITH" cluster tree ./tree
says err "is given twice"
mkdir tree/below
cp tree/alone tree/below 2>/dev/null || cp tree/1-0 tree/below
status 2 "$KITH" cluster tree tree/below
says err "tree/below: lies in tree, which is given as well"
rm -r tree/below
mkdir links
cp tree/1-0 links/a
ln links/a links/b
mkdir links/below
ln links/a links/below/c
cp links/a links/copy
status 0 "$KITH" cluster --json links
same "hard links" "2 2" "$(tail -n 1 out >last; json last '"%d %d" % (d["summary"]["files"], d["summary"]["links"])')"
same "the copy" "a copy" "$(head -n 1 out >first; json first '" ".join(m["path"] for m in [d["representative"]] + d["members"])')"
status 0 "$KITH" cluster --format text links/a links/b
says out "1 file, 1 different"
says out "1 further hard link to the same file is left out"
mkdir same
cp links/a same/same
cp links/a kept
status 0 "$KITH" cluster --format text -q same kept
same "names as they can be opened" "same/same kept" "$(tail -n 2 out | awk '{ print $NF }' | tr '\n' ' ' | sed 's/ $//')"
status 0 "$KITH" cluster --format text -q same/same ./kept
same "names of files that were given" "same/same ./kept" "$(tail -n 2 out | awk '{ print $NF }' | tr '\n' ' ' | sed 's/ $//')"
status 3 "$KITH" cluster --only deleted links
says err "no objects of the kinds in --only were found"
status 2 "$KITH" cluster --only deleted tree.kith
says err "--only has no meaning for reference sets"
status 2 "$KITH" cluster -n 16 tree.kith
says err "tree.kith: has windows of 12 bytes"
status 2 "$KITH" cluster -C 64 tree.kith
says err "was sampled with -C 128, which cannot be converted to -C 64"
if [ "$(id -u)" -ne 0 ]; then
    chmod 0 small/one
    status 3 "$KITH" cluster -q small
    says err "small/one"
fi
printf x >"$(printf 'small/\033[2J=1')"
printf x >small/z
status 0 "$KITH" cluster -q --csv small
says out ',\x1b[2J=1,1b5b324a3d31,'
status 0 "$KITH" cluster -q --json small
says out '"path":"\\x1b[2J=1","path_hex":"1b5b324a3d31"'
finish
