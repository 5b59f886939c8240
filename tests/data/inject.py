#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inject.py LIBRARY TRIES [WORD...]: makes calls fail at chosen places of many commands, in the current folder.

Each command, or those whose name has one of the words, is run with faults.c preloaded, so that one allocation, read, write,
sync or message fails in the program or in its workers; and with an output limited to a number of bytes.  It must then say
so, with an exit status other than 0, or give the same result as without the fault; never crash, hang, or leave a file that is
not sound.  A case that it leaves is resumed, and must become the same."""
import collections
import csv
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import zlib

KITH = os.environ["KITH"]
KINDS = ("malloc", "read", "write", "sync", "send", "open")
NO_MEMORY, IO_ERROR, NO_SPACE, SHORT = 12, 5, 28, 0
ERRORS = {"malloc": (NO_MEMORY,), "read": (IO_ERROR, SHORT), "write": (NO_SPACE, IO_ERROR, SHORT), "sync": (IO_ERROR,),
          "send": (IO_ERROR, SHORT), "open": (24,)}
NEW, FINDING = "made.new", "FINDING"

# Arguments; NEW: a file or folder that the command makes, or changes if it is there before; FINDING: the number of one in
# whole.case.
BEFORE = {"scan-extend": "whole.case"}
COMMANDS = {
    "sign": ["sign", "-q", "-j1", "tree"],
    "sign-json": ["sign", "-q", "-j2", "--json", "--sha256", "tree"],
    "ls-csv": ["ls", "-q", "-j1", "--hash", "--csv", "disk.img"],
    "ls-json": ["ls", "-q", "-j1", "--metadata", "--json", "disk.img"],
    "ls-body": ["ls", "-q", "-j1", "--md5", "--body", "disk.img"],
    "ls-long": ["ls", "-q", "-j1", "-l", "disk.img", "tree"],
    "ls-summary": ["ls", "-q", "-j2", "--summary", "--hash-image", "disk.img"],
    "ls-inside": ["ls", "-q", "-j1", "--hash", "--csv", "disk.img/@0+1048576"],
    "add": ["add", "-q", "-j1", "--sha256", NEW, "tree", "disk.img"],
    "import": ["import", "-q", NEW, "list.json"],
    "import-text": ["import", "-q", NEW, "list.sha1sum"],
    "export-csv": ["export", "-q", "--csv", "refs.kith"],
    "export-json": ["export", "-q", "--json", "refs.kith"],
    "export-hashdeep": ["export", "-q", "--hashdeep", "refs.kith"],
    "scan": ["scan", "-q", "-j1", "--csv", "--all", "-r", "refs.kith", "disk.img", "tree"],
    "scan-text": ["scan", "-q", "-j2", "--text", "-r", "refs.kith", "tree"],
    "scan-case": ["scan", "-q", "-j1", "-r", "refs.kith", "--case", NEW, "disk.img", "tree"],
    "scan-extend": ["scan", "-q", "-j1", "-r", "more.kith", "--case", NEW],
    "report-csv": ["report", "--csv", "--all", "whole.case"],
    "report-columns": ["report", "--columns", "id,twins,image_ranges,md5", "whole.case"],
    "report-json": ["report", "--json", "--all", "whole.case"],
    "report-dfxml": ["report", "--format", "dfxml", "whole.case"],
    "report-case": ["report", "--format", "case", "whole.case"],
    "report-timesketch": ["report", "--format", "timesketch", "whole.case"],
    "report-summary": ["report", "--format", "summary", "whole.case"],
    "report-text": ["report", "--text", "--show-known", "whole.case"],
    "report-html": ["report", "--format", "html", "--all", "whole.case"],
    "report-bytes": ["report", "--format", "html", "--with-bytes", "disk.img", "--with-bytes", "tree", "whole.case"],
    "report-about": ["report", "--about", "whole.case"],
    "report-check": ["report", "--check", "whole.case"],
    "explain": ["explain", "whole.case", FINDING],
    "extract": ["extract", "-q", "-j1", "-d", NEW, "whole.case", "--verdict", "identical,variant,embedded,fragment"],
    "extract-ranges": ["extract", "-q", "-j2", "--ranges", "-d", NEW, "whole.case", FINDING],
    "audit": ["audit", "-q", "-j1", "--all", "--json", "refs.kith", "refs"],
    "verify": ["sets", "verify", "refs.kith"],
    "compare": ["compare", "--json", "tree/a", "tree/b"],
    "compare-html": ["compare", "--format", "html", "tree/a", "tree/b"],
    "sketch": ["sign", "-q", "-j1", "-s", "minmod", "--tokens", "words", "--labelled", "tree"],
    "sketches": ["compare", "-s", "minwise", "--json", "tree/a", "tree/b"],
    "cluster": ["cluster", "-q", "-j1", "--json", "--resemblance", "0.1", "tree", "refs"],
    "cluster-sketch": ["cluster", "-q", "-j2", "--csv", "-s", "coates2011", "--edits", "40%", "tree", "refs"],
    "plagiarism": ["cluster", "-q", "-j1", "--csv", "--plagiarism", "--containment", "0.1", "tree", "refs"],
    "thin": ["sets", "thin", "--csv", "--resemblance", "0.1", "--covered", "0", "-o", NEW, "twins.kith"],
    "lab-csv": ["lab", "--csv", "--data", "tree", "broder-clusters"],
    "lab-html": ["lab", "--quick", "--html", "--data", "tree", "coates2011-substitutions"],
    "lab-store": ["lab", "--quick", "--json", "--data", "refs", "--store", NEW, "coates-unrelated"],
}

Result = collections.namedtuple("Result", "code out err made")
bad = []
counts = collections.Counter()
messages = collections.Counter()


def run(arguments, environment=None, limit=None):
    def limit_output():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with open("out.txt", "wb") as out:
        try:
            done = subprocess.run([KITH] + arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=120,
                                  env={**os.environ, **(environment or {})}, preexec_fn=limit_output if limit is not None else None)
        except subprocess.TimeoutExpired:
            return None, b"", b"it hangs"
    return done.returncode, open("out.txt", "rb").read(), done.stderr


def prepare(command):
    """Removes what the command made, or restores what it changes."""
    for name in os.listdir("."):
        if os.path.isdir(name) and name == NEW:
            shutil.rmtree(name)
        elif name.startswith(NEW):
            os.remove(name)
    if command in BEFORE:
        shutil.copy(BEFORE[command], NEW)


def contents_of_folder():
    """What kith extract made, as text; and what is wrong with it: a file that is not as its row says, or has none."""
    made = {name: open(os.path.join(NEW, name), "rb").read() for name in sorted(os.listdir(NEW))}
    manifest = made.get("manifest.csv", b"").decode()
    rows = list(csv.DictReader(manifest.splitlines()))
    listed = {row["file"]: row["sha1"] for row in rows if row["file"] and row["reason"] is not None}
    for name, data in made.items():
        if name != "manifest.csv" and hashlib.sha1(data).hexdigest() != listed.get(name):
            return None, b"%s is not as its row says" % name.encode()
    return repr(sorted(made.items())).encode(), None


def contents_of_new(arguments):
    """What a command made, as text; and what is wrong with it."""
    if not os.path.exists(NEW):
        return None, None
    if arguments[0] == "extract":
        return contents_of_folder()
    if arguments[0] == "lab":
        with open(NEW, "rb") as made:
            return made.read(), None
    if arguments[0] == "scan":
        contents, check = run(["report", "--csv", "--all", NEW]), run(["report", "--check", NEW])
    else:
        contents, check = run(["export", "--csv", NEW]), run(["sets", "verify", NEW])
    return contents[1], None if check[0] == 0 else (check[1] + check[2])[:300]


def attempt(name, arguments, what, base, environment=None, limit=None):
    prepare(name)
    code, out, err = run(arguments, environment, limit)
    counts[code] += 1
    messages[(code, err.split(b"\n")[0][:100])] += 1
    wrong = None
    if code == -signal.SIGABRT and b"OpenSSL internal error" in err:
        pass # libcrypto 3.5 does not survive every failed allocation
    elif code is None or code < 0 or code > 4:
        wrong = "exit %s: %s" % (code, err[:300])
    elif code != base.code and not err.replace(b"kith:", b"").strip() and not (name == "report-check" and out.strip()):
        wrong = "exit %d, and nothing is said" % code
    elif code == base.code and out != base.out:
        wrong = "exit %d with another output (%d bytes instead of %d), and says %s" % (code, len(out), len(base.out), err[:200])
    if NEW in arguments and not wrong:
        made, fault = contents_of_new(arguments)
        if fault:
            wrong = "exit %d, and what it made is not sound: %s" % (code, fault)
        elif code == base.code and made != base.made:
            wrong = "exit %d, and it made something else (%s), and says %s" % (code, made and len(made), err[:200])
        elif code != base.code and made is not None and arguments[0] == "lab" and made != base.made:
            wrong = "exit %d, and it left %d bytes" % (code, len(made))
        elif code != base.code and made is not None and arguments[0] == "scan":
            wrong = resume(arguments, base, code)
    if wrong:
        bad.append("%s, %s: %s" % (name, what, wrong))
        print("WRONG:", bad[-1], flush=True)


def resume(arguments, base, code):
    """Resumes a case that the fault left, without the fault."""
    before = run(["report", "--about", NEW])
    again = run(arguments)
    made, fault = contents_of_new(arguments)
    if fault or again[0] not in (base.code, 3) or (again[0] == base.code and made != base.made):
        return "after exit %d it was resumed with exit %s to another case: %s %s" % (code, again[0], fault, again[2][:300])
    if again[0] == 3 and b"partial" not in before[1] and b"parts were not examined" not in before[1]:
        return "after exit %d it cannot be resumed: %s" % (code, again[2][:300])
    return None


def positions(most, tries, generator):
    return sorted(generator.sample(range(1, most + 1), min(tries, most)))


def try_command(library, name, arguments, tries):
    generator = random.Random(zlib.crc32(name.encode()) + tries)
    prepare(name)
    base = Result(*run(arguments), contents_of_new(arguments)[0])
    assert base.code == 0, (name, base)
    for kind in KINDS:
        for who in ("parent", "worker"):
            environment = {"LD_PRELOAD": library, "FAULT": "%s:%s:0:0:0" % (kind, who), "FAULT_CALLS": "calls.txt"}
            prepare(name)
            run(arguments, environment)
            calls = int(open("calls.txt").read())
            for at in positions(calls, tries, generator):
                for error in ERRORS[kind]:
                    count = generator.choice((1, 1, 1000000))
                    fault = "%s:%s:%d:%d:%d" % (kind, who, at, count, error)
                    attempt(name, arguments, fault, base, {"LD_PRELOAD": library, "FAULT": fault})
    if base.out:
        for at in positions(len(base.out) - 1, tries, generator):
            attempt(name, arguments, "an output of %d bytes" % at, base, limit=at)


def main():
    library, tries, words = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    number = re.search(r" finding ([0-9.]+)$", run(["report", "--text", "whole.case"])[1].decode(), re.M)[1]
    for name, arguments in COMMANDS.items():
        arguments = [number if word == FINDING else word for word in arguments]
        if not words or any(word in name for word in words):
            before = sum(counts.values())
            try_command(library, name, arguments, tries)
            print("%s: %d faults" % (name, sum(counts.values()) - before), flush=True)
    print("%d faults, %d outcomes wrong; exit status:" % (sum(counts.values()), len(bad)), dict(counts))
    if os.environ.get("FAULTS_SAY"):
        for (code, text), count in messages.most_common():
            print("%6d  %s  %s" % (count, code, text.decode(errors="replace")))
    sys.exit(bool(bad))


main()
