#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A file in the wrong place, or a missing one, is an error with a hint, and leaves no file.
. "$(dirname "$0")/lib.sh"

mkdir known tree
text 1 20000 >known/letter
cp known/letter tree/copy
status 0 "$KITH" add -q set.kith known
status 0 "$KITH" scan -q -r set.kith --case a.case tree
printf 'sha1,name\n%s,letter\n' "$(sha1sum <known/letter | cut -d' ' -f1)" >list.csv
{ printf 'QFI\xfb\0\0\0\3'; head -c 8000 /dev/zero; } >disk.qcow2
status 0 "$KITH" cluster --index kept.index -q tree
mkdir fixed
before=$(find . ! -name out ! -name err | sort)

# wrong STATUS TEXT ARGUMENTS...
wrong()
{
    local status=$1 text=$2
    shift 2
    status "$status" "$KITH" "$@"
    says err "$text"
    [ -s out ] && fail "'$*' wrote $(head -c 200 out)"
    grep -qE 'identical|[0-9] added' err && fail "'$*' has a summary: $(cat err)"
    same "files after '$*'" "$before" "$(find . ! -name out ! -name err | sort)"
}

# ---- sets ----

for command in "scan tree -r" "sets info" "sets list" "sets verify" "sets compact" "sets merge -o new.kith set.kith" export; do
    # shellcheck disable=SC2086
    {
        wrong 2 "a.case: is a case, not a reference set; kith report a.case reads it" $command a.case
        wrong 2 "disk.qcow2: is a disk image, not a reference set; kith scan -r SET disk.qcow2 searches it" $command disk.qcow2
        wrong 2 "known: is a folder, not a reference set; kith add SET known makes a set of its files" $command known
        wrong 2 "kept.index: is an index of fingerprints, not a reference set; kith cluster --index kept.index lists" $command kept.index
        wrong 2 "list.csv: is text, not a reference set; if it is a hash list, kith import SET list.csv makes a set of it" $command list.csv
        wrong 2 "missing.kith: " $command missing.kith
    }
done
for command in add import; do
    wrong 2 "a.case: is a case, not a reference set" $command a.case list.csv
    wrong 2 "known: is a folder, not a reference set" $command known list.csv
    wrong 2 "nofolder/new.kith: cannot be created in nofolder: No such file or directory" $command nofolder/new.kith list.csv
done

# a set that is not found: where it was looked for
installed=$(strings -a "$KITH" | grep -m1 '/hashsets$')
wrong 2 "licence: no such reference set: neither a file of that name, nor licence.kith in $installed" scan -r licence tree
KITH_SETS=$PWD/fixed wrong 2 "licence: no such reference set: neither a file of that name, nor licence.kith in $PWD/fixed (KITH_SETS) or $installed" \
    scan -r licence tree
wrong 2 "./licence: no such reference set" scan -r ./licence tree

# ---- cases ----

wrong 2 "set.kith: is a reference set, not a case; kith sets info set.kith describes it" report set.kith
wrong 2 "set.kith: is a reference set, not a case" scan -r set.kith --case set.kith tree
wrong 2 "disk.qcow2: is a disk image, not a case; kith scan -r SET --case CASE disk.qcow2 makes a case of it" report disk.qcow2
wrong 2 "known: is a folder, not a case" report --check known
wrong 2 "list.csv: is text, not a case" report list.csv
wrong 2 "kept.index: is an index of fingerprints, not a case" report kept.index
wrong 2 "kept.index: is an index of fingerprints, not a hash list" import new.kith kept.index
wrong 2 "list.csv: is text, not a case" scan -r set.kith --case list.csv tree
wrong 2 "missing.case: No such file or directory" report missing.case
wrong 2 "nofolder/b.case: cannot be created in nofolder" scan -r set.kith --case nofolder/b.case tree

# ---- evidence ----

for command in ls "scan -r set.kith" "scan -r set.kith --case b.case" "add new.kith"; do
    # shellcheck disable=SC2086
    {
        wrong 2 "a.case: is a case, not evidence; kith report a.case reads it (-i raw reads it as a raw image)" $command a.case
        wrong 2 "set.kith: is a reference set, not evidence; kith sets list set.kith lists its files" $command tree set.kith
        says err "(-i raw reads it as a raw image)"
        wrong 2 "kept.index: is an index of fingerprints, not evidence; kith cluster --index kept.index lists" $command tree kept.index
        wrong 2 "-: evidence cannot be read from standard input" $command -
    }
done
wrong 3 "missing: No such file or directory" scan -r set.kith missing
wrong 3 "missing: No such file or directory" scan --text --all -r set.kith missing
wrong 3 "b.case: was not created" scan -r set.kith --case b.case tree missing
wrong 3 "new.kith: was not created" add new.kith missing
wrong 3 "new.kith: was not created" add new.kith known missing
wrong 3 "new.kith: was not created, since nothing could be added" add new.kith disk.qcow2
wrong 3 "missing: No such file or directory" add set.kith missing
wrong 3 "missing: No such file or directory" ls --summary missing
wrong 2 "missing: No such file or directory" import new.kith missing
wrong 2 "missing: No such file or directory" import new.kith list.csv missing
wrong 2 "list.csv2: No such file or directory" import set.kith list.csv list.csv2
printf 'sha1,name\nzz,letter\n' >broken.csv
before=$(find . ! -name out ! -name err | sort)
status 3 "$KITH" import --format csv new.kith broken.csv
[ -e new.kith ] && fail "a set of nothing is left"
says err "new.kith: was not created, since nothing could be imported"

