# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in FAT12, FAT16 and FAT32 (Microsoft: FAT32 File System Specification)."""
from plant.image import KNOWN, run

ENTRY = 32
ARCHIVE, FOLDER, LABEL, LONG_NAME = 0x20, 0x10, 0x08, 0x0f
DATE, TIME = (2024 - 1980) << 9 | 1 << 5 | 2, 3 << 11 | 4 << 5 | 2
BAD, LAST = 0x0ffffff7, 0x0fffffff          # FAT12 and FAT16 have the lower bits of these


class Fat:
    """The layout of a FAT image; entries go one after the other into the root folder."""

    def __init__(self, image, bits):
        self.image, self.bits = image, bits
        get = image.get
        self.sector, per_cluster, self.reserved, self.fats, roots, sectors16 = get("<HBHBHH", 11)
        sectors = sectors16 or get("<I", 32)
        self.fat_len = (get("<H", 22) or get("<I", 36)) * self.sector
        self.cluster = per_cluster * self.sector
        self.fat = self.reserved * self.sector
        self.root = self.fat + self.fats * self.fat_len
        self.heap = self.root + roots * ENTRY
        self.clusters = (sectors * self.sector - self.heap) // self.cluster
        self.end = self.heap + self.clusters * self.cluster
        self.next = 2
        if bits == 32:
            self.root = self.at(self.chain(8, get("<I", 44)))
        self.entry = self.root
        self.add(b"KITH       ", LABEL, 0, 0)

    def at(self, cluster):
        return self.heap + (cluster - 2) * self.cluster

    def set(self, cluster, value, fats=None):
        """The entry of a cluster in these tables (None: in all)."""
        for number in range(self.fats) if fats is None else fats:
            table = self.fat + number * self.fat_len
            if self.bits == 12:
                at, shift = table + cluster * 3 // 2, 4 * (cluster & 1)
                self.image.put("<H", at, self.image.get("<H", at) & ~(0xfff << shift) | (value & 0xfff) << shift)
            elif self.bits == 16:
                self.image.put("<H", table + cluster * 2, value & 0xffff)
            else:
                self.image.put("<I", table + cluster * 4, value)

    def room(self, size, first=None):
        """The next free clusters, one left free before them."""
        if first is None:
            first = self.next = self.next + 1
        count = -(-size // self.cluster)
        self.next = first + count
        assert self.next < self.clusters, "the image is full"
        return range(first, first + count)

    def chain(self, count, first=None, high=0):
        """A chain of COUNT clusters: the first."""
        found = self.room(count * self.cluster, first)
        for cluster in found:
            self.set(cluster, (cluster + 1 if cluster + 1 in found else LAST) | high)
        return found[0]

    def hold(self, place, size=KNOWN, skip=0, high=0):
        """A chain with this content after SKIP bytes: the first cluster."""
        first = self.chain(-(-(skip + size) // self.cluster), high=high)
        self.image.plant(place, self.at(first) + skip, size)
        return first

    def add(self, name, attributes, first, size, at=None):
        """An entry; where it lies."""
        if at is None:
            at, self.entry = self.entry, self.entry + ENTRY
        self.image.put("<11sBBBHHHHHHHI", at, name, attributes, 0, 0, TIME, DATE, DATE, first >> 16, TIME, DATE, first & 0xffff, size)
        return at

    def folder(self, name, count=1):
        """A folder: where its first free entry is."""
        first = self.chain(count)
        at = self.at(first)
        self.add(b".          ", FOLDER, first, 0, at)
        self.add(b"..         ", FOLDER, 0, 0, at + ENTRY)
        self.add(name, FOLDER, first, 0)
        return at + 2 * ENTRY


# ---- clusters that no entry points to ----

def bad_clusters(fat):
    clusters = fat.room(KNOWN)
    for cluster in clusters:
        fat.set(cluster, BAD)
    fat.image.plant("bad-clusters", fat.at(clusters[0]))


def lost_chain(fat):
    fat.hold("lost-chain")


def reserved_values(fat):
    """Neither free nor a number, a last one, or a bad one: 0xff0 to 0xff6, and 1."""
    for value, place in ((0x0ffffff0, "value-fff0"), (1, "value-1")):
        clusters = fat.room(KNOWN)
        for cluster in clusters:
            fat.set(cluster, value)
        fat.image.plant(place, fat.at(clusters[0]))


def second_table(fat):
    """Allocated in the second table only."""
    clusters = fat.room(KNOWN)
    for cluster in clusters:
        fat.set(cluster, LAST, (1,))
    fat.image.plant("second-table-only", fat.at(clusters[0]))


# ---- files with more, or less, than their entries say ----

def long_chain(fat):
    first = fat.hold("chain-longer-than-size", skip=fat.cluster)
    fat.add(b"LONGER  BIN", ARCHIVE, first, 100)


def size_zero(fat):
    fat.add(b"SIZE0   BIN", ARCHIVE, fat.hold("size-0"), 0)


def broken_chain(fat):
    """Its chain ends before its size does: at a free cluster, at a bad one, out of the volume, in itself."""
    for name, link in ((b"FREE", 0), (b"BAD", BAD), (b"OUTSIDE", fat.clusters + 100), (b"LOOP", None)):
        first = fat.hold("chain-broken-" + name.decode().lower(), skip=fat.cluster)
        fat.set(first, first if link is None else link)
        fat.add(name.ljust(8) + b"BIN", ARCHIVE, first, fat.cluster + KNOWN)


def slack(fat):
    first = fat.chain(1)
    fat.image.plant("slack", fat.at(first) + 512, fat.cluster - 512)
    fat.add(b"SLACK   BIN", ARCHIVE, first, 300)


# ---- entries that are not taken for files ----

ODD_ENTRIES = (
    ("label-entry", b"LABEL2     ", LABEL), ("as-folder", b"ASDIR   BIN", FOLDER), ("label-and-folder", b"BOTH    BIN", LABEL | FOLDER),
    ("device", b"DEVICE  BIN", 0x40), ("all-attributes", b"ALLATTR BIN", 0xf7), ("system-hidden", b"HIDDEN  SYS", 0x07),
    ("lower-case-name", b"lower   bin", ARCHIVE), ("control-name", b"\1\2\3\4\7   bin", ARCHIVE), ("empty-name", b" " * 11, ARCHIVE),
    ("kanji-name", b"\5KANJI  BIN", ARCHIVE), ("dot-name", b".          ", FOLDER), ("slash-name", b"A/B\\C   BIN", ARCHIVE))


def odd_entries(fat):
    for place, name, attributes in ODD_ENTRIES:
        fat.add(name, attributes, fat.hold(place), KNOWN)


def odd_dates(fat):
    at = fat.add(b"DATES   BIN", ARCHIVE, fat.hold("impossible-dates"), KNOWN)
    fat.image.put("<BHHH", at + 13, 0xff, 0xffff, 0xffff, 0xffff)
    fat.image.put("<HH", at + 22, 0xffff, 0xffff)


def long_name(fat):
    """An entry of a long name, whose field for the cluster is 0 by the book; its size does not exist."""
    at = fat.entry
    fat.entry += ENTRY
    first = fat.hold("long-name-entry")
    fat.image.put("<B10sBBB12sHI", at, 0x41, "x.bin".encode("utf-16-le"), LONG_NAME, 0, 0x77, b"\0\0" + b"\xff" * 10, first & 0xffff,
                  0xffffffff)
    fat.add(b"X       BIN", ARCHIVE, fat.chain(1), 10)


def deleted(fat):
    """Its clusters are free, as they should be; and still allocated."""
    first = fat.hold("deleted")
    for cluster in range(first, fat.next):
        fat.set(cluster, 0)
    fat.add(b"\xe5EL     BIN", ARCHIVE, first, KNOWN)
    fat.add(b"\xe5EL2    BIN", ARCHIVE, fat.hold("deleted-still-allocated"), KNOWN)


def sub_folders(fat):
    """After a folder's last entry; an entry after the end mark; a label in a folder; a folder without a name."""
    free = fat.folder(b"FOLDER     ", 2)
    fat.add(b"IN      BIN", ARCHIVE, fat.hold("in-folder"), KNOWN, free)
    fat.add(b"LABEL3     ", LABEL, fat.hold("label-in-folder"), KNOWN, free + ENTRY)
    fat.add(b"AFTER  BIN", ARCHIVE, fat.hold("after-end-mark"), KNOWN, free + 4 * ENTRY)
    fat.image.plant("folder-slack", free + 8 * ENTRY, fat.cluster - 10 * ENTRY)
    fat.image.plant("folder-second-cluster", free - 2 * ENTRY + fat.cluster, fat.cluster)
    free = fat.folder(b"GONE       ")
    fat.add(b"INGONE  BIN", ARCHIVE, fat.hold("in-nameless-folder"), KNOWN, free)
    fat.entry -= ENTRY
    fat.image.write(fat.entry, bytes(ENTRY))


# ---- areas ----

def reserved_sectors(fat):
    """After the boot sector, and where FAT32 has its copies."""
    used = 9 if fat.bits == 32 else 1
    fat.image.plant("reserved-sectors", used * fat.sector, (fat.reserved - used) * fat.sector)
    fat.image.plant("boot-code", 90, 400, over=True)
    if fat.bits == 32:
        fat.image.plant("fsinfo", fat.sector + 4, 480)
        fat.image.plant("backup-boot-code", 6 * fat.sector + 90, 400, over=True)
        fat.image.plant("boot-sectors-3-to-5", 3 * fat.sector + 16, 3 * fat.sector - 16)


def table_slack(fat):
    """After the last entry of the first table; anywhere in the second."""
    used = -(-(fat.clusters + 2) * fat.bits // 8)
    if fat.fat_len - used > 400:
        fat.image.plant("table-slack", fat.fat + used, fat.fat_len - used)
    at = fat.fat + fat.fat_len + fat.fat_len // 2
    fat.image.plant("second-table", at, fat.fat_len // 2 - 600)


def root_slack(fat):
    """After the mark of the end, which libraries stop at."""
    fat.image.plant("root-slack", fat.entry + 3 * ENTRY, 2048)


def after_clusters(fat):
    """Sectors that do not fill a cluster, and those after the file system."""
    left = fat.image.get("<H", 19) or fat.image.get("<I", 32)
    left = left * fat.sector - fat.end
    if left:
        fat.image.plant("rest-of-a-cluster", fat.end, left)
    fat.image.append("after-file-system", gap=fat.sector)


def upper_bits(fat):
    """The upper four bits of a number in FAT32 are not part of it."""
    fat.add(b"UPPER   BIN", ARCHIVE, fat.hold("upper-bits-in-table", high=0xa0000000), KNOWN)
    fat.add(b"UPPER2  BIN", ARCHIVE, fat.hold("upper-bits-in-entry") | 0xa0000000, KNOWN)


PLACES = (bad_clusters, lost_chain, reserved_values, second_table, long_chain, size_zero, broken_chain, odd_entries, odd_dates, long_name,
          deleted, sub_folders, reserved_sectors, table_slack, after_clusters)


def make(image, bits, kilobytes, sectors, reserved, places):
    """mkfs.fat, and all of these places; the size leaves sectors that do not fill a cluster."""
    image.blank(kilobytes * 1024)
    run("mkfs.fat", "--invariant", "-a", "-i", "6b697468", "-F", str(bits), "-s", str(sectors), "-R", str(reserved), image.path)
    image.load()
    fat = Fat(image, bits)
    for hide in places:
        hide(fat)
    root_slack(fat)
    if sectors > 1:
        slack(fat)
    image.store()


def image_fat12(image):
    make(image, 12, 3999, 2, 17, PLACES)


def image_fat16(image):
    make(image, 16, 9099, 4, 17, PLACES)


def image_fat32(image):
    make(image, 32, 34000, 1, 32, (*PLACES, upper_bits))


def image_fat32_small(image):
    """FAT32 of less clusters than it should have; drivers take it for FAT32 by its header."""
    make(image, 32, 4095, 4, 32, (*PLACES, upper_bits))


def image_fat32_root(image):
    """The boot sector gives a different root folder; only one table; the folder and its files belong to nobody."""
    image.blank(34000 * 1024)
    run("mkfs.fat", "--invariant", "-a", "-i", "6b697468", "-F", "32", "-s", "1", "-f", "1", image.path)
    image.load()
    fat = Fat(image, 32)
    fat.add(b"OLD     BIN", ARCHIVE, fat.hold("in-old-root"), KNOWN)
    image.plant("old-root-slack", fat.entry + 3 * ENTRY, 2048)
    new = fat.chain(1)
    fat.add(b"NEW     BIN", ARCHIVE, fat.hold("in-new-root"), KNOWN, at=fat.at(new))
    image.put("<I", 44, new)
    image.store()


IMAGES = {
    "fat32-root": image_fat32_root,
    "fat12": image_fat12,
    "fat16": image_fat16,
    "fat32": image_fat32,
    "fat32-small": image_fat32_small,
}
