#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A failed allocation, read, write, sync or message ends in a reported error, or in the right result: FAULTS=200 tries
# that many places of each kind for each command.
. "$(dirname "$0")/lib.sh"
images
command -v cc >/dev/null || skip "no C compiler"
grep -qa -e __asan_init -e __tsan_init -e __ubsan_handle "$KITH" && skip "a sanitizer and a preloaded library exclude each other"
export PYTHONDONTWRITEBYTECODE=1

cc -shared -fPIC -O1 -o faults.so "$SRCDIR/tests/data/faults.c" -ldl || fail "cc failed"
mkdir tree refs
text 1 9000 >refs/one
text 2 30000 >refs/two
cp refs/one tree/a
{ cat refs/one; text 3 500; } >tree/b
head -c 12000 refs/two >tree/"$(printf 'odd\nname')"
: >tree/empty
mke2fs -q -F -t ext4 -b 1024 -N 64 -O ^has_journal -d tree disk.img 1M 2>/dev/null || fail "mke2fs failed"
debugfs -w -R "rm b" disk.img 2>/dev/null
status 0 "$KITH" add -q --kind notable refs.kith refs
status 0 "$KITH" add -q twins.kith refs tree
status 0 "$KITH" add -q more.kith tree/b
status 0 "$KITH" export --json refs.kith
cp out list.json
sha1sum refs/* >list.sha1sum
status 0 "$KITH" scan -q -r refs.kith --case whole.case disk.img tree

# A set whose first bytes cannot be read at once is not taken for an ordinary file, whichever read it is.
thin=(sets thin -q --csv --resemblance 0.1 --covered 0 -o thinned.kith twins.kith)
status 0 "$KITH" "${thin[@]}"
mv out whole.csv
for at in {1..20}; do
    for errno in 0 5; do
        rm -f thinned.kith*
        FAULT=read:parent:$at:1:$errno LD_PRELOAD=./faults.so "$KITH" "${thin[@]}" >out 2>err </dev/null &&
            { cmp -s out whole.csv || fail "read $at, errno $errno: thinned as something else"; }
    done
done

python3 "$SRCDIR/tests/data/inject.py" faults.so "${FAULTS:-1}" || fail "faults did not end as they must"
finish
