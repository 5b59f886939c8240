#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much kith scan finds, class by class, compared with ssdeep, TLSH and sdhash if they are installed.

quality.py KITH CORPORA UNPACKED SCRATCH: CORPORA has scripts/frash.py; UNPACKED has pairs/ (two versions of real files, with
what they truly have in common) and small/ (disk images with planted files).  Tables in Markdown go to standard output.
A pair counts as found by kith if any finding names the reference, and by "deep" with a set of C = 32 and --deep; by the others as
peers.py says.
"""
import collections
import csv
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from peers import PEERS
from scanning import make_set, rows

kith, corpora, unpacked, scratch = sys.argv[1:5]


def object_of(evidence, row):
    """The path of the file that was found, or that holds the member that was."""
    if not os.path.isdir(evidence):
        return evidence
    path = os.path.join(evidence, row["path"])
    while row["kind"] == "member" and not os.path.isfile(path):
        path = os.path.dirname(path)
    return path


def scan(set_path, *evidence, options=()):
    """object -> reference's name -> row, which is that of a member only if there is none of the object itself"""
    found = collections.defaultdict(dict)
    for path in evidence:
        for row in sorted(rows(kith, set_path, [path], *options), key=lambda row: row["kind"] == "member"):
            found[object_of(path, row)].setdefault(row["ref_name"].split(" of ")[-1], row)
    return found


def make_sets(path, folder):
    """Two, the one for --deep."""
    make_set(kith, path, (), folder)
    make_set(kith, path + ".deep", ("-C", "32"), folder)


def scan_deep(set_path, *evidence):
    return scan(set_path + ".deep", *evidence, options=("--deep",))


class Table:
    def __init__(self, title):
        self.title, self.rows = title, collections.OrderedDict()

    def add(self, key, found, deep, a, b):
        row = self.rows.setdefault(key, collections.Counter())
        row["n"] += 1
        row["kith"] += bool(found)
        row["deep"] += bool(deep)
        row["verdict"] += found == "right"
        for name, call in PEERS:
            row[name] += call(a, b)

    def show(self):
        names = [name for name, _ in PEERS]
        print("\n| %s | n | kith | with that verdict | deep | %s" % (self.title, "".join("%s | " % name for name in names)))
        print("|---|---|---|---|---|" + "---|" * len(names))
        for key, row in self.rows.items():
            cells = [key, row["n"], row["kith"], row["verdict"], row["deep"]] + [row[name] for name in names]
            print("| " + " | ".join(str(cell) for cell in cells) + " |")


def size_class(size):
    for limit, name in ((4096, "below 4 KB"), (16384, "4 to 16 KB"), (65536, "16 to 64 KB"), (262144, "64 to 256 KB"), (1 << 20, "256 KB to 1 MB")):
        if size < limit:
            return name
    return "above 1 MB"


def versions():
    pairs = list(csv.DictReader(open(os.path.join(unpacked, "pairs/pairs.csv"))))
    references, objects = os.path.join(scratch, "versions/old"), os.path.join(scratch, "versions/new")
    for pair in pairs:
        for folder, side in ((references, "a"), (objects, "b")):
            os.makedirs(folder, exist_ok=True)
            target = os.path.join(folder, pair["pair_id"])
            if not os.path.exists(target):
                os.link(os.path.join(unpacked, "pairs", pair["file_" + side]), target)
    make_sets(scratch + "/versions.kith", references)
    found, deep = scan(scratch + "/versions.kith", objects), scan_deep(scratch + "/versions.kith", objects)
    names = {}
    for pair in sorted(pairs, key=lambda pair: pair["pair_id"]):
        names.setdefault(pair["sha1_a"], pair["pair_id"])
    kinds, sizes = Table("two versions, common strings at least half"), Table("the same, by size")
    lower = Table("two versions with less in common")
    for pair in pairs:
        if pair["relation"] != "variant":
            continue
        path = os.path.join(objects, pair["pair_id"])
        row, also = (result[path].get(names[pair["sha1_a"]]) for result in (found, deep))
        result = row and ("right" if row["verdict"] in ("variant", "identical") else "other")
        files = (os.path.join(references, pair["pair_id"]), path)
        if float(pair["resemblance"]) >= 0.5:
            kinds.add(pair["class"], result, also, *files)
            sizes.add(size_class(int(pair["size_b"])), result, also, *files)
        else:
            lower.add(pair["class"], result, also, *files)
    for table in (kinds, sizes, lower):
        table.show()


