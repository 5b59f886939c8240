#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two ext4 images whose folders are hostile, made without privileges.
#
#   bash deep.sh OUT
#
# OUT/deep.img: 10,000 nested folders, with a file at the bottom and one half way down.
# OUT/cycle.img: folders with entries that lead back: to the folder itself, to its parent's parent, to the root, and two folders that
# hold each other.  Each file must be found once, under its path without a cycle.
# Each with a .truth as images.sh describes it.
#
# Packages (Debian 12): e2fsprogs python3
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8 TZ=UTC PATH=$PATH:/usr/sbin:/sbin E2FSPROGS_FAKE_TIME=1704164645
UUID=6b697468-0000-4000-8000-000000000002
DEPTH=10000

die()
{
    echo "deep.sh: $*" >&2
    exit 1
}

# debug IMAGE <COMMANDS: runs debugfs, which never fails, and fails if it printed an error
debug()
{
    debugfs -w -f /dev/stdin "$1" >said 2>complaints || true
    if grep -qv '^debugfs 1' complaints; then
        head -5 complaints >&2
        die "debugfs failed"
    fi
}

# steps N NAME: N times "NAME/", without the last slash
steps()
{
    python3 -c 'import sys; print("/".join([sys.argv[2]] * int(sys.argv[1])))' "$1" "$2"
}

deep()
{
    local half=$((DEPTH / 2))
    python3 "$here/truth.py" tree src <<'EOF'
text 301 5000 bottom.txt
text 302 6000 half-way.txt
EOF
    # more than one inode and block for each folder
    quietly mke2fs -q -F -t ext4 -U $UUID -E hash_seed=$UUID,root_owner=0:0 -O ^has_journal -b 1024 -I 128 -N $((DEPTH + 240)) \
        "$out/deep.img" 16M
    python3 - $DEPTH $half <<'EOF' | debug "$out/deep.img"
import sys
depth, half = map(int, sys.argv[1:])
for i in range(1, depth + 1):
    print("mkdir d\ncd d")
    if i == half:
        print("write src/half-way.txt half-way.txt")
print("write src/bottom.txt bottom.txt")
EOF
    python3 "$here/truth.py" of - src "as=bottom.txt=$(steps $DEPTH d)/bottom.txt" "as=half-way.txt=$(steps $half d)/half-way.txt" |
        LC_ALL=C sort -t "$(printf '\t')" -k3,3 >"$out/deep.truth"
}

cycle()
{
    python3 "$here/truth.py" tree src <<'EOF'
text 311 5000 a/b/c/bottom.txt
text 312 5001 a/beside.txt
text 313 5002 self/file.txt
text 314 5003 one/file.txt
text 315 5004 two/file.txt
text 316 5005 top.txt
EOF
    quietly mke2fs -q -F -t ext4 -U $UUID -E hash_seed=$UUID,root_owner=0:0 -O ^has_journal -b 1024 -d src "$out/cycle.img" 4M
    debug "$out/cycle.img" <<'EOF'
link /a /a/b/c/grandparent
link / /a/b/c/root
link /self /self/self
link /two /one/two
link /one /two/one
EOF
    python3 "$here/truth.py" of - src | LC_ALL=C sort -t "$(printf '\t')" -k3,3 >"$out/cycle.truth"
}

# quietly COMMAND...: shows its output only if it fails
quietly()
{
    "$@" >said 2>&1 </dev/null || { cat said >&2; die "failed: $*"; }
}

[ $# -eq 1 ] || die "usage: deep.sh OUT"
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d "$out/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
for image in deep cycle; do
    rm -f "$out/$image".*
    mkdir "$work/$image"
    cd "$work/$image"
    $image
done
