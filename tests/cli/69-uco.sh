#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reports as CASE/UCO are graphs with terms of these ontologies, and of kith's own, only; they say what the report as JSON Lines says.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images
python3 -c 'import rdflib' 2>/dev/null || skip "no python3-rdflib"

python3 "$data/hostile.py" tree refs
mkdir disk
text 1 50000 >disk/gone
text 2 90000 >disk/kept
cp disk/* refs
status 0 "$KITH" add -q --md5 a.kith refs
mke2fs -q -t ext4 -d disk disk.img 4M >/dev/null 2>&1
debugfs -w -R 'rm gone' disk.img 2>/dev/null
status 0 "$KITH" scan -q -r a.kith --case a.case disk.img tree
status 0 "$KITH" case set a.case --case-number '<1> & "2"' --examiner $'J\u00f6rg' --organisation 'Office' --notes $'two\nlines'
for options in "" "--all --show-known"; do
    # shellcheck disable=SC2086
    status 0 "$KITH" report --format case $options a.case
    mv out a.json
    # shellcheck disable=SC2086
    status 0 "$KITH" report --format case $options a.case
    cmp -s out a.json || fail "the same case made another report"
    # shellcheck disable=SC2086
    "$KITH" report --json $options a.case >a.jsonl
    python3 - a.json a.jsonl "$data/uco-terms.txt" <<'PY' || fail "the graph is not what it should be ($options)"
import json, sys, uuid
import rdflib
from rdflib import RDF, XSD, Literal, URIRef
CASE = rdflib.Namespace('https://ontology.caseontology.org/case/investigation/')
UCO = 'https://ontology.unifiedcyberontology.org/uco/'
CORE, ACTION, SEEN, TYPES = (rdflib.Namespace(UCO + n + '/') for n in ('core', 'action', 'observable', 'types'))
KITH = rdflib.Namespace('urn:kith:report:1#')
graph = rdflib.Graph()
graph.parse(sys.argv[1], format='json-ld')
lines = [json.loads(line) for line in open(sys.argv[2])]
about, rows = lines[0], lines[1:-1]

# ---- terms ----
terms = [line.split() for line in open(sys.argv[3]) if not line.startswith('#')]
classes = {URIRef(t[1]) for t in terms if t[0] == 'class'}
values = {URIRef(t[1]): URIRef(t[2]) for t in terms if t[0] == 'property'}
used = set()
for s, p, o in graph:
    assert isinstance(s, URIRef) and s.startswith('urn:uuid:'), s
    if p == RDF.type:
        used.add(o)
        assert o in classes or o.startswith(KITH), o
    elif not p.startswith(KITH):
        used.add(p)
        assert p in values, p
        if values[p].startswith(XSD):
            assert isinstance(o, Literal) and (o.datatype or XSD.string) == values[p] and o.value is not None, (p, o)
        else:
            assert isinstance(o, URIRef) and (o, RDF.type, None) in graph, (p, o)
assert used >= classes | set(values), classes | set(values) - used

# ---- the case ----
def iri(name):
    return URIRef('urn:uuid:' + str(uuid.uuid5(uuid.UUID(about['uuid']), name)))

def one(s, p):
    found = list(graph.objects(s, p))
    assert len(found) == 1, (s, p, found)
    return found[0].toPython() if isinstance(found[0], Literal) else found[0]

assert one(iri('investigation'), CORE.name) == '<1> & "2"' and one(iri('examiner'), CORE.name) == 'J\u00f6rg'
assert one(iri('investigation'), CORE.description) == 'two\\x0alines' and one(iri('organisation'), CORE.name) == 'Office'
assert one(iri('action'), ACTION.performer) == iri('examiner') and one(iri('action'), KITH.seal) == about['seal']
assert set(graph.objects(iri('action'), ACTION.object)) == {iri('evidence:1'), iri('evidence:2')}
assert (iri('evidence:1'), RDF.type, SEEN.Image) in graph

# ---- rows ----
def facet(s, kind):
    found = [f for f in graph.objects(s, CORE.hasFacet) if (f, RDF.type, kind) in graph]
    assert len(found) == 1, (s, kind, found)
    return found[0]

def digests(s):
    return {one(h, TYPES.hashMethod).lower(): one(h, TYPES.hashValue).hex() for h in graph.objects(facet(s, SEEN.ContentDataFacet), SEEN.hash)}

findings = set(graph.subjects(RDF.type, KITH.Finding))
assert len(findings) == sum(row['type'] == 'finding' for row in rows) > 8
assert findings == set(graph.objects(iri('action'), ACTION.result))
places = 0
for row in rows:
    thing = row['object']
    if row['type'] != 'finding':
        continue
    finding, item = iri('finding:' + row['id']), iri('object:' + row['id'].rpartition('.')[0])
    reference = iri(f"reference:{row['set']['number']}.{row['reference']['number']}")
    assert one(finding, CORE.source) == item and one(finding, CORE.target) == reference
    scores = facet(finding, KITH.FindingFacet)
    assert one(scores, KITH.number) == row['id'] and one(scores, KITH.verdict) == row['verdict']
    assert one(scores, KITH.score) == row['score'] and one(scores, KITH.order) == row['order'] and one(scores, KITH.objects) == row['objects'] and one(scores, KITH.eValue) == row['e_value']
    assert one(scores, KITH.matched) == row['matched']
    ranges = sorted([one(r, SEEN.rangeOffset), one(r, SEEN.rangeSize), one(r, KITH.referenceOffset), one(r, KITH.referenceSize)]
                    for r in graph.objects(finding, CORE.hasFacet) if (r, RDF.type, KITH.MatchFacet) in graph)
    assert ranges == sorted([r['object'][0], r['object'][1] - r['object'][0], r['reference'][0], r['reference'][1] - r['reference'][0]]
                            for r in row['ranges']), (ranges, row)
    assert digests(item) == thing.get('digests', {}) and digests(reference) == row['reference']['digests']
    assert one(item, KITH.address) == thing['address'] and one(facet(item, SEEN.ContentDataFacet), SEEN.sizeInBytes) == thing['size']
    place = iri('object:' + row['id'].rpartition('.')[0] + ':place')
    assert one(place, CORE.source) == item and one(place, CORE.target) == iri(f"evidence:{row['evidence']['number']}")
    assert one(place, CORE.kindOfRelationship) == 'Contained_Within'
    runs = sorted((one(f, KITH.objectOffset), one(f, SEEN.rangeOffset), one(f, SEEN.rangeSize)) for f in graph.objects(place, CORE.hasFacet))
    # what the runs say of the first range is what JSON Lines say
    for first in row['ranges'][:1]:
        low, high = first['object']
        pieces = [[image + max(low - at, 0), image + min(high - at, size)] for at, image, size in runs if at < high and at + size > low]
        assert pieces == first.get('image', []), (pieces, first)
        places += len(pieces)
    if 'path' in thing:
        file = facet(item, SEEN.FileFacet)
        assert one(file, SEEN.filePath) == thing['path'] and one(file, SEEN.isDirectory) == (thing['kind'] == 'folder')
        assert (one(file, SEEN.allocationStatus) == 'Allocated') == thing['allocated']
        assert 'path_hex' not in thing or one(file, KITH.filePathHex) == thing['path_hex']
    assert set(map(str, graph.objects(finding, KITH.alsoAt))) == {t['address'] for t in row.get('twins', [])}
assert places > 1
PY
done
finish
