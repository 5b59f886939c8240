#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole scan: its speed as a ratio to an EVP SHA-1 loop over the same files, against the size of the set, with related files,
# and compared with the peers that are installed.  IMAGE_MB: of the image; SET_FILES: in the large set.
set -u -o pipefail
PATH=$PATH:/usr/sbin:/sbin
kith=${KITH:?} bench=${BENCH:?}
megabytes=${IMAGE_MB:-1500} set_files=${SET_FILES:-100000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT=%R
jobs=$(getconf _NPROCESSORS_ONLN)

for tool in mke2fs python3; do
    command -v $tool >/dev/null || { echo "no $tool: nothing is measured"; exit 0; }
done

# Small files, in the order found, up to the limit: those of the image; then those of the set.
find /usr -xdev -type f -size -700k -printf '%s %p\n' 2>/dev/null | LC_ALL=C sort -k2 |
    awk -v limit=$((megabytes * 1000000)) -v image="$scratch/image" -v set="$scratch/set" -v most="$set_files" '{
        sum += $1; path = $0; sub(/^[0-9]+ /, "", path)
        if (sum <= limit) print path > image; else if (n++ < most) print path > set }'
touch "$scratch/set"
mkdir "$scratch/tree" "$scratch/strangers"
tar -cf - --no-recursion -T "$scratch/image" 2>/dev/null | tar -xf - -C "$scratch/tree" --no-same-owner
mke2fs -q -F -t ext4 -d "$scratch/tree" "$scratch/image.ext4" $((megabytes * 16 / 10))M
[ -s "$scratch/set" ] || cp "$scratch/image" "$scratch/set"
head -n "$set_files" "$scratch/set" | awk -v to="$scratch/strangers" '{ printf "%s%c%s/%d%c", $0, 0, to, NR, 0 }' |
    xargs -0 -n 2 "$bench/bench_scan" strangers
find "$scratch/strangers" -type f | LC_ALL=C sort | awk 'NR % 100 == 1' | tar -cf - -T - 2>/dev/null | (mkdir "$scratch/few" && tar -xf - -C "$scratch/few")
"$kith" add -q "$scratch/large.kith" "$scratch/strangers" >/dev/null
"$kith" add -q "$scratch/small.kith" "$scratch/few" >/dev/null
"$kith" add -q "$scratch/related.kith" "$scratch/tree" >/dev/null
find "$scratch/tree" -type f >"$scratch/files"
xargs -d '\n' cat <"$scratch/files" >/dev/null
cat "$scratch/image.ext4" >/dev/null

# best COMMAND...: the least of five wall times
best()
{
    for _ in 1 2 3 4 5; do { time "$@" >/dev/null 2>&1; } 2>&1; done | sort -n | head -n 1
}

