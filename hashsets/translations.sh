#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/translations.json: the heads of catalogues of messages, and messages that all of them have.
. "$(dirname "$0")/begin.sh"
make_common_set translations >"$out"
