/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/search.h"
#include "fetch_inner.h"

/* What is wanted of which object: both sides must agree on it. */

size_t fetch_find(const struct fetch_plan *plan, const char *address, size_t *first)
{
    size_t end;

    *first = SEARCH_FIRST(i, 0, plan->count, strcmp(plan->wants[plan->sorted[i]].address, address) >= 0);
    for (end = *first; end < plan->count && strcmp(plan->wants[plan->sorted[end]].address, address) == 0;
         end++)
        ;
    return end - *first;
}

bool fetch_fits(const struct fetch_plan *plan, size_t index, const struct object *object)
{
    const struct fetch_want *want = &plan->wants[index];

    if (want->on_image != plan->on_image)
        return false;
    if (!want->path || !(object->flags & OBJECT_HOST))
        return true;
    return object->stream.len == strlen(want->path) &&
           (object->stream.len == 0 || memcmp(object->stream.data, want->path, object->stream.len) == 0);
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
