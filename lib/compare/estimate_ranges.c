/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "compare/estimate_inner.h"

/* Finds where two contents match; estimate.c estimates their distance. */

/* lib/match/README.md lists the data on which the effect of other values was measured. */
enum {
    /* Bytes by which a range may shift at one gap.  Halving it finds one more of 351 pairs, and 16 more rows;
     * doubling it one more pair and 6 more variants, but the error of their distances is .0139 instead of
     * .0124. */
    NEAR_DIAGONAL = 64,
    /* Maximum number of searches for moved content, which bounds the time. */
    MOVED_CHAINS = 16,
    /* Matches required for moved content.  With 2 the ranges differ, but not the number of pairs; with 6
     * there are 12 more rows of pairs, but 2 fewer findings of little content. */
    MOVED_ANCHORS = 3,
};

/* Appends a range; NULL without memory. */
static struct estimate_range *add_range(struct range_list *ranges, struct error *err)
{
    if (array_reserve(&ranges->list, &ranges->room, ranges->count + 1)) {
        error_set(err, "out of memory for %zu ranges", ranges->count + 1);
        return NULL;
    }
    return &ranges->list[ranges->count++];
}

static int put_range(struct range_list *ranges, const struct estimate_range *range, struct error *err)
{
    struct estimate_range *added = add_range(ranges, err);

    if (!added)
        return -1;
    *added = *range;
    return 0;
}

/*
 * Content between two matches without an unmatched sample is most likely identical, byte for byte.  Where it
 * has no samples at all for a long stretch, that is unknown.  The limit is in mean distances between samples;
 * halving it loses 5 rows, doubling it makes no difference.
 */
enum { SOLID_GAPS = 4 };

/* Adds the bytes from a match to the next one, with no unmatched sample in between. */
static int add_solid(struct estimator *e, const struct pair *pair, const struct anchor *from,
                     struct error *err)
{
    const struct sample *a = pair->a->samples, *b = pair->b->samples;
    const struct anchor *to = from + 1;
    struct estimate_range *last = e->solid.count ? &e->solid.list[e->solid.count - 1] : NULL;

    if (a[to->a].pos - a[from->a].pos > (uint64_t)SOLID_GAPS * pair->c)
        return 0;
    if (!last || last->a_end != a[from->a].pos + pair->n || last->b_end != b[from->b].pos + pair->n) {
        last = add_range(&e->solid, err);
        if (!last)
            return -1;
        *last = (struct estimate_range){.a_start = a[from->a].pos, .b_start = b[from->b].pos, .anchors = 1};
    }
    last->a_end = a[to->a].pos + pair->n;
    last->b_end = b[to->b].pos + pair->n;
    last->anchors++;
    return 0;
}

