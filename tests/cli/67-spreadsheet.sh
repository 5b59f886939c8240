#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CSV for spreadsheets: every cell comes out as it stands in the strict form, which does not change.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir refs tree
text 1 30000 >refs/known
for name in 1-2-3 1e5 0012 '=1+1' '+x' '-y' '@z' true MAR1 1,5 'a"b' 'a;=b' $'\u00e4 \u4e2d' '2024-05-01' 12345678901234567890; do
    cp refs/known "tree/$name"
done
cp refs/known "tree/$(printf '7%.0s' {1..250})"
text 2 5000 >tree/1.50
status 0 "$KITH" add -q refs.kith refs

# read_back STRICT EXCEL: what a spreadsheet makes of the second are the cells of the first
cat >read_back.py <<'PY'
import csv, re, sys

def shown(cell, name):
    formula = re.fullmatch('="(.*)"', cell, re.S)
    if formula:
        return formula[1].replace('""', '"')
    assert cell == "" or name in NUMBERS and re.fullmatch(r"[0-9]{1,15}|[0-9.]+(e-?[0-9]+)?", cell), (name, cell)
    return cell

NUMBERS = set("size ref_id obj_start obj_end ref_start ref_end matched resemblance containment edits edits_low edits_high e_value score "
              "allocated objects bytes".split())
strict, excel = (open(name, "rb").read() for name in sys.argv[1:])
assert not strict.startswith(b"\xef\xbb\xbf") and excel.startswith(b"\xef\xbb\xbf")
strict, excel = (list(csv.reader(data.decode("utf-8-sig").splitlines())) for data in (strict, excel))
assert strict[0] == excel[0] and len(strict) == len(excel) > 3, (strict[0], excel[0])
for a, b in zip(strict[1:], excel[1:]):
    assert a == [shown(cell, name) for name, cell in zip(excel[0], b)], (a, b)
PY
read_back()
{
    python3 read_back.py "$1" "$2" || fail "$3"
}

for all in "" --all; do
    # shellcheck disable=SC2086
    status 0 "$KITH" scan -q --csv $all -r refs.kith tree
    mv out strict.csv
    # shellcheck disable=SC2086
    status 0 "$KITH" scan -q --excel $all -r refs.kith tree
    mv out excel.csv
    read_back strict.csv excel.csv "kith scan $all"
done
grep -q '"=""1-2-3"""' excel.csv || fail "a name that looks like a date: $(cat excel.csv)"
status 0 "$KITH" scan -q --csv --excel --all -r refs.kith tree
cmp -s out excel.csv || fail "--csv --excel is not --excel"
status 0 "$KITH" scan -q --format excel --csv --all -r refs.kith tree
cmp -s out excel.csv || fail "--format excel --csv is not --excel"
status 2 "$KITH" scan -q --text --excel -r refs.kith tree
says err "--text and --excel contradict each other"

status 0 "$KITH" scan -q --case a.case -r refs.kith tree
status 0 "$KITH" report --csv --all a.case
cmp -s out strict.csv || fail "kith report --csv is not kith scan --csv"
status 0 "$KITH" report --excel --all a.case
cmp -s out excel.csv || fail "kith report --excel is not kith scan --excel"

status 0 "$KITH" ls -q --csv --md5 --sha256 tree
mv out strict.csv
status 0 "$KITH" ls -q --excel --md5 --sha256 tree
mv out excel.csv
read_back strict.csv excel.csv "kith ls"
status 2 "$KITH" ls -q --json --excel tree
head -c 300000 /dev/zero >zeros.img
status 0 "$KITH" ls -q --ok-unexamined --csv --account zeros.img
status 0 "$KITH" ls -q --ok-unexamined --excel --account zeros.img
grep -q '^"=""zeros.img""",' out || fail "the account: $(cat out)"
grep -qE ',total,|"=""total""",,?[0-9]*,300000' out || fail "the total: $(cat out)"

finish
