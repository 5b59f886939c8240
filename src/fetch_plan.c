/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/search.h"
#include "fetch_inner.h"

/* What is wanted of which object: both sides must agree on it. */

static int compare_texts(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const size_t len = a_len < b_len ? a_len : b_len;
    const int order = len ? memcmp(a, b, len) : 0;

    return order ? order : (a_len > b_len) - (a_len < b_len);
}

int fetch_compare(const struct fetch_want *want, const char *address, const char *path, size_t path_len)
{
    const int order = strcmp(want->address, address);

    return order ? order : compare_texts(want->path, want->path ? strlen(want->path) : 0, path, path_len);
}

size_t fetch_find(const struct fetch_plan *plan, const char *address, const struct object *object,
                  size_t *first)
{
    const bool is_host = object->flags & OBJECT_HOST;
    const char *path = is_host ? object->stream.data : NULL;
    const size_t len = is_host ? object->stream.len : 0;
    size_t end;

    *first = SEARCH_FIRST(i, 0, plan->count,
                          fetch_compare(&plan->wants[plan->sorted[i]], address, path, len) >= 0);
    for (end = *first;
         end < plan->count && fetch_compare(&plan->wants[plan->sorted[end]], address, path, len) == 0; end++)
        ;
    return end - *first;
}

size_t fetch_ranges(const struct fetch_want *want)
{
    return want->range_count ? want->range_count : 1;
}

struct range fetch_range(const struct fetch_want *want, size_t i, uint64_t size)
{
    struct range range = want->range_count ? want->ranges[i] : (struct range){0, size};

    if (range.start > size)
        range.start = size;
    if (range.len > size - range.start)
        range.len = size - range.start;
    return range;
}
