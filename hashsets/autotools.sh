#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/autotools.json: the files that automake adds to nearly every source package.
. "$(dirname "$0")/begin.sh"
mkdir "$folder/automake"
find /usr/share/automake-* -maxdepth 1 -type f -exec cp {} "$folder/automake" \;
cd "$folder"
make_set autotools "Debian, automake $(dpkg-query -W -f '${Version}' automake)" automake --md5 --sha256 >"$out"
