#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/licences.json: the licence texts of Debian's package base-files.
set -eu
kith=${KITH:?the program} out=${1:?the file to write}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1767225600}"
cd /usr/share
"$kith" add -q --md5 --sha256 --kind known --name licences --category boilerplate \
    --note "Debian, base-files $(dpkg-query -W -f '${Version}' base-files)" "$folder/licences.kith" common-licenses
"$kith" export --json "$folder/licences.kith" >"$out"
