/* SPDX-License-Identifier: Apache-2.0 */
#include "match/spans.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

/* Entries by ascending number.  0 ends a list: entry 0 is not used. */
struct spans_list {
    size_t first, last;
};

struct spans_entry {
    size_t number, next;
};

int spans_open(struct spans *spans, const uint64_t *points, size_t count, struct error *err)
{
    *spans = (struct spans){.points = points, .point_count = count, .entry_count = 1};
    spans->lists = calloc(2 * count + 1, sizeof *spans->lists);
    return spans->lists ? 0 : error_set(err, "out of memory for %zu spans", count);
}

void spans_release(struct spans *spans)
{
    free(spans->lists);
    free(spans->entries);
    *spans = (struct spans){0};
}

static int append(struct spans *spans, size_t node, size_t number, struct error *err)
{
    struct spans_list *list = &spans->lists[node];
    const size_t entry = spans->entry_count;

    if (array_reserve(&spans->entries, &spans->entry_room, entry + 1))
        return error_set(err, "out of memory for %zu spans", number);
    spans->entries[entry] = (struct spans_entry){.number = number};
    if (list->first)
        spans->entries[list->last].next = entry;
    else
        list->first = entry;
    list->last = entry;
    spans->entry_count++;
    return 0;
}

/* The rank of the first point at or after an offset. */
static size_t rank_of(const struct spans *spans, uint64_t offset)
{
    return SEARCH_FIRST(i, 0, spans->point_count, spans->points[i] >= offset);
}

int spans_add(struct spans *spans, uint64_t start, uint64_t end, size_t number, struct error *err)
{
    size_t low = rank_of(spans, start) + spans->point_count, high = rank_of(spans, end) + spans->point_count;

    for (; low < high; low /= 2, high /= 2)
        if ((low % 2 && append(spans, low++, number, err)) ||
            (high % 2 && append(spans, --high, number, err)))
            return -1;
    return 0;
}

/* Inserts a number below the last of the `most`.  Returns how many there are then. */
static size_t insert(size_t *numbers, size_t count, size_t most, size_t number)
{
    size_t at = count < most ? count : most - 1;

    for (; at > 0 && numbers[at - 1] > number; at--)
        numbers[at] = numbers[at - 1];
    numbers[at] = number;
    return count < most ? count + 1 : most;
}

size_t spans_lowest(const struct spans *spans, uint64_t point, size_t below,
                    bool (*test)(const void *arg, size_t number), const void *arg, size_t *numbers,
                    size_t most)
{
    size_t count = 0;

    for (size_t node = rank_of(spans, point) + spans->point_count; node > 0; node /= 2)
        for (size_t at = spans->lists[node].first; at; at = spans->entries[at].next) {
            const size_t number = spans->entries[at].number;

            if (number >= (count < most ? below : numbers[most - 1]))
                break;
            if (test(arg, number))
                count = insert(numbers, count, most, number);
        }
    return count;
}

size_t spans_first(const struct spans *spans, uint64_t point, bool (*test)(const void *arg, size_t number),
                   const void *arg)
{
    size_t first;

    return spans_lowest(spans, point, SPANS_NONE, test, arg, &first, 1) ? first : SPANS_NONE;
}
