#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith sets combines sets as comm(1) does sorted lists, and shows what is in them.
. "$(dirname "$0")/lib.sh"

mkdir a b c
for i in $(seq 2 2 60); do echo "$i $((i * 150)) a/two $i"; done | texts
for i in $(seq 3 3 60); do echo "$i $((i * 150)) b/three $i"; done | texts
for i in $(seq 5 5 60); do echo "$i $((i * 150)) c/five $i"; done | texts
for name in a b c; do
    status 0 "$KITH" add -q --kind known "$name.kith" "$name"
    (cd "$name" && sha1sum -- * | cut -c1-40 | sort -u) >"$name.list"
done
(cd b && md5sum -- * | sort) >b.md5

# sha1s SET: sorted
sha1s()
{
    "$KITH" export --sha1sum "$1" | cut -c1-40 | sort
}

status 0 "$KITH" sets merge -o merged.kith a.kith b.kith c.kith
sha1s merged.kith | cmp -s - <(sort -u a.list b.list c.list) || fail "merge"
status 0 "$KITH" sets subtract -o minus.kith a.kith b.kith c.kith
sha1s minus.kith | cmp -s - <(comm -23 a.list <(sort -u b.list c.list)) || fail "subtract"
status 0 "$KITH" sets intersect -o both.kith a.kith b.kith c.kith
sha1s both.kith | cmp -s - <(comm -12 <(comm -12 a.list b.list) c.list) || fail "intersect"
for name in merged minus both; do
    status 0 "$KITH" sets verify $name.kith
    status 0 "$KITH" sets info $name.kith
    says out "name        $name"
    says out "kind        known"
    says out "(100.0 %)"
done

# a list of digests of another kind is enough to subtract
"$KITH" add -q --md5 am.kith a
status 0 "$KITH" import -q bm.kith b.md5
status 0 "$KITH" sets subtract -o m.kith am.kith bm.kith
sha1s m.kith | cmp -s - <(comm -23 a.list b.list) || fail "subtract by MD5"

# names and sources stay with the files
status 0 "$KITH" export --json merged.kith
python3 - out <<'PY' || fail "names or sources were lost"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
sources = {r['source']: r['path'] for r in rows if 'source' in r}
assert {'a', 'b', 'c'} <= set(sources.values()), sources
thirty = [r for r in rows if r.get('name') == 'two 30'][0]
assert thirty['names'] == ['five 30', 'three 30'] and sources[thirty['from']] == 'a'
PY

# the source of each name survives a merge and an export
mkdir p1 p2
cp a/'two 2' p1/a
cp a/'two 2' p2/b
status 0 "$KITH" add -q p.kith p1
status 0 "$KITH" add -q p.kith p2
"$KITH" export --json p.kith >p.json
status 0 "$KITH" import -q p2.kith p.json
"$KITH" export --json p2.kith | cmp -s - p.json || fail "an import of the export has different names or sources"
status 0 "$KITH" sets merge --name p -o p3.kith p.kith
"$KITH" export --json p3.kith | cmp -s - p.json || fail "a merge has different names or sources"
same "the source of the second name" '"names":["b"],"names_from":[2]' "$(grep -o '"names".*\]' p.json | head -c 30)"
status 0 "$KITH" import -q p2.kith p.json
"$KITH" export --json p2.kith | cmp -s - p.json || fail "importing again changed something"
mkdir p0
text 4711 3000 >p0/other
status 0 "$KITH" add -q p0.kith p0
status 0 "$KITH" sets merge -o p4.kith p0.kith p.kith
"$KITH" export --json p4.kith >p4.json
same "sources after those of another set" "p0 p1 p2" "$(grep '^{"source"' p4.json | python3 -c 'import json, sys
print(*[json.loads(l)["path"] for l in sys.stdin])')"
same "the source of the second name there" '"names":["b"],"names_from":[3]' "$(grep -o '"names".*\]' p4.json | head -c 30)"

# only what is copied decides how the new set is sampled
status 0 "$KITH" add -q -n 16 -C 1024 other.kith b
status 0 "$KITH" sets subtract -o sub.kith a.kith other.kith
status 0 "$KITH" sets info sub.kith
says out "n 12, C 128"
status 2 "$KITH" sets merge -C 32 -o x.kith a.kith b.kith
says err "cannot be converted to"
[ -e x.kith ] && fail "a set was created that is not what it claims to be"

# a malformed list does not prevent a merge
printf 'sha1,size,name\n%s,1,liar\n' "$(head -n 1 a.list)" >wrong.csv
status 0 "$KITH" import -q wrong.kith wrong.csv
status 2 "$KITH" sets merge -o with.kith a.kith wrong.kith
says err "give the kind of the new set (--kind)"
status 3 "$KITH" sets merge --kind known -o with.kith a.kith wrong.kith
says err "its size differs"
says err "liar"
status 0 "$KITH" sets verify with.kith

