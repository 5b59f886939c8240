#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith lab yuan2012: formulas recomputed, simulations within their errors, alg.G and alg.H with the same results.
. "$(dirname "$0")/lib.sh"

cat >check.py <<'END'
import csv, math, sys
tables = {}
for row in csv.DictReader(open(sys.argv[1], newline="")):
    cells = tables.setdefault(row["table"], {}).setdefault(int(row["row"]), {})
    cells.setdefault((row["column"], row["paper"] == "1"), []).append(row["value"])

def rows(name):
    assert tables[name], name
    for cells in tables[name].values():
        yield lambda column, paper=False, which=0, cells=cells: float(cells[column, paper][which])

def near(a, b, error):
    assert abs(a - b) <= error, (a, b, error)

# example 1, whose permutations and sets are these
maps = ["635421", "412653", "563124", "253416", "526431"]
for of, row in zip(maps, rows("yuan2012-example1")):
    for number, members in (("1", (1, 2, 4)), ("2", (2, 3, 4, 5))):
        least = min(int(of[i - 1]) for i in members)
        assert row("min of S" + number) == row("min of S" + number, True) == least
        assert row("b of S" + number) == least % 2
values = [row("value") for row in rows("yuan2012-example2")]
near(values[0], 2 / 5, 1e-9)
near(values[1], 3 / 5, 1e-9)
near(values[2], math.sqrt(0.4 * 0.6 / 5), 0.0005)
near(values[3], 1 / 5, 1e-9)

# what the paper has right
counts = [row("value") for row in rows("yuan2012-text-counts")]
assert counts[:5] == [10, 20, 3, 1172, 12] and counts[5] == 7441

# figure 1: the error of a variance of 100 values is 14 %
for i, row in enumerate(rows("yuan2012-figure1")):
    r = i / 10
    near(row("Var of R_M, eq. 3"), 1000 * r * (1 - r), 0.05)
    near(row("Var of R_b, eq. 6"), 1000 * (1 - r * r), 0.05)
    for which, column in enumerate(("Var of R_M, eq. 3", "Var of R_b, eq. 6")):
        near(row("measured", which=which), row(column), 0.6 * row(column))
    near(row("bias of R_b"), 0, 4)
    near(row("mean of R_M"), r, 4 * math.sqrt(r * (1 - r) / 1000 / 100) + 1e-9)

# figure 4: equations 10, 14, 16, 17; k and r in whole numbers
count = 0
for row in rows("yuan2012-figure4"):
    k, r, n = int(row("k")), round(10 * row("r")), 300000
    rh = k * (10 - r) // 20
    m = rh + 3
    assert (row("rh"), row("m"), row("C(m, 3)")) == (rh, m, math.comb(m, 3))
    near(row("n_g"), n / 2 ** (k / m), 0.06)
    near(row("n_g, eq. 15"), n / 2 ** (20 / (10 - r)), 0.06)
    near(row("alg.G, eq. 16") / (math.comb(m, 3) * 3 * math.log2(n)), 1, 1e-3)
    near(row("alg.H, eq. 17") / (m * math.log2(m * n) + m * n / 2 ** (k / m)), 1, 1e-3)
    count += 1
assert count == 18

# figure 5: 1,000 binomial numbers
for groups, row in zip((1, 8), rows("yuan2012-figure5")):
    near(row("n_g"), 30000 / 256, 4 * math.sqrt(30000 / 256 / groups / 1000))
    near(row("standard deviation"), math.sqrt(30000 / 256 / groups), 0.2 * math.sqrt(30000 / 256 / groups))
    assert row("least") < row("n_g") < row("most")

# figure 6
for row in rows("yuan2012-figure6"):
    near(row("precision"), row("by eq. 4"), 0.12)
    near(row("recall"), row("by eq. 4", which=1), 0.12)
    if row("k") == 64:
        first = row
    if row("k") == 1000:
        assert row("precision") > first("precision") and row("recall") > first("recall")

# table 1
for times, work in zip(rows("yuan2012-table1"), rows("yuan2012-table1-work")):
    m = int(times("m"))
    assert times("alg.G") > times("alg.H") > 0
    assert work("queries of alg.G") == math.comb(m, 3)
    assert work("look-ups, alg.H") == m
    assert work("different results") == 0 and work("found") > 0.3
    assert work("entries read, alg.G") > work("entries read, alg.H")
paper = [row for row in rows("yuan2012-table1") if row("k") == 400][0]
assert (paper("alg.G", True), paper("alg.H", True)) == (1921, 273)
for cells in tables["yuan2012-table1"].values():
    few = int(cells["queries made", False][0]) < 30
    assert cells.get(("note", False), [""])[0] == ("few queries" if few else ""), cells
times = [row for row in csv.DictReader(open(sys.argv[1], newline="")) if row["table"] == "yuan2012-table1"]
assert {row["unit"] for row in times if row["column"] in ("alg.G", "alg.H", "scan")} == {"s per query"}

# other thresholds and groups: k = 400, m = 63
for percent, row in zip((70, 75, 80, 85, 90), rows("yuan2012-thresholds")):
    rh = 400 * (100 - percent) // 200
    assert row("rh") == rh and row("c = m - rh") == 63 - rh
    near(row("queries of alg.G") / math.comb(63, rh), 1, 0.006)
    assert row("candidates") < 6
changes = list(rows("yuan2012-changes"))
assert changes[0]("queries before") == math.comb(63, 3)
assert changes[0]("queries with one more") == math.comb(64, 3)
wide = list(rows("yuan2012-wide"))
assert len(wide) == 4 and max(row("k / m") for row in wide) == 125
for row in wide:
    assert row("found by alg.G") == row("found by alg.H") == row("found by a scan") == row("planted") == 50
    assert row("different results") == 0 and row("rh") == row("m") - 3
END

status 0 "$KITH" lab --quick --csv yuan2012
python3 check.py out || fail "the tables are wrong"

# all but the times is the same again
counts()
{
    grep -E '^yuan2012-time,yuan2012-table1-work,' "$1" | grep -v ',s,'
}
counts out >first
status 0 "$KITH" lab --quick --csv yuan2012-time
same "what is counted" "$(cat first)" "$(counts out)"

# documents of the user's: one too short for shingles, two near-duplicates
mkdir data
text 1 9000 >data/a
sed 's/e/E/' data/a >data/b
printf 'two words' >data/c
status 0 "$KITH" lab --quick --data data --csv yuan2012-precision
status 0 "$KITH" lab --quick --data data yuan2012-time
says out '10000 fingerprints: 2 of documents (3 files of data;'
says out 'of all fingerprints, of which there are 10000 (paper: 300000)'
tr '\n' ' ' <out >flat
# equations 16 and 17 for k = 400, m = 63
ratio()
{
    python3 -c '
import math, sys
n = int(sys.argv[1])
print("%.1f" % (math.comb(63, 3) * 3 * math.log2(n) / (63 * math.log2(63 * n) + 63 * n / 2 ** (400 / 63))))' "$1"
}
says flat "is $(ratio 300000) for 300,000 fingerprints and $(ratio 10000) for 10000"

# what the text's extraction lost is no error of the authors
status 0 "$KITH" lab yuan2012-examples
sed -n '/^Errors in the paper/,/^$/p' out >errors
grep -qE 'C=2|28' errors && fail "lost superscripts are called errors: $(cat errors)"
says out 'has lost its superscripts'

finish
