# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in exFAT (Microsoft: exFAT file system specification)."""
import struct

from plant.image import KNOWN, run

ENTRY = 32
TIMESTAMP = (2024 - 1980) << 25 | 1 << 21 | 2 << 16 | 3 << 11 | 4 << 5 | 2
ARCHIVE, FOLDER = 0x20, 0x10
POSSIBLE, NO_CHAIN = 1, 2
BITMAP, UPCASE, FILE, STREAM, NAME, VENDOR_ALLOCATION = 0x81, 0x82, 0x85, 0xc0, 0xc1, 0xe1
BAD, LAST = 0xfffffff7, 0xffffffff
AFTER = 40                     # entries after the end mark, where the folder's slack begins


def rotated_sum(data, skip=()):
    total = 0
    for i, byte in enumerate(data):
        if i not in skip:
            total = ((total >> 1 | total << 15) + byte) & 0xffff
    return total


def file_set(name, attributes, flags, first, length, valid=None, more=b""):
    """A file's entry and those that belong to it; MORE are further ones."""
    units = name.encode("utf-16-le")
    names = -(-len(units) // 30)
    data = bytearray(struct.pack("<BBHHHIII12x", FILE, 1 + names + len(more) // ENTRY, 0, attributes, 0, TIMESTAMP, TIMESTAMP, TIMESTAMP))
    data += struct.pack("<BBBBHHQIIQ", STREAM, flags, 0, len(name), rotated_sum(name.upper().encode("utf-16-le")), 0,
                        length if valid is None else valid, 0, first, length)
    for i in range(names):
        data += struct.pack("<BB30s", NAME, 0, units[30 * i:30 * i + 30])
    data += more
    struct.pack_into("<H", data, 2, rotated_sum(data, (2, 3)))
    return data


class ExFat:
    """The layout of an exFAT image; entries go one after the other into the root folder."""

    def __init__(self, image):
        self.image = image
        self.volume_sectors, fat, fat_len, heap, self.clusters, root = image.get("<QIIIII", 72)
        self.sector = 1 << image.data[108]
        self.cluster = self.sector << image.data[109]
        self.fat, self.fat_len, self.heap = fat * self.sector, fat_len * self.sector, heap * self.sector
        self.end = self.at(self.clusters + 2)
        self.entry = self.at(root)
        while image.data[self.entry]:
            kind, (first, length) = image.data[self.entry], image.get("<IQ", self.entry + 20)
            if kind == BITMAP:
                self.bitmap = (self.at(first), length)
            elif kind == UPCASE:
                self.upcase = (self.at(first), length)
            self.entry += ENTRY
        self.next = root + 8

    def at(self, cluster):
        return self.heap + (cluster - 2) * self.cluster

    def room(self, count, used=True):
        """Clusters in a row, with a free one before them: the first."""
        first = self.next + 1
        self.next = first + count
        for bit in range(first - 2, first - 2 + count) if used else ():
            self.image.data[self.bitmap[0] + bit // 8] |= 1 << bit % 8
        return first

    def link(self, first, count, last=LAST):
        for cluster in range(first, first + count):
            self.image.put("<I", self.fat + 4 * cluster, cluster + 1 if cluster < first + count - 1 else last)

    def hold(self, place, size=KNOWN, skip=0, used=True):
        """Clusters with this content after SKIP bytes: the first."""
        first = self.room(-(-(skip + size) // self.cluster), used)
        self.image.plant(place, self.at(first) + skip, size)
        return first

    def add(self, data, at=None):
        """Entries; after the others of the root."""
        if at is None:
            at, self.entry = self.entry, self.entry + len(data)
        assert not any(self.image.data[at:at + len(data)])
        self.image.write(at, data)

    def file(self, name, first, length, **more):
        self.add(file_set(name, more.pop("attributes", ARCHIVE), more.pop("flags", POSSIBLE | NO_CHAIN), first, length, **more))


# ---- clusters ----

def leaked(fs):
    fs.hold("leaked")


def lost_chain(fs):
    first = fs.hold("lost-chain")
    fs.link(first, KNOWN // fs.cluster)


def bad_clusters(fs):
    first = fs.hold("bad-clusters")
    for i in range(KNOWN // fs.cluster):
        fs.image.put("<I", fs.fat + 4 * (first + i), BAD)


def chained_but_free(fs):
    """In the FAT, but not in the bitmap."""
    fs.link(fs.hold("chained-but-free", used=False), KNOWN // fs.cluster)


# ---- files with more than their entries say ----

def longer(fs):
    """A chain that continues past the end of the file."""
    first = fs.hold("chain-longer-than-size", skip=fs.cluster)
    fs.link(first, 1 + KNOWN // fs.cluster)
    fs.file("longer.bin", first, 100, flags=POSSIBLE)


def broken_chain(fs):
    first = fs.hold("chain-broken", skip=fs.cluster)
    fs.link(first, 1, 0)
    fs.file("broken.bin", first, fs.cluster + KNOWN, flags=POSSIBLE)


def size_zero(fs):
    fs.file("zero.bin", fs.hold("size-0"), 0)


def never_written(fs):
    fs.file("valid.bin", fs.hold("never-written", skip=1000), 1000 + KNOWN, valid=900)


def slack(fs):
    fs.file("slack.bin", fs.hold("slack", 3000, skip=1000), 900)


def not_possible(fs):
    """The entry has clusters, although its flag says that it cannot have any."""
    fs.file("impossible.bin", fs.hold("allocation-impossible"), KNOWN, flags=0)


# ---- entries that are not taken for files ----

def as_folder(fs):
    fs.file("as-folder.bin", fs.hold("as-folder"), KNOWN, attributes=FOLDER)


def bad_checksum(fs):
    data = file_set("checksum.bin", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("bad-checksum"), KNOWN)
    data[2] ^= 0xff
    fs.add(data)


def lone_entries(fs):
    """A file without a stream, a stream without a file, a wrong count of secondary entries."""
    data = file_set("x", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("stream-without-file"), KNOWN)
    fs.add(data[ENTRY:2 * ENTRY])
    data = file_set("count.bin", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("wrong-count"), KNOWN)
    data[1] = 200
    fs.add(data)
    data = file_set("order.bin", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("name-before-stream"), KNOWN)
    fs.add(data[:ENTRY] + data[2 * ENTRY:] + data[ENTRY:2 * ENTRY])


def vendor(fs):
    """Secondary entries of vendors may have clusters of their own."""
    first = fs.hold("vendor-allocation")
    entry = struct.pack("<BB16sHIQ", VENDOR_ALLOCATION, POSSIBLE | NO_CHAIN, b"kith" * 4, 0, first, KNOWN)
    fs.file("vendor.bin", fs.room(1), 100, more=entry)
    fs.add(struct.pack("<BB16sHIQ", VENDOR_ALLOCATION, POSSIBLE | NO_CHAIN, b"kith" * 4, 0, fs.hold("lone-vendor-allocation"), KNOWN))


def unknown_entries(fs):
    """Of kinds that do not exist: critical and benign, primary and secondary; and second copies of the system's own."""
    for kind, place in ((0x86, "unknown-critical"), (0xa5, "unknown-benign"), (0xc5, "unknown-secondary"),
                        (0xe7, "unknown-benign-secondary"),
                        (0x06, "unknown-not-in-use"), (BITMAP, "second-bitmap"), (UPCASE, "second-upcase")):
        fs.add(struct.pack("<BB18xIQ", kind, POSSIBLE | NO_CHAIN, fs.hold(place), KNOWN))


def deleted(fs):
    """Its clusters are free, as they should be; and still allocated."""
    for place, used in (("deleted", False), ("deleted-still-allocated", True)):
        data = file_set(place[-9:], ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold(place, used=used), KNOWN)
        for i in range(0, len(data), ENTRY):
            data[i] &= 0x7f
        fs.add(data)


def folders(fs):
    """After a folder's end mark; entries after it; a folder without a name."""
    first = fs.room(2)
    at = fs.at(first)
    fs.file("folder", first, 2 * fs.cluster, attributes=FOLDER)
    fs.add(file_set("in.bin", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("in-folder"), KNOWN), at)
    fs.add(file_set("after.bin", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("after-end-mark"), KNOWN), at + 10 * ENTRY)
    fs.image.plant("folder-slack", at + AFTER * ENTRY, fs.cluster - AFTER * ENTRY)
    fs.image.plant("folder-second-cluster", at + fs.cluster, fs.cluster)
    at = fs.at(fs.room(1))
    fs.add(file_set("lost.bin", ARCHIVE, POSSIBLE | NO_CHAIN, fs.hold("in-nameless-folder"), KNOWN), at)


# ---- areas ----

def boot_regions(fs):
    for region, name in ((0, ""), (12 * fs.sector, "backup-")):
        fs.image.plant(name + "boot-code", region + 120, 390, over=True)
        fs.image.plant(name + "extended-boot-sectors", region + fs.sector, 8 * fs.sector - 4, over=True)
        fs.image.plant(name + "oem-parameters", region + 9 * fs.sector, 2 * fs.sector, over=True)


def gaps(fs):
    fs.image.plant("before-fat", 24 * fs.sector, min(KNOWN, fs.fat - 24 * fs.sector))
    used = 4 * (fs.clusters + 2)
    fs.image.plant("fat-slack", fs.fat + used, fs.fat_len - used)
    assert fs.heap - fs.fat - fs.fat_len >= 2 * KNOWN
    fs.image.plant("before-heap", fs.heap - KNOWN)


def system_slack(fs):
    for name, (at, length) in (("bitmap-slack", fs.bitmap), ("upcase-slack", fs.upcase)):
        fs.image.plant(name, at + length, -length % fs.cluster)


def root_slack(fs):
    fs.image.plant("root-slack", fs.entry + 3 * ENTRY, fs.cluster - (fs.entry + 3 * ENTRY - fs.heap) % fs.cluster)


def after_heap(fs):
    """Sectors of the volume that belong to no cluster, and those after it."""
    fs.image.plant("after-heap", fs.end, fs.volume_sectors * fs.sector - fs.end)
    fs.image.append("after-volume", gap=fs.sector)


CLUSTERS = (leaked, lost_chain, bad_clusters, chained_but_free, longer, broken_chain, size_zero, never_written, slack, not_possible,
            deleted)
ENTRIES = (as_folder, bad_checksum, vendor, folders, unknown_entries, lone_entries)
AREAS = (boot_regions, gaps, system_slack, after_heap)


def make(image, places):
    image.blank((5 << 20) + 3 * 512)
    run("mkfs.exfat", "-c", "4K", "-L", "KITH", image.path)
    image.load()
    image.put("<I", 100, 0x6b697468)
    fs = ExFat(image)
    count = (fs.volume_sectors * fs.sector - fs.heap) // fs.cluster - 1     # a few sectors too few for the last cluster
    image.put("<I", 92, count)
    fs.clusters, fs.end = count, fs.at(count + 2)
    for hide in places:
        hide(fs)
    root_slack(fs)
    image.store()


def image_clusters(image):
    make(image, (*CLUSTERS, *AREAS))


def image_entries(image):
    make(image, ENTRIES)


IMAGES = {
    "exfat-clusters": image_clusters,
    "exfat-entries": image_entries,
}
