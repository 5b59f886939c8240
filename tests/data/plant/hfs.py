# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in HFS+ (Apple: Technical Note TN1150). No available tool makes all of that, so it is written here."""
import struct

from plant.image import KNOWN

BLOCK, NODE = 4096, 16384
BLOCKS = 1024
DATE = 3787106645                                       # seconds since 1904
EXTENTS, CATALOG, BAD_BLOCKS, ALLOCATION, STARTUP, ATTRIBUTES, FIRST_USER = 3, 4, 5, 6, 7, 8, 16
ROOT_PARENT, ROOT = 1, 2
FOLDER_RECORD, FILE_RECORD, FOLDER_THREAD, FILE_THREAD = 1, 2, 3, 4
LEAF, HEADER = -1, 1
REGULAR, FOLDER_MODE = 0o100644, 0o40755


def fork(size, extents):
    """A fork's size and where it lies: up to eight of (first block, count)."""
    data = struct.pack(">QII", size, BLOCK, sum(count for _, count in extents))
    for extent in extents:
        data += struct.pack(">II", *extent)
    return data.ljust(80, b"\0")


NOTHING = fork(0, [])


def permissions(mode):
    return struct.pack(">IIBBHI", 0, 0, 0, 0, mode, 0)


def folder_record(number, count):
    return struct.pack(">HHII5I", FOLDER_RECORD, 0, count, number, *[DATE] * 5) + permissions(FOLDER_MODE) + bytes(40)


def file_record(number, data, resource=NOTHING, mode=REGULAR, flags=2):
    return struct.pack(">HHII5I", FILE_RECORD, flags, 0, number, *[DATE] * 5) + permissions(mode) + bytes(40) + data + resource


def catalog_key(parent, name):
    text = name.encode("utf-16-be")
    return struct.pack(">HIH", 6 + len(text), parent, len(name)) + text


def collated(key):
    """The order of names: without case, and NUL is the last character."""
    return key[0], key[1].lower().replace("\0", "\uffff")


def thread(kind, parent, name):
    return struct.pack(">HHIH", kind, 0, parent, len(name)) + name.encode("utf-16-be")


def node(kind, records, after=0):
    """A node of a tree; where its free space begins."""
    data = bytearray(struct.pack(">IIbBHH", 0, 0, kind, 1 if kind == LEAF else 0, len(records), 0))
    offsets = []
    for record in records:
        offsets.append(len(data))
        data += record + bytes(len(record) % 2)
    free = len(data)
    table = b"".join(struct.pack(">H", offset) for offset in reversed([*offsets, free]))
    assert free + after + len(table) <= NODE
    return data.ljust(NODE - len(table), b"\0") + table, free


def tree(records, key_len, nodes, big_keys=6):
    """A tree of one leaf, with NODES in all: its bytes, and where the leaf is free."""
    leaf, free = node(LEAF, records)
    depth = 1 if records else 0
    header = struct.pack(">HIIIIHHIIHIBBI64x", depth, depth, len(records), depth, depth, NODE, key_len, nodes, nodes - 1 - depth, 0, NODE,
                         0, 0xcf, big_keys)
    used = bytes([0x80 | depth << 6]).ljust(NODE - 14 - 106 - 128 - 8, b"\0")
    head, _ = node(HEADER, [header, bytes(128), used])
    data = head + (leaf if records else b"")
    return data.ljust(nodes * NODE, b"\0"), NODE + free


