# SPDX-License-Identifier: Apache-2.0
"""What the measurements have in common: sets made with kith add, and the rows of kith scan."""
import csv
import os
import subprocess
import sys

from peers import output

csv.field_size_limit(sys.maxsize)


def make_set(kith, path, options, *files):
    if os.path.exists(path):
        os.unlink(path)
    result = subprocess.run([kith, "add", "-q", *options, path, *files], capture_output=True, text=True, errors="replace")
    if not os.path.exists(path):
        sys.exit("%s: %s" % (path, result.stderr))


def rows(kith, set_path, evidence, *options):
    """Rows of a scan in which no reference hides another."""
    text = output(kith, "scan", "-q", "--csv", "--all-references", *options, "-r", set_path, *evidence)
    return list(csv.DictReader(text.splitlines()))