static uint64_t smaller(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

/* An unmatched sample beyond the end of the other content contradicts nothing. */
static uint64_t halfway(uint64_t unmatched, uint64_t most, bool outer)
{
    return outer && unmatched > most ? most : smaller(most, unmatched / 2);
}

/*
 * How far a match extends into a gap from one of its ends: halfway from the anchor to the nearest unmatched
 * sample; if there is none, to the end of the content, or else through half of the gap.
 */
static uint64_t reach(const struct estimator *e, const struct pair *pair, size_t i, bool from_end)
{
    const struct gap *gap = &e->gaps[i];
    const bool outer = from_end ? i == 0 : i == e->chain.count;
    const uint32_t a = from_end ? gap->a_first + gap->a_count - 1 : gap->a_first;
    const uint32_t b = from_end ? gap->b_first + gap->b_count - 1 : gap->b_first;
    uint64_t most = outer ? estimate_shorter(gap) : estimate_shorter(gap) / 2;

    if (gap->a_count) {
        const uint64_t at = pair->a->samples[a].pos - gap->a;

        most = halfway(from_end ? gap->a_len - at : at, most, outer);
    }
    if (gap->b_count) {
        const uint64_t at = pair->b->samples[b].pos - gap->b;

        most = halfway(from_end ? gap->b_len - at : at, most, outer);
    }
    return most;
}

/* Finds the ranges of the chain: runs of anchors without a block or large shift between them. */
static int find_ranges(struct estimator *e, const struct pair *pair, uint32_t k, struct error *err)
{
    const struct anchor *anchors = e->chain.anchors;

    for (size_t i = 0, end; i < e->chain.count; i = end) {
        const uint64_t back = reach(e, pair, i, true);
        const struct sample *a = &pair->a->samples[anchors[i].a], *b = &pair->b->samples[anchors[i].b];
        struct estimate_range range = {.a_start = a->pos - back, .b_start = b->pos - back};
        uint64_t on;

        for (end = i + 1;
             end < e->chain.count && e->gaps[end].lost < k && estimate_shift(&e->gaps[end]) <= NEAR_DIAGONAL;
             end++)
            if (e->gaps[end].lost == 0 && estimate_shift(&e->gaps[end]) == 0 &&
                add_solid(e, pair, &anchors[end - 1], err))
                return -1;
        on = reach(e, pair, end, false);
        if (on < pair->n)
            on = pair->n;
        range.a_end = pair->a->samples[anchors[end - 1].a].pos + on;
        range.b_end = pair->b->samples[anchors[end - 1].b].pos + on;
        range.anchors = end - i;
        if (put_range(&e->ranges, &range, err))
            return -1;
    }
    return 0;
}

/* Finds ranges of content that moved, so that it is not in the chain; they end with matching samples. */
static int find_moved(struct estimator *e, const struct pair *pair, struct error *err)
{
    const struct anchor *anchors = e->chain.anchors;

    for (int round = 0; round < MOVED_CHAINS; round++) {
        chain_find_next(&e->chain);
        if (e->chain.count < MOVED_ANCHORS)
            return 0;
        for (size_t i = 0, end; i < e->chain.count; i = end) {
            struct estimate_range range = {.a_start = pair->a->samples[anchors[i].a].pos,
                                           .b_start = pair->b->samples[anchors[i].b].pos};

            for (end = i + 1; end < e->chain.count &&
                              anchors[end].a - anchors[end - 1].a <= ESTIMATE_LEAST_K &&
                              estimate_apart(estimate_diagonal(pair, &anchors[end]),
                                             estimate_diagonal(pair, &anchors[end - 1])) <= NEAR_DIAGONAL;)
                end++;
            for (size_t at = i; at + 1 < end; at++)
                if (anchors[at + 1].a == anchors[at].a + 1 && anchors[at + 1].b == anchors[at].b + 1 &&
                    add_solid(e, pair, &anchors[at], err))
                    return -1;
            range.a_end = pair->a->samples[anchors[end - 1].a].pos + pair->n;
            range.b_end = pair->b->samples[anchors[end - 1].b].pos + pair->n;
            range.anchors = end - i;
            if (range.anchors >= MOVED_ANCHORS && put_range(&e->ranges, &range, err))
                return -1;
        }
    }
    return 0;
}

static int by_start(const void *x, const void *y)
{
    const struct estimate_range *a = x, *b = y;

    if (a->a_start != b->a_start)
        return a->a_start < b->a_start ? -1 : 1;
    return a->b_start < b->b_start ? -1 : a->b_start > b->b_start;
}

static int by_b_start(const void *x, const void *y)
{
    const struct estimate_range *a = x, *b = y;

    if (a->b_start != b->b_start)
        return a->b_start < b->b_start ? -1 : 1;
    return a->a_start < b->a_start ? -1 : a->a_start > b->a_start;
}

/* The number of bytes covered by the ranges, which may overlap where content repeats.  They must be sorted by
 * that side. */
static uint64_t covered(const struct estimate_range *ranges, size_t count, bool of_a)
{
    uint64_t end = 0, sum = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t from = of_a ? ranges[i].a_start : ranges[i].b_start,
                 to = of_a ? ranges[i].a_end : ranges[i].b_end;

        if (from < end)
            from = end;
        if (to > from) {
            sum += to - from;
            end = to;
        }
    }
    return sum;
}

void estimate_measure(struct estimate_range *ranges, size_t count, struct estimate *out)
{
    out->ranges = ranges;
    out->range_count = count;
    out->a_matched = out->b_matched = 0;
    if (count == 0)
        return;
    qsort(ranges, count, sizeof *ranges, by_b_start);
    out->b_matched = covered(ranges, count, false);
    qsort(ranges, count, sizeof *ranges, by_start);
    out->a_matched = covered(ranges, count, true);
}

int estimate_ranges_find(struct estimator *e, const struct pair *pair, uint32_t k, struct estimate *out,
                         struct error *err)
{
    e->ranges.count = e->solid.count = 0;
    if (find_ranges(e, pair, k, err) || find_moved(e, pair, err))
        return -1;
    estimate_measure(e->ranges.list, e->ranges.count, out);
    out->solid = e->solid.list;
    out->solid_count = e->solid.count;
    return 0;
}
