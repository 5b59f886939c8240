#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether kith accounts for every byte of images, and finds what planted.py has planted in them.

    accounted.py FOLDER [TRUTH.csv]

The folder has for each image: NAME.size, its size in bytes; NAME.ls, from kith ls --csv; NAME.account, from kith ls --account;
and, if something is planted in it, NAME.scan, from kith scan --csv.  Checked is that

- each byte lies in a run of a listed object, and none that is whole lies outside of the image;
- the table adds up to the size, and counts for no kind of object more than its objects hold;
- each planted content has a row of the scan that covers it; the smallest ones need only be in an object that is read.

Prints what is wrong, with its place, and then exits with 1.
"""
import bisect
import collections
import csv
import os
import sys

csv.field_size_limit(1 << 30)
CERTAIN = 2048          # smaller content need not be found by its samples
ENOUGH = .8             # of planted content: the ends of a match are known to about C bytes
TABLE = ["evidence", "volume", "kind", "objects", "bytes"]
WITHOUT_OBJECTS = ("unreadable", "not-examined", "not-selected")
IN_BLOCKS = ("deleted", "orphan")               # count for all of a block that they have a part of


def rows(name):
    with open(name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ---- ranges of the image ----

def runs(row):
    """(offset in the object, offset on the image, length)"""
    for run in row["runs"].split():
        offset, _, rest = run.partition("@")
        start, _, length = rest.partition("+")
        yield int(offset), int(start), int(length)


def merged(ranges):
    """The same bytes, without overlaps, in order."""
    out = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def union(listing):
    return merged((start, start + length) for row in listing for _, start, length in runs(row))


def held(ranges, start, end):
    """How many bytes of START..END lie in these merged ranges."""
    first = max(bisect.bisect_right(ranges, [start]) - 1, 0)
    count = 0
    for begin, stop in ranges[first:]:
        if begin >= end:
            break
        count += max(0, min(stop, end) - max(begin, start))
    return count


def on_image(row, start, end):
    """Where the bytes START..END of an object lie."""
    for offset, at, length in runs(row):
        low, high = max(start, offset), min(end, offset + length)
        if low < high:
            yield at + low - offset, at + high - offset


# ---- each byte in an object ----

def uncovered(have, size):
    at = 0
    for start, end in [*have, [size, size]]:
        if min(start, size) > at:
            yield "%d+%d is in no object" % (at, min(start, size) - at)
        at = max(at, end)


def outside(listing, size):
    """Objects that end after the image, as if they were whole."""
    for row in listing:
        if row["status"] == "ok" and any(start + length > size for _, start, length in runs(row)):
            yield "%(kind)s %(address)s lies after the end of the image" % row


# ---- the table ----

def sums(parts, total, size):
    whole = sum(int(row["bytes"]) for row in parts)
    if list(total) != TABLE or total["kind"] != "total":
        yield "no table with a total: %s" % total
    if not whole == int(total["bytes"]) == size:
        yield "the rows add up to %d, the total is %s, the image has %d" % (whole, total["bytes"], size)
    if sum(int(row["objects"]) for row in parts) != int(total["objects"]):
        yield "the objects do not add up"
    if len({(row["volume"], row["kind"]) for row in parts}) < len(parts):
        yield "a row is there twice"


def by_kind(listing):
    """How many objects each volume has of each kind, and how many bytes of the image they hold."""
    groups = collections.defaultdict(list)
    for row in listing:
        groups[row["volume"], row["kind"]].append(row)
    return {key: (len(group), sum(end - start for start, end in union(group))) for key, group in groups.items()}


def claims(parts, listing):
    """Rows that have more than the objects of that volume and kind hold; objects without a row."""
    groups = by_kind(listing)
    whole = {row["volume"] for row in parts if row["kind"] == "not-examined"}       # then its objects count for that
    for row in parts:
        key = row["volume"], row["kind"]
        objects, most = groups.pop(key, (0, 0))
        if row["kind"] in WITHOUT_OBJECTS:
            continue
        if int(row["objects"]) != objects or (int(row["bytes"]) > most and row["kind"] not in IN_BLOCKS):
            yield "%s of volume %s: %s objects with %s bytes; listed are %d with %d" % (
                row["kind"], row["volume"], row["objects"], row["bytes"], objects, most)
    for volume, kind in groups:
        if volume not in whole:
            yield "%s of volume %s is not in the table" % (kind, volume)


def table_faults(table, size, listing):
    if not table:
        return ["there is no table"]
    return [*sums(table[:-1], table[-1], size), *claims(table[:-1], listing)]


# ---- planted content ----

def hits(listing, scan):
    """For each reference where on the image it was found, with the row; None for the place if the object has no runs."""
    objects = {(row["volume"], row["address"], row["path"]): row for row in listing}
    found = collections.defaultdict(list)
    for row in scan:
        if row["ref_name"]:
            where = objects[row["volume"], row["address"], row["path"]]
            found[row["ref_name"]] += [(span, row) for span in on_image(where, int(row["obj_start"]), int(row["obj_end"]))] or [(None, row)]
    return found


def is_found(planted, have, mine):
    start, length = int(planted["offset"]), int(planted["length"])
    if held(merged(span for span, _ in mine if span), start, start + length) >= ENOUGH * length:
        return True
    if any(span is None and int(hit["matched"]) >= ENOUGH * length for span, hit in mine):
        return True
    return length < CERTAIN and held(have, start, start + length) == length


def lost(truth, name, have, listing, scan):
    found, count = hits(listing, scan), 0
    for planted in truth:
        if planted["image"] == name:
            count += 1
            mine = found.get("%s..%s" % (name.rpartition(".")[0], planted["place"]), [])
            if not is_found(planted, have, mine):
                yield "lost: %(place)s at %(offset)s+%(length)s" % planted
            elif "VERBOSE" in os.environ:
                print(name, planted["place"], *sorted({"%s/%s" % (hit["kind"], hit["verdict"]) for _, hit in mine}))
    if not count:
        yield "nothing is planted in it"


# ---- everything ----

def faults(stem, name, truth):
    with open(stem + ".size", encoding="ascii") as file:
        size = int(file.read())
    listing = rows(stem + ".ls")
    have = union(listing)
    yield from uncovered(have, size)
    yield from outside(listing, size)
    if os.path.exists(stem + ".account"):
        yield from table_faults(rows(stem + ".account"), size, listing)
    if os.path.exists(stem + ".scan"):
        yield from lost(truth, name, have, listing, rows(stem + ".scan"))


def main(folder, truth=None):
    truth = rows(truth) if truth else []
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".size"))
    wrong = 0
    for name in names:
        for fault in faults(os.path.join(folder, name), name, truth):
            print("%s: %s" % (name, fault))
            wrong += 1
    return wrong or not names


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1) if 2 <= len(sys.argv) <= 3 else __doc__)
