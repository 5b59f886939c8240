#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls on real images of public test sets, against a listing by fls and icat.
. "$(dirname "$0")/lib.sh"
corpora=$SRCDIR/../shared/corpora
[ -f "$corpora/real_images/listing.csv" ] || skip "no corpora beside the tree"
corpora=$(cd "$corpora" && pwd)
real=$corpora/real_images/images
python3 "$corpora/scripts/unpack.py" "$corpora" unpacked >/dev/null 2>&1 || fail "the corpora cannot be unpacked"
[ -d unpacked/real ] && real=$PWD/unpacked/real

python3 - "$KITH" "$real" "$corpora/real_images/listing.csv" <<'PY' || fail "listings differ"
import collections, csv, os, subprocess, sys
kith, folder, listing = sys.argv[1:]
csv.field_size_limit(1 << 30)
images = collections.defaultdict(list)
for row in csv.DictReader(open(listing)):
    images[row['image']].append(row)
wrong = checked = 0
for image, rows in images.items():
    run = subprocess.run([kith, 'ls', '-q', '--hash', '--csv', '--metadata', os.path.join(folder, image)], capture_output=True)
    if run.returncode:
        print(image, 'exit', run.returncode, run.stderr.decode()[:300])
        wrong += 1
    found = collections.defaultdict(list)
    for row in csv.DictReader(run.stdout.decode().splitlines()):
        if row['kind'] != 'slack' and '-' in row['address'][1:]:
            offset = int(row['volume'].split('@')[1].split('/')[0]) if '@' in row['volume'] else 0
            found[offset, row['address']].append(row)
            found[offset, row['address'].split('-')[0]].append(row)
    for row in rows:
        # Only what fls and icat get right: files with content; no virtual ones, no $Bad.
        if not row['sha1'] or row['inode'] == '0' or row['path'].endswith(':$Bad'):
            continue
        if row['path'].startswith('$OrphanFiles/OrphanFile-') and row['size'] == '0':
            continue
        checked += 1
        same = [f for f in found[int(row['volume_offset']), row['inode']] if f['sha1'] == row['sha1'] and f['size'] == row['size']]
        names = [name for f in same for name in [f['path'], *f['also'].split('//')]]
        if row['path'].replace('\\', '\\\\') not in names and '^' not in row['path']:
            print(image, 'missing or different:', row, names)
            wrong += 1
print(checked, 'files compared')
sys.exit(wrong > 0 or checked < 100)
PY

# The small images with planted files: the content of each is listed, under its name and state.
python3 - "$KITH" unpacked/small <<'PY' || fail "the planted files are not all found"
import collections, csv, os, subprocess, sys
kith, folder = sys.argv[1:]
truth = list(csv.DictReader(open(os.path.join(folder, 'truth.csv'))))
found, wrong, checked = collections.defaultdict(set), 0, 0
for image in sorted({row['image'] for row in truth}):
    run = subprocess.run([kith, 'ls', '-q', '--hash', '--csv', os.path.join(folder, image)], capture_output=True)
    for row in csv.DictReader(run.stdout.decode().splitlines()):
        found[image, row['path'], row['kind']].add(row['sha1'])
        found[image, row['address'].split('-')[0], row['kind']].add(row['sha1'])
kinds = {'allocated': ['file'], 'deleted': ['deleted', 'orphan'], 'ads': ['stream']}
for row in truth:
    if row['state'] in kinds and row['sha1']:
        checked += 1
        # FAT loses the first letter of a deleted file: then its inode identifies it.
        names = [row['path'], row['inode']] if row['state'] == 'deleted' and row['image'] in ('fat32.img', 'gpt.img') else [row['path']]
        if not any(row['sha1'] in found[row['image'], name, kind] for kind in kinds[row['state']] for name in names):
            print('missing:', row)
            wrong += 1
print(checked, 'planted files')
sys.exit(wrong > 0 or checked < 50)
PY
finish
