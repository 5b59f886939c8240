#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A module of lib includes only modules of the rows above its own (ARCHITECTURE.md tells the rows), every public name
# begins with the module's, and the outside libraries are each known to one module.  X_inner.h is a part of module X.
set -u
cd "${SRCDIR:-.}" || exit 99
failures=0

rows=$(sed -n '/^## Layers/,/^## /{/^```/,/^```/p}' ARCHITECTURE.md | grep -v '^```' | grep -v '^src/')
[ -n "$rows" ] || { echo "FAILED: ARCHITECTURE.md has no layers"; exit 1; }

row_of()
{
    local number=0 line
    while read -r line; do
        number=$((number + 1))
        case " $line " in *" $1 "*) echo $number; return ;; esac
    done <<<"$rows"
    echo 0
}

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

for file in lib/*.c lib/*.h; do
    module=$(basename "${file%.*}")
    module=${module%_inner}
    mine=$(row_of "$module")
    [ "$mine" -gt 0 ] || fail "$module stands in no row"
    for other in $(sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$file"); do
        other=${other%_inner}
        [ "$other" = "$module" ] && continue
        theirs=$(row_of "$other")
        [ "$theirs" -gt 0 ] || { fail "$file includes $other.h, which is not in lib"; continue; }
        [ "$theirs" -lt "$mine" ] || fail "$file includes $other.h, which is not in a row above"
    done
done

# outside libraries
only()
{
    local found
    found=$(grep -lE "#include <$1" lib/*.[ch] src/*.[ch] | tr '\n' ' ')
    [ "$found" = "$2 " ] || fail "<$1...> is included by $found, not by $2 alone"
}
only openssl/ lib/digest.c
only tsk/ lib/tsk.h
only sqlite3.h "lib/database_inner.h"
only libewf.h lib/backend_libewf.c
only zlib.h lib/deflate.c
only seccomp.h lib/sandbox.c
only linux/landlock.h lib/sandbox.c
only pthread.h "lib/queue.c src/terminal.c"

# the library neither prints nor exits
grep -nE '\b(printf|puts|putchar|fprintf|perror|exit|abort)\(' lib/*.[ch] && fail "lib prints or exits"

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
