#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith lab: the list, formats, reproducibility, errors; the papers' figures beside ours.
. "$(dirname "$0")/lib.sh"

status 0 "$KITH" lab
says out 'coates2011-substitutions'
says out 'Coates 2011, section 4.2.1'
grep -qF '\x' out && fail "the list has escapes: $(cat out)"

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

status 0 "$KITH" lab --quick --csv --plots plots coates2011
cp out coates
grep -E '^(experiment|coates2011-substitutions),' out >first
same "rows of 4.2.1" 14 "$(cut -d, -f2,3 first | grep '^coates2011-4.2.1,' | sort -u | wc -l)"
same "the paper's estimate" 2416 "$(cell first coates2011-4.2.1 3 estimate 1)"
same "10 % of 13,508" 1351 "$(cell first coates2011-4.2.1 3 'true LD' 0)"

# the remark on the number of edits in the paper, by the paper's own figures: whole numbers of C / 3, but not of C
python3 - first <<'END' || fail "the paper's estimates are not means of three"
import csv, sys
cells = {(r["row"], r["column"], r["paper"]): float(r["value"]) for r in csv.DictReader(open(sys.argv[1], newline=""))}
rows = [(cells[row, "C", "0"], cells[row, "estimate", "1"]) for row, column, paper in cells if column == "C"]
assert len(rows) == 14 and sum(estimate % c != 0 for c, estimate in rows) >= 7
assert all(-estimate * 3 % c < 3 for c, estimate in rows), rows
# and the one on its column of errors
errors = [(cells[row, "Error", "1"], cells[row, "estimate", "1"]) for row, column, paper in cells if column == "C"]
assert sum(abs(error - estimate / 12430) > .0005 for error, estimate in errors) == 4, errors
assert sum(abs(error - estimate / 12430) > .0001 for error, estimate in errors) == 8, errors
END
status 0 "$KITH" lab --quick coates2011-substitutions
tr '\n' ' ' <out >flat
says flat 'means of three edits'
says flat 'Eight rows differ even from that'

# the other tables of Coates' papers
same "bits at C = 50" 316 "$(cell coates coates2011-4.1 1 signature 1)"
bits=$(cell coates coates2011-4.1 1 signature 0)
[ "$bits" -gt 300 ] && [ "$bits" -lt 332 ] || fail "k gives $bits bits instead of about 316"
same "plain LD at 40 bytes" "40 38000" "$(cell coates coates2011-4.1-plain 1 length 0) $(cell coates coates2011-4.1-plain 1 'textbook algorithm' 1)"
same "and as printed at 4,000 and 13,508" "3.7 0.87" "$(cell coates coates2011-4.1-plain 2 'textbook algorithm' 1) $(cell coates coates2011-4.1-plain 3 'textbook algorithm' 1)"
same "estimates as the paper has them" 1388 "$(cell coates coates2011-4.1 1 estimates 1)"
python3 - coates <<'END' || fail "the textbook algorithm takes no time in proportion to the square"
import csv, sys
rates = [float(r["value"]) for r in csv.DictReader(open(sys.argv[1], newline=""))
         if (r["table"], r["column"], r["paper"]) == ("coates2011-4.1-plain", "textbook algorithm", "0")]
assert len(rates) == 3 and 1000 < rates[0] / rates[1] < 100000 and rates[1] > rates[2], rates
END
same "max that the paper implies" 4165 "$(cell coates coates2011-4.2.2 3 max 1)"
same "true LD of 5 blocks" 2500 "$(cell coates coates2011-4.2.2 2 'true LD' 0)"
same "difference of the lengths" 27016 "$(cell coates coates2011-4.2-embedded 1 'difference of lengths' 0)"
same "embedded" 27016 "$(cell coates coates2011-4.2-embedded 1 'true LD' 0)"
same "kith's verdicts" "embedded 100.0" "$(cell coates coates2011-4.2-gf8 1 verdict 0) $(cell coates coates2011-4.2-gf8 1 containment 0)"
same "located, all of the text" 13508 "$(cell coates coates2011-4.2-gf8 1 located 0)"
[ "$(cell coates coates2011-4.2-gf8 2 located 0)" -lt 200 ] || fail "more than phrases was located in unrelated text"
same "a fragment within blocks of half its size" 100 "$(cell coates coates2011-footnote7 2 found 0)"
status 0 "$KITH" lab --quick --csv coates2015-tables
cp out coates
same "f-2" 23624 "$(cell coates coates2015-5 2 f-2 1)"
same "about 9,700 times" 9702 "$(cell coates coates2015-5 1 'estimates/s : LD/s' 1)"
ratio=$(cell coates coates2015-5 1 'estimates/s : LD/s' 0)
[ "$ratio" -gt 3000 ] && [ "$ratio" -lt 40000 ] || fail "estimates by the same algorithm are $ratio times as fast"
for row in 1 2 3 4; do
    same "only removals, row $row" "$(cell coates coates2015-5 $row LD 0)" \
        $((24767 - $(cell coates coates2015-5 $row f-2 0)))
