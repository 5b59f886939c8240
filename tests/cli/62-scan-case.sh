#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A case is the same whatever happens while it is made: kill -9, Ctrl-C, full disks, concurrent access; a different scan is refused.
. "$(dirname "$0")/lib.sh"

# objects_of [FILE]: how many objects each line of kith report --about counts
objects_of()
{
    sed -nE 's/.* (in|of) ([0-9,]+) objects? \(.*/\2/p' "$@" | tr -d ,
}
export PYTHONPATH=$SRCDIR/tests/data PYTHONDONTWRITEBYTECODE=1
kills=${KILLS:-20}
RANDOM=815

python3 - <<'PY' || fail "the files cannot be created"
import os, random
from findings import *
r = random.Random(4)
pool = words(1, 4 << 20)
os.makedirs("refs")
for i in range(60):
    write("refs/%02d" % i, pool[i * 60000:i * 60000 + r.randrange(3000, 50000)])
os.makedirs("tree/sub")
for i in range(2600):
    at = r.randrange(60) * 60000
    kind = i % 13
    if kind == 0:
        content = read("refs/%02d" % r.randrange(60))
    elif kind == 1:
        content = edited(read("refs/%02d" % r.randrange(60))[:12000], i, 2)
    elif kind == 2:
        content = noise(i, 3000) + pool[at + 100:at + 2600] + noise(i + 1, 500)
    else:
        content = noise(i, r.randrange(3000))
    write("tree/%s%04d" % ("sub/" if i % 3 else "", i), content)
PY
status 0 "$KITH" add -q --kind notable refs.kith refs
have_image=
if (images) >/dev/null; then
    images
    mke2fs -q -F -t ext4 -b 1024 -N 4096 -O ^has_journal -d tree disk.img 40M >/dev/null 2>&1 || fail "mke2fs failed"
    # shellcheck disable=SC2046
    debugfs -w -f - disk.img >/dev/null 2>&1 <<<"$(printf 'rm sub/%04d\n' $(seq 1 7 2600))"
    have_image=disk.img
fi

# ---- a case holds what a scan reports ----

for evidence in tree $have_image; do
    for options in "" "--blocks 1500"; do
        # shellcheck disable=SC2086
        status 0 "$KITH" scan -q --csv --all $options -r refs.kith $evidence
        mv out "$evidence$options.all"
        # shellcheck disable=SC2086
        status 0 "$KITH" scan -q --csv $options -r refs.kith $evidence
        mv out "$evidence$options.csv"
        # shellcheck disable=SC2086
        status 0 "$KITH" scan -j1 $options -r refs.kith --case whole.case $evidence
        [ -s out ] && fail "scan --case writes rows"
        says err "$evidence: "
        status 0 "$KITH" report --csv --all whole.case
        cmp -s out "$evidence$options.all" || fail "the report of $evidence $options differs from the scan"
        status 0 "$KITH" report whole.case
        cmp -s out "$evidence$options.csv" || fail "the report of $evidence $options differs from the scan"
        status 0 "$KITH" report --check whole.case
        same "a check" sound "$(cat out)"
        [ "$(find . -name 'whole.case*' | wc -l)" -eq 1 ] || fail "the case at rest is more than one file"
        # again: there is nothing left to scan
        "$KITH" report --about whole.case >before
        # shellcheck disable=SC2086
        status 0 "$KITH" scan -q $options -r refs.kith --case whole.case $evidence
        "$KITH" report --about whole.case | cmp -s - before || fail "a case that is done was changed"
        rm -f whole.case
    done
done
grep -q ,variant, tree.csv && grep -q ,fragment, tree.csv && grep -q ,identical, tree.csv || fail "the files do not cover all verdicts"

# ---- kill -9 at random moments ----

# killed MILLISECONDS COMMAND...: false if it had finished
killed()
{
    local after=$1 pid
    shift
    "$@" >/dev/null 2>killed.err </dev/null &
    pid=$!
    sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [ $? -eq 137 ]
}

