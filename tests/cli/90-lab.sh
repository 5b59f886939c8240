#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith lab: the list, formats, reproducibility, errors; the papers' figures beside ours.
. "$(dirname "$0")/lib.sh"

status 0 "$KITH" lab
says out 'coates2011-substitutions'
says out 'Coates 2011, section 4.2.1'

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

status 0 "$KITH" lab --quick --csv coates2011-substitutions
cp out first
same "rows of 4.2.1" 14 "$(cut -d, -f2,3 first | grep '^coates2011-4.2.1,' | sort -u | wc -l)"
same "the paper's estimate" 2416 "$(cell first coates2011-4.2.1 3 estimate 1)"
same "10 % of 13,508" 1351 "$(cell first coates2011-4.2.1 3 'true LD' 0)"

# the other tables of Coates' papers
status 0 "$KITH" lab --quick --csv coates2011
cp out coates
same "bits at C = 50" 316 "$(cell coates coates2011-4.1 1 signature 1)"
same "max that the paper implies" 4165 "$(cell coates coates2011-4.2.2 3 max 1)"
same "true LD of 5 blocks" 2500 "$(cell coates coates2011-4.2.2 2 'true LD' 0)"
same "difference of the lengths" 27016 "$(cell coates coates2011-4.2-embedded 1 'difference of lengths' 0)"
same "embedded" 27016 "$(cell coates coates2011-4.2-embedded 1 'true LD' 0)"
same "a fragment within blocks of half its size" 100 "$(cell coates coates2011-footnote7 2 found 0)"
status 0 "$KITH" lab --quick --csv coates2015-tables
cp out coates
same "f-2" 23624 "$(cell coates coates2015-5 2 f-2 1)"
for row in 1 2 3 4; do
    same "only removals, row $row" "$(cell coates coates2015-5 $row LD 0)" \
        $((24767 - $(cell coates coates2015-5 $row f-2 0)))
done

# the same seed, the same bytes; another one, others
status 0 "$KITH" lab --quick --csv coates2011-substitutions
cmp -s first out || fail "two runs differ"
status 0 "$KITH" lab --quick --csv --seed 2 coates2011-substitutions
cmp -s first out && fail "the seed has no effect"

# formats and plots
status 0 "$KITH" lab --quick --json --plots plots coates2011-substitutions
same "JSON" 14 "$(json out 'len([i for i in d["documents"][0]["items"] if "table" in i][0]["rows"])')"
python3 - plots/*.svg <<'END' || fail "the SVG is not well-formed"
import sys, xml.dom.minidom
for path in sys.argv[1:]:
    xml.dom.minidom.parse(path)
END
status 0 "$KITH" lab --quick --html coates2011-substitutions
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

finish
