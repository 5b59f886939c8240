#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether kith opens the containers that planted_containers.py has planted in images.

    contained.py FOLDER MEMBERS.csv     the folder has for each image NAME.ls, from kith ls --csv --hash --containers all

A container has to be opened if it is the content of a file, of a stream or of what is left of one, or if it begins at a sector of
what belongs to no file.  Then a member with the right SHA-1 is listed below that object.  Prints what is wrong, and then exits
with 1; otherwise, how many were opened, by kind of object.
"""
import collections
import csv
import os
import sys

csv.field_size_limit(1 << 30)
SECTOR = 512
FILES, SPACE = ('file', 'stream', 'deleted', 'orphan'), ('unallocated', 'unclaimed', 'slack', 'gap')


def rows(name):
    with open(name, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def runs(row):
    """(offset in the object, offset on the image, length)"""
    for run in row['runs'].split():
        offset, _, rest = run.partition('@')
        start, _, length = rest.partition('+')
        yield int(offset), int(start), int(length)


def holders(listing, start, length):
    """The objects that have all of it in one piece, in such a way that it has to be noticed."""
    for row in listing:
        for offset, image, size in runs(row):
            if not (image <= start and start + length <= image + size):
                continue
            if row['kind'] in SPACE and start % SECTOR == 0:
                yield row
            elif row['kind'] in FILES and offset + start == image and int(row['size']) == length and 'compressed' not in row['flags']:
                yield row


def main():
    folder, planted = sys.argv[1:]
    wrong, opened = 0, collections.Counter()
    for name in sorted(os.listdir(folder)):
        listing = rows(os.path.join(folder, name))
        members = collections.defaultdict(list)
        for row in listing:
            if row['kind'] == 'member':
                members[row['sha1']].append(row['address'])
        for place in rows(planted):
            if os.path.splitext(place['image'])[0] + '.ls' != name:
                continue
            for holder in holders(listing, int(place['offset']), int(place['length'])):
                if any(address.startswith(holder['address'] + '/') for address in members[place['sha1']]):
                    opened[place['kind'], holder['kind']] += 1
                else:
                    wrong += 1
                    print(f'{place["image"]}, {place["place"]}: the {place["kind"]} in {holder["kind"]} {holder["address"]} at '
                          f'{place["offset"]} was not opened')
    for kind in FILES[:3] + SPACE:
        if not any(holder == kind for _, holder in opened):
            wrong += 1
            print(f'there is no container in {kind}')
    print(', '.join(f'{number} {kind} in {holder}' for (kind, holder), number in sorted(opened.items())))
    sys.exit(1 if wrong else 0)


main()
