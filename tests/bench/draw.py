#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws findings of a case at random and shows their bytes, so that a person can judge them.

draw.py [options] KITH CASE SCRATCH  first states how many findings the most frequent references have.  Drawn are findings that
kith report --text lists: of common content one for all, unless --all is given.  Of each it shows the first and the last range in
which bytes match.  The same findings for the same seed and case.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from peers import output

SHOWN = 400 # bytes of a range
FREQUENT = 20


def findings(kith, case, verdicts):
    rows = (json.loads(line) for line in output(kith, "report", "--json", case).splitlines())
    return [row for row in rows if row["type"] == "finding" and row["verdict"] in verdicts]


def is_listed(row):
    return row.get("common", row["id"]) == row["id"]


def show_frequent(rows):
    counts = collections.Counter(row["reference"]["name"] for row in rows)
    most = counts.most_common(FREQUENT)
    print("%d findings of %d references; %d references have %d of them:" % (len(rows), len(counts), len(most), sum(n for _, n in most)))
    for name, count in most:
        print("  %6d %s" % (count, name))


def readable(content):
    if all(byte in (9, 10, 13) or 32 <= byte < 127 for byte in content):
        return content.decode()
    return content.decode("latin-1").encode("unicode_escape").decode().replace("\\n", "\n")


def show_bytes(folder, row):
    """Ranges are files NUMBER+OFFSET-NAME."""
    names = [name for name in os.listdir(folder) if name.startswith(row["id"] + "+")]
    names.sort(key=lambda name: int(name.split("+")[1].split("-")[0]))
    for name in names[:1] + names[1:][-1:]:
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        print("  ---- %d of %d bytes" % (min(SHOWN, len(content)), len(content)))
        print("  " + readable(content[:SHOWN]).replace("\n", "\n  "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("case")
    parser.add_argument("scratch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--all", action="store_true", help="draw from all findings")
    parser.add_argument("--verdicts", default="variant,embedded,fragment", help="(default: %(default)s)")
    options = parser.parse_args()
    rows = findings(options.kith, options.case, options.verdicts.split(","))
    show_frequent(rows)
    if not options.all:
        rows = [row for row in rows if is_listed(row)]
        print("%d of them are listed" % len(rows))
    drawn = random.Random(options.seed).sample(rows, min(options.count, len(rows)))
    shutil.rmtree(options.scratch, ignore_errors=True)
    subprocess.run([options.kith, "extract", "-q", "--ranges", "-d", options.scratch, options.case, *(row["id"] for row in drawn)])
    for number, row in enumerate(drawn, 1):
        print("\n%d. %s %s: %s/%s (%s, %d bytes)" % (number, row["id"], row["verdict"], row["evidence"]["path"], row["object"]["path"],
                                                    row["object"]["kind"], row["object"]["size"]))
        print("   of %s (%s bytes): matched %s, score %s, E %s, further references %s, objects %s" % (
            row["reference"]["name"], row["reference"].get("size"), row.get("matched"), row.get("score"), row.get("e_value"), row.get("also"),
            row["objects"]))
        show_bytes(options.scratch, row)


main()
