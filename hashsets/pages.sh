#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/pages.json: what generators put into manual pages, Info files and web pages.
. "$(dirname "$0")/begin.sh"
make_common_set pages >"$out"
