#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The list of libtsk's faults, lib/disk/quirks.h, and the sources agree: each name that is used has an entry, each entry is used
# by code and complete, its image and its test exist, and no fault is described anywhere else.
set -u
cd "${SRCDIR:-.}" || exit 99
list=lib/disk/quirks.h
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# field NAME: of the entry that is being checked, in one line
field()
{
    sed -n "/^ \* $1: /,/^ \* [a-z]*: \|^ \*\//{/^ \* $1: /p;/^ \*   /p}" <<<"$entry" | sed "s/^ \* $1://; s/^ \*//" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# check_test FILE [NAME]
check_test()
{
    if [ ! -e "$1" ]; then
        fail "$quirk: there is no test $1"
    elif [[ $1 == *.c ]] && ! grep -q "^START_TEST(${2:-})" "$1"; then
        fail "$quirk: $1 has no test '${2:-}'"
    elif ! grep -qF "$1" Makefile.am && ! grep -qF "${1%.c}" Makefile.am; then
        fail "$quirk: make check does not run $1"
    fi
}

# check_image SCRIPT NAME: only what a test of this list makes itself needs to say so
check_image()
{
    case $1 in
        images.sh) grep -qxF "$2" <<<"$images" || fail "$quirk: images.sh makes no $2" ;;
        planted.py) grep -qxF "$2" <<<"$planted" || fail "$quirk: planted.py makes no $2" ;;
        made) ;;
        *) fail "$quirk: unknown image '$*'" ;;
    esac
}

images=$(bash tests/data/images.sh --list)
planted=$(python3 tests/data/planted.py --list)
names=$(sed -n 's/^ \* \(QUIRK_[A-Z_]*\)$/\1/p' "$list")
[ -n "$names" ] || { echo "FAILED: $list lists nothing"; exit 1; }
[ -z "$(sort <<<"$names" | uniq -d)" ] || fail "listed twice: $(sort <<<"$names" | uniq -d)"
for quirk in $names; do
    entry=$(sed -n "/^ \* $quirk$/,/^ \*\//p" "$list")
    for name in versions libtsk kith image test; do
        [ -n "$(field $name)" ] || fail "$quirk has no $name"
    done
    # shellcheck disable=SC2046
    check_image $(field image)
    while read -r -d ';' file name; do
        check_test "$file" "$name"
    done <<<"$(field test);"
    if [ "$(field test)" = tests/cli/43-ls-quirks.sh ]; then
        grep -qw "$quirk" tests/cli/43-ls-quirks.sh || fail "tests/cli/43-ls-quirks.sh does not name $quirk"
    fi
    grep -qrw --exclude=quirks.h "$quirk" lib configure.ac || fail "nothing refers to $quirk"
done

while read -r name; do
    grep -qxF "$name" <<<"$names" || fail "$name has no entry: $(grep -rlw "$name" lib src tests configure.ac | tr '\n' ' ')"
done < <(grep -rhoE --exclude=quirks.sh '\bQUIRK_[A-Z_]+' lib src tests configure.ac | sort -u)

elsewhere=$(grep -rnE --include=*.[ch] --exclude=quirks.h '(libtsk|[Ss]ince) (up to )?4\.[0-9]' lib src)
[ -z "$elsewhere" ] || fail "describe faults in $list: $elsewhere"

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