# survives WHAT TIMES COMMAND...: it is killed again and again, and resumed
survives()
{
    local what=$1 times=$2 begun lasts hit=0 parts=0 code rows before=0
    shift 2
    rm -f victim.case*
    begun=$(date +%s%3N)
    status 0 "$@" --case victim.case
    lasts=$(($(date +%s%3N) - begun))
    rm -f victim.case
    for _ in $(seq 1 "$times"); do
        killed $((RANDOM % (lasts + 1))) "$@" --case victim.case || {
            [ -e victim.case ] && [ ! -s killed.err ] && rm -f victim.case* && before=0
            continue
        }
        hit=$((hit + 1))
        [ -e victim.case ] || continue
        "$KITH" report --about victim.case >out 2>err
        code=$?
        [ $code -eq 3 ] || [ $code -eq 0 ] || fail "$what: the case cannot be read after kill -9: exit $code, $(head -c 300 err)"
        rows=$(objects_of out | awk '{ sum += $1 } END { print sum + 0 }')
        [ "$rows" -ge $before ] || fail "$what: rows were lost: $before, now $rows"
        before=$rows
        [ "$before" -gt 0 ] && parts=$((parts + 1))
        "$KITH" report --check victim.case >out 2>&1
        [ "$(cat out)" = sound ] || fail "$what: after kill -9: $(head -c 300 out)"
    done
    status 0 "$@" --case victim.case
    status 0 "$KITH" report --csv --all victim.case
    cmp -s out "$what" || fail "$what: resuming after kill -9 gave a different case"
    status 0 "$KITH" report --check victim.case
    echo "$what: killed $hit times, $parts times with rows there"
}

survives tree.all "$kills" "$KITH" scan -q -j2 -r refs.kith tree
survives "tree--blocks 1500.all" "$kills" "$KITH" scan -q -j2 --blocks 1500 -r refs.kith tree
if [ -n "$have_image" ]; then
    survives disk.img.all "$kills" "$KITH" scan -q -j2 -r refs.kith disk.img
    survives "disk.img--blocks 1500.all" $((kills / 2)) "$KITH" scan -q -j2 --blocks 1500 -r refs.kith disk.img
    rm -f victim.case*
    "$KITH" scan -q --csv --all -r refs.kith tree disk.img >both.all
    survives both.all $((kills / 2)) "$KITH" scan -q -j2 -r refs.kith tree disk.img
fi
[ "$(find . -name 'victim.case*' ! -name '*.new-*' | wc -l)" -eq 1 ] || fail "the case at rest is more than one file: $(ls)"

# ---- findings are safe before a large object is read completely ----

mkdir slow
cp refs/0* slow
truncate -s 40G slow/00-hollow
truncate -s 12G slow/zeros
"$KITH" scan -q -j1 -r refs.kith --case slow.case slow 2>/dev/null &
pid=$!
rows=0
for _ in $(seq 100); do
    rows=$("$KITH" report --csv slow.case 2>/dev/null | grep -c ',identical,')
    [ "$rows" -lt 10 ] && kill -0 $pid 2>/dev/null || break
    sleep 0.1
done
kill -0 $pid 2>/dev/null || fail "12 GB of zeros were read too fast"
kill -KILL $pid
wait $pid 2>/dev/null
status 3 "$KITH" report --csv slow.case
same "what was found before a large object" 10 "$(grep -c ',identical,' out)"
# that something could not be read in full earlier is not forgotten
status 3 "$KITH" scan -q -r refs.kith --case slow.case slow
status 3 "$KITH" scan -q -r refs.kith --case slow.case slow
status 3 "$KITH" report --about slow.case
says out "done; parts were not examined"
rm -rf slow slow.case*

# ---- seals: recomputed here, as kith-case(5) describes ----

