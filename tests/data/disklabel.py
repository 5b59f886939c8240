#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes a BSD disk label, as FreeBSD has it on i386, into the second sector of a slice.
#
#   disklabel.py IMAGE SLICE LENGTH LETTER=START+LENGTH...     all in sectors of 512 bytes; START from the start of the disk
import struct
import sys

MAGIC = 0x82564557
UNUSED, FFS = 0, 7
SECTOR, NSECTORS, NTRACKS = 512, 63, 16


def main(image, start, length, partitions):
    table = [(0, 0, 0, UNUSED, 0, 0)] * 8
    table[2] = (length, start, 0, UNUSED, 0, 0)                     # c: the whole slice
    for partition in partitions:
        letter, _, where = partition.partition("=")
        first, count = map(int, where.split("+"))
        table["abcdefgh".index(letter)] = (count, first, 1024, FFS, 8, 0)
    label = bytearray(struct.pack("<IHH16s16s6IHHIHHHH3I20x20xIHHII", MAGIC, 3, 0, b"kith", b"kith", SECTOR, NSECTORS, NTRACKS,
                                  length // (NSECTORS * NTRACKS), NSECTORS * NTRACKS, length, 0, 0, 0, 3600, 1, 0, 0, 0, 0, 0,
                                  MAGIC, 0, len(table), 8192, 8192))
    for entry in table:
        label += struct.pack("<IIIBBH", *entry)
    checksum = 0
    for word in struct.unpack("<%dH" % (len(label) // 2), label):
        checksum ^= word
    struct.pack_into("<H", label, 136, checksum)
    with open(image, "r+b") as f:
        f.seek((start + 1) * SECTOR)
        f.write(label)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
