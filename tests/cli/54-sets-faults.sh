#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sets survive kill -9 at random moments, damage anywhere, full disks, and concurrent access.
. "$(dirname "$0")/lib.sh"
kills=${KILLS:-20}
RANDOM=4711

mkdir tree
for i in $(seq 1 250); do echo "$i $((i * 97 % 5000 + 200)) tree/$i"; done | texts
(cd tree && sha1sum -- *) >sums
sort -u -k1,1 sums | cut -c1-40 >sha1s
python3 - <<'PY'
import hashlib
with open('long.list', 'w') as f:
    for i in range(120000):
        f.write(hashlib.sha1(b'%d' % i).hexdigest() + '\n')
PY

# sha1s_of SET: sorted
sha1s_of()
{
    "$KITH" export "$1" | tail -n +2 | cut -d, -f2 | sort
}

# killed WHAT COMMAND...: kills it at a random moment, then checks the set
killed()
{
    local what=$1 pid
    shift
    "$@" >/dev/null 2>&1 </dev/null &
    pid=$!
    sleep "0.$(printf '%03d' $((RANDOM % 250)))"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [ -s victim.kith ] || return
    "$KITH" sets verify -q victim.kith >out 2>&1 || fail "$what: after kill -9: $(head -c 300 out)"
}

"$KITH" add -q base.kith tree/1
for _ in $(seq 1 "$kills"); do
    cp base.kith victim.kith
    killed add "$KITH" add -q victim.kith tree
    killed import "$KITH" import -q victim.kith long.list
    rm -f victim.kith*
done
# running the same command again resumes it
cp base.kith victim.kith
for _ in 1 2 3 4; do killed add "$KITH" add -q victim.kith tree; done
status 0 "$KITH" add -q victim.kith tree
sha1s_of victim.kith | cmp -s - sha1s || fail "resuming after kill -9 gave a different set"

# Ctrl-C keeps what was done
cp base.kith victim.kith
"$KITH" import -q victim.kith long.list >/dev/null 2>&1 &
pid=$!
sleep 0.1
kill -INT "$pid" 2>/dev/null
wait "$pid"
got=$?
[ "$got" -eq 130 ] || [ "$got" -eq 0 ] || fail "Ctrl-C: exit $got"
status 0 "$KITH" sets verify victim.kith

# a damaged byte anywhere is detected, and what is sound is recovered
"$KITH" add -q good.kith tree
size=$(stat -c %s good.kith)
for _ in $(seq 1 40); do
    cp good.kith bad.kith
    offset=$((((RANDOM << 15) + RANDOM) % size))
    flip_bit bad.kith "$offset"
    "$KITH" sets verify -q bad.kith >out 2>&1
    got=$?
    [ "$got" -eq 3 ] || [ "$got" -eq 2 ] || fail "damage at byte $offset was not detected: exit $got"
