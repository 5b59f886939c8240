#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A case that was edited, with correct page checksums: reports say so first, and no scan resumes it.
. "$(dirname "$0")/lib.sh"
tamper=$SRCDIR/tests/data/tamper.py
export PYTHONDONTWRITEBYTECODE=1

mkdir refs one two
for i in 1 2 3 4; do text $i 6000 >refs/$i; done
cp refs/1 refs/2 one
cp refs/3 two
text 9 5000 >two/other
status 0 "$KITH" add -q --kind notable refs.kith refs
status 0 "$KITH" scan -q -r refs.kith --case good.case one two
status 0 "$KITH" report --csv good.case
cp out good.csv
status 0 "$KITH" report --check good.case

# rows CASE: everything that it holds
rows()
{
    python3 -c 'import sqlite3, sys
print("\n".join(sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).iterdump()))' "$1" | sha1sum
}

# tampered WHAT SQL: every command detects the change, before it prints anything else
tampered()
{
    cp good.case bad.case
    python3 "$tamper" bad.case "$2" || fail "$1: it could not be changed"
    status 3 "$KITH" report --check bad.case
    grep -q 'the case is damaged' out || fail "$1: --check says '$(cat out)'"
    for form in --csv --text --about; do
        "$KITH" report $form bad.case >both 2>&1
        same "$1: report $form" 3 $?
        case $(head -n 1 both) in
        "kith: WARNING: the case does not verify"*) ;;
        *) fail "$1: report $form begins with '$(head -n 1 both)'" ;;
        esac
        grep -q '^kith: bad.case: the case is damaged' both || fail "$1: report $form does not say what is wrong"
    done
    before=$(rows bad.case)
    status 2 "$KITH" scan -q -r refs.kith --case bad.case one two
    says err "bad.case: the case is damaged"
    says err "it cannot be resumed"
    [ "$before" = "$(rows bad.case)" ] || fail "$1: a scan changed the case"
}

finding='(SELECT min(object) FROM finding)'
tampered "a value" "UPDATE finding SET matched = 1 WHERE object = $finding"
tampered "a finding less, to be scanned again" "
    UPDATE evidence SET state = 'begun', identical = identical - 1, none = none + 1 WHERE id = 1;
    UPDATE object SET findings = 0, verdict = 'none' WHERE id = $finding;
    DELETE FROM finding WHERE object = $finding"
tampered "an evidence less" "
    DELETE FROM log WHERE id > 3; DELETE FROM evidence WHERE id = 2; DELETE FROM object WHERE evidence = 2;
    DELETE FROM finding WHERE object >> 40 = 2; DELETE FROM problem WHERE evidence = 2"
tampered "an entry less" "DELETE FROM log WHERE id = (SELECT max(id) FROM log)"
# Rows outside of all evidence, which has the numbers 1 and 2.
copy="item, volume, address, chunk, kind, size, path_count, paths, sha1, md5, sha256, verdict, reason, findings, partial
    FROM object"
for id in '(3 << 40) + 1' 1; do
    tampered "object $id" "INSERT INTO object SELECT $id, 1, $copy WHERE findings = 0 LIMIT 1"
    tampered "finding of $id" "
        CREATE TEMP TABLE one AS SELECT * FROM finding LIMIT 1; UPDATE one SET object = $id;
        INSERT INTO finding SELECT * FROM one"
    tampered "known finding of $id" "
        CREATE TEMP TABLE one AS SELECT * FROM finding LIMIT 1; UPDATE one SET object = $id, class = 2;
        INSERT INTO finding SELECT * FROM one"
    tampered "problem $id" "INSERT INTO problem VALUES ($id, 1, 'it burnt')"
    tampered "account $id" "INSERT INTO account VALUES ($id, '-', 'gap', 1, 0)"
    tampered "unreadable range $id" "INSERT INTO bad VALUES ($id, 0, 512)"
done
tampered "an entry" "UPDATE log SET text = 'nothing' WHERE id = 2"

# What was not touched is unchanged; and an edit without checksums is damage.
status 0 "$KITH" report --csv good.case
cmp -s out good.csv || fail "the report changed"
cp good.case bad.case
python3 -c 'import sqlite3
d = sqlite3.connect("bad.case")
d.execute("UPDATE finding SET matched = 1")
d.commit()'
status 3 "$KITH" report --check bad.case
status 2 "$KITH" report --csv bad.case
says err "checksum"

# What the parameters of a case and the format of a report say.
cat refs/* >raw.img
status 0 "$KITH" scan -q -i raw --ok-unexamined --no-hash-image -r refs.kith --case raw.case raw.img
status 0 "$KITH" report --about raw.case
says out "image-type=raw"
says out "ok-unexamined"
grep -q "^ *sha1 " out && fail "--no-hash-image took a SHA-1"
status 2 "$KITH" scan -q --ok-unexamined -r refs.kith --case raw.case raw.img
says err "it was created with different parameters"
status 0 "$KITH" scan -q -i raw --ok-unexamined -r refs.kith --case hashed.case raw.img
status 0 "$KITH" report --about hashed.case
says out "$(sha1sum <raw.img | cut -d ' ' -f 1)"
status 0 "$KITH" add -q --kind known known.kith refs
status 0 "$KITH" scan -q -r known.kith --case known.case one
status 0 "$KITH" report --csv known.case
same "rows of a known set" 1 "$(wc -l <out)"
status 0 "$KITH" report --csv --show-known known.case
same "rows of a known set on request" 3 "$(wc -l <out)"
finish
