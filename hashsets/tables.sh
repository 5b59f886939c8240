#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/tables.json: tables that many programs contain, computed by tables.py.
. "$(dirname "$0")/begin.sh"
mkdir "$folder/tables"
python3 "$here/tables.py" "$folder/tables"
cd "$folder"
make_set tables "computed by hashsets/tables.py" tables --md5 --sha256 >"$out"
