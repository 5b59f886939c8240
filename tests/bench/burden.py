#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects full of related content: what is found in them, and how much longer they take than unrelated ones.

burden.py [options] KITH SCRATCH MEGABYTES FILE|FOLDER...  makes a set of the files (4 KB to 1 MB each, up to MEGABYTES) and scans
tar          a tar of all of them, each with a few bytes changed, with containers opened and without
unallocated  the same in the free space of an ext4 file system, from which the files were deleted (if mke2fs and debugfs exist)
pieces       20,000 pieces of 2 KB of the files
family       edited copies of 20 files
crowd        20,000 pieces of 2 KB of these files
mixture      pieces of 64 bytes of these and 20 other files, in random order
The last four are also scanned against a set that has 60 near-copies (--copies) of each of the 20 files.
Each is compared with an object made in the same way, of files in which byte values are exchanged (x becomes 167 x + 13 modulo
256): they have the same structure, and nothing in common with the set.  With -j1; seconds are processor time, memory is that of
the largest process.
"""
import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
from make_pairs import near_copy, walk
from scanning import make_set

LEAST, LARGEST = 4096, 1 << 20
PIECES, PIECE, GRAIN = 20000, 2048, 64
FAMILIES = 20
MEASURED = """import resource, subprocess, sys
status, used = subprocess.run(sys.argv[1:]).returncode, resource.getrusage(resource.RUSAGE_CHILDREN)
print([used.ru_utime + used.ru_stime, used.ru_maxrss, status], file=sys.stderr)"""  # a process of its own: peaks of memory are inherited
EXCHANGED = bytes((167 * x + 13) & 255 for x in range(256))


def chosen(paths, most):
    """Files in an order that depends on the seed, up to so many bytes."""
    files = [path for path in walk(paths) if LEAST <= os.path.getsize(path) <= LARGEST]
    random.Random(1).shuffle(files)
    contents, total = {}, 0
    for path in files:
        if total >= most:
            break
        with open(path, "rb") as file:
            content = file.read()
        if content not in contents:
            contents[content] = None
            total += len(content)
    return list(contents)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def make_references(options, contents):
    """Sets "plain" and "family" with the files; the latter also with families of near-copies."""
    folder = os.path.join(options.scratch, "references")
    os.makedirs(folder)
    for number, content in enumerate(contents):
        write("%s/%d" % (folder, number), content)
    plain = os.path.join(options.scratch, "plain.kith")
    make_set(options.kith, plain, options.add, folder)
    for number, content in enumerate(contents[:FAMILIES]):
        for copy in range(options.copies):
            write("%s/%d~%d" % (folder, number, copy), near_copy(content, random.Random("%d %d" % (number, copy))))
    family = os.path.join(options.scratch, "family.kith")
    make_set(options.kith, family, options.add, folder)
    return plain, family


def make_tar(folder, contents, rounds):
    os.makedirs(folder + "/edited")
    path = folder + "/edited.tar"
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for number, content in enumerate(contents * rounds):
            archive.add(write("%s/edited/%d" % (folder, number), near_copy(content, random.Random(number))), str(number))
    return path


def make_deleted(folder, contents, rounds):
    """An ext4 file system whose files, those of the tar, were deleted; None if the tools are not there"""
    path, megabytes = folder + "/deleted.img", rounds * sum(map(len, contents)) // 1000000
    if not shutil.which("mke2fs") or not shutil.which("debugfs"):
        return None
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-N", str(rounds * len(contents) + 100), "-d", folder + "/edited", path,
                    "%dM" % (megabytes * 5 // 4 + 32)], check=True, stdout=subprocess.DEVNULL)
    commands = write(path + ".rm", b"".join(b"rm /%d\n" % number for number in range(rounds * len(contents))))
    subprocess.run(["debugfs", "-w", "-f", commands, path], check=True, capture_output=True)
    return path


def objects(folder, contents, rounds):
    """Each kind of object: (name, path, whether it is for both sets); only one exists at a time."""
    yield "tar", make_tar(folder, contents, rounds), False
    os.unlink(folder + "/edited.tar")
    yield "unallocated", make_deleted(folder, contents, rounds), False
    shutil.rmtree(folder)
    os.makedirs(folder)
    source = random.Random(2)
    pieces = (cut(source, source.choice(contents), PIECE) for _ in range(PIECES))
    yield "pieces", write(folder + "/pieces", b"".join(pieces)), True
    copies = (near_copy(content, source) for _ in range(10) for content in contents[:FAMILIES])
    yield "family", write(folder + "/family", b"".join(copies)), True
    pieces = (cut(source, source.choice(contents[:FAMILIES]), PIECE) for _ in range(PIECES))
    yield "crowd", write(folder + "/crowd", b"".join(pieces)), True
    related = contents[:FAMILIES] + source.sample(contents, min(FAMILIES, len(contents)))
    yield "mixture", write(folder + "/mixture", b"".join(cut(source, source.choice(related), GRAIN) for _ in range(200000))), True


def cut(source, content, size):
    at = source.randrange(max(1, len(content) - size))
    return content[at:at + size]


def scan(options, set_path, path, *more):
    """(seconds, megabytes, findings, references found, exit status, last message)"""
    out = path + ".csv"
    command = [options.kith, "scan", "-j1", "-q", "--csv", *options.scan, *more, "-r", set_path, path]
    with open(out, "wb") as file:
        done = subprocess.run([sys.executable, "-c", MEASURED, *command], stdout=file, stderr=subprocess.PIPE)
    messages, (seconds, kilobytes, status) = done.stderr.decode(errors="replace").strip().split("\n"), json.loads(done.stderr.split(b"\n")[-2])
    with open(out, newline="", errors="replace") as file:
        rows = [row for row in csv.DictReader(file) if row["ref_name"]]
    return (max(seconds, .01), kilobytes / 1024, len(rows), len({row["ref_name"].split("~")[0] for row in rows}),
            status, "".join(messages[:-1][-1:])[-100:])


def report(options, name, set_path, path, other, *more):
    apart, found = scan(options, set_path, other, *more), scan(options, set_path, path, *more)
    print("| %s | %.1f | %.2f | %.2f | %.1f | %d | %d | %d | %d | %d | %s |" % (
        name, os.path.getsize(path) / 1e6, found[0], apart[0], found[0] / apart[0], found[1], found[2], found[3], apart[2], found[4],
        found[5]), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("scratch")
    parser.add_argument("megabytes", type=int)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=1, help="edited copies of each file in the tar and the free space (default: 1)")
    parser.add_argument("--copies", type=int, default=60, help="near-copies of 20 files in the second set (default: 60)")
    parser.add_argument("--scan", type=str.split, default=[], metavar="OPTIONS", help="further options of kith scan, as --scan='-t 1'")
    parser.add_argument("--add", type=str.split, default=[], metavar="OPTIONS", help="further options of kith add")
    return parser.parse_args()


def main():
    options = arguments()
    shutil.rmtree(options.scratch, ignore_errors=True)
    os.makedirs(options.scratch)
    contents = chosen(options.files, options.megabytes * 1000000)
    plain, family = make_references(options, contents)
    print("%d files\n" % len(contents))
    print("| object | MB | seconds | unrelated | ratio | memory MB | findings | references | in the unrelated | status | last message |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    others = objects(options.scratch + "/unrelated", [content.translate(EXCHANGED) for content in contents], options.rounds)
    for (name, path, both), (_, other, _) in zip(objects(options.scratch + "/related", contents, options.rounds), others):
        if both:
            report(options, name, plain, path, other)
            report(options, name + ", families in the set", family, path, other)
        elif path:
            report(options, name + ", containers opened", plain, path, other)
            report(options, name + ", not opened", plain, path, other, "--containers", "no")


main()
