/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VERDICT_H
#define KITH_VERDICT_H

#include "compare/compare.h"
#include "compare/finding.h"

/*
 * All rules for the verdict on two contents, or on an object and a reference.
 *
 * They use only numbers and ranges, not content: ranges that are not evidence have already been removed
 * (match/merit.h).
 */

/* ---- two contents side by side ---- */

/* Sets the verdict of a comparison that has an estimate; discards the ranges if they are not evidence. */
void verdict_of_pair(const struct record *a, const struct record *b, struct comparison *comparison);

/* The verdict on content of len bytes with count samples, taken at c, that matches nothing: NONE if there are
 * enough samples for that conclusion, else TOO_SMALL or LOW_ENTROPY. */
enum compare_verdict verdict_without_match(uint64_t count, uint64_t len, uint32_t c);

/* ---- an object and a reference ---- */

/* The verdict on an object of len bytes with count samples, taken at c, in which no reference was found. */
enum verdict verdict_without_finding(uint64_t count, uint64_t len, uint32_t c);

/* The verdict on a reference that is contained in an object bit by bit, in this range; range_only: as in
 * verdict_case. */
enum verdict verdict_of_whole(const struct finding_range *range, uint64_t obj_size, bool range_only);

struct verdict_case {
    const struct comparison *comparison;
    uint64_t obj_size, ref_size; /* bytes */
    uint32_t ref_c;              /* at which the reference was sampled */
    int64_t low, high;           /* range of diagonals on which it was found */
    bool whole;                  /* the whole object was compared */
    bool range_only;             /* the object is not a file but a range, such as free space, without a
                                    beginning and end of its own */
};

/* Whether a diagonal is on or near those on which the reference was found. */
bool verdict_lies_near(const struct verdict_case *c, int64_t diagonal);
/* Whether object and reference are the same content in another order. */
bool verdict_is_reordered(const struct verdict_case *c);
/* The verdict on a finding, once it is proved as far as possible; may drop ranges that are mere repetition.
 */
enum verdict verdict_of_finding(const struct verdict_case *c, struct finding *finding);

#endif
