#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith case: the seal, and signatures of it, which OpenSSL makes and checks as well.
. "$(dirname "$0")/lib.sh"
tamper=$SRCDIR/tests/data/tamper.py
seals=$SRCDIR/tests/data/seals.py
export PYTHONDONTWRITEBYTECODE=1

mkdir refs tree
for i in 1 2 3; do text $i 6000 >refs/$i; done
cp refs/1 tree
text 9 5000 >tree/other
status 0 "$KITH" add -q --kind notable refs.kith refs
status 0 "$KITH" scan -r refs.kith --case good.case tree
sealed=$(sed -n 's/.*good.case: sealed with //p' err)
[ "${#sealed}" -eq 64 ] || fail "no seal: $(cat err)"

# unchanged FILE SUM: its content has this SHA-256
unchanged()
{
    same "the content of $1" "$2" "$(sha256sum <"$1")"
}
before=$(sha256sum <good.case)

# ---- usage ----

status 2 "$KITH" case
says err "no action given: set, seal or upgrade"
status 2 "$KITH" case sael good.case
says err "unknown action 'sael' (did you mean seal?)"
status 2 "$KITH" case seal
says err "no case given"
status 2 "$KITH" case seal good.case good.case
says err "more than one case given"
status 2 "$KITH" case seal refs.kith
says err "refs.kith: is a reference set, not a case"
status 2 "$KITH" case seal nowhere.case
says err "nowhere.case: No such file"
status 2 "$KITH" case upgrade --sign key good.case
says err "--sign has no meaning for upgrade"
status 2 "$KITH" case seal --sign a --verify b good.case
says err "contradict each other"
status 2 "$KITH" case seal --signature a good.case
says err "--signature is an option of --sign and --verify"

# ---- the seal ----

status 0 "$KITH" case seal good.case
same "the seal" "$sealed" "$(cat out)"
status 0 "$KITH" case upgrade good.case
says out "good.case: needs no upgrade"
unchanged good.case "$before"

# ---- cases of earlier schemas ----

# same_findings CASE NEW: its findings are those of the newer case, with scores computed from what it has: all content counts as rare
same_findings()
{
    "$KITH" report --csv "$1" >upgraded.csv
    "$KITH" report --csv "$2" >good.csv
    PYTHONPATH=$SRCDIR/tests/data python3 - <<'PY' || fail "$1: an upgraded case has other findings"
import csv, math
old, new = (list(csv.DictReader(open(name))) for name in ("upgraded.csv", "good.csv"))
assert len(old) == len(new) > 0, (old, new)
for a, b in zip(old, new):
    share = float(a["resemblance" if a["verdict"] == "variant" else "containment"])
    # references have 6,000 bytes
    wanted = 1 if a["verdict"] == "identical" else share * (1 - math.exp(-float(a["containment"]) * 6000 / 1024))
    assert abs(float(a["score"]) - wanted) < .0051 and a["order"] == "same", (a, wanted)
    assert {**a, "score": 0} == {**b, "score": 0} and float(a["score"]) >= float(b["score"]), (a, b)
PY
}

mkdir kin
(head -c 4000 refs/2; text 17 9000) >kin/begins
(cat refs/3; text 18 300) >kin/version
status 0 "$KITH" scan -q -r refs.kith --case new.case kin
cp new.case second.case
python3 "$seals" --schema 2 second.case || fail "no case of the second schema"
status 2 "$KITH" report --csv second.case
says err "its schema version is 2, this program uses 3; kith case upgrade"
status 0 "$KITH" case upgrade second.case
status 0 "$KITH" report --check second.case
same_findings second.case new.case
same "its findings" 3 "$(wc -l <good.csv)"
rm new.case
# what is found later does not come before what has a higher score
mkdir later
head -c 1500 refs/2 >later/part
status 0 "$KITH" scan -q -r refs.kith --case second.case later
for order in significance reference; do
    "$KITH" report --csv --sort "$order" second.case >sorted.csv
    python3 - "$order" <<'PY' || fail "the findings of two schemas are not in order: $(cut -d, -f 5,13,28 sorted.csv)"
import csv, sys
rows = list(csv.DictReader(open("sorted.csv")))
key = lambda row: (row["ref_id"] if sys.argv[1] == "reference" else "", -float(row["score"]))
assert len(rows) > 2 and [key(row) for row in rows] == sorted(key(row) for row in rows)
PY
done

cp good.case first.case
python3 "$seals" --schema 1 first.case || fail "no case of the first schema"
for command in "report --csv" "report --text" "report --about" "case seal"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" $command first.case
    says err "first.case: was written by an older version of kith: its schema version is 1, this program uses 3; kith case upgrade"
    [ -s out ] && fail "'$command' of an older case writes $(head -c 100 out)"
