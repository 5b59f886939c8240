#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A module of lib includes only modules of the rows above its own (ARCHITECTURE.md tells the rows), every public name
# begins with the module's, and the outside libraries are each known to one module.
set -u
cd "${SRCDIR:-.}" || exit 99
failures=0

rows='
bytes error sample
buffer cpu
distance_simd escape queue walk
chain coates digest distance gf8
sampler
estimate record
compare hasher
'
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
    mine=$(row_of "$module")
    [ "$mine" -gt 0 ] || fail "$module stands in no row"
    for other in $(sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$file"); do
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
only pthread.h "lib/queue.c src/terminal.c"

# the library neither prints nor exits
grep -nE '\b(printf|puts|putchar|fprintf|perror|exit|abort)\(' lib/*.[ch] && fail "lib prints or exits"

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
