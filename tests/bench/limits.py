#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The detection limit: what share of fragments kith scan finds, by their size and that of the file they come from.

limits.py KITH SCRATCH FILE...: FILEs become a set, and a dense one (C = 32).  From random places of random files, PIECES fragments of each size are cut,
and each is put at an odd offset into random bytes.  Tables in Markdown go to standard output: the share found of all fragments,
pieces of zeros and of tables included; of those of which at least half varies (lib/match/merit.c), and how many these are; and
what tests/data/detection.py predicts for them.
"""
import collections
import functools
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import detection as model
from scanning import make_set, rows

PIECES, HOST = 200, 160 << 10
# title, C of the set, options of the scan, C of large objects
MODES = (("default", 128, (), 128), ("default set, --deep", 128, ("--deep",), 32), ("dense set", 32, (), 32))
SIZES = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
CLASSES = ((8 << 10, 24 << 10, "below 24 KiB"), (24 << 10, 128 << 10, "below 128 KiB"), (128 << 10, 1 << 20, "up to 1 MiB"),
           (1 << 20, 4 << 20, "up to 4 MiB"), (4 << 20, 16 << 20, "up to 16 MiB"), (16 << 20, 1 << 62, "above 16 MiB"))
WINDOW, DISTINCT, DIFFERENT, STRIDES = 32, 9, 10, (1, 2, 3, 4, 8, 12, 16, 24)


def varies(window, before):
    """Whether 32 bytes, after the 24 before them, vary as in text, code or pictures"""
    if len(set(window)) < DISTINCT:
        return False
    both = before + window
    return all(len({both[i] - both[i - stride] & 255 for i in range(len(before), len(both))}) >= DIFFERENT
               for stride in STRIDES)


def is_varied(piece):
    windows = range(WINDOW, len(piece) - WINDOW + 1, WINDOW)
    return 2 * sum(varies(piece[i:i + WINDOW], piece[i - 24:i]) for i in windows) >= len(windows)


def c_of(size, c):
    """The C at which a file of 8 KiB and more is sampled in a set of this C, at most 128"""
    c = min(c, 32 if size < 24 << 10 else 64 if size < 128 << 10 else c)
    while size > 1 << 20:
        size, c = size / 4, c * 2
    return c


@functools.lru_cache(maxsize=None)
def lengths(file_c, object_c):
    return model.simulate(file_c, object_c)


def cut(files, size, folder, random_source):
    """Fragments in folder/NUMBER: a list of (path of the file they come from, whether it varies)"""
    truth = []
    for number in range(PIECES):
        path = random_source.choice(files)
        with open(path, "rb") as file:
            file.seek(random_source.randrange(os.path.getsize(path) - size))
            piece = file.read(size)
        at = random_source.randrange(HOST - size)
        with open(os.path.join(folder, str(number)), "wb") as file:
            file.write(random_source.randbytes(at) + piece + random_source.randbytes(HOST - at - size))
        truth.append((path, is_varied(piece)))
    return truth


def found(kith, set_path, options, folder, truth):
    """For each fragment: whether its file is found"""
    references = collections.defaultdict(set)
    for row in rows(kith, set_path, [folder], *options):
        references[row["path"]].add(row["ref_name"])
    return [any(path.endswith(reference) for reference in references[str(number)])
            for number, (path, _) in enumerate(truth)]


def predict(truth, c, object_c, size):
    """The mean share predicted for these fragments"""
    return sum(model.share_of(lengths(c_of(os.path.getsize(path), c), object_c), size) for path, _ in truth) / max(1, len(truth))


def measure(kith, scratch, files):
    """(title, size) -> the shares found, found of those that vary, and predicted for these"""
    random_source, cells, folder = random.Random(1), {}, os.path.join(scratch, "fragments")
    for size in SIZES:
        if 2 * size > min(map(os.path.getsize, files)):
            continue
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        truth = cut(files, size, folder, random_source)
        varied = [fragment for fragment in truth if fragment[1]]
        for title, c, options, object_c in MODES:
            hits = found(kith, set_path(scratch, c), options, folder, truth)
            hits_varied = sum(hit for hit, (_, vary) in zip(hits, truth) if vary)
            cells[title, size] = (sum(hits) / PIECES, hits_varied / max(1, len(varied)),
                                  predict(varied, c, object_c, size))
    shutil.rmtree(folder, ignore_errors=True)
    return cells


def set_path(scratch, c):
    return os.path.join(scratch, "%d.kith" % c)


def show(title, measured):
    print("\n| %s | | %s |" % (title, " | ".join("%d" % size for size in SIZES)))
    print("|---" * (len(SIZES) + 2) + "|")
    for name, cells in measured.items():
        for number, what in enumerate(("found", "varied", "predicted")):
            print("| %s | %s | %s |" % ("" if number else name, what, " | ".join(
                "%.0f %%" % (100 * cells[title, size][number]) if (title, size) in cells else "" for size in SIZES)))


def main():
    kith, scratch = sys.argv[1:3]
    files = [path for path in sys.argv[3:] if os.path.getsize(path) > CLASSES[0][0]]
    os.makedirs(scratch, exist_ok=True)
    for c in {mode[1] for mode in MODES}:
        make_set(kith, set_path(scratch, c), ("-C", str(c)), *files)
    measured = {}
    for least, most, name in CLASSES:
        own = [file for file in files if least < os.path.getsize(file) <= most]
        if own:
            measured[name] = measure(kith, scratch, own)
    for title, _, _, _ in MODES:
        show(title, measured)


main()