done

# the expected distance of unrelated documents, kept in a file and used
status 0 "$KITH" lab --quick --csv coates-unrelated --store factors
same "the first line" "kith-factors 2" "$(head -1 factors)"
read -r _ n c _ _ pairs contents signatures < <(grep '^coates2015 .* text ' factors)
same "measured with the defaults" '9 101' "$n $c"
same "pairs" 20 "$pairs"
text 1 20000 >a.txt
text 2 20000 >b.txt
status 0 "$KITH" compare --json -s coates2015 --papers a.txt b.txt
cp out plain
status 0 "$KITH" compare --json -s coates2015 --papers --factors factors a.txt b.txt
same "the factors" "text $contents $signatures $pairs" "$(json out '"%s %.4f %.4f %d" % tuple(d["papers"]["factors"].values())')"
same "edits by the factor" "$(json out "'%.0f' % (d['papers']['distance'] * 101 * $contents)")" "$(json out 'd["papers"]["edits_2015"]')"
same "edits without" "$(json plain "'%.0f' % (d['papers']['distance'] * 101 * .82)")" "$(json plain 'd["papers"]["edits_2015"]')"
same "significance" "$(json out "'%.4f' % (lambda e, d: abs(e - d) / e)(max(d['papers']['signature'], d['papers']['ref_signature']) * $signatures, d['papers']['distance'])")" \
    "$(json out '"%.4f" % d["papers"]["significance"]')"
status 0 "$KITH" compare -s coates2015 --papers --factors factors a.txt "$KITH"
says out 'for all: '
sed '/^coates2015/d' factors >few
status 2 "$KITH" compare -s coates2015 --papers --factors few a.txt b.txt
says err 'few: has no factors for coates2015 n=9 C=101 k=0'
status 2 "$KITH" compare -s coates2015 -C 50 --papers --factors factors a.txt b.txt
says err 'factors: has no factors for coates2015 n=9 C=50 k=0'
status 2 "$KITH" compare --papers --factors factors a.txt b.txt
says err 'factors: has no factors for gf8'
status 2 "$KITH" compare --factors factors a.txt b.txt
says err '--factors is an option of --papers'
status 2 "$KITH" compare --papers --factors a.txt a.txt b.txt
says err 'a.txt: is not a file of factors'
status 2 "$KITH" lab --quick coates-unrelated --store factors
says err 'factors: exists already'
status 2 "$KITH" lab --quick coates2011 --store other
says err '--store is for coates-unrelated'
[ ! -e other ] || fail "--store wrote a file after an error"
status 2 "$KITH" lab --quick coates-unrelated --store missing/factors
same "said before the run" 'kith: missing/factors: No such file or directory' "$(cat out err)"

# Broder: the rose to the percent, by the definition and in the paper (which cuts 3/7 off)
status 0 "$KITH" lab --csv broder-rose
cp out rose
python3 - rose <<'END' || fail "the rose: $(cat out)"
import csv, sys
cells = {(r["row"], r["column"], r["paper"]): r["value"] for r in csv.DictReader(open(sys.argv[1], newline=""))}
assert len({row for row, column, paper in cells}) == 11
for row in map(str, range(1, 12)):
    sets = []
    for document in (cells[row, "A", "0"], cells[row, "B", "0"]):
        words, w, seen = document.split(), int(cells[row, "w", "0"]), {}
        for i in range(len(words) - w + 1):
            shingle = tuple(words[i:i + w])
            seen[shingle] = seen.get(shingle, 0) + 1
        sets.append({(s, k) for s in seen for k in range(seen[s] if cells[row, "option", "0"] == "A" else 1)})
    a, b = sets
    r = 100 * len(a & b) / len(a | b)
    assert cells[row, "resemblance", "0"] == f"{r:.2f}", (row, r)
    paper = cells.get((row, "resemblance", "1"))
    assert paper is None or abs(float(paper) - r) < .01, (row, paper)
    assert cells[row, "A in B", "0"] == f"{100 * len(a & b) / len(a):.2f}"
    assert cells[row, "common", "0"] == str(len(a & b))
