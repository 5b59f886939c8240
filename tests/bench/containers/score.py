# SPDX-License-Identifier: Apache-2.0
"""The tables of containers.sh: score.py FOLDER COLUMN...

FOLDER has pairs.csv and findings/COLUMN/CLASS.csv, what a scan of the class found; and findings/unrelated-COLUMN/COUNT.csv, what was
found in unrelated documents with a set of that many.  Findings of references other than that of the pair are listed in
findings/COLUMN.others.csv: related as well, or false."""
import collections
import csv
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import corpus
from peers import PEERS

FILE = re.compile(r"\b[re]\d{3,}\.\w+")  # as the corpus names files; members have its name in theirs


def found(path):
    """(evidence file, reference file) -> rows; None if it was not scanned"""
    if not os.path.exists(path):
        return None
    pairs = collections.defaultdict(list)
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.DictReader(file):
            evidence, references = FILE.search(row["path"]), FILE.findall(row["ref_name"])
            if evidence and references:
                pairs[evidence.group(), references[-1]].append(row)
    return pairs


def count(folder, column, name, pairs, others):
    results = found(os.path.join(folder, "findings", column, corpus.folder_name(name) + ".csv"))
    if results is None:
        return "-"
    wanted = {(os.path.basename(evidence), os.path.basename(reference)) for _, reference, evidence in pairs}
    for pair in sorted(set(results) - wanted):
        row = results[pair][0]
        others.writerow([name, *pair, len(results[pair]), row["path"], row["ref_name"], row["verdict"], row["matched"]])
    return len(wanted & set(results))


def recall(folder, columns):
    classes = collections.OrderedDict()
    with open(os.path.join(folder, "pairs.csv"), newline="", encoding="utf-8") as file:
        for row in list(csv.reader(file))[1:]:
            classes.setdefault(row[0], []).append(row)
    names = ["kith, containers " + column for column in columns] + [name for name, _ in PEERS]
    print("| class | pairs | %s |" % " | ".join(names))
    print("|---" * (len(names) + 2) + "|")
    writers = [csv.writer(open(os.path.join(folder, "findings", column + ".others.csv"), "w", newline="", encoding="utf-8"))
               for column in columns]
    for name, pairs in classes.items():
        cells = [count(folder, column, name, pairs, writer) for column, writer in zip(columns, writers)]
        for _, call in PEERS:
            cells.append(sum(call(*(os.path.join(folder, place) for place in row[1:])) for row in pairs))
        print("| %s | %d | %s |" % (name, len(pairs), " | ".join(map(str, cells))), flush=True)


def false_findings(folder, columns):
    many = len(os.listdir(os.path.join(folder, "unrelated/evidence")))
    print("\n| unrelated documents | pairs | %s |" % " | ".join("pairs found, containers " + column for column in columns))
    print("|---" * (len(columns) + 2) + "|")
    for size in (10, 100, 1000):
        results = [found(os.path.join(folder, "findings", "unrelated-" + column, "%d.csv" % size)) for column in columns]
        cells = ["-" if pairs is None else len(pairs) for pairs in results]
        print("| %d, against %d | %d | %s |" % (many, size, many * size, " | ".join(map(str, cells))))


def main(folder, *columns):
    recall(folder, columns)
    false_findings(folder, columns)


main(*sys.argv[1:])
