#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds what unrelated packages have in common, for the sets of boilerplate.

common.py CATEGORY TREES OUT    TREES has a folder for each package, unpacked; the packages are built from different sources.
Writes to OUT a file for each package that has pieces which no package before it had.

Text is cut into lines, and these after ">", ";" and ")"; object code after each call, return, zero byte
or end of line; where a call leads to does not count.  Two neighbouring pieces that occur in LEAST
packages or more are boilerplate, and so is what lies between two such pairs if they are hardly apart.
"""
import collections
import gzip
import os
import re
import sys
import zipfile
import zlib

LEAST = {"notices": 3, "pages": 3, "translations": 3, "objects": 3}
LEAST_LICENCE = 2 # packages, of what is in files of licences: nothing else is there
GAP = {"notices": 2, "pages": 2, "translations": 1, "objects": 8} # pieces
ONE_IN = {"notices": 1, "pages": 1, "translations": 1, "objects": 4} # pairs that are counted
SHORTEST = 24 # bytes of a pair that means anything
SMALLEST = 96 # bytes of a run that is worth keeping
HEAD = 6 << 10 # of source files, which begin with notices
LARGEST = 4 << 20

LICENCE = re.compile(r"/(copyright|[^/]*(LICEN[CS]E|COPYING|NOTICE)[^/]*)$")
ABOUT = re.compile(r"/(changelog|buildinfo|NEWS|README|INSTALL|AUTHORS|TODO|PKG-INFO|METADATA|MANIFEST)[^/]*$")
SOURCE = re.compile(r"\.(c|h|cc|cpp|cxx|hh|hpp|hxx|py|pl|pm|java|js|ts|css|rb|go|rs|hs|ml|mli|el|scm|lisp|lua|php|sh|m|vala|f90"
                    r"|xml|xsl|xsd|dtd|svg|ui|conf|cfg|ini|desktop|cmake|pc|la|m4|am|in|ac|txt|rst|md|tex|sty|yml|yaml|json|qml|pom|nib"
                    r"|plist|strings|gresource|service|appdata|metainfo)$")
CATEGORIES = {
    "notices": lambda path: LICENCE.search(path) or ABOUT.search(path) or SOURCE.search(path),
    "pages": lambda path: re.search(r"^usr/share/(man|info)/|\.(html?|xhtml|css|js|info)(\.gz)?$", path),
    "translations": lambda path: re.search(r"\.(mo|po|pot|gmo|qm|ts)$", path),
    "objects": lambda path: re.search(r"\.(a|o|so(\.[0-9.]+)?|mod|node|jar)$|^(usr/)?s?bin/|^usr/(lib|libexec|games)/[^.]*$", path),
}


def members_of(path):
    """The classes of an archive of Java."""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".class"):
                    yield archive.read(name)
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError):
        pass


def content_of(path, category):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        try:
            content = file.read(LARGEST)
        except (OSError, EOFError, zlib.error):
            return b""
    if category == "notices" and not LICENCE.search(path) and "/buildinfo" not in path:
        return content[:HEAD]
    if category == "objects" and not content.startswith((b"\x7fELF", b"!<arch>")):
        return b""
    return content


def contents_of(tree, category):
    """Each content, and in how many packages its pairs must be."""
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path) or not CATEGORIES[category](os.path.relpath(path, tree)):
                continue
            least = LEAST_LICENCE if category == "notices" and LICENCE.search(path) else LEAST[category]
            if name.endswith(".jar"):
                yield from ((content, least) for content in members_of(path))
            elif os.path.getsize(path) <= LARGEST:
                yield content_of(path, category), least


def pieces_of(content, category):
    if category == "objects":
        return re.findall(rb"[^\0\1\xc3\xe8\n]*(?:\xe8[\0-\xff]{4}|[\0\1\xc3\n]+)|[^\0\1\xc3\xe8\n]+$", content)
    if category == "translations":
        return re.findall(rb"[^\0\1\xc3\n]*[\0\1\xc3\n]+|[^\0\1\xc3\n]+$", content)
    return re.findall(rb"[^\n>;)]*[\n>;)]+|[^\n>;)]+$", content)


def hash_of(piece, category):
    """Of code, without the operand of the call at its end."""
    return zlib.crc32(piece[:-4] if category == "objects" and piece[-5:-4] == b"\xe8" else piece)


def pairs_of(pieces, category):
    """The number and the hash of each piece that begins a pair which is counted."""
    one_in = ONE_IN[category]
    for number, (first, second) in enumerate(zip(pieces, pieces[1:])):
        if len(first.strip()) + len(second.strip()) >= SHORTEST:
            pair = hash_of(first, category) << 32 | hash_of(second, category)
            if pair % one_in == 0:
                yield number, pair


def count(trees, category):
    """In how many packages each pair occurs, if in several."""
    counts = collections.defaultdict(int)
    once = set()
    for tree in trees:
        seen = set()
        for content, _ in contents_of(tree, category):
            seen.update(pair for _, pair in pairs_of(pieces_of(content, category), category))
        for pair in seen & once:
            counts[pair] += 1
        once |= seen
    return {pair: others + 1 for pair, others in counts.items()}


def common_runs(pieces, counts, category, least):
    """Ranges of pieces that are common, and the pairs in each."""
    start = end = None
    pairs = set()
    for i, pair in pairs_of(pieces, category):
        if counts.get(pair, 1) < least:
            continue
        if start is None or i > end + GAP[category]:
            if start is not None:
                yield start, end, pairs
            start, pairs = i, set()
        end = i + 2
        pairs.add(pair)
    if start is not None:
        yield start, end, pairs


def write(trees, category, counts, out):
    written = set()
    for tree in trees:
        kept = []
        for content, least in contents_of(tree, category):
            pieces = pieces_of(content, category)
            for start, end, pairs in common_runs(pieces, counts, category, least):
                run = b"".join(pieces[start:end])
                new = len(pairs - written)
                if len(run) >= SMALLEST and new and new * 5 >= len(pairs):
                    kept.append(run)
                    written |= pairs
        if kept:
            with open(os.path.join(out, os.path.basename(tree)), "wb") as file:
                file.write(b"\n".join(kept))


def main():
    category, folder, out = sys.argv[1:]
    trees = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    write(trees, category, count(trees, category), out)


if __name__ == "__main__":
    main()
