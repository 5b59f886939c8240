# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the account: lists and scans images into files that accounted.py checks.
# shellcheck shell=bash
mkdir -p results
seconds=${OBJECT_SECONDS:-2} # enough for all objects except those that never end; a slow build needs more
export PYTHONDONTWRITEBYTECODE=1

# listed RESULT COMMAND...: exits with 0, or with 3 if something could not be read; the sums are right
listed()
{
    local result=$1 got
    shift
    "$@" >"$result" 2>err </dev/null
    got=$?
    case $got in
        0) ;;
        3) [ -s err ] || grep -qE ',(partial|unreadable): ' "${result%.*}.ls" || fail "'$*': exit 3 without a reason" ;;
        *) fail "'$*': exit $got: $(head -c 300 err)" ;;
    esac
    grep -i 'add up' err && fail "'$*': $(head -c 300 err)"
}

# accounted IMAGE [SIZE]
accounted()
{
    local stem
    stem=results/$(basename "$1")
    echo "${2:-$(stat -c %s "$1")}" >"$stem.size"
    listed "$stem.ls" "$KITH" ls --containers no --object-seconds "$seconds" --csv "$1"
    listed "$stem.account" "$KITH" ls --object-seconds "$seconds" --account "$1"
}

# scanned IMAGE SET
scanned()
{
    listed "results/$(basename "$1").scan" "$KITH" scan --object-seconds "$seconds" --csv -r "$2" "$1"
}
