/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SPANS_H
#define KITH_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Numbered spans of bytes, and which of them contain a point: a segment tree over the points that will be
 * asked for.  Adding a span and finding those at a point take logarithmic time, so an object with 60,000
 * findings needs no comparison of each with each.
 */
struct spans {
    const uint64_t *points;
    size_t point_count;
    struct spans_list *lists; /* one per node of the tree */
    struct spans_entry *entries;
    size_t entry_count, entry_room;
};

#define SPANS_NONE SIZE_MAX

/* points: sorted; borrowed until spans_release.  Returns -1 if memory runs out. */
int spans_open(struct spans *spans, const uint64_t *points, size_t count, struct error *err);
/* Frees the memory; a zeroed struct may be released, too. */
void spans_release(struct spans *spans);

/* Adds the span [start, end).  Numbers must ascend from call to call.  Returns -1 if memory runs out. */
int spans_add(struct spans *spans, uint64_t start, uint64_t end, size_t number, struct error *err);

/* The smallest numbers of spans that contain the point, which is one of the points, and for which the test
 * holds: at most `most` of them that are below this limit, in ascending order.  Returns how many. */
size_t spans_lowest(const struct spans *spans, uint64_t point, size_t below,
                    bool (*test)(const void *arg, size_t number), const void *arg, size_t *numbers,
                    size_t most);
/* The smallest of them, without a limit; SPANS_NONE if there is none. */
size_t spans_first(const struct spans *spans, uint64_t point, bool (*test)(const void *arg, size_t number),
                   const void *arg);

#endif
