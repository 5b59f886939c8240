/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MERIT_H
#define KITH_MERIT_H

#include "compare/verdict.h"
#include "match/alignment.h"

/*
 * Decides whether samples that line up are evidence of content in common.
 *
 * Tables of relocations, addresses or glyphs look alike in all programs and fonts, since they count up in the
 * same way.  So there must be a stretch in which everything matches, with bytes that vary as in text, code or
 * pictures; or enough matches in such bytes, relative to what does not match, that dense edits explain the
 * rest.
 */

/* Returns what the rules for verdicts need to know about an alignment. */
struct verdict_case merit_case(const struct alignment *alignment);

/* Fills the finding with those ranges of the alignment that are accepted, as offsets in the object; *anchors:
 * the number of matches in them. */
int merit_ranges(const struct alignment *alignment, struct finding *finding, uint64_t *anchors,
                 struct error *err);
/* Whether the finding is worth reporting even if none of it is proved. */
bool merit_is_evidence(const struct alignment *alignment, const struct finding *finding, uint64_t anchors);

/* Whether this number of different samples in bytes that vary is evidence, if they are a good part of all. */
bool merit_is_many(const struct alignment *alignment, double different);

/* Whether the bytes from pos on vary as in text, code or pictures. */
bool merit_is_rich_at(struct content *content, uint64_t pos);
/* Returns the number of bytes from start to end, up to about `most`, that vary as in text, code or pictures.
 * If they cannot be read, all of them count. */
size_t merit_rich_bytes(struct content *content, uint64_t start, uint64_t end, size_t most);
/* Whether the bytes of a sample, and those after it, vary; as above if they cannot be read. */
bool merit_is_rich_at(struct content *content, uint64_t pos);

#endif
