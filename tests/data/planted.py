#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small images of every file system, with known content at each place where content can hide.

    planted.py OUT [NAME...]     makes these images (without names: all) in the folder OUT
    planted.py --list            their names

OUT/NAME.img is the image, OUT/known/NAME..PLACE what was planted in it, and OUT/truth.csv lists where: image, place, offset,
length, sha1.  Every place has content of its own, pseudo-random and always the same, so that a hit names the place.  It lies
in the image once and in one piece.  The images are made by the tools that make file systems, without privileges; then
bytes are changed by the definitions of the formats.  Each place is a function (or a few lines of one) in the folder plant.
"""
import csv
import os
import shutil
import sys

sys.dont_write_bytecode = True
from plant import exfat, ext, fat, hfs, iso, ntfs, ufs, volumes  # noqa: E402 (after it, so that no folder of the source is written to)
from plant.image import Image  # noqa: E402

IMAGES = {name: make for module in (ext, fat, exfat, ntfs, hfs, iso, ufs, volumes) for name, make in module.IMAGES.items()}


def known_file(folder, image, place):
    path = os.path.join(folder, "known", "%s..%s" % (image.name, place))
    with open(path, "wb") as file:
        file.write(image.contents[place])


def main(folder, names):
    os.makedirs(os.path.join(folder, "known"), exist_ok=True)
    with open(os.path.join(folder, "truth.csv"), "w", newline="", encoding="ascii") as file:
        truth = csv.writer(file)
        truth.writerow(("image", "place", "offset", "length", "sha1"))
        for name in names or IMAGES:
            image = Image(folder, name)
            IMAGES[name](image)
            for row in image.truth():
                truth.writerow(row)
                known_file(folder, image, row[1])
    shutil.rmtree(os.path.join(folder, "sources"))


if sys.argv[1:] == ["--list"]:
    print("\n".join(IMAGES))
elif len(sys.argv) > 1 and all(name in IMAGES for name in sys.argv[2:]):
    main(sys.argv[1], sys.argv[2:])
else:
    sys.exit(__doc__)
