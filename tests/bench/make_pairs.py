#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of files for recall.py, made from other files in ways that are hard to find.

make_pairs.py OUT KIND... -- FILE|FOLDER...  writes OUT/A, OUT/B and OUT/truth.csv.  KINDs are
pieces   300 bytes to 16 KB of a text in an unrelated one, as they are or rewrapped, or quoted in a mail;
order    files whose blocks, paragraphs, lines, rows or keys were put in another order;
attacks  changes by someone who knows what the program does;
floods   a file, or a piece of it, of which the set also has 70 or 300 near-copies (A/SHA~NUMBER).
The same for the same files.
"""
import csv
import hashlib
import json
import os
import random
import shutil
import struct
import sys
import textwrap
import zlib

PIECES, PER_CASE, MOST = 40, 16, 200
STRING = 32 # bytes: what counts as common
LEAST, LARGEST = 9000, 300000


def walk(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, below, names in os.walk(path):
            below.sort()
            for name in sorted(names):
                each = os.path.join(folder, name)
                if os.path.isfile(each) and not os.path.islink(each):
                    yield each


def text_of(content):
    try:
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return None


class Sources:
    """Files by kind, in an order that has nothing to do with their names; of files with the same content, one."""
    def __init__(self, paths):
        self.texts, self.binaries, self.tables, self.records, self.pictures = [], [], [], [], []
        seen = set()
        for path in sorted(walk(paths), key=lambda path: hashlib.sha1(path.encode()).digest()):
            kind = self.kind(os.path.splitext(path)[1])
            if len(kind) >= 4 * MOST or not LEAST <= os.path.getsize(path) <= (LARGEST if kind is self.texts else 1 << 22):
                continue
            with open(path, "rb") as file:
                content = file.read()
            if hashlib.sha1(content).digest() not in seen:
                seen.add(hashlib.sha1(content).digest())
                self.add(kind, content)

    def kind(self, extension):
        return {".csv": self.tables, ".tsv": self.tables, ".json": self.records, ".png": self.pictures}.get(extension, self.texts)

    def add(self, kind, content):
        if kind is not self.texts:
            kind.append(content)
        elif text_of(content) is None:
            self.binaries.append(content)
        elif content.count(b"\n\n") >= 8:
            self.texts.append(text_of(content))


def cover(content, other):
    """The share of the bytes of content in strings that the other has, too."""
    strings = {other[i:i + STRING] for i in range(len(other) - STRING + 1)}
    covered, end = 0, 0
    for i in range(len(content) - STRING + 1):
        if content[i:i + STRING] in strings:
            covered += i + STRING - max(i, end)
            end = i + STRING
    return covered / max(1, len(content))


class Pairs:
    COLUMNS = ("pair", "class", "sha_a", "size_a", "size_b", "cover_a", "cover_b")

    def __init__(self, out):
        self.out, self.rows = out, []
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out + "/A")
        os.makedirs(out + "/B")

    def reference(self, content, copy=""):
        name = hashlib.sha1(content).hexdigest()
        self.write("A/" + name + copy, content)
        return name

    def write(self, name, content):
        with open(os.path.join(self.out, name), "wb") as file:
            file.write(content)

    def add(self, kind, reference, content):
        name = "%s@%03d" % (kind, len(self.rows))
        self.write("B/" + name, content)
        sides = cover(reference, content), cover(content, reference)
        self.rows.append((name, kind, self.reference(reference), len(reference), len(content), *("%.4f" % side for side in sides)))

    def finish(self):
        with open(self.out + "/truth.csv", "w", newline="") as file:
            csv.writer(file).writerows([self.COLUMNS, *self.rows])


# Pieces of text

def rewrapped(text, width):
    return "\n\n".join(textwrap.fill(part, width) for part in text.split("\n\n"))


def quoted(text):
    return "".join("> " + line + "\n" for line in text.splitlines())


def mail(text, host, number):
    return ("From: a%d@example.org\nTo: b@example.org\nSubject: Re: %s\nDate: Tue, 3 Mar 2026 10:%02d:00 +0100\n"
            "Content-Type: text/plain; charset=utf-8\n\n%s\n\nOn Monday, B wrote:\n\n%s\n%s\n" % (
                number, host[:40].split("\n")[0], number % 60, host[100:700], text, host[2000:2600]))


def pasted(text, host, number):
    at = host.index("\n", len(host) // 3) + 1
    return host[:at] + text + "\n" + host[at:]


WAYS = (("pasted", pasted, lambda text: text), ("rewrapped", pasted, lambda text: rewrapped(text, 60)),
        ("quoted", mail, quoted), ("quoted, rewrapped", mail, lambda text: quoted(rewrapped(text, 70))))


def pieces(pairs, sources):
    half = min(MOST, len(sources.texts) // 2)
    references, hosts = sources.texts[:half], sources.texts[half:2 * half]
    for text in references:
        pairs.reference(text.encode())
    for number in range(PIECES):
        pairs.add("nothing pasted", references[number % half].encode(), hosts[number % half].encode())
    for way, put, change in WAYS:
        for size in (300, 500, 1000, 2000, 4000, 8000, 16000):
            source = random.Random("%s %d" % (way, size))
            for number in range(PIECES):
                reference, host = source.choice([each for each in references if len(each) > size + 200]), source.choice(hosts)
                at = source.randrange(len(reference) - size)
                at = reference.find("\n", at - at // 8, at) + 1 or at
                pairs.add("%s, %5d bytes" % (way, size), reference.encode(), put(change(reference[at:at + size]), host, number).encode())


# Other orders

def shuffled(parts, source):
    parts = list(parts)
    source.shuffle(parts)
    return parts


def blocks(size):
    def change(content, source):
        return b"".join(shuffled((content[i:i + size] for i in range(0, len(content), size)), source))
    return change


def split(separator):
    def change(content, source):
        return separator.join(shuffled(content.split(separator), source))
    return change


def sorted_lines(content, _):
    return b"\n".join(sorted(content.split(b"\n")))


def last_first(share):
    def change(content, _):
        at = int(len(content) * share)
        return content[at:] + content[:at]
    return change


def table_rows(content, source):
    head, *rows = content.split(b"\n")
    return b"\n".join([head, *shuffled(rows, source)])


def other_keys(value, source):
    if isinstance(value, dict):
        return {key: other_keys(value[key], source) for key in shuffled(value, source)}
    return [other_keys(each, source) for each in value] if isinstance(value, list) else value


def keys(content, source):
    return json.dumps(other_keys(json.loads(content), source), indent=2, ensure_ascii=False).encode()


def predicted(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def bitmap(png):
    """(width, rows) of a PNG with 8 bits per channel that is not interlaced, or None"""
    width, height, bits, colours, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    if bits != 8 or interlaced or width * height > 300000:
        return None
    at, packed = 8, b""
    while at < len(png):
        length = int.from_bytes(png[at:at + 4], "big")
        packed += png[at + 8:at + 8 + length] if png[at + 4:at + 8] == b"IDAT" else b""
        at += 12 + length
    step = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    data, size, above, rows = zlib.decompress(packed), width * step, bytes(width * step), []
    for y in range(height):
        filtering, row = data[y * (size + 1)], bytearray(data[y * (size + 1) + 1:(y + 1) * (size + 1)])
        for i in range(size) if filtering else ():
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            row[i] = (row[i] + (left, above[i], (left + above[i]) // 2, predicted(left, above[i], corner))[filtering - 1]) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return width, rows


def pictures(pairs, sources):
    done = 0
    for png in sources.pictures:
        picture = bitmap(png) if done < PER_CASE else None
        if picture:
            width, rows = picture
            head = b"BM" + struct.pack("<IIIIiihhI", 54 + sum(map(len, rows)), 0, 54, 40, width, len(rows), 1, 8 * len(rows[0]) // width, 0) + bytes(20)
            pairs.add("rows of a bitmap flipped", head + b"".join(rows), head + b"".join(reversed(rows)))
            done += 1


def slices(tables):
    """Pieces of tables, each with the first line."""
    for number in range(PER_CASE):
        table, source = tables[number % len(tables)], random.Random(number)
        size = min(source.randrange(20000, 100000), len(table) // 2)
        at = table.index(b"\n", source.randrange(len(table) - size)) + 1
        rows = table[at:at + size].split(b"\n")
        yield b"\n".join([table.split(b"\n")[0], *rows[:-1]]) + b"\n"


def order(pairs, sources):
    texts, mixed = [text.encode() for text in sources.texts[:PER_CASE]], mixture(sources)
    records = [json.dumps(json.loads(each), indent=2, ensure_ascii=False).encode() for each in sources.records if is_json(each)]
    cases = [("blocks of 4096 shuffled", mixed, blocks(4096)), ("blocks of 512 shuffled", mixed, blocks(512)),
             ("paragraphs shuffled", texts, split(b"\n\n")), ("lines shuffled", texts, split(b"\n")),
             ("rows of a table shuffled", list(slices(sources.tables)) if sources.tables else [], table_rows),
             ("keys of JSON shuffled", [each for each in records if 8000 < len(each) < LARGEST], keys),
             ("blocks of 64 shuffled", mixed, blocks(64)), ("blocks of 32 shuffled", mixed, blocks(32)),
             ("lines sorted", texts, sorted_lines), ("halves exchanged", mixed, last_first(1 / 2)),
             ("last third first", mixed, last_first(2 / 3))]
    for kind, contents, change in cases:
        for number, content in enumerate(contents[:PER_CASE]):
            pairs.add(kind, content, change(content, random.Random(number)))
    pictures(pairs, sources)


def is_json(content):
    try:
        return bool(json.loads(content))
    except ValueError:
        return False


def mixture(sources):
    """Texts and others by turns."""
    binaries = [each for each in sources.binaries if len(each) <= LARGEST]
    return [each for two in zip((text.encode() for text in sources.texts), binaries) for each in two][:PER_CASE]


# Attacks

def product(a, b):
    result = 0
    while b:
        result ^= a if b & 1 else 0
        a, b = a << 1 ^ (0x11b if a & 0x80 else 0), b >> 1
    return result


WINDOW, GENERATOR, OFFSET = 12, 0x4c, 0xc3


def powers(n):
    result = 1
    for _ in range(n):
        result = product(result, GENERATOR)
    return result


ROLL, LEAVE = ([product(x, factor) for x in range(256)] for factor in (GENERATOR, powers(WINDOW)))


def selected(content, rate):
    """Ends of the windows that the public selection takes."""
    value, mask = 0, 0xff & 0xff << (8 - rate.bit_length() + 1)
    for i, byte in enumerate(content):
        value = ROLL[value] ^ byte ^ (LEAVE[content[i - WINDOW]] if i >= WINDOW else 0)
        if i >= WINDOW - 1 and not (value ^ OFFSET) & mask:
            yield i


def hit_windows(rate):
    def change(content, source):
        changed, last = bytearray(content), -1
        for end in selected(content, rate):
            if end - WINDOW >= last: # else the last change is in this window, too
                last = end - source.randrange(4)
                changed[last] ^= 1 + source.randrange(7)
        return bytes(changed)
    return change


def one_in(distance, regular):
    def change(content, source):
        changed = bytearray(content)
        for i in range(0, len(content) - distance, distance):
            changed[i + (0 if regular else source.randrange(distance))] ^= 1 + source.randrange(7)
        return bytes(changed)
    return change


def replaced(old, new):
    return lambda content, source: content.replace(old, new)


def attacks(pairs, sources):
    texts, mixed = [text.encode() for text in sources.texts[:PER_CASE]], mixture(sources)
    cases = [("windows sampled at 128 hit", mixed, hit_windows(128)), ("windows sampled at 32 hit", mixed, hit_windows(32)),
             ("windows sampled at 8 hit", mixed, hit_windows(8)), ("1 byte in 32, at random", mixed, one_in(32, False)),
             ("1 byte in 16, at random", mixed, one_in(16, False)), ("1 byte in 16, each 16th", mixed, one_in(16, True)),
             ("1 byte in 12, each 12th", mixed, one_in(12, True)), ("a blank after each line", texts, replaced(b"\n", b" \n")),
             ("CR LF after each line", texts, replaced(b"\n", b"\r\n")), ("tabs for blanks", texts, replaced(b" ", b"\t")),
             ("blocks of 128 shuffled", mixed, blocks(128)), ("blocks of 512 shuffled", mixed, blocks(512))]
    for kind, contents, change in cases:
        for number, content in enumerate(contents):
            pairs.add(kind, content, change(content, random.Random(number)))


# Floods

def near_copy(content, source):
    changed = bytearray(content)
    for _ in range(3):
        at = source.randrange(len(content) - 8)
        changed[at:at + 8] = source.randbytes(8)
    return bytes(changed)


def floods(pairs, sources):
    mixed, host = mixture(sources), random.Random(1)
    for number, content in enumerate(mixed):
        copies = (0, 70, 300)[number % 3]
        name = hashlib.sha1(content).hexdigest()
        for copy in range(copies):
            pairs.write("A/%s~%d" % (name, copy), near_copy(content, random.Random("%d %d" % (number, copy))))
        at = len(content) // 3 + 17
        for size in (2048, 8192):
            piece = content[at:at + size]
            pairs.add("%d bytes of a file, %3d copies" % (size, copies), content, host.randbytes(9001) + piece + host.randbytes(20001))
        pairs.add("whole file, %3d copies" % copies, content, host.randbytes(9001) + content + host.randbytes(20001))
        pairs.add("a variant, %3d copies" % copies, content, near_copy(content, random.Random(number)))


def main():
    out, *rest = sys.argv[1:]
    kinds, paths = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    sources, pairs = Sources(paths), Pairs(out)
    for kind in kinds:
        {"pieces": pieces, "order": order, "attacks": attacks, "floods": floods}[kind](pairs, sources)
    pairs.finish()


if __name__ == "__main__":
    main()
