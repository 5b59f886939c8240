#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes a damaged copy of a disk image, reproducible from a seed.
#
#   mutate.py IMAGE OUT SEED         writes the mutant and prints what was changed, in one line
#
# One mutant in eight is only truncated, at 10 to 90 % of its length; in the others a few places are overwritten: with random bytes, with
# extreme numbers in fields of 1 to 8 bytes, with another block, with zeros.  The places are not empty: most of them lie
# in the first 2 MB of each volume and in what looks like metadata rather than content.
import hashlib
import os
import random
import struct
import sys

SECTOR, BLOCK, HEAD, NEAR = 512, 4096, 64 << 10, 2 << 20
ZEROS = bytes(BLOCK)
NUMBERS = (0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 1 << 32, 1 << 40, 1 << 48,
           (1 << 62), (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


class Dice:
    """Built on random() alone, which gives the same on every version of Python."""

    def __init__(self, seed):
        self.random = random.Random(int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], 'big')).random

    def below(self, n):
        return min(int(self.random() * n), n - 1)

    def pick(self, values):
        return values[self.below(len(values))]

    def bytes(self, n):
        return bytes(self.below(256) for _ in range(n))


def volumes(data):
    """Where file systems may begin: the image itself, and what an MBR or a GPT names."""
    starts = [0]
    if data[510:512] == b'\x55\xaa':
        starts += [SECTOR * struct.unpack_from('<I', data, 446 + 16 * i + 8)[0] for i in range(4)]
    if data[SECTOR:SECTOR + 8] == b'EFI PART':
        starts += [SECTOR * struct.unpack_from('<Q', data, 2 * SECTOR + 128 * i + 32)[0] for i in range(16)]
    return sorted({start for start in starts if start < len(data)})


def places(data):
    """Sectors with something in them: those of the heads, the near ones, those with little variety, all."""
    starts = volumes(data)
    heads, near, plain, every = [], [], [], []
    for block in range(0, len(data), BLOCK):
        if data[block:block + BLOCK] == ZEROS[:len(data) - block]:
            continue
        for at in range(block, min(block + BLOCK, len(data)), SECTOR):
            sector = data[at:at + SECTOR]
            if not any(sector):
                continue
            every.append(at)
            if len(set(sector)) < 100:
                plain.append(at)
            if any(start <= at < start + HEAD for start in starts):
                heads.append(at)
            if any(start <= at < start + NEAR for start in starts):
                near.append(at)
    return [group for group in (heads, near, near, plain, plain, every) if group] or [[0]]


def prepare(path):
    with open(path, 'rb') as file:
        data = file.read()
    return data, places(data)


def change(data, groups, dice):
    """Overwrites one place; returns what was done."""
    def place(alignment):
        at = dice.pick(dice.pick(groups)) + dice.below(SECTOR)
        return min(at - at % alignment, len(data) - 1)

    def put(at, new):
        new = new[:len(data) - at]
        data[at:at + len(new)] = new

    kind = dice.below(16)
    if kind < 5:
        at, width = place(1), 1 + dice.below(8)
        put(at, dice.bytes(width))
        return f'random {at}+{width}'
    if kind < 12:
        width = dice.pick((1, 2, 4, 8))
        at, number, order = place(width), dice.pick(NUMBERS), dice.pick(('little', 'little', 'big'))
        count = dice.pick((1, 1, 1, 1, 2, 4, 16))
        put(at, (number & (1 << 8 * width) - 1).to_bytes(width, order) * count)
        return f'number {at}+{width}*{count}={number:#x}'
    if kind < 14:
        size = dice.pick((SECTOR, 1024, BLOCK))
        source, at = place(size), place(size)
        put(at, bytes(data[source:source + size]))
        return f'copy {source}>{at}+{size}'
    if kind < 15:
        at, size = place(SECTOR), dice.pick((32, 128, SECTOR, BLOCK))
        put(at, dice.bytes(size))
        return f'noise {at}+{size}'
    at, size = place(SECTOR), dice.pick((SECTOR, BLOCK, 16 * BLOCK))
    put(at, bytes(size))
    return f'zeros {at}+{size}'


def mutant(data, groups, seed):
    """The damaged bytes, and what was done: 'cut ..' if they are only fewer."""
    dice = Dice(seed)
    if dice.below(8) == 0:
        length = len(data) * (10 + dice.below(81)) // 100
        return data[:length - length % dice.pick((1, SECTOR, BLOCK))], f'cut {length}'
    out = bytearray(data)
    done = [change(out, groups, dice) for _ in range(dice.pick((1, 2, 4, 8, 16, 32, 64)))]
    return bytes(out), ', '.join(done)


def write_sparse(path, data):
    with open(path, 'wb') as file:
        for at in range(0, len(data), BLOCK):
            block = data[at:at + BLOCK]
            if block != ZEROS[:len(block)]:
                file.seek(at)
                file.write(block)
        file.truncate(len(data))


def main():
    if len(sys.argv) != 4:
        sys.exit('usage: mutate.py IMAGE OUT SEED')
    image, out, seed = sys.argv[1:]
    data, done = mutant(*prepare(image), f'{os.path.basename(image)} {seed}')
    write_sparse(out, data)
    print(done)


if __name__ == '__main__':
    main()
