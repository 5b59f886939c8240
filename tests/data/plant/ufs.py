# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in UFS1 (FreeBSD: sys/ufs/ffs/fs.h, sys/ufs/ufs/dinode.h)."""
import os

from plant.image import KNOWN, SECONDS, run

MODES = {"none": 0, "fifo": 0o10644, "chr": 0o20644, "dir": 0o40755, "blk": 0o60644, "lnk": 0o120777, "sock": 0o140755,
         "whiteout": 0o160000, "invalid": 0o170644}
MAGIC, GROUP_MAGIC = 0x011954, 0x90255
SUPERBLOCK, INODE_LEN = 8192, 128


class Ufs:
    """The layout of a UFS image; places of blocks are in fragments there, in bytes here."""

    def __init__(self, image):
        self.image = image
        assert self.field(1372) == MAGIC
        self.block, self.fragment = self.field(48), self.field(52)
        self.groups, self.group_inodes, self.group_len = self.field(44), self.field(184), self.field(188) * self.fragment

    def field(self, at):
        return self.image.get("<I", SUPERBLOCK + at)

    def group(self, group, field):
        """Where the part of a group lies that a field of the superblock gives: 8 copy, 12 its own block, 16 inodes, 20 data."""
        return group * self.group_len + self.field(field) * self.fragment

    def inode(self, number):
        group, index = divmod(number, self.group_inodes)
        return self.group(group, 16) + index * INODE_LEN

    def named(self, name):
        """The inode of an entry, by a look at the whole image."""
        at = self.image.data.find(b"\x08" + bytes([len(name)]) + name.encode() + b"\0")
        assert at >= 0, name
        return self.image.get("<I", at - 6)

    def forget(self, name):
        at = self.image.data.find(b"\x08" + bytes([len(name)]) + name.encode() + b"\0")
        self.image.put("<I", at - 6, 0)

    def pointer(self, number, index):
        return self.image.get("<I", self.inode(number) + 40 + 4 * index) * self.fragment

    def take(self, at, size):
        """Fragments are allocated where their bits are clear."""
        group = at // self.group_len
        head = self.group(group, 12)
        assert self.image.get("<I", head + 4) == GROUP_MAGIC
        free = head + self.image.get("<I", head + 96)
        for fragment in range(at % self.group_len // self.fragment, (at % self.group_len + size) // self.fragment):
            assert self.image.data[free + fragment // 8] >> fragment % 8 & 1, "in use"
            self.image.data[free + fragment // 8] &= ~(1 << fragment % 8)


def odd_modes(ufs):
    for name, mode in MODES.items():
        ufs.image.put("<H", ufs.inode(ufs.named("mode-" + name)), mode)


def odd_inodes(ufs):
    """Zeroed; with an entry no longer; without links; of another size; a snapshot by its flag; with a pointer out of the volume."""
    put = ufs.image.put
    ufs.image.write(ufs.inode(ufs.named("clri")), bytes(INODE_LEN))
    ufs.image.write(ufs.inode(ufs.named("leaked")), bytes(INODE_LEN))
    ufs.forget("leaked")
    ufs.forget("nameless")
    put("<H", ufs.inode(ufs.named("no-links")) + 2, 0)
    ufs.forget("no-links")
    put("<Q", ufs.inode(ufs.named("size-0")) + 8, 0)
    put("<Q", ufs.inode(ufs.named("size-100")) + 8, 100)
    put("<Q", ufs.inode(ufs.named("size-negative")) + 8, 1 << 63)
    put("<I", ufs.inode(ufs.named("snapshot")) + 100, 0x200000)
    put("<I", ufs.inode(ufs.named("no-pointer")) + 40, 0)
    at = ufs.inode(ufs.named("pointers-are-content")) + 40
    put("<13I", at, *[0] * 12, ufs.image.get("<I", at))


def leaked_by_bitmap(ufs):
    at = (ufs.groups - 1) * ufs.group_len + ufs.group_len // 2 // ufs.block * ufs.block
    ufs.take(at, KNOWN)
    ufs.image.plant("leaked-by-bitmap", at)


def slack(ufs):
    """After a file in its fragment; after a long link; after the last pointer of a block of pointers; after a folder's last name."""
    ufs.image.plant("file-slack", ufs.pointer(ufs.named("short"), 0) + 10, ufs.fragment - 10)
    at = ufs.image.data.find(b"long-target/" * 20)
    ufs.image.plant("symlink-slack", at + 300, ufs.fragment - 300)
    at = ufs.pointer(ufs.named("large"), 12)
    ufs.image.plant("pointer-block-slack", at + 200, ufs.block // 2)
    at = ufs.image.data.find(b"\x08\x03one\0")
    start = at // 512 * 512
    ufs.image.plant("folder-slack", start + 100, 512 - 120)


def areas(ufs):
    """The boot area, what follows the superblock, its copies, a group's description, unused inodes."""
    image = ufs.image
    image.plant("boot-area", 1024, SUPERBLOCK - 1024)
    image.plant("superblock-slack", SUPERBLOCK + 1376, 600)
    copy = ufs.group(1, 8)
    assert image.get("<I", copy + 1372) == MAGIC
    image.plant("backup-superblock-slack", copy + 1376, 600)
    head = ufs.group(1, 12)
    end = head + image.get("<I", head + 100)
    image.plant("group-padding", end, ufs.block - (end - head), over=True)
    image.plant("unused-inodes", ufs.inode(2 * ufs.group_inodes - 40), 4096, over=True)
    image.append("after-file-system", gap=512)


FILES = ["mode-" + name for name in MODES] + [
    "clri", "leaked", "nameless", "no-links", "size-0", "size-100", "size-negative", "snapshot", "no-pointer", "pointers-are-content"]


def image_ufs1(image):
    for place in FILES:
        image.file(place)
    image.filler("plain", 100)
    image.filler("short", 10)
    image.filler("folder/one", 10)
    image.filler("large", 13 * 8192)
    os.symlink("long-target/" * 20, os.path.join(image.sources, "link"))
    run("makefs", "-t", "ffs", "-o", "version=1,bsize=8192,fsize=1024,density=4096,maxbpcg=2048", "-s", "4m", "-T", str(SECONDS),
        image.path, image.sources)
    image.load()
    ufs = Ufs(image)
    for hide in (odd_modes, odd_inodes, leaked_by_bitmap, slack, areas):
        hide(ufs)
    image.store()


IMAGES = {
    "ufs1": image_ufs1,
}
