#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the right reference is named: naming.py [options] KITH SCRATCH OLD NEW [OLD NEW]...

OLD and NEW are folders with the files of a package in two versions.  The programs in OLD become a set; each in NEW that is also in
OLD, changed, should name its own old version, and name it first.  What both share with the other programs of the package makes
this hard.  "Alone" is a scan with default options, where kith chooses one of similar references; "first of all" is the place among
those of --all-references, in the order of the rows.
"""
import argparse
import collections
import csv
import os
import shutil
import sys

sys.dont_write_bytecode = True
from peers import output
from scanning import make_set, rows

LEAST = 2048


def programs(folder):
    """name -> path; the folders differ between releases"""
    found = {}
    for where, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            if not os.path.islink(path) and os.path.getsize(path) >= LEAST and open(path, "rb").read(4) == b"\x7fELF":
                found[name] = path
    return found


def grouped(found):
    """object -> its references, in the order of the report"""
    names = collections.defaultdict(list)
    for row in found:
        if row["ref_name"] and row["kind"] == "file" and row["ref_name"] not in names[row["path"]]:
            names[row["path"]].append(row["ref_name"])
    return names


def measure(options, number, old, new):
    scratch = os.path.join(options.scratch, str(number))
    shutil.rmtree(scratch, ignore_errors=True)
    before, after = programs(old), programs(new)
    common = [name for name in after if name in before and open(before[name], "rb").read() != open(after[name], "rb").read()]
    if not common:
        return print("| %s, %s | no programs |" % (os.path.basename(old), os.path.basename(new)))
    for side, files, names in (("old", before, before), ("new", after, common)):
        os.makedirs(os.path.join(scratch, side))
        for name in names:
            shutil.copyfile(files[name], os.path.join(scratch, side, name))
    set_path = scratch + ".kith"
    make_set(options.kith, set_path, options.add, scratch + "/old")
    text = output(options.kith, "scan", "-q", "--csv", *options.scan, "-r", set_path, scratch + "/new")
    alone = grouped(csv.DictReader(text.splitlines()))
    everything = grouped(rows(options.kith, set_path, [scratch + "/new"], *options.scan))
    counts = [len(common), sum(bool(alone[name]) for name in common), sum(name in alone[name] for name in common),
              sum(alone[name][:1] == [name] for name in common), sum(name in everything[name] for name in common),
              sum(everything[name][:1] == [name] for name in common)]
    print("| %s, %s | %s |" % (os.path.basename(old), os.path.basename(new), " | ".join(map(str, counts))))
    if options.wrong:
        for name in common:
            if everything[name][:1] != [name]:
                print("  %s: %s" % (name, " ".join(everything[name][:6]) or "-"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("scratch")
    parser.add_argument("folders", nargs="+", metavar="OLD NEW")
    parser.add_argument("--scan", type=str.split, default=[], metavar="OPTIONS", help="further options of kith scan")
    parser.add_argument("--add", type=str.split, default=[], metavar="OPTIONS", help="further options of kith add")
    parser.add_argument("--wrong", action="store_true", help="list what is not named first")
    options = parser.parse_args()
    print("| versions | programs | with a finding | right one alone | first alone | right one of all | first of all |\n|---|---|---|---|---|---|---|")
    for number in range(0, len(options.folders) - 1, 2):
        measure(options, number // 2, *options.folders[number:number + 2])


main()
