#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A corpus of related files whose content is packed, compressed or converted, with what is true of it.

make_containers.py FOLDER [--seed N] [--pairs N] [--only NAME...]: FOLDER/packages gets packages of Debian and npm, FOLDER/CLASS/reference
and FOLDER/CLASS/evidence the files of each class, FOLDER/pairs.csv the pairs: class, reference, evidence.  The same for the same packages
and seed, except for the dates and numbers that LibreOffice and 7z put into what they write.  --only: of these makers only
(documents, mails, archives, media, or the name of one of their functions); the other pairs stay as they are.

It needs LibreOffice (writer, without a screen suffices), dpkg-deb, 7z, exiftool, ffmpeg, metaflac, vorbiscomment and id3v2."""
import argparse
import csv
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "containers"))
import archives
import corpus as corpora
import documents
import mails
import media

TOOLS = ("soffice", "dpkg-deb", "7z", "exiftool", "ffmpeg", "metaflac", "vorbiscomment", "id3v2")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=36)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    packages = os.path.join(options.folder, "packages")
    subprocess.run([sys.executable, os.path.join(here, "containers/fetch.py"), packages], check=True)
    corpus = corpora.Corpus(options.folder, packages, options.seed, options.pairs)
    corpus.load()
    writings = documents.Documents(corpus)
    for module, made_of in ((archives, corpus), (media, corpus), (documents, writings), (mails, writings)):
        for maker in module.MAKERS:
            if not options.only or {maker.__name__, module.__name__} & set(options.only):
                maker(made_of)
                corpus.write()


main()
