#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reports as DFXML are valid, and say of each object and finding what kith ls and the report as JSON Lines say.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
command -v xmllint >/dev/null || skip "no xmllint"
data=$SRCDIR/tests/data

python3 "$data/hostile.py" tree refs
images
mkdir disk
text 1 50000 >disk/gone
text 2 90000 >disk/kept
printf 'tiny' >disk/resident
cp disk/* refs
status 0 "$KITH" add -q --md5 a.kith refs
mke2fs -q -t ext4 -O inline_data -I 256 -d disk disk.img 4M >/dev/null 2>&1
debugfs -w -R 'rm gone' disk.img 2>/dev/null
status 0 "$KITH" scan -q -r a.kith --case a.case disk.img tree
status 0 "$KITH" case set a.case --case-number '<1> & "2"' --examiner $'J\u00f6rg'
for options in "" "--all --show-known"; do
    # shellcheck disable=SC2086
    status 0 "$KITH" report --format dfxml $options a.case
    mv out a.xml
    xmllint --nonet --noout --schema "$data/dfxml/dfxml.xsd" a.xml 2>err || fail "not valid: $(cat err)"
    # shellcheck disable=SC2086
    status 0 "$KITH" report --format jsonl $options a.case
    mv out a.jsonl
    status 0 "$KITH" ls --json disk.img
    python3 - a.xml a.jsonl out <<'PY' || fail "the report is not what it should be ($options)"
import json, re, sys
import xml.etree.ElementTree as ET
D, K = '{http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML}', '{urn:kith:report:1}'
root = ET.parse(sys.argv[1]).getroot()
lines = [json.loads(line) for line in open(sys.argv[2])]
listed = {o['address']: o for o in map(json.loads, open(sys.argv[3]))}

def raw(element):
    text = (element.text or '').encode()
    name = re.sub(rb'\\(\\|x[0-9a-f]{2})', lambda m: b'\\' if m[1] == b'\\' else bytes([int(m[1][1:], 16)]), text)
    assert (element.get(K + 'hex') or text.hex()) == name.hex(), (text, element.attrib)
    return name.hex()

def name_of(member, key):
    return member.get(key + '_hex') or member[key].encode().hex()

case, about = root.find(f'{D}metadata/{K}case'), lines[0]
assert case.get('uuid') == about['uuid'] and case.get('seal') == about['seal']
assert case.find(K + 'case_number').text == '<1> & "2"' == about['context']['case_number']
assert case.find(K + 'examiner').text == 'J\u00f6rg' == about['context']['examiner']
assert [raw(e.find(K + 'path')) for e in case.findall(K + 'evidence')] == [name_of(e, 'path') for e in about['evidence']]
assert root.find(f'{D}creator/{D}program').text == 'kith'

rows, placed, residents = [], 0, 0
for item in root.findall(D + 'fileobject'):
    got = {child.tag.replace(D, ''): child.text for child in item}
    for child in item:
        if child.tag in (K + 'finding', K + 'no_finding'):
            rows.append((item, child))
    runs = [{'offset': int(r.get('file_offset')), 'image_offset': int(r.get('img_offset')), 'length': int(r.get('len'))}
            for r in item.findall(f'{D}byte_runs/{D}byte_run') if r.get('img_offset')]
    residents += sum(r.get('type') == 'resident' for r in item.findall(f'{D}byte_runs/{D}byte_run'))
    if item.get(K + 'evidence') == '1':
        wanted = listed[item.get(K + 'address')]
        assert runs == wanted['runs'] and int(got['filesize']) == wanted['size'], (got, wanted)
        assert (got['alloc'] == '1') == wanted['allocated']
        assert all(got.get(t) == wanted.get(t) for t in ('mtime', 'atime', 'ctime', 'crtime')), (got, wanted)
        placed += len(runs)
assert len(rows) == len(lines) - 2 and placed > 1, (len(rows), len(lines), placed)
for (item, row), line in zip(rows, lines[1:]):
    thing = line['object']
    assert item.get(K + 'status') == thing['status'] and item.get(K + 'address') == thing['address'] and item.get(K + 'kind') == thing['kind']
    assert row.get('verdict') == line['verdict'] and (row.tag == K + 'finding') == (line['type'] == 'finding')
    assert {h.get('type'): h.text for h in item.findall(D + 'hashdigest')} == thing.get('digests', {})
    paths = [raw(name) for name in item.findall(D + 'filename')]
    assert paths == ([name_of(thing, 'path')] if 'path' in thing else []) + [name_of(p, 'path') for p in thing.get('more_paths', [])]
    if line['type'] != 'finding':
        continue
    assert row.get('number') == line['id'] and int(row.get('matched')) == line['matched']
    assert float(row.get('score')) == line['score'] and row.get('order') == line['order'] and int(row.get('objects')) == line['objects'] and float(row.get('e_value')) == line['e_value']
    assert raw(row.find(K + 'reference')) == name_of(line['reference'], 'name')
    assert {h.get('type'): h.text for h in row.findall(K + 'reference_hashdigest')} == line['reference']['digests']
    assert [t.attrib for t in row.findall(K + 'twin')] == [{'number': t['id'], 'kind': t['kind'], 'address': t['address']}
                                                          for t in line.get('twins', [])]
    assert [[int(r.get(k)) for k in ('object_start', 'object_end', 'reference_start', 'reference_end')] +
            [[int(i.get('offset')), int(i.get('offset')) + int(i.get('len'))] for i in r] for r in row.findall(K + 'range')] == \
           [r['object'] + r['reference'] + r.get('image', []) for r in line['ranges']]
assert residents == 1, residents
PY
done
# the check would notice
sed 's|<filesize>|<size>|; s|</filesize>|</size>|' a.xml >b.xml
xmllint --nonet --noout --schema "$data/dfxml/dfxml.xsd" b.xml 2>/dev/null && fail "anything is valid"
finish
