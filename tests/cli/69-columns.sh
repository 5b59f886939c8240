#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Further columns of CSV say what JSON Lines say, and change no other column; groups contain the same findings.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images
python3 "$data/hostile.py" tree refs
mkdir disk
text 1 50000 >disk/gone
text 2 90000 >disk/kept
cp disk/kept refs/again
cp disk/* refs
status 0 "$KITH" add -q --md5 a.kith refs
mke2fs -q -t ext2 -d disk disk.img 4M >/dev/null 2>&1
debugfs -w -R 'rm gone' disk.img 2>/dev/null
status 0 "$KITH" scan -q -r a.kith --md5 --sha256 --case a.case disk.img tree
columns=id,twins,allocated,mtime,atime,ctime,crtime,md5,sha256,ref_size,ref_md5,ref_sha256,image_start,obj_ranges,ref_ranges,image_ranges,proved,blocks,also
for options in "" "--all"; do
    # shellcheck disable=SC2086
    "$KITH" report --csv $options a.case >usual.csv
    # shellcheck disable=SC2086
    "$KITH" report --csv --columns "$columns" $options a.case >more.csv
    # shellcheck disable=SC2086
    "$KITH" report --json $options a.case >a.jsonl
    # shellcheck disable=SC2086
    "$KITH" report --excel --columns also,id,ref_size $options a.case >excel.csv
    python3 - "$columns" <<'PY' || fail "columns ($options)"
import csv, json, sys
names = sys.argv[1].split(',')
usual, more = (list(csv.reader(open(f, newline='', encoding='utf-8'))) for f in ('usual.csv', 'more.csv'))
excel = list(csv.reader(open('excel.csv', newline='', encoding='utf-8-sig')))
count = len(usual[0])
assert [row[:count] for row in more] == usual and more[0][count:] == names and excel[0] == usual[0] + ['id', 'ref_size', 'also']
lines = [json.loads(line) for line in open('a.jsonl')][1:-1]
assert len(lines) == len(more) - 1 > 5

def pairs(values):
    return ' '.join('%d-%d' % tuple(value) for value in values)

def number(value):
    return '' if value is None else str(value)

placed = twins = 0
for cells, excel_cells, line in zip(more[1:], excel[1:], lines):
    got, thing, reference = dict(zip(names, cells[count:])), line['object'], line.get('reference', {})
    ranges = line.get('ranges', [])
    image = [piece for r in ranges for piece in r.get('image', [])]
    wanted = {
        'id': line.get('id', ''),
        'twins': ' '.join(t['id'] + '=' + t['address'] for t in line.get('twins', [])),
        'allocated': 'yes' if thing['allocated'] else 'no',
        **{key: thing['times'].get(key, '') for key in ('mtime', 'atime', 'ctime', 'crtime')},
        **{key: thing.get('digests', {}).get(key, '') for key in ('md5', 'sha256')},
        'ref_size': number(reference.get('size')),
        **{'ref_' + key: reference.get('digests', {}).get(key, '') for key in ('md5', 'sha256')},
        'image_start': number(image[0][0] if image else None),
        'obj_ranges': pairs(r['object'] for r in ranges),
        'ref_ranges': pairs(r['reference'] for r in ranges),
        'image_ranges': pairs(image),
        'proved': number(line.get('proof', {}).get('proved')),
        'blocks': number(line.get('proof', {}).get('blocks')),
        'also': number(line.get('also')),
    }
    assert got == wanted, (got, wanted)
    assert excel_cells[count:] == ['="%s"' % wanted['id'] if wanted['id'] else '', wanted['ref_size'], wanted['also']], excel_cells
    placed += len(image)
    twins += len(wanted['twins'])
assert placed > 1 and (twins or len(more) > 10)
PY
done
status 0 "$KITH" report --columns id a.case
head -1 out | grep -q ',score,order,objects,id' || fail "--columns alone is not CSV: $(head -1 out)"
for wrong in "--columns id --text" "--columns nothing" "--columns id --about" "--group-by reference" "--group-by reference --csv" \
    "--group-by set --text" "--group-by reference --text --sort place"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" report $wrong a.case
done
says err "--group-by reference and --sort contradict each other"

# groups: the rows of --sort reference, each after its reference
"$KITH" report --json --sort reference --all a.case >a.jsonl
"$KITH" report --json --group-by reference --all a.case >b.jsonl
"$KITH" report --text --group-by reference --all a.case >b.txt
python3 - <<'PY' || fail "groups"
import json
plain, grouped = ([json.loads(line) for line in open(name)] for name in ('a.jsonl', 'b.jsonl'))
assert [line for line in grouped if line['type'] != 'reference'] == plain
group, seen = None, []
for line in grouped[1:-1]:
    if line['type'] == 'reference':
        group = line
        seen.append((line['set']['number'], line['reference']['number']))
    elif line['type'] == 'finding':
        assert group['set'] == line['set'] and group['reference'] == line['reference'], line
assert len(seen) == len(set(seen)) > 3
text = open('b.txt').read().split('\n')
assert sum(line.startswith('reference ') for line in text) == len(seen)
assert sum(line == 'objects without a finding' for line in text) == 1
assert not any(line.startswith('           of ') for line in text)
PY
finish