# ---- nothing to scan ----

mkdir empty
before=$(find . ! -name out ! -name err | sort)
for arguments in empty "--only stream tree" "--only image tree"; do
    # shellcheck disable=SC2086
    {
        status 0 "$KITH" scan --csv -r set.kith $arguments
        says err "${arguments##* }: nothing was scanned: no object was selected"
        wrong 0 "new.case: was not kept, since nothing was scanned" scan -r set.kith --case new.case $arguments
    }
    grep -q "no findings\|sealed" err && fail "scanning nothing looks like a result: $(cat err)"
done
wrong 3 "new.case: was not kept, since nothing was scanned" scan -i raw -f ntfs -r set.kith --case new.case known/letter
says err "no ntfs file system can be opened"

# ---- sets of nothing, and damaged ones ----

status 0 "$KITH" sets subtract -o nothing.kith set.kith set.kith
before=$(find . ! -name out ! -name err | sort)
wrong 2 "nothing.kith: the set is empty" scan -r nothing.kith tree
wrong 2 "nothing.kith: the set is empty" scan -r set.kith -r nothing.kith --case new.case tree
for page in $(seq 1 $(($(stat -c %s set.kith) / 4096 - 1))); do
    cp set.kith damaged.kith
    flip_bit damaged.kith $((page * 4096 + 100))
    "$KITH" scan -r damaged.kith --case new.case tree 2>err
    [ $? -ne 2 ] || [ ! -e new.case ] || fail "a case is left after: $(cat err)"
    rm -f damaged.kith new.case
done

# evidence that begins like a set or a case can be read all the same
for file in set.kith a.case; do
    status 3 "$KITH" ls -i raw $file
    says out $file
done

# the main process reads no more of evidence than the header of a database; workers parse the rest
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    for file in disk.qcow2 set.kith known/letter; do
        strace -o trace -e trace=open,openat,read,pread64,readv,preadv,mmap -y "$KITH" ls $file >out 2>err
        grep -q "pread64(.*$file>, .*, 100, 0)" trace || fail "the header of $file was not checked: $(cat err)"
        grep -E "(read[v0-9]*|mmap)\(.*$file>" trace | grep -v ', 100, 0)' >further &&
            fail "the main process read $file: $(head -n 3 further)"
    done
    rm -f trace further
fi

wrong 3 "new.kith: was not created, since nothing could be added" add new.kith empty
wrong 3 "new.kith: was not created, since nothing could be added" add new.kith --only stream known
wrong 3 "new.kith: was not created, since nothing could be imported" import -q new.kith /dev/null
wrong 3 "new.kith: was not created, since nothing could be imported" import -q new.kith -
status 0 "$KITH" add nothing.kith empty
[ -s nothing.kith ] || fail "an existing set was removed"
status 0 "$KITH" sets intersect -o nothing2.kith nothing.kith set.kith
says err "nothing2.kith: the result is empty"
before=$(find . ! -name out ! -name err | sort)
truncate -s 50G huge
status 130 timeout --foreground --preserve-status -s INT 1 "$KITH" add new.kith huge
says err "interrupted; new.kith was not created"
rm huge

# ---- lists ----

head -c 100 known/letter >no.list
before=$(find . ! -name out ! -name err | sort)
wrong 2 "no.list: " import new.kith list.csv no.list
[ "$(wc -l <err)" -eq 1 ] || fail "more than one message: $(cat err)"
wrong 2 "a.case: is a case, not a hash list; kith report a.case reads it" import new.kith list.csv a.case
wrong 2 "set.kith: is a reference set, not a hash list; kith sets merge -o NEW set.kith SET" import new.kith set.kith
wrong 2 "disk.qcow2: is a disk image, not a hash list; kith add SET disk.qcow2 adds its files" import new.kith disk.qcow2
wrong 2 "known: is a folder, not a hash list; kith add SET known adds its files" import new.kith known
wrong 2 "-: a case cannot be read from standard input; name a file" report -
wrong 2 "-: a reference set cannot be read from standard input; name a file" export -
wrong 3 "new.kdb: was not created, since nothing was exported" export --kdb -o new.kdb set.kith

# a set as a file of its own is evidence if that is said
status 0 "$KITH" add -q --as-file sets.kith set.kith
[ -s sets.kith ] || fail "no set was made of a set"

# ---- numbers agree ----

status 0 "$KITH" add one.kith known/letter
says out "1 file in total"
status 0 "$KITH" scan -r one.kith tree
says err "tree: 1 finding in 1 of 1 object ("
status 0 "$KITH" import digests.kith list.csv
says out "list.csv (csv): 1 row: 1 added"
finish
