#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith lab: what the papers of Broder and Coates state without a table, recomputed from the definitions.
. "$(dirname "$0")/lib.sh"

for name in broder-azuma broder-last-letter broder-speed broder-sample coates2011-locality coates2011-errors coates2015-places; do
    status 0 "$KITH" lab --quick --json $name
    cp out $name
done

cat >tables.py <<'END'
import json, sys
def rows(path, name):
    for document in json.load(open(path))["documents"]:
        for item in document["items"]:
            if item.get("table") == name:
                keys = [c["name"] + "/" + c["unit"] for c in item["columns"]]
                return [dict(reversed(list(zip(keys, row)))) for row in item["rows"]] # of the same name: the first
    raise SystemExit("no table " + name)
END

# The number of collisions of few strings is nearly a Poisson variable.  A bound of 4 sigma, each.
python3 - <<'END' || fail "the deviations of the number of fingerprints"
from math import exp, sqrt
from tables import rows
def poisson(mean, k):
    p = exp(-mean)
    for i in range(1, k + 1):
        p *= mean / i
    return p
for r in rows("broder-azuma", "broder-4.1-azuma"):
    n, off = r["n/strings"], r["farther off/draws"]
    mean = 2 ** 16 * (1 - (1 - 2 ** -16) ** n)
    assert abs(r["E|f(S)|/formula"] - mean) < .01
    assert abs(r["e^(-lambda^2 / 2)/bound"] - exp(-r["lambda/"] ** 2 / 2)) < 1e-6
    p = off / r["draws of f/"]
    assert r["probability/95 % from"] <= p <= r["probability/95 % to"] and p <= r["e^(-lambda^2 / 2)/bound"], r
    if n == 1000:
        expected = sum(poisson(n - mean, k) for k in range(60) if abs(n - mean - k) > r["lambda/"] * sqrt(n))
        sigma = sqrt(expected * (1 - expected) / r["draws of f/"])
        assert abs(p - expected) < 4 * sigma + .02, (r, expected)
END

# Without the power: exactly the difference of the last letters.
python3 - <<'END' || fail "strings that differ in the last letter"
from tables import rows
table = rows("broder-last-letter", "broder-4.1-power")
assert len(table) == 8
for plain, power in zip(table[::2], table[1::2]):
    assert plain["form/"] == "not multiplied" and power["l/bits"] == plain["l/bits"]
    assert plain["differ in the last 8 bits only/%"] == plain["both small, of those with one/%"] == 100
    assert abs(plain["bits that differ/mean"] - sum(bin(d).count("1") for d in range(1, 256)) / 255) < .3
    assert abs(power["bits that differ/mean"] - power["l/bits"] / 2) < .8
    assert power["differ in the last 8 bits only/%"] < 3 and power["both small, of those with one/%"] < 30
END

python3 - <<'END' || fail "sliding windows, options, bytes of a sketch"
from tables import rows
for r in rows("broder-speed", "broder-4.3-window"):
    assert r["different results/"] == 0 and r['times as fast/"a factor of w"'] == r["w/bytes"]
assert all(r["option A, labelled/MB/s"] > 0 and r["option B/MB/s"] > 0 for r in rows("broder-speed", "broder-4.3-options"))
for r in rows("broder-sample", "broder-4.2-bytes"):
    bytes = r["s x l / 8/bytes"]
    assert bytes == r["s/"] * r["l/bits"] / 8 < r["kith's sketch as text/bytes"] < 2 * bytes + 200, r
    assert r["sketches/bytes, least and most"] in (None, bytes)
END

# An edit, and the ends: the windows that a symbol of 2015 is from are selected with probability 1 / C.
python3 - <<'END' || fail "what an edit changes"
from math import sqrt
from tables import rows
table = rows("coates2011-locality", "coates2011-3.1-edits")
assert len(table) == 18
for r in table:
    scheme = dict(x.split("=") for x in r["scheme/"].split()[1:])
    n, c = int(scheme["n"]), int(scheme["C"])
    windows = {"one substituted": 2 * n, "one inserted": 2 * n - 1, "one removed": 2 * n - 1}[r["edit/"]]
    assert r["changed without the edit/symbols, all"] == 0, r
    assert r["windows with the edit/of both texts"] == windows >= r["changed/symbols, most"]
    p = (1 - 1 / c) ** windows
    assert abs(r["unchanged/%, if 1 window in C is selected"] / 100 - p) < 1e-6
    if "2015" in r["scheme/"]:
        assert abs(r["unchanged/% of signatures"] / 100 - p) < 5 * sqrt(p * (1 - p) / r["trials/"]), r
for r in rows("coates2011-locality", "coates2011-3.1-ends"):
    assert r["other differences/symbols, most"] == 0 and r["of neighbours' windows/symbols, most"] <= r["of neighbours' windows/possible"]
    assert r["lost at the start/symbols, most"] <= 1
    assert "2011" in r["scheme/"] or r["the same symbols/% of embedded parts"] == 100
for r in rows("coates2011-locality", "coates2011-3.1.1-sums"):
    sums = [s for s in range(4 * 255 + 1) if s % r["C/"] == r["k/"]]
    assert r["sums = k mod C/of n bytes"] == len(sums) >= r["of these, in the text/"] > 0
    assert r["sigma n / C/sums"] == 256 * 4 / r["C/"]
END

python3 - <<'END' || fail "error rates of the classifier"
from tables import rows
table = rows("coates2011-errors", "coates2011-7")
assert len(table) == 36
for r in table:
    assert abs(r["wrong/%"] - 100 * r["wrong/"] / r["number/"]) < 1e-6
    assert r["wrong/95 % from"] <= r["wrong/%"] <= r["wrong/95 % to"] and r["threshold/1 in 100"] <= r["threshold/1 in 10"]
for first in range(0, 36, 9):
    unrelated, *versions = table[first:first + 9]
    shares = [v["distance / longer signature/mean"] for v in versions]
    assert unrelated["pairs/"] == "unrelated" and shares[0] < shares[1] < shares[2] and shares[5] < shares[6] < shares[7]
assert all(v["wrong/"] == 0 for v in table[28:31]), "C = 101 separates few edits"
few = ["%d of %d" % (sum(r["wrong/%"] < 5 for r in part), len(part)) for part in (table[:27], table[27:])]
assert "in %s rows with the signatures of 2011, and in %s with" % tuple(few) in open("coates2011-errors").read(), few
END

python3 - <<'END' || fail "the places of differences"
from tables import rows
table = rows("coates2015-places", "coates2015-places")
assert len(table) == 9
for r in table[:3]:
    assert r["off the nearest edit/% of the length, mean"] < 10 and r["edits with a change within 5 %/%"] >= 40, r
    assert r["off the nearest edit/% of the length, mean"] < r["off the nearest edit/%, random places"]
END

mkdir small
printf 'a short text' >small/a
printf 'another one' >small/b
for name in coates2011-locality coates2011-errors coates2015-places; do
    status 2 "$KITH" lab --quick --data small $name
    says err "$name: "
done
status 0 "$KITH" lab --quick --data small broder-speed

finish
