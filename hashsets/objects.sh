#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/objects.json: what compilers put into programs, libraries and Java classes.
. "$(dirname "$0")/begin.sh"
make_common_set objects >"$out"
