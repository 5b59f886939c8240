/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ESTIMATE_INNER_H
#define KITH_ESTIMATE_INNER_H

#include <math.h>

#include "compare/estimate.h"

/* What the parts of the estimate share: estimate.c reads the distance off the gaps between anchors, and
 * estimate_ranges.c, below it, finds what matches. */

/* Samples lost in a row that look like more than one edit.  2: error .0256 instead of .0259 (estimate.c says
 * of what); 6: .0317. */
enum { ESTIMATE_LEAST_K = 3 };

struct gap {
    uint64_t a, b; /* where it begins: at the anchor before it, or at 0 */
    uint64_t a_len, b_len;
    uint32_t a_first, a_count; /* its samples */
    uint32_t b_first, b_count;
    double lost; /* those without a match on the shorter side, or the mean of both */
};

struct range_list {
    struct estimate_range *list;
    size_t count, room;
};

struct estimator {
    struct chain chain;
    struct gap *gaps; /* one before each anchor, and one behind the last */
    size_t gap_room;
    struct range_list ranges, solid;
};

/* The two contents and how they were sampled. */
struct pair {
    const struct estimate_side *a, *b;
    uint32_t n, c;
    double unrelated;  /* rate */
    double difference; /* of the lengths */
    double shorter;    /* of them */
};

/* Of its sides. */
static inline uint64_t estimate_shorter(const struct gap *gap)
{
    return gap->a_len < gap->b_len ? gap->a_len : gap->b_len;
}

static inline uint64_t estimate_shift(const struct gap *gap)
{
    return gap->a_len < gap->b_len ? gap->b_len - gap->a_len : gap->a_len - gap->b_len;
}

/* By how much further an anchor is in a than in b. */
static inline int64_t estimate_diagonal(const struct pair *pair, const struct anchor *anchor)
{
    return (int64_t)(pair->a->samples[anchor->a].pos - pair->b->samples[anchor->b].pos);
}

/* As a double: lengths may be near 2^63. */
static inline double estimate_apart(int64_t x, int64_t y)
{
    return fabs((double)x - (double)y);
}

/* What matches, from the gaps and then from chains of what is left: the ranges of *out and the bytes that
 * they cover; k: samples lost in a gap that make it a block.  -1 without memory. */
int estimate_ranges_find(struct estimator *e, const struct pair *pair, uint32_t k, struct estimate *out,
                         struct error *err);

#endif
