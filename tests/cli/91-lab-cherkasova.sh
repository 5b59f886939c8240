#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith lab: the experiments of Cherkasova et al. 2009.
. "$(dirname "$0")/lib.sh"

# cell CSV TABLE ROW COLUMN PAPER: its value
cell()
{
    python3 -c '
import csv, sys
path, table, row, column, paper = sys.argv[1:]
for r in csv.DictReader(open(path, newline="")):
    if (r["table"], r["row"], r["column"], r["paper"]) == (table, row, column, paper):
        print(r["value"]); break' "$@"
}

status 0 "$KITH" lab --quick --csv --plots plots cherkasova2009
mv out all
tables=$(cut -d, -f2 all | sort -u)
for table in 2 2a 2b 3 3a 3b 4 5 6 7 7a 7b 8 9a 9b 11 t1 t2a t2b chunks common; do
    grep -qx "cherkasova2009-$table" <<<"$tables" || fail "there is no table $table"
done
for plot in 1 2a 2b 3a 3b 4-distribution 5 6a 6b 7a 7b 8a 8b 9a 9b 10a 10b 11 chunks; do
    [ -s "plots/cherkasova2009-$plot.svg" ] || fail "there is no plot $plot"
done

# what the text of the paper states: 97 and 66 % in section 4.1, 28 and 10 % below figure 3, table 2
same "Mod_100 at w=5" 97 "$(cell all cherkasova2009-2 1 'paper: Mod_100' 1)"
same "Mod_100 at w=100" 66 "$(cell all cherkasova2009-2 7 'paper: Mod_100' 1)"
same "Mod_100 up to 4 %" 28 "$(cell all cherkasova2009-4 1 'paper: below 4 %' 1)"
same "BSW_100 up to 4 %" 10 "$(cell all cherkasova2009-4 4 'paper: below 4 %' 1)"
same "table 2, Sketch_100 and all together" "17 51 45" "$(cell all cherkasova2009-t2a 3 'paper: correct' 1) $(
    cell all cherkasova2009-t2a 5 'paper: correct' 1) $(cell all cherkasova2009-t2b 6 'paper: reported' 1)"

# table 1: the program's own answers are those of the paper, row by row
python3 - all <<'END' || fail "table 1 differs from the paper's"
import collections, csv, sys
rows = collections.defaultdict(dict)
for r in csv.DictReader(open(sys.argv[1], newline="")):
    if r["table"] == "cherkasova2009-t1":
        rows[r["row"]][r["column"]] = r["value"]
theirs = [r for r in rows.values() if r.get("paper: size")]
assert len(theirs) == 4
for r in theirs:
    assert r["size"] == r["paper: size"], r
    assert bool(r.get("similarity")) == (r["paper: similarity"] == "yes"), r
    assert bool(r.get("containment")) == (r["paper: containment"] == "yes"), r
END

# the tables agree with each other, and measured values with the formulas
python3 - all <<'END' || fail "the tables contradict each other"
import collections, csv, sys
tables = collections.defaultdict(lambda: collections.defaultdict(dict))
for r in csv.DictReader(open(sys.argv[1], newline="")):
    tables[r["table"].partition("-")[2]][int(r["row"])][r["column"]] = r["value"]

def near(a, b, tolerance):
    assert abs(float(a) - float(b)) <= tolerance, (a, b)

last = max(tables["2a"])
for row in tables["2"].values():
    near(row["Mod_100"], tables["2a"][last]["w=" + row["window"]], 0)
    near(row["BSW_400"], tables["2b"][last]["w=" + row["window"]], 0)
    near(row["exact"], row["expected"], 2)
exact = {r["edits"]: r["average"] for r in tables["7"].values() if r["scheme"] == "exact"}
for row in tables["7"].values():
    near(float(row["average"]) - float(exact[row["edits"]]), row["less exact"], 0.11)
