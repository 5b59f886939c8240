#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""seals.py CASE: recomputes the seals and the chain of a case as kith-case(5) describes them, and prints what is sealed and
the last value of the chain.  seals.py --schema N CASE: makes it one of schema N, an earlier one, with the seals of that."""
import hashlib
import sqlite3
import struct
import sys

import tamper

EVIDENCE = ["object WHERE id >> 40 = %d ORDER BY id", "finding WHERE object >> 40 = %d ORDER BY class, object, rank",
            "problem WHERE id >> 40 = %d ORDER BY id", "account WHERE id >> 40 = %d ORDER BY id",
            "bad WHERE id >> 40 = %d ORDER BY id"]
NEWEST = 3
# what each schema has besides the one before: rows of evidence, rows of the case, and all tables
SECOND_EVIDENCE = ["origin WHERE id >> 40 = %d ORDER BY id",
                   "place WHERE object >> 40 = %d ORDER BY refset, file, start, object, rank",
                   "twin WHERE object >> 40 = %d ORDER BY object, rank"]
LATER = {2: (SECOND_EVIDENCE, ["* FROM context ORDER BY id", "* FROM pass ORDER BY id"], ["origin", "place", "twin", "context", "pass"]),
         3: (["score WHERE object >> 40 = %d ORDER BY object, rank"], [], ["score"])}


def number(n):
    return struct.pack("<q", n)


def value(v):
    if v is None:
        return b"0"
    if isinstance(v, int):
        return b"1" + number(v)
    if isinstance(v, float):
        return b"2" + struct.pack("<d", v)
    return b"3" + number(len(v)) + v


def rows(db, sql):
    return b"".join(b"".join(map(value, row)) + b"\n" for row in db.execute("SELECT " + sql))


def seal(db, evidence, schema):
    later = [LATER[number] for number in range(2, schema + 1)]
    if not evidence:
        parts = ["* FROM info", "* FROM refset ORDER BY id", "id, path FROM evidence ORDER BY id"]
        parts += sum((of_case for _, of_case, _ in later), [])
    else:
        tables = EVIDENCE + sum((of_evidence for of_evidence, _, _ in later), [])
        parts = ["* FROM evidence WHERE id = %d" % evidence] + ["* FROM " + table % evidence for table in tables]
    return hashlib.sha256(b"".join(rows(db, part) for part in parts)).digest()


def log(db, schema):
    """Yields each entry with the seal and the chain that it must have.  Only the last description is there to be sealed."""
    chain = db.execute("SELECT uuid FROM info").fetchone()[0] + bytes(16)
    last = db.execute("SELECT max(id) FROM log WHERE evidence = 0").fetchone()[0]
    for entry in db.execute("SELECT id, time, text, evidence, seal, chain FROM log ORDER BY id").fetchall():
        at, time, text, evidence = entry[:4]
        sealed = entry[4] if evidence is None or (evidence == 0 and at < last) else seal(db, evidence, schema)
        mark = b"\0" if evidence is None else b"\1" + number(evidence) + sealed
        chain = hashlib.sha256(chain + number(at) + number(time) + mark + text).digest()
        yield entry, sealed, chain


def verify(path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    db.text_factory = bytes
    seen, last = [], b""
    for entry, sealed, chain in log(db, NEWEST):
        assert sealed == entry[4], entry
        assert chain == entry[5], entry
        last = chain
        seen += [] if entry[3] is None else [str(entry[3])]
    print(*seen, last.hex())


def make_earlier(path, schema):
    db = sqlite3.connect(path)
    db.text_factory = bytes
    for number in range(schema + 1, NEWEST + 1):
        for table in LATER[number][2]:
            db.execute("DROP TABLE " + table)
    for entry, sealed, chain in log(db, schema):
        db.execute("UPDATE log SET seal = ?, chain = ? WHERE id = ?", (sealed, chain, entry[0]))
    db.execute("PRAGMA user_version = %d" % schema)
    db.commit()
    db.close()
    tamper.fix_checksums(path)


if __name__ == "__main__":
    if sys.argv[1] == "--schema":
        make_earlier(sys.argv[3], int(sys.argv[2]))
    else:
        verify(sys.argv[1])
