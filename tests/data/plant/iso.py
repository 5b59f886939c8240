# SPDX-License-Identifier: Apache-2.0
"""Where content can hide in ISO 9660 (ECMA-119, and Joliet), with two sessions, and in the areas around them."""
import os

from plant.image import KNOWN, run

SECTOR = 2048
VOLUME_DESCRIPTORS = 16 * SECTOR
HIDDEN, FOLDER, ASSOCIATED = 1, 2, 4


def make(image, *options):
    """All source files, in the order of their names (of which xorriso keeps eight letters for ISO 9660 itself)."""
    run("xorriso", "-as", "mkisofs", "-quiet", "-J", "-V", "KITH", "--modification-date=2024010203040500", *options, "-o", image.path,
        image.sources)
    image.load()


def records(image, name):
    """Where the folder records of this name are: that of ISO 9660, and that of Joliet."""
    for text in (name.upper().encode() + b";1", name.upper().encode(), name.encode("utf-16-be")):
        at = image.data.find(bytes([len(text)]) + text)
        while at >= 0:
            yield at - 32
            at = image.data.find(bytes([len(text)]) + text, at + 1)


def set_size(image, name, size):
    for at in records(image, name):
        image.put("<I", at + 10, size)
        image.put(">I", at + 14, size)


def set_flags(image, name, flags):
    for at in records(image, name):
        image.data[at + 25] = flags


def descriptors(image):
    at = VOLUME_DESCRIPTORS
    while image.data[at] != 255:
        yield at
        at += SECTOR
    yield at


def forget(image, name):
    """The record keeps its length, and has no content any more."""
    for at in records(image, name):
        image.put("<I", at + 2, 0)
        image.put(">I", at + 6, 0)
    set_size(image, name, 0)


NAMES = {"SHORTER.BIN": "file-shorter-than-room", "SIZE0.BIN": "size-0", "GONE.BIN": "record-without-extent", "HIDDEN.BIN": "hidden",
         "ASSOC.BIN": "associated", "ASDIR.BIN": "as-folder", "ODD.BIN": "odd-flags", "PLAIN.BIN": "plain"}


# ---- areas ----

def areas(image):
    """What comes before the descriptors, the ends of these, of path tables and of folders; what follows the last file."""
    image.plant("system-area", 4096)
    for number, at in enumerate(descriptors(image)):
        if image.data[at] in (1, 2):
            image.plant("descriptor-%d-application-use" % number, at + 883, 512, over=True)
            image.plant("descriptor-%d-reserved" % number, at + 1395, 653, over=True)
        else:
            image.plant("descriptor-%d-end" % number, at + 7, SECTOR - 7, over=True)
    size, table = image.get("<I", VOLUME_DESCRIPTORS + 132), image.get("<I", VOLUME_DESCRIPTORS + 140) * SECTOR
    image.plant("path-table-slack", table + size, SECTOR - size)
    root = image.get("<I", VOLUME_DESCRIPTORS + 156 + 2) * SECTOR
    used = root
    while image.data[used]:
        used += image.data[used]
    image.plant("folder-slack", used + 16, root + SECTOR - used - 16)
    end = image.get("<I", VOLUME_DESCRIPTORS + 80) * SECTOR
    image.plant("padding", end - 2 * KNOWN)
    image.append("after-volume", gap=100)


def image_files(image):
    for name, place in NAMES.items():
        image.file(place, path=name)
    image.file("last-sector", SECTOR + 300, path="LAST.BIN")
    make(image, "-pad")
    set_size(image, "SHORTER.BIN", 100)
    set_size(image, "SIZE0.BIN", 0)
    forget(image, "GONE.BIN")
    for name, flags in (("HIDDEN.BIN", HIDDEN), ("ASSOC.BIN", ASSOCIATED), ("ASDIR.BIN", FOLDER), ("ODD.BIN", 0x70)):
        set_flags(image, name, flags)
    at = image.content_at("last-sector") + SECTOR + 300
    image.plant("file-slack", at, SECTOR - 300)
    areas(image)
    image.store()


def image_trees(image):
    """Files that only one of the two trees has."""
    for name, place in (("ONLYISO.BIN", "only-in-iso"), ("ONLYJOL.BIN", "only-in-joliet"), ("NEITHER.BIN", "in-neither")):
        image.file(place, path=name)
    hide = lambda name: os.path.join(image.sources, name)
    make(image, "-hide-joliet", hide("ONLYISO.BIN"), "-hide", hide("ONLYJOL.BIN"), "-hide", hide("NEITHER.BIN"), "-hide-joliet",
         hide("NEITHER.BIN"))
    image.store()


def image_sessions(image):
    """A second session without a file of the first, and the gap between them."""
    image.file("first-session-only", path="first.bin")
    image.file("both-sessions", path="both.bin")
    steps = ("-joliet", "on", "-volume_date", "uuid", "2024010203040500")
    run("xorriso", "-outdev", "stdio:" + image.path, *steps, "-map", image.sources, "/", "-commit")
    second = image.file("second-session", path="../%s-second.bin" % image.name)
    run("xorriso", "-dev", "stdio:" + image.path, *steps, "-map", second, "/second.bin", "-rm", "/first.bin", "--", "-commit")
    image.load()
    image.store()


def image_odd(image):
    """Records of files in unusual forms: a part of another one, with attributes before, interleaved; two that share a sector."""
    for name in ("XAR.BIN", "UNITS.BIN", "MULTI.BIN", "SMALL.BIN"):
        image.file(name.lower().replace(".", "-"), path=name)
    make(image)
    for at in records(image, "XAR.BIN"):
        image.data[at + 1] = 3
    for at in records(image, "UNITS.BIN"):
        image.data[at + 26:at + 28] = b"\1\1"
    set_flags(image, "MULTI.BIN", 0x80)
    for number, at in enumerate(records(image, "SMALL.BIN")):
        size = 100 if number % 2 else 5000
        image.put("<I", at + 10, size)
        image.put(">I", at + 14, size)
    image.store()


IMAGES = {
    "iso-odd": image_odd,
    "iso": image_files,
    "iso-trees": image_trees,
    "iso-sessions": image_sessions,
}
