#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith cluster beside ssdeep -d -g and tlsh_unittest -xref, on real files.
#   FOLDER         of files (default: files below /usr of 1 byte to 200 kB)
#   FILES          their number (default: 100000), for kith
#   PEER_FILES     of these, for the peers, whose time grows with the square (default: 20000)
#   EXACT_FILES    of these, to compare with all pairs by exact resemblance (default: 4000)
# Resemblance is the share of common 12-byte shingles; near-duplicates have 0.5 or more.
set -u -o pipefail
kith=${KITH:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

# gather COUNT FOLDER: copies that many files there, evenly from all
cat >gather.py <<'PY'
import os, sys
count, to, top = int(sys.argv[1]), sys.argv[2], sys.argv[3]
device, names, size = os.stat(top).st_dev, [], 0
for folder, folders, files in os.walk(top):
    folders[:] = sorted(f for f in folders if os.lstat(folder + '/' + f).st_dev == device)
    for path in (folder + '/' + f for f in sorted(files)):
        if not os.path.islink(path) and os.path.isfile(path) and 0 < os.path.getsize(path) <= 200000:
            names.append(path)
os.mkdir(to)
step = max(1, len(names) / count)
chosen = [names[int(i * step)] for i in range(min(count, len(names)))]
for number, path in enumerate(chosen):
    with open(path, 'rb') as f, open(f'{to}/{number}', 'wb') as out:
        size += out.write(f.read())
print(f'{len(chosen)} of {len(names)} files, {size // 1000000} MB')
PY
gather()
{
    python3 gather.py "$1" "$2" "${FOLDER:-/usr}"
}

# A pair of names on a line: of the representative and a member; or as ssdeep and tlsh list pairs, each once.
pairs_of_kith()
{
    python3 -c '
import json, sys
for line in sys.stdin:
    d = json.loads(line)
    for m in d.get("members", []):
        print(d["representative"]["path"], m["path"])'
}
pairs_of_ssdeep()
{
    awk '/^\*\* Cluster/ { first = ""; next } NF { sub(".*/", ""); if (first == "") first = $0; else print first, $0 }'
}
pairs_of_tlsh()
{
    awk -F '\t' '{ sub(".*/", "", $1); sub(".*/", "", $2); if ($1 != $2 && !(($2, $1) in seen)) { seen[$1, $2]; print $1, $2 } }'
}

# judge.py FOLDER FOUND [EXACT]: pairs, how many of 400 are false, and of the files in exact pairs how many are in one
cat >judge.py <<'PY'
import random, sys
folder = sys.argv[1]
def read(path):
    return [tuple(line.split()) for line in open(path)]
def shingles(name):
    data = open(folder + '/' + name, 'rb').read()
    return {data[i:i + 12] for i in range(len(data) - 11)} or {data}
pairs = read(sys.argv[2])
files = {name for pair in pairs for name in pair}
random.seed(1)
sample = random.sample(pairs, min(len(pairs), 400))
false = sum(len(a & b) < .5 * len(a | b) for a, b in ((shingles(x), shingles(y)) for x, y in sample))
print(f'  {len(pairs)} pairs of {len(files)} files; of {len(sample)} pairs {false} are below 0.5')
if len(sys.argv) > 3:
    truth = {name for pair in read(sys.argv[3]) for name in pair}
    print(f'  of {len(truth)} files with a near-duplicate {len(truth & files)} are in a pair')
PY

# measure NAME FOLDER PAIRS COMMAND...: time and memory of the command, and what it found
measure()
{
    local name=$1 folder=$2 pairs=$3
    shift 3
    /usr/bin/time -o cost -f '%U s + %S s of CPU, %e s, %M KiB' "$@" >out 2>err
    "$pairs" <out >found
    echo "$name: $(tail -n 1 cost)"
    # shellcheck disable=SC2086
    python3 judge.py "$folder" found ${exact:-}
}

exact=
gather "${FILES:-100000}" large
measure "kith cluster" large pairs_of_kith "$kith" cluster -q --json large
measure "kith cluster -s min -n 12" large pairs_of_kith "$kith" cluster -q --json -s min -n 12 large
measure "kith cluster -s hamming -n 12" large pairs_of_kith "$kith" cluster -q --json -s hamming -n 12 large

# peers FOLDER: what is installed
peers()
{
    measure "kith cluster" "$1" pairs_of_kith "$kith" cluster -q --json "$1"
    measure "kith cluster -s min -n 12" "$1" pairs_of_kith "$kith" cluster -q --json -s min -n 12 "$1"
    if command -v ssdeep >/dev/null; then
        measure "ssdeep -d -g -t 50" "$1" pairs_of_ssdeep ssdeep -s -d -g -r -t 50 "$1"
    else
        echo "ssdeep: not installed"
    fi
    if command -v tlsh_unittest >/dev/null; then
        measure "tlsh_unittest -xref -T 30" "$1" pairs_of_tlsh tlsh_unittest -xref -r "$1" -T 30
    else
        echo "tlsh_unittest: not installed"
    fi
}
gather "${PEER_FILES:-20000}" medium
peers medium

gather "${EXACT_FILES:-4000}" small
"$kith" cluster -q --json -s shingles -n 12 --method single small 2>err | pairs_of_kith >exact
exact=exact
peers small
measure "kith cluster -s mod -n 12" small pairs_of_kith "$kith" cluster -q --json -s mod -n 12 small
