#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every byte of an image belongs to an object, is scanned by default, and is counted once: on images with known content at every
# place where content can hide (tests/data/planted.py).  IMAGES=all adds every image of images.sh.
. "$(dirname "$0")/lib.sh"
. "$SRCDIR/tests/cli/account.sh"
data=$SRCDIR/tests/data
images mkfs.exfat mkntfs makefs e2fsck

python3 "$data/planted.py" planted || fail "planted.py failed"
status 0 "$KITH" add -q known.kith planted/known
for image in planted/*.img; do
    accounted "$image"
    scanned "$image" known.kith
done

# Others, and what is in containers.
if [ "${IMAGES:-}" = all ]; then
    bash "$data/images.sh" images || fail "images.sh failed"
else
    bash "$data/images.sh" images ext4-inline exfat ntfs-compressed iso-hfs bsd disk-ewf || fail "images.sh failed"
fi
for truth in images/*.truth; do
    name=$(basename "$truth" .truth)
    image=$(find images -name "$name.*" ! -name '*.truth' | LC_ALL=C sort | head -n 1)
    case $name in
        disk-gpt) accounted "$image" 24117248 ;;
        disk-*) accounted "$image" 23068672 ;;
        *) accounted "$image" ;;
    esac
done
python3 "$data/accounted.py" results planted/truth.csv >wrong || fail "$(cat wrong)"

# What was not requested is in the table, too.
# total TABLE: its sum of bytes
total()
{
    tail -n 1 "$1" | tr -d '\r' | cut -d, -f5
}

total=$(total results/disk-dos.img.account)
for options in "-o 2048" "--only file,slack" "--only unclaimed -o 6200"; do
    # shellcheck disable=SC2086
    listed results/part.account "$KITH" ls --account $options planted/disk-dos.img
    same "the sum with $options" "$total" "$(total results/part.account)"
    says results/part.account ",not-selected,"
done

# The table is the same for any number of workers.
listed one "$KITH" ls --account -j1 planted/ntfs-streams.img
listed five "$KITH" ls --account -j5 planted/ntfs-streams.img
cmp -s one five || fail "the tables of -j1 and of -j5 differ"
finish
