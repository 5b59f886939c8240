# SPDX-License-Identifier: Apache-2.0
"""Where content can hide around file systems: in partition tables, before, between and after partitions."""
import os
import sys

from plant.image import KNOWN, run

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SECTOR = 512
BASIC = "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7"


def small_fat(image, name, kilobytes, place):
    """The bytes of a FAT12 file system with one file."""
    path = "%s/../%s-%s" % (image.sources, image.name, name)
    with open(path, "wb") as file:
        file.truncate(kilobytes * 1024)
    run("mkfs.fat", "--invariant", "-a", "-i", "6b697468", "-F", "12", path)
    run("mcopy", "-m", "-i", path, image.file(place), "::/FILE.BIN")
    with open(path, "rb") as file:
        return file.read()


def partitioned(image, megabytes, table):
    image.blank(megabytes << 20)
    run("sfdisk", "-q", "--no-reread", "--no-tell-kernel", image.path, stdin=table)
    image.load()


def plant_in(image, **sectors):
    """Plants from the beginning of these sectors."""
    for place, sector in sectors.items():
        image.plant(place.replace("_", "-"), sector * SECTOR)


def image_dos(image):
    """The boot code, the sectors up to the first partition, gaps, an extended partition's tables, the end; a partition larger than its
    file system; one of type 0."""
    partitioned(image, 8, """label: dos
label-id: 0x6b697468
1: start=2048, size=2048, type=1
2: start=5000, size=8000, type=5
5: start=5100, size=1000, type=1
6: start=6200, size=1000, type=83
3: start=13100, size=2000, type=83
""")
    image.plant("boot-code", 0, 400)
    image.plant("first-track", SECTOR)
    image.plant("last-of-first-track", 2040 * SECTOR, 8 * SECTOR)
    image.write(2048 * SECTOR, small_fat(image, "one", 500, "in-first"))
    image.plant("after-file-system", (2048 + 1100) * SECTOR)
    image.plant("gap", 4200 * SECTOR)
    image.plant("gap-to-last-sector", 4984 * SECTOR)
    image.plant("extended-table", 5000 * SECTOR, 400)
    image.plant("after-extended-table", 5001 * SECTOR)
    image.write(5100 * SECTOR, small_fat(image, "five", 400, "in-logical"))
    image.plant("between-logical", 6140 * SECTOR)
    image.plant("second-extended-table", extended(image) * SECTOR, 400)
    image.plant("no-file-system", 6300 * SECTOR)
    image.plant("after-last-logical", 9000 * SECTOR)
    image.plant("type-0", 13200 * SECTOR)
    image.put("<B", 446 + 2 * 16 + 4, 0)
    image.plant("after-last-partition", 15200 * SECTOR)
    image.append("after-the-disk", size=1000)
    image.store()


def extended(image):
    """The sector of the second table of the extended partition."""
    return 5000 + image.get("<I", 5000 * SECTOR + 446 + 16 + 8)


def image_gpt(image):
    """The protective table, the header's unused end, the table's unused entries, the copies of both, and all gaps."""
    partitioned(image, 6, """label: gpt
label-id: 6B697468-0000-4000-8000-000000000000
1: start=2048, size=2000, type=%s, uuid=6B697468-0000-4000-8000-000000000001
2: start=6000, size=2000, type=%s, uuid=6B697468-0000-4000-8000-000000000002
""" % (BASIC, BASIC))
    last = len(image.data) // SECTOR - 1
    image.plant("boot-code", 0, 400)
    image.plant("header-end", SECTOR + 92, 420)
    image.plant("before-first", 40 * SECTOR)
    image.write(2048 * SECTOR, small_fat(image, "one", 500, "in-first"))
    image.plant("after-file-system", 3200 * SECTOR)
    image.plant("gap", 4100 * SECTOR)
    image.plant("no-file-system", 6100 * SECTOR)
    image.plant("after-last", 9000 * SECTOR)
    image.plant("last-usable", (last - 33) * SECTOR - KNOWN)
    image.plant("backup-header-end", last * SECTOR + 92, 420)
    image.plant("table-slack", 2 * SECTOR + 40 * 128)
    image.plant("backup-table-slack", (last - 32) * SECTOR + 40 * 128)
    image.store()


