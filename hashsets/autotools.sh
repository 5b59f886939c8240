#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/autotools.json: the files that automake puts into nearly every source package.
set -eu
kith=${KITH:?the program} out=${1:?the file to write}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1767225600}"
mkdir "$folder/automake"
find /usr/share/automake-* -maxdepth 1 -type f -exec cp {} "$folder/automake" \;
cd "$folder"
"$kith" add -q --md5 --sha256 --kind known --name autotools --category boilerplate \
    --note "Debian, automake $(dpkg-query -W -f '${Version}' automake)" autotools.kith automake
"$kith" export --json autotools.kith >"$out"
