#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith ls says what is wrong and where, and ends with the right code.
. "$(dirname "$0")/lib.sh"
data=$SRCDIR/tests/data
images mkntfs

status 2 "$KITH" ls
says err "no evidence was named"
status 2 "$KITH" ls -i nonsense x
says err "there is no type 'nonsense'"
status 2 "$KITH" ls -f nonsense x
status 2 "$KITH" ls -o -1 x
status 2 "$KITH" ls --only file,nonsense x
says err "there is no kind 'nonsense'"
status 2 "$KITH" ls --csv --json x
says err "exclude each other"
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

bash "$data/images.sh" . disk-split disk-ewf-segments disk-qcow2 disk-vdi disk-vhd disk-vmdk ext4 || fail "images.sh failed"
status 3 "$KITH" ls disk-qcow2.qcow2
says err "is a qcow2 image"
status 3 "$KITH" ls disk-vdi.vdi
says err "is a VDI image"
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
mv away disk-ewf-segments.E02
qemu-img create -q -f vmdk -b disk-vmdk.vmdk -F vmdk child.vmdk
status 3 "$KITH" ls child.vmdk
says err "child.vmdk"
status 3 "$KITH" ls -i ewf text
says err "cannot be opened as an E01"
status 3 "$KITH" ls -i vmdk text
status 3 "$KITH" ls -o 999999999 ext4.img
says err "there is no sector 999999999 in it"

# The rest is listed when a piece of evidence is not there.
status 3 "$KITH" ls --csv nowhere ext4.img
says out "ext4.img,-"
[ -e /dev/full ] && { "$KITH" ls --csv ext4.img >/dev/full 2>err; same "full disk" 2 $?; says err "cannot be written"; }

# Names that would steer a terminal do not reach it.
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
finish
