/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ESTIMATE_INNER_H
#define KITH_ESTIMATE_INNER_H

#include <math.h>

#include "compare/estimate.h"

/* Shared by the parts of the estimate: estimate.c derives the distance from the gaps between anchors;
 * estimate_ranges.c, a layer below, finds the ranges that match. */

/* Consecutive lost samples that suggest more than one edit.  With 2 the error is .0256 instead of .0259 (for
 * what, see estimate.c), with 6 .0317. */
enum { ESTIMATE_LEAST_K = 3 };

struct gap {
    uint64_t a, b; /* its start: the preceding anchor, or 0 */
    uint64_t a_len, b_len;
    uint32_t a_first, a_count; /* its samples */
    uint32_t b_first, b_count;
    double lost; /* unmatched samples on the shorter side, or the mean of both if they are equal */
};

struct range_list {
    struct estimate_range *list;
    size_t count, room;
};

struct estimator {
    struct chain chain;
    struct gap *gaps; /* one before each anchor, and one after the last */
    size_t gap_room;
    struct range_list ranges, solid;
};

/* The two contents and how they were sampled. */
struct pair {
    const struct estimate_side *a, *b;
    uint32_t n, c;
    double unrelated;  /* estimate_unrelated */
    double difference; /* between the lengths */
    double shorter;    /* the smaller length */
};

/* The length of the shorter side. */
static inline uint64_t estimate_shorter(const struct gap *gap)
{
    return gap->a_len < gap->b_len ? gap->a_len : gap->b_len;
}

/* The difference between the lengths of the sides. */
static inline uint64_t estimate_shift(const struct gap *gap)
{
    return gap->a_len < gap->b_len ? gap->b_len - gap->a_len : gap->a_len - gap->b_len;
}

/* The position of an anchor in a minus its position in b. */
static inline int64_t estimate_diagonal(const struct pair *pair, const struct anchor *anchor)
{
    return (int64_t)(pair->a->samples[anchor->a].pos - pair->b->samples[anchor->b].pos);
}

/* The absolute difference, as a double since lengths may be close to 2^63. */
static inline double estimate_apart(int64_t x, int64_t y)
{
    return fabs((double)x - (double)y);
}

/* Estimates the distance a second time, from the shares of common samples alone (set before), as if all edits
 * were of single bytes. */
void estimate_point(const struct pair *pair, struct estimate *out);

/* Finds what matches, first from the gaps and then from chains of the remaining matches: sets the ranges of
 * *out and the bytes they cover.  k: number of lost samples that makes a gap a block.  -1 without memory. */
int estimate_ranges_find(struct estimator *e, const struct pair *pair, uint32_t k, struct estimate *out,
                         struct error *err);

#endif
