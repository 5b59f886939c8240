#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reference sets: size relative to content, speed of building, importing and looking up, compared with hfind if installed.
# TREE: the folder that becomes a set (default: a gigabyte of the system's files); FEATURES, DIGESTS: millions of them.
set -u -o pipefail
kith=${KITH:?} bench=${BENCH:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A gigabyte of files of all kinds and sizes: every n-th file below /usr.
gather()
{
    local total size=0 bytes file
    total=$(find /usr -xdev -type f -printf '%s\n' | awk '{ s += $1 } END { print int(s / 1e9) + 1 }')
    find /usr -xdev -type f -printf '%s %p\0' 2>/dev/null | LC_ALL=C sort -z -k2 | awk -v RS='\0' -v ORS='\0' -v n="$total" 'NR % n == 0' |
        while IFS=' ' read -r -d '' bytes file; do
            size=$((size + bytes))
            [ "$size" -le 1000000000 ] || break
            printf '%s\0' "$file"
        done | xargs -0 cp --parents -t "$1" 2>/dev/null
}

tree=${TREE:-$scratch/tree}
if [ -z "${TREE:-}" ]; then
    mkdir "$tree"
    gather "$tree"
fi
files=$(find "$tree" -type f | wc -l)
bytes=$(find "$tree" -type f -printf '%s\n' | awk '{ s += $1 } END { print s }')
find "$tree" -type f -exec cat {} + >/dev/null
TIMEFORMAT=%R
seconds=$( { time "$kith" add -q "$scratch/tree.kith" "$tree" >/dev/null 2>&1; } 2>&1)
awk -v f="$files" -v b="$bytes" -v s="$seconds" -v k="$(stat -c %s "$scratch/tree.kith")" 'BEGIN {
    printf "%d files, %.0f MB: added in %.1f s (%.0f MB/s); the set has %.1f MB, %.2f %% of it\n", f, b / 1e6, s, b / s / 1e6, k / 1e6, 100 * k / b }'
seconds=$( { time "$kith" add -q "$scratch/tree.kith" "$tree" >/dev/null 2>&1; } 2>&1)
echo "the same once more (nothing is new): $seconds s"
seconds=$( { time "$kith" sets verify -q "$scratch/tree.kith"; } 2>&1)
echo "verified in $seconds s"

rows=${ROWS:-5000000}
"$bench/bench_refset" "$scratch" nsrl "$rows"
seconds=$( { time "$kith" import -q "$scratch/nsrl.kith" "$scratch/nsrl.db"; } 2>&1)
awk -v r="$rows" -v s="$seconds" 'BEGIN { printf "import of %d rows like NSRL RDSv3: %.1f s, %.2f M rows/s\n", r, s, r / s / 1e6 }'
memory=$(/usr/bin/time -f %M "$kith" import -q "$scratch/nsrl.kith" "$scratch/nsrl.db" 2>&1 | tail -n 1)
echo "the same once more: at most $((memory / 1024)) MiB"
rm -f "$scratch"/nsrl.*

"$bench/bench_refset" "$scratch" "${FEATURES:-50}" "${DIGESTS:-10}"
if command -v hfind >/dev/null; then
    head -c 20000000 /dev/urandom | od -An -v -tx1 -w16 | tr -d ' ' | awk '{ print $1 "  f" NR }' >"$scratch/md5s"
    hfind -i md5sum "$scratch/md5s" >/dev/null 2>&1
    awk 'NR % 10 == 1 { print $1 }' "$scratch/md5s" >"$scratch/queries"
    seconds=$( { time hfind -q -f "$scratch/queries" "$scratch/md5s" >/dev/null 2>&1; } 2>&1)
    awk -v n="$(wc -l <"$scratch/queries")" -v s="$seconds" 'BEGIN { printf "hfind, 1.25 M entries, all hits: %.2f M look-ups/s\n", n / s / 1e6 }'
fi

documents=$(find "$SRCDIR/../shared/corpora/hp/docs" -type f 2>/dev/null | LC_ALL=C sort)
others=$(find /usr/lib/python3* /usr/include /usr/share/perl /usr/share/doc -type f -size +8k -size -1024k 2>/dev/null | LC_ALL=C sort | head -n 2400)
for c in 128 64; do
    echo
    # shellcheck disable=SC2086
    "$bench/bench_recall" "$scratch" $c 80 $documents $others
done
