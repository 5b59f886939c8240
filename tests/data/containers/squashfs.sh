#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the file systems in squashfs/, one for each method of compression, and prints the SHA-1 of the files that they
# contain.  Needs mksquashfs.
set -eu
cd "$(dirname "$0")"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p squashfs "$tree/deep/er/still" "$tree/many"
rm -f squashfs/*

seq 1 2000 >"$tree/numbers" # several blocks and a fragment
head -c 8192 "$tree/numbers" >"$tree/two-blocks"
(printf start && head -c 20000 /dev/zero && printf end) >"$tree/sparse"
: >"$tree/empty"
echo short >"$tree/deep/er/still/short"
ln "$tree/numbers" "$tree/second-name"
ln -s numbers "$tree/link"
echo 'not UTF-8' >"$tree/$(printf 'caf\351')"
for i in $(seq 300); do # more than one part of a listing
    echo "$((i % 7))" >"$tree/many/$i"
done

make_one() # NAME OPTIONS...
{
    local name=$1
    shift
    mksquashfs "$tree" "squashfs/$name" -noappend -nopad -quiet -no-progress -no-xattrs -all-root -b 4096 \
        -mkfs-time 1700000000 -all-time 1700000000 "$@" >/dev/null
}
for method in gzip lzma lzo xz lz4 zstd; do
    make_one "$method" -comp $method
done
make_one stored -noI -noD -noF
make_one no-fragments -no-fragments
(cd "$tree" && LC_ALL=C && sha1sum numbers two-blocks sparse empty deep/er/still/short caf* many/300)
ls -l squashfs
