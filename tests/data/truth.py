#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Source files of fixed content, and the truth about them.  Used by images.sh and deep.sh; the format of a truth is described there.
#
#   truth.py tree DIR <SPEC         makes the files of a specification, one a line: KIND SEED SIZE PATH
#       text     English-like words               bytes    random bytes (does not compress)
#       sparse   SIZE@OFFSET,OFFSET..: a hole of SIZE with 64 KiB of random bytes at each OFFSET (cut at the end)
#       link     - - OLD -> NEW, a hard link      symlink  - - TARGET -> NEW
#       dir      - - PATH, an empty folder
#     SIZE and OFFSET may end in K, M or G; in a PATH, \xHH is the byte HH.
#   truth.py of VOLUME DIR [OPTION..] >TRUTH      the truth of all files below DIR, hashed here, unsorted
#       streams          a name with a colon is a named stream
#       deleted=PREFIX   what begins with PREFIX is deleted
#       as=PATH=NEW      PATH survives as NEW
#       nfd              names are kept decomposed (HFS+)
#   truth.py gap OFFSET FILE >TRUTH               the truth of a gap filled with the bytes of FILE
import hashlib
import os
import random
import re
import sys
import unicodedata

TIME = 1704164645                                   # 2024-01-02 03:04:05 UTC, of every source file
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def number(s):
    return int(s[:-1]) * UNITS[s[-1]] if s[-1] in UNITS else int(s)


def text(seed, size):
    r = random.Random(seed)
    words = ["".join(r.choice("etaoinshrdlucmfwypvbgk") for _ in range(r.randint(2, 9))) for _ in range(3000)]
    out, n = [], 0
    while n < size:
        word = r.choice(words) + (" " if r.random() < .9 else "\n")
        out.append(word)
        n += len(word)
    return "".join(out)[:size].encode()


def unescape(s):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes.fromhex(m[1].decode()), s)


def escape(b):
    return re.sub(rb"[\x00-\x1f\x7f\\]", lambda m: b"\\x%02x" % m[0][0], b)


def tree(top):
    os.makedirs(top, exist_ok=True)
    top = os.fsencode(top)
    for line in sys.stdin.buffer:
        line = line.rstrip(b"\n")
        if not line.strip():
            continue
        kind, seed, size, path = line.split(None, 3)
        kind, seed, size = kind.decode(), seed.decode(), size.decode()
        old, _, path = path.rpartition(b" -> ")
        old, path = unescape(old), os.path.join(top, unescape(path))
        os.makedirs(path if kind == "dir" else os.path.dirname(path), exist_ok=True)
        if kind == "link":
            os.link(os.path.join(top, old), path)
        elif kind == "symlink":
            os.symlink(old, path)
        elif kind != "dir":
            with open(path, "wb") as f:
                if kind == "text":
                    f.write(text(int(seed), number(size)))
                elif kind == "bytes":
                    f.write(random.Random(int(seed)).randbytes(number(size)))
                elif kind == "sparse":
                    size, _, offsets = size.partition("@")
                    size = number(size)
                    r = random.Random(int(seed))
                    for offset in map(number, offsets.split(",")):
                        f.seek(offset)
                        f.write(r.randbytes(min(65536, size - offset)))
                    f.truncate(size)
                else:
                    sys.exit("truth.py: unknown kind: " + kind)
    for folder, _, files in os.walk(top, topdown=False):
        for f in files:
            os.utime(os.path.join(folder, f), (TIME, TIME), follow_symlinks=False)
        os.utime(folder, (TIME, TIME))


def sha1(path):
    """Size and SHA-1 of a file; its holes are not read."""
    digest, zeros, position = hashlib.sha1(), bytes(1 << 20), 0
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        while position < size:
            try:
                data = os.lseek(f.fileno(), position, os.SEEK_DATA)
            except OSError:                                         # nothing but a hole up to the end
                data = size
            while position < data:
                n = min(len(zeros), data - position)
                digest.update(memoryview(zeros)[:n])
                position += n
            if position < size:
                end = os.lseek(f.fileno(), position, os.SEEK_HOLE)
                while position < end:
                    block = os.pread(f.fileno(), min(1 << 20, end - position), position)
                    if not block:
                        sys.exit("truth.py: cannot read " + os.fsdecode(path))
                    digest.update(block)
                    position += len(block)
    return size, digest.hexdigest()


def of(volume, top, options):
    top = os.fsencode(top)
    streams = "streams" in options
    deleted = tuple(os.fsencode(o[8:]) for o in options if o.startswith("deleted="))
    renamed = dict(os.fsencode(o[3:]).split(b"=", 1) for o in options if o.startswith("as="))
    objects = {}
    for folder, _, files in os.walk(top):
        for f in files:
            path = os.path.join(folder, f)
            if not os.path.islink(path):
                s = os.stat(path)
                objects.setdefault((s.st_dev, s.st_ino), []).append(os.path.relpath(path, top))
    for paths in objects.values():
        paths.sort()
        kind = b"stream" if streams and b":" in paths[0] else b"deleted" if deleted and paths[0].startswith(deleted) else b"file"
        size, digest = sha1(os.path.join(top, paths[0]))
        if "nfd" in options:
            paths = sorted(os.fsencode(unicodedata.normalize("NFD", os.fsdecode(p))) for p in paths)
        name = b"//".join(escape(renamed.get(p, p)) for p in paths)
        sys.stdout.buffer.write(b"\t".join([volume.encode(), kind, name, b"%d" % size, digest.encode()]) + b"\n")


def gap(offset, path):
    with open(path, "rb") as f:
        data = f.read()
    print("-", "gap", "@%s+%d" % (offset, len(data)), len(data), hashlib.sha1(data).hexdigest(), sep="\t")


if __name__ == "__main__":
    {"tree": lambda a: tree(a[0]), "of": lambda a: of(a[0], a[1], a[2:]), "gap": lambda a: gap(*a)}[sys.argv[1]](sys.argv[2:])
