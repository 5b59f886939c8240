#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The cost of walking and reading images, compared with The Sleuth Kit's own tools: part of make bench, and also
#   evidence.sh images OUT    makes the images: ext4.img, ntfs.img and ext4.E01 of about 1.5 GB of the system's own files
set -u -o pipefail
PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
megabytes=${IMAGE_MB:-1500}

# Small files first, in many folders: as many as fit, at most 200 kB each.
gather()
{
    mkdir -p "$1"
    find /usr -xdev -type f -size -700k -printf '%s %p\n' 2>/dev/null | LC_ALL=C sort -k2 |
        awk -v limit=$((megabytes * 1000000)) '{ sum += $1; if (sum > limit) exit; sub(/^[0-9]+ /, ""); print }' |
        tar -cf - --no-recursion -T - 2>/dev/null | tar -xf - -C "$1" --no-same-owner
}

make_images()
{
    [ -e "$1/done" ] && return
    mkdir -p "$1"
    gather "$1/tree"
    mke2fs -q -F -t ext4 -d "$1/tree" "$1/ext4.img" $((megabytes * 16 / 10))M
    truncate -s $((megabytes * 17 / 10))M "$1/ntfs.img"
    mkntfs -F -Q -q -s 512 -p 0 -H 16 -S 63 "$1/ntfs.img" >/dev/null
    python3 "$here/../data/ntfs.py" "$1/ntfs.img" fill "$1/tree"
    ewfacquirestream -q -t "$1/ext4" -C x -D x -E x -e x -N x -c deflate:fast -S 8GiB <"$1/ext4.img" >/dev/null 2>&1
    rm -rf "$1/tree"
    touch "$1/done"
}

# field NAME LINE
field()
{
    awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }' <<<"$2"
}

# best WHAT JOBS IMAGE: the line of least CPU time of five runs
best()
{
    for _ in 1 2 3 4 5; do "$bench/bench_evidence" "$@"; done | sort -k2n | head -n 1
}

# cpu COMMAND...: the least CPU seconds of three runs
cpu()
{
    local seconds
    for _ in 1 2 3; do
        seconds=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 | tail -n 1)
        awk '{ print $1 + $2 }' <<<"$seconds"
    done | sort -n | head -n 1
}

ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

against()
{
    local name=$1 mine=$2 theirs
    shift 2
    command -v "$1" >/dev/null || { echo "  $name: not installed"; return; }
    theirs=$(cpu "$@")
    echo "  $name: $theirs s CPU; kith's content takes $(ratio "$mine" "$theirs") of that"
}

measure()
{
    local images=$1 name image line mine
    for name in ext4 ntfs; do
        image=$images/$name.img
        cat "$image" >/dev/null
        line=$(best files 1 "$image")
        mine=$(field cpu "$line")
        echo "$name: all content read in $mine s CPU, $(field objects "$line") objects, $(($(field bytes "$line") / 1000000)) MB," \
            "read $(ratio "$(field read "$line")" "$(field bytes "$line")") x content, largest process $(field largest_mb "$line") MB"
        echo "  names and places alone: $(field cpu "$(best names 1 "$image")") s CPU"
        echo "  two workers: $(field wall "$(best files 2 "$image")") s wall, one: $(field wall "$line")"
        against "fls -r" "$mine" fls -r "$image"
        against "tsk_recover -a" "$mine" bash -c "rm -rf '$images/recovered'; tsk_recover -a '$image' '$images/recovered'"
        rm -rf "$images/recovered"
        against "tsk_loaddb -h" "$mine" bash -c "rm -f '$images/x.db'; tsk_loaddb -h -d '$images/x.db' '$image'"
        against "fiwalk -X" "$mine" bash -c "rm -f '$images/x.xml'; fiwalk -X '$images/x.xml' '$image'"
        rm -f "$images/x.db" "$images/x.xml"
        line=$(best unallocated 1 "$image")
        echo "  free blocks: $(($(field bytes "$line") / 1000000)) MB in $(field cpu "$line") s CPU"
        against "blkls" "$(field cpu "$line")" blkls "$image"
    done
    line=$(best files 1 "$images/ext4.E01")
    echo "E01: all content in $(field cpu "$line") s CPU, $(field wall "$line") s; two workers $(field wall "$(best files 2 "$images/ext4.E01")") s"
}

if [ "${1:-}" = images ]; then
    make_images "${2:?where to}"
    exit
fi
bench=${BENCH:?}
for tool in mke2fs mkntfs ewfacquirestream; do
    command -v $tool >/dev/null || { echo "no $tool: nothing is measured"; exit 0; }
done
folder=${IMAGES:-$(mktemp -d)}
[ -n "${IMAGES:-}" ] || trap 'rm -rf "$folder"' EXIT
make_images "$folder"
measure "$folder"
