# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in ext2, ext3 and ext4 (Linux: Documentation/filesystems/ext4, fs/ext4/ext4.h)."""
import os
import subprocess

from plant.image import ENVIRONMENT, KNOWN, SECONDS, UUID, run

SUPERBLOCK = 1024
REGULAR, FOLDER = 0o100644, 0o40755
OFF = "^has_journal,^metadata_csum,^resize_inode"       # features left out of a plain image
EXTENT_MAGIC = 0xf30a

# fields of the superblock: offset, struct format
BLOCKS, FIRST_BLOCK, BLOCK_BITS = (4, "<I"), (20, "<I"), (24, "<I")
GROUP_BLOCKS, GROUP_INODES, INODE_LEN = (32, "<I"), (40, "<I"), (88, "<H")
INCOMPATIBLE, READ_ONLY, DESCRIPTOR_LEN = (96, "<I"), (100, "<I"), (254, "<H")
RESERVED_DESCRIPTORS = (206, "<H")
META_BG, IS_64BIT, BIGALLOC = 0x10, 0x80, 0x200


class Ext:
    """The layout of an ext image."""

    def __init__(self, image):
        self.image = image
        self.block = 1024 << self.field(BLOCK_BITS)
        wide = self.field(INCOMPATIBLE) & IS_64BIT
        self.descriptor = self.field(DESCRIPTOR_LEN) if wide else 32
        self.descriptors = (self.field(FIRST_BLOCK) + 1) * self.block
        self.groups = -(-(self.field(BLOCKS) - self.field(FIRST_BLOCK)) // self.field(GROUP_BLOCKS))

    def field(self, field):
        return self.image.get(field[1], SUPERBLOCK + field[0])

    def set_field(self, field, value):
        self.image.put(field[1], SUPERBLOCK + field[0], value)

    def group(self, number, what):
        """A field of a group's descriptor: block_bitmap, inode_bitmap, inode_table (as byte offsets)."""
        at = self.descriptors + number * self.descriptor + ("block_bitmap", "inode_bitmap", "inode_table").index(what) * 4
        return self.image.get("<I", at) * self.block

    def inode(self, number):
        """Where an inode lies."""
        group, index = divmod(number - 1, self.field(GROUP_INODES))
        return self.group(group, "inode_table") + index * self.field(INODE_LEN)

    def named(self, name):
        """The inode of an entry, by a look at the whole image: the names of images made here are unique."""
        raw = name.encode()
        entries = [self.image.data.find(bytes([len(raw), kind]) + raw) for kind in (1, 2, 7)]
        assert max(entries) >= 6, name
        return self.image.get("<I", max(entries) - 6)

    def extents(self, number):
        """(file block, count, byte offset) of an inode with its extents inside."""
        at = self.inode(number) + 40
        magic, count, _, depth = self.image.get("<4H", at)
        assert magic == EXTENT_MAGIC and depth == 0, number
        for i in range(count):
            first, length, high, low = self.image.get("<IHHI", at + 12 * (i + 1))
            yield first, length, (high << 32 | low) * self.block

    def data(self, number):
        """Where an inode's first block lies."""
        return next(self.extents(number))[2]

    def mark(self, at, used=True):
        """Sets a block's bit in the bitmap of its group."""
        group, bit = divmod(at // self.block - self.field(FIRST_BLOCK), self.field(GROUP_BLOCKS))
        byte = self.group(group, "block_bitmap") + bit // 8
        self.image.data[byte] = self.image.data[byte] & ~(1 << bit % 8) | (used << bit % 8)

    def free_blocks(self, size, group):
        """Free blocks of a group, from its end: where they begin."""
        bitmap = self.group(group, "block_bitmap")
        need, found = -(-size // self.block), 0
        last = min(self.field(GROUP_BLOCKS), self.field(BLOCKS) - self.field(FIRST_BLOCK) - group * self.field(GROUP_BLOCKS))
        for bit in reversed(range(last)):
            found = 0 if self.image.data[bitmap + bit // 8] >> bit % 8 & 1 else found + 1
            if found == need:
                return (self.field(FIRST_BLOCK) + group * self.field(GROUP_BLOCKS) + bit) * self.block
        raise AssertionError("no room in group %d" % group)


def make(image, size, *options, kind="ext4"):
    """mke2fs with all source files; a first one takes the blocks between the tables, so that all others lie in one piece."""
    image.filler("0-room", 131072)
    image.blank(0)
    run("mke2fs", "-q", "-F", "-t", kind, "-U", UUID, "-E", "hash_seed=%s,root_owner=0:0" % UUID, "-d", image.sources, *options,
        image.path, size)


def debug(image, *commands):
    run("debugfs", "-w", "-f", "/dev/stdin", image.path, stdin="\n".join(commands) + "\n", complaints=("debugfs 1",))


def opened(image):
    image.load()
    return Ext(image)


# ---- inodes: content without a name, or not recognized as a file's ----

MODES = {"none": 0, "fifo": 0o10644, "chr": 0o20644, "dir": 0o40755, "blk": 0o60644, "lnk": 0o120777, "sock": 0o140755,
         "invalid": 0o170644, "invalid-3": 0o30644}


def odd_modes(ext):
    for name, mode in MODES.items():
        ext.image.put("<H", ext.inode(ext.named("mode-" + name)), mode)


def zeroed(ext):
    at = ext.inode(ext.named("clri"))
    ext.image.write(at, bytes(ext.field(INODE_LEN)))


def leaked(ext):
    """Neither a name nor an inode is left, only the bits."""
    number = ext.named("leaked")
    at = ext.inode(number)
    ext.image.write(at, bytes(ext.field(INODE_LEN)))
    forget(ext, "leaked")


def forget(ext, name):
    """Takes an entry's inode away, as unlink does with the first of a block."""
    raw = name.encode()
    ext.image.put("<I", ext.image.data.find(bytes([len(raw)]) + b"\1" + raw) - 6, 0)


def leaked_by_bitmap(ext):
    at = ext.free_blocks(8192, ext.groups - 1)
    ext.image.plant("leaked-by-bitmap", at)
    for i in range(0, 8192, ext.block):
        ext.mark(at + i)


def nameless(ext):
    """In use, with links, but in no folder."""
    forget(ext, "nameless")


def truncated(ext):
    """A size of 0 and of 100 bytes, with all blocks."""
    ext.image.put("<I", ext.inode(ext.named("size-0")) + 4, 0)
    ext.image.put("<I", ext.inode(ext.named("size-100")) + 4, 100)


def impossible_size(ext):
    ext.image.put("<I", ext.inode(ext.named("size-negative")) + 108, 0xffffffff)


def not_in_use(ext):
    """Its bit in the inode bitmap is clear and it has no links, but nothing says that it was deleted."""
    number = ext.named("inode-bit-clear")
    group, bit = divmod(number - 1, ext.field(GROUP_INODES))
    ext.image.data[ext.group(group, "inode_bitmap") + bit // 8] &= ~(1 << bit % 8)
    ext.image.put("<H", ext.inode(number) + 26, 0)
    forget(ext, "inode-bit-clear")


def broken_extents(ext):
    ext.image.put("<H", ext.inode(ext.named("extents-bad-magic")) + 40, 0)
    ext.image.put("<H", ext.inode(ext.named("extents-no-entries")) + 42, 0)
    ext.image.put("<H", ext.inode(ext.named("extents-deep")) + 46, 7)
    ext.image.put("<I", ext.inode(ext.named("extents-flag-off")) + 32, 0)
    ext.image.put("<I", ext.inode(ext.named("extents-past-end")) + 40 + 12, 5000)
    ext.image.put("<I", ext.inode(ext.named("inline-flag")) + 32, 0x10000000)


def deleted(ext):
    """As the kernel deletes on ext4: no extents are left; here the blocks' bits are, too."""
    number = ext.named("deleted-leaked")
    ext.image.put("<H", ext.inode(number) + 42, 0)
    ext.image.put("<I", ext.inode(number) + 20, 1704164645)
    ext.image.put("<H", ext.inode(number) + 26, 0)
    forget(ext, "deleted-leaked")


INODES = ["mode-" + name for name in MODES] + [
    "clri", "leaked", "nameless", "size-0", "size-100", "size-negative", "inode-bit-clear", "extents-bad-magic", "extents-no-entries",
    "extents-deep", "extents-flag-off", "extents-past-end", "inline-flag", "deleted-leaked"]


def image_inodes(image):
    for place in INODES:
        image.file(place)
    make(image, "4M", "-b", "4096", "-N", "128", "-O", OFF)
    ext = opened(image)
    for hide in (odd_modes, zeroed, leaked, leaked_by_bitmap, nameless, truncated, impossible_size, not_in_use, broken_extents, deleted):
        hide(ext)
    image.store()


# ---- the superblock claims an inode for the system ----

CLAIMS = {"usr_quota": 0x240, "grp_quota": 0x244, "prj_quota": 0x26c, "orphan_file": 0x280, "journal": 0xe0, "snapshot": 0x180,
          "lpf": 0x268, "last_orphan": 0xe8}


def image_claims(image):
    for name in CLAIMS:
        image.file("claim-" + name)
    make(image, "2M", "-b", "1024", "-N", "64", "-O", OFF)
    ext = opened(image)
    for name, at in CLAIMS.items():
        image.put("<I", SUPERBLOCK + at, ext.named("claim-" + name))
    image.store()


def image_first_inode(image):
    """The superblock marks all files as reserved; it states too few inodes for the last one."""
    for place in ("first-inode-a", "first-inode-b"):
        image.file(place)
    make(image, "2M", "-b", "1024", "-N", "64", "-O", OFF)
    opened(image)
    image.put("<I", SUPERBLOCK + 0x54, 60)
    image.store()


RESERVED = (3, 4, 5, 6, 9, 10)


def image_reserved(image):
    """A file's inode, moved to where the system has its own; the bad blocks; the journal's number without a journal."""
    for number in (*RESERVED, 1, 7, 8):
        image.file("inode-%d" % number)
    make(image, "2M", "-b", "1024", "-N", "64", "-O", OFF)
    ext = opened(image)
    for number in (*RESERVED, 1, 7, 8):
        old = ext.inode(ext.named("inode-%d" % number))
        image.write(ext.inode(number), image.data[old:old + ext.field(INODE_LEN)])
        image.write(old, bytes(ext.field(INODE_LEN)))
        forget(ext, "inode-%d" % number)
    image.store()


# ---- attributes, links, folders, journal, tables ----

def xattrs(image, size):
    """In a block of its own, in the inode, in an inode of its own."""
    image.filler("with-xattr", 100)
    image.filler("with-ea-inode", 100)
    image.filler("with-small-xattr", 100)
    make(image, size, "-b", "4096", "-N", "64", "-I", "512", "-O", "ea_inode")
    values = {place: image.file(place, n, path="../%s.%s" % (image.name, place))
              for place, n in (("xattr-block", 3800), ("ea-inode", 4096), ("xattr-in-inode", 200))}
    debug(image, "ea_set -f %s /with-xattr user.kith" % values["xattr-block"],
          "ea_set -f %s /with-ea-inode user.kith" % values["ea-inode"],
          "ea_set -f %s /with-small-xattr user.kith" % values["xattr-in-inode"])


def link_slack(ext):
    """After the end of a long link, in its block."""
    at = ext.image.data.find(b"long-target/" * 20)
    ext.image.plant("symlink-slack", at + 1024, 3072)


def folder_slack(ext):
    """After the name of a folder's last entry, whose length covers the rest of the block."""
    for name in ("folder-a", "folder-b"):
        at = ext.data(ext.named(name))
        last = at
        while last + ext.image.get("<H", last + 4) < at + ext.block - 12:
            last += ext.image.get("<H", last + 4)
        start = -(-(last + 300) // 4) * 4
        ext.image.plant("folder-slack-" + name, start, at + ext.block - 64 - start)


def in_journal(ext):
    """After what the journal has used, and in its first blocks' ends."""
    at = ext.data(8)
    ext.image.plant("journal", at + 64 * ext.block)
    ext.image.plant("journal-superblock-slack", at + 1024, 3000)


def inode_table(ext):
    """Unused inodes; the bytes of an inode that it does not use."""
    ext.image.plant("inode-table", ext.inode(40), 4096, over=True)
    ext.image.plant("inode-tail", ext.inode(ext.named("plain")) + 128 + 32 + 16, 512 - 128 - 48, over=True)


def bitmap_padding(ext):
    """A block holds more bits than the only group has blocks and inodes; they are ones."""
    ext.image.plant("block-bitmap-padding", ext.group(0, "block_bitmap") + ext.field(BLOCKS) // 8, 2048, over=True)
    ext.image.plant("inode-bitmap-padding", ext.group(0, "inode_bitmap") + 128, 3900, over=True)


def superblock(ext):
    """The boot block, the superblock's unused end, and the rest of their block."""
    ext.image.plant("boot-block", 0, 1024)
    ext.image.plant("superblock-end", SUPERBLOCK + 0x290, 0x3fc - 0x290, over=True)
    ext.image.plant("superblock-slack", 2048, 2048)
    ext.image.plant("descriptors-slack", ext.descriptors + ext.groups * ext.descriptor + 64, 3000)


def reserved_descriptors(ext):
    assert ext.field(RESERVED_DESCRIPTORS)
    ext.image.plant("reserved-descriptors", ext.descriptors + ext.block, 4096, over=True)


def backup_superblock(ext):
    """In group 1, which has a copy: after that, and after the copied descriptors."""
    at = ext.field(GROUP_BLOCKS) * ext.block
    assert ext.image.get("<H", at + 56) == 0xef53
    ext.image.plant("backup-superblock-slack", at + 1024, 3072)
    ext.image.plant("backup-descriptors-slack", at + ext.block + 512, 3072)


def after_end(ext):
    """In the volume after the file system."""
    ext.image.append("after-file-system", gap=1000 * 3)


def image_areas(image):
    """Everything that a complete ext4 stores besides its files."""
    image.filler("folder-a/one", 10)
    image.filler("folder-b/two", 10)
    image.filler("folder-b/three", 10)
    image.filler("plain", 5000)
    run("ln", "-sf", "long-target/" * 20, image.sources + "/link")
    image.file("deleted")
    xattrs(image, "10M")
    debug(image, "rm /deleted")
    ext = opened(image)
    for hide in (link_slack, folder_slack, in_journal, inode_table, bitmap_padding, superblock, reserved_descriptors):
        hide(ext)
    ext.image.plant("unallocated", ext.free_blocks(8192, 0))
    after_end(ext)
    image.store()


def image_groups(image):
    """Small groups: copies of the superblock, a last group that is not full, groups that were never used."""
    image.filler("plain", 5000)
    make(image, "10100K", "-b", "4096", "-g", "512", "-N", "64", "-O", "^has_journal,^flex_bg,^resize_inode,uninit_bg,^metadata_csum")
    ext = opened(image)
    backup_superblock(ext)
    last = ext.groups - 1
    image.plant("last-group", ext.free_blocks(8192, last))
    image.plant("never-used-group-table", ext.group(last, "inode_table"), 2048)
    image.plant("last-group-padding", ext.group(last, "block_bitmap") + 128, 3072, over=True)
    at = ext.free_blocks(8192, 2)
    image.plant("leaked-in-group-2", at)
    ext.mark(at)
    ext.mark(at + 4096)
    image.store()


def image_unwritten(image):
    """Blocks reserved after the end of a file and within it; a block of extents and its unused end."""
    image.filler("plain", 5000)
    make(image, "4M", "-b", "1024", "-N", "64", "-O", OFF)
    debug(image, "write %s reserved" % image.filler("../%s-reserved" % image.name, 3000), "fallocate /reserved 4 40",
          "write %s holes" % image.filler("../%s-holes" % image.name, 100), "fallocate /holes 8 11", "sif /holes size 20480",
          *("fallocate /holes %d %d" % (n, n) for n in range(20, 60, 4)))
    ext = opened(image)
    runs = {first: at for first, _, at in ext.extents(ext.named("reserved"))}
    image.plant("preallocated", max(runs.items())[1] + 4096)
    index = ext.inode(ext.named("holes")) + 40
    assert image.get("<H", index + 6) == 1, "its extents lie inside"
    leaf = image.get("<I", index + 12 + 4) * ext.block
    count = image.get("<H", leaf + 2)
    image.plant("extent-block-slack", leaf + 12 * (count + 3), 700, over=True)
    for i in range(count):
        first, _, _, low = image.get("<IHHI", leaf + 12 * (i + 1))
        if first == 8:
            image.plant("unwritten", low * ext.block, 4096)
    image.store()


# ---- wrong flags and numbers ----

FLAGS = {"compressed": 0x4, "encrypted": 0x800, "index": 0x1000, "image-data": 0x4000, "verity": 0x100000, "ea-inode": 0x200000,
         "eof-blocks": 0x400000, "snapshot": 0x1000000, "project": 0x20000000, "all": 0xefffffff}


def odd_flags(ext):
    for name, flag in FLAGS.items():
        at = ext.inode(ext.named("flag-" + name)) + 32
        ext.image.put("<I", at, ext.image.get("<I", at) | flag)


def other_fields(ext):
    """An invalid block of attributes; extents with high bits; a folder of size 0; blocks after a folder's end."""
    put = ext.image.put
    at = ext.data(ext.named("attribute-block-of-all"))
    put("<I", ext.inode(ext.named("attribute-block-of-all")) + 104, at // ext.block)
    put("<I", ext.inode(ext.named("attribute-block-of-all")) + 4, 0)
    put("<H", ext.inode(ext.named("extent-high-bits")) + 40 + 12 + 6, 0x7000)
    put("<H", ext.inode(ext.named("folder-of-0")), FOLDER)
    put("<I", ext.inode(ext.named("folder-of-0")) + 4, 0)
    put("<I", ext.inode(ext.named("generation-only")) + 100, 0xffffffff)
    put("<H", ext.inode(ext.named("links-65535")) + 26, 65535)
    put("<I", ext.inode(ext.named("deleted-in-use")) + 20, SECONDS)


OTHERS = ("attribute-block-of-all", "extent-high-bits", "folder-of-0", "generation-only", "links-65535", "deleted-in-use")


def image_flags(image):
    for place in (*("flag-" + name for name in FLAGS), *OTHERS):
        image.file(place)
    make(image, "4M", "-b", "4096", "-N", "128", "-O", OFF)
    ext = opened(image)
    odd_flags(ext)
    other_fields(ext)
    image.store()


def image_never_used(image):
    """Groups whose flags say that their tables were never used, although they were; too many inodes marked as unused."""
    image.filler("filler", 5000000)
    for place in ("group-inodes-never-used", "group-blocks-never-used"):
        image.file(place)
    make(image, "8M", "-b", "1024", "-g", "1024", "-N", "256", "-O", "^has_journal,^flex_bg,^resize_inode,uninit_bg,^metadata_csum")
    ext = opened(image)
    for place, flag in (("group-inodes-never-used", 1), ("group-blocks-never-used", 2)):
        number = ext.named(place)
        group = (number - 1) // ext.field(GROUP_INODES) if flag == 1 else (ext.data(number) // ext.block - 1) // ext.field(GROUP_BLOCKS)
        at = ext.descriptors + group * ext.descriptor
        image.put("<H", at + 18, image.get("<H", at + 18) | flag)
        image.put("<H", at + 28, ext.field(GROUP_INODES))
    image.store()


def image_shrunk(image):
    """The superblock states fewer blocks, and fewer inodes, than there are."""
    image.filler("filler", 900000)
    image.file("after-last-inode")
    make(image, "4M", "-b", "1024", "-N", "64", "-O", OFF)
    ext = opened(image)
    number = ext.named("after-last-inode")
    image.plant("after-last-block", len(image.data) - KNOWN)
    ext.mark(len(image.data) - KNOWN)
    image.put("<I", SUPERBLOCK, number - 1)
    ext.set_field(BLOCKS, 3500)
    image.store()


# ---- block maps that claim more than they show ----

def twice(ext):
    """Two extents for the same blocks of the file; extents in the wrong order."""
    for name, first in (("same-blocks", 0), ("descending", 0)):
        at = ext.inode(ext.named(name)) + 40
        block = ext.image.get("<I", at + 20)
        second = 0 if name == "same-blocks" else 8
        rows = ((second, block), (first, block + 4))
        ext.image.put("<H", at + 2, 2)
        for i, (logical, physical) in enumerate(rows):
            ext.image.put("<IHHI", at + 12 * (i + 1), logical, 4, 0, physical)


def map_is_content(ext):
    """An invalid leaf of extents: content lies where the tree points."""
    at = ext.inode(ext.named("leaf-is-content")) + 40
    block = ext.image.get("<I", at + 20)
    ext.image.put("<4HI", at, EXTENT_MAGIC, 1, 4, 1, 0)
    ext.image.put("<III", at + 12, 0, block, 0)


def overlong(ext):
    """An extent that continues over the file after it, into free blocks."""
    at = ext.inode(ext.named("overlong")) + 40
    ext.image.put("<H", at + 16, 2000)


MAPS = ("same-blocks", "descending", "leaf-is-content", "overlong")


def image_maps(image):
    for place in MAPS:
        image.file(place)
    make(image, "4M", "-b", "1024", "-N", "64", "-O", OFF)
    ext = opened(image)
    for hide in (twice, map_is_content, overlong):
        hide(ext)
    image.store()


def image_hash_tree(image):
    """The nodes of a hashed folder: after the index, and after the last entry of a leaf."""
    for i in range(300):
        image.filler("many/%03d%s" % (i, "-a-long-name" * 6), 0)
    make(image, "4M", "-b", "4096", "-N", "512", "-O", OFF)
    subprocess.run(["e2fsck", "-fyD", image.path], capture_output=True, env=ENVIRONMENT, check=False)
    ext = opened(image)
    folder = ext.named("many")
    assert image.get("<I", ext.inode(folder) + 32) & 0x1000, "not hashed"
    at = ext.data(folder)
    assert image.get("<H", at + 34) < 40
    image.plant("hash-tree-root", at + 40 + 8 * 40, 3000, over=True)
    last = at + ext.block
    while last + ext.image.get("<H", last + 4) < at + 2 * ext.block:
        last += ext.image.get("<H", last + 4)
    image.plant("hash-tree-leaf", last + 120, at + 2 * ext.block - last - 120, over=True)
    image.store()


def image_features(image):
    """What newer features store: a block against mounting twice, quota, orphans, data and links in the inode."""
    image.filler("plain", 5000)
    image.file("inline-data", 130)
    os.symlink("short-target", os.path.join(image.sources, "fast-link"))
    make(image, "8M", "-b", "4096", "-N", "64", "-I", "256", "-O", "mmp,quota,project,inline_data,orphan_file,metadata_csum")
    ext = opened(image)
    mmp = image.get("<Q", SUPERBLOCK + 0x168) * ext.block
    image.plant("mmp-slack", mmp + 1024, 3000)
    for name, number in (("usr", 3), ("grp", 4), ("prj", ext.image.get("<I", SUPERBLOCK + 0x26c))):
        image.plant("quota-file-" + name, ext.data(number) + 3000, ext.block - 3000 - 400, over=True)
    image.plant("orphan-file", ext.data(ext.image.get("<I", SUPERBLOCK + 0x280)) + 100, 3000)
    image.plant("fast-link-slack", ext.inode(ext.named("fast-link")) + 40 + 16, 40)
    image.store()


def image_bad_blocks(image):
    """mke2fs has a list of them."""
    image.filler("plain", 5000)
    bad = image.save(image.sources + "/../%s-list" % image.name, b"".join(b"%d\n" % n for n in range(3000, 3008)))
    make(image, "4M", "-b", "1024", "-N", "64", "-O", OFF, "-l", bad)
    image.load()
    image.plant("bad-blocks", 3000 * 1024)
    image.store()


def image_journal_device(image):
    """A volume that is the journal of another one."""
    image.blank(0)
    run("mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "1024", "-U", UUID, image.path, "2M")
    image.load()
    image.plant("journal-device", 1 << 20)
    image.store()


def image_ext2(image):
    """Pointers instead of extents: the unused end of a block of pointers; a chain of zeroed pointers."""
    for place in ("pointers-cleared", "pointers-are-content", "pointers-of-pointers-are-content"):
        image.file(place)
    image.filler("large", 20000)
    make(image, "2M", "-b", "1024", "-N", "64", "-O", "^resize_inode", kind="ext2")
    ext = opened(image)
    at = ext.inode(ext.named("large")) + 40
    pointers = image.get("<I", at + 48) * ext.block
    image.plant("pointer-block-slack", pointers + 64, 900)
    image.write(ext.inode(ext.named("pointers-cleared")) + 40, bytes(60))
    for place, index in (("pointers-are-content", 12), ("pointers-of-pointers-are-content", 13)):
        at = ext.inode(ext.named(place)) + 40
        first = image.get("<I", at)
        image.write(at, bytes(60))
        image.put("<I", at + 4 * index, first)
    image.store()


def image_meta_groups(image):
    """Descriptors lie with their groups (QUIRK_EXT_META_GROUPS)."""
    image.filler("plain", 5000)
    image.filler("holder", 6000000)
    image.file("in-far-group")
    make(image, "12M", "-b", "1024", "-g", "256", "-N", "512", "-O", "meta_bg,^resize_inode,^has_journal,^metadata_csum")
    image.load()
    at = (len(image.data) // 1024 - 20) * 1024
    image.plant("meta-bg-last-blocks", at)
    image.store()


def image_big_clusters(image):
    """bigalloc: a cluster is 16 blocks."""
    image.file("bigalloc-file")
    image.file("bigalloc-tail", path="tail")
    make(image, "8M", "-b", "1024", "-C", "16384", "-N", "64", "-O", "bigalloc,^has_journal,^metadata_csum,^resize_inode")
    image.load()
    at = image.content_at("bigalloc-file")
    image.plant("bigalloc-cluster-slack", at + 8192, 4096)
    image.plant("bigalloc-free", len(image.data) - 65536)
    image.store()


IMAGES = {
    "ext4-inodes": image_inodes,
    "ext4-claims": image_claims,
    "ext4-first-inode": image_first_inode,
    "ext4-reserved": image_reserved,
    "ext4-areas": image_areas,
    "ext4-groups": image_groups,
    "ext4-unwritten": image_unwritten,
    "ext2": image_ext2,
    "ext4-maps": image_maps,
    "ext4-flags": image_flags,
    "ext4-never-used": image_never_used,
    "ext4-shrunk": image_shrunk,
    "ext4-hash-tree": image_hash_tree,
    "ext4-features": image_features,
    "ext4-bad-blocks": image_bad_blocks,
    "ext-journal-device": image_journal_device,
    "ext4-meta-bg": image_meta_groups,
    "ext4-bigalloc": image_big_clusters,
}
