#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets with secret keys, after kith-set(5) alone.

key.py id KEY                  the ID of a key
key.py check KEY SET.json FILE compares the samples that an exported set has of a file with those that the key selects
key.py hit SET.json FILE...    changes a byte in the middle of each window that an exported set has of each file
"""
import hashlib
import json
import struct
import sys

N, REACH, MASK64 = 12, 32, (1 << 64) - 1
DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'


class Key:
    def __init__(self, path):
        magic, digits = open(path).read().rstrip('\n').split(':')
        assert magic == 'kith-key1' and len(digits) == 64
        self.secret = bytes.fromhex(digits)
        self.id = self.derive('kith key id', 0)[:16]
        self.seeds = struct.unpack('<4Q', self.derive('kith key fingerprint', 0))
        number = 0
        while not self.usable(self.derive('kith key selector', number)):
            number += 1

    def derive(self, purpose, number):
        return hashlib.sha256(purpose.encode() + self.secret + struct.pack('<I', number)).digest()

    def usable(self, digest):
        self.target = digest[8]
        self.enter = [0] * 256
        for byte in range(256):
            for bit in range(8):
                if byte >> bit & 1:
                    self.enter[byte] ^= digest[bit]
        return len(set(self.enter)) == 256 and self.target & 0xc0


def times_g(h):
    product = 0
    for bit in range(7, -1, -1):
        product <<= 1
        if product & 0x100:
            product ^= 0x11b
        if 0x4c >> bit & 1:
            product ^= h
    return product


def fold(a, b):
    product = a * b
    return product & MASK64 ^ product >> 64


def fingerprint(key, window):
    h = 0
    for byte in window:
        h = STEP[h] ^ key.enter[byte]
    first, last = struct.unpack('<Q', window[:8])[0], struct.unpack('<Q', window[-8:])[0]
    s = key.seeds
    strong = fold(fold(first ^ s[0], last ^ s[1]) ^ s[2] ^ N, s[3])
    return (h ^ key.target) >> 1 << 57 | strong >> 7


def select(key, data, c):
    padded = bytes(REACH) + data
    for at in range(len(data) - N + 1):
        window = data[at:at + N]
        fp = fingerprint(key, window)
        if fp < (1 << 64) // c and len(set(window)) >= 4 and window[4:] != window[:-4] and not any(
                padded[at + REACH - d:at + REACH - d + N] == window for d in range(1, REACH + 1)):
            yield at, fp


def entry(path, data):
    digest = hashlib.sha1(data).hexdigest()
    return next(row for row in map(json.loads, open(path)) if row.get('sha1') == digest)


def numbers(text):
    """Positions: groups of five bits, lowest first; the sixth bit says that another follows."""
    at, value, shift, last = [], 0, 0, 0
    for digit in map(DIGITS.index, text):
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            last += value
            at.append(last)
            value, shift = 0, 0
    return at


def samples(row):
    """C, k, and the samples of an entry's record, of whose fingerprints a set keeps the upper 47 bits and six more."""
    fields = row['record'].split(':')
    c, k, positions = int(fields[3]), int(fields[4]), numbers(fields[9])
    width = len(fields[10]) // max(len(positions), 1)
    fps = [0] * len(positions)
    for i in range(len(positions)):
        for digit in fields[10][i * width:(i + 1) * width]:
            fps[i] = fps[i] << 6 | DIGITS.index(digit)
    return c, k, list(zip(positions, fps))


def check(key, path, name):
    data = open(name, 'rb').read()
    c, k, found = samples(entry(path, data))
    kept = ~(((1 << 17) - 1) ^ 63)
    wanted = [(at, fp & kept) for at, fp in select(key, data, c)]
    assert k == int.from_bytes(key.id[:4], 'little'), (k, key.id.hex())
    assert found == wanted, (len(found), len(wanted), found[:3], wanted[:3])
    print(len(found))


def hit(path, names):
    for name in names:
        data = bytearray(open(name, 'rb').read())
        end = -1
        for at, _ in samples(entry(path, bytes(data)))[2]:
            if at > end:  # the last change is not in this window
                end = at + N // 2
                data[end] ^= 1
        open(name, 'wb').write(data)


STEP = [times_g(h) for h in range(256)]

if __name__ == '__main__':
    if sys.argv[1] == 'id':
        print(Key(sys.argv[2]).id.hex())
    elif sys.argv[1] == 'check':
        check(Key(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        hit(sys.argv[2], sys.argv[3:])
