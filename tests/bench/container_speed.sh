#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The cost of opening containers, CPU time of one process: container_speed.sh CORPUS, a folder of make_containers.py and
# containers/unrelated.py.  Of its docx, zip, tgz and pdf the scan is compared with the libraries alone, which unpack the same members
# and compute their SHA-1; and an image of files that are no containers is scanned with --containers no and without.
# IMAGE_MB: of the image.
set -u -o pipefail
PATH=$PATH:/usr/sbin:/sbin
kith=${KITH:?} bench=${BENCH:?} corpus=${1:?the corpus}
megabytes=${IMAGE_MB:-500}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v mke2fs >/dev/null || { echo "no mke2fs: nothing is measured"; exit 0; }

# cpu COMMAND...: the least CPU seconds of three runs
cpu()
{
    for _ in 1 2 3; do (TIMEFORMAT='%U %S'; { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'); done | sort -n | head -n 1
}

# memory COMMAND...: of its largest process, MB
memory()
{
    /usr/bin/time -o "$scratch/memory" -f %M "$@" >/dev/null 2>&1
    awk 'END { print int($1 / 1024) }' "$scratch/memory"
}

ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", (b > 0 ? a / b : 0) }'
}

# measure KIND FOLDER
measure()
{
    local alone line mine closed
    line=$(for _ in 1 2 3; do find "$2" -type f | LC_ALL=C sort | "$bench/bench_container" 1; done | sort -k2n | head -n 1)
    read -r _ alone members bytes <<<"$line"
    mine=$(cpu "$kith" scan -q -j1 -r "$scratch/strangers.kith" "$2")
    closed=$(cpu "$kith" scan -q -j1 --containers no -r "$scratch/strangers.kith" "$2")
    printf '| %s | %d | %d MB | %d | %d MB | %s s | %s s | %s | %s s |\n' "$1" "$(find "$2" -type f | wc -l)" "$(du -sm "$2" | cut -f1)" "$members" \
        "$((bytes / 1000000))" "$alone" "$mine" "$(ratio "$alone" "$mine")" "$closed"
}

mkdir "$scratch/tree" "$scratch/tree/docx" "$scratch/tree/zip" "$scratch/tree/tgz" "$scratch/tree/pdf"
find "$corpus" -path '*/evidence/*.docx' -exec cp -t "$scratch/tree/docx" --backup=numbered {} +
find "$corpus" -path '*/zip-other-*.zip' -exec cp -t "$scratch/tree/zip" --backup=numbered {} +
find "$corpus" -path '*/tgz-two-versions/*.tgz' -exec cp -t "$scratch/tree/tgz" --backup=numbered {} +
find "$corpus" -path '*/pdf-two-versions/*.pdf' -exec cp -t "$scratch/tree/pdf" --backup=numbered {} +
# Sound and pictures, to which none of the evidence is related.
"$kith" add -q "$scratch/strangers.kith" "$corpus/flac-other-tags/reference" "$corpus/png-other-tags/reference" >/dev/null

echo "| files | number | size | members | unpacked | libraries and SHA-1 | kith scan | speed | closed |"
echo "|---|---|---|---|---|---|---|---|---|"
for kind in docx zip tgz pdf; do
    measure "$kind" "$scratch/tree/$kind"
done
measure all "$scratch/tree"
echo
echo "largest process: $(memory "$kith" scan -q -j1 -r "$scratch/strangers.kith" "$scratch/tree") MB," \
    "with --containers no $(memory "$kith" scan -q -j1 --containers no -r "$scratch/strangers.kith" "$scratch/tree") MB"

# Text and programs, as far as nothing opens them.
find /usr -xdev -type f -size -700k \( -name '*.h' -o -name '*.c' -o -name '*.py' -o -name '*.txt' -o -name '*.so*' -o -name '*.pm' -o -name '*.js' \
    -o -path '/usr/bin/*' \) -printf '%s %p\n' 2>/dev/null | LC_ALL=C sort -k2 |
    awk -v limit=$((megabytes * 1000000)) '{ sum += $1; if (sum > limit) exit; sub(/^[0-9]+ /, ""); print }' >"$scratch/names"
mkdir "$scratch/plain"
tar -cf - --no-recursion -T "$scratch/names" 2>/dev/null | tar -xf - -C "$scratch/plain" --no-same-owner
mke2fs -q -F -t ext4 -d "$scratch/plain" "$scratch/plain.ext4" $((megabytes * 14 / 10))M >/dev/null
# In turns, so that whatever else the machine does affects all of them.
for _ in 1 2 3 4 5; do
    for mode in no known all; do
        echo "$(cpu "$kith" scan -q -j1 --containers "$mode" -r "$scratch/strangers.kith" "$scratch/plain.ext4") $mode"
    done
done | sort -n >"$scratch/times"
least()
{
    awk -v mode="$1" '$2 == mode { print $1; exit }' "$scratch/times"
}
closed=$(least no)
echo "an image of $(wc -l <"$scratch/names") files without containers: $(least all) s, with --containers known $(least known) s, no $closed s:" \
    "$(ratio "$(least all)" "$closed") and $(ratio "$(least known)" "$closed") times as long;" \
    "$("$kith" ls -q --containers all --csv "$scratch/plain.ext4" | grep -c ',member,') members"
