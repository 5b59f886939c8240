#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The detection limit: what share of fragments kith scan finds, by their size and that of the file they come from.

limits.py KITH SCRATCH FILE...: FILEs become a set, and a dense one (C = 32, for --deep).  From random places of random files,
PIECES fragments of each size are cut, and each is put at an odd offset into random bytes.  Tables in Markdown go to standard
output.  Fragments are not selected: a piece of zeros or of a table counts as missed.
"""
import collections
import os
import random
import sys

sys.dont_write_bytecode = True
from scanning import make_set, rows

PIECES, HOST = 200, 65536
SIZES = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
CLASSES = ((1 << 20, "up to 1 MiB"), (16 << 20, "1 to 16 MiB"), (1 << 62, "above 16 MiB"))
LEAST = 2 * max(SIZES)


def size_class(size):
    return next(name for limit, name in CLASSES if size <= limit)


def cut(files, folder):
    """Fragments in folder/NUMBER; number -> (class, size, path of the file they come from)"""
    truth, random_source = {}, random.Random(1)
    groups = collections.defaultdict(list)
    for path in files:
        groups[size_class(os.path.getsize(path))].append(path)
    os.makedirs(folder, exist_ok=True)
    for name, paths in groups.items():
        for size in SIZES:
            for _ in range(PIECES):
                path = random_source.choice(paths)
                with open(path, "rb") as file:
                    file.seek(random_source.randrange(os.path.getsize(path) - size))
                    piece = file.read(size)
                at = random_source.randrange(HOST - size)
                number = str(len(truth))
                with open(os.path.join(folder, number), "wb") as file:
                    file.write(random_source.randbytes(at) + piece + random_source.randbytes(HOST - at - size))
                truth[number] = (name, size, path)
    return truth


def found(kith, set_path, options, folder):
    """number -> SHA-1s of the references found"""
    references = collections.defaultdict(set)
    for row in rows(kith, set_path, [folder], *options):
        references[row["path"]].add(row["ref_name"])
    return references


def show(title, truth, references):
    counts = collections.Counter((name, size) for number, (name, size, path) in truth.items()
                                 if any(path.endswith(reference) for reference in references[number]))
    names = [name for _, name in CLASSES if any(row[0] == name for row in truth.values())]
    print("\n| %s | %s |" % (title, " | ".join("%d" % size for size in SIZES)))
    print("|---" * (len(SIZES) + 1) + "|")
    for name in names:
        print("| %s | %s |" % (name, " | ".join("%d %%" % round(100 * counts[name, size] / PIECES) for size in SIZES)))


def main():
    kith, scratch = sys.argv[1:3]
    files = [path for path in sys.argv[3:] if os.path.getsize(path) >= LEAST]
    os.makedirs(scratch, exist_ok=True)
    truth = cut(files, os.path.join(scratch, "fragments"))
    for title, kind, options in (("file, default set", (), ()), ("file, dense set", ("-C", "32"), ("--deep",))):
        path = os.path.join(scratch, "files.kith")
        make_set(kith, path, kind, *files)
        show(title, truth, found(kith, path, options, os.path.join(scratch, "fragments")))


main()
