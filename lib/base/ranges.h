/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RANGES_H
#define KITH_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* Lists of byte ranges.  A zeroed struct is an empty list. */
struct range {
    uint64_t start, len;
};

struct ranges {
    struct range *list;
    size_t count, room;
};

/* Frees the memory and leaves an empty list. */
void ranges_release(struct ranges *ranges);

/* Appends a range, merging it with the last one if it continues that.  -1 if memory runs out. */
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t len);

/* Adds a range to a sorted list without overlaps, and keeps it that way.  -1 if memory runs out. */
int ranges_insert(struct ranges *ranges, uint64_t start, uint64_t len);

/* Makes room for one more range.  -1 if memory runs out. */
int ranges_reserve(struct ranges *ranges);

/*
 * As ranges_insert, for a list limited to `most` ranges (at least one) that has room for one: once it is
 * full, the nearest range is widened across the gap.  The list then covers too much rather than too little.
 */
void ranges_cover(struct ranges *ranges, uint64_t start, uint64_t len, size_t most);

/* The number of bytes of a range that a list kept by ranges_insert covers. */
uint64_t ranges_overlap(const struct ranges *ranges, uint64_t start, uint64_t len);

/* Sorts a list and merges ranges that overlap or touch. */
void ranges_sort(struct ranges *ranges);

#endif
