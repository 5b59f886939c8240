#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A module of lib includes only modules of the rows above its own (ARCHITECTURE.md tells the rows), every public name
# begins with the module's, and the outside libraries are each known to one module.  X_inner.h is a part of module X.
set -u
cd "${SRCDIR:-.}" || exit 99
failures=0

rows='
bytes chance error format inodes sample
bits buffer cpu extdir extmap fat ntfs sandbox tsk
bloom crc crew distance_simd escape keyblock names packing queue repeats siphash walk wire
chain coates crew_task crew_worker database digest distance csv finding gf8 object segments
backend blocks database_check database_pages database_statement inspector json kdb lines sampler
backend_ewf backend_raw backend_tsk content estimate list record
compare hasher known list_ahead list_csv list_encase list_hashdeep list_kith list_sql list_text list_vic medium proof refset
disk list_rds_delta list_sqlite refset_index
filesystem refset_index_builder refset_index_filter refset_index_write refset_reader refset_search
filesystem_objects refset_cache refset_verify refset_writer
batch evidence_sink matcher refset_copy refset_writer_digests refset_writer_files refset_writer_join refset_writer_records refset_writer_sources
casefile evidence_task matcher_align matcher_judge matcher_lookup matcher_name matcher_whole scanner
casefile_log casefile_reader casefile_values casefile_verify casefile_writer matcher_kin reading
matcher_search reading_host reading_image reading_names
evidence
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
only libewf.h lib/backend_ewf.c
only seccomp.h lib/sandbox.c
only linux/landlock.h lib/sandbox.c
only pthread.h "lib/queue.c src/terminal.c"

# the library neither prints nor exits
grep -nE '\b(printf|puts|putchar|fprintf|perror|exit|abort)\(' lib/*.[ch] && fail "lib prints or exits"

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
