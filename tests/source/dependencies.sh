#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# configure refuses versions of a library that are too old or known to break and warns of untested ones, and HACKING.md has the
# same ranges.
set -u -o pipefail
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/pc" "$scratch/build"
cd "$scratch/build" || exit 99
failed=0

fail()
{
    echo "FAILED: $*"
    failed=1
}

# pretend MODULE VERSION: makes this the version of the library
pretend()
{
    local file
    file=$(env -u PKG_CONFIG_PATH pkg-config --variable=pcfiledir "$1")/$1.pc
    sed "s/^Version:.*/Version: $2/" "$file" >"$scratch/pc/$1.pc"
}

configured()
{
    PKG_CONFIG_PATH=$scratch/pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} "$SRCDIR/configure" --quiet --no-create --cache-file=cache >said 2>&1 </dev/null
}

# says TEXT
says()
{
    tr '\n' ' ' <said | tr -s ' ' | grep -qF -- "$1" || fail "configure does not say '$1': $(cat said)"
}

# before VERSION: a slightly older one
before()
{
    awk -F. -v OFS=. '{ for (i = NF; $i == 0; i--) ; $i--; for (j = i + 1; j <= NF; j++) $j = 99; print $0 ".99" }' <<<"$1"
}

sed -nE 's/.*KITH_REQUIRE\(\[[A-Z]+\], \[([a-z0-9]+)\], \[([0-9.]+)\], \[([0-9.]+)\].*/\1 \2 \3/p' "$SRCDIR/configure.ac" >wanted
sed -nE 's/^\| ([a-z0-9]+) \| ([0-9.]+) \| ([0-9.]+) \|.*/\1 \2 \3/p' "$SRCDIR/HACKING.md" >documented
[ "$(wc -l <wanted)" -ge 7 ] || fail "configure.ac does not name the libraries as expected here"
diff wanted documented || fail "HACKING.md has other versions than configure.ac"

configured || fail "without any change: $(cat said)"
while read -r module _ untested; do
    pretend "$module" "$untested"
done <wanted
configured || fail "untested versions: $(cat said)"
while read -r module _ untested; do
    says "WARNING: $module $untested is newer than any version that kith was tested with (< $untested)"
done <wanted
while read -r module oldest _; do
    rm "$scratch"/pc/*
    pretend "$module" "$(before "$oldest")"
    configured && fail "$module is not refused: $(cat "$scratch/pc/$module.pc")"
    says "$module >= $oldest was not found"
done <wanted
rm "$scratch"/pc/*
pretend tsk 4.14.9
configured || fail "tsk 4.14.9: $(cat said)"
pretend tsk 4.15.0
configured && fail "tsk 4.15.0 is not refused"
says "tsk 4.15.0 is too new: kith needs tsk < 4.15"
exit $failed
