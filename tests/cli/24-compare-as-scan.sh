#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith compare A B gives the verdict of a scan of A for a set that has only B, unless what they have in common is too little for
# a scan.
. "$(dirname "$0")/lib.sh"

python3 - <<'PY'
import os, random, string, struct

r = random.Random(23)
words = ["".join(r.choices(string.ascii_lowercase, k=r.randint(2, 11))) for _ in range(4000)]


def text(size):
    out = []
    while len(out) < size:
        out.append(r.choice(words))
    return " ".join(out).encode()[:size]


def noise(size):
    return r.randbytes(size)


def table(size):
    return b"".join(struct.pack("<II", 0x8040000 + 8 * i, i % 7) for i in range(size // 8))


def spread(data, share):
    out = bytearray(data)
    for i in range(len(out)):
        if r.random() < share:
            out[i] = r.randrange(256)
    return bytes(out)


def shuffled(data, size):
    blocks = [data[i:i + size] for i in range(0, len(data), size)]
    r.shuffle(blocks)
    return b"".join(blocks)


os.mkdir("references")
for number, (make, size) in enumerate([(text, 30000), (noise, 20000), (text, 6000), (noise, 90000)]):
    content = make(size // 2) + table(4096) + make(size // 2)
    own, third = (lambda n: make(n)), len(content) // 3
    objects = {
        "unrelated": own(size),
        "table": own(size // 2) + table(4096) + own(size // 2),
        "edited": content[:third] + own(300) + content[third + 200:],
        "spread": spread(content, .01),
        "denser": spread(content, .05),
        "before": own(900) + content,
        "host": own(3 * size) + content + own(2 * size),
        "part": content[third:third + third],
        "fragment": own(size) + content[third:third + 2500] + own(size),
        "small": own(size) + content[100:1300] + own(size),
        "tiny": own(size) + content[100:240] + own(size),
        "shuffled": shuffled(content, 2048),
        "mixed": shuffled(content, 64),
        "halves": content[len(content) // 2:] + content[:len(content) // 2],
        "twice": own(500) + content[:3000] + own(4000) + content[:3000] + own(700),
        "half": content[:len(content) // 2] + own(size // 2),
    }
    folder = "objects%d" % number
    os.mkdir(folder)
    open("references/%d" % number, "wb").write(content)
    for name, data in objects.items():
        open(folder + "/" + name, "wb").write(data)
PY
# A log in which most samples recur, and the same with other ends of lines.
python3 - <<'PY'
import random

r = random.Random(7)
messages = ["[notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties", "[error] mod_jk child workerEnv in error state 6",
            "[notice] jk2_init() Found child %d in scoreboard slot 7"]
lines, time = [], 0
for number in range(1000):
    time += r.randrange(20) == 0
    message = r.choice(messages)
    lines.append(b"[Sun Dec 04 04:%02d:%02d 2005] " % (time // 60, time % 60) +
                 (message % r.randrange(6700, 6800) if "%" in message else message).encode())
open("lf.log", "wb").write(b"\n".join(lines))
open("crlf.log", "wb").write(b"\r\n".join(lines))
PY
status 0 "$KITH" compare --json -C 32 crlf.log lf.log
same "compare" variant "$(json out 'd["verdict"]')"
status 0 "$KITH" add -q -C 32 log.kith lf.log
status 0 "$KITH" scan -q --csv -r log.kith crlf.log
says out ",variant,log,"

for reference in references/*; do
    number=${reference##*/}
    "$KITH" add -q -C 32 set.kith "$reference" || fail "add: exit $?"
    "$KITH" scan -q --csv --all --all-references --containers no -r set.kith "objects$number" >"scan$number.csv" || fail "scan: exit $?"
    rm set.kith
    for object in "objects$number"/*; do
        "$KITH" compare --json -C 32 "$object" "$reference" >>"compare$number.json" || fail "compare: exit $?"
    done
done
status 0 "$KITH" compare -C 32 objects0/shuffled references/0
says out "variant: A and B have the same content in another order"
status 0 "$KITH" compare -C 32 objects0/edited references/0
says out "variant: A and B are versions of each other"
python3 - <<'PY' || fail "see above"
import csv, json, sys


wrong, orders = 0, {}
for number in range(4):
    scanned = {}
    for row in csv.DictReader(open("scan%d.csv" % number)):
        scanned.setdefault(row["path"], set()).add(row["verdict"])
        orders[number, row["path"]] = row["order"]
    for line in open("compare%d.json" % number):
        result = json.loads(line)
        name, verdict = result["path"].split("/")[1], result["verdict"]
        if verdict == "embedded" and result["embedded"] == "obj":
            verdict = "fragment"  # which is what a scan calls a part of the reference
        too_little = name == "tiny" and verdict == "fragment" and result["e_value"] <= 1e-9 and scanned[name] == {"none"}
        if verdict not in scanned[name] and not too_little:  # a scan has one verdict for each place
            print(number, name, "scan:", scanned[name], "compare:", verdict, result.get("e_value"))
            wrong += 1
        other = name in ("shuffled", "mixed", "halves")
        if verdict == "variant" and not orders[number, name] == result["order"] == ("other" if other else "same"):
            print(number, name, "order:", orders[number, name], "compare:", result["order"])
            wrong += 1
        if other and verdict != "variant":
            print(number, name, verdict)
            wrong += 1
sys.exit(wrong > 0)
PY
finish
