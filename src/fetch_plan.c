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

bool fetch_needs_path(const char *address)
{
    return address[0] == '-' && (!address[1] || address[1] == '/');
}

int fetch_compare(const struct fetch_want *want, const char *address, const char *path, size_t path_len)
{
    const int order = compare_texts(want->path, want->path ? strlen(want->path) : 0, path, path_len);

    return order ? order : strcmp(want->address, address);
}

size_t fetch_find(const struct fetch_plan *plan, const char *address, const char *path, size_t path_len,
                  size_t *first)
{
    size_t end;

    *first = SEARCH_FIRST(i, 0, plan->count,
                          fetch_compare(&plan->wants[plan->sorted[i]], address, path, path_len) >= 0);
    for (end = *first;
         end < plan->count && fetch_compare(&plan->wants[plan->sorted[end]], address, path, path_len) == 0;
         end++)
        ;
    return end - *first;
}

static bool starts_with(const char *path, const char *host, size_t len)
{
    return path && strncmp(path, host, len) == 0;
}

/* The wants of a file of the host are among those whose paths begin with its own. */
static bool leads_in_host(const struct fetch_plan *plan, const char *address, const char *host, size_t len)
{
    size_t i =
        SEARCH_FIRST(k, 0, plan->count, fetch_compare(&plan->wants[plan->sorted[k]], "", host, len) >= 0);

    for (; i < plan->count && starts_with(plan->wants[plan->sorted[i]].path, host, len); i++) {
        const struct fetch_want *want = &plan->wants[plan->sorted[i]];

        if ((want->path[len] == '/' || !want->path[len]) && object_is_below(want->address, address))
            return true;
    }
    return false;
}

bool fetch_leads(const struct fetch_plan *plan, const char *address, const char *host, size_t host_len)
{
    const size_t len = strlen(address);
    size_t i;

    if (plan->on_image)
        return false;
    if (host)
        return leads_in_host(plan, address, host, host_len);
    i = SEARCH_FIRST(k, 0, plan->count, fetch_compare(&plan->wants[plan->sorted[k]], address, "", 0) >= 0);
    for (; i < plan->count && !plan->wants[plan->sorted[i]].path &&
           strncmp(plan->wants[plan->sorted[i]].address, address, len) == 0;
         i++)
        if (object_is_below(plan->wants[plan->sorted[i]].address, address))
            return true;
    return false;
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
