/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MERIT_H
#define KITH_MERIT_H

#include "compare/verdict.h"
#include "match/alignment.h"

/*
 * Whether samples that line up are content in common.
 *
 * Tables of relocations, of addresses or of glyphs are alike in all programs and fonts, as they count up in
 * the same way.  So there must be a stretch in which everything matches, of bytes that vary as text, code or
 * pictures do; or else so many matches in such bytes among what does not match that dense edits explain it.
 */

/* What the rules for verdicts need to know of an alignment. */
struct verdict_case merit_case(const struct alignment *alignment);

/* The ranges of an alignment that are believed, in the object; *anchors: matches in them. */
int merit_ranges(const struct alignment *alignment, struct finding *finding, uint64_t *anchors,
                 struct error *err);
/* Whether these are worth reporting though nothing of them be proved. */
bool merit_is_evidence(const struct alignment *alignment, const struct finding *finding, uint64_t anchors);

#endif