assert [cells[str(i), "resemblance", "1"] for i in (1, 2, 3, 5, 6, 7)] == ["70", "50", "30", "60", "50", "42.85"]
END

# the other experiments of Broder's paper: bounds that hold for every seed but very few
status 0 "$KITH" lab --quick --json broder1997
python3 - out <<'END' || fail "Broder's bounds do not hold"
import json, math, sys
tables = {}
for document in json.load(open(sys.argv[1]))["documents"]:
    for item in document["items"]:
        if "table" in item:
            tables[item["table"]] = [[c["name"] + "/" + c["unit"] for c in item["columns"]]] + item["rows"]
def rows(name):
    return [dict(zip(tables[name][0], row)) for row in tables[name][1:]]
def binomial(s, r, first, last):
    return sum(math.comb(s, k) * r ** k * (1 - r) ** (s - k) for k in range(max(0, first), min(s, last) + 1))
for row in rows("broder-4.2"):
    s, r, eps = int(row["s/"]), row["r/"], row["eps/"]
    p = binomial(s, r, math.ceil(s * (r - eps) - 1e-6), math.floor(s * (r + eps) + 1e-6))
    assert abs(row["p(s, r, eps)/binomial, the paper's formula"] - p) < 1e-6, row
    assert abs(row["mean estimate/"] - r) < 5 * row["standard error/"] + 1e-9, row
for row in rows("broder-4.2-web"):
    s = int(row["s/"])
    p = sum(math.comb(s, k) for k in range(int(s * .9) + 1, s + 1)) / 2 ** s
    assert abs(row["P(estimate > 0.9)/for r = 0.5"] / p - 1) < 1e-6, row
for row in rows("broder-4.1"):
    l, n = row["l/bits"], row["n/shingles"]
    assert abs(row["E|f(S)|/formula"] - 2 ** l * (1 - (1 - 2 ** -l) ** n)) < .01, row
    assert row["error of r/largest"] <= row["error of r/bound, 99.9 %"], row
    assert row["error of r/largest / bound"] < 1 / 500, row
    if row["error of r/bound, 99.9 %"] < 1:
        share = row["error of r/largest"] / row["error of r/bound, 99.9 %"]
        assert abs(row["error of r/largest / bound"] - share) <= 1e-4 * share, row
    elif row["shingle/"] == "1 line":  # the bound itself: two thirds of the lines of each are common
        share = row["error of r/largest"] / (row["n/shingles"] * 4 / 3 / 2 ** (l - 11))
        assert abs(row["error of r/largest / bound"] - share) <= .01 * share, row
    if row["shingle/"] == "50 bytes":
        assert abs(row["|f(S)|/mean"] - row["E|f(S)|/formula"]) < 4 + n * n / 2 ** l / 10, row
for row in rows("broder-4.1-heap"):
    if row["m/"] == 1:
        s, n = int(row["s/"]), int(row["shingles/n"])
        expected = s + sum(s / k for k in range(s + 1, n + 1))
        assert abs(row["expected/s (1 + H(n/m) - H(s))"] / expected - 1) < .001, row
        assert abs(row["entered/mean"] / expected - 1) < .2, row
for row in rows("broder-3-resemblance"):
    assert abs(row["mean error/"]) < 5 * row["standard error of it/"], row
    assert row["error/root mean square"] < 2 * row["error/expected"], row
counts = {row["pairs of documents/"].strip(): row["number/"] for row in rows("broder-1-exact")}
assert counts["resemblance of 60 % or more, exactly"] > 5
assert counts["in different clusters"] == 0
assert counts["three documents"] > 1000 and counts["that violate the triangle inequality of 1 - r"] == 0
strings = rows("broder-4.1-strings")
for row in strings:
    assert row["probability/measured"] <= 1.5 * row["probability/bound, 400 / 2^(l - 1)"], row
# 24 factors, of the 4,080 irreducible polynomials of degree 16
assert strings[1]["difference of the strings/"] == "product of 24 irreducible polynomials", strings[1]
assert 2 <= strings[1]["collisions/"] <= 30 and strings[0]["collisions/"] <= 3, strings
END

