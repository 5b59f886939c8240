#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every byte of the images of the corpora belongs to an object; what is planted in the images of faults/loss is found.
. "$(dirname "$0")/lib.sh"
. "$SRCDIR/tests/cli/account.sh"
corpora=$SRCDIR/../shared/corpora
[ -f "$corpora/real_images/listing.csv" ] && [ -d "$corpora/faults/loss" ] || skip "no corpora beside the tree"
corpora=$(cd "$corpora" && pwd)
python3 "$corpora/scripts/unpack.py" "$corpora" unpacked >/dev/null 2>&1 || fail "the corpora cannot be unpacked"
[ -d unpacked/real ] || ln -s "$corpora/real_images/images" unpacked/real

# medium IMAGE: the size of its content
medium()
{
    "$KITH" ls --json -q --hash-image --only image "$1" 2>err |
        python3 -c 'import json, sys; print(*[o["size"] for o in map(json.loads, sys.stdin) if o["kind"] == "image"])'
}

for image in unpacked/real/* unpacked/small/*.*; do
    case $image in
        *.E0[2-9] | *.csv) ;;
        *) accounted "$image" "$(medium "$image")" ;;
    esac
done

for packed in "$corpora"/faults/loss/*.xz; do
    image=$(basename "$packed" .xz)
    xz -dc "$packed" >"$image"
    accounted "$image"
    listed out "$KITH" scan --csv -r "$corpora/faults/loss/known.kith" "$image"
    [ "$(wc -l <out)" -gt 1 ] || fail "$image: what is planted is not found"
    rm "$image"
done
python3 "$SRCDIR/tests/data/accounted.py" results >wrong || fail "$(cat wrong)"
finish
