#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make bench: speed as ratios within one run, best of several, against EVP SHA-1 and the peers that are installed.
# FOLDER is hashed whole (default: the system's documentation and libraries up to LIMIT_MB); TEXTS are edited.
set -u -o pipefail
kith=${KITH:?} bench=${BENCH:?}
limit=${LIMIT_MB:-400}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

title()
{
    printf '\n## %s\n\n' "$*"
}

# cpu COMMAND...: the least CPU seconds of five runs
cpu()
{
    local best=999999 seconds
    for _ in 1 2 3 4 5; do
        seconds=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }')
        best=$(awk -v a="$best" -v b="$seconds" 'BEGIN { print (a < b ? a : b) }')
    done
    echo "$best"
}

# wall COMMAND...: the least seconds of five runs
wall()
{
    local best=999999 seconds
    for _ in 1 2 3 4 5; do
        seconds=$( { TIMEFORMAT=%R; time "$@" >/dev/null 2>&1; } 2>&1)
        best=$(awk -v a="$best" -v b="$seconds" 'BEGIN { print (a < b ? a : b) }')
    done
    echo "$best"
}

ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

# peer NAME SECONDS COMMAND...: how many times faster kith is
peer()
{
    local name=$1 mine=$2 theirs
    shift 2
    if ! command -v "$1" >/dev/null; then
        printf '%-28s not installed\n' "$name"
        return
    fi
    theirs=$(cpu "$@")
    printf '%-28s %8.2f s CPU, kith is %s times faster\n' "$name" "$theirs" "$(ratio "$theirs" "$mine")"
}

gather()
{
    local size=0 file
    mkdir "$scratch/tree"
    find /usr/share/doc /usr/share/perl /usr/lib/python3 /usr/include /usr/lib/x86_64-linux-gnu -xdev -type f \
        -size -4096k -printf '%s %p\0' 2>/dev/null | LC_ALL=C sort -z -k2 |
        while IFS=' ' read -r -d '' bytes file; do
            size=$((size + bytes))
            [ $size -le $((limit * 1000000)) ] || break
            printf '%s\0' "$file"
        done | xargs -0 cp --parents -t "$scratch/tree" 2>/dev/null
}

title "Sampler, one core, 256 KiB in the cache"
"$bench/bench_sampler"

title "Sketches of a megabyte of text, one core"
"$bench/bench_sketch"

title "Levenshtein distance of signatures, one core"
"$bench/bench_distance"

title "Estimate of the edit distance"
texts=${TEXTS:-$(find "$SRCDIR/../shared/corpora/hp/docs" /usr/share/doc -type f -size +16k \( -name '*.txt' -o -name copyright \) 2>/dev/null | head -n 100)}
# shellcheck disable=SC2086
for c in 128 64 32; do
    "$bench/bench_estimate" $c 12 13508 $texts
done

folder=${FOLDER:-$scratch/tree}
[ -n "${FOLDER:-}" ] || gather
files=$(find "$folder" -type f | wc -l)
bytes=$(find "$folder" -type f -printf '%s\n' | awk '{ s += $1 } END { print s }')
title "kith sign on $files files, $((bytes / 1000000)) MB, page cache warm"
"$kith" sign -q "$folder" >/dev/null
one=$(cpu "$kith" sign -q -j1 "$folder")
awk -v s="$one" -v b="$bytes" 'BEGIN { printf "%-28s %8.2f s CPU, %.0f MB/s\n", "kith sign -j1", s, b / s / 1e6 }'
one_wall=$(wall "$kith" sign -q -j1 "$folder")
two_wall=$(wall "$kith" sign -q -j2 "$folder")
printf '%-28s %8.2f s, with one thread %.2f s: %s times faster\n' "kith sign -j2" "$two_wall" "$one_wall" "$(ratio "$one_wall" "$two_wall")"
find "$folder" -type f -print0 >"$scratch/names"
peer "hashdeep -j0 -c sha1 -r" "$one" hashdeep -j0 -c sha1 -r "$folder"
peer "ssdeep -r" "$one" ssdeep -s -r "$folder"
peer "tlsh" "$one" tlsh_unittest -r "$folder"
peer "sdhash -r" "$one" sdhash -r "$folder"
peer "openssl dgst -sha1" "$one" xargs -0 -a "$scratch/names" openssl dgst -sha1

title "A large sparse file"
truncate -s 20G "$scratch/sparse" 2>/dev/null || true
/usr/bin/time -f '20 GB: %e s, %M KiB' "$kith" sign -q "$scratch/sparse" 2>&1 >/dev/null | tail -n 1

title "Disk images: walking, and reading all content, page cache warm"
bash "$(dirname "$0")/evidence.sh"

title "Reference sets: building, importing, looking up, finding again"
bash "$(dirname "$0")/sets.sh"

title "The scan: a disk image against reference sets"
bash "$(dirname "$0")/scan.sh"

title "Reports of a million findings"
"$bench/make_case" "$scratch/million.case" 1000000 && "$bench/bench_report" "$scratch/million.case"
title "A page of a million findings: seconds and KiB; one of 50,000 findings in the browser"
/usr/bin/time -f '%e s  %U s of processor time  %M KiB' "$kith" report --format html "$scratch/million.case" >"$scratch/page.html"
rm -f "$scratch/million.case"
"$bench/make_case" "$scratch/small.case" 50000 && "$kith" report --format html "$scratch/small.case" >"$scratch/page.html"
python3 "$(dirname "$0")/page.py" "$scratch/page.html"

title "Clustering: sketches with planted families; real files, beside ssdeep"
"$bench/bench_cluster"
bash "$(dirname "$0")/cluster.sh"

title "Content that is related to the set"
bash "$(dirname "$0")/related.sh"

title "Retrieval of Hamming fingerprints: alg.G, alg.H and a scan of all"
"$bench/bench_groups"
