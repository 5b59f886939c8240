#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a reader sees of a scan: in a pipe and on a terminal.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir refs tree more
texts <<'EOF'
1 60000 refs/long
2 40000 refs/short
3 9000 tree/other
4 20000 more/other
EOF
long_name=folder-$(printf '%090d' 7)-end.txt
cp refs/short tree/copy
cp refs/short more/copy
python3 - "tree/$long_name" <<'PY'
import random, sys
data = open("refs/long", "rb").read()
open(sys.argv[1], "wb").write(data[:5000] + b"#" * 40 + data[5040:])
open("tree/moved", "wb").write(data[30000:] + data[:30000])
noise = random.Random(5).randbytes
open("tree/around", "wb").write(noise(30000) + open("refs/short", "rb").read() + noise(10000))
PY
status 0 "$KITH" add -q --kind notable refs.kith refs

# ---- in a pipe ----

status 0 "$KITH" scan -q --text -r refs.kith tree
same "the heading" "evidence: tree" "$(head -n 1 out)"
same "the heading comes once" 1 "$(grep -c '^evidence: ' out)"
grep -q "^variant    $long_name ([0-9.]* kB)$" out || fail "a path was changed in a pipe: $(cat out)"
same "the order of the disk" "$(find tree -type f ! -name other -printf '%f\n' | LC_ALL=C sort | head -n 4)" \
    "$(sed -nE 's/^(identical|variant|embedded|fragment) +([^ ]+) \(.*/\2/p' out | LC_ALL=C sort)"
grep -qE "^ {11}bytes 0 to 60000 match bytes 0 to 60000 of the reference \(60\.0 kB\); score 0\.9[0-9]*, resemblance 0\.9.*, about [0-9,]+ bytes differ \([0-9,]+ to [0-9,]+\)$" out ||
    fail "edits in words: $(cat out)"
says out "same content in another order; compared in place, about "
says out "no byte differs"
for term in E proof score resemblance containment edits "SP 800-168"; do
    grep -q "^$term  *[a-z]" out || fail "the legend has no $term: $(cat out)"
done
says out "feature: a window of 12 bytes; extraction: Mod_C"
says out "E, edits and proof are supplementary"
grep -qE "^ {11}[.A-Za-z]{40,}$" out && fail "a strip in a pipe: $(cat out)"

status 0 "$KITH" scan -q --text -r refs.kith tree more
same "each finding names its evidence" "4 tree 1 more" \
    "$(sed -n 's/^           evidence: //p' out | sort -r | uniq -c | awk '{printf "%s%s %s", s, $1, $2; s = " "}')"
grep -q "^evidence: " out && fail "a heading with several pieces of evidence: $(cat out)"
mkdir none
cp tree/other none
status 0 "$KITH" scan -q --text -r refs.kith none
same "no finding" "none: no findings in 1 object (9000 bytes of content)" "$(tail -n 1 out)"
grep -q "^SP 800-168  *feature" out || fail "the terms of the standard: $(cat out)"
same "no other heading" 3 "$(wc -l <out)"
cp tree/other o
status 0 "$KITH" scan -q --text -i raw --ok-unexamined -r refs.kith o
grep -q "^o: no findings in 1 object " out || fail "the summary after a short path: $(cat out)"
status 0 "$KITH" scan -q --text --all -r refs.kith none
says out "none       other ("
grep -q "^proof" out && fail "a legend without a finding: $(cat out)"

# Offsets in a chunk come with the place of the chunk.
status 0 "$KITH" scan -q --text --blocks 16k -r refs.kith tree/moved
grep -q "^[a-z]*  *moved, chunk at byte 16384 (16.4 kB)$" out || fail "the place of a chunk: $(cat out)"
says out "bytes 0 to 16384 of the chunk match bytes 30000 to 46384 of the reference (60.0 kB); "

# Two pieces of one reference, with noise between them: the span is not the number of bytes that match.
python3 - <<'PY'
import random
data = open("refs/long", "rb").read()
noise = random.Random(6).randbytes
open("pieces", "wb").write(noise(20000) + data[:20000] + noise(30000) + data[40000:60000] + noise(20000))
PY
status 0 "$KITH" scan -q --text -r refs.kith pieces
grep -qE "^ {11}[34][0-9],[0-9]{3} bytes match in [2-9] ranges, between bytes [0-9]+ and [0-9]+ \(bytes 0 to 60000 of the reference, 60\.0 kB\);" out ||
    fail "the bytes that match: $(cat out)"
status 0 "$KITH" scan --text -r refs.kith pieces
grep -q "finding.* in" err && fail "the summary is also on standard error: $(cat err)"
same "at the end" "pieces: 1 finding in 1 of 1 object (110.0 kB of content): 1 fragment" "$(tail -n 1 out)"

# ---- on a terminal ----

# shown COLUMNS ENVIRONMENT COMMAND..: standard output on a terminal, to ./shown
shown()
{
    local columns=$1 environment=$2
    shift 2
    script -qec "stty cols $columns; env $environment $*" /dev/null </dev/null | tr -d '\r' >shown
}

