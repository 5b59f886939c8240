#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/licences.json: the licence texts of Debian's package base-files.
. "$(dirname "$0")/begin.sh"
cd /usr/share
make_set licences "Debian, base-files $(dpkg-query -W -f '${Version}' base-files)" common-licenses --md5 --sha256 >"$out"
