#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A folder of very many files: each is listed (QUIRK_FOLDER_LIMIT, QUIRK_EXT_FOLDER_TIME).
# MILLION=1: with a million and a hundred.
. "$(dirname "$0")/lib.sh"
images mkfs.exfat
count=20000
[ -z "${MILLION:-}" ] || count=1000100

truncate -s 256M many.img
mkfs.exfat -c 64K many.img >said 2>&1 || fail "mkfs.exfat: $(cat said)"
python3 "$SRCDIR/tests/data/million.py" many.img "$count" || fail "million.py failed"
"$KITH" ls --csv --only file many.img >out 2>err
code=$?
seq -f %07.0f 0 $((count - 1)) >expected
cut -d, -f5 out | sed 1d | sort >listed
cmp listed expected || fail "$(wc -l <listed) of $count files are listed"
[ "$code" -eq 0 ] || says err "many.img: cannot list all files"
[ "$count" -eq 1000100 ] || same "the exit status" 0 $code
finish