# clusters of the user's files: three copies, two versions, two others
mkdir clusters
text 1 20000 | tee clusters/copy1 clusters/copy2 >clusters/copy3
text 2 20000 >clusters/version1
sed '30d; 60d' clusters/version1 >clusters/version2
text 3 20000 >clusters/other
status 0 "$KITH" lab --csv --data clusters broder-clusters
same "documents, in clusters, of copies, others; clusters, of copies, others" "6 5 3 2 2 1 1" \
    "$(for row in 1 2 3 4 5 6 7; do cell out broder-1 $row number 0; done | paste -sd' ')"

# the same seed, the same bytes; another one, others
status 0 "$KITH" lab --quick --csv coates2011-substitutions
cmp -s first out || fail "two runs differ"
status 0 "$KITH" lab --quick --csv --seed 2 coates2011-substitutions
cmp -s first out && fail "the seed has no effect"

# formats and plots
status 0 "$KITH" lab --quick --json coates2011-substitutions
same "JSON" 14 "$(json out 'len([i for i in d["documents"][0]["items"] if "table" in i][0]["rows"])')"
python3 - plots/*.svg <<'END' || fail "the SVG is not well-formed"
import sys, xml.dom.minidom
for path in sys.argv[1:]:
    xml.dom.minidom.parse(path)
END
status 0 "$KITH" lab --quick --html coates2011-substitutions
for c in 50 100 200; do
    says out ">paper, C = $c<"
done
grep -qE '(src|href)=' out && fail "the page refers to other files"
says out '<svg'
says out '</html>'

# the user's files: names that are hostile are escaped
mkdir data
text 1 15000 >data/a
text 2 14000 >data/b
mv data "$(printf 'da\033[1mta')"
status 0 "$KITH" lab --quick --data da*ta coates2011-substitutions
says out '2 files of da\x1b[1mta'

status 0 "$KITH" lab --quick coates2011-split
says out 'in 128 KiB, by blocks'

# files that some experiments cannot use: the others are run
mkdir bytes
printf 1 >bytes/a
printf 2 >bytes/b
status 2 "$KITH" lab --quick --json --data bytes coates2011
says err 'coates2011-split: no document has 4096 bytes'
for name in split errors locality; do
    says err "coates2011-$name: "
done
same "those of the experiments were not run" \
    "coates2011-errors coates2011-locality coates2011-split" \
    "$(json out '" ".join(sorted(x["name"] for x in d["documents"] for i in x["items"] if i.get("remark", "").startswith("Not run: " + x["name"])))')"
same "all were written" "$("$KITH" lab | grep -c '^  coates2011-')" "$(json out 'len(d["documents"])')"
status 2 "$KITH" lab --quick --data bytes --store none coates-unrelated
says out 'Not run: coates-unrelated: fewer than'
[ ! -e none ] || fail "--store wrote a file of an experiment that was not run"

# errors
status 2 "$KITH" lab nonsense
says err "unknown experiment 'nonsense'"
status 2 "$KITH" lab coates2011-substitutoins
says err 'did you mean coates2011-substitutions?'
status 2 "$KITH" lab --quick
says err 'no experiment given'
status 2 "$KITH" lab coates2011 all
status 2 "$KITH" lab --data missing coates2011
says err 'missing: No such file or directory'
mkdir empty && touch empty/file
status 2 "$KITH" lab --data empty coates2011
says err 'empty: there is no file with content'
status 2 "$KITH" lab --quick --plots plots coates2011-substitutions
says err 'plots: the folder is not empty'
status 2 "$KITH" lab --seed x coates2011
status 2 "$KITH" lab --csv --json coates2011

# options without an effect
for option in '--data data' '--seed 2' --quick '--plots none'; do
    # shellcheck disable=SC2086 # an option and its value
    status 2 "$KITH" lab $option broder-rose
    says err "${option%% *} has no effect on broder-rose"
done
[ ! -e none ] || fail "a folder for plots was made in vain"
status 2 "$KITH" lab --plots none coates2011-blocks
says err 'coates2011-blocks, which has no plots'
status 2 "$KITH" lab --data clusters --quick broder-clusters
says err '--quick has no effect on broder-clusters'
status 0 "$KITH" lab --quick coates2015-speed # generated texts are fewer

finish