def image_overlapping(image):
    """Two partitions that overlap, one that ends after the disk."""
    partitioned(image, 4, "label: dos\nlabel-id: 0x6b697468\n1: start=2048, size=2048, type=1\n2: start=5000, size=1000, type=83\n")
    image.write(2048 * SECTOR, small_fat(image, "one", 500, "in-first"))
    image.put("<II", 446 + 16 + 8, 3000, 2000)
    image.put("<B3xII", 446 + 32 + 4, 0x83, 6000, 90000)
    plant_in(image, in_overlap=3500, in_second=4500, in_cut_off=6100, gap=5100)
    image.store()


def image_bsd(image):
    """A label in a slice of a DOS table: what follows it in its sector and the next ones, gaps within and around the slice."""
    partitioned(image, 4, "label: dos\nlabel-id: 0x6b697468\n1: start=2048, size=4096, type=a5\n")
    image.store()
    run(sys.executable, os.path.join(HERE, "disklabel.py"), image.path, "2048", "4096", "a=2112+1100", "d=4000+1000")
    image.load()
    image.plant("label-slack", (2048 + 1) * SECTOR + 300, 200)
    image.plant("slice-boot-code", 2048 * SECTOR, 500)
    image.plant("after-label", (2048 + 3) * SECTOR)
    image.write(2112 * SECTOR, small_fat(image, "a", 500, "in-a"))
    plant_in(image, gap_in_slice=3300, no_file_system=4100, after_last_in_slice=5500, after_slice=7000)
    image.store()


def image_mac(image):
    """An Apple partition map: a driver's description, unused entries of the map, and gaps."""
    image.blank(4 << 20)
    image.load()
    sectors = len(image.data) // SECTOR
    image.put(">2sHI", 0, b"ER", SECTOR, sectors)
    entries = ((1, 63, "Apple", "Apple_partition_map"), (100, 1100, "DOS", "DOS_FAT_12"), (2000, 1000, "other", "Apple_UFS"))
    for number, (start, count, name, kind) in enumerate(entries):
        image.put(">2sHIII32s32sIII", (1 + number) * SECTOR, b"PM", 0, len(entries), start, count, name.encode(), kind.encode(), 0, count,
                  0x33)
    image.plant("driver-description", 100, 400)
    image.plant("map-entry-slack", SECTOR + 140, 370)
    image.plant("map-unused", 10 * SECTOR)
    image.plant("before-first", 70 * SECTOR)
    image.write(100 * SECTOR, small_fat(image, "dos", 500, "in-first"))
    image.plant("after-file-system", 1120 * SECTOR)
    image.plant("gap", 1300 * SECTOR)
    image.plant("no-file-system", 2100 * SECTOR)
    image.plant("after-last", 4000 * SECTOR)
    image.store()


UNKNOWN = {"luks": (0, b"LUKS\xba\xbe\0\1"), "bitlocker": (0, b"\xeb\x58\x90-FVE-FS-"), "xfs": (0, b"XFSB\0\0\x10\0"),
           "btrfs": (65600, b"_BHRfS_M"), "swap": (4086, b"SWAPSPACE2"), "lvm": (512, b"LABELONE"), "zeros": (0, b"")}


def image_unknown(image):
    """Volumes that are encrypted or of an unsupported kind: their bytes are listed as stored."""
    lines = ["%d: start=%d, size=400, type=83" % (number, 2048 + number * 500) for number in range(5, 5 + len(UNKNOWN))]
    partitioned(image, 4, "\n".join(["label: dos", "label-id: 0x6b697468", "1: start=2048, size=6000, type=5", *lines, ""]))
    for number, (name, (at, magic)) in enumerate(UNKNOWN.items(), 5):
        start = (2048 + number * 500) * SECTOR
        image.write(start + at, magic)
        image.plant("in-" + name, start + 100000)
    image.store()


IMAGES = {
    "disk-unknown": image_unknown,
    "disk-bsd": image_bsd,
    "disk-mac": image_mac,
    "disk-dos": image_dos,
    "disk-gpt": image_gpt,
    "disk-overlap": image_overlapping,
}
