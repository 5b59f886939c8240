# SPDX-License-Identifier: Apache-2.0
"""Where the pairs of the corpus go."""
import csv
import os
import random
import re
import shutil


def folder_name(name):
    return re.sub("[^a-z0-9]+", "-", name)


class Corpus:
    """Pairs of files: FOLDER/CLASS/reference/NNN.EXT and FOLDER/CLASS/evidence/NNN.EXT, listed in FOLDER/pairs.csv."""

    def __init__(self, folder, packages, seed, pairs):
        self.folder, self.packages, self.seed, self.pairs = folder, packages, seed, pairs
        self.rows = []

    def random(self, *names):
        return random.Random("/".join([str(self.seed), *map(str, names)]))

    def scratch(self, name):
        path = os.path.join(self.folder, "scratch", str(self.seed), name)
        os.makedirs(path, exist_ok=True)
        return path

    def load(self):
        """The pairs of an earlier run."""
        path = os.path.join(self.folder, "pairs.csv")
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                self.rows = list(csv.reader(file))[1:]

    def begin(self, name):
        for side in ("reference", "evidence"):
            path = os.path.join(self.folder, folder_name(name), side)
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
        self.rows = [row for row in self.rows if row[0] != name]

    def count(self, name):
        return sum(row[0] == name for row in self.rows)

    def add(self, name, reference, evidence):
        """A pair of files, which are copied.  Equal ones are no pair: their hashes are enough."""
        with open(reference, "rb") as a, open(evidence, "rb") as b:
            contents = a.read(), b.read()
        if contents[0] == contents[1] or self.count(name) == self.pairs:
            return
        places = []
        for side, path, content in zip(("reference", "evidence"), (reference, evidence), contents):
            place = "%s/%s/%s%03d%s" % (folder_name(name), side, side[0], self.count(name), os.path.splitext(path)[1])
            with open(os.path.join(self.folder, place), "wb") as file:
                file.write(content)
            places.append(place)
        self.rows.append([name, *places])

    def write(self):
        with open(os.path.join(self.folder, "pairs.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["class", "reference", "evidence"])
            writer.writerows(sorted(self.rows))