status 0 "$KITH" scan -r refs.kith --case sealed.case tree refs
sealed=$(sed -n 's/.*sealed.case: sealed with //p' err)
status 0 "$KITH" report --about sealed.case
same "the seal" "$sealed" "$(sed -n 's/^seal *//p' out)"
same "the seals, as the manual has them" "0 1 2 $sealed" "$(python3 "$SRCDIR/tests/data/seals.py" sealed.case)"
same "evidence twice" 2 "$("$KITH" scan -q -r refs.kith tree refs tree >/dev/null 2>err; echo $?)"
says err "tree: is given twice"

# A folder or an image that has been replaced, or is gone.
cp -rp refs folder
status 0 "$KITH" scan -q -r refs.kith --case folder.case folder
cp refs/01 folder/new
status 4 "$KITH" scan -q -r refs.kith --case folder.case folder
says err "folder: the evidence is not the one that the case was made of: it was 60 files, "
rm folder/new
status 0 "$KITH" scan -r refs.kith --case folder.case folder
says err "folder: was scanned completely before"
if [ -n "$have_image" ]; then
    cp disk.img copy.img
    status 0 "$KITH" scan -q -r refs.kith --case copy.case copy.img
    status 0 "$KITH" scan -r refs.kith --case copy.case copy.img
    says err "copy.img: was scanned completely before"
    before=$("$KITH" report --about copy.case)
    mv copy.img away.img
    status 3 "$KITH" scan -q -r refs.kith --case copy.case copy.img
    says err "copy.img: No such file or directory; the case keeps what was scanned before"
    cp disk.img copy.img
    truncate -s +512 copy.img
    status 4 "$KITH" scan -q -r refs.kith --case copy.case copy.img
    says err "copy.img: the evidence is not the one that the case was made of: it was 1 file, 41943040 bytes"
    same "a case that was refused" "$before" "$("$KITH" report --about copy.case)"
    status 0 "$KITH" report --check copy.case
    # other times, but the same SHA-1: that decides
    cp disk.img copy.img
    status 0 "$KITH" scan -r refs.kith --case copy.case copy.img
    says err "copy.img: was scanned completely before"
    printf x | dd of=copy.img bs=1 seek=20000000 conv=notrunc status=none
    touch -r disk.img copy.img
    status 4 "$KITH" scan -q -r refs.kith --case copy.case copy.img
fi

# ---- a scan slow enough to be interrupted in the middle ----

cp -r tree slow
truncate -s 1G slow/zz-hole
mkdir -p slow/zzz
cp refs/0[0-9] slow/zzz

