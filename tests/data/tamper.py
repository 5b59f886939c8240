#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tamper.py CASE SQL: changes a case as somebody would who also fixes the checksums of its pages."""
import sqlite3
import struct
import sys

SUM = 4


def table():
    entries = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        entries.append(n)
    return entries


def crc32c(data, entries=tuple(table())):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = entries[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def page_sum(number, page):
    return struct.pack(">I", crc32c(struct.pack(">I", number) + page[:-SUM]))


def fix_checksums(path):
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        size = struct.unpack_from(">H", data, 16)[0]
        assert data[20] == SUM, "these are not pages with checksums"
        for number in range(1, len(data) // size + 1):
            end = number * size
            data[end - SUM:end] = page_sum(number, bytes(data[end - size:end]))
        file.seek(0)
        file.write(data)


if __name__ == "__main__":
    database = sqlite3.connect(sys.argv[1])
    database.executescript(sys.argv[2])
    assert database.total_changes, "nothing was changed"
    database.close()
    fix_checksums(sys.argv[1])
