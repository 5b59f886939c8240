#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small files of this system, some of them edited: related.py OUT COUNT [FOLDER...]

OUT/image gets COUNT files; 46 in 100 are edits of files in OUT/set (one to four places: bytes changed, lines put in or
taken out).  The other files of the image, and as many in the set, come from other folders, so that little of them is
related.  The same for the same files."""
import hashlib, os, random, sys

LARGEST = 200_000
RELATED = .463
DEPTH = 5  # of the folders whose files go together


def files(folders):
    for folder in folders:
        for where, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                path = os.path.join(where, name)
                if not os.path.islink(path) and os.path.isfile(path) and 256 <= os.path.getsize(path) <= LARGEST:
                    yield path


def place(path):
    """Folders in random order, and the files of each."""
    package = '/'.join(path.split('/')[:DEPTH + 1])
    return hashlib.sha1(package.encode()).digest(), path


def edited(content, random):
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(content))
        kind = random.randrange(3)
        if kind == 0:
            new = random.randbytes(random.randint(1, 40))
            content = content[:at] + new + content[at + len(new):]
        elif kind == 1:
            content = content[:at] + random.randbytes(random.randint(1, 80)).hex().encode() + b'\n' + content[at:]
        else:
            content = content[:at] + content[at + random.randint(1, 80):]
    return content


def put(folder, number, path, content):
    where = os.path.join(folder, str(number // 500))
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, f'{number}-{os.path.basename(path)}'), 'wb') as f:
        f.write(content)


def main(out, count, *folders):
    count = int(count)
    paths = sorted(files(folders or ['/usr']), key=place)
    related = int(count * RELATED)
    for number, path in enumerate(paths[:2 * count - related]):
        try:
            with open(path, 'rb') as f:
                content = f.read()
        except OSError:
            continue
        if number < related:
            put(f'{out}/set', number, path, content)
            put(f'{out}/image', number, path, edited(content, random.Random(number)))
        elif number < count:
            put(f'{out}/image', number, path, content)
        else:
            put(f'{out}/set', number, path, content)


main(*sys.argv[1:])
