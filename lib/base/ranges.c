/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ranges.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

void ranges_release(struct ranges *ranges)
{
    free(ranges->list);
    *ranges = (struct ranges){0};
}

int ranges_reserve(struct ranges *ranges)
{
    return array_reserve(&ranges->list, &ranges->room, ranges->count + 1);
}

int ranges_add(struct ranges *ranges, uint64_t start, uint64_t len)
{
    if (ranges->count) {
        struct range *last = &ranges->list[ranges->count - 1];

        if (last->start + last->len == start) {
            last->len += len;
            return 0;
        }
    }
    if (ranges_reserve(ranges))
        return -1;
    ranges->list[ranges->count++] = (struct range){start, len};
    return 0;
}

/* The first range that ends at this offset or after it. */
static size_t find(const struct ranges *ranges, uint64_t at)
{
    return SEARCH_FIRST(i, 0, ranges->count, ranges->list[i].start + ranges->list[i].len >= at);
}

int ranges_insert(struct ranges *ranges, uint64_t start, uint64_t len)
{
    size_t first = find(ranges, start), last = first;
    uint64_t end = start + len;

    if (len == 0)
        return 0;
    for (; last < ranges->count && ranges->list[last].start <= end; last++) {
        const struct range *range = &ranges->list[last];

        start = range->start < start ? range->start : start;
        end = range->start + range->len > end ? range->start + range->len : end;
    }
    if (last == first && ranges_reserve(ranges))
        return -1;
    memmove(&ranges->list[first + 1], &ranges->list[last], (ranges->count - last) * sizeof *ranges->list);
    ranges->count = ranges->count + 1 - (last - first);
    ranges->list[first] = (struct range){start, end - start};
    return 0;
}

/* Widens the nearer neighbour of a range that lies between number at - 1 and number at. */
static size_t nearest(const struct ranges *ranges, size_t at, uint64_t start, uint64_t end)
{
    const struct range *list = ranges->list;

    if (at == ranges->count)
        return at - 1;
    return at > 0 && start - (list[at - 1].start + list[at - 1].len) < list[at].start - end ? at - 1 : at;
}

void ranges_cover(struct ranges *ranges, uint64_t start, uint64_t len, size_t most)
{
    const size_t at = find(ranges, start);
    const bool touches = at < ranges->count && ranges->list[at].start <= start + len;
    uint64_t end = start + len;
    struct range near;

    if (len == 0 || ((touches || ranges->count < most) && ranges_insert(ranges, start, len) == 0))
        return;
    if (ranges->count == 0)
        return;
    near = ranges->list[nearest(ranges, at, start, end)];
    start = near.start < start ? near.start : start;
    end = near.start + near.len > end ? near.start + near.len : end;
    ranges_insert(ranges, start, end - start); /* a range grows, so no memory is needed */
}

uint64_t ranges_overlap(const struct ranges *ranges, uint64_t start, uint64_t len)
{
    const uint64_t end = start + len;
    uint64_t sum = 0;

    for (size_t i = find(ranges, start); i < ranges->count && ranges->list[i].start < end; i++) {
        const struct range *range = &ranges->list[i];
        uint64_t from = range->start > start ? range->start : start;
        uint64_t to = range->start + range->len < end ? range->start + range->len : end;

        sum += to > from ? to - from : 0;
    }
    return sum;
}

static int compare(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

void ranges_sort(struct ranges *ranges)
{
    size_t kept = 0;

    if (ranges->count < 2)
        return;
    qsort(ranges->list, ranges->count, sizeof *ranges->list, compare);
    for (size_t i = 1; i < ranges->count; i++) {
        struct range *last = &ranges->list[kept];
        const struct range *next = &ranges->list[i];

        if (next->start > last->start + last->len)
            ranges->list[++kept] = *next;
        else if (next->start + next->len > last->start + last->len)
            last->len = next->start + next->len - last->start;
    }
    ranges->count = kept + 1;
}
