#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copies a folder into an empty exFAT image made by mkfs.exfat (no other tool does that without mounting).
#
#   exfat.py IMAGE DIR [fragmented=PREFIX] [deleted=PREFIX] [valid=PATH=BYTES]...
#
# Files are contiguous and marked as such (NoFatChain); those whose path begins with a fragmented=PREFIX lie in every second cluster, chained
# through the FAT.  Those of a deleted=PREFIX are written like the others; then their entries lose the in-use bit and their clusters are
# free again.  Of the file of a valid=PATH=BYTES only that many bytes are valid: it reads as zeros after them (so its source must hold
# zeros there), whatever its clusters hold.
import os
import struct
import sys

from plant.exfat import rotated_sum

ENTRY = 32
TIMESTAMP = (2024 - 1980) << 25 | 1 << 21 | 2 << 16 | 3 << 11 | 4 << 5 | 5 // 2
ARCHIVE, DIRECTORY = 0x20, 0x10
ALLOCATED, NO_FAT_CHAIN = 1, 2
LAST = 0xffffffff


class Volume:
    def __init__(self, image):
        self.file = open(image, "r+b")
        boot = self.file.read(512)
        fat, _, heap, self.clusters, self.root = struct.unpack_from("<5I", boot, 80)
        sector = 1 << boot[108]
        self.size = sector << boot[109]
        self.fat, self.heap = fat * sector, heap * sector
        self.file.seek(self.at(self.root))
        entries = self.file.read(self.size)
        self.end = 0                                                # of the root folder's entries
        while entries[self.end]:
            kind = entries[self.end]
            first, length = struct.unpack_from("<IQ", entries, self.end + 20)
            if kind == 0x81:
                self.bitmap_at = self.at(first)
                self.file.seek(self.bitmap_at)
                self.bitmap = bytearray(self.file.read(length))
            elif kind == 0x82:
                self.file.seek(self.at(first))
                self.upcase = self.decompress(self.file.read(length))
            self.end += ENTRY

    @staticmethod
    def decompress(data):
        """The up-case table: 0xffff N stands for N characters that map to themselves."""
        table, units = [], iter(struct.unpack("<%dH" % (len(data) // 2), data))
        for unit in units:
            if unit == 0xffff and len(table) < 0xffff:
                n = next(units, 1)
                table.extend(range(len(table), len(table) + n))
            else:
                table.append(unit)
        return table

    def at(self, cluster):
        return self.heap + (cluster - 2) * self.size

    def taken(self, cluster):
        return self.bitmap[(cluster - 2) >> 3] >> (cluster - 2 & 7) & 1

    def mark(self, clusters, used):
        for cluster in clusters:
            bit = 1 << (cluster - 2 & 7)
            self.bitmap[(cluster - 2) >> 3] = self.bitmap[(cluster - 2) >> 3] & ~bit | (bit if used else 0)

    def allocate(self, count, step):
        """Free clusters, STEP apart."""
        for first in range(2, self.clusters + 2 - count * step):
            found = range(first, first + count * step, step)
            if not any(map(self.taken, found)):
                self.mark(found, True)
                return found
        sys.exit("exfat.py: the image is full")

    def store(self, data, step=1):
        """Writes DATA; its clusters."""
        clusters = self.allocate(-(-len(data) // self.size), step) if data else range(0)
        for i, cluster in enumerate(clusters):
            self.file.seek(self.at(cluster))
            self.file.write(data[i * self.size:(i + 1) * self.size])
            if step > 1:
                self.file.seek(self.fat + cluster * 4)
                self.file.write(struct.pack("<I", clusters[i + 1] if i + 1 < len(clusters) else LAST))
        return clusters

    def entry(self, name, attributes, flags, first, length, valid, deleted):
        units = name.encode("utf-16-le")
        count = len(units) // 2
        upper = [self.upcase[u] if u < len(self.upcase) else u for u in struct.unpack("<%dH" % count, units)]
        names = -(-count // 15)
        data = bytearray(struct.pack("<BBHHHIIIBBBBB7x", 0x85, 1 + names, 0, attributes, 0, TIMESTAMP, TIMESTAMP, TIMESTAMP,
                                     0, 0, 0x80, 0x80, 0x80))
        data += struct.pack("<BBBBHHQIIQ", 0xc0, flags, 0, count, rotated_sum(struct.pack("<%dH" % count, *upper)), 0, valid, 0,
                            first, length)
        for i in range(names):
            data += struct.pack("<BB30s", 0xc1, 0, units[i * 30:i * 30 + 30])
        struct.pack_into("<H", data, 2, rotated_sum(data, (2, 3)))
        if deleted:
            for i in range(0, len(data), ENTRY):
                data[i] &= 0x7f
        return data

    def folder(self, top, path, fragmented, deleted, valid):
        """The entries of a folder, whose content is written; also the clusters to be freed at the end."""
        entries, freed = bytearray(), []
        for name in sorted(os.listdir(os.path.join(top, path))):
            inner = os.path.join(path, name)
            source = os.path.join(top, inner)
            gone = inner.startswith(deleted)
            step = 1
            if os.path.isdir(source):
                attributes = DIRECTORY
                data, more = self.folder(top, inner, fragmented, deleted, valid)
                freed += more
                data += bytes(-len(data) % self.size or (0 if data else self.size))
            else:
                attributes = ARCHIVE
                step = 2 if inner.startswith(fragmented) else 1
                with open(source, "rb") as f:
                    data = f.read()
            known = valid.get(inner, len(data))
            if any(data[known:]):
                sys.exit("exfat.py: not zeros: " + inner)
            data = data[:known] + b"\xa5" * (len(data) - known)
            clusters = self.store(data, step)
            if gone:
                freed += clusters
            flags = ALLOCATED | (NO_FAT_CHAIN if step == 1 and data else 0)
            entries += self.entry(name, attributes, flags, clusters[0] if data else 0, len(data), known, gone)
        return entries, freed


def main(image, top, options):
    def prefixes(key):
        return tuple(o[len(key):] for o in options if o.startswith(key))
    volume = Volume(image)
    valid = {path: int(n) for path, n in (o.rsplit("=", 1) for o in prefixes("valid="))}
    entries, freed = volume.folder(top, "", prefixes("fragmented="), prefixes("deleted="), valid)
    if volume.end + len(entries) > volume.size:
        sys.exit("exfat.py: too many entries in the root folder")
    volume.file.seek(volume.at(volume.root) + volume.end)
    volume.file.write(entries)
    volume.mark(freed, False)
    volume.file.seek(volume.bitmap_at)
    volume.file.write(volume.bitmap)
    volume.file.close()


main(sys.argv[1], sys.argv[2], sys.argv[3:])