def frash():
    folder, files = scratch + "/frash", scratch + "/frash-files"
    if not os.path.exists(folder):
        os.makedirs(files)
        for pair in csv.DictReader(open(os.path.join(unpacked, "pairs/pairs.csv"))):
            target = os.path.join(files, pair["pair_id"] + os.path.splitext(pair["file_a"])[1])
            os.link(os.path.join(unpacked, "pairs", pair["file_a"]), target)
        subprocess.run([sys.executable, os.path.join(corpora, "scripts/frash.py"), files, folder, "--limit", "16"], check=True,
                       stdout=subprocess.DEVNULL)
    truth = list(csv.DictReader(open(folder + "/truth.csv")))
    place = {row["reference"]: os.path.join(folder if "/" in row["reference"] else files, row["reference"]) for row in truth}
    sets = {}
    for name in ("scb", "other"): # files that share a block with a random one have that as their reference
        references = scratch + "/frash-" + name
        shutil.rmtree(references, ignore_errors=True)
        os.makedirs(references)
        for reference, path in place.items():
            if ("/" in reference) == (name == "scb"):
                os.link(path, os.path.join(references, reference.replace("/", "__")))
        sets[name] = scratch + "/frash-" + name + ".kith"
        make_sets(sets[name], references)
    found, deep = {}, {}
    for name in ("scb", "embed", "fragment", "align", "noise"):
        found.update(scan(sets["scb" if name == "scb" else "other"], os.path.join(folder, name)))
        deep.update(scan_deep(sets["scb" if name == "scb" else "other"], os.path.join(folder, name)))
    table = Table("FRASH")
    order = {"scb": 0, "embed": 1, "fragment": 2, "align": 3, "noise": 4}
    for row in sorted(truth, key=lambda row: (order[row["class"]], frash_kind(row), -frash_number(row))):
        path = os.path.join(folder, row["file"])
        result, also = (rows.get(path, {}).get(row["reference"].replace("/", "__")) for rows in (found, deep))
        table.add(frash_key(row), result and ("right" if result["verdict"] == row["relation"] else "other"), also, place[row["reference"]], path)
    table.show()
    show_strangers([row for row in truth if row["class"] in ("fragment", "align", "noise")], found, deep, folder, place)


def frash_kind(row):
    return row["case"].split("_")[0] if row["class"] == "noise" else ""


def frash_number(row):
    return float(re.sub("[^0-9.]", "", row["parameter"]) or 0)


def frash_key(row):
    if row["class"] == "scb":
        return "single common block of %s %%" % row["parameter"]
    if row["class"] == "embed":
        share = float(row["parameter"])
        return "embedded, %s of the host" % ("below 10 %" if share < 10 else "10 to 50 %" if share < 50 else "above 50 %")
    if row["class"] == "fragment":
        share = float(row["parameter"])
        return "fragment, %s %%" % (row["parameter"] if share <= 5 else "10 to 25" if share <= 25 else "30 to 95")
    if row["class"] == "align":
        return "bytes put before"
    return "noise, %s, %s %% of bytes" % (row["case"].split("_")[0], row["parameter"])


STRING, DIFFERENT, SAMPLED = 32, 9, 45


def related(place):
    """Pairs of files with a significant string in common: 32 bytes of which nine are different."""
    at, pairs = collections.defaultdict(set), set()
    for name, path in place.items():
        data = open(path, "rb").read()
        for i in range(0, len(data) - STRING, STRING):
            if len(set(data[i:i + STRING])) >= DIFFERENT:
                at[data[i:i + STRING]].add(name)
    for name, path in place.items():
        data = open(path, "rb").read()
        for i in range(len(data) - STRING):
            others = at.get(data[i:i + STRING])
            if others and others != {name}:
                pairs.update((name, other) for other in others)
    return pairs | {(b, a) for a, b in pairs}


def show_strangers(truth, found, deep, folder, place):
    """Findings of one original in what was made from another, if the two have nothing in common; of the peers for some of the pairs."""
    originals = sorted({row["reference"] for row in truth})
    related_pairs = related({name: place[name] for name in originals})
    pairs = [(name, os.path.join(folder, row["file"])) for row in truth for name in originals
             if name != row["reference"] and (name, row["reference"]) not in related_pairs]
    wrong = [sum(name in rows.get(path, {}) for name, path in pairs) for rows in (found, deep)]
    print("\nPairs that have nothing in common: kith finds %d among %d, deep %d" % (wrong[0], len(pairs), wrong[1]), end="")
    some = pairs[::SAMPLED]
    for name, call in PEERS:
        print("; %s %d among %d" % (name, sum(call(place[a], b) for a, b in some), len(some)), end="")
    print(".")


def main():
    os.makedirs(scratch, exist_ok=True)
    versions()
    frash()


main()