shown 80 "TERM=xterm NO_COLOR=1" "'$KITH' scan -q -r refs.kith tree"
"$KITH" scan -q --csv -r refs.kith tree >scores.csv
by_score=$(python3 -c 'import csv
verdicts = ["identical", "variant", "embedded", "fragment"]
print(*(r["verdict"] for r in sorted(csv.DictReader(open("scores.csv")), key=lambda r: (-float(r["score"]), verdicts.index(r["verdict"])))))')
same "the most significant first" "$by_score" \
    "$(sed -nE 's/^(identical|variant|embedded|fragment) .*/\1/p' shown | paste -sd ' ')"
grep -q "$(printf '\033')" shown && fail "colours despite NO_COLOR"
grep -qE '^.{81,}' shown && fail "wider than the window: $(grep -E '^.{81,}' shown)"
grep -qE '^variant    folder-0+\.\.\.0+7-end\.txt$' shown || fail "the path was not shortened: $(cat shown)"
same "a strip for each finding" 4 "$(grep -cE '^ {11}[.A-Za-z]{69}$' shown)"
grep -qE '^ {11}\.{25}[.a]A{33,35}[.a]?\.{8,9}$' shown || fail "the strip of what is embedded: $(cat shown)"
shown 200 "TERM=xterm NO_COLOR=1" "'$KITH' scan -q -r refs.kith tree"
grep -q "$long_name" shown || fail "a path that fits was shortened: $(cat shown)"
same "strips are not longer than that" 4 "$(grep -cE '^ {11}[.A-Za-z]{72}$' shown)"
shown 80 "TERM=dumb" "'$KITH' scan -q -r refs.kith tree"
grep -q "$(printf '\033')" shown && fail "colours on a dumb terminal"
shown 80 "TERM=xterm" "'$KITH' scan -q -r refs.kith tree"
grep -q "^$(printf '\033')\[1;31midentical $(printf '\033')\[0m copy" shown || fail "no colours: $(cat shown)"
shown 80 "TERM=xterm" "'$KITH' scan -q --csv -r refs.kith tree"
status 0 "$KITH" scan -q --csv -r refs.kith tree
same "CSV is the same on a terminal" "$(tr -d '\r' <out)" "$(cat shown)"

# ---- the summary ----

# summary: what the last command wrote on standard error
summary()
{
    sed 's/^kith: //' err
}

status 0 "$KITH" scan --csv -r refs.kith tree more
same "findings and objects" \
    "tree: 4 findings in 4 of 5 objects (249.0 kB of content): 1 identical, 2 variants, 1 embedded
more: 1 finding in 1 of 2 objects (60.0 kB of content): 1 identical" "$(summary)"
status 0 "$KITH" scan --csv -r refs.kith none
same "no findings" "none: no findings in 1 object (9000 bytes of content)" "$(summary)"
cp refs/long refs/short none
status 0 "$KITH" add -q --kind known known.kith more/other tree/other
status 0 "$KITH" scan --csv --max-size 50000 -r refs.kith -r known.kith none
same "what is known and what was not examined" \
    "none: 1 finding in 1 of 2 examined objects (49.0 kB of content): 1 identical; 1 known object; not examined: 1 skipped" "$(summary)"
status 0 "$KITH" scan -q --case none.case -r refs.kith none
status 0 "$KITH" report --about none.case
says out "done; 2 findings in 2 of 3 objects (109.0 kB of content): 2 identical"
mkdir nothing
status 0 "$KITH" scan --csv -r refs.kith nothing
same "an empty folder" "nothing: nothing was scanned: no object was selected" "$(summary)"
status 3 "$KITH" scan --csv -r refs.kith missing tree
grep -q "^kith: missing: no findings\|^kith: missing: .*objects" err && fail "counts after an error: $(cat err)"
says err "tree: 4 findings in 4 of 5 objects"

# Encrypted volumes are listed again at the end, whatever else was written before.
python3 -c 'open("luks.img", "wb").write(b"LUKS\xba\xbe\0\2" + bytes(1 << 20))'
status 3 "$KITH" scan --csv -r refs.kith luks.img
same "an encrypted image" "luks.img: the image (1.0 MB): ENCRYPTED, content not examined" "$(summary | tail -n 1)"
status 3 "$KITH" scan -q --case luks.case -r refs.kith luks.img
status 3 "$KITH" report --about luks.case
says out "            the image (1.0 MB): ENCRYPTED, content not examined"
status 3 "$KITH" report --text luks.case
same "the end of a text report" \
    "luks.img: the image (1.0 MB): ENCRYPTED, content not examined" "$(tail -n 1 out)"
grep -q "^luks.img: no findings in " out || fail "no summary in the report: $(cat out)"
status 3 "$KITH" ls --summary luks.img
says out "LUKS2, ENCRYPTED, content not examined,"
head -c 100000 /dev/urandom >unknown.img
status 3 "$KITH" scan --csv -i raw -r refs.kith unknown.img
same "an unknown file system" "unknown.img: the image (100.0 kB): no known file system, files in it not examined" \
    "$(summary | tail -n 1)"

finish