# a set merged with itself, or alone, is an equal set
status 0 "$KITH" sets merge --name a -o again.kith a.kith a.kith
cmp -s <("$KITH" export --json a.kith) <("$KITH" export --json again.kith) || fail "a merged with a differs from a"
status 0 "$KITH" sets merge --name a -o alone.kith a.kith
cmp -s <("$KITH" export --json a.kith) <("$KITH" export --json alone.kith) || fail "a alone differs from a"

# compacting changes only what counts as common
"$KITH" export --json merged.kith >before
status 0 "$KITH" sets compact merged.kith
"$KITH" export --json merged.kith | cmp -s - before || fail "compact changed the set"
mkdir shared
text 500 3000 >common
for i in $(seq 1 20); do echo "$((600 + i)) 3000 own$i"; done | texts
for i in $(seq 1 20); do cat common "own$i" >"shared/$i"; done
status 0 "$KITH" add -q shared.kith shared
"$KITH" export --json shared.kith >before
status 0 "$KITH" sets compact --common 5 shared.kith
status 0 "$KITH" sets info shared.kith
says out "common above 5 files"
"$KITH" export --json shared.kith | grep -v kith-set | cmp -s - <(grep -v kith-set before) || fail "--common lost a sample"
[ "$("$KITH" sets info shared.kith | sed -n 's/.* looked up, \([0-9]*\) more belong to common.*/\1/p')" -gt 100 ] || fail "--common marked nothing"
status 0 "$KITH" sets verify shared.kith

status 0 "$KITH" sets info --json a.kith b.kith
same "two objects" 2 "$(grep -c '"files":' out)"
head -n 1 out >first
same "files" 30 "$(json first "d['files']")"
status 0 "$KITH" sets list a.kith
cmp -s out <("$KITH" export a.kith) || fail "list in a pipe differs from the rows of export"
script -qec "'$KITH' sets list a.kith" /dev/null </dev/null >"tty"
says tty "two 30"

# errors
status 2 "$KITH" sets
status 2 "$KITH" sets nonsense a.kith
says err "unknown action 'nonsense'"
status 2 "$KITH" sets info
status 2 "$KITH" sets merge a.kith b.kith
says err "-o"
status 2 "$KITH" sets merge -o a.kith b.kith c.kith
says err "a.kith: File exists"
status 2 "$KITH" sets info --common 3 a.kith
says err "--common has no meaning for info"
status 2 "$KITH" sets compact --common 0 a.kith
status 2 "$KITH" sets subtract -o x.kith a.kith nowhere.kith
[ -e x.kith ] && fail "a set was created from a missing one"
"$KITH" add -q -n 16 wide.kith a
status 2 "$KITH" sets merge -o x.kith a.kith wide.kith
says err "windows"
[ -e x.kith ] && fail "a set was created from sets that cannot be combined"

# list as CSV: the rows of export, with one header for all sets
status 0 "$KITH" sets list --csv a.kith
cmp -s out <("$KITH" export --csv a.kith) || fail "list --csv differs from export --csv"
status 0 "$KITH" sets list --csv a.kith b.kith
cmp -s out <("$KITH" export --csv a.kith && "$KITH" export --csv b.kith | tail -n +2) || fail "list --csv of two sets"
script -qec "'$KITH' sets list --csv a.kith" /dev/null | tr -d '\r' >terminal
cmp -s terminal <("$KITH" export --csv a.kith | tr -d '\r') || fail "list --csv on a terminal"
script -qec "'$KITH' sets list a.kith" /dev/null >terminal
grep -q ' full   [0-9a-f]\{40\}  two ' terminal || fail "list on a terminal is not the human-readable form"

# a failed or interrupted merge leaves no output, and the sets unchanged
python3 -c 'import random; r = random.Random(53); [print(r.randbytes(20).hex() + "  name %d" % i) for i in range(150000)]' >many.list
status 0 "$KITH" import -q --kind known many.kith many.list
sha256sum ./*.kith >sums
(
    trap '' XFSZ
    ulimit -f 2000
    "$KITH" sets merge -q -o full.kith a.kith many.kith 2>full.err
    [ $? -eq 2 ] || touch full.failed
)
[ -e full.failed ] && fail "a merge to a full disk succeeds"
grep -q full.kith full.err || fail "a merge to a full disk: $(cat full.err)"
cat >interrupt.py <<'PY'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL) # background jobs of a shell ignore Ctrl-C
what, made, out, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
for _ in range(50): # until it is caught while working
    process = subprocess.Popen([os.environ['KITH']] + command, stderr=subprocess.PIPE)
    while not os.path.exists(made) and process.poll() is None:
        time.sleep(0.0005)
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    if process.wait() != 0:
        break
    os.unlink(out)
assert process.returncode == 130 and what.encode() in err, (process.returncode, err)
PY
python3 interrupt.py 'interrupted; stopped.kith was not created' stopped.kith.unfinished stopped.kith sets merge -q -o stopped.kith many.kith a.kith ||
    fail "an interrupted merge"
python3 interrupt.py interrupted stopped.csv stopped.csv export -q -o stopped.csv many.kith || fail "an interrupted export"
same "leftover files" "" "$(ls -d full.kith* stopped* 2>/dev/null)"
sha256sum --quiet -c sums || fail "a failed merge changed a set"
finish
