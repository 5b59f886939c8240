# SPDX-License-Identifier: Apache-2.0
# What the scripts that make the sets share; they read it first, with the file to write as their argument.
# shellcheck shell=sh
set -eu
kith=${KITH:?the program} out=$(realpath -- "${1:?the file to write}") here=$(realpath -- "$(dirname "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1767225600}"

# make_set NAME NOTE FILES [OPTION...]: the text of a set of them
make_set()
{
    name=$1 note=$2 files=$3
    shift 3
    "$kith" add -q --kind known --name "$name" --category boilerplate --note "$note" "$@" "$folder/$name.kith" "$files"
    "$kith" export --json "$folder/$name.kith"
}

# unpack_packages: each package of packages.txt in a folder of its own in $folder/trees.  They are downloaded to $DEBS, if that
# is set, and not again; from $MIRROR, or where this machine gets packages, which must still have these versions.
unpack_packages()
{
    debs=${DEBS:-$folder/debs} mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' | head -n 1)}
    mirror=${mirror%/}
    mkdir -p "$debs" "$folder/trees"
    while read -r path; do
        [ -e "$debs/${path##*/}" ] || printf 'url = "%s/%s"\noutput = "%s/%s"\n' "$mirror" "$path" "$debs" "${path##*/}"
    done <"$here/packages.txt" >"$folder/wanted"
    [ ! -s "$folder/wanted" ] || curl -sSf --retry 3 -K "$folder/wanted"
    while read -r path; do
        package=${path##*/}
        mkdir "$folder/trees/${package%%_*}"
        dpkg-deb --fsys-tarfile "$debs/$package" | tar -x --no-same-owner --no-same-permissions -C "$folder/trees/${package%%_*}"
    done <"$here/packages.txt"
}

# make_common_set CATEGORY: the text of a set of what these packages have in common (common.py).  These are pieces of files, so
# nobody looks for them by MD5, SHA-256 or the SHA-1 of blocks.
make_common_set()
{
    unpack_packages
    mkdir "$folder/$1"
    python3 "$here/common.py" "$1" "$folder/trees" "$folder/$1"
    cd "$folder"
    make_set "$1" "what $(wc -l <"$here/packages.txt") packages of Debian 12 have in common (hashsets/packages.txt)" "$1" -C 32 | sed 's/,"blocks":"[0-9a-f]*"//'
}
