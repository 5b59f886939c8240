/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RANGES_H
#define KITH_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* Stretches of bytes of an image.  A list of zeros is an empty one. */
struct range {
    uint64_t start, len;
};

struct ranges {
    struct range *list;
    size_t count, room;
};

/* Gives the memory back, and leaves an empty list. */
void ranges_release(struct ranges *ranges);

/* Appends a stretch, joined with the last one if it continues it.  -1 without memory. */
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t len);

/* For a list that is sorted and without overlaps: adds what is missing and keeps it so.  -1 without memory.
 */
int ranges_insert(struct ranges *ranges, uint64_t start, uint64_t len);

/* Makes room for one more stretch.  -1 without memory. */
int ranges_reserve(struct ranges *ranges);

/*
 * As ranges_insert, for a list that never has more than so many stretches, at least one, and has room for
 * one: where there is no room for one more, its neighbour is widened over what lies between.  So it holds too
 * much rather than too little.
 */
void ranges_cover(struct ranges *ranges, uint64_t start, uint64_t len, size_t most);

/* For a list as ranges_insert keeps it: how many bytes of a stretch it holds. */
uint64_t ranges_overlap(const struct ranges *ranges, uint64_t start, uint64_t len);

/* Sorts a list and joins what overlaps or touches. */
void ranges_sort(struct ranges *ranges);

#endif
