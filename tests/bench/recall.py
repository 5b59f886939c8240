#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many of given pairs of files kith finds, by what they have in common.

recall.py [options] KITH SCRATCH TRUTH.csv...

A TRUTH.csv lists pairs of a reference and an object: either with columns pair, class, sha_a, cover_a, cover_b, where the files
lie beside it as A/SHA_A and B/PAIR, or with pair_id, class, file_a, file_b, cover_a, cover_b.  A cover is the share of a file's
bytes that lie in strings of 32 bytes which the other has too; a pair has the larger of its two covers in common.

The references of each TRUTH.csv, and all other files in its A, become a set, and a dense one (-C 32, for --deep).  NAME~NUMBER
in A is a near-copy of NAME, and as good.  A pair is found by scan if a finding in the
object, or in a member of it, names the reference or a member of it; by compare if its verdict is not none.  Half of the pairs,
chosen by the SHA-1 of their names, are for tuning, and the others for tests.
"""
import argparse
import collections
import csv
import hashlib
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
from make_pairs import cover
from peers import PEERS, output
from scanning import make_set, rows

SHARES = ((.5, "half or more"), (.1, ".1 to .5"), (.01, ".01 to .1"), (-1, "less"))
SIZES = ((2048, "below 2 KB"), (4096, "2 to 4 KB"), (16384, "4 to 16 KB"), (65536, "16 to 64 KB"), (262144, "64 to 256 KB"),
         (1 << 20, "256 KB to 1 MB"), (1 << 62, "above 1 MB"))
IN_COMMON = .1  # below, only opened containers or decoding can be expected to find a pair
FOUNDED = 128 # bytes in common strings, for a finding of another reference
CHECKED = 400000 # the largest file whose strings are compared


def half(name):
    return "tune" if hashlib.sha1(name.encode()).digest()[0] & 1 else "test"


def share(pair):
    return max(float(pair["cover_a"] or 0), float(pair["cover_b"] or 0))


def by_class(pair):
    return pair["class"]


def share_class(pair):
    return next(name for least, name in SHARES if share(pair) >= least)


def size_class(pair):
    return next(name for limit, name in SIZES if pair["size"] < limit)


def read(truth, scratch):
    """Pairs with the paths of both files, which become links in folders of their own."""
    folder, pairs = os.path.dirname(os.path.abspath(truth)), []
    for side in ("references", "objects"):
        shutil.rmtree(os.path.join(scratch, side), ignore_errors=True)
        os.makedirs(os.path.join(scratch, side))
    if os.path.exists(os.path.join(folder, "A")):
        shutil.copytree(os.path.join(folder, "A"), os.path.join(scratch, "references"), dirs_exist_ok=True)
    for pair in csv.DictReader(open(truth)):
        name = pair["pair"] = pair.get("pair") or pair["pair_id"]
        sources = [pair["file_a"], pair["file_b"]] if "file_a" in pair else ["A/" + pair["sha_a"], "B/" + name]
        content = open(os.path.join(folder, sources[0]), "rb").read()
        names = ("references/" + hashlib.sha1(content).hexdigest(), "objects/" + name.replace("/", "_"))
        pair["a"], pair["b"] = (os.path.join(scratch, each) for each in names)
        for source, target in zip(sources, (pair["a"], pair["b"])):
            if not os.path.exists(target):
                shutil.copyfile(os.path.join(folder, source), target)
        pair["size"] = min(os.path.getsize(pair["a"]), os.path.getsize(pair["b"]))
        pair["half"] = half(name)
        pairs.append(pair)
    return pairs


def scan(kith, set_path, folder, options):
    """(object, reference) -> rows, with members counting as what they are in; object -> verdict of the object itself"""
    found, alone = collections.defaultdict(list), {}
    for row in rows(kith, set_path, [folder], "--all", *options):
        path, reference = row["path"].split("/")[0], row["ref_name"].split(" of ")[-1].split("/")[0].split("~")[0]
        if row["kind"] != "member" and not reference:
            alone[path] = row["verdict"]
        found[path, reference].append(row)
    return found, alone


def best(found, pair):
    matches = found.get((os.path.basename(pair["b"]), os.path.basename(pair["a"])), [])
    return min(matches, key=lambda row: (float(row["e_value"] or 0), -int(row["matched"] or 0)), default=None)


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def strangers(found, pairs, references):
    """Findings that name another reference than that of the pair: how many were checked, and those where neither the object nor the
    pair's reference has much in common with it.  Only files count, since the content of members is not here."""
    objects, count, unfounded = {os.path.basename(pair["b"]): pair for pair in pairs}, 0, []
    for (name, reference), rows_found in found.items():
        pair, row = objects.get(name), rows_found[0]
        if not pair or reference in ("", os.path.basename(pair["a"])) or row["kind"] == "member" or row["ref_name"] != reference:
            continue
        contents = [content_of(path) for path in (os.path.join(references, reference), pair["b"], pair["a"])]
        if max(map(len, contents)) > CHECKED:
            continue
        count += 1
        if all(cover(each, contents[0]) * len(each) < FOUNDED for each in contents[1:]):
            unfounded.append("%s %s %s, E %s, matched %s" % (name, row["verdict"], reference, row["e_value"], row["matched"]))
    return count, unfounded