# interruptible COMMAND...: background jobs of a shell ignore Ctrl-C
# catches_interrupt PID: whether it has a handler for SIGINT
catches_interrupt()
{
    local caught
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    (((16#${caught:-0} & 2) != 0))
}

interruptible()
{
    exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

# begin CASE [ARGUMENT...]: starts a scan of slow, and returns once it has rows
begin()
{
    local file=$1 rows
    shift
    interruptible "$KITH" scan -j2 -r refs.kith --case "$file" "$@" slow >begun.out 2>begun.err </dev/null &
    pid=$!
    while sleep 0.02; do # it runs only between looks at it
        kill -STOP $pid 2>/dev/null || fail "the slow scan was too fast"
        rows=$("$KITH" report --about "$file" 2>/dev/null | grep ' begun; ' | objects_of)
        [ "${rows:-0}" -ge 1000 ] && break
        kill -CONT $pid 2>/dev/null || break
    done
}

# go_on: lets it run; its exit code is $code
go_on()
{
    kill -CONT $pid
    wait $pid
    code=$?
}

begin one.case
status 2 "$KITH" scan -q -r refs.kith --case one.case slow
says err "one.case: is being written by another program"
status 2 "$KITH" case set --notes x one.case
says err "one.case: is being written by another program"
status 0 "$KITH" case seal one.case
status 3 "$KITH" report --csv one.case
says err "slow: the scan is incomplete; rerun the same command to resume it"
[ "$(wc -l <out)" -gt 50 ] || fail "the report of a running scan has no rows"
status 3 "$KITH" report --about one.case
says out "begun; "
kill -INT $pid
go_on
same "Ctrl-C" 130 $code
says begun.err "interrupted; rerun the same command to resume"
status 3 "$KITH" report --csv --all one.case
says err "slow: the scan is incomplete"
cp out part.all
rows=$(($(cut -d, -f5 out | sort -u | wc -l) - 1))
[ $rows -ge 1000 ] || fail "Ctrl-C lost what was done: $rows rows"
status 3 "$KITH" report --about one.case
says out "slow: interrupted"
cp one.case part.case

# refused CODE WORDS COMMAND...: a different scan; the case stays as it was, except for its log
refused()
{
    local code=$1 words=$2
    shift 2
    status "$code" "$@"
    says err "$words"
    cmp -s part.all <("$KITH" report --csv --all one.case 2>/dev/null) || fail "'$*' changed the case"
}
refused 2 "it was created with different parameters" "$KITH" scan -q -r refs.kith --case one.case --blocks 1500 slow
refused 2 "it was created with different parameters" "$KITH" scan -q -r refs.kith --case one.case --deep slow
refused 2 "it was created with different parameters" "$KITH" scan -q -r refs.kith --case one.case --exclude x slow
refused 2 "it was created with different parameters" "$KITH" scan -q -r refs.kith --case one.case -t 1 slow
refused 2 "nowhere: No such file" "$KITH" scan -q -r refs.kith --case one.case slow nowhere
status 0 "$KITH" add -q other.kith refs/00
refused 2 "the scan of slow for other sets is incomplete; resume it first" "$KITH" scan -q -r other.kith --case one.case slow
refused 2 "the set other (other.kith) is new: add it in a scan without the others" "$KITH" scan -q -r refs.kith -r other.kith --case one.case slow
cp refs.kith same.kith
status 0 "$KITH" add -q same.kith tree/0000
refused 2 "has changed since" "$KITH" scan -q -r same.kith --case one.case slow
cp -p slow/0003 slow/0003-more
refused 4 "slow: the evidence is not the one that the case was made of" "$KITH" scan -q -r refs.kith --case one.case slow
rm slow/0003-more
# It resumes from there.
cp one.case two.case
status 0 "$KITH" scan -q -r refs.kith --case one.case slow
status 0 "$KITH" report --csv --all one.case
mv out one.all
status 0 "$KITH" report --about one.case
says out "slow: resumed after $rows row"
says out "slow: done"
status 0 "$KITH" scan -q --csv --all -r refs.kith slow
cmp -s out one.all || fail "resuming after Ctrl-C gave a different case"

# Not with a file that has different content, but the same size and time.
cp -p slow/0003 away
printf x | dd of=slow/0003 conv=notrunc status=none
touch -r away slow/0003
status 4 "$KITH" scan -q -r refs.kith --case two.case slow
says err "slow: the evidence is not the one that the case was made of"
cp -p away slow/0003

# Without a case a message says that the rows are incomplete.
interruptible "$KITH" scan --csv -r refs.kith slow >begun.out 2>begun.err </dev/null &
pid=$!
until [ "$(cat /proc/$pid/comm 2>/dev/null)" = kith ] && catches_interrupt $pid; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
done
kill -INT $pid 2>/dev/null && {
    go_on
    same "Ctrl-C without a case" 130 $code
    says begun.err "interrupted; the output is incomplete"
    sed 's/,[^,]*$//' begun.out >begun.rows # without the number of objects, which was not counted to the end
    cmp -s <(grep -v zzz begun.rows | head -n 20) <(grep -v ',zzz/' tree.csv | sed 's/^tree/slow/; s/,[^,]*$//' | head -n 20) ||
        [ "$(wc -l <begun.out)" -lt 20 ] || fail "Ctrl-C without a case: wrong rows"
}

# Evidence that changes while it is read.
"$KITH" scan -j2 -r refs.kith --case three.case slow >begun.out 2>begun.err </dev/null &
pid=$!
while kill -0 $pid 2>/dev/null; do
    touch slow/zz-hole
    sleep 0.01
done
wait $pid
same "evidence that changes" 4 $?
says begun.err "changed while it was read"
status 4 "$KITH" report --csv three.case
says err "slow: changed while it was being scanned"

# ---- a full disk ----

rm -f victim.case*
size=$(stat -c %s one.case)
for share in 10 30 70; do
    blocks=$((size * share / 100 / 1024))
    (
        trap '' XFSZ
        ulimit -f $blocks
        exec "$KITH" scan -q -r refs.kith --case victim.case tree
    ) >out 2>err
    got=$?
    same "a full disk ($blocks)" 2 $got
    says err "kith: victim.case"
    if [ -e victim.case ]; then
        status 3 "$KITH" report --csv victim.case
        status 0 "$KITH" report --check victim.case
    fi
done
status 0 "$KITH" scan -q -r refs.kith --case victim.case tree
status 0 "$KITH" report --csv --all victim.case
cmp -s out tree.all || fail "resuming after a full disk gave a different case"
if [ -e /dev/full ]; then
    "$KITH" report --csv victim.case >/dev/full 2>err
    same "a report on a full disk" 2 $?
    says err "cannot write to standard output"
fi

# ---- evidence that cannot be read makes no case ----

printf 'QFI\373\0\0\0\3' >qcow2.img
truncate -s 1M qcow2.img
for evidence in nowhere "tree nowhere" /dev/null qcow2.img; do
    # shellcheck disable=SC2086
    status 3 "$KITH" scan -q -r refs.kith --case none.case $evidence
    [ -z "$(ls none.case* 2>/dev/null)" ] || fail "$evidence: a case was left"
    says err "none.case: was not"
done

# ---- read-only folders and files ----

status 2 "$KITH" scan -q -r refs.kith --case nofolder/x.case tree
says err "nofolder/x.case"
status 2 "$KITH" scan -q -r refs.kith --case tree tree
says err "tree: "
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir fixed
    cp victim.case fixed/done.case
    cp part.case fixed/part.case
    chmod 444 fixed/*.case
    chmod 555 fixed
    chmod 755 .
    chmod 644 refs.kith
    status 2 setpriv --reuid=65534 --clear-groups "$KITH" scan -q -r refs.kith --case fixed/new.case tree
    says err "fixed/new.case"
    says err "Permission denied"
    status 2 setpriv --reuid=65534 --clear-groups "$KITH" scan -q -r refs.kith --case fixed/part.case slow
    says err "fixed/part.case: "
    status 0 setpriv --reuid=65534 --clear-groups "$KITH" report --csv --all fixed/done.case
    cmp -s out tree.all || fail "the report of a read-only case differs"
    status 0 setpriv --reuid=65534 --clear-groups "$KITH" report --check fixed/done.case
    same "files after reading" 2 "$(find fixed -type f | wc -l)"
fi

# ---- other files, and damage ----

status 2 "$KITH" report
says err "no case given"
status 2 "$KITH" report victim.case one.case
says err "more than one case given"
status 2 "$KITH" report nowhere.case
says err "nowhere.case: No such file"
status 2 "$KITH" report refs.kith
says err "refs.kith: "
says err "case"
cp refs.kith set.copy
status 2 "$KITH" scan -q -r refs.kith --case set.copy tree
cmp -s refs.kith set.copy || fail "a scan into a set changed it"
status 2 "$KITH" report refs/00
says err "refs/00: "
status 2 "$KITH" scan -q -r refs.kith --case tree/0000 tree
: >nothing.case
status 2 "$KITH" report nothing.case
status 2 "$KITH" scan -q -r refs.kith --case nothing.case tree
[ -s nothing.case ] && fail "an empty file was turned into a case"
status 2 "$KITH" report --check nothing.case
status 2 "$KITH" report --csv --text victim.case
says err "contradict each other"
status 2 "$KITH" scan -q -r victim.case tree
says err "reference set"

"$KITH" report --csv --all victim.case >whole
size=$(stat -c %s victim.case)
for _ in $(seq 1 25); do
    cp victim.case bad.case
    offset=$((((RANDOM << 15) + RANDOM) % size))
    flip_bit bad.case "$offset"
    "$KITH" report --check bad.case >out 2>&1
    got=$?
    [ $got -eq 3 ] || [ $got -eq 2 ] || fail "damage at byte $offset was not detected: exit $got"
    "$KITH" report --csv --all bad.case >out 2>err
    got=$?
    [ $got -eq 2 ] && [ -s err ] || { [ $got -eq 0 ] && cmp -s out whole; } || fail "damage at byte $offset: exit $got, and a different report"
done
head -c $((size / 2)) victim.case >bad.case
status 2 "$KITH" report --csv bad.case

# The log reports what was done, and --check that entries were changed or removed.
status 0 "$KITH" report --about victim.case
says out "parameters  C=128"
says out "set         refs (notable), generation 1, 60 files"
says out "evidence    tree"
says out "tree: started"
says out " identical"
python3 - <<'PY' || fail "SHA-1 of an image, or counts"
import subprocess, os
from findings import *
if os.path.exists("disk.img"):
    subprocess.run([os.environ["KITH"], "scan", "-q", "-r", "refs.kith", "--case", "image.case", "disk.img"], check=True)
    about = subprocess.run([os.environ["KITH"], "report", "--about", "image.case"], capture_output=True, check=True).stdout.decode()
    assert sha1(read("disk.img")) in about and "raw, %d bytes" % os.path.getsize("disk.img") in about, about
    found = rows("disk.img.all")
    once = subprocess.run([os.environ["KITH"], "report", "--csv", "image.case"], capture_output=True, check=True).stdout.decode()
    objects = {(r["address"], r["path"]) for r in found}
    for verdict in ("identical", "variant", "embedded", "fragment"):
        count = once.count("," + verdict + ",")
        assert not count or "%d %s" % (count, verdict) in about, (verdict, about)
    assert " of %s objects (" % format(len(objects), ",") in about, about
PY

# findings in known sets are reported on request
status 0 "$KITH" add -q --kind known known.kith refs
status 0 "$KITH" scan -q -r known.kith --case known.case tree
status 0 "$KITH" report --csv known.case
same "rows without --show-known" 1 "$(wc -l <out | tr -d ' ')"
status 0 "$KITH" report --csv --show-known known.case
cp out reported
status 0 "$KITH" scan -q --csv --show-known -r known.kith tree
cmp -s out reported || fail "--show-known: a scan and the report of a case differ"
python3 - <<'PY' || fail "--show-known does not report the copies of known files"
import csv, os
from findings import *
rows = list(csv.DictReader(open("reported", newline="", encoding="utf-8")))
copies = {sha1(read("refs/" + name)) for name in os.listdir("refs")}
there = {os.path.relpath(os.path.join(at, name), "tree") for at, _, names in os.walk("tree") for name in names
         if sha1(read(os.path.join(at, name))) in copies}
assert {r["set_kind"] for r in rows} == {"known"}, rows[:2]
assert {r["path"] for r in rows if r["verdict"] == "identical"} == there and there, there
PY

# the type of the image and that it was not hashed are kept; another type needs another case
if [ -e disk.img ]; then
    status 0 "$KITH" scan -q -i raw --no-hash-image -r refs.kith --case typed.case disk.img
    status 0 "$KITH" report --about typed.case
    grep -q '^parameters .* image-type=raw' out || fail "the image type is not kept: $(grep ^param out)"
    says out "the image was not hashed"
    grep -q "$(sha1sum <disk.img | cut -c1-40)" out && fail "--no-hash-image hashes the image"
    status 0 "$KITH" report --csv typed.case
    cmp -s out <("$KITH" report --csv image.case) || fail "-i raw finds something different"
    status 2 "$KITH" scan -q --no-hash-image -r refs.kith --case typed.case disk.img
    says err "image-type"
    status 3 "$KITH" scan -q -i ewf -r refs.kith --case ewf.case disk.img
    [ -e ewf.case ] && fail "a case was created from an image of another type"
fi
finish
