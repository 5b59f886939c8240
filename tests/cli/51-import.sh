#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith import reads the lists of other programs, made by these programs; malformed rows are reported and the rest is imported.
. "$(dirname "$0")/lib.sh"

mkdir tree
for i in $(seq 1 40); do echo "$i $((i * 100)) tree/file $i"; done | texts
text 107 700 >"tree/$(printf 'comma, quote" \\ back')"
text 108 800 >"tree/$(printf 'new\nline')"
text 109 900 >"tree/$(printf 'bad\377utf8')"
(cd tree && sha1sum -- * | sed 's/^\\//' | cut -c1-40 | sort -u) >sha1s
(cd tree && md5sum -- * | sed 's/^\\//' | cut -c1-32 | sort -u) >md5s

# digests COLUMN SET: sorted
digests()
{
    "$KITH" export "$2" | python3 -c 'import csv, sys
print("\n".join(sorted(r[sys.argv[1]] for r in csv.DictReader(open(0, newline="", encoding="utf-8")) if r[sys.argv[1]])))' "$1"
}

# imports FORMAT LIST COLUMN TRUTH: the list gives exactly these digests, with the format detected and given
imports()
{
    rm -f ./*.kith
    status 0 "$KITH" import found.kith "$2"
    says out "($1)"
    digests "$3" found.kith | cmp -s - "$4" || fail "$1: wrong digests from $2"
    status 0 "$KITH" import --format "$1" given.kith "$2"
    cmp -s <("$KITH" export found.kith) <("$KITH" export given.kith) || fail "$1: --format reads $2 differently"
    status 0 "$KITH" sets verify found.kith
    status 0 "$KITH" import found.kith "$2"
    says out ": 0 added"
}

(cd tree && sha1sum -- *) >list
imports sums list sha1 sha1s
same "a name with a newline" 1 "$("$KITH" export found.kith | grep -cF 'new\x0aline')"
same "a name with bad UTF-8" 1 "$("$KITH" export found.kith | grep -c ",$(printf 'bad\377utf8' | od -An -tx1 | tr -d ' \n'),")"
(cd tree && md5sum -- *) >list
imports sums list md5 md5s
(cd tree && sha1sum --tag -- *) >list
imports sums list sha1 sha1s
(cd tree && sha1sum -b -- *) | sed 's/$/\r/' >list
imports sums list sha1 sha1s
(cd tree && sha1sum -- f*) | iconv -t UTF-16 >list
(cd tree && sha1sum -- f* | cut -c1-40 | sort -u) >fewer
imports sums list sha1 fewer
{ printf '\357\273\277'; (cd tree && sha1sum -- f*); } >list
imports sums list sha1 fewer
if command -v hashdeep >/dev/null; then
    (cd tree && hashdeep -l -c md5,sha1,sha256 -- f*) >list
    imports hashdeep list sha1 fewer
    (cd tree && md5deep -l -z -- f*) >list
    (cd tree && md5sum -- f* | cut -c1-32 | sort -u) >fewer_md5
    imports sums list md5 fewer_md5
fi

# made as NIST, Autopsy, Project VIC and others do
python3 - tree <<'PY' || fail "the lists could not be made"
import csv, hashlib, json, os, sqlite3, sys
rows = []
for name in sorted(os.listdir(os.fsencode(sys.argv[1]))):
    data = open(os.path.join(os.fsencode(sys.argv[1]), name), 'rb').read()
    rows.append((hashlib.sha1(data).hexdigest().upper(), hashlib.md5(data).hexdigest().upper(), hashlib.sha256(data).hexdigest().upper(), len(data), name.decode('utf-8', 'replace')))
db = sqlite3.connect('minimal.db')
db.executescript('''CREATE TABLE FILE (sha256 VARCHAR NOT NULL, sha1 VARCHAR NOT NULL, md5 VARCHAR NOT NULL, file_name VARCHAR NOT NULL, file_size INTEGER NOT NULL, package_id INTEGER NOT NULL);
CREATE TABLE PKG (package_id INTEGER, name VARCHAR); CREATE TABLE VERSION (version VARCHAR, build_set VARCHAR);''')
db.executemany('INSERT INTO FILE VALUES (?,?,?,?,?,1)', [(s256, s1, m, n, size) for s1, m, s256, size, n in rows])
db.commit()
db = sqlite3.connect('full.db')
db.executescript('''CREATE TABLE METADATA (metadata_id INTEGER PRIMARY KEY, object_id INTEGER, key_hash VARCHAR, sha256 VARCHAR, sha1 VARCHAR, md5 VARCHAR, crc32 VARCHAR, file_name VARCHAR, extension VARCHAR, bytes INTEGER);
CREATE VIEW FILE AS SELECT sha256, sha1, md5, crc32, file_name, bytes AS file_size, 1 AS package_id FROM METADATA;''')
db.executemany('INSERT INTO METADATA (sha1, md5, sha256, bytes, file_name) VALUES (?,?,?,?,?)', rows)
db.commit()
with open('delta.sql', 'w') as f:
    f.write('BEGIN TRANSACTION;\n')
    for s1, m, s256, size, n in rows:
        f.write("INSERT INTO FILE(sha256,sha1,md5,file_name,file_size,package_id) VALUES('%s','%s','%s','%s',%d,1);\n" % (s256, s1, m, n.replace("'", "''"), size))
    f.write('COMMIT;\n')
with open('NSRLFile.txt', 'w', newline='') as f:
    f.write('"SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode"\r\n')
    for s1, m, s256, size, n in rows:
        f.write('"%s","%s","00000000","%s",%d,1,"358",""\r\n' % (s1, m, n.replace('"', '""'), size))
db = sqlite3.connect('list.kdb')
db.executescript('''CREATE TABLE db_properties (name TEXT NOT NULL, value TEXT); INSERT INTO db_properties VALUES ('Schema Version', '1');
CREATE TABLE hashes (id INTEGER PRIMARY KEY AUTOINCREMENT, md5 BINARY(16) UNIQUE, sha1 BINARY(20), sha2_256 BINARY(32));
CREATE TABLE file_names (name TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY(name, hash_id));
CREATE TABLE comments (comment TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY(comment, hash_id));''')
for s1, m, s256, size, n in rows:
    c = db.execute('INSERT OR IGNORE INTO hashes (md5, sha1, sha2_256) VALUES (?,?,?)', (bytes.fromhex(m), bytes.fromhex(s1), bytes.fromhex(s256)))
    db.execute('INSERT OR IGNORE INTO file_names VALUES (?,?)', (n, c.lastrowid))
db.commit()
json.dump({'odata.metadata': 'http://github.com/ICMEC/ProjectVic/DataModels/1.2.xml#Media', 'value': [
    {'MediaID': i, 'Category': 0, 'MD5': m, 'SHA1': s1, 'MediaSize': str(size), 'MediaFiles': [{'FileName': n, 'FilePath': 'C:\\x\\' + n}]}
    for i, (s1, m, s256, size, n) in enumerate(rows)]}, open('vic.json', 'w'))
with open('list.hsh', 'w', newline='') as f:
    w = csv.writer(f, quoting=csv.QUOTE_MINIMAL)
    w.writerow(['file_id', 'hashset_id', 'file_name', 'directory', 'hash', 'file_size', 'date_modified', 'time_modified', 'time_zone', 'comments', 'date_accessed', 'time_accessed'])
    for i, (s1, m, s256, size, n) in enumerate(rows):
        w.writerow([i, 1, n, 'C:\\dir', m, size, '', '', '', '', '', ''])
with open('encase.hash', 'wb') as f:
    f.write(b'HASH\x0d\x0a\xff\x00' + bytes(1144))
    for s1, m, s256, size, n in rows:
        f.write(bytes.fromhex(m) + b'\0\0')
with open('any.csv', 'w', newline='') as f:
    w = csv.writer(f)
    w.writerow(['File Name', 'Size', 'SHA1'])
    w.writerows([n, size, s1.lower()] for s1, m, s256, size, n in rows)
PY
imports nsrl3 minimal.db sha1 sha1s
imports nsrl3 full.db md5 md5s
imports nsrl3-delta delta.sql sha1 sha1s
imports nsrl2 NSRLFile.txt sha1 sha1s
imports kdb list.kdb sha1 sha1s
imports projectvic vic.json md5 md5s
imports hashkeeper list.hsh md5 md5s
imports encase encase.hash md5 md5s
imports csv any.csv sha1 sha1s
"$KITH" sign tree >list
imports kith-records list sha1 sha1s
"$KITH" add -q source.kith tree
"$KITH" export --json source.kith >list
"$KITH" export source.kith >export.csv
rm -f ./*.kith
status 0 "$KITH" import json.kith list
"$KITH" export --json json.kith | cmp -s - list || fail "an import of the JSON export is not an equal set"
status 0 "$KITH" import csv.kith export.csv
cmp -s <(cut -d, -f2,5-7 export.csv) <("$KITH" export csv.kith | cut -d, -f2,5-7) || fail "the CSV export did not round-trip"
rm -f ./*.kith
"$KITH" import q.kith - <list >out || fail "standard input is not read"
"$KITH" export --json q.kith | cmp -s - list || fail "the JSON export did not round-trip from standard input"

# records and blocks of several files
mkdir blocks
for i in 1 2 3 4; do head -c $((i * 20000)) /dev/urandom >blocks/$i; done
"$KITH" add -q blocks.kith blocks
"$KITH" export --json blocks.kith >list
same "files with blocks" 4 "$(grep -c '"blocks":' list)"
status 0 "$KITH" import blocks2.kith list
"$KITH" export --json blocks2.kith | cmp -s - list || fail "files with blocks did not round-trip"
status 0 "$KITH" sets verify blocks2.kith

# a truncated list keeps what was read, and ends the import
rm -f ./*.kith
sha1sum blocks/* >good.list
head -c "$(($(wc -c <vic.json) / 2))" vic.json >cut.json
status 2 "$KITH" import after.kith cut.json good.list
says err "cut.json: malformed JSON at byte"
status 0 "$KITH" sets info after.kith
says out "sources     1"
digests md5 after.kith >had
[ -s had ] && [ -z "$(comm -23 had md5s)" ] || fail "what was read before the end is not kept"
rm -f after.kith

# an import to a full disk fails, and a merge leaves nothing
python3 -c 'import random; r = random.Random(51); [print(r.randbytes(20).hex() + "  a name") for _ in range(150000)]' >long.list
(trap '' XFSZ; ulimit -f 200; status 2 "$KITH" import full.kith long.list; finish >/dev/null) || fail "an import to a full disk succeeds"
rm -f full.kith*
status 0 "$KITH" import -q one.kith long.list
status 0 "$KITH" import -q two.kith good.list
(trap '' XFSZ; ulimit -f 2000; status 2 "$KITH" sets merge -o full.kith one.kith two.kith; finish >/dev/null) || fail "a merge to a full disk succeeds"
same "what a failed merge left" "" "$(find . -name 'full.kith*')"
rm -f ./*.kith

# broken rows
rm -f ./*.kith
{ head -n 3 sha1s; echo 'not a row'; echo 'da39a3ee5e6b4b0d3255bfef95601890afd8070Z  bad'; tail -n +4 sha1s | sed 's/$/  name/'; } >list
status 3 "$KITH" import b.kith list
says err "list: row 4"
says err "list: row 5"
says out "2 malformed"
digests sha1 b.kith | cmp -s - sha1s || fail "the good rows beside broken ones were not all imported"
rm -f b.kith
status 2 "$KITH" import --strict b.kith list
says err "--strict"
same "after --strict" "" "$(digests sha1 b.kith)"
status 2 "$KITH" import c.kith "$SRCDIR/COPYING"
says err "unrecognized list format"
printf x | "$KITH" sign -s min - >sketch
"$KITH" sign sketch >record
cat record sketch >both
for format in '' --format=kith-records; do
    # shellcheck disable=SC2086 # one option or none
    status 2 "$KITH" import $format new.kith sketch
    says err "sketch: is a sketch, not a record: kith sign -s gf8 makes what can be imported"
done
status 3 "$KITH" import new.kith both
says err "row 2: a sketch, not a record"
status 2 "$KITH" import c.kith nowhere
says err "nowhere: No such file"
gzip -c list >list.gz
status 2 "$KITH" import c.kith list.gz
says err "zcat"
[ -e c.kith ] && fail "a set was created from an unreadable list"
: >empty
status 3 "$KITH" import e.kith empty
says out "0 rows"
status 2 "$KITH" import
status 2 "$KITH" import x.kith
status 2 "$KITH" import --format nonsense x.kith list

# a set is not a list; other content of lists is reported
rm -f ./*.kith
"$KITH" import -q other.kith sha1s
status 2 "$KITH" import s.kith other.kith
says err "other.kith: is a reference set, not a hash list; kith sets merge -o NEW other.kith SET combines it"
"$KITH" import s.kith - <other.kith 2>err && fail "a set is read from standard input"
says err "standard input: is a reference set, not a list"
echo '{"kith-set":2}' >newer
status 2 "$KITH" import s.kith newer
[ -e s.kith ] && fail "a set was created from a file that is not a list"
sed -e '2,4s/""\r$/"M"\r/' -e '5s/""\r$/"S"\r/' NSRLFile.txt >marked.txt
status 0 "$KITH" import s.kith marked.txt
says out "; marks, which are not kept: M 3, S 1"
python3 -c 'print("sha1,specialcode")
for i in range(1, 41): print("%040x,%d" % (i, (i - 1) % 20))' >marked.csv
status 0 "$KITH" import s.kith marked.csv
says out "not kept: 0 2, 1 2, 2 2, 3 2, 4 2, 5 2, 6 2, 7 2, 8 2, 9 2, 10 2, 11 2, 12 2, 13 2, 14 2, 15 2, others 8"
status 0 "$KITH" import s.kith NSRLFile.txt
grep -q marks out && fail "marks are reported for a list without any"
printf '{"value":[{"MD5":"%032x"},{"MD5":},{"MD5":"%032x"}]}' 1 2 >broken.json
status 3 "$KITH" import s.kith broken.json
says err "broken.json: row 2: malformed JSON at byte 61: expected a value (line 1)"
says out "2 added, 0 extended, 0 already there, 1 malformed"
status 2 "$KITH" import --strict s.kith broken.json
says err "--strict"

# entries that know different digests of the same file become one
rm -f ./*.kith
(cd tree && md5sum -- f*) >md5list
python3 -c 'import csv, hashlib, os
for n in sorted(os.listdir("tree")):
    if n[0] == "f":
        d = open("tree/" + n, "rb").read()
        print(hashlib.md5(d).hexdigest(), hashlib.sha1(d).hexdigest(), sep=",")' | sed '1i md5,sha1' >both.csv
status 0 "$KITH" import m.kith md5list
status 0 "$KITH" import m.kith both.csv
says out "0 added, 40 extended"
digests sha1 m.kith | cmp -s - fewer || fail "the SHA-1s were not added"
status 0 "$KITH" sets verify m.kith

# two lists that know the same files by different digests, and a third one that knows both
rm -f ./*.kith
(cd tree && sha1sum -- f*) >sha1list
for order in "sha1list md5list both.csv" "md5list sha1list both.csv" "both.csv sha1list md5list" "md5list both.csv sha1list"; do
    rm -f j.kith
    for list in $order; do
        status 0 "$KITH" import -q j.kith $list
    done
    status 0 "$KITH" sets verify j.kith
    same "rows after $order" 40 "$("$KITH" export j.kith | grep -c ',"\?file')"
    digests sha1 j.kith | cmp -s - fewer || fail "$order: not the SHA-1s"
    status 0 "$KITH" sets compact j.kith
    status 0 "$KITH" sets verify j.kith
    status 0 "$KITH" import j.kith md5list sha1list both.csv
    same "news after $order" 3 "$(grep -c ': 0 added, 0 extended' out)"
done

# very many entries with a common prefix, and a placeholder digest
rm -f ./*.kith
python3 -c 'for i in range(700): print("aabbccddeeff%028x" % i)' >alike
status 0 "$KITH" import a.kith alike alike
says out "700 added"
says out "700 already there"
status 0 "$KITH" sets verify a.kith
python3 -c 'import hashlib
print("md5,sha1")
for i in range(1000): print("00000000000000000000000000000000,%s" % hashlib.sha1(b"%d" % i).hexdigest())' >none.csv
status 0 "$KITH" import n.kith none.csv none.csv
says out "1000 added"
says out "1000 already there"
status 0 "$KITH" sets verify n.kith

# the properties of a new set, from the options
rm -f ./*.kith
status 0 "$KITH" import --name 'The set' --kind notable --category 'some, things' -n 16 -C 64 --block 8192 --note 'from a "list"' o.kith good.list
"$KITH" sets info --json o.kith >json
same "the options" "The set notable some, things 16 64 8192" \
    "$(json json '"%s %s %s %d %d %d" % (d["name"], d["kind"], d["category"], d["n"], d["c"], d["block"])')"
status 0 "$KITH" sets info o.kith
says out ': from a "list"'
status 2 "$KITH" import --kind known o.kith good.list
says err "its kind is notable"
status 2 "$KITH" import -n 12 o.kith good.list
says err "with -n 16"

# malformed rows are counted per list; the exit status is the worst
{ cat good.list; echo 'no digest'; } >broken.list
status 3 "$KITH" import b.kith broken.list good.list
same "broken rows" "1 0" "$(sed -n 's/.* already there, \([0-9]*\) malformed.*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
status 3 "$KITH" import b.kith good.list broken.list
# if one list is missing none is read
cp b.kith before.kith
status 2 "$KITH" import b.kith broken.list nowhere.list
says err "nowhere.list: No such file"
grep -q broken.list err && fail "a list was read although another one is missing"
cmp -s b.kith before.kith || fail "a missing list changed the set"

# once there is space again the same command resumes
rm -f full.kith*
(
    trap '' XFSZ
    ulimit -f 200
    "$KITH" import -q full.kith long.list 2>full.err
    [ $? -eq 2 ] || echo "FAILED: an import to a full disk" >full.failed
)
[ -e full.failed ] && fail "an import to a full disk succeeds"
grep -q 'full.kith' full.err || fail "a full disk is not reported: $(cat full.err)"
status 0 "$KITH" import -q full.kith long.list
same "files after a full disk" 150000 "$("$KITH" export full.kith | tail -n +2 | grep -c .)"
status 0 "$KITH" sets verify full.kith

# interrupted: what was imported is kept, and the same command resumes; the progress line shows rows, and is erased
cat >interrupt.py <<'PY'
import os, pty, re, signal, subprocess, sys, threading, time
signal.signal(signal.SIGINT, signal.SIG_DFL) # background jobs of a shell ignore Ctrl-C
kith = os.environ['KITH']
rows = open('long.list', 'rb').read().splitlines(True)
parent, child = pty.openpty()
shown = b''

def read():
    global shown
    try:
        while True:
            data = os.read(parent, 65536)
            if not data:
                return
            shown += data
    except OSError:
        return

reader = threading.Thread(target=read, daemon=True)
reader.start()
kith_process = subprocess.Popen([kith, 'import', 'stopped.kith', '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=child,
                                env=dict(os.environ, TERM='xterm'))
kith_process.stdin.write(b''.join(rows[:60000]))
kith_process.stdin.flush()
deadline = time.monotonic() + 60
while not re.search(rb'\r[1-9][\d,]* rows, \d+\.\d MB, \d+ MB/s\x1b\[K', shown) and time.monotonic() < deadline:
    time.sleep(0.05)
counts = [int(n.replace(b',', b'')) for n in re.findall(rb'\r([\d,]+) rows', shown)]
assert counts and 0 < counts[-1] <= 60000 and counts[-1] % 1024 == 0, (counts, shown[-300:])
kith_process.send_signal(signal.SIGINT)
try:
    kith_process.stdin.write(b''.join(rows[60000:]))
    kith_process.stdin.close()
except BrokenPipeError:
    pass
out = kith_process.stdout.read()
assert kith_process.wait() == 130, kith_process.returncode
os.close(child)
reader.join(5)
assert b'interrupted; what was imported is kept; rerun the same command to resume' in shown, shown[-300:]
assert shown.rindex(b'\r\x1b[K') > shown.rindex(b' rows, '), 'the progress line stays'
added = int(re.search(rb': (\d+) rows: \1 added', out)[1])
assert 0 < added < len(rows), added
files = subprocess.run([kith, 'export', 'stopped.kith'], capture_output=True, check=True).stdout.count(b'\n') - 1
assert files == added, (files, added)
PY
python3 interrupt.py || fail "an interrupted import"
status 0 "$KITH" sets verify stopped.kith
status 0 "$KITH" import -q stopped.kith long.list
cmp -s <("$KITH" export --sha1sum stopped.kith | sort) <("$KITH" export --sha1sum full.kith | sort) ||
    fail "a resumed import is not the whole list"
finish
