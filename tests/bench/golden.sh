#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The results of a build on real data, to compare with those of another one: run golden.sh KITH UNPACKED OUT for both, then
# compare the folders with diff -r.  UNPACKED holds images (small/, real/) with small/reference, the files to look for in
# them, and trees/NAME/{set,evidence}: files to look for, and where; those of a pair have the same number in both.
set -u -o pipefail
[ $# = 3 ] || { echo "usage: golden.sh KITH UNPACKED OUT" >&2; exit 2; }
kith=$(realpath "$1") data=$(realpath "$2")
mkdir -p "$3" && out=$(realpath "$3") && cd "$data" || exit 1

# say NAME COMMAND...: the output of a command, without times, and its exit status
say()
{
    local name=$out/$1
    shift
    "$kith" "$@" >"$name.out" 2>"$name.err"
    echo "exit status $?" >>"$name.err"
    sed -i -E "s|$out/||g; s/[0-9.]+ s\b/N s/g" "$name.err"
    sed -i -E "s|$out/||g; s/\"(uuid|created|time)\":\"[^\"]*\"/\"\1\":\"\"/g" "$name.out"
}

# scans NAME SET EVIDENCE...
scans()
{
    local name=$1 set=$out/$2.kith
    shift 2
    say "$name.scan" scan -q --csv -r "$set" "$@"
    say "$name.references" scan -q --csv --all-references -r "$set" "$@"
    say "$name.deep" scan -q --csv --deep -r "$set" "$@"
    say "$name.blocks" scan -q --csv --blocks 64K -r "$set" "$@"
    say "$name.text" scan -q --text --all -r "$set" "$@"
}

# add NAME FOLDER: two sets of it
add()
{
    rm -f "$out/$1.kith" "$out/$1-dense.kith"
    "$kith" add -q "$out/$1.kith" "$2" >/dev/null || exit 1
    "$kith" add -q -C 32 "$out/$1-dense.kith" "$2" >/dev/null || exit 1
    say "$1.export" export --json "$out/$1.kith"
    say "$1.export-csv" export --csv "$out/$1.kith"
}

for image in small/*.* real/*; do
    say "$(basename "$image").ls" ls -q --text "$image"
    say "$(basename "$image").ls-csv" ls -q --csv "$image"
done
images=(small/*.img small/*.iso small/*.E01)
add images small/reference
scans images images "${images[@]}"
scans images-dense images-dense "${images[@]}"
for tree in trees/*; do
    name=${tree#trees/}
    add "$name" "$tree/set"
    scans "$name" "$name" "$tree/evidence"
    scans "$name-dense" "$name-dense" "$tree/evidence"
done
for pair in trees/pairs/set/*; do
    say "pair-${pair##*/}" compare --json "$pair"/* trees/pairs/evidence/"${pair##*/}"/*
done
rm -f "$out"/*.kith
