# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of kith scan: a strict reader of its CSV, files that resemble others, and a naive twin of the edit distance.
import csv
import hashlib
import math
import random
import re

COLUMNS = ("evidence,volume,address,kind,path,path_hex,size,sha1,verdict,set,set_kind,ref_id,ref_name,ref_sha1,obj_start,obj_end,"
           "ref_start,ref_end,matched,resemblance,containment,edits,edits_low,edits_high,e_value,proof,status,score,order,objects")
WITHOUT = ("none", "too-small", "low-entropy", "unreadable", "skipped")
csv.field_size_limit(1 << 30)


def unescape(text):
    """The bytes of an escaped name."""
    return re.sub(rb"\\(\\|x[0-9a-f]{2})", lambda m: b"\\" if m[1] == b"\\" else bytes.fromhex(m[1][1:].decode()),
                  text.encode())


def raw_path(row):
    return bytes.fromhex(row["path_hex"]) if row["path_hex"] else row["path"].encode()


def rows(name):
    """All rows; fails where a row is not what kith-scan(1) promises."""
    data = open(name, "rb").read()
    assert data.startswith(COLUMNS.encode() + b"\r\n"), data[:300]
    assert data.endswith(b"\r\n") and data.count(b"\n") == data.count(b"\r\n"), "lines do not end in CR LF"
    text = data.decode("utf-8")
    assert not re.search("[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", text), "control characters"
    found = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
    assert len(found) == data.count(b"\n") - 1, "a name ends a line"
    for row in found:
        check(row)
    return found


def check(row):
    assert None not in row and None not in row.values(), row
    assert row["status"] in ("ok", "partial") and (row["status"] == "partial" or row["verdict"] != "unreadable"), row
    for cell in row.values():
        assert not cell or cell[0] not in "=+@" or row["address"] == cell, row
    assert row["path_hex"] == "" or unescape(row["path"].removeprefix("'")) == bytes.fromhex(row["path_hex"]), row
    if row["verdict"] in WITHOUT:
        assert not any(row[c] for c in COLUMNS.split(",")[9:25] + ["score", "order", "objects"]), row
        return
    share = {"identical": "1.000", "variant": row["resemblance"]}.get(row["verdict"], row["containment"])
    assert 0 <= float(row["score"]) <= float(share) and (row["score"] == share or row["verdict"] != "identical"), row
    assert row["order"] in ("same", "other") and (row["order"] == "same" or row["verdict"] == "variant"), row
    assert int(row["objects"]) >= 1, row
    start, end, ref_start, ref_end = (int(row[c]) for c in ("obj_start", "obj_end", "ref_start", "ref_end"))
    assert 0 <= start <= end <= int(row["size"]) and ref_start <= ref_end and int(row["matched"]) <= end - start, row
    assert all(re.fullmatch(r"0\.\d{3}|1\.000", row[c]) for c in ("resemblance", "containment")), row
    assert re.fullmatch(r"0|\d\.\de[+-]\d+", row["e_value"]), row
    edits = [row[c] for c in ("edits", "edits_low", "edits_high")]
    if row["verdict"] == "fragment" or row["proof"].startswith("members "):
        assert edits == [""] * 3, row
    else:
        assert int(edits[1]) <= int(edits[0]) <= int(edits[2]), row
    blocks = re.fullmatch(r"(?:blocks|members) (\d+)/(\d+)", row["proof"])
    assert row["proof"] in ("sha1", "estimate") or int(blocks[1]) <= int(blocks[2]), row
    if row["verdict"] == "identical":
        assert row["sha1"] == row["ref_sha1"] or not row["ref_sha1"], row
        assert row["resemblance"] == row["containment"] == "1.000" and row["proof"] == "sha1" and edits == ["0"] * 3, row


def one(found, **wanted):
    """The only row with these values."""
    same = [r for r in found if all(r[k] == str(v) for k, v in wanted.items())]
    assert len(same) == 1, (wanted, same, [(r["path"], r["address"], r["verdict"], r["ref_name"], r["proof"]) for r in found])
    return same[0]


def span(row):
    return tuple(int(row[c]) for c in ("obj_start", "obj_end", "ref_start", "ref_end"))


def proof(blocks, size, block=4096):
    return "blocks %d/%d" % (blocks, -(-size // block))


def all_blocks(size, block=4096):
    """The proof of a complete reference."""
    return "sha1" if size <= block else proof(-(-size // block), size, block)


def place(row):
    """Where the bytes of a row begin in the image, if its address says so."""
    return int(re.match(r"@(\d+)\+", row["address"])[1]) + int(row["obj_start"])


def sha1(data):
    return hashlib.sha1(data).hexdigest()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def words(seed, size):
    """Text; nothing in common with that of another seed."""
    r = random.Random(seed)
    some = ["".join(r.choice("etaoinshrdlucmfwypvbgk") for _ in range(r.randint(2, 9))) for _ in range(3000)]
    out = []
    left = size
    while left > 0:
        word = r.choice(some) + (" " if r.random() < .9 else "\n")
        out.append(word)
        left -= len(word)
    return "".join(out)[:size].encode()


def noise(seed, size):
    """As a picture or an archive: incompressible."""
    return random.Random(seed).randbytes(size)


def edited(data, seed, edits):
    """A version of it, with that many edits of 1 to 60 bytes, spread over all of it."""
    r = random.Random(seed)
    at = sorted(r.sample(range(100, len(data) - 200, 97), edits), reverse=True)
    for position in at:
        removed = r.choice((0, 1, 7, 30))
        inserted = words(r.random(), r.choice((1, 5, 40))) if r.random() < .7 or not removed else b""
        data = data[:position] + inserted + data[position + removed:]
    return data


def distance(a, b, most=4000):
    """The edit distance, by the farthest points that d edits reach on each diagonal (Ukkonen 1985)."""
    def slide(i, j):
        step = 64
        while step:
            while a[i:i + step] == b[j:j + step] and i + step <= len(a) and j + step <= len(b):
                i, j = i + step, j + step
            step //= 2
        return i

    far = {0: slide(0, 0)}
    for d in range(most):
        if far.get(len(a) - len(b), -1) >= len(a):
            return d
        new = {}
        for k in range(-d - 1, d + 2):
            i = max(far.get(k - 1, -math.inf) + 1, far.get(k, -math.inf) + 1, far.get(k + 1, -math.inf))
            i = min(i, len(a), len(b) + k)
            if i >= max(0, k):
                new[k] = slide(int(i), int(i) - k)
        far = new
    raise AssertionError("they are not alike")
