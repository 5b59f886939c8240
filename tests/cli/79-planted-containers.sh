#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Containers are opened in every place of a file system where content can hide, with the right SHA-1 of what is in them, by any
# number of workers.  IMAGES=all makes all images of tests/data/planted.py.
. "$(dirname "$0")/lib.sh"
images mkfs.exfat mkntfs makefs
data=$SRCDIR/tests/data
names=(ext4-inodes fat16 exfat-clusters ntfs-streams ntfs-areas disk-gpt)
[ "${IMAGES:-}" != all ] || names=()

python3 "$data/planted_containers.py" planted "${names[@]}" || fail "planted_containers.py failed"
mkdir listed
for image in planted/*.img; do
    list=listed/$(basename "$image" .img).ls
    "$KITH" ls -q -j1 --csv --hash --containers all "$image" >"$list" 2>one
    code=$?
    [ $code -eq 0 ] || [ $code -eq 3 ] || fail "$image: exit $code: $(head -c 300 one)"
    "$KITH" ls -q -j8 --csv --hash --containers all "$image" >eight 2>/dev/null
    cmp -s "$list" eight || fail "$image: the listing depends on the number of workers"
done
python3 "$data/contained.py" listed planted/members.csv || failures=1
finish