done
status 3 "$KITH" report --check first.case
cp first.case edited.case
cp first.case scanned.case
status 0 "$KITH" case upgrade first.case
same "what was sealed, and the entry after it" "0 1 $("$KITH" case seal first.case)" "$(python3 "$seals" first.case)"
"$KITH" report --about first.case >about
says about "upgraded by kith"
status 0 "$KITH" report --check first.case
same_findings first.case good.case
status 0 "$KITH" case upgrade first.case
says out "first.case: needs no upgrade"
# one that was edited is not vouched for by another entry
python3 "$tamper" edited.case "UPDATE finding SET matched = 1" || fail "it could not be changed"
status 2 "$KITH" case upgrade edited.case
says err "edited.case: the case is damaged"
says err "it cannot be changed"
# a scan upgrades it, too, and evidence and sets can be added
status 0 "$KITH" scan -q -r refs.kith --case scanned.case tree
status 0 "$KITH" scan -q -r refs.kith --case scanned.case refs
status 0 "$KITH" add -q more.kith tree/other
status 0 "$KITH" scan -q -r more.kith --case scanned.case
status 0 "$KITH" report --check scanned.case
same "seals of a case that was extended" "0 1 0 2 0 3 4 $("$KITH" case seal scanned.case)" "$(python3 "$seals" scanned.case)"
for command in "case set --notes x" "case upgrade"; do
    # shellcheck disable=SC2086
    status 2 "$KITH" $command nowhere.case
    says err "nowhere.case: No such file"
done

# ---- what the case belongs to ----

status 2 "$KITH" case set good.case
says err "nothing to set: --case-number, --examiner, --organisation or --notes"
status 2 "$KITH" case set --sign key good.case
says err "--sign has no meaning for set"
status 2 "$KITH" case seal --notes x good.case
says err "--notes has no meaning for seal"
status 2 "$KITH" scan -q -r refs.kith --examiner X tree
says err "belong to a case (--case)"
for value in $'\e[2J' $'\x7f' $'\xff' $'a\xe2\x80\xaeb' $'a\rb'; do
    for option in case-number examiner organisation notes; do
        status 2 "$KITH" case set --$option "$value" good.case
        says err "--$option: "
        says err ": not plain text: a control or invisible character, or not UTF-8"
    done
    status 2 "$KITH" scan -q -r refs.kith --case new.case --notes "$value" tree
    [ -e new.case ] && fail "a case was created for a value that was refused"
done
status 2 "$KITH" case set --notes "$(head -c 65537 /dev/zero | tr '\0' x)" good.case
says err "--notes: notes: 65537 bytes are too many: at most 65536"
unchanged good.case "$before"

cp good.case noted.case
status 0 "$KITH" case set --case-number 2026-17 --examiner "Zoë Müller" --organisation 'Lab <b>&co' --notes $'two\nlines, =cmd|x' noted.case
"$KITH" report --about noted.case >about
same "--about" "case number 2026-17
examiner    Zoë Müller
organisation Lab <b>&co
notes       two
            lines, =cmd|x" "$(sed -n 4,8p about)"
says about 'examiner set to "Zoë Müller"'
status 0 "$KITH" report --text noted.case
same "the head of the text" "case number   2026-17
examiner      Zoë Müller
organisation  Lab <b>&co
notes         two
              lines, =cmd|x" "$(sed -n 1,5p out)"
same "a line without text" "" "$(sed -n 6p out)"
says out "seal of the case: $("$KITH" case seal noted.case)"
grep -q seal <<<"$("$KITH" scan --text -r refs.kith tree)" && fail "a scan without a case has a seal"
status 0 "$KITH" report --check noted.case
same "the findings" "$("$KITH" report --csv good.case)" "$("$KITH" report --csv noted.case)"

# Setting what is set already changes nothing; another value replaces it, and the log keeps both.
seal=$("$KITH" case seal noted.case)
status 0 "$KITH" case set --examiner "Zoë Müller" noted.case
same "the seal" "$seal" "$("$KITH" case seal noted.case)"
status 0 "$KITH" case set --examiner Other --notes "" noted.case
"$KITH" report --about noted.case >about
same "another examiner" "examiner    Other" "$(grep '^examiner' about)"
grep -q '^notes' about && fail "notes that were removed are shown"
says about 'examiner set to "Zoë Müller"'
status 0 "$KITH" report --check noted.case

