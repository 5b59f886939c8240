#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reports as JSON Lines: every value is that of the case, which SQLite reads; every line is what the schema that ships allows,
# and has no member that the schema does not describe.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data

# hostile names in the evidence and in the set; content that is found in whole, in parts, and not at all
python3 "$data/hostile.py" tree refs
status 0 "$KITH" add -q --md5 a.kith refs
status 0 "$KITH" add -q b.kith refs
# on an image, findings have places there, and a deleted file's blocks are free, too
PATH=$PATH:/usr/sbin:/sbin
image=
if command -v mke2fs >/dev/null && command -v debugfs >/dev/null; then
    mkdir disk
    text 1 50000 >disk/gone
    text 2 90000 >disk/kept
    cp disk/* refs
    status 0 "$KITH" add -q --md5 a.kith refs
    mke2fs -q -t ext2 -d disk disk.img 4M >/dev/null 2>&1
    debugfs -w -R 'rm gone' disk.img 2>/dev/null
    image=disk.img
fi
# shellcheck disable=SC2086
status 0 "$KITH" scan -q -r a.kith -r b.kith --case a.case tree refs $image
status 0 "$KITH" report --json --all --show-known a.case
mv out a.jsonl
python3 "$data/report_json.py" a.case a.jsonl all >lines || fail "the report is not what the case has"
[ "$(cut -d' ' -f1 lines)" -gt 20 ] || fail "lines and twins: $(cat lines)"
status 0 "$KITH" report --json a.case
python3 "$data/report_json.py" a.case out usual >lines || fail "the usual report is not what the case has"
[ -z "$image" ] || grep -q '"twins":.*"image":\[\[' out || fail "there are no twins: $(cat lines)"
cp out usual.jsonl
status 0 "$KITH" report --json --group-by reference a.case
cp out groups.jsonl
python3 - a.jsonl <<'PY' || fail "names are missing"
import json, os, sys
names = set()
for line in open(sys.argv[1]):
    names.add(json.loads(line).get('object', {}).get('path_hex'))
wanted = [name for name in os.listdir(b'tree') if b'\\' in name or not name.isascii() or b'\x1b' in name]
assert len(wanted) >= 6 and all(name.hex() in names for name in wanted), names
PY
status 0 "$KITH" report --format jsonl --all --show-known a.case
cmp -s out a.jsonl || fail "the same case made another report"

# Timesketch: each line has what its importer requires, and there is one for each known time of each row
status 0 "$KITH" report --format timesketch --all --show-known a.case
python3 - a.jsonl out <<'PY' || fail "not events of the same rows"
import datetime, json, sys
names = {'mtime': 'Content Modification Time', 'atime': 'Last Access Time', 'ctime': 'Metadata Modification Time', 'crtime': 'Creation Time'}
rows = [json.loads(line) for line in open(sys.argv[1])][1:-1]
wanted = [(row, name, row['object']['times'][name]) for row in rows for name in names if name in row['object']['times']]
events = [json.loads(line) for line in open(sys.argv[2])]
assert len(events) == len(wanted) > 3, (len(events), len(wanted))
for event, (row, name, time) in zip(events, wanted):
    for key in 'message', 'datetime', 'timestamp_desc':
        assert isinstance(event[key], str) and event[key], event
    assert event['datetime'] == time and event['timestamp_desc'] == names[name], (event, row)
    seconds = datetime.datetime.strptime(time[:19] + '+0000', '%Y-%m-%dT%H:%M:%S%z').timestamp()
    assert event['timestamp'] == int(seconds) * 1000000 + int((time[20:-1] or '0')[:6]), event
    assert event['verdict'] == row['verdict'] and event['tag'] == [row['verdict']] and event.get('finding') == row.get('id')
    assert event.get('filename') == row['object'].get('path') and event['address'] == row['object']['address']
    assert event.get('sha1_hash') == row['object'].get('digests', {}).get('sha1')
    if row['type'] == 'finding':
        assert event['score'] == row['score'] and event['order'] == row['order'] and event['objects'] == row['objects'] and float(event['e_value']) == row['e_value'] and event['matched'] == row['matched']
        assert event['reference_name'] in event['message'] and event['reference_name'] == row['reference']['name']
PY

# a name of 63 kB in a list survives every format
mkdir long
text 3 20000 >long/file
python3 - <<'PY'
import hashlib
name = b'/'.join([b'a"<\\\x1b\xff\xe2\x80\xae,;' * 22] * 250)
open('list', 'wb').write(hashlib.sha1(open('long/file', 'rb').read()).hexdigest().encode() + b'  ' + name + b'\n')
PY
status 0 "$KITH" import -q long.kith list
status 0 "$KITH" scan -q -r long.kith --case l.case long
for format in jsonl timesketch dfxml case csv excel text summary html; do
    status 0 "$KITH" report --format $format l.case
    mv out long.$format
done
python3 - <<'PY' || fail "a long name is lost"
import csv, json, re
import xml.etree.ElementTree as ET
name = open('list', 'rb').read()[42:-1]
assert len(name) > 60000

def undone(text):
    return re.sub(rb'\\(\\|x[0-9a-f]{2})', lambda m: b'\\' if m[1] == b'\\' else bytes([int(m[1][1:], 16)]), text.encode())

finding = json.loads(open('long.jsonl').read().split('\n')[1])
assert undone(finding['reference']['name']) == bytes.fromhex(finding['reference']['name_hex']) == name
event = json.loads(open('long.timesketch').readline())
assert bytes.fromhex(event['reference_name_hex']) == name and event['reference_name'] in event['message']
reference = ET.parse('long.dfxml').getroot().find('.//{urn:kith:report:1}reference')
assert undone(reference.text) == bytes.fromhex(reference.get('{urn:kith:report:1}hex')) == name
nodes = json.load(open('long.case'))['@graph']
assert [name.hex()] == [f['kith:filePathHex'] for n in nodes if 'kith:Reference' in n['@type'] for f in n['uco-core:hasFacet'] if 'kith:filePathHex' in f]
csv.field_size_limit(10 ** 6)
assert undone(list(csv.DictReader(open('long.csv', newline='')))[0]['ref_name']) == name
for form in 'text', 'summary', 'html', 'excel':
    assert 'xe2' in open('long.' + form).read(), form
PY

if command -v jq >/dev/null; then
    jq -es 'map(select(.type == "finding") | .ranges | length) | add > 0' a.jsonl >out || fail "jq: $(cat out)"
fi
python3 -c 'import jsonschema' 2>/dev/null || { [ $failures -eq 0 ] && skip "no python3-jsonschema"; finish; }
python3 - "$SRCDIR/schemas/kith-report.schema.json" a.jsonl usual.jsonl groups.jsonl <<'PY' || fail "not what the schema allows"
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)

def close(part):
    """Allows no member that the schema does not name."""
    if isinstance(part, dict):
        if part.get('type') == 'object' and 'oneOf' not in part:
            part['additionalProperties'] = False
        for value in part.values():
            close(value)
    elif isinstance(part, list):
        for value in part:
            close(value)

close(schema)
validator = Draft202012Validator(schema)
lines = [json.loads(line) for name in sys.argv[2:] for line in open(name)]
for line in lines:
    for error in validator.iter_errors(line):
        sys.exit(f'{error.message[:500]}: {[e.message[:300] for e in error.context or []]}')
    # and it is no more than that: without any of its members, or with a wrong one, a line is refused
    for member in line:
        if member in ('edits', 'twins', 'seal'):
            continue
        assert not validator.is_valid({k: v for k, v in line.items() if k != member}), member
        assert not validator.is_valid({**line, member: None}), member
PY
finish
