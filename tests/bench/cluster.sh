#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith cluster beside ssdeep -d -g, on real files.  FOLDER: of files (default: files below /usr of 512 bytes to 200 kB);
# FILES: their number (default: 100000); SSDEEP_FILES: of these, for ssdeep, whose time grows with the square (default: 4000).
# Both are judged by exact resemblance: the share of common 12-byte shingles, of 0.5 or more.
set -u -o pipefail
kith=${KITH:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

# gather COUNT FOLDER: every n-th file becomes a link to be read in that folder
gather()
{
    mkdir "$2"
    find "${FOLDER:-/usr}" -xdev -type f -size +0 -size -400 -readable 2>/dev/null | LC_ALL=C sort >names
    awk -v n="$(($(wc -l <names) / $1 + 1))" 'n <= 1 || NR % n == 1' names | head -n "$1" >chosen
    awk -v to="$2" '{ printf "%s%c%s/%d%c", $0, 0, to, NR, 0 }' chosen | xargs -0 -n 2 cp 2>/dev/null
}

# clusters_of_kith, clusters_of_ssdeep: a line for each cluster, with the names of its files
clusters_of_kith()
{
    python3 -c '
import json, sys
for line in sys.stdin:
    d = json.loads(line)
    if "cluster" in d:
        print(*[m["path"] for m in [d["representative"]] + d["members"]])'
}
clusters_of_ssdeep()
{
    awk '/^\*\* Cluster/ { if (line) print line; line = ""; next } NF { sub(".*/", ""); line = line (line ? " " : "") $0 } END { if (line) print line }'
}

cat >judge.py <<'PY'
import random, sys
folder, exact, found = sys.argv[1:]
def read(path):
    return [names for names in (line.split() for line in open(path)) if len(names) > 1]
def shingles(name):
    data = open(folder + '/' + name, 'rb').read()
    return {data[i:i + 12] for i in range(len(data) - 11)} or {data}
truth = {name for cluster in read(exact) for name in cluster}
clusters = read(found)
files = {name for cluster in clusters for name in cluster}
pairs = [(cluster[0], name) for cluster in clusters for name in cluster[1:]]
random.seed(1)
sample = random.sample(pairs, min(len(pairs), 400))
false = sum(len(a & b) < .5 * len(a | b) for a, b in ((shingles(x), shingles(y)) for x, y in sample))
print(f'{len(clusters)} clusters of {len(files)} files; of {len(truth)} files with a near-duplicate {len(truth & files)} found; '
      f'of {len(sample)} pairs with the first of a cluster {false} are below 0.5')
PY

TIMEFORMAT='%R s, %U s of CPU'
gather "${FILES:-100000}" large
echo "$(find large -type f | wc -l) files, $(du -sm --apparent-size large | cut -f1) MB"
echo "kith cluster: $( { time "$kith" cluster -q --json large >out 2>err; } 2>&1)"
tail -n 1 out

gather "${SSDEEP_FILES:-4000}" small
echo "$(find small -type f | wc -l) files, $(du -sm --apparent-size small | cut -f1) MB"
"$kith" cluster -q --json -s shingles -n 12 --method single small 2>err | clusters_of_kith >exact
for options in "" "-s min -n 12" "-s mod -n 12"; do
    # shellcheck disable=SC2086
    seconds=$( { time "$kith" cluster -q --json $options small 2>err | clusters_of_kith >found; } 2>&1)
    echo "kith cluster${options:+ $options}: $seconds; $(python3 judge.py small exact found)"
done
if command -v ssdeep >/dev/null; then
    for limit in 1 50; do
        seconds=$( { time ssdeep -s -d -g -r -t $limit small 2>err | clusters_of_ssdeep >found; } 2>&1)
        echo "ssdeep -d -g -t $limit: $seconds; $(python3 judge.py small exact found)"
    done
else
    echo "ssdeep: not installed"
fi
