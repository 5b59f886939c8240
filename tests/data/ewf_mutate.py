# SPDX-License-Identifier: Apache-2.0
"""Damages E01 sets, in a way determined by a seed, and compares what kith lists of them with the raw image.

ewf_mutate.py KITH COUNT RAW SET FOREIGN: FOREIGN is a set of another image of the same size.  What is listed as ok must have the SHA-1 of the same bytes of the raw image.
The sets are E01 or S01.
"""
import collections
import csv
import glob
import hashlib
import io
import os
import random
import struct
import subprocess
import sys
import zlib

LIMIT = 60
SMART = sys.argv[4].endswith('.s01')
MUTANT = 'm.s' if SMART else 'm.E'


def segments(first):
    return sorted(glob.glob(glob.escape(first[:-2]) + '[0-9][0-9]'))


def sections(data):
    """(type, offset, size) of each section of a segment."""
    at = 13
    while at + 76 <= len(data):
        name = data[at:at + 16].rstrip(b'\0').decode()
        following, = struct.unpack_from('<Q', data, at + 16)
        yield name, at, max(following - at, 76)
        if following <= at:
            return
        at = following


def flip(data, at, rng):
    data[at] ^= 1 << rng.randrange(8)


def in_one_file(change):
    """A mutation of the bytes of one file: CHANGE gets them, and returns what it did."""
    def mutate(files, rng, _foreign):
        name = rng.choice(sorted(files))
        data = bytearray(files[name])
        done = change(data, rng)
        files[name] = bytes(data)
        return f'{done} of {name}'
    return mutate


@in_one_file
def flip_bits(data, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 8, 64))):
        flip(data, rng.randrange(len(data)), rng)
    return 'bits flipped'


@in_one_file
def flip_structure(data, rng):
    kind, at, size = rng.choice([part for part in sections(data)])
    within = 76 if kind in ('sectors', 'header', 'header2') or rng.random() < .5 else size
    place = at + rng.randrange(min(within, size))
    flip(data, place, rng)
    return f'bit flipped at {place} in section {kind}'


@in_one_file
def flip_start(data, rng):
    place = rng.randrange(13)
    flip(data, place, rng)
    return f'bit flipped at {place}'


@in_one_file
def overwrite(data, rng):
    at, size = rng.randrange(len(data)), rng.choice((16, 512, 4096, 65536, 300000))
    size = min(size, len(data) - at)
    data[at:at + size] = rng.choice((bytes(size), rng.randbytes(size)))
    return f'{size} bytes overwritten at {at}'


def truncate(files, rng, foreign):
    name = rng.choice(sorted(files))
    size = rng.randrange(len(files[name]))
    files[name] = files[name][:size]
    return f'{name} cut to {size} bytes'


def remove(files, rng, foreign):
    name = rng.choice(sorted(files)[1:] or sorted(files))
    del files[name]
    return f'{name} removed'


def duplicate(files, rng, foreign):
    names = sorted(files)
    source, target = rng.choice(names), rng.choice(names)
    files[target] = files[source]
    return f'{source} copied over {target}'


def append(files, rng, foreign):
    source = rng.choice(sorted(files))
    target = f'{MUTANT}{len(files) + 1:02}'
    files[target] = files[source]
    return f'{source} copied to {target}'


def exchange(files, rng, foreign):
    one, other = rng.choice(sorted(files)), rng.choice(sorted(files))
    files[one], files[other] = files[other], files[one]
    return f'{one} and {other} exchanged'


def mix(files, rng, foreign):
    common = sorted(set(files) & set(foreign))
    if len(files) == 1 or SMART:  # which has nothing to identify its segments
        return flip_bits(files, rng, foreign)
    name = rng.choice(common)
    files[name] = foreign[name]
    return f'{name} taken from another set'