# As large as it may be, of characters of several bytes, and while scanning, which a resumed scan does not repeat.
long=$(python3 -c 'print("x" + "€" * 21845, end="")')
status 0 "$KITH" scan -q -r refs.kith --case long.case --notes "$long" --case-number 1 tree
"$KITH" report --about long.case >about
same "65536 bytes of notes" "notes       $long" "$(grep ^notes about)"
status 0 "$KITH" report --check long.case
seal=$("$KITH" case seal long.case)
status 0 "$KITH" scan -q -r refs.kith --case long.case --notes "$long" --case-number 1 tree
same "the seal" "$seal" "$("$KITH" case seal long.case)"

# ---- signatures ----

command -v openssl >/dev/null || {
    [ "$failures" -eq 0 ] && skip "no openssl, which makes the keys: signatures are not tested"
    finish
}

# pair NAME ALGORITHM: a private key and a public one
pair()
{
    openssl genpkey -algorithm "$2" -out "$1.private" 2>/dev/null || fail "no key of $2"
    openssl pkey -in "$1.private" -pubout -out "$1.public" 2>/dev/null
}
pair mine ed25519
pair other ed25519
pair agreed x25519

status 0 "$KITH" case seal --sign mine.private good.case
same "the seal that was signed" "$sealed" "$(cat out)"
cp out seal
openssl pkeyutl -verify -pubin -inkey mine.public -rawin -in seal -sigfile good.case.sig >openssl 2>&1 ||
    fail "OpenSSL does not accept the signature: $(cat openssl)"
status 0 "$KITH" case seal --verify mine.public good.case
says out "good.case: good signature, and the case is as it was signed"
openssl pkeyutl -sign -inkey mine.private -rawin -in seal -out by.openssl || fail "OpenSSL does not sign"
status 0 "$KITH" case seal --verify mine.public --signature by.openssl good.case
status 3 "$KITH" case seal --verify other.public good.case
says err "good.case.sig: BAD SIGNATURE"
cp by.openssl flipped
flip_bit flipped 7
status 3 "$KITH" case seal --verify mine.public --signature flipped good.case
says err "flipped: BAD SIGNATURE"
head -c 63 by.openssl >short
(cat by.openssl && printf x) >long
for file in short long /dev/null; do
    status 2 "$KITH" case seal --verify mine.public --signature $file good.case
    says err "$file: is not a signature: one has 64 bytes"
done

# Nothing is overwritten, or left behind.
sum=$(sha256sum <good.case.sig)
status 2 "$KITH" case seal --sign other.private good.case
says err "good.case.sig: File exists; a signature is never overwritten"
unchanged good.case.sig "$sum"
status 2 "$KITH" case seal --sign mine.private --signature tree/1 good.case
cmp -s tree/1 refs/1 || fail "a signature replaced another file"
status 2 "$KITH" case seal --sign nowhere --signature new good.case
says err "nowhere: No such file"
status 2 "$KITH" case seal --sign mine.public --signature new good.case
says err "mine.public: is not a private key in PEM"
status 2 "$KITH" case seal --sign agreed.private --signature new good.case
says err "agreed.private: is a private key, but not one of Ed25519"
status 2 "$KITH" case seal --verify mine.private good.case
says err "mine.private: is not a public key in PEM"
[ -e new ] && fail "a signature was left by an error"
unchanged good.case "$before"

# A case that was edited is neither sealed nor signed, and its signature is worth nothing.
cp good.case bad.case
python3 "$tamper" bad.case "UPDATE finding SET matched = 1" || fail "it could not be changed"
for action in "" "--sign mine.private" "--verify mine.public --signature good.case.sig"; do
    # shellcheck disable=SC2086
    status 3 "$KITH" case seal $action bad.case
    says err "bad.case: the case is damaged"
    says err "the case does not verify"
    [ -s out ] && fail "'$action' says $(cat out)"
done
[ -e bad.case.sig ] && fail "an edited case was signed"
head -c 3000 good.case >cut.case
status 2 "$KITH" case seal cut.case

# Neither is one whose scan is not finished: its rows are not sealed.
cp good.case begun.case
python3 "$tamper" begun.case "UPDATE evidence SET state = 'begun'; DELETE FROM log WHERE id > 3"
status 3 "$KITH" case seal --sign mine.private begun.case
says err "tree: the scan is incomplete, so the case was not signed"
[ -e begun.case.sig ] && fail "an unfinished case was signed"

# A signature of an earlier entry of the log says so.
cp good.case later.case
status 0 "$KITH" case set --notes "after it was signed" later.case
status 3 "$KITH" case seal --verify mine.public --signature good.case.sig later.case
says err "good.case.sig: is the signature of entry 4 of the log: the case was signed, and 1 entry came later"

# It resumes, and the signature of the finished case holds for no case but that one.
status 0 "$KITH" scan -q -r refs.kith --case begun.case tree
status 3 "$KITH" case seal --verify mine.public --signature good.case.sig begun.case
says err "BAD SIGNATURE"
finish
