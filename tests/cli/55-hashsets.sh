#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The reference sets that ship are sound, and hold what they claim: against coreutils, and the files where available.
. "$(dirname "$0")/lib.sh"
sets=${HASHSETS:?set by make check}

for set in autotools licences trivial; do
    cp "$sets/$set.kith" . || fail "$set.kith was not built"
    status 0 "$KITH" sets verify $set.kith
    status 0 "$KITH" sets info $set.kith
    says out "name        $set"
    says out "kind        known"
    status 0 "$KITH" export --json $set.kith
    cmp -s out "$SRCDIR/hashsets/$set.json" || fail "$set.kith does not match its text"
    status 0 "$KITH" export --sha1sum $set.kith
    cut -c1-40 out | sort >$set.sha1s
done

# has SET SHA1: the set has a file of this digest
has()
{
    grep -q "^$2" "$1.sha1s" || fail "$1 does not have $2"
}
has trivial "$(sha1sum </dev/null | cut -c1-40)"
has trivial "$(printf '\n' | sha1sum | cut -c1-40)"
has trivial "$(printf '\377' | sha1sum | cut -c1-40)"
for size in 512 4096 65536 4194304; do
    has trivial "$(head -c $size /dev/zero | sha1sum | cut -c1-40)"
    has trivial "$(head -c $size /dev/zero | tr '\0' '\377' | sha1sum | cut -c1-40)"
done
# GPL-3 as the FSF published it, and the licence of this program
has licences 31a3d460bb3c7d98845187c716a30db81c44b615
has licences "$(sha1sum </usr/share/common-licenses/Apache-2.0 2>/dev/null | cut -c1-40)"
KITH=$KITH bash "$SRCDIR/hashsets/trivial.sh" "$scratch/again.json" || fail "trivial.sh failed"
cmp -s again.json "$SRCDIR/hashsets/trivial.json" || fail "trivial.sh does not reproduce trivial.json"
finish
