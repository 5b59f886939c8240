#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith compare on what cannot be compared: it reports what is wrong and where.
. "$(dirname "$0")/lib.sh"

text 1 30000 >a
text 2 30000 >b
mkdir folder
mkfifo fifo
"$KITH" sign a >record
"$KITH" sign a b >records

status 2 "$KITH" compare a
says err "two files or records are needed, not 1"
status 2 "$KITH" compare a b a
status 2 "$KITH" compare - -
says err "only one of the two can be standard input"
status 3 "$KITH" compare a missing
says err "kith: missing: No such file or directory"
status 3 "$KITH" compare folder a
says err "kith: folder: is a folder"
status 3 "$KITH" compare a fifo
says err "kith: fifo: is a FIFO"
status 2 "$KITH" compare a records
says err "kith: records: holds more than one record"
status 2 "$KITH" compare -x a record
says err "record: is a record, but --exact needs two files"
status 2 "$KITH" compare -C 32 record a
says err "record: is a record, so the sampling options cannot be used"
status 2 "$KITH" compare -t 0 a b
status 2 "$KITH" compare --nonsense a b

# records of different kinds are not compared
"$KITH" sign -n 16 b >n16
"$KITH" sign -s coates2015 b >s2015
"$KITH" sign -s coates2015 -C 103 a >c103
for other in n16 s2015; do
    status 2 "$KITH" compare record $other
    says err "cannot compare records of different kinds"
done
status 2 "$KITH" compare s2015 c103

# malformed records: the message names the field
broken()
{
    sed "$1" record >broken.record
    cmp -s record broken.record && fail "'$1' changed nothing"
    status 2 "$KITH" compare broken.record a
    says err "kith: broken.record: line 1: "
    says err "$2"
}
broken 's/:gf8:/:gf9:/' 'field 2 (scheme) is unknown'
broken 's/:12:64:/:7:128:/' 'n is 7'
broken 's/:12:64:/:12:100:/' 'C is 100'
broken 's/:30000:/:9223372036854775808:/' 'field 6 (length) is too large'
broken 's/:30000:/:1000:/' 'field 10 (positions) goes beyond the length'
broken 's/:[0-9a-f]\{40\}:/:abc:/' 'field 7 (digest)'
broken 's/^\(kith1:gf8:12:64:0:30000:[^:]*:[^:]*:\)./\1!/' 'field 9 (signature)'
broken 's/:a$/:a\\q/' 'field 12 (name)'
broken 's/:a$//' 'field'
broken 's/^kith1:.*/kith1:/' 'is missing'
printf '\n' >>record
printf 'x' >>record
status 2 "$KITH" compare record a
says err "holds more than one record"
finish
