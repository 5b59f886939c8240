# SPDX-License-Identifier: Apache-2.0
"""Other tools that compare two files, if they are installed: PEERS has (name, whether it finds the pair).

By ssdeep a pair is found if the score is above 0; by TLSH if the distance is at most 100; by sdhash if the score is at least 1, and,
beside it, at least 21."""
import re
import shutil
import subprocess


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def ssdeep(a, b):
    return bool(re.search(r"\([1-9][0-9]*\)", output("ssdeep", "-s", "-d", a, b)))


def tlsh(a, b):
    words = output("tlsh_unittest", "-c", a, "-f", b).split()
    numbers = [int(word) for word in words if word.isdigit()]
    return bool(numbers) and numbers[0] <= 100


def sdhash(least):
    def compare(a, b):
        return bool(output("sdhash", "-g", "-t", str(least), a, b).strip())
    return compare


PEERS = [(name, call) for name, call, tool in (("ssdeep", ssdeep, "ssdeep"), ("TLSH", tlsh, "tlsh_unittest"), ("sdhash", sdhash(1), "sdhash"),
                                               ("sdhash 21", sdhash(21), "sdhash")) if shutil.which(tool)]
