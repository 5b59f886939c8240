# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in NTFS (the layout as in ntfs-3g's layout.h and the documentation of linux-ntfs)."""
import os
import struct
import sys

from plant.image import KNOWN, run

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLUSTER, RECORD, SECTOR = 4096, 1024, 512
SI, ATTRIBUTE_LIST, FILE_NAME, OBJECT_ID, SECURITY, VOLUME_NAME = 0x10, 0x20, 0x30, 0x40, 0x50, 0x60
DATA, INDEX_ALLOCATION, BITMAP, REPARSE, EA, PROPERTY_SET, LOGGED, CUSTOM = 0x80, 0xa0, 0xb0, 0xc0, 0xe0, 0xf0, 0x100, 0x1000
END = 0xffffffff
IN_USE, IS_FOLDER = 1, 2
COMPRESSED, ENCRYPTED, SPARSE = 1, 0x4000, 0x8000
MFT, LOGFILE, VOLUME, ROOT, CLUSTERS, BOOT, BADCLUS, SECURE, EXTEND = 0, 2, 3, 5, 6, 7, 8, 9, 11
ROOM = 90                       # names that are made so that there are records


def packed_runs(runs):
    """(cluster or None for a hole, count) as a mapping of pairs."""
    out, last = b"", 0
    for cluster, count in runs:
        length = count.to_bytes(count.bit_length() // 8 + 1, "little")
        delta = b""
        if cluster is not None:
            step, last = cluster - last, cluster
            delta = step.to_bytes((step.bit_length() if step >= 0 else (~step).bit_length()) // 8 + 1, "little", signed=True)
        out += bytes([len(delta) << 4 | len(length)]) + length + delta
    return out + b"\0"


def unpacked_runs(data):
    cluster, out = 0, []
    while data and data[0]:
        length, delta = data[0] & 15, data[0] >> 4
        count = int.from_bytes(data[1:1 + length], "little")
        cluster += int.from_bytes(data[1 + length:1 + length + delta], "little", signed=True)
        out.append((cluster if delta else None, count))
        data = data[1 + length + delta:]
    return out


def padded(data):
    return data + bytes(-len(data) % 8)


def resident(kind, content, name="", number=9):
    """An attribute whose content lies in the record."""
    text = name.encode("utf-16-le")
    start = 24 + len(padded(text))
    body = padded(text) + padded(content)
    return struct.pack("<IIBBHHHIHH", kind, 24 + len(body), 0, len(name), 24, 0, number, len(content), start, 0) + body


def stored(kind, runs, size, name="", number=9, flags=0, valid=None, first=0, unit=0):
    """An attribute whose content lies in clusters."""
    text, count = name.encode("utf-16-le"), sum(n for _, n in runs)
    head = 72 if unit else 64
    start = head + len(padded(text))
    body = padded(text) + padded(packed_runs(runs))
    allocated = count * CLUSTER
    out = struct.pack("<IIBBHHHQQHB5xQQQ", kind, head + len(body), 1, len(name), head, flags, number, first, first + count - 1, start,
                      unit, allocated, size, size if valid is None else valid)
    if unit:
        out += struct.pack("<Q", sum(n for cluster, n in runs if cluster is not None) * CLUSTER)
    return out + body


def file_name(name, parent=ROOT, space=1):
    text = name.encode("utf-16-le")
    return resident(FILE_NAME, struct.pack("<Q32xQQIIBB", parent | 5 << 48, 0, 0, 0x20, 0, len(name), space) + text, number=2)


STANDARD = resident(SI, struct.pack("<QQQQI12x", *[133486381450000000] * 4, 0x20), number=0)


class Ntfs:
    """The layout of an NTFS image made here."""

    def __init__(self, image):
        self.image = image
        self.mft = [(image.get("<Q", 48) * CLUSTER, CLUSTER)]
        self.mft = self.mapped(self.attribute(MFT, DATA))
        self.clusters = self.mapped(self.attribute(CLUSTERS, DATA))
        self.records = sum(length for _, length in self.mft) // RECORD
        self.names = dict(self.listed())
        self.next_free = 100

    # ---- records ----

    @staticmethod
    def byte_in(ranges, offset):
        for at, length in ranges:
            if offset < length:
                return at + offset
            offset -= length
        raise AssertionError("after the end")

    def record_at(self, number):
        return self.byte_in(self.mft, number * RECORD)

    def record(self, number):
        """Its bytes, with the sectors' ends put back."""
        at = self.record_at(number)
        data = bytearray(self.image.data[at:at + RECORD])
        start = struct.unpack_from("<H", data, 4)[0]
        for i in range(RECORD // SECTOR):
            end = (i + 1) * SECTOR - 2
            data[end:end + 2] = data[start + 2 + 2 * i:start + 4 + 2 * i]
        return data

    def write_record(self, number, data):
        start = struct.unpack_from("<H", data, 4)[0]
        data = bytearray(data)
        for i in range(RECORD // SECTOR):
            end = (i + 1) * SECTOR - 2
            data[start + 2 + 2 * i:start + 4 + 2 * i] = data[end:end + 2]
            data[end:end + 2] = data[start:start + 2]
        self.image.write(self.record_at(number), data)

    @staticmethod
    def attributes(record):
        at = struct.unpack_from("<H", record, 20)[0]
        while at + 8 <= len(record):
            kind, length = struct.unpack_from("<II", record, at)
            if kind == END or not length:
                return
            yield kind, bytes(record[at:at + length])
            at += length

    def attribute(self, number, kind):
        return next(data for found, data in self.attributes(self.record(number)) if found == kind)

    def rebuild(self, number, attributes, flags=None, base=0):
        """The record with these attributes only, or, if it was never used, a new one."""
        record = self.record(number)
        if record[:4] != b"FILE":
            record = bytearray(RECORD)
            struct.pack_into("<4sHHQHHHHIIQHHI", record, 0, b"FILE", 48, 3, 0, 1, 1, 56, IN_USE, 0, RECORD, 0, 20, 0, number)
            record[48:50] = b"\1\0"
        body = b"".join(sorted(attributes, key=lambda a: struct.unpack_from("<I", a)[0])) + struct.pack("<II", END, 0)
        start = struct.unpack_from("<H", record, 20)[0]
        assert start + len(body) <= RECORD, number
        record[start:] = (body + bytes(RECORD))[:RECORD - start]
        struct.pack_into("<I", record, 24, start + len(body))
        struct.pack_into("<Q", record, 32, base)
        struct.pack_into("<H", record, 40, 100)
        if flags is not None:
            struct.pack_into("<H", record, 22, flags)
        self.write_record(number, record)

    def add(self, number, attribute):
        self.rebuild(number, [data for _, data in self.attributes(self.record(number))] + [attribute])

    def without_data(self, number):
        return [data for kind, data in self.attributes(self.record(number)) if kind != DATA]

    def replace_data(self, name, *attributes):
        """Other attributes instead of the content of a file of this name."""
        number = self.names[name]
        self.rebuild(number, [*self.without_data(number), *attributes])
        return number

    @staticmethod
    def mapped_runs(runs):
        return [(cluster * CLUSTER, count * CLUSTER) for cluster, count in runs if cluster is not None]

    def mapped(self, attribute):
        """The ranges of the image in which a stored attribute lies."""
        return self.mapped_runs(unpacked_runs(attribute[struct.unpack_from("<H", attribute, 32)[0]:]))

    def listed(self):
        for number in range(24, self.records):
            record = self.record(number)
            for kind, data in self.attributes(record) if record[:4] == b"FILE" else ():
                if kind == FILE_NAME:
                    yield data[24 + 66:24 + 66 + 2 * data[24 + 64]].decode("utf-16-le"), number

    # ---- clusters ----

    def is_used(self, cluster):
        return self.image.data[self.byte_in(self.clusters, cluster // 8)] >> cluster % 8 & 1

    def use(self, cluster, count=1):
        for bit in range(cluster, cluster + count):
            self.image.data[self.byte_in(self.clusters, bit // 8)] |= 1 << bit % 8

    def room(self, count):
        """Clusters in a row, marked as used, with a free one before them."""
        first = self.next_free + 1
        while any(self.is_used(cluster) for cluster in range(first, first + count)):
            first += 1
        self.next_free = first + count
        self.use(first, count)
        return first

    def hold(self, place, size=KNOWN, skip=0):
        """Clusters with this content: their run."""
        count = -(-(skip + size) // CLUSTER)
        first = self.room(count)
        self.image.plant(place, first * CLUSTER + skip, size)
        return [(first, count)]


def make(image, size, names, folders=()):
    """mkntfs, and small files of these names (and of others, so that there are records)."""
    for name in (*names, *("room-%02d" % i for i in range(ROOM))):
        image.filler(name, 10)
    for name in folders:
        os.makedirs(os.path.join(image.sources, name))
    image.blank(size)
    run("mkntfs", "-F", "-Q", "-q", "-T", "-s", "512", "-p", "0", "-H", "16", "-S", "63", "-c", str(CLUSTER), "-L", "KITH", image.path)
    actions(image, "fill", image.sources)


def actions(image, *what):
    run(sys.executable, os.path.join(HERE, "ntfs.py"), image.path, *what)


def opened(image):
    image.load()
    return Ntfs(image)


def hide_all(image, *hides):
    """Each of these hides something."""
    ntfs = opened(image)
    for hide in hides:
        hide(ntfs)


# ---- streams and attributes ----

SYSTEM = ("MFT", "MFTMirr", "LogFile", "Volume", "AttrDef", "root", "Bitmap", "Boot", "BadClus", "Secure", "UpCase", "Extend")
ATTRIBUTES = {"ea": EA, "property-set": PROPERTY_SET, "logged-utility": LOGGED, "custom": CUSTOM, "object-id": OBJECT_ID,
              "security": SECURITY, "volume-name": VOLUME_NAME, "reparse": REPARSE, "index-allocation": INDEX_ALLOCATION,
              "bitmap": BITMAP, "unknown-type": 0x44, "file-name-stored": FILE_NAME}


def image_streams(image):
    """Streams of the system's files and of folders; attributes of all types, inside and outside of the record."""
    make(image, 4 << 20, ["%s-%s" % (kind, where) for kind in ATTRIBUTES for where in ("stored", "inside")], ("folder",))
    ntfs = opened(image)
    for number, name in enumerate(SYSTEM):
        ntfs.add(number, stored(DATA, ntfs.hold("stream-of-" + name), KNOWN, "hidden", 50))
    ntfs.add(SECURE, resident(DATA, image.content("small-stream-of-Secure", 100), "small", 51))
    ntfs.add(VOLUME, resident(DATA, image.content("small-stream-of-Volume", 100), "small", 51))
    ntfs.add(ntfs.names["folder"], stored(DATA, ntfs.hold("stream-of-folder"), KNOWN, "hidden", 50))
    for name, kind in ATTRIBUTES.items():
        place = name + "-stored"
        ntfs.add(ntfs.names[place], stored(kind, ntfs.hold(place), KNOWN, number=50))
        place = name + "-inside"
        ntfs.rebuild(ntfs.names[place], [STANDARD, file_name("x"), resident(kind, image.content(place, 160))])
    image.store()


# ---- records not recognized as files ----

def system_records(ntfs):
    """Numbers 12 to 23: with a name, without, with a stream only; not in use."""
    for number in range(12, 24):
        name = "record-%d" % number
        attributes = [STANDARD, stored(DATA, ntfs.hold(name), KNOWN, "hidden" if number % 4 == 0 else "")]
        if number % 3:
            attributes.append(file_name(name))
        ntfs.rebuild(number, attributes, flags=0 if number == 23 else IN_USE)


def in_extend(ntfs):
    """A file whose only name is in $Extend."""
    number = ntfs.names["in-extend"]
    ntfs.rebuild(number, [STANDARD, file_name("in-extend", EXTEND), stored(DATA, ntfs.hold("in-extend"), KNOWN)])


def linked_into_extend(ntfs):
    """Done by ntfs-3g before: a name in the root, and one in $Extend."""
    ntfs.replace_data("linked", stored(DATA, ntfs.hold("linked-into-extend"), KNOWN),
                      stored(DATA, ntfs.hold("linked-into-extend-stream"), KNOWN, "s", 10))


def extensions(ntfs):
    """Records that hold a part of another one's attributes: of one that is gone, was reused, or does not list them."""
    bases = {"base-gone": 5 << 48 | ntfs.names["room-00"], "base-reused": 77 << 48 | ntfs.names["room-01"],
             "base-does-not-list": 1 << 48 | ntfs.names["room-02"], "base-is-itself": 1 << 48 | ntfs.names["base-is-itself"],
             "base-out-of-range": 1 << 48 | 5000000}
    for place, base in bases.items():
        ntfs.rebuild(ntfs.names[place], [stored(DATA, ntfs.hold(place), KNOWN)], base=base)
    ntfs.rebuild(ntfs.names["room-00"], [], flags=0)


def damaged_heads(ntfs):
    """The record's first bytes are gone, its runs are not."""
    for place, length in (("no-signature", 4), ("zeroed-head", 48)):
        number = ntfs.replace_data(place, stored(DATA, ntfs.hold(place), KNOWN))
        ntfs.image.write(ntfs.record_at(number), bytes(length))
    number = ntfs.replace_data("baad", stored(DATA, ntfs.hold("baad"), KNOWN))
    ntfs.image.write(ntfs.record_at(number), b"BAAD")
    number = ntfs.replace_data("bad-fixup", stored(DATA, ntfs.hold("bad-fixup"), KNOWN))
    ntfs.image.write(ntfs.record_at(number) + SECTOR - 2, b"\x5a\xa5")
    number = ntfs.replace_data("attributes-beyond", stored(DATA, ntfs.hold("attributes-beyond"), KNOWN))
    ntfs.image.put("<H", ntfs.record_at(number) + 20, 2000)


def damaged_attributes(ntfs):
    """What is after an attribute of length 0; a mapping that ends in garbage; one that does not begin at 0."""
    number = ntfs.names["after-broken-attribute"]
    broken = struct.pack("<IIBBHHHIHH", OBJECT_ID, 0, 0, 0, 24, 0, 7, 0, 24, 0)
    ntfs.rebuild(number, [*ntfs.without_data(number), broken, stored(DATA, ntfs.hold("after-broken-attribute"), KNOWN)])
    cut = bytearray(stored(DATA, ntfs.hold("mapping-cut") + [(5, 1), (9, 1)], KNOWN + 2 * CLUSTER))
    cut[64 + 4] = 0xff
    ntfs.replace_data("mapping-cut", bytes(cut))
    ntfs.replace_data("first-part-missing", stored(DATA, ntfs.hold("first-part-missing"), KNOWN * 2, first=2))
    ntfs.replace_data("second-unnamed", stored(DATA, ntfs.hold("second-unnamed-1"), KNOWN),
                      stored(DATA, ntfs.hold("second-unnamed-2"), KNOWN, number=11))
    ntfs.replace_data("size-0", stored(DATA, ntfs.hold("size-0"), 0))
    ntfs.replace_data("size-negative", stored(DATA, ntfs.hold("size-negative"), 1 << 63))
    ntfs.replace_data("size-beyond", stored(DATA, ntfs.hold("size-beyond"), 1 << 40))


def not_in_use(ntfs):
    """Deleted, but its clusters are still allocated."""
    number = ntfs.replace_data("not-in-use", stored(DATA, ntfs.hold("not-in-use"), KNOWN))
    record = ntfs.record(number)
    struct.pack_into("<H", record, 22, 0)
    ntfs.write_record(number, record)


def leaked(ntfs):
    ntfs.hold("leaked")


RECORDS = ("in-extend", "linked", "base-gone", "base-reused", "base-does-not-list", "base-is-itself", "base-out-of-range", "no-signature",
           "zeroed-head", "baad", "bad-fixup", "attributes-beyond", "after-broken-attribute", "mapping-cut", "first-part-missing",
           "second-unnamed", "size-0", "size-negative", "size-beyond", "not-in-use")


def image_records(image):
    make(image, 4 << 20, RECORDS)
    actions(image, "link", "/linked", "/$Extend/linked")
    hide_all(image, system_records, in_extend, linked_into_extend, extensions, damaged_heads, damaged_attributes, not_in_use, leaked)
    image.store()


# ---- areas, slack ----

def slack(ntfs):
    """After a file's end, after a stream's, after what was ever written, in clusters reserved after the end."""
    run_of = ntfs.hold("slack", 3000, skip=1000)
    ntfs.replace_data("slack", stored(DATA, run_of, 900), stored(DATA, ntfs.hold("stream-slack", 3000, skip=1000), 900, "s", 10))
    ntfs.replace_data("never-written", stored(DATA, ntfs.hold("never-written", skip=1000), KNOWN + 1000, valid=900))
    ntfs.replace_data("reserved", stored(DATA, ntfs.hold("reserved", skip=CLUSTER), 100))
    ntfs.replace_data("encrypted", stored(DATA, ntfs.hold("encrypted"), KNOWN, flags=ENCRYPTED))


def compressed(ntfs):
    """A unit of 16 clusters of which two are stored: one chunk of LZNT1 (as it is), its end, and what lies after it."""
    first = ntfs.room(2)
    at = first * CLUSTER
    ntfs.image.write(at, struct.pack("<H", 0x3fff) + b"kith" * 1024 + b"\0\0")
    ntfs.image.plant("compressed-unit-slack", at + 4104, 4000)
    ntfs.replace_data("compressed", stored(DATA, [(first, 2), (None, 14)], 4096, flags=COMPRESSED, unit=4))


def not_compressed(ntfs):
    """Units of compressed files that are not LZNT1: they do not decompress."""
    first = ntfs.hold("compressed-nonsense")
    ntfs.replace_data("nonsense", stored(DATA, [*first, (None, 14)], 65536, flags=COMPRESSED, unit=4))
    number = ntfs.replace_data("nonsense-deleted", stored(DATA, [*ntfs.hold("compressed-nonsense-deleted"), (None, 14)], 65536,
                                                          flags=COMPRESSED, unit=4))
    record = ntfs.record(number)
    struct.pack_into("<H", record, 22, 0)
    ntfs.write_record(number, record)
    first = ntfs.hold("compressed-after-size", skip=16 * CLUSTER)
    ntfs.replace_data("compressed-after-size", stored(DATA, first, 100, flags=COMPRESSED, unit=4))
    ntfs.replace_data("compressed-never-written", stored(DATA, [*ntfs.hold("compressed-never-written", 16 * CLUSTER)], 16 * CLUSTER,
                                                         flags=COMPRESSED, unit=4, valid=100))
    ntfs.add(ntfs.names["nonsense"], stored(DATA, [*ntfs.hold("compressed-stream"), (None, 14)], 65536, "s", 30, COMPRESSED, unit=4))


def after_nonsense(ntfs):
    """A stored unit beside one that does not decompress, of a file, a deleted one and a stream; one before a hole that nobody reads."""
    def beside(place):
        first = ntfs.room(2)
        ntfs.image.write(first * CLUSTER, struct.pack("<HBH", 0xb00f, 1, 0xffff) + bytes(100))
        return [*ntfs.hold(place + "-before", 16 * CLUSTER), (first, 2), (None, 14), *ntfs.hold(place + "-after", 16 * CLUSTER)]
    unit = {"flags": COMPRESSED, "unit": 4}
    number = ntfs.replace_data("beside-nonsense", stored(DATA, beside("nonsense"), 3 * 65536, **unit))
    ntfs.add(number, stored(DATA, beside("nonsense-stream"), 3 * 65536, "s", 30, **unit))
    number = ntfs.replace_data("beside-nonsense-deleted", stored(DATA, beside("nonsense-deleted"), 3 * 65536, **unit))
    record = ntfs.record(number)
    struct.pack_into("<H", record, 22, 0)
    ntfs.write_record(number, record)
    holes = [(None, 4000)] * 45
    ntfs.replace_data("before-holes", stored(DATA, [*ntfs.hold("before-holes", 16 * CLUSTER), *holes], 65536 + 45 * 4000 * CLUSTER, **unit))


def attribute_slack(ntfs):
    """After the end of attributes that are not content."""
    for name, kind in (("ea", EA), ("security", SECURITY), ("logged", LOGGED), ("custom", CUSTOM), ("index", INDEX_ALLOCATION)):
        ntfs.add(ntfs.names["slack-" + name], stored(kind, ntfs.hold("slack-of-" + name, 3000, skip=1000), 900, number=40))
        runs = ntfs.hold("valid-of-" + name, 7000, skip=1000)
        ntfs.add(ntfs.names["slack-" + name], stored(kind, runs, KNOWN, "v", number=41, valid=500))


def attribute_lists(ntfs):
    """A list in clusters: its slack; listed extents of a file in another record: one overlaps the first, one leaves a hole."""
    place = "listed-extents"
    number, other = ntfs.names[place], ntfs.names["room-20"]
    runs = ntfs.hold("listed-first"), ntfs.hold("listed-overlapping"), ntfs.hold("listed-after-hole")
    vcns = (0, 1, 9)
    entries = b""
    for kind, vcn, record in ((SI, 0, number), (FILE_NAME, 0, number), (DATA, 0, number), (DATA, vcns[1], other), (DATA, vcns[2], other)):
        entries += struct.pack("<IHBBQQH6x", kind, 32, 0, 26, vcn, 1 << 48 | record, 9)
    clusters = ntfs.room(1)
    ntfs.image.write(clusters * CLUSTER, entries)
    ntfs.image.plant("attribute-list-slack", clusters * CLUSTER + 512, CLUSTER - 512)
    keep = ntfs.without_data(number)
    ntfs.rebuild(number, [*keep, stored(ATTRIBUTE_LIST, [(clusters, 1)], len(entries)), stored(DATA, runs[0], 11 * CLUSTER)])
    ntfs.rebuild(other, [stored(DATA, runs[1], 0, first=vcns[1]), stored(DATA, runs[2], 0, first=vcns[2])], base=1 << 48 | number)


def bad_clusters(ntfs):
    """$BadClus:$Bad is a hole as large as the volume, but for the bad ones."""
    bad = ntfs.hold("bad-clusters")
    count = ntfs.image.get("<Q", 40) * SECTOR // CLUSTER
    keep = [data for kind, data in ntfs.attributes(ntfs.record(BADCLUS)) if not (kind == DATA and data[9])]
    runs = [(None, bad[0][0]), bad[0], (None, count - bad[0][0] - bad[0][1])]
    ntfs.rebuild(BADCLUS, [*keep, stored(DATA, runs, count * CLUSTER, "$Bad", 20, valid=0)])


def log_file(ntfs):
    at, length = ntfs.mapped(ntfs.attribute(LOGFILE, DATA))[0]
    ntfs.image.plant("logfile", at + length // 2, over=True)


def record_slack(ntfs):
    """After the end mark; a record that was never used; what the table has reserved after its end."""
    number = ntfs.names["room-10"]
    ntfs.image.plant("record-slack", ntfs.record_at(number) + SECTOR + 10, 480, over=True)
    used = struct.unpack_from("<Q", ntfs.attribute(MFT, DATA), 48)[0] // RECORD
    assert ntfs.records > used + 6, "no room in $MFT"
    ntfs.image.plant("table-after-end", ntfs.record_at(used), 3 * RECORD, over=True)
    number = max(ntfs.names.values()) - 8
    ntfs.image.plant("record-overwritten", ntfs.record_at(number), 4 * RECORD, over=True)


def boot_sectors(ntfs):
    """Its code, the 15 sectors after it, the copy at the end of the volume, and the sectors before that."""
    ntfs.image.plant("boot-code", 100, 380, over=True)
    ntfs.image.plant("boot-spare-sectors", 5 * SECTOR, 5000, over=True)
    sectors = ntfs.image.get("<Q", 40)
    copy = sectors * SECTOR
    assert ntfs.image.data[copy + 3:copy + 7] == b"NTFS"
    ntfs.image.plant("backup-boot-code", copy + 100, 380, over=True)
    ntfs.image.plant("after-last-cluster", sectors * SECTOR // CLUSTER * CLUSTER, sectors * SECTOR % CLUSTER)


def index_slack(ntfs):
    """After the last entry of a block of the root's index."""
    attribute = ntfs.attribute(ROOT, INDEX_ALLOCATION)
    for at, length in ntfs.mapped(attribute):
        for block in range(at, at + length, 4096):
            used = ntfs.image.get("<I", block + 28) + 24
            if ntfs.image.data[block:block + 4] == b"INDX" and used < 3500:
                sector = -(-(used + 16) // SECTOR) * SECTOR
                ntfs.image.plant("index-slack", block + sector, SECTOR - 2, over=True)
                return
    raise AssertionError("no slack in the index")


def system_slack(ntfs):
    """$AttrDef does not fill its clusters."""
    at, length = ntfs.mapped(ntfs.attribute(4, DATA))[0]
    ntfs.image.plant("attrdef-slack", at + 2560, length - 2560)


MAPS = ("slack-ea", "slack-security", "slack-logged", "slack-custom", "slack-index", "listed-extents")
COMPRESSED_FILES = ("beside-nonsense", "beside-nonsense-deleted", "before-holes", "compressed", "nonsense", "nonsense-deleted", "compressed-after-size", "compressed-never-written")


def image_maps(image):
    make(image, 4 << 20, MAPS)
    hide_all(image, attribute_slack, attribute_lists)
    image.store()


def image_compressed(image):
    make(image, 4 << 20, COMPRESSED_FILES)
    hide_all(image, compressed, not_compressed, after_nonsense)
    image.store()


AREAS = ("slack", "never-written", "reserved", "encrypted")


def image_areas(image):
    make(image, (4 << 20) + 7 * SECTOR, AREAS)
    hide_all(image, slack, bad_clusters, log_file, record_slack, boot_sectors, index_slack, system_slack)
    image.append("after-volume", gap=SECTOR)
    image.store()


# ---- what the system's own records claim ----

def without(ntfs):
    """Records without standard information, without a name, with a stream only; of another kind; a folder with content."""
    for place, attributes in (("no-standard-information", [file_name("a")]), ("no-name", [STANDARD]), ("data-only", [])):
        ntfs.rebuild(ntfs.names[place], [*attributes, stored(DATA, ntfs.hold(place), KNOWN)])
    for place, flags in (("folder-flag", IN_USE | IS_FOLDER), ("extend-flag", IN_USE | 4), ("view-index-flag", IN_USE | 8),
                         ("all-flags", 0xffff)):
        number = ntfs.names[place]
        ntfs.rebuild(number, [*ntfs.without_data(number), stored(DATA, ntfs.hold(place), KNOWN)], flags=flags)
    for place, name in (("stream-named-I30", "$I30"), ("stream-named-Bad", "$Bad"), ("stream-named-J", "$J"), ("stream-named-SDS", "$SDS")):
        ntfs.add(ntfs.names[place], stored(DATA, ntfs.hold(place), KNOWN, name, 50))
    for place, flags in (("sparse-flag", SPARSE), ("compressed-flag", COMPRESSED), ("odd-flags", 0x00fe)):
        ntfs.replace_data(place, stored(DATA, ntfs.hold(place), KNOWN, flags=flags))
    ntfs.replace_data("unit-without-flag", stored(DATA, ntfs.hold("unit-without-flag"), KNOWN, unit=4))
    ntfs.replace_data("valid-beyond", stored(DATA, ntfs.hold("valid-beyond"), KNOWN, valid=KNOWN * 10))


def other_bad_stream(ntfs):
    """$BadClus has a second list of that name, and a stream of its own."""
    ntfs.add(BADCLUS, stored(DATA, ntfs.hold("second-bad-list"), KNOWN, "$Bad", 60))


def boot_claims(ntfs):
    """$Boot, and the copy of the first records, lie where a file's content does, too."""
    for number, place in ((BOOT, "claimed-by-Boot"), (1, "claimed-by-MFTMirr")):
        keep = [data for kind, data in ntfs.attributes(ntfs.record(number)) if kind != DATA]
        ntfs.rebuild(number, [*keep, stored(DATA, ntfs.hold(place), KNOWN)])


CLAIMS = ("no-standard-information", "no-name", "data-only", "folder-flag", "extend-flag", "view-index-flag", "all-flags",
          "stream-named-I30", "stream-named-Bad", "stream-named-J", "stream-named-SDS", "sparse-flag", "compressed-flag", "odd-flags",
          "unit-without-flag", "valid-beyond")


def image_claims(image):
    make(image, 4 << 20, CLAIMS)
    hide_all(image, without, other_bad_stream, boot_claims)
    image.store()


def image_shrunk(image):
    """The table's own record states a smaller table, the boot sector a smaller volume, the bitmap's record a shorter bitmap."""
    make(image, 4 << 20, ("record-after-table",))
    ntfs = opened(image)
    ntfs.replace_data("record-after-table", stored(DATA, ntfs.hold("record-after-table"), KNOWN))
    image.plant("after-last-cluster", len(image.data) - 4 * KNOWN)
    table = bytearray(ntfs.attribute(MFT, DATA))
    struct.pack_into("<QQ", table, 48, 30 * RECORD, 30 * RECORD)
    keep = [data for kind, data in ntfs.attributes(ntfs.record(MFT)) if kind != DATA]
    ntfs.rebuild(MFT, [*keep, bytes(table)])
    image.put("<Q", 40, (len(image.data) - 5 * KNOWN) // SECTOR)
    image.store()


def image_unmapped(image):
    """The bitmap is not there: which clusters are free cannot be known."""
    make(image, 4 << 20, ("plain-file",))
    ntfs = opened(image)
    ntfs.replace_data("plain-file", stored(DATA, ntfs.hold("plain-file"), KNOWN))
    ntfs.hold("nobodys")
    image.write(ntfs.record_at(CLUSTERS), bytes(RECORD))
    image.store()


IMAGES = {
    "ntfs-maps": image_maps,
    "ntfs-compressed-units": image_compressed,
    "ntfs-claims": image_claims,
    "ntfs-shrunk": image_shrunk,
    "ntfs-unmapped": image_unmapped,
    "ntfs-streams": image_streams,
    "ntfs-records": image_records,
    "ntfs-areas": image_areas,
}
