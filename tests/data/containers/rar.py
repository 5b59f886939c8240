#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rar archives of stored files, since the programs that make them are not free:

    rar.py OUT FOLDER FILE...    writes OUT/stored.rar (version 4) and OUT/stored5.rar (version 5)
"""
import os
import struct
import sys
import zlib


def block4(kind, flags, fields, data=b''):
    head = struct.pack('<BHH', kind, flags, 7 + len(fields)) + fields
    return struct.pack('<H', zlib.crc32(head) & 0xffff) + head + data


def dos_time():
    return (2024 - 1980) << 25 | 5 << 21 | 1 << 16 | 12 << 11


def rar4(files):
    out = b'Rar!\x1a\x07\x00' + block4(0x73, 0, bytes(6))
    for name, data in files:
        raw = name.encode()
        fields = struct.pack('<IIBIIBBHI', len(data), len(data), 3, zlib.crc32(data), dos_time(), 20, 0x30, len(raw),
                             0o100644) + raw
        out += block4(0x74, 0x8000, fields, data)
    return out + block4(0x7b, 0x4000, b'')


def number(value):
    out = b''
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def block5(fields, data=b''):
    head = number(len(fields)) + fields
    return struct.pack('<I', zlib.crc32(head)) + head + data


def rar5(files):
    out = b'Rar!\x1a\x07\x01\x00' + block5(number(1) + number(0) + number(0))
    for name, data in files:
        raw = name.encode()
        fields = number(2) + number(2) + number(len(data)) + number(4) + number(len(data)) + number(0o100644)
        fields += struct.pack('<I', zlib.crc32(data)) + number(0) + number(1) + number(len(raw)) + raw
        out += block5(fields, data)
    return out + block5(number(5) + number(0) + number(0))


def main():
    out, folder = sys.argv[1:3]
    files = []
    for name in sys.argv[3:]:
        with open(os.path.join(folder, name), 'rb') as file:
            files.append((name, file.read()))
    with open(os.path.join(out, 'stored.rar'), 'wb') as file:
        file.write(rar4(files))
    with open(os.path.join(out, 'stored5.rar'), 'wb') as file:
        file.write(rar5(files))


main()
