#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sets that are sampled with a secret key: made, scanned alone and together, refused without their key, and what an
# adversary who knows the public selection achieves.
. "$(dirname "$0")/lib.sh"
key=$SRCDIR/tests/data/key.py

mkdir ref evidence
for i in $(seq 1 8); do echo "$i $((i * 9000)) ref/$i"; done | texts
echo "9 2900 ref/9" | texts # sampled more densely than an object that holds it
umask 0
status 0 "$KITH" add -q --new-key a.key a.kith ref
status 0 "$KITH" add -q --new-key b.key --kind notable b.kith ref
umask 022
status 0 "$KITH" add -q plain.kith ref
same "the mode of a key" 600 "$(stat -c %a a.key)"

# ---- the selection is the one that the manual describes, and the key stays secret ----

id=$(python3 "$key" id a.key)
status 0 "$KITH" sets info a.kith
says out "key         $id"
status 0 "$KITH" sets info --json a.kith
same "the ID in JSON" "$id" "$(json out 'd["key"]')"
status 0 "$KITH" export --json -o a.json a.kith
for i in 1 5; do
    python3 "$key" check a.key a.json ref/$i >count || fail "the samples of ref/$i"
    [ "$(cat count)" -ge 24 ] || fail "only $(cat count) samples of ref/$i"
done

# ---- scanning ----

{ head -c 20000 ref/5; cat ref/2; head -c 1400 ref/9; echo changed; tail -c +1401 ref/9; } >evidence/parts
sed 's/e / e/' ref/3 >evidence/edited
cp ref/7 evidence/whole
head -c 3000 ref/8 >evidence/small

# rows SET < CSV: the findings in a set, without its name
rows()
{
    grep ",$1,\(notable\|neutral\|known\)," | sed "s/,$1,/,/"
}

status 0 "$KITH" scan --csv -q -r plain.kith evidence
cut -d, -f5,9 out | sort >expected
same "findings in parts" 3 "$(grep -c parts expected)"
for name in a b; do
    status 0 "$KITH" scan --csv -q -r $name.kith --key $name.key evidence
    cut -d, -f5,9 out | sort | cmp -s expected - || fail "verdicts with key $name differ from those without"
    rows $name <out >$name.rows
    [ -s $name.rows ] || fail "no rows"
done
status 0 "$KITH" scan --csv -q -r plain.kith evidence
rows plain <out >plain.rows
# several keys in one pass, one of them read from a pipe
for jobs in 1 3; do
    status 0 "$KITH" scan --csv -q -j $jobs -r plain.kith -r a.kith -r b.kith --key <(cat a.key) --key b.key evidence
    for name in plain a b; do
        rows $name <out | cmp -s - $name.rows || fail "-j$jobs: findings in $name differ when others are searched"
    done
    cp out together.$jobs
done
cmp -s together.1 together.3 || fail "the result depends on -j"
same "sets by kind" "notable neutral" "$(tail -n +2 together.1 | grep whole | cut -d, -f11 | uniq | tr '\n' ' ' | sed 's/ $//')"

# a known set suppresses what is identical to its files, whatever its key
mkdir base
cp ref/7 base/
{ cat ref/6; echo x; } | tee base/near >near
status 0 "$KITH" add -q --kind known known.kith base
status 0 "$KITH" scan --csv -q --show-known -r a.kith -r known.kith --key a.key near
same "a version of which a known set has" "known identical" "$(tail -n +2 out | cut -d, -f9,11 | tr ',' ' ' | awk '{ print $2, $1 }')"
status 0 "$KITH" scan --csv -q --show-known -r a.kith -r known.kith --key a.key evidence/whole
same "an object that a known set has" "identical identical" "$(tail -n +2 out | cut -d, -f9 | tr '\n' ' ' | sed 's/ $//')"

# ---- what is refused, by name ----