@in_one_file
def splice(data, rng):
    """The bytes of a chunk in place of another one."""
    size = min(32772, len(data) // 4)
    source, target = rng.randrange(len(data) - size), rng.randrange(len(data) - size)
    data[target:target + size] = data[source:source + size]
    return f'{size} bytes copied from {source} to {target}'


KINDS = (flip_bits, flip_structure, flip_structure, flip_start, overwrite, truncate, remove, duplicate, append, exchange,
         mix, splice)


def listing(kith, *options):
    run = subprocess.run([kith, 'ls', '-q', '--hash', '--csv', *options, MUTANT + '01'], stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=LIMIT)
    rows = list(csv.DictReader(io.StringIO(run.stdout.decode(), newline=''), strict=True))
    return run.returncode, rows, run.stderr.decode(errors='replace')


def key(row):
    """Names and kinds may be lost with a folder; the content of an address is unchanged."""
    return row['volume'], row['address'], row['size']


def is_right(row, known, raw):
    if row['address'].startswith('@'):
        start, size = (int(number) for number in row['address'][1:].split('+')[:2])
        return hashlib.sha1(raw[start:start + size]).hexdigest() == row['sha1']
    return known.get(key(row)) == row['sha1']


def check(outcome, known, raw):
    status, rows, text = outcome
    wrong = [row for row in rows if row['status'] == 'ok' and row['sha1'] and not is_right(row, known, raw)]
    for row in wrong[:3]:
        yield f'{key(row)} is ok with {row["sha1"]}, it was {known.get(key(row))}'
    if status == 0 and (len(rows) != len(known) or any(row['status'] != 'ok' for row in rows)):
        yield f'exit 0 with {len(rows)} rows instead of {len(known)}'
    if status not in (0, 3) or 'Sanitizer' in text or 'runtime error' in text:
        yield f'exit {status}: {text[:1000]}'
    if status == 3 and not text.strip() and all(row['status'] == 'ok' for row in rows):
        yield 'exit 3 without a reason'


def identify(data, identifier):
    """ewfacquirestream gives its sets no identifier, as EnCase and FTK Imager do."""
    data = bytearray(data)
    for kind, at, _ in sections(data):
        if kind in ('volume', 'data') and not SMART:
            data[at + 76 + 64:at + 76 + 80] = identifier
            struct.pack_into('<I', data, at + 76 + 1048, zlib.adler32(data[at + 76:at + 76 + 1048]))
    return bytes(data)


def load(first):
    identifier = hashlib.md5(first.encode()).digest()
    return {'m' + name[name.rindex('.'):]: identify(open(name, 'rb').read(), identifier) for name in segments(first)}


def write(files):
    for name in glob.glob(MUTANT + '*'):
        os.unlink(name)
    for name, data in files.items():
        with open(name, 'wb') as file:
            file.write(data)


def main():
    kith, count, raw_name, first, foreign_name = sys.argv[1:]
    with open(raw_name, 'rb') as file:
        raw = file.read()
    files, foreign = load(first), load(foreign_name)
    write(files)
    status, rows, text = listing(kith)
    known = {key(row): row['sha1'] for row in rows}
    if status or not known or len(known) != len(rows) or any(not is_right(row, known, raw) for row in rows):
        print(f'{first}: exit {status} for the set as it was made: {text[:500]}')
        return 1
    wrong, outcomes = 0, collections.Counter()
    for seed in range(int(count)):
        mutant, rng = dict(files), random.Random(f'{first} {seed}')
        done = KINDS[seed % len(KINDS)](mutant, rng, foreign)
        if MUTANT + '01' not in mutant:
            continue
        write(mutant)
        for how in ((), ('--force',)):
            outcome = listing(kith, *how)
            outcomes[' '.join(how) + (' refused' if outcome[0] and not outcome[1] else
                                      ' whole' if outcome[0] == 0 else ' marked')] += 1
            for fault in check(outcome, known, raw):
                wrong += 1
                print(f'{first} {seed} {how} ({done}): {fault}')
            if os.environ.get('VERBOSE'):
                print(seed, done, outcome[0], len(outcome[1]), outcome[2].split('\n')[0][:150])
    print(f'{first}: {len(files)} segments, {len(known)} objects;', ', '.join(
        f'{what.strip()} {number}' for what, number in sorted(outcomes.items())) + f'; {wrong} wrong')
    return 1 if wrong else 0


sys.exit(main())
