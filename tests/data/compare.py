#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py LISTING.csv TRUTH

Compares the output of kith ls --hash --csv with a list of truth (images.sh describes its format).  Every line of the truth must
be listed with its SHA-1; other objects may only be those without a name of their own (slack, free blocks, gaps),
deleted ones of which too little is left to be in the truth, and those of kinds that the truth does not cover.  Prints
the differences; exits with 1 if there are any.
"""
import csv
import sys

csv.field_size_limit(1 << 30)


def unescaped(raw):
    """The bytes of an escaped path; a list of truth escapes fewer of them, in the same way."""
    out, i = b'', 0
    while i < len(raw):
        if raw[i:i + 2] == b'\\x':
            out += bytes([int(raw[i + 2:i + 4], 16)])
            i += 4
        elif raw[i:i + 2] == b'\\\\':
            out += b'\\'
            i += 2
        else:
            out += raw[i:i + 1]
            i += 1
    return out


def read_truth(path):
    truth = set()
    for line in open(path, 'rb').read().split(b'\n'):
        if line and not line.startswith(b'#'):
            volume, kind, name, size, sha1 = line.split(b'\t')
            truth.add((volume.decode(), kind.decode(), tuple(sorted(unescaped(p) for p in name.split(b'//'))), int(size), sha1.decode()))
    return truth


def read_listing(path):
    found = set()
    for row in csv.DictReader(open(path, newline='', encoding='utf-8')):
        if None in row or None in row.values():
            sys.exit('not the columns of the header: %r' % row)
        if row['kind'] in ('gap', 'slack', 'unallocated'):
            names = (row['address'].encode(),)
        else:
            first = bytes.fromhex(row['path_hex']) if row['path_hex'] else row['path'].encode()
            also = row['also'][1:] if row['also'][:1] == "'" else row['also']
            names = tuple(sorted([first] + [unescaped(p.encode()) for p in also.split('//') if p]))
        key = (row['volume'], row['kind'], names, int(row['size']), row['sha1'])
        if key in found:
            print('twice:', key)
        found.add(key)
    return found


def main():
    found, truth = read_listing(sys.argv[1]), read_truth(sys.argv[2])
    missing = sorted(truth - found)
    extra = sorted(f for f in found - truth if f[1] in ('file', 'stream') or
                   (f[1] == 'deleted' and any(t[1] == 'deleted' and t[2] == f[2] for t in truth)))
    for key in missing:
        print('missing:', key)
    for key in extra:
        print('not in the truth:', key)
    sys.exit(1 if missing or extra else 0)


main()
