#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Changes to an NTFS image that ntfscp cannot make, without mounting it, through the library of ntfs-3g (package libntfs-3g89).
#
#   ntfs.py IMAGE mkdir PATH | rm PATH | link OLD NEW | fill FOLDER ...    a list of actions, done in order; paths begin with /
#
# fill copies the contents of a folder of the host into the root.
#
# rm deletes as a mounted ntfs-3g would: the record is no longer in use and keeps its name and runs, its clusters are free.
import ctypes
import ctypes.util
import os
import sys

STAT_DIRECTORY, STAT_FILE = 0o40000, 0o100000
AT_DATA = 0x80


def library():
    for name in ("libntfs-3g.so.89", ctypes.util.find_library("ntfs-3g")):
        try:
            return ctypes.CDLL(name, use_errno=True)
        except (OSError, TypeError):
            pass
    sys.exit("ntfs.py: libntfs-3g is missing")


def check(what, ok):
    if not ok:
        sys.exit("ntfs.py: %s: failed (errno %d)" % (what, ctypes.get_errno()))


class Volume:
    def __init__(self, image):
        self.lib = library()
        for name in ("ntfs_mount", "ntfs_pathname_to_inode", "ntfs_create", "ntfs_attr_open"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.lib.ntfs_attr_pwrite.restype = ctypes.c_int64
        self.vol = ctypes.c_void_p(self.lib.ntfs_mount(image.encode(), ctypes.c_ulong(0)))
        check(image, self.vol)

    def open(self, path):
        inode = ctypes.c_void_p(self.lib.ntfs_pathname_to_inode(self.vol, None, path.encode()))
        check(path, inode)
        return inode

    def split(self, path):
        """The open folder of a path, and its last name as the library wants it."""
        folder, _, name = path.rpartition("/")
        units = name.encode("utf-16-le")
        return self.open(folder or "/"), ctypes.create_string_buffer(units), ctypes.c_uint8(len(units) // 2)

    def mkdir(self, path):
        folder, name, length = self.split(path)
        made = ctypes.c_void_p(self.lib.ntfs_create(folder, ctypes.c_uint32(0), name, length, ctypes.c_uint(STAT_DIRECTORY)))
        check(path, made)
        self.lib.ntfs_inode_close(made)
        self.lib.ntfs_inode_close(folder)

    def put(self, path, content):
        folder, name, length = self.split(path)
        made = ctypes.c_void_p(self.lib.ntfs_create(folder, ctypes.c_uint32(0), name, length, ctypes.c_uint(STAT_FILE)))
        check(path, made)
        self.lib.ntfs_inode_close(folder)                           # before the file: closing that opens the folder again
        data = ctypes.c_void_p(self.lib.ntfs_attr_open(made, ctypes.c_uint32(AT_DATA), None, ctypes.c_uint32(0)))
        check(path, data)
        check(path, self.lib.ntfs_attr_pwrite(data, ctypes.c_int64(0), ctypes.c_int64(len(content)), content) == len(content))
        self.lib.ntfs_attr_close(data)
        self.lib.ntfs_inode_close(made)

    def fill(self, source):
        for path, folders, files in os.walk(source):
            folders.sort()
            below = "/" + os.path.relpath(path, source) if path != source else ""
            for name in folders:
                self.mkdir(below + "/" + name)
            for name in sorted(files):
                with open(os.path.join(path, name), "rb") as file:
                    self.put(below + "/" + name, file.read())

    def link(self, old, new):
        inode = self.open(old)
        folder, name, length = self.split(new)
        check(new, self.lib.ntfs_link(inode, folder, name, length) == 0)
        self.lib.ntfs_inode_close(inode)
        self.lib.ntfs_inode_close(folder)

    def rm(self, path):
        inode = self.open(path)
        folder, name, length = self.split(path)                     # ntfs_delete closes both inodes
        check(path, self.lib.ntfs_delete(self.vol, path.encode(), inode, folder, name, length) == 0)


def main(image, actions):
    volume = Volume(image)
    while actions:
        what = actions.pop(0)
        if what == "mkdir":
            volume.mkdir(actions.pop(0))
        elif what == "rm":
            volume.rm(actions.pop(0))
        elif what == "fill":
            volume.fill(actions.pop(0))
        elif what == "link":
            volume.link(actions.pop(0), actions.pop(0))
        else:
            sys.exit("ntfs.py: unknown action: " + what)
    check(image, volume.lib.ntfs_umount(volume.vol, 0) == 0)


main(sys.argv[1], sys.argv[2:])
