#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Fills an empty exFAT image made by mkfs.exfat with COUNT empty files 0000000, 0000001 .. in the root folder.
#
#   million.py IMAGE COUNT
import struct
import sys

path, count = sys.argv[1], int(sys.argv[2])
with open(path, "r+b") as image:
    boot = image.read(512)
    fat, _, heap, _, root = struct.unpack_from("<5I", boot, 80)
    sector = 1 << boot[108]
    size = sector << boot[109]

    def place(cluster):
        return heap * sector + (cluster - 2) * size

    image.seek(place(root))
    entries = image.read(size)
    end = 0
    while entries[end]:
        if entries[end] == 0x81:                                    # the bitmap
            bitmap = place(struct.unpack_from("<I", entries, end + 20)[0])
        end += 32
    time = 44 << 25 | 1 << 21 | 2 << 16 | 3 << 11
    head = (struct.pack("<BBHHH3I", 0x85, 2, 0, 0x20, 0, time, time, time) + bytes(12) +
            bytes([0xc0, 1, 0, 7]) + bytes(28) + bytes([0xc1, 0]))
    tail = bytes(30 - 14)
    folder = entries[:end] + b"".join(head + ("%07d" % i).encode("utf-16-le") + tail for i in range(count))
    clusters = len(folder) // size + 1
    image.seek(place(root))
    image.write(folder)
    image.seek(fat * sector + 4 * root)
    image.write(struct.pack("<%dI" % clusters, *range(root + 1, root + clusters), 0xffffffff))
    image.seek(bitmap)                                              # clusters are used from 2 on
    used = root + clusters - 2
    image.write(b"\xff" * (used // 8) + bytes([(1 << used % 8) - 1]))
