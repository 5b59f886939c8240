#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Documents, man pages and the strings of the program are plain English: none of the phrases below occurs.  Each has its
# reason, and a sentence that it must catch, which is checked too.
set -u
cd "${SRCDIR:-.}" || exit 99
failures=0
patterns=()

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# avoid PATTERN EXAMPLE: an extended regular expression; matched without regard to case, also across the end of a line
avoid()
{
    patterns+=("$1")
    grep -qiP "$1" <<<"$2" || fail "the pattern '$1' does not catch: $2"
}

# A program reports, prints, lists or states; only people tell.
avoid '\b(tells?|told|telling|foretell)\b' 'the summary tells how many there are'
# Related files, related content.
avoid '\b(kin|kindred)\b' 'find known files and their kin'
# The number of; N of M.
avoid '\b(so many|as many as)\b' 'found of so many pairs'
# Say what is wrong: malformed, truncated, corrupt, does not match.
avoid '\bnot as (it|they) should\b' 'the header is not as it should be'
avoid '\bcannot be as\b' 'this size cannot be as it is'
# Resumed; rerun the same command to resume.
avoid '\b(gone|going|goes?|went) on (with|by|behind)\b|\bcommand goes on\b' 'a case that can be gone on with'
# Human-readable.
avoid '\bfor people\b' 'a line for each object, for people'
# Detected.
avoid '\bfound out\b|\bis to find out\b' 'the format is found out'
# Unrelated to.
avoid '\b(has|have|had|having) nothing to do with\b' 'files that have nothing to do with them'
# Accept, report, discard; in what is hostile, trust.
avoid '\b(believed?|believes|believing)\b' 'what is above that is not believed'
# Suppresses.
avoid '\bsilences?\b' 'a set of kind known silences'
# Fix, repair.
avoid '\bmend(s|ed|ing)?\b' 'the index is mended'
# So that ... does not.
avoid '\blest\b' 'escaped lest it end the line'
# Hash-only entries.
avoid '\bby (its |their )?digests? alone\b' 'those that are known by digest alone'
# Changed bytes.
avoid '\bbytes are others\b|\banother one\b.{0,40}\bbyte\b' 'a fifth of all bytes are others'
# You, or the imperative.
avoid '\bone (can|cannot|looks|knows|needs|wants|must)\b' 'a set of what one looks for'
# After: behind is where one stands.
avoid '\bbehind\b' 'the first byte behind it'
# A relative clause with its noun first: files of a set that are on a disk.
avoid '\bwhat of (a|an|the|some)\b' 'what of a set is on a disk'
# With a message.
avoid '\bwith a word\b' 'devices are skipped with a word'
# It seems; apparently.
avoid '\bas it seems\b' 'a table, as it seems'
# It is not a; there is no.
avoid '\b(it|that|this) is no\b(?! longer)' 'it is no progress'
# Carries no information; is no evidence.
avoid '\bsays? nothing\b' 'zeros, which say nothing'
# 95 % of cases.
avoid '\bin [0-9]+ of 100 cases\b' 'it holds in 95 of 100 cases'

all=$(printf '|(?:%s)' "${patterns[@]}")
all=${all:1}

# Writes the phrases in standard input, whose lines are joined: blanks in a pattern match the end of a line, too.
has_phrase()
{
    tr '\n' ' ' | tr -s ' ' | grep -ioP ".{0,40}(?:$all).{0,40}"
}

# check NAME: no phrase is in standard input
check()
{
    local found
    found=$(has_phrase)
    [ -z "$found" ] || fail "$1: $found"
}

# strings FILE...: of sources, as one text where they follow each other
strings()
{
    grep -hv '^#include' "$@" | sed -E 's/^[^"]*$/#/' | grep -oE '"([^"\\]|\\.)*"|^#' | tr -d '"' | sed 's/\\n/ /g'
}

documents=$(ls ./*.md NEWS man/*.[15] lib/*/README.md hashsets/README.md)
for document in $documents; do
    check "$document" <"$document"
done
sources=$(ls lib/*/*.[ch] src/*.[ch])
# shellcheck disable=SC2086
if strings $sources | has_phrase >/dev/null; then
    for source in $sources; do
        check "$source" < <(strings "$source")
    done
fi

[ "$failures" -eq 0 ] && echo "all right"
exit $((failures > 0))
