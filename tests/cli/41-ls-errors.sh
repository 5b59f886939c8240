#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls reports what is wrong and where, and ends with the right exit status.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images mkntfs

status 2 "$KITH" ls
says err "no evidence given"
status 2 "$KITH" ls -i nonsense x
says err "unknown image type 'nonsense'"
status 2 "$KITH" ls -f nonsense x
status 2 "$KITH" ls -o -1 x
status 2 "$KITH" ls --only file,nonsense x
says err "unknown kind 'nonsense'"
status 2 "$KITH" ls --csv --json x
says err "contradict each other"
status 2 "$KITH" ls -j 0 x
status 2 "$KITH" ls --object-seconds 0 x

status 3 "$KITH" ls ./nowhere
says err "./nowhere: No such file"
mkfifo fifo
status 3 "$KITH" ls fifo
says err "is a FIFO"
: >empty
status 0 "$KITH" ls --hash --csv empty
says out "empty,-,-,file,empty,,0,da39a3ee5e6b4b0d3255bfef95601890afd80709"
text 1 3000 >text
status 0 "$KITH" ls --hash --csv text
says out ",file,text,,3000,$(sha1sum <text | cut -c1-40)"
status 3 "$KITH" ls --csv -f ext4 text
says err "no ext4 file system can be opened"

bash "$data/images.sh" . disk-split disk-ewf-segments disk-vhd disk-vmdk ext4 || fail "images.sh failed"
status 3 "$KITH" ls disk-split.002
says err "later segment"
status 3 "$KITH" ls disk-ewf-segments.E03
says err "later segment"
says err "disk-ewf-segments.E01"
mv disk-split.003 away
status 3 "$KITH" ls disk-split.001
says err "disk-split.003"
mv away disk-split.003
mv disk-ewf-segments.E02 away
status 3 "$KITH" ls disk-ewf-segments.E01
says err "segment E02 is missing"
mv away disk-ewf-segments.E02
qemu-img create -q -f vmdk -b disk-vmdk.vmdk -F vmdk child.vmdk
status 3 "$KITH" ls child.vmdk
says err "child.vmdk"
status 3 "$KITH" ls -i ewf text
says err "not an E01 segment"
status 3 "$KITH" ls -i vmdk text
status 3 "$KITH" ls -o 999999999 ext4.img
says err "no sector 999999999: the image has"

# Volumes that may hold files which are not listed.
python3 -c 'open("luks.img", "wb").write(b"LUKS\xba\xbe\0\2" + bytes(1 << 20))'
status 3 "$KITH" ls -q luks.img
says err "luks.img: the image holds LUKS2 (encrypted): its files were not examined"
status 0 "$KITH" ls -q --ok-unexamined luks.img
status 3 "$KITH" add -q empty.kith luks.img
same "an encrypted volume that is accepted" "kith: luks.img: no files found in it
kith: empty.kith: was not created, since nothing could be added" \
    "$("$KITH" add -q --ok-unexamined empty.kith luks.img 2>&1 >/dev/null)"
mkdir refs
text 1 5000 >refs/a
status 0 "$KITH" add -q refs.kith refs
status 3 "$KITH" scan -q -r refs.kith luks.img
status 0 "$KITH" scan -q --ok-unexamined -r refs.kith luks.img
status 3 "$KITH" scan -q -r refs.kith --case luks.case luks.img
status 3 "$KITH" report luks.case

# An object that could be read only in part is marked.
mkdir cut
text 2 400000 >cut/b
cp refs/a cut/a
status 0 "$KITH" add -q refs.kith cut/b
mke2fs -q -F -t ext4 -b 1024 -d cut cut.img 4M 2>/dev/null || fail "mke2fs failed"
status 0 "$KITH" ls --csv --only file cut.img
python3 - <<'PY' || fail "no file to truncate"
import csv, os
[row] = [r for r in csv.DictReader(open("out", newline="")) if r["path"] == "b"]
[run] = row["runs"].split()
at, length = (int(x) for x in run.split("@")[1].split("+"))
os.truncate("cut.img", at + length // 2)
PY
status 3 "$KITH" scan -q --csv --only file -r refs.kith cut.img
python3 - <<'PY' || fail "the status of a truncated file: $(cat out)"
import csv
status = {(r["path"], r["verdict"]): r["status"] for r in csv.DictReader(open("out", newline=""))}
assert status[("a", "identical")] == "ok", status
assert [s for (path, verdict), s in status.items() if path == "b" and verdict != "identical"] == ["partial"], status
PY
status 3 "$KITH" scan -q --text --only file -r refs.kith cut.img
grep -q '^[a-z]* *b .*PARTIAL' out || fail "the text does not mark what was read only in part: $(cat out)"
grep -q '^[a-z]* *a .*PARTIAL' out && fail "the text marks what was read in full"

# The rest is listed if a piece of evidence is missing.
status 3 "$KITH" ls --csv nowhere ext4.img
says out "ext4.img,-"
[ -e /dev/full ] && { "$KITH" ls --csv ext4.img >/dev/full 2>err; same "full disk" 2 $?; says err "cannot write to standard output"; }

# Names with control sequences do not reach a terminal.
mkdir names
printf 'x' >names/"$(printf 'red\033[31m\nname')"
status 0 "$KITH" ls -l names
LC_ALL=C grep -q "$(printf '\033')" out && fail "a control character of a name was written"
says out 'red\x1b[31m\x0aname'

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir closed
    chmod 700 closed
    chmod 755 .
    setpriv --reuid=65534 --clear-groups "$KITH" ls --csv closed >out 2>err
    same "a folder that cannot be read" 3 $?
    says err "closed"
fi
# One bit of a file system's signature: a file with the name of an image is not read as an ordinary file.
mke2fs -q -F -t ext4 flipped.img 2M >err 2>&1 || fail "mke2fs: $(cat err)"
status 0 "$KITH" ls -q --csv flipped.img
python3 -c '
with open("flipped.img", "r+b") as file:
    file.seek(1080)
    byte = file.read(1)[0]
    file.seek(1080)
    file.write(bytes([byte ^ 1]))'
for name in a.img a.dd a.raw a.iso a.001 A.IMG; do
    cp flipped.img $name
    status 3 "$KITH" ls -q --csv $name
    says err "no known file system"
    says out ",unallocated,"
    status 0 "$KITH" ls -q --csv --ok-unexamined $name
done
cp flipped.img a.bin
status 0 "$KITH" ls --csv a.bin
says err "it is read as a plain file"
truncate -s 1M blank.img
status 0 "$KITH" ls --csv blank.img
says err "it is read as a plain file"
: >nothing.img
status 0 "$KITH" ls --csv nothing.img
finish
