#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith extract on small images with planted files and on real images of public test sets, against icat, dd and the references.
. "$(dirname "$0")/lib.sh"
corpora=$SRCDIR/../shared/corpora
[ -f "$corpora/images/small.tar.xz" ] || skip "no corpora beside the tree"
command -v icat >/dev/null || skip "no icat"
corpora=$(cd "$corpora" && pwd)
mkdir small
tar -xf "$corpora/images/small.tar.xz" -C small || fail "the corpora cannot be unpacked"
python3 "$corpora/scripts/unpack.py" "$corpora" unpacked >/dev/null 2>&1 || fail "the corpora cannot be unpacked"
real=$corpora/real_images/images
[ -d unpacked/real ] && real=$PWD/unpacked/real

# Of each image as many objects as a test has time for: files by icat, and of raw images what is no file by dd.
cat >compare.py <<'PY'
import csv, hashlib, os, random, shutil, subprocess, sys
kith, images = os.environ['KITH'], sys.argv[1:]
random.seed(1)
def sha1(*command):
    done = subprocess.run(command, capture_output=True)
    return hashlib.sha1(done.stdout).hexdigest() if done.returncode == 0 else 'exit %d' % done.returncode
wrong, by = [], {'icat': 0, 'dd': 0}
for image in images:
    listed = subprocess.run([kith, 'ls', '-q', '--csv', image], capture_output=True).stdout.decode().splitlines()
    rows = [row for row in csv.DictReader(listed) if '/' not in row['volume'] and row['address'] != '-']
    raw = not image.lower().endswith(('.e01', '.vhd'))
    files = [row for row in rows if row['kind'] == 'file']
    ranges = [row for row in rows if raw and row['kind'] in ('unallocated', 'gap', 'unclaimed') and int(row['size']) < 10 << 20]
    chosen = random.sample(files, min(12, len(files))) + random.sample(ranges, min(5, len(ranges)))
    if not chosen:
        continue
    shutil.rmtree('written', ignore_errors=True)
    done = subprocess.run([kith, 'extract', '-q', '-d', 'written', '--', image, *(row['volume'] + '/' + row['address'] for row in chosen)], capture_output=True)
    if done.returncode:
        wrong.append((image, done.stderr))
        continue
    for row in csv.DictReader(open('written/manifest.csv', newline='')):
        if hashlib.sha1(open('written/' + row['file'], 'rb').read()).hexdigest() != row['sha1']:
            wrong.append((image, row))
        if row['address'].startswith('@'):
            start, size = row['address'][1:].split('+')
            other = sha1('dd', 'if=' + image, 'iflag=skip_bytes,count_bytes', 'skip=' + start, 'count=' + size, 'status=none')
            by['dd'] += 1
        else:
            start = int(row['volume'].split('@')[1]) if '@' in row['volume'] else 0
            other = sha1('icat', '-o', str(start // 512), image, row['address'])
            by['icat'] += 1
        if other != row['sha1']:
            wrong.append((image, row, other))
print(by, wrong[:5])
sys.exit(bool(wrong) or by['icat'] < 80 or by['dd'] < 20)
PY
python3 compare.py small/*.img small/*.iso small/*.E01 "$real"/*.dd "$real"/*.raw "$real"/*.vhd "$real"/*.iso "$real"/tsk*.E01 >said 2>&1 || fail "$(head -c 2000 said)"

# What is identical to a reference is a copy of it, on each image.
status 0 "$KITH" add -q --containers no set.kith small/reference
status 0 "$KITH" scan -q --containers no -r set.kith --no-hash-image --case all.case small/*.img small/*.iso small/*.E01
status 0 "$KITH" extract -q -d copies --verdict identical all.case
(cd copies && sha1sum ./[0-9]* | cut -c 1-40 | sort -u) >copies.sha1
sha1sum small/reference/* | cut -c 1-40 | sort -u >references.sha1
[ "$(wc -l <copies.sha1)" -ge 10 ] || fail "only $(wc -l <copies.sha1) contents were copied"
same "copies of nothing" "" "$(comm -23 copies.sha1 references.sha1)"
finish
