/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VERDICT_H
#define KITH_VERDICT_H

#include "compare/compare.h"
#include "compare/finding.h"

/*
 * All rules by which two contents, or an object and a reference, are called what they are.
 *
 * Only numbers and ranges go in, no content: what is not evidence has been left out before (match/merit.h).
 */

/* ---- two contents side by side ---- */

/* The verdict of a comparison of records whose estimate is there; takes back ranges that are no evidence. */
void verdict_of_pair(const struct record *a, const struct record *b, struct comparison *comparison);

/* The verdict on content of len bytes, with count samples taken at c, that matches nothing: NONE if the
 * samples allow that conclusion, else TOO_SMALL or LOW_ENTROPY. */
enum compare_verdict verdict_without_match(uint64_t count, uint64_t len, uint32_t c);

/* ---- an object and a reference ---- */

/* The verdict on an object of len bytes, with count samples taken at c, in which no reference was found. */
enum verdict verdict_without_finding(uint64_t count, uint64_t len, uint32_t c);

/* A reference that lies in an object to the bit, in this range; range_only: as in verdict_case. */
enum verdict verdict_of_whole(const struct finding_range *range, uint64_t obj_size, bool range_only);

struct verdict_case {
    const struct comparison *comparison;
    uint64_t obj_size, ref_size; /* bytes */
    uint32_t ref_c;              /* at which the reference was sampled */
    int64_t low, high;           /* the diagonals on which it was found */
    bool whole;                  /* all of the object was compared */
    bool range_only; /* the object is no file but a stretch of free space or the like, which has no
                        beginning and end of its own */
};

/* Whether a diagonal is one of those on which the reference was found, or about. */
bool verdict_lies_near(const struct verdict_case *c, int64_t diagonal);
/* Once it is proved as far as it can be; may drop ranges that are mere repetition. */
enum verdict verdict_of_finding(const struct verdict_case *c, struct finding *finding);

#endif
