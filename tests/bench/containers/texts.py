# SPDX-License-Identifier: Apache-2.0
"""The texts that documents are made of."""
import glob
import gzip
import os
import random
import re
import textwrap

MOST_TEXT = 40_000  # characters of a text that are used, which bounds the time that conversions take


def paragraphs(text):
    """Blocks between empty lines, each as one line."""
    blocks = (re.sub(r"\s+", " ", block).strip() for block in re.split(r"\n\s*\n", text))
    return [block for block in blocks if len(block) > 1]


def read_text(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", errors="replace")
    return re.sub("[\0-\x08\x0b-\x1f\x7f\ufffd]", "", text)


def shortened(blocks):
    size, kept = 0, []
    for block in blocks:
        size += len(block)
        if kept and size > MOST_TEXT:
            break
        kept.append(block)
    return kept


def versions(packages):
    """Texts of manuals in two versions: (name, old paragraphs, new paragraphs), in an order that mixes the manuals, each once."""
    found, seen = [], set()
    for package in ("git-doc", "vim-runtime"):
        old = os.path.join(packages, "tree/old", package)
        for path in sorted(glob.glob(old + "/usr/share/**/*.txt", recursive=True)):
            other = path.replace("/tree/old/", "/tree/new/").replace("/vim90/", "/vim91/")
            if not os.path.isfile(path) or not os.path.isfile(other) or "RelNotes" in path or os.path.islink(path):
                continue
            texts = [shortened(paragraphs(read_text(place))) for place in (path, other)]
            if min(sum(map(len, text)) for text in texts) >= 5000 and min(map(len, texts)) >= 12 and tuple(texts[0]) not in seen:
                seen.add(tuple(texts[0]))
                found.append((os.path.basename(path), *texts))
    random.Random(0).shuffle(found)
    return found


def dictionary(packages):
    """Entries of a dictionary of English, unrelated to anything else."""
    path = os.path.join(packages, "tree/old/dict-gcide/usr/share/dictd/gcide.dict.dz")
    with gzip.open(path) as file:
        text = file.read().decode("utf-8", errors="replace")
    text = re.sub(r"\[1913 Webster\]|\[PJC\]|\[WordNet 1.5\]|\[[^\]]{0,40}\]", "", text)
    return [entry for entry in paragraphs(text) if 80 <= len(entry) <= 3000]


class Strangers:
    """Texts that have nothing in common with one another: pieces of the dictionary, each given once."""

    def __init__(self, packages):
        self.entries, self.place = dictionary(packages), 2000

    def take(self, size):
        taken, total = [], 0
        while total < size:
            entry = self.entries[self.place % len(self.entries)]
            self.place += 1
            taken.append(entry)
            total += len(entry)
        return taken


def edited(blocks, random_source, share):
    """Paragraphs exchanged, deleted, put in and changed in a word, in that share of all."""
    blocks = list(blocks)
    for _ in range(max(1, round(share * len(blocks)))):
        at, kind = random_source.randrange(len(blocks)), random_source.randrange(4)
        if kind == 0:
            other = random_source.randrange(len(blocks))
            blocks[at], blocks[other] = blocks[other], blocks[at]
        elif kind == 1 and len(blocks) > 8:
            del blocks[at]
        elif kind == 2:
            words = " ".join(blocks).split()
            random_source.shuffle(words)
            blocks.insert(at, " ".join(words[:random_source.randint(8, 60)]))
        else:
            words = blocks[at].split()
            words[random_source.randrange(len(words))] = random_source.choice(("however", "2024", "not", "formerly", "Annex B"))
            blocks[at] = " ".join(words)
    return blocks


def pasted(blocks, host, random_source, size=2500):
    """The host's paragraphs with some that follow one another in the other text put in, of that many characters."""
    start = random_source.randrange(max(1, len(blocks) - 6))
    part, total = [], 0
    for block in blocks[start:] + blocks[:start]:
        if total >= size:
            break
        part.append(block)
        total += len(block)
    at = random_source.randrange(len(host) + 1)
    return host[:at] + part + host[at:]


def as_text(blocks, width=0):
    lines = ("\n".join(textwrap.wrap(block, width, break_long_words=False)) if width else block for block in blocks)
    return "\n\n".join(lines) + "\n"


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path