done
python3 - <<'PY'
data = bytearray(open('good.kith', 'rb').read())
pages = len(data) // 4096
for page in range(pages // 2, pages // 2 + 3):
    data[page * 4096 + 77] ^= 255
open('bad.kith', 'wb').write(data)
PY
status 3 "$KITH" sets verify bad.kith
same "each damaged page once" "3 3" "$(grep -c 'checksum mismatch$' err) $(grep 'checksum mismatch$' err | sort -u | wc -l)"
grep -q 'in database main\|\\x0a\|unable to get' err && fail "the faults as SQLite words them: $(cat err)"
status 0 "$KITH" sets verify --repair bad.kith
says out "repaired"
[ -s bad.kith.damaged ] || fail "the damaged set was not kept"
status 0 "$KITH" sets verify bad.kith
sha1s_of bad.kith >saved
[ "$(wc -l <saved)" -ge 125 ] || fail "only $(wc -l <saved) of 250 files were recovered"
same "files that were never there" 0 "$(comm -23 saved sha1s | wc -l)"
head -c 100000 good.kith >cut.kith
status 2 "$KITH" export cut.kith
head -c 50 good.kith >cut.kith
status 2 "$KITH" sets info cut.kith

# one damaged page of the index costs samples, not records; names of the damage are kept with the set's identity
chmod 640 good.kith
python3 - <<'PY'
import sqlite3
db = sqlite3.connect('file:good.kith?mode=ro&immutable=1', uri=True)
page = db.execute("SELECT max(pageno) FROM dbstat WHERE name = 'block' AND pagetype = 'leaf'").fetchone()[0]
data = bytearray(open('good.kith', 'rb').read())
data[(page - 1) * 4096 + 2000] ^= 4
open('bad2.kith', 'wb').write(data)
PY
if [ -e bad2.kith ]; then
    chmod 640 bad2.kith
    ln -s bad2.kith link.kith
    status 0 "$KITH" sets verify --repair link.kith
    says out "250 of 250 files kept"
    same "rights" 640 "$(stat -c %a bad2.kith)"
    [ -L link.kith ] || fail "the link was replaced"
    same "id" "$("$KITH" sets info good.kith | grep '^id' | cut -c1-50)" "$("$KITH" sets info bad2.kith | grep '^id' | cut -c1-50)"
    same "records" 250 "$("$KITH" sets info --json bad2.kith | python3 -c 'import json; print(json.load(open(0))["records"])')"
fi
# what a killed writer left beside a damaged set is removed with it
cp good.kith wal.kith
cp good.kith wal.kith.repaired
python3 - <<'PY'
data = bytearray(open('wal.kith', 'rb').read())
data[len(data) // 2 // 4096 * 4096 + 77] ^= 255
open('wal.kith', 'wb').write(data)
PY
"$KITH" import -q wal.kith long.list >/dev/null 2>&1 &
pid=$!
sleep 0.4
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
"$KITH" sets verify --repair wal.kith >out 2>err || fail "repair beside a WAL: $(head -c 200 err)"
status 0 "$KITH" sets verify wal.kith
[ "$("$KITH" export wal.kith | wc -l)" -gt 125 ] || fail "repair beside a WAL lost the set"

# an unfinished set of a killed process does not block a new one
for _ in 1 2 3 4 5 6; do
    "$KITH" add -q fresh.kith tree >/dev/null 2>&1 &
    pid=$!
    sleep "0.00$((RANDOM % 9 + 1))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    status 0 "$KITH" add -q fresh.kith tree
    status 0 "$KITH" sets verify fresh.kith
    rm -f fresh.kith*
done

# a full disk, and a read-only folder
cp base.kith full.kith
(
    trap '' XFSZ
    ulimit -f 200
    "$KITH" import -q full.kith long.list
) >out 2>err
got=$?
[ "$got" -eq 2 ] || fail "a full disk: exit $got"
[ -s err ] || fail "a full disk: no message"
status 0 "$KITH" sets verify full.kith
same "files after a full disk" 1 "$(sha1s_of full.kith | wc -l)"
mkdir fixed
cp good.kith fixed/
chmod 555 fixed
status 0 "$KITH" export --sha1sum fixed/good.kith
[ "$(find fixed -type f | wc -l)" -eq 1 ] || fail "reading left files beside the set"
if [ "$(id -u)" -ne 0 ]; then
    status 2 "$KITH" add fixed/good.kith tree
fi

# a newer schema, another database
python3 - <<'PY'
import sqlite3
db = sqlite3.connect('other.kith')
db.execute('PRAGMA user_version=1')
db.execute('CREATE TABLE info (id INTEGER)')
db.commit()
PY
status 2 "$KITH" sets info other.kith
says err "is not a reference set"

# one writer, and readers beside it
mkfifo pipe
"$KITH" import -q good.kith - <pipe >/dev/null 2>&1 &
pid=$!
exec 9>pipe
head -n 5000 long.list >&9
for _ in $(seq 1 100); do
    "$KITH" add -q good.kith tree/1 >out 2>err && sleep 0.05 || break
done
says err "is being written by another program"
status 0 "$KITH" sets info good.kith
sha1s_of good.kith | cmp -s - sha1s || fail "a reader sees uncommitted content"
exec 9>&-
wait "$pid" || fail "the writer failed"
same "after the writer" 5250 "$(sha1s_of good.kith | wc -l)"
finish
