# SPDX-License-Identifier: Apache-2.0
# What the scripts that make the sets share; they read it first, with the file to write as their argument.
# shellcheck shell=sh
set -eu
kith=${KITH:?the program} out=$(realpath -- "${1:?the file to write}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1767225600}"

# make_set NAME NOTE FILES: the text of a set of them
make_set()
{
    "$kith" add -q --md5 --sha256 --kind known --name "$1" --category boilerplate --note "$2" "$folder/$1.kith" "$3"
    "$kith" export --json "$folder/$1.kith"
}