status 2 "$KITH" scan -r plain.kith -r a.kith evidence
says err "a.kith: is sampled with the secret key $id, which was not given"
status 2 "$KITH" scan -r a.kith --key b.key evidence
says err "a.kith: is sampled with the secret key $id, and another key was given"
chmod 640 b.key
status 2 "$KITH" scan -r b.kith --key b.key evidence
says err "b.key: the key can be read or changed by others"
chmod 600 b.key
status 2 "$KITH" scan -r b.kith --key plain.kith evidence
status 2 "$KITH" add a.kith evidence
says err "a.kith: is sampled with the secret key $id"
status 2 "$KITH" add --key b.key a.kith evidence
says err "a.kith: the set exists already, with another key"
status 2 "$KITH" add --key b.key plain.kith evidence
says err "plain.kith: the set exists already, without a key"
status 2 "$KITH" add --new-key c.key a.kith evidence
says err "its key cannot change"
status 2 "$KITH" add --new-key b.key c.kith evidence
says err "b.key: File exists"
status 2 "$KITH" add --new-key c.key --key b.key c.kith evidence
mkdir nothing
status 3 "$KITH" add --new-key c.key c.kith nothing
[ ! -e c.key ] || fail "a key was left without a set"
status 2 "$KITH" sets merge -o c.kith a.kith b.kith
says err "different keys"
status 2 "$KITH" sets merge -o c.kith a.kith plain.kith
says err "only one with a key"
status 2 "$KITH" import plain.kith a.json
says err "a.json: its records are sampled with another key"
status 2 "$KITH" cluster a.kith plain.kith
says err "another key"
status 2 "$KITH" cluster a.kith ref
says err "is sampled with a secret key"
python3 -c 'import json; print(json.loads(open("a.json").read().splitlines()[2])["record"])' >record
status 2 "$KITH" compare record ref/1
says err "is sampled with a secret key"
status 3 "$KITH" import -q plain.kith record
says err "with a key, the set without"
nine=()
for i in 1 2 3 4 5 6 7 8 9; do
    status 0 "$KITH" add -q --new-key $i.key $i.kith ref/$i
    nine+=(-r "$i.kith" --key "$i.key")
done
status 2 "$KITH" scan "${nine[@]}" evidence
says err "more than 8 different keys"
status 0 "$KITH" scan -q --csv "${nine[@]:4}" evidence/whole
same "with eight keys" "whole,7" "$(tail -n +2 out | cut -d, -f5,13)"

# ---- what works without the key ----

status 0 "$KITH" add -q --key a.key a.kith evidence/parts
status 0 "$KITH" sets merge -q -o copy.kith a.kith
status 0 "$KITH" sets subtract -q -o less.kith a.kith plain.kith
status 0 "$KITH" import -q again.kith a.json
for name in copy less again; do
    status 0 "$KITH" sets verify $name.kith
    status 0 "$KITH" sets info $name.kith
    says out "$id"
done
status 0 "$KITH" scan --csv -q -r again.kith --key a.key evidence
rows a <out | cmp -s - a.rows || fail "findings in an imported set"
status 0 "$KITH" cluster -q a.kith copy.kith
status 0 "$KITH" sets thin -q a.kith
status 0 "$KITH" export --sha1sum a.kith
flip_bit copy.kith 20000
"$KITH" sets verify -q --repair copy.kith >out 2>&1
"$KITH" sets info copy.kith >out 2>&1
says out "$id"

# ---- cases ----

status 0 "$KITH" scan -q -r a.kith --key a.key --case x.case evidence
status 0 "$KITH" scan -q -r a.kith --key a.key --case x.case evidence
status 2 "$KITH" scan -q -r a.kith --key b.key --case x.case evidence
status 2 "$KITH" scan -q -r a.kith --case x.case evidence
status 0 "$KITH" scan -q -r b.kith --key b.key --case x.case evidence
python3 -c 'import sqlite3; print(sqlite3.connect("x.case").execute("SELECT parameters FROM info").fetchone()[0])' >parameters
says parameters "C=128,key=$id "
secret=$(cut -d: -f2 a.key)
for file in a.kith b.kith x.case a.json out err; do
    ! grep -qaF "$secret" "$file" || fail "$file has the key"
    python3 -c 'import sys; sys.exit(bytes.fromhex(sys.argv[1])[:8] in open(sys.argv[2], "rb").read())' "$secret" "$file" ||
        fail "$file has bytes of the key"
done

# ---- an adversary who knows the public selection ----

mkdir hit
cp ref/* hit/
status 0 "$KITH" export --json -o plain.json plain.kith
python3 "$key" hit plain.json hit/* || fail "the adversary failed"
status 0 "$KITH" scan --csv -q -r plain.kith hit
same "findings without a key after every sampled window was hit" 0 "$(tail -n +2 out | wc -l)"
status 0 "$KITH" scan --csv -q -r a.kith --key a.key hit
same "files found with a key" 9 "$(tail -n +2 out | cut -d, -f5 | sort -u | wc -l)"
finish
