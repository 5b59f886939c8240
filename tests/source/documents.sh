#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Names in documents exist: files and, in those for developers, modules, functions, options.  In the map of the source everything
# between backticks must be a name of one of these kinds, and each line of its walk names functions of the file it begins with.
# In names of files X, Y and NN stand for anything.
set -u
cd "${SRCDIR:-.}" || exit 99
endings='c|h|sh|py|md|json|[15]'
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

files=$(find lib src tests man hashsets -type f; ls)
declare -A words # of the code, without its comments
while read -r word; do
    words[$word]=1
done < <(grep -hv '^ *\(/\*\|\*\)' lib/*/*.[ch] src/*.[ch] | sed 's|/\*.*||' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u)
[ ${#words[@]} -gt 1000 ] || { echo "FAILED: there is no source"; exit 1; }

# is_file NAME: a path, or the end of one
is_file()
{
    local pattern
    pattern=$(sed -E ':a; s/(^|[^A-Z])(NN|[XY])([^A-Z]|$)/\1*\3/; ta; s/\./\\./g; s/\*/[^\/]*/g' <<<"$1")
    grep -qE "(^|/)$pattern\$" <<<"$files"
}

is_module()
{
    [ -d "lib/$1" ] || [ -d "$1" ] || is_file "$1.c" || is_file "$1.h"
}

# is_option CODE: occurs in a row of a table of options
is_option()
{
    grep -qE "\{[^,]*$1" src/*.[ch]
}

# is_known NAME: may stand between backticks
is_known()
{
    local word
    case $1 in
        struct\ * | enum\ *) grep -qE "^ *$1 \{" lib/*/*.[ch] src/*.[ch] ;;
        kith-*\([157]\)) word=${1%)}; is_file "man/${word/(/.}" ;;
        kith\ *) word=${1#kith }; is_file "man/kith-${word%% *}.1" ;;
        --*) is_option ", \"${1#--}\"" ;;
        -[a-zA-Z]) is_option "'${1#-}', " ;;
        \{*\}) for word in ${1//[,\{\}]/ }; do [ -n "${words[$word]:-}" ] || return 1; done ;;
        */) [ -d "$1" ] ;;
        *) [[ $1 =~ \.($endings)$ ]] && is_file "$1" || is_module "$1" || [ -n "${words[$1]:-}" ] ;;
    esac
}

check_files()
{
    local name
    while read -r name; do
        is_file "${name#./}" || fail "$1: there is no file $name"
    done < <(grep -oE "[A-Za-z0-9_./*-]*[A-Za-z0-9_*]\.($endings)\b" "$1" | grep -E '[A-Za-z]' | sort -u)
}

# check_names DOCUMENT: files and, wherever they stand, names that only code has
check_names()
{
    local name
    check_files "$1"
    while read -r name; do
        is_module "$name" || [ -n "${words[$name]:-}" ] || fail "$1: nothing is called $name"
    done < <(sed -E "s/[A-Za-z0-9_.\/*-]*\.($endings)\b//g" "$1" | grep -oE '[a-zA-Z0-9]+(_[a-zA-Z0-9]+)+(_\*)?' | sort -u)
}

check_backticks()
{
    local name
    while read -r name; do
        is_known "$name" || fail "$1: what is '$name'?"
    done < <(grep -v '^```' "$1" | grep -oE '`[^`]+`' | tr -d '`' | sort -u)
}

# check_walk DOCUMENT: lines of a file, its functions, and remarks after two blanks
check_walk()
{
    local file rest name count=0
    while read -r file rest; do
        count=$((count + 1))
        for name in ${rest%%  *}; do
            grep -qE "^[a-z].*\b$name\(" "$file" || fail "$1: $file has no function $name"
        done
    done < <(sed -n '/^```/,/^```/p' "$1" | grep -E '^(lib|src)/[a-z0-9_/]*\.c ')
    [ $count -gt 0 ] || fail "$1 has no walk"
}

check_walk ARCHITECTURE.md
for document in ARCHITECTURE.md lib/*/README.md; do
    check_names "$document"
    check_backticks "$document"
done
check_names HACKING.md
for document in BENCHMARKS.md CONTRIBUTING.md ERROR-RATES.md README.md SECURITY.md; do
    check_files "$document"
done

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
