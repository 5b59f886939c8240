#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a report as JSON Lines with the case itself, which SQLite reads: report_json.py CASE REPORT (all | usual)

Every value of a finding and its object must be that of the case's tables, and no row may be missing.  all: a report with
--all --show-known; usual: one without, in which findings that repeat another one are its twins.
"""
import datetime
import json
import math
import re
import sqlite3
import sys


def raw(member, key):
    """The bytes of a name: what its escaped text stands for, which must agree with the hexadecimal form."""
    text = member[key].encode()
    name = re.sub(rb'\\(\\|x[0-9a-f]{2})', lambda m: b'\\' if m[1] == b'\\' else bytes([int(m[1][1:], 16)]), text)
    if key + '_hex' in member:
        assert bytes.fromhex(member[key + '_hex']) == name != text, member
    else:
        assert name == text, member
    return name


def leb128(data):
    """The numbers of a list of ranges."""
    at = 0
    while at < len(data):
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                break
        yield value


def ranges_of(data):
    """As kith-case(5) describes them."""
    numbers, ranges, start, end = list(leb128(data)), [], 0, 0
    for i in range(0, len(numbers), 4):
        start += numbers[i]
        step = numbers[i + 2] >> 1
        ref = end - step if numbers[i + 2] & 1 else end + step
        end = ref + numbers[i + 3]
        ranges.append({'object': [start, start + numbers[i + 1]], 'reference': [ref, end]})
    return ranges


def runs_of(data):
    """Offset in the object, offset on the image, length."""
    numbers, runs, offset, image = list(leb128(data)), [], 0, 0
    for i in range(0, len(numbers), 3):
        offset += numbers[i]
        step = numbers[i + 1] >> 1
        image += -step if numbers[i + 1] & 1 else step
        runs.append((offset, image, numbers[i + 2]))
        offset += numbers[i + 2]
        image += numbers[i + 2]
    return runs


def on_image(runs, start, end):
    """The pieces of a range of the object, byte by byte where it is short."""
    pieces = []
    for offset, image, length in runs:
        low, high = max(start, offset), min(end, offset + length)
        if low < high:
            pieces.append([image + low - offset, image + high - offset])
    return pieces


def time_of(seconds, nanoseconds):
    text = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S')
    return text + (f'.{nanoseconds:09}' if nanoseconds else '') + 'Z'


def check_origin(got, origin):
    assert got['allocated'] == bool(origin['flags'] & 1), (got, dict(origin))
    wanted = {name: time_of(origin[name], origin[name + '_ns']) for name in ('mtime', 'atime', 'ctime', 'crtime')
              if origin[name] or origin[name + '_ns']}
    assert got['times'] == wanted, (got, wanted)


def digests_of(row):
    return {kind: row[kind].hex() for kind in ('sha1', 'md5', 'sha256') if row[kind] is not None}


def id_of(number, rank):
    return f'{number >> 40}.{number & (1 << 40) - 1}.{rank + 1}'


def check_object(line, row, runs):
    got = line['object']
    assert got['volume'] == row['volume'] and got['address'] == row['address'], (got, dict(row))
    assert got['kind'] == row['kind'] and got['size'] == row['size'] and got['chunk'] == bool(row['chunk'])
    assert got.get('digests', {}) == digests_of(row), (got, dict(row))
    status = 'unreadable' if row['verdict'] == 'unreadable' else 'partial' if row['partial'] else 'ok'
    assert got['status'] == status and (row['reason'] or '') == got.get('reason', '')
    paths = ([raw(got, 'path')] if 'path' in got else []) + [raw(p, 'path') for p in got.get('more_paths', [])]
    assert b''.join(path + b'\0' for path in paths) == row['paths'], (got, row['paths'])
    # two slashes lead to the last level, one to the first; no name has two
    parent = row['address'].rpartition('//')[0] or row['address'].partition('/')[0]
    assert got.get('parent') == (parent if row['kind'] == 'member' else None), got
    stored = [{'object': [at, at + size], 'image': [image, image + size]} for at, image, size in runs]
    assert got.get('stored', []) == (stored if row['kind'] == 'member' else []), got


def check_finding(line, row, sets, runs):
    kinds = dict(notable=0, neutral=1, known=2)
    reference, proof, edits = line['reference'], line['proof'], line.get('edits', {})
    assert line['set']['number'] == row['refset'] and kinds[line['set']['kind']] == row['class']
    assert raw(line['set'], 'name') == sets[row['refset']]
    assert reference['number'] == row['file'] and reference['size'] == row['size'], (line, dict(row))
    assert raw(reference, 'name') == row['name'] and reference.get('digests', {}) == digests_of(row)
    wanted = ranges_of(row['ranges'])
    for piece in wanted if runs else ():
        piece['image'] = on_image(runs, *piece['object'])
    assert line['verdict'] == row['verdict'] and line['ranges'] == wanted, (line, dict(row))
    assert abs(line['score'] - row['score']) <= .0005001 and line['order'] == ('other' if row['reordered'] else 'same'), (line, dict(row))
    assert line['id'] == id_of(row['object'], row['rank'])
    assert line['span'] == {'object': [row['obj_start'], row['obj_end']], 'reference': [row['ref_start'], row['ref_end']]}
    assert line['matched'] == row['matched'] and line['also'] == row['also']
    assert proof == {'grade': row['proof'], 'proved': row['proved'], 'blocks': row['blocks']}, (proof, dict(row))
    for key in 'resemblance', 'containment':
        assert abs(line[key] - row[key]) <= .0005001, (line, dict(row))
    for key, column in ('estimate', 'edits'), ('low', 'edits_low'), ('high', 'edits_high'):
        assert (key in edits) == (row[column] is not None), (edits, dict(row))
        assert not edits or abs(edits[key] - row[column]) <= .5001
    e = math.exp(max(row['ln_e'], -300 * math.log(10))) if row['ln_e'] is not None else 0
    assert abs(line['e_value'] - e) <= .051 * 10 ** math.floor(math.log10(e or 1)), (line['e_value'], e)


def main(case, report, rows):
    database = sqlite3.connect(f'file:{case}?mode=ro&immutable=1', uri=True)
    database.row_factory = sqlite3.Row
    with open(report, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    assert all(line['schema'] == 'kith-report/1' for line in lines)
    assert [line['type'] == 'case' for line in lines] == [i == 0 for i in range(len(lines))]
    assert lines[-1]['type'] == 'end' and lines[-1]['rows'] == len(lines) - 2

    sets = {row['id']: row['name'].encode() for row in database.execute('SELECT * FROM refset')}
    assert [raw(s, 'name') for s in lines[0]['sets']] == [sets[s['number']] for s in lines[0]['sets']]
    evidence = {row['id']: row['path'] for row in database.execute('SELECT * FROM evidence')}
    assert {e['number']: raw(e, 'path') for e in lines[0]['evidence']} == evidence
    assert lines[0]['seal'] == database.execute('SELECT chain FROM log ORDER BY id DESC').fetchone()[0].hex()

    origins = {row['id']: row for row in database.execute('SELECT * FROM origin')}
    objects = {row['id']: row for row in database.execute('SELECT * FROM object')}
    wanted = [(row, objects[row['object']]) for row in
              database.execute('SELECT * FROM finding LEFT JOIN score USING (object, rank) ORDER BY class, object, rank')]
    twins = {(row['object'], row['rank']): (row['of_object'], row['of_rank']) for row in database.execute('SELECT * FROM twin')}
    if rows == 'all':
        wanted += [(None, row) for _, row in sorted(objects.items()) if row['findings'] == 0]
    else:
        wanted = [(f, o) for f, o in wanted if f['class'] < 2 and (f['object'], f['rank']) not in twins]
    assert len(wanted) == len(lines) - 2, (len(wanted), len(lines))
    for line, (finding, item) in zip(lines[1:], wanted):
        assert (line['type'] == 'finding') == (finding is not None), line
        assert raw(line['evidence'], 'path') == evidence[line['evidence']['number']] and line['evidence']['number'] == item['evidence']
        check_object(line, item, runs_of(origins[item['id']]['runs']))
        check_origin(line['object'], origins[item['id']])
        if finding:
            check_finding(line, finding, sets, runs_of(origins[item['id']]['runs']))
            same = [key for key, of in sorted(twins.items()) if of == (finding['object'], finding['rank'])]
            assert rows == 'all' or line.get('twins', []) == [
                {'id': id_of(*key), 'kind': objects[key[0]]['kind'], 'address': objects[key[0]]['address']} for key in same]
        else:
            assert line['verdict'] == item['verdict'], (line, dict(item))
    print(len(lines), len(twins))


if __name__ == '__main__':
    main(*sys.argv[1:])
