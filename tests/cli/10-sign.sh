#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kith sign: digests as in coreutils, names, order, folders, threads, the schemes.
. "$(dirname "$0")/lib.sh"

# Field NUMBER of the record on standard input.
field()
{
    cut -d: -f"$1"
}

mkdir -p tree/b/deep tree/a tree/empty
text 1 40000 >tree/b/deep/text
head -c 100000 /dev/urandom >tree/a/random
: >tree/a/nothing
printf 'hello' >tree/tiny
truncate -s 3M tree/zeros
text 2 2000 >"tree/$(printf 'new\nline \\ \303\251 \377 "quote"')"

# digests and lengths are those of sha1sum, md5sum, sha256sum and stat
"$KITH" sign --md5 --sha256 tree/a/random tree/b/deep/text tree/a/nothing tree/zeros >records
while IFS=: read -r magic scheme _ _ _ length digests _ _ _ _ name; do
    same "magic of $name" kith1 "$magic"
    same "scheme of $name" gf8 "$scheme"
    same "length of $name" "$(stat -c %s "$name")" "$length"
    same "digests of $name" \
        "$(sha1sum <"$name" | cut -c1-40)/$(md5sum <"$name" | cut -c1-32)/$(sha256sum <"$name" | cut -c1-64)" "$digests"
done <records
same "number of records" 4 "$(wc -l <records)"

# folders: every file once, sorted by name at each level, one line each whatever the name
"$KITH" sign tree >records
same "files of the folder" "$(find tree -type f -printf x | wc -c)" "$(wc -l <records)"
cut -d: -f12 records >names
same "order" "$(cat <<'END'
tree/a/nothing
tree/a/random
tree/b/deep/text
tree/new\x0aline \\ é \xff "quote"
tree/tiny
tree/zeros
END
)" "$(cat names)"

# the same output for any number of threads and any level of instructions
for j in 1 2 3 8; do
    "$KITH" sign -j "$j" tree | cmp - records || fail "-j $j gives different records"
done
for cpu in scalar avx2 avx512; do
    if KITH_CPU=$cpu "$KITH" help >/dev/null 2>&1; then
        KITH_CPU=$cpu "$KITH" sign tree | cmp - records || fail "KITH_CPU=$cpu gives different records"
    fi
done

# standard input, and names from it
same "standard input" "$("$KITH" sign tree/b/deep/text | cut -d: -f1-11)" "$("$KITH" sign - <tree/b/deep/text | cut -d: -f1-11)"
same "a pipe in small pieces" "$("$KITH" sign tree/b/deep/text | cut -d: -f1-11)" \
    "$( (head -c 7777; sleep 0.1; cat) <tree/b/deep/text | "$KITH" sign - | cut -d: -f1-11)"
find tree -type f -print0 | LC_ALL=C sort -z | "$KITH" sign -0 | cut -d: -f1-11 | sort >from-input
cut -d: -f1-11 records | sort | cmp - from-input || fail "-0 gives different records"

# no samples from uniform content, and the density of small files
same "samples of zeros" "" "$("$KITH" sign tree/zeros | field 9)"
same "C of 2000 bytes" 32 "$("$KITH" sign tree/new* | field 4)"
same "C of 40000 bytes" 64 "$("$KITH" sign tree/b/deep/text | field 4)"
same "C as given" 32 "$("$KITH" sign -C 32 tree/b/deep/text | field 4)"

# the papers' schemes against a short implementation of the papers
for scheme in coates2011 coates2015; do
    for k in 0 7; do
        "$KITH" sign --scheme "$scheme" -n 9 -C 101 -k "$k" --json tree/b/deep/text >json
        same "$scheme k=$k positions" "$(python3 - "$scheme" "$k" tree/b/deep/text <<'PY'
import sys
data, n, c, k = open(sys.argv[3], 'rb').read(), 9, 101, int(sys.argv[2])
def h2015(w):
    h = 0
    for i, byte in enumerate(w):
        h ^= byte << 8 * (i % 8)
    return h
h = sum if sys.argv[1] == 'coates2011' else h2015
first = 1 if sys.argv[1] == 'coates2011' else 0
print([p for p in range(first, len(data) - n + 1) if h(data[p:p + n]) % c == k])
PY
)" "$(json json 'd["positions"]')"
    done
done
# in text of 2011, no bit is rare
"$KITH" sign --scheme coates2011 --json tree/b/deep/text >json
same "the bits of the sums" "$(python3 - tree/b/deep/text <<'PY'
import sys
data = open(sys.argv[1], 'rb').read()
sums = [sum(data[p:p + 10]) for p in range(1, len(data) - 9)]
print(''.join(str(s // 100 % 2) for s in sums if s % 100 == 0))
PY
)" "$(json json 'd["signature"]')"
[ "$(json json '.2 < d["signature"].count("1") / len(d["signature"]) < .8')" = True ] || fail "one bit is rare: $(cat json)"

# JSON is valid, with the same content, and names that are not text also in hexadecimal
"$KITH" sign --json --md5 tree/new* >json
same "path" 'tree/new\x0aline \\ é \xff "quote"' "$(json json 'd["path"]')"
same "path_hex" "$(printf '%s' tree/new* | od -An -tx1 | tr -d ' \n')" "$(json json 'd["path_hex"]')"
same "size" 2000 "$(json json 'd["size"]')"
same "sha1" "$(sha1sum <"$(echo tree/new*)" | cut -c1-40)" "$(json json 'd["sha1"]')"
same "md5" "$(md5sum <"$(echo tree/new*)" | cut -c1-32)" "$(json json 'd["md5"]')"
same "one of each per sample" True "$(json json 'len(d["signature"]) == len(d["positions"]) == len(d["fingerprints"]) > 30')"

# a large sparse file with data in its middle takes hardly any memory
truncate -s 600M sparse
printf 'something' | dd of=sparse bs=1 seek=345678901 conv=notrunc status=none
same "digest and memory of a sparse file" "$(sha1sum <sparse | cut -c1-40) True" "$(python3 - "$KITH" <<'PY'
import resource, subprocess, sys
out = subprocess.run([sys.argv[1], 'sign', '-j1', 'sparse'], capture_output=True).stdout
print(out.split(b':')[6].decode(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 300000)
PY
)"
finish
