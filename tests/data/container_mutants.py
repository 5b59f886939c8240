#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged containers of every format, beside intact ones, in folders, as files of a file system, and in free space.

    container_mutants.py KITH TESTS COUNT [FORMAT...]     COUNT mutants of each format (those of container.c), reproducible

They are scanned with one worker and with four.  Whatever is wrong with a container, the program ends with 0 or 3, and soon; no
worker dies or is stopped; the rows are the same for any number of workers; and those of the intact files are the same as
without the others.  Prints what is wrong, and then exits with 1.  Works in the present folder.
"""
import collections
import csv
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import zlib

sys.dont_write_bytecode = True
import mutate  # noqa: E402 (after it, so that no folder of the source is written to)
import packed  # noqa: E402

LIMIT, BATCH, SECTOR = 600, 250, 512
COLUMNS = ('path', 'kind', 'size', 'sha1', 'verdict', 'ref_name', 'obj_start', 'obj_end', 'matched', 'status')
TEXT_NUMBERS = (b'0', b'1', b'-1', b'2147483647', b'4294967296', b'9223372036854775807', b'9223372036854775808', b'77777777777')


# ---- mutants ----

def place(data, dice):
    """Anywhere; half of them where headers and directories are."""
    near = min(len(data), SECTOR)
    return dice.pick((dice.below(len(data)), dice.below(len(data)), dice.below(near), len(data) - 1 - dice.below(near)))


def flip(data, dice, _):
    for _ in range(dice.pick((1, 1, 2, 8, 32))):
        data[place(data, dice)] ^= 1 << dice.below(8)


def overwrite(data, dice, _):
    at, size = place(data, dice), dice.pick((1, 2, 4, 16, 64, SECTOR))
    size = min(size, len(data) - at)
    data[at:at + size] = dice.pick((bytes(size), b'\xff' * size, dice.bytes(size)))


def number(data, dice, _):
    width = dice.pick((1, 2, 4, 8))
    at = min(place(data, dice), max(0, len(data) - width))
    new = (dice.pick(mutate.NUMBERS) & (1 << 8 * width) - 1).to_bytes(width, dice.pick(('little', 'big')))
    data[at:at + width] = new[:len(data) - at]


def number_in_text(data, dice, _):
    """Of the same length, where what follows has fixed places; or of another."""
    found = list(re.finditer(rb'[0-9]+', data))
    if found:
        one, new = dice.pick(found), dice.pick(TEXT_NUMBERS)
        if dice.below(2):
            new = new.rjust(len(one[0]), b'0')[-len(one[0]):]
        data[one.start():one.end()] = new


def remove(data, dice, _):
    at = place(data, dice)
    del data[at:at + dice.pick((1, 2, 8, 64, SECTOR))]


def repeat(data, dice, _):
    at, size = place(data, dice), dice.pick((1, 4, 30, 64, SECTOR))
    data[at:at] = data[at:at + size] * dice.pick((1, 1, 2, 30))


def copy(data, dice, _):
    source, at, size = place(data, dice), place(data, dice), dice.pick((4, 16, 64, SECTOR))
    size = min(size, len(data) - max(source, at))
    data[at:at + size] = data[source:source + size]


def splice(data, dice, other):
    at = place(data, dice)
    data[at:] = other[dice.pick((at, dice.below(len(other)))):]


CHANGES = (flip, flip, overwrite, overwrite, number, number, number, number_in_text, remove, repeat, copy, splice)


def repaired(data):
    """With checksums of headers that are right, so that a reader goes on."""
    if data[257:262] == b'ustar':
        for at in range(0, len(data) - SECTOR + 1, SECTOR):
            if data[at + 257:at + 262] == b'ustar':
                total = sum(data[at:at + 148]) + 8 * 32 + sum(data[at + 156:at + SECTOR])
                data[at + 148:at + 156] = b'%06o\0 ' % total
    elif data[:6] == b"7z\xbc\xaf'\x1c" and len(data) > 32:
        start, size = struct.unpack_from('<QQ', data, 12)
        if start + size <= len(data) - 32:
            struct.pack_into('<I', data, 28, zlib.crc32(data[32 + start:32 + start + size]))
        struct.pack_into('<I', data, 8, zlib.crc32(data[12:32]))


def mutant(data, others, seed):
    dice = mutate.Dice(seed)
    if dice.below(8) == 0:
        return data[:dice.pick((dice.below(len(data)), min(len(data), dice.below(SECTOR))))]
    out = bytearray(data)
    for _ in range(dice.pick((1, 1, 2, 3, 8))):
        dice.pick(CHANGES)(out, dice, dice.pick(others))
        if not out:
            return b''
    if dice.below(2):
        repaired(out)
    return bytes(out)


# ---- scans ----

class Campaign:
    def __init__(self, kith):
        self.kith, self.wrong = kith, 0
        self.statuses, self.slowest, self.mutants, self.rows = collections.Counter(), (0, ''), 0, 0

    def blame(self, text):
        self.wrong += 1
        print(text, flush=True)

    def scan(self, evidence, workers, label):
        """The rows of the table; none if there is no sound one."""
        command = [self.kith, 'scan', '-q', '--all', '--csv', '--containers', 'all', '-j', str(workers), '-r', 'known.kith', evidence]
        began = time.monotonic()
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            self.blame(f'{label}: it did not end within {LIMIT} s')
            return []
        self.slowest = max(self.slowest, (time.monotonic() - began, label))
        self.statuses[run.returncode] += 1
        said = run.stderr.decode(errors='replace')
        if run.returncode not in (0, 3):
            self.blame(f'{label}: exit {run.returncode}: {said[:3000]}')
        for line in said.splitlines():
            if 'worker' in line or 'Sanitizer' in line or 'runtime error' in line:
                self.blame(f'{label}: {line[:1000]}')
        try:
            rows = list(csv.DictReader(io.StringIO(run.stdout.decode(), newline=''), strict=True))
        except (ValueError, csv.Error) as error:
            self.blame(f'{label}: its table cannot be read: {error}')
            return []
        for row in rows:
            if 'worker' in (row['status'] or ''):
                self.blame(f'{label}: {row["path"]}: {row["status"]}')
        return rows

    def both(self, evidence, label):
        rows = self.scan(evidence, 1, label)
        if rows != self.scan(evidence, 4, label):
            self.blame(f'{label}: the rows depend on the number of workers')
        self.rows += len(rows)
        return rows


def intact(rows):
    """What must not depend on the neighbours: all but inodes and offsets."""
    def of(row):
        return (row['address'].partition('/')[2],) + tuple(row[column] for column in COLUMNS)

    return sorted(of(row) for row in rows if row['path'].startswith('intact-'))


def folder(files, name='folder'):
    shutil.rmtree(name, ignore_errors=True)
    os.mkdir(name)
    for path, data in files:
        mutate.write_sparse(os.path.join(name, path), data)
    return name


def file_system(files):
    size = 4 + sum(len(data) // 2048 + 12 for _, data in files) // 512
    with open('disk.img', 'wb') as image:
        image.truncate(0)
    done = subprocess.run(['mke2fs', '-q', '-F', '-t', 'ext4', '-O', '^has_journal', '-N', str(len(files) + 64), '-d', folder(files),
                           'disk.img', f'{size}M'], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return 'disk.img'


def free_space(files):
    """One after another from sector to sector, the intact ones first: a container may claim what follows it."""
    with open('free.raw', 'wb') as image:
        image.write(bytes(1 << 16))
        for _, data in sorted(files, key=lambda file: not file[0].startswith('intact-')):
            image.write(data + bytes(-len(data) % SECTOR))
        image.write(bytes(1 << 16))
    return 'free.raw'


def first_part(rows, end):
    """What is in the free space before that offset."""
    found = []
    for row in rows:
        start = re.search(r'^@\d+\+\d+/[a-z0-9]+@(\d+)', row['address'])
        if start and int(start[1]) < end:
            found.append((row['address'].partition('/')[2],) + tuple(row[column] for column in COLUMNS[1:]))
    return sorted(found)


def batch(campaign, label, neighbours, mutants):
    """Scans mutants beside their neighbours, and the neighbours alone."""
    campaign.mutants += len(mutants)
    everything = neighbours + mutants
    for what, where in (('files', folder), ('file system', file_system)):
        alone = intact(campaign.scan(where(neighbours), 1, f'{label}, neighbours alone as {what}'))
        together = intact(campaign.both(where(everything), f'{label}, {what}'))
        if alone != together:
            campaign.blame(f'{label}, {what}: other rows of intact files: {sorted(set(alone) ^ set(together))[:4]}')
    end = (1 << 16) + sum(len(data) + -len(data) % SECTOR for _, data in neighbours)
    alone = first_part(campaign.scan(free_space(neighbours), 1, f'{label}, neighbours alone in free space'), end)
    together = first_part(campaign.both(free_space(everything), f'{label}, free space'), end)
    if alone != together:
        campaign.blame(f'{label}, free space: other rows of what is before: {sorted(set(alone) ^ set(together))[:4]}')


# ---- the campaign ----

def formats(tests):
    with open(os.path.join(tests, '..', 'lib', 'container', 'container.c'), encoding='utf-8') as file:
        return re.findall(r'^    &(\w+),$', file.read(), re.M)


def opener(name, file):
    """What a file of a format is opened as, in addresses."""
    if name.endswith('_text_format') or name in ('document_format', 'html_format', 'prose_format', 'rtf_format'):
        return 'text'
    packed_archive = re.search(r'\.(tar|cpio)\.', file)
    if packed_archive:
        return packed_archive[1]
    return {'mail_box_format': 'mbox', 'encoded_utf16_runs_format': 'utf16'}.get(
        name, re.sub('^(archive|media|unopened)_format_|^encoded_|_format$', '', name))


def check_samples(campaign, samples, names):
    """Each format of the program has samples, and opens them."""
    if sorted(names) != sorted(samples):
        campaign.blame(f'formats without samples, or samples without formats: {sorted(set(names) ^ set(samples))}')
    files = [(f'{name}-{file}', data) for name in samples for file, data in samples[name]]
    rows = campaign.scan(file_system(files), 1, 'samples')
    for name in samples:
        for file, _ in samples[name]:
            opened = any(row['path'].startswith(f'{name}-{file}') and f'/{opener(name, file)}' in row['address'] for row in rows)
            if opened == (file in packed.BARE):
                campaign.blame(f'{file} is {"" if opened else "not "}opened as {opener(name, file)}')


def mutants_of(name, samples, count):
    """Spread over all samples of the format; spliced with these and with all others."""
    own = [data for _, data in samples[name]]
    every = [data for some in samples.values() for _, data in some if len(data) < 1 << 16]
    for i in range(count):
        file, data = samples[name][i % len(own)]
        yield f'{"az"[i % 2]}-{name}-{i:04}-{file}', mutant(data, own if i % 3 else every, f'{name} {file} {i}')


def main():
    kith, tests, count, *chosen = sys.argv[1:]
    campaign, samples = Campaign(kith), packed.samples(tests)
    folder([(f'{name}-{file}', data) for name in samples for file, data in samples[name] if len(data) < 1 << 16])
    subprocess.run([kith, 'add', '-q', '--containers', 'all', 'known.kith', 'folder'], capture_output=True, check=False)
    check_samples(campaign, samples, formats(tests))
    neighbours = [(f'intact-{i}-{file}', data) for i, name in enumerate(samples) for file, data in samples[name][:1]
                  if len(data) < 1 << 16]
    waiting = []
    for name in chosen or samples:
        waiting += mutants_of(name, samples, int(count))
        while len(waiting) >= BATCH:
            batch(campaign, f'{waiting[0][0]} to {waiting[BATCH - 1][0]}', neighbours, waiting[:BATCH])
            del waiting[:BATCH]
    if waiting:
        batch(campaign, f'{waiting[0][0]} to {waiting[-1][0]}', neighbours, waiting)
    ends = ', '.join(f'{number} with {status}' for status, number in sorted(campaign.statuses.items()))
    print(f'{campaign.mutants} mutants of {len(chosen or samples)} formats, {campaign.rows} rows; scans ended {ends}; '
          f'slowest: {campaign.slowest[0]:.1f} s, {campaign.slowest[1]}')
    sys.exit(1 if campaign.wrong else 0)


main()
