#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Members of containers in reports of all formats: what they are packed in, where they are stored as they are, and which
# could not be unpacked.
. "$(dirname "$0")/lib.sh"
images python3 mke2fs zip

mkdir known disk
texts <<'TEXTS'
1 60000 known/a.txt
2 90000 known/b.txt
3 9000 secret
TEXTS
python3 - <<'PY'
import io, struct, tarfile, warnings, zipfile, zlib
warnings.simplefilter('ignore')
a, b = open('known/a.txt', 'rb').read(), open('known/b.txt', 'rb').read()
rows = b''.join(b'\0' + bytes((x * y * 7 + x * x) % 251 for x in range(192)) for y in range(64))
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
picture = (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 64, 64, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) +
           chunk(b'IEND', b''))
open('known/picture.png', 'wb').write(picture)
inner = io.BytesIO()
with zipfile.ZipFile(inner, 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('b.txt', b[20000:70000])
    archive.writestr('pictures/picture.png', picture)
with tarfile.open('cut.tgz', 'w:gz') as archive:
    archive.add('known/b.txt')
open('disk/cut.tgz', 'wb').write(open('cut.tgz', 'rb').read()[:20000])
with zipfile.ZipFile('disk/outer.zip', 'w') as archive: # stored
    archive.writestr('a.txt', a)
    archive.writestr('in/inner.zip', inner.getvalue())
PY
head -c 20000 disk/outer.zip >disk/cut.zip
mkdir many
for i in {1..12}; do cp secret "many/s$i"; done
(cd many && zip -q -P password ../disk/encrypted.zip s*) || fail "zip"
mke2fs -q -F -t ext4 -d disk disk.img 8M >err 2>&1 || fail "mke2fs: $(cat err)"
"$KITH" add -q --kind notable set.kith known || fail "no set"

for evidence in disk.img disk; do
    rm -f my.case
    "$KITH" scan -r set.kith --case my.case $evidence >out 2>err
    says err "$evidence: 12 members of containers: it is encrypted (encrypted.zip/s1, encrypted.zip/s"
    for form in text summary jsonl csv dfxml case timesketch; do
        "$KITH" report --format $form my.case >$form 2>err
        [ -s $form ] || fail "$evidence: no $form: $(cat err)"
    done
    "$KITH" report --format html --with-bytes $evidence my.case >html 2>err
    "$KITH" report --json --all --show-known my.case >all 2>err
    python3 "$SRCDIR/tests/data/report_json.py" my.case all all >lines || fail "$evidence: the JSON is not what the case has"
    for form in text summary html jsonl dfxml case; do
        says $form "12 members of containers: it is encrypted (encrypted.zip/s1, encrypted.zip/s"
        says $form "1 member of a container: opening stopped: the zip is cut off (cut.zip)"
        says $form "1 member of a container: opening stopped: the tar is cut off (cut.tgz)"
    done
    python3 - $evidence <<'PY' || fail "$evidence: a report is wrong"
import csv, json, os, re, sys, uuid
import xml.etree.ElementTree as tree
evidence = sys.argv[1]
image = open(evidence, 'rb').read() if evidence == 'disk.img' else b''
lines = [json.loads(line) for line in open('jsonl')]
findings = {row['id']: row for row in lines if row['type'] == 'finding'}
found = {row['object']['path']: row['object'] for row in findings.values() if row['object']['kind'] == 'member'}
assert {'outer.zip/a.txt', 'outer.zip/in/inner.zip/b.txt', 'outer.zip/in/inner.zip/pictures/picture.png'} <= set(found), found.keys()
a, b, picture = (found[p] for p in ('outer.zip/a.txt', 'outer.zip/in/inner.zip/b.txt', 'outer.zip/in/inner.zip/pictures/picture.png'))
assert re.fullmatch(r'(\d+-1-0|-)/zip/in/inner.zip', b['parent']) and b['address'] == b['parent'] + '//zip/b.txt', b
assert a['parent'] + '/zip/a.txt' == a['address'], a
# stored as it is, and only that
assert 'stored' not in b and 'stored' not in picture
if image:
    known = open('known/a.txt', 'rb').read()
    assert sum(s['object'][1] - s['object'][0] for s in a['stored']) == len(known), a
    assert b''.join(image[s['image'][0]:s['image'][1]] for s in a['stored']) == known
else:
    assert 'stored' not in a
# DFXML: no inode of its own, and runs only where it is stored
space = '{%s}' % re.search(r'xmlns:kith="([^"]*)"', open('dfxml').read())[1]
objects = {o.get(space + 'address'): o for o in tree.parse('dfxml').getroot().iter() if o.tag.endswith('fileobject')}
for o in a, b, picture:
    element = next(objects[key] for key in objects if key == o['address'] and objects[key].get(space + 'parent') == o['parent'])
    names = [child.tag.rpartition('}')[2] for child in element]
    assert 'inode' not in names and ('byte_runs' in names) == ('stored' in o), (o, names)
# CASE: each level lies within the next, and the last within the evidence
nodes = {}
for node in json.load(open('case'))['@graph']:
    nodes.setdefault(node['@id'], {}).update(node)
within = {n['uco-core:source']['@id']: n['uco-core:target']['@id'] for n in nodes.values() if n.get('uco-core:kindOfRelationship') == 'Contained_Within'}
for row in findings.values():
    if row['object']['kind'] != 'member':
        continue
    at = [key for key, n in nodes.items() if n.get('kith:address') == row['object']['address'] and 'uco-core:hasFacet' in n]
    assert len(at) >= 1, row
    chain, at = [], at[0]
    while at in within:
        at = within[at]
        chain.append(nodes[at].get('kith:address'))
    wanted, address = [], row['object']['address']
    while '/' in address:
        address = address.rpartition('//')[0] or address.partition('/')[0]
        wanted.append(address)
    assert chain == wanted + [None], (chain, wanted)
# the others
assert all(json.loads(line).get('parent') == row['parent'] for line in open('timesketch') for row in found.values()
           if json.loads(line)['filename'] == row['path'])
assert {r['address'] for r in csv.DictReader(open('csv', newline='')) if r['kind'] == 'member'} == {o['address'] for o in found.values()}
page = open('html').read()
assert page.count('"ends":') == len(findings) and page.count('data:image/png;base64,') >= 1, (page.count('"ends":'), len(findings))
PY
done
"$KITH" scan --text -r set.kith disk >out 2>err
says out "disk: 12 members of containers: it is encrypted (encrypted.zip/s1, encrypted.zip/s"
"$KITH" scan --text --include cut.tgz -r set.kith disk >out 2>err
grep -qE ': 1 member of a container: it cannot be unpacked after byte [0-9]+: it is cut off \(cut.tgz/known/b.txt\)$' out ||
    fail "it does not say where the member of cut.tgz ends: $(cat out)"
# The bytes of a page are those of the member.
hex=$(tail -c +20001 known/b.txt | head -c 64 | od -An -v -tx1 | tr -d ' \n')
says html "$hex"
# In free space the path is only that in the container.
{ head -c 65536 /dev/zero; cat disk/outer.zip; } >free.raw
"$KITH" scan -q -r set.kith --case free.case free.raw 2>err
"$KITH" report --text free.case >out 2>err
says out "identical  in/inner.zip/pictures/picture.png (member of @0+$(stat -c %s free.raw), "
# Filters
"$KITH" report --csv --only member --path '*/inner.zip/*' my.case 2>err | cut -d, -f5 | tr -d '\r' | sort >out
same "filters" "$(printf '%s\n' outer.zip/in/inner.zip/b.txt outer.zip/in/inner.zip/pictures/picture.png path)" "$(grep -v -e '\.zip/in/inner.zip$' -e png/ out | sort -u)"
finish
