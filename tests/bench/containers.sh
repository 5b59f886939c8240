#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How many related files kith finds whose content is packed, converted or compressed, class by class, with containers opened and
# not, beside the peers that are installed: containers.sh FOLDER, which gets the corpus of make_containers.py if it has none.
# KITH: the program.  Each class has a set of its own; options are the default ones.  A pair counts as found if a finding in the
# evidence file, or in a member of it, names the reference file or a member of it.  A second table counts findings between unrelated
# documents.
set -u -o pipefail
kith=${KITH:?} folder=${1:?where the corpus is, or is to be}
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$folder/pairs.csv" ] || python3 "$here/make_containers.py" "$folder" || exit 1
[ -e "$folder/unrelated" ] || python3 "$here/containers/unrelated.py" "$folder/unrelated" "$folder/packages" || exit 1

# scan_folder SET-WITHOUT-ENDING EVIDENCE OPTIONS...: what is found, beside the set; nothing if it could not be scanned
scan_folder()
{
    local set=$1 evidence=$2 status
    shift 2
    "$kith" scan -q --csv "$@" -r "$set.kith" "$evidence" >"$set.csv"
    status=$?
    [ $status -eq 0 ] || [ $status -eq 3 ] || { rm "$set.csv"; echo "$evidence: not scanned: exit status $status" >&2; }
}

# scan_classes NAME OPTIONS...: the findings of each class, in a folder of that name
scan_classes()
{
    local results=$folder/findings/$1 class name
    shift
    rm -rf "$results"
    mkdir -p "$results"
    for class in "$folder"/*/reference; do
        [ "$class" != "$folder/unrelated/reference" ] || continue
        class=${class%/reference} name=${class##*/}
        "$kith" add -q "$@" "$results/$name.kith" "$class/reference" >/dev/null &&
            scan_folder "$results/$name" "$class/evidence" "$@"
    done
}

# strangers NAME OPTIONS...: findings between documents that are unrelated, with sets of 10, 100 and 1000 of them
strangers()
{
    local results=$folder/findings/unrelated-$1 count
    shift
    rm -rf "$results"
    mkdir -p "$results"
    for count in 10 100 1000; do
        find "$folder/unrelated/reference" -type f | LC_ALL=C sort | head -n "$count" | tr '\n' '\0' |
            xargs -0 "$kith" add -q "$@" "$results/$count.kith" >/dev/null &&
            scan_folder "$results/$count" "$folder/unrelated/evidence" "$@"
    done
}

columns=(closed) closed=()
if "$kith" scan --help | grep -q -e --containers; then
    columns+=(open) closed=(--containers no)
    scan_classes open
    strangers open
fi
scan_classes closed "${closed[@]}"
strangers closed "${closed[@]}"
python3 "$here/containers/score.py" "$folder" "${columns[@]}"
