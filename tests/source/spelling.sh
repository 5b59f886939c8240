#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No known misspelling in documents, man pages, sources and tests.  spelling.txt lists words that only look misspelled.
set -u
cd "${SRCDIR:-.}" || exit 99
command -v codespell >/dev/null || { echo "SKIPPED: there is no codespell"; exit 77; }
# shellcheck disable=SC2046
codespell --quiet-level 2 --ignore-words tests/source/spelling.txt bootstrap configure.ac Makefile.am NEWS man/*.[15] \
    $(find . -maxdepth 1 -name '*.md') $(find lib src hashsets tests -name '*.md' -o -name '*.[ch]' -o -name '*.sh' -o -name '*.py') &&
    echo "all right"