class Hfs:
    """An HFS+ volume under construction."""

    def __init__(self, image):
        self.image = image
        image.data = bytearray(BLOCKS * BLOCK)
        self.used = bytearray(BLOCKS // 8)
        self.next = 2
        self.records, self.attributes, self.overflow = {}, {}, {}
        self.number = FIRST_USER
        self.use(0)
        self.use(BLOCKS - 1)
        self.allocation = self.room(1)
        self.startup = NOTHING
        self.journal = 0

    def use(self, block, count=1):
        for bit in range(block, block + count):
            self.used[bit // 8] |= 0x80 >> bit % 8

    def room(self, count):
        """Blocks in a row, a free one before them: (first, count)."""
        first = self.next + 1
        self.next = first + count
        self.use(first, count)
        return first, count

    def hold(self, place, size=KNOWN, skip=0):
        """Blocks with this content: the extent."""
        extent = self.room(-(-(skip + size) // BLOCK))
        self.image.plant(place, extent[0] * BLOCK + skip, size)
        return extent

    def add(self, name, data=NOTHING, resource=NOTHING, parent=ROOT, number=None, **more):
        if number is None:
            number, self.number = self.number, self.number + 1
        self.records[parent, name] = file_record(number, data, resource, **more)
        self.records[number, ""] = thread(FILE_THREAD, parent, name)
        return number

    def place_tree(self, name, data):
        """Writes a tree into blocks of its own: its fork and where it lies."""
        extent = self.room(len(data) // BLOCK)
        self.image.write(extent[0] * BLOCK, data)
        return fork(len(data), [extent]), extent[0] * BLOCK

    def header(self, forks):
        files = sum(record[:2] == struct.pack(">H", FILE_RECORD) for record in self.records.values())
        free = BLOCKS - sum(bin(byte).count("1") for byte in self.used)
        return struct.pack(">2sHI4sI4IIIIIIIIIIIQ32x", b"H+", 4, 0x100 | (0x2000 if self.journal else 0), b"10.0", self.journal, DATE, DATE,
                           0, DATE, files, 0, BLOCK, BLOCKS, free, self.next, BLOCK, BLOCK, self.number, 1, 1) + b"".join(forks)

    def finish(self):
        """Writes what is kept of the files; where the catalog and the other trees lie, and the catalog's free space."""
        self.records[ROOT_PARENT, "kith"] = folder_record(ROOT, len(self.records) // 2)
        self.records[ROOT, ""] = thread(FOLDER_THREAD, ROOT_PARENT, "kith")
        leaf = [catalog_key(*key) + self.records[key] for key in sorted(self.records, key=collated)]
        data, free = tree(leaf, 516, 4)
        catalog, catalog_at = self.place_tree("catalog", data)
        data, _ = tree([key + record for key, record in sorted(self.overflow.items())], 10, 2, 2)
        extents, extents_at = self.place_tree("extents", data)
        data, _ = tree([key + record for key, record in sorted(self.attributes.items())], 266, 2)
        attributes, attributes_at = self.place_tree("attributes", data)
        allocation = fork(len(self.used), [self.allocation])
        header = self.header([allocation, extents, catalog, attributes, self.startup])
        self.image.write(self.allocation[0] * BLOCK, self.used)
        self.image.write(1024, header)
        self.image.write(BLOCKS * BLOCK - 1024, header)
        return catalog_at, catalog_at + free, extents_at, attributes_at


# ---- files and blocks ----

def forks(volume):
    """Resource forks; what lies after the end of a fork, and after its last block; none at all."""
    volume.add("a resource", resource=fork(KNOWN, [volume.hold("resource-fork")]))
    volume.add("both", fork(100, [volume.room(1)]), fork(KNOWN, [volume.hold("resource-fork-of-file")]))
    volume.add("slack", fork(900, [volume.hold("slack", 3000, skip=1000)]), fork(900, [volume.hold("resource-slack", 3000, skip=1000)]))
    volume.add("reserved", fork(100, [volume.hold("after-end", skip=BLOCK)]))
    volume.add("zero", fork(0, [volume.hold("size-0")]))
    volume.add("larger", fork(1 << 40, [volume.hold("size-beyond")]))


def odd_files(volume):
    """Modes that have no content, numbers that are reserved, names and parents that are the system's or do not exist."""
    for place, mode in (("mode-fifo", 0o10644), ("mode-chr", 0o20644), ("mode-dir", 0o40755), ("mode-blk", 0o60644), ("mode-lnk", 0o120777),
                        ("mode-sock", 0o140755), ("mode-0", 0), ("mode-invalid", 0o170000)):
        volume.add(place, fork(KNOWN, [volume.hold(place)]), mode=mode)
    for number in (BAD_BLOCKS, 9, 14, 15):
        place = "number-%d" % number
        volume.add(place, fork(KNOWN, [volume.hold(place)]), number=number)
    volume.add("parentless", fork(KNOWN, [volume.hold("no-parent")]), parent=5000)
    volume.add("\0\0\0\0HFS+ Private Data", fork(KNOWN, [volume.hold("private-data")]))
    volume.add("no thread", fork(KNOWN, [volume.hold("no-thread")]))
    del volume.records[volume.number - 1, ""]


def odd_records(volume):
    """Records of the catalog of a kind that does not exist."""
    volume.add("no kind", fork(KNOWN, [volume.hold("record-of-no-kind")]))
    volume.records[ROOT, "no kind"] = b"\0\0" + volume.records[ROOT, "no kind"][2:]


def blocks(volume):
    """Allocated, without an owner; bad ones, which the overflow file has; those of the startup file; further extents of a file."""
    volume.hold("leaked")
    key = struct.pack(">HBBII", 10, 0, 0, BAD_BLOCKS, 0)
    volume.overflow[key] = fork(0, [volume.hold("bad-blocks")])[16:]
    volume.startup = fork(KNOWN, [volume.hold("startup-file")])
    number = volume.add("overflow", fork(100, [volume.room(1) for _ in range(8)]))
    key = struct.pack(">HBBII", 10, 0, 0, number, 8)
    volume.overflow[key] = fork(0, [volume.hold("overflow-after-end")])[16:]
    key = struct.pack(">HBBII", 10, 0, 0, 4000, 8)
    volume.overflow[key] = fork(0, [volume.hold("overflow-of-nobody")])[16:]


def attribute(volume, number, name, record):
    text = name.encode("utf-16-be")
    key = struct.pack(">HHIIH", 12 + len(text), 0, number, 0, len(name)) + text
    volume.attributes[key] = record


def attributes(volume):
    """In the tree, and in blocks of its own."""
    number = volume.add("with attributes", fork(100, [volume.room(1)]))
    content = volume.image.content("attribute-inside", 3000)
    attribute(volume, number, "inside", struct.pack(">IIII", 0x10, 0, 0, len(content)) + content)
    attribute(volume, number, "outside", struct.pack(">II", 0x20, 0) + fork(KNOWN, [volume.hold("attribute-fork")]))


def journal(volume):
    """Its description says where it lies."""
    info, _ = volume.room(1)
    first, count = volume.hold("journal", skip=512)
    volume.image.put(">I32xQQ", info * BLOCK, 1, first * BLOCK, count * BLOCK)
    volume.image.plant("journal-info-slack", info * BLOCK + 200, 3000)
    volume.journal = info


def areas(volume, catalog, free, extents, others):
    image = volume.image
    image.plant("boot-blocks", 0, 1024)
    image.plant("after-header", 1536, BLOCK - 1536)
    image.plant("before-alternate-header", (BLOCKS - 1) * BLOCK, BLOCK - 1024)
    image.plant("last-sector", BLOCKS * BLOCK - 512, 512)
    image.plant("allocation-slack", volume.allocation[0] * BLOCK + BLOCKS // 8, 3000)
    image.plant("catalog-node-space", free + 50, 3000)
    image.plant("catalog-header-node", catalog + 300, 3000)
    image.plant("catalog-unused-node", catalog + 2 * NODE + 100)
    image.plant("extents-unused-space", extents + NODE + 4000)
    image.plant("attributes-unused-space", others + NODE + 6000, 4000)
    image.plant("unallocated", (BLOCKS - 20) * BLOCK)
    image.append("after-volume", gap=512)


def compressed(volume):
    """Files marked as compressed: in the resource fork, in the attribute; what is stored there is not."""
    for place, kind in (("compressed-in-fork", 4), ("compressed-in-attribute", 3), ("compressed-odd", 9)):
        number = volume.add(place, fork(KNOWN, [volume.hold(place + "-data")]), fork(KNOWN, [volume.hold(place)]))
        record = bytearray(volume.records[ROOT, place])
        record[41] = 0x20
        volume.records[ROOT, place] = bytes(record)
        header = struct.pack("<4sIQ", b"fpmc"[::-1] if kind == 9 else b"cmpf", kind, 65536) + b"nothing that can be read"
        attribute(volume, number, "com.apple.decmpfs", struct.pack(">IIII", 0x10, 0, 0, len(header)) + header)


def overlapping(volume):
    """Extents that begin within the ones before; that leave a hole."""
    for place, start in (("overflow-overlapping", 3), ("overflow-after-hole", 20)):
        number = volume.add(place, fork(11 * BLOCK, [volume.room(1) for _ in range(8)]))
        volume.overflow[struct.pack(">HBBII", 10, 0, 0, number, start)] = fork(0, [volume.hold(place)])[16:]


def image_maps(image):
    volume = Hfs(image)
    compressed(volume)
    overlapping(volume)
    volume.finish()
    image.store()


def image_sound(image):
    volume = Hfs(image)
    for hide in (forks, blocks, attributes, journal):
        hide(volume)
    areas(volume, *volume.finish())
    image.store()


def make(image, hide):
    volume = Hfs(image)
    hide(volume)
    volume.finish()
    image.store()


def image_files(image):
    make(image, odd_files)


def image_records(image):
    make(image, odd_records)


def image_wrapped(image):
    """Within an HFS volume, as on disks from which old systems could start."""
    volume = Hfs(image)
    volume.add("plain", fork(KNOWN, [volume.hold("in-wrapped")]))
    volume.hold("leaked-in-wrapped")
    volume.finish()
    start, unit = 16 * BLOCK, BLOCK
    image.data = bytearray(start) + image.data + bytes(start)
    image.where = {place: at + start for place, at in image.where.items()}
    image.put(">2s18xIIH94x2sHH", 1024, b"BD", unit, unit, 16, b"H+", (start - 16 * 512) // unit, BLOCKS)
    image.plant("wrapper-before", 5 * BLOCK)
    image.plant("wrapper-after", len(image.data) - 3 * BLOCK)
    image.store()


IMAGES = {
    "hfs-maps": image_maps,
    "hfs-wrapped": image_wrapped,
    "hfs": image_sound,
    "hfs-files": image_files,
    "hfs-records": image_records,
}