def compared(kith, pair):
    try:
        return json.loads(output(kith, "compare", "--json", "--raw", pair["a"], pair["b"]))["verdict"]
    except (ValueError, KeyError):
        return "error"


def measure(options, pairs, scratch):
    sets = {name: os.path.join(scratch, name + ".kith") for name in ("default", "dense")}
    references, objects = (os.path.join(scratch, side) for side in ("references", "objects"))
    make_set(options.kith, sets["default"], options.add, references)
    make_set(options.kith, sets["dense"], ["-C", "32", *options.add], references)
    print("sets: %d and %d bytes" % tuple(os.path.getsize(path) for path in sets.values()))
    found, alone = scan(options.kith, sets["default"], objects, options.scan)
    loose, _ = scan(options.kith, sets["default"], objects, ["-t", "1000", *options.scan])
    dense, _ = scan(options.kith, sets["dense"], objects, ["--deep", *options.scan])
    if options.strangers:
        for mode, result in (("scan", found), ("t1000", loose), ("dense", dense)):
            count, unfounded = strangers(result, pairs, references)
            print("%s: %d findings of other references checked, of which %d have less than %d bytes in common" % (mode, count, len(unfounded), FOUNDED))
            print("".join("  %s\n" % each for each in unfounded), end="")
    for pair in pairs:
        verdict = compared(options.kith, pair)
        pair["found"] = {"scan": best(found, pair), "t1000": best(loose, pair), "dense": best(dense, pair),
                         "compare": None if verdict in ("none", "error") else verdict}
        if options.order:
            found_by_scan = best(found, pair) or {}
            pair["found"]["as variant"] = found_by_scan.get("verdict") == "variant"
            pair["found"]["other order"] = found_by_scan.get("order") == "other"
        pair["alone"], pair["compared"] = alone.get(os.path.basename(pair["b"]), "other references"), verdict
        if options.peers:
            for name, call in PEERS:
                pair["found"][name] = call(pair["a"], pair["b"])


def show(title, pairs, key, order=None):
    if not pairs:
        return
    names = list(pairs[0]["found"])
    print("\n| %s | n | %s |\n|---|---|%s" % (title, " | ".join(names), "---|" * len(names)))
    groups = collections.defaultdict(list)
    for pair in pairs:
        groups[key(pair)].append(pair)
    for name in [each for _, each in order] if order else sorted(groups):
        if groups[name]:
            counts = [sum(bool(pair["found"][mode]) for pair in groups[name]) for mode in names]
            print("| %s | %d | %s |" % (name, len(groups[name]), " | ".join(map(str, counts))))


def show_misses(pairs):
    print("\nMissed by scan: half, pair, smaller size, in common, longest string; E with -t 1000; dense; compare; object's own row")
    for pair in sorted(pairs, key=lambda pair: (-share(pair), pair["pair"])):
        if not pair["found"]["scan"] and share(pair) >= .01:
            loose = pair["found"]["t1000"]
            print("%s %s %d %.3f %s; %s; %s; %s; %s" % (
                pair["half"], pair["pair"], pair["size"], share(pair), pair.get("longest") or pair.get("longest_common") or "?",
                loose and "%s %s" % (loose["verdict"], loose["e_value"]) or "-", pair["found"]["dense"] and "found" or "-",
                pair["compared"], pair["alone"]))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("scratch")
    parser.add_argument("truth", nargs="+")
    parser.add_argument("--half", choices=("tune", "test"), help="only this half of the pairs")
    parser.add_argument("--scan", type=str.split, default=[], metavar="OPTIONS", help="further options of kith scan, as --scan='-t 1'")
    parser.add_argument("--add", type=str.split, default=[], metavar="OPTIONS", help="further options of kith add")
    parser.add_argument("--peers", action="store_true", help="compare the pairs with ssdeep, TLSH and sdhash, too")
    parser.add_argument("--order", action="store_true", help="count what scan calls a variant, and content in another order")
    parser.add_argument("--strangers", action="store_true", help="check findings of other references than that of the pair (slow)")
    parser.add_argument("--classes", action="store_true", help="only one table, by class")
    parser.add_argument("--misses", action="store_true", help="list the pairs that scan misses")
    return parser.parse_args()


def show_all(everything, half_asked):
    for name in (half_asked,) if half_asked else (None, "tune", "test"):
        chosen = [pair for pair in everything if name in (None, pair["half"])]
        show("bytes in common (%s)" % (name or "all"), chosen, share_class, SHARES)
    show("class, at least %.1f in common" % IN_COMMON, [pair for pair in everything if share(pair) >= IN_COMMON], by_class)
    show("class, less in common", [pair for pair in everything if share(pair) < IN_COMMON], by_class)
    for least, upper, title in ((.5, 2, "size of the smaller, half or more"), (IN_COMMON, .5, "size of the smaller, .1 to .5")):
        show(title, [pair for pair in everything if least <= share(pair) < upper], size_class, SIZES)


def main():
    options, everything = arguments(), []
    for number, truth in enumerate(options.truth):
        scratch = os.path.join(options.scratch, str(number))
        pairs = read(truth, scratch)
        measure(options, pairs, scratch)
        everything += [pair for pair in pairs if options.half in (None, pair["half"])]
    if options.classes:
        show("class", everything, by_class)
    else:
        show_all(everything, options.half)
    if options.misses:
        show_misses(everything)


main()
