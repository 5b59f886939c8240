#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Damaged containers of every format, beside intact ones.  3 mutants of each format; CONTAINER_MUTANTS=500 makes as many, and
# FORMATS='pdf_format mail_format' only those of some formats, as lib/container/container.c names them.
. "$(dirname "$0")/lib.sh"

export PATH=$PATH:/usr/sbin:/sbin
for tool in mke2fs python3; do
    command -v "$tool" >/dev/null || skip "there is no $tool"
done
# shellcheck disable=SC2086
python3 "$SRCDIR/tests/data/container_mutants.py" "$KITH" "$SRCDIR/tests" "${CONTAINER_MUTANTS:-3}" ${FORMATS:-} || failures=1
finish
