#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The man pages are sound mdoc.
set -u
[ -n "${MANDOC:-}" ] || { echo "SKIPPED: there is no mandoc"; exit 77; }
cd "${SRCDIR:-.}" || exit 99
"$MANDOC" -T lint -W warning man/*.[0-9] && echo "all right"
