#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the fuzz targets on the inputs of their corpora.  Needs FUZZ, the folder of the targets, and SRCDIR.
set -u

status=0

fail()
{
    echo "replay.sh: $*" >&2
    status=1
}

# replay TARGET: each input of its corpus must have been run; libFuzzer itself takes -runs=0 for "only these".
replay()
{
    local corpus="$SRCDIR/tests/fuzz/corpus/$1" output runs files
    output=$("$FUZZ/fuzz_$1" -runs=0 "$corpus" 2>&1) || {
        echo "$output" >&2
        fail "fuzz_$1 failed"
        return
    }
    files=$(find "$corpus" -type f | wc -l)
    runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' <<<"$output")
    echo "fuzz_$1: ${runs:-no} runs, $files inputs"
    if [ "$files" -eq 0 ] || [ "${runs:-0}" -lt "$files" ]; then
        fail "fuzz_$1 did not run all inputs of $corpus"
    fi
}

for source in "${SRCDIR:-.}"/tests/fuzz/fuzz_*.c; do
    source=$(basename "$source" .c)
    replay "${source#fuzz_}"
done
exit "$status"
