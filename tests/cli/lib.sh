# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the program.  KITH is the program; each test runs in a folder of its own.
# shellcheck shell=bash
set -u -o pipefail
KITH=${KITH:?set by make check}
unset KITH_CPU NO_COLOR
export TERM=dumb LC_ALL=C.UTF-8
scratch=$(mktemp -d)
trap 'chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
failures=0

# FIRST_FAILURE=yes: the first one is enough
fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
    [ -z "${FIRST_FAILURE:-}" ] || exit 1
}

# same WHAT EXPECTED ACTUAL
same()
{
    [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# status EXPECTED COMMAND...: runs it, output to ./out and ./err
status()
{
    local expected=$1 got
    shift
    "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$expected" ] || fail "'$*': exit $got instead of $expected: $(head -c 300 err)"
}

# says FILE TEXT: the file holds the text
says()
{
    grep -qF -- "$2" "$1" || fail "$1 does not say '$2': $(head -c 300 "$1")"
}

# json FILE EXPRESSION: value of a Python expression over the object d
json()
{
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# flip_bit FILE OFFSET: changes one bit of that byte
flip_bit()
{
    python3 -c 'import sys
f = open(sys.argv[1], "r+b"); o = int(sys.argv[2]); f.seek(o); b = f.read(1); f.seek(o); f.write(bytes([b[0] ^ 1 << o % 8]))' "$@"
}

# texts: for each line "SEED BYTES FILE" of standard input: English-like words in that file, always the same for a seed
texts()
{
    python3 -c '
import random, sys
for line in sys.stdin:
    seed, size, path = line.rstrip("\n").split(" ", 2)
    r = random.Random(int(seed))
    words = ["".join(r.choice("etaoinshrdlucmfwypvbgk") for _ in range(r.randint(2, 9))) for _ in range(3000)]
    out, length = [], 0 # adding to a string would copy it each time
    while length < int(size):
        out.append(r.choice(words) + (" " if r.random() < .9 else "\n"))
        length += len(out[-1])
    with sys.stdout if path == "-" else open(path, "w") as file:
        file.write("".join(out)[:int(size)])'
}

# text SEED BYTES: the same on standard output
text()
{
    texts <<<"$1 $2 -"
}

# images COMMAND...: skips the test if the tools that make images are not all here
images()
{
    local tool
    PATH=$PATH:/usr/sbin:/sbin
    for tool in mke2fs debugfs mkfs.fat mcopy xorriso sfdisk ewfacquirestream qemu-img "$@"; do
        command -v "$tool" >/dev/null || skip "no $tool, of those that make images"
    done
}

skip()
{
    echo "SKIPPED: $*"
    exit 77
}

finish()
{
    [ "$failures" -eq 0 ] && echo "all right"
    exit $((failures > 0))
}
