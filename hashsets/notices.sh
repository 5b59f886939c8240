#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/notices.json: licences and notices, as they are repeated in copyright files and at the head of sources.
. "$(dirname "$0")/begin.sh"
make_common_set notices >"$out"