documents = list(tables["6-documents"].values())
for row in tables["6"].values():
    half = documents[:len(documents) // 2] if row["documents"] == "shorter half" else documents[len(documents) // 2:]
    values = [float(d[row["scheme"]]) for d in half]
    near(row["average"], sum(values) / len(values), 0.11)
    near(row["reported as 100 %"], 100 * sum(v == 100 for v in values) / len(values), 0.11)
    near(row["lowest"], min(values), 0)
for row in tables["chunks"].values():
    near(row["chunks_100"], row["chunks_100, expected"], 5)
    near(row["chunks_100 lost"], 100 * (100 - float(row["chunks_100"])) / (100 + float(row["chunks_100"])), .1)
assert (tables["chunks"][1]["length"], tables["chunks"][1]["insertions"]) == ("2000", "10")
END

# the same seed, the same bytes, except for speeds; another one, others
names=$(sed -n 's/^\(cherkasova2009-[a-z]*\),.*/\1/p' all | sort -u | grep -v speed)
for name in $names; do
    quick=--quick
    [ "$name" != cherkasova2009-properties ] || quick=--quiet # nothing is left out of it
    status 0 "$KITH" lab $quick --csv "$name"
    cmp -s <(grep "^$name," all) <(grep "^$name," out) || fail "$name: two runs differ"
done
status 0 "$KITH" lab --quick --csv --seed 2 cherkasova2009-windows
cmp -s <(grep '^cherkasova2009-windows,' all) <(grep '^cherkasova2009-windows,' out) && fail "the seed has no effect"

# the user's files: the exact similarity is that of the definition
mkdir data
text 1 6000 >data/a
text 2 5000 >data/b
{ head -c 2500 data/a; text 3 4000; } >data/c
# expected EXPRESSION: of the similarities r of all pairs, in percent
expected()
{
    python3 -c '
import sys
sets = [{d[i:i + 20] for i in range(len(d) - 19)} for d in (open(p, "rb").read() for p in sys.argv[2:])]
r = [100 * len(a & b) / len(a | b) for i, a in enumerate(sets) for b in sets[:i]]
print("%.1f" % eval(sys.argv[1]))' "$1" data/*
}
status 0 "$KITH" lab --quick --csv --data data cherkasova2009-distinct
same "the most similar pair" "$(expected 'max(r)')" "$(cell out cherkasova2009-4 5 'most similar' 0)"
same "pairs of at most 15 % and of at most 40 %" \
    "$(expected '100 * sum(x <= 15 for x in r) / 3') $(expected '100 * sum(x <= 40 for x in r) / 3')" \
    "$(cell out cherkasova2009-4-distribution 10 exact 0) $(cell out cherkasova2009-4-distribution 14 exact 0)"
status 0 "$KITH" lab --quick --csv --data data cherkasova2009-collections
same "no pair of them above 70 %" 0 "$(cell out cherkasova2009-t2-data 5 reported 0)"
cp data/a data/copy
status 0 "$KITH" lab --quick --csv --data data cherkasova2009-collections
same "a copy is reported by all, and correct" "1 1" "$(cell out cherkasova2009-t2-data 6 reported 0) $(
    cell out cherkasova2009-t2-data 6 correct 0)"

# too many copies to compare each with each
mkdir copies
for i in {1..300}; do
    cp data/b "copies/$i"
done
status 0 "$KITH" lab --quick --data copies cherkasova2009-collections
says out 'More than 100000 pairs are 40 % similar'
tr '\n' ' ' <out >flat
says flat 'In the paper it reports 61 pairs of collection 1, of which 13 are false'

# files that are too few or too small
mkdir small
echo x >small/a
status 2 "$KITH" lab --quick --data small cherkasova2009-windows
says err '1 file of small: fewer than two documents of 1000 to 50000 bytes'
status 0 "$KITH" lab --quick --data small cherkasova2009-collections
says out 'Fewer than two documents of 600 bytes to 64 KB'

finish
