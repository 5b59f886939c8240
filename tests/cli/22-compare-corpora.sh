#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith compare on versions of real files, against their exact distances; skipped without the corpus that has them.
. "$(dirname "$0")/lib.sh"

corpus=$SRCDIR/../shared/corpora/pairs
[ -f "$corpus/files.tar.xz" ] || skip "there is no corpus of pairs"
tar -xJf "$corpus/files.tar.xz" || fail "the corpus cannot be unpacked"

python3 - "$KITH" "$corpus/pairs.csv" <<'PY' || failures=1
import collections, csv, json, os, subprocess, sys
kith, table = sys.argv[1:]
root = '.' if os.path.isdir('files') else os.listdir('.')[0]
errors, covered, total, missed, unjudged = collections.defaultdict(list), 0, 0, [], 0
verdicts = collections.Counter()
for row in csv.DictReader(open(table)):
    a, b = (os.path.join(root, row[k]) for k in ('file_a', 'file_b'))
    if not (os.path.isfile(a) and os.path.isfile(b)):
        continue
    d = json.loads(subprocess.run([kith, 'compare', '--raw', '--json', a, b], capture_output=True, check=True).stdout)
    assert d['sha1'] == row['sha1_a'] and d['ref_sha1'] == row['sha1_b'], row['pair_id']
    if row['relation'] == 'identical' or float(row['resemblance']) >= .5:
        wanted = 'identical' if row['sha1_a'] == row['sha1_b'] else 'variant'
        verdicts[d['verdict'] == wanted] += 1
    if not row['levenshtein']:
        continue
    if d['verdict'] == 'low-entropy':
        unjudged += 1
        continue
    truth, longer = int(row['levenshtein']), max(d['size'], d['ref_size'])
    total += 1
    if 'edits' not in d: # what they have in common is no evidence, so there is no interval
        missed.append((row['pair_id'], d['verdict']))
        continue
    if d['edits_low'] <= truth <= d['edits_high']:
        covered += 1
    else:
        missed.append((row['pair_id'], d['edits_low'], truth, d['edits_high']))
    errors[row['class']].append(abs(d['edits'] - truth) / longer)
mean = {k: sum(v) / len(v) for k, v in errors.items()}
for k in sorted(mean):
    print(f'{k:8} {len(errors[k]):3} pairs, mean |error| / length {mean[k]:.4f}')
print(f'interval covers {covered} of {total}; not: {missed}')
print(f'right verdict for {verdicts[True]} of {sum(verdicts.values())} identical or similar pairs')
assert total > 150 and covered >= .95 * total and unjudged <= 3
assert verdicts[True] >= .97 * sum(verdicts.values())
assert mean['text'] <= .004 and mean['source'] <= .004 and mean['elf'] <= .03 and mean['js'] <= .01
PY
finish
