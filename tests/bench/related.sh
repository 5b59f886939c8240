#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scans of content that is related to the set, CPU time of one process: an image of small files, 46 in 100 of which are
# edits of files of the set; large libraries against other ones; and a tar of these.  BEFORE: another build of kith, which is
# measured beside this one and must give the same rows.  FILES: of the image; LIBRARIES: of the evidence; OTHERS: of the set.
set -u -o pipefail
PATH=$PATH:/usr/sbin:/sbin
kith=${KITH:?} srcdir=${SRCDIR:?}
files=${FILES:-60000} libraries=${LIBRARIES:-/usr/lib/llvm-14} others=${OTHERS:-/usr/lib/x86_64-linux-gnu /usr/lib/gcc /usr/lib/jvm}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for tool in mke2fs python3; do
    command -v $tool >/dev/null || { echo "no $tool: nothing is measured"; exit 0; }
done

# cpu KITH ARGS...: the least CPU seconds of three scans; the last one's rows in $scratch/rows
cpu()
{
    local build=$1
    shift
    for _ in 1 2 3; do
        (TIMEFORMAT='%U %S'; { time "$build" scan -q --csv -j1 "$@" >"$scratch/rows" 2>/dev/null; } 2>&1 | awk '{ print $1 + $2 }')
    done | sort -n | head -n 1
}

# measure NAME MEGABYTES ARGS...
measure()
{
    local name=$1 megabytes=$2 now before same=the
    shift 2
    now=$(cpu "$kith" "$@")
    printf '%-48s %7.2f s, %.0f MB/s, %d findings\n' "$name" "$now" "$(awk -v m="$megabytes" -v s="$now" 'BEGIN { print m / s }')" \
        "$(($(wc -l <"$scratch/rows") - 1))"
    [ -n "${BEFORE:-}" ] || return 0
    mv "$scratch/rows" "$scratch/now"
    before=$(cpu "$BEFORE" "$@")
    cmp -s <(tail -n +2 "$scratch/rows") <(tail -n +2 "$scratch/now") || same='not the'
    awk -v a="$before" -v b="$now" -v same="$same" 'BEGIN { printf "  the build before: %.2f s, %.1f times as long, %s same rows\n", a, a / b, same }'
}

python3 "$srcdir/tests/bench/related.py" "$scratch" "$files"
(cd "$scratch" && mke2fs -q -F -t ext4 -N $((files + files / 3)) -d image image.ext4 "$(($(du -sm image | cut -f1) * 2))M")
"${BEFORE:-$kith}" add -q "$scratch/small.kith" "$scratch/set" >/dev/null
rm -r "$scratch/image" "$scratch/set"
measure "$files small files, many edited" "$(du -m "$scratch/image.ext4" | cut -f1)" -r "$scratch/small.kith" "$scratch/image.ext4"

if [ ! -d "$libraries" ]; then
    echo "no $libraries: large libraries are not measured"
    exit 0
fi
# shellcheck disable=SC2086
find $others -xdev -type f -size +500k ! -name '*LLVM*' ! -name '*clang*' 2>/dev/null | tar -cf - -T - 2>/dev/null | (mkdir "$scratch/others" && tar -xf - -C "$scratch/others")
"${BEFORE:-$kith}" add -q "$scratch/large.kith" "$scratch/others" >/dev/null
rm -r "$scratch/others"
megabytes=$(du -sm "$libraries" | cut -f1)
measure "libraries against others" "$megabytes" -r "$scratch/large.kith" "$libraries"
tar -cf "$scratch/libraries.tar" -C "$libraries" .
measure "a tar of them" "$megabytes" -r "$scratch/large.kith" "$scratch/libraries.tar"