# cpu COMMAND...: the least of five CPU times
cpu()
{
    for _ in 1 2 3 4 5; do (TIMEFORMAT='%U %S'; { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'); done | sort -n | head -n 1
}

scan()
{
    best "$kith" scan -q --only file "$@" "$scratch/image.ext4"
}

ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

sha1=$(for _ in 1 2 3 4 5; do "$bench/bench_scan" sha1 "$jobs" <"$scratch/files"; done | sort -n | head -n 1)
sha1_one=$(for _ in 1 2 3; do "$bench/bench_scan" sha1 1 <"$scratch/files"; done | sort -n | head -n 1)
large=$(scan -r "$scratch/large.kith") small=$(scan -r "$scratch/small.kith") one=$(scan -j1 -r "$scratch/large.kith")
echo "$(wc -l <"$scratch/files") files of $(du -sm "$scratch/tree" | cut -f1) MB on ext4; set of $(find "$scratch/strangers" -type f | wc -l) files unrelated to them"
echo "EVP SHA-1 over the files, $jobs processes: $sha1 s; scan: $large s: $(ratio "$sha1" "$large") of that speed (one process: $(ratio "$sha1_one" "$one"))"
# All kinds against those of files and free blocks, and the map of claims by itself, on one core: CPU time.
content=file,deleted,orphan,stream,slack,unallocated,gap
files=$(cpu "$kith" scan -q -j1 --only $content -r "$scratch/large.kith" "$scratch/image.ext4")
claims=$(cpu "$kith" scan -q -j1 --only $content,unclaimed -r "$scratch/large.kith" "$scratch/image.ext4")
all=$(cpu "$kith" scan -q -j1 -r "$scratch/large.kith" "$scratch/image.ext4")
echo "files, slack and free blocks: $files s of CPU time; with the account of all claims $(ratio "$claims" "$files") x, with metadata and folders as well $(ratio "$all" "$files") x"
echo "the same with a set of a hundredth: $small s; the larger one costs $(ratio "$large" "$small") x"
echo "with a set of the very files (all identical): $(scan -r "$scratch/related.kith") s"
echo "into a case, without the image's SHA-1: $(best bash -c "rm -f '$scratch/case'; '$kith' scan -q --only file --no-hash-image --case '$scratch/case' -r '$scratch/large.kith' '$scratch/image.ext4'") s"
memory=$(/usr/bin/time -f %M "$kith" scan -q -r "$scratch/large.kith" "$scratch/image.ext4" 2>&1 >/dev/null | tail -n 1)
echo "largest process: $((memory / 1024)) MB; the set has $(du -m "$scratch/large.kith" | cut -f1) MB"
found=$("$kith" scan -q --csv -r "$scratch/large.kith" "$scratch/image.ext4" | tail -n +2 | wc -l)
echo "findings that chance gives (E < 0.001): $found of $("$kith" ls -q --csv "$scratch/image.ext4" | tail -n +2 | wc -l) objects"

# peers, on one core, with a set of a thousand real files
head -n 1000 "$scratch/files" >"$scratch/some"
mkdir "$scratch/known"
tar -cf - -T "$scratch/some" 2>/dev/null | tar -xf - -C "$scratch/known"
"$kith" add -q "$scratch/known.kith" "$scratch/known" >/dev/null
mine=$(best "$kith" scan -q -j1 --only file -r "$scratch/known.kith" "$scratch/image.ext4")
echo "a set of 1000 of the files, one process: $mine s"
if command -v hashdeep >/dev/null; then
    hashdeep -c sha1 -r "$scratch/known" >"$scratch/known.hd" 2>/dev/null
    echo "  hashdeep -m: $(ratio "$({ time hashdeep -c sha1 -j0 -r -m -k "$scratch/known.hd" "$scratch/tree" >/dev/null 2>&1; } 2>&1)" "$mine") x as long"
fi
if command -v ssdeep >/dev/null; then
    ssdeep -s -r "$scratch/known" >"$scratch/known.ss" 2>/dev/null
    echo "  ssdeep -m: $(ratio "$({ time ssdeep -s -r -m "$scratch/known.ss" "$scratch/tree" >/dev/null 2>&1; } 2>&1)" "$mine") x as long"
fi
if command -v sdhash >/dev/null; then # its comparing of one digest in fifty, times fifty
    sdhash -r -p 1 "$scratch/known" -o "$scratch/known" >/dev/null 2>&1
    making=$({ time sdhash -r -p 1 "$scratch/tree" -o "$scratch/tree" >/dev/null 2>&1; } 2>&1)
    awk 'NR % 50 == 1' "$scratch/tree.sdbf" >"$scratch/some.sdbf"
    comparing=$({ time sdhash -p 1 -c "$scratch/some.sdbf" "$scratch/known.sdbf" >/dev/null 2>&1; } 2>&1)
    echo "  sdhash: $(ratio "$making" "$mine") x as long for the digests, $(awk -v a="$comparing" -v b="$mine" 'BEGIN { printf "%.0f", 50 * a / b }') x for sdhash -c"
fi
