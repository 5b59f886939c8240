/* SPDX-License-Identifier: Apache-2.0 */
#include "match/queries.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEIGHBOURS = 256,   /* samples before and behind a query in which it must not stand alone */
    SMALL_OBJECT = 512, /* samples: here one neighbour is enough, else two */
};

void queries_release(struct queries *queries)
{
    free(queries->numbers);
    free(queries->states);
    free(queries->files);
    *queries = (struct queries){0};
}

static int make_room(struct queries *queries, size_t count, struct error *err)
{
    if (count <= queries->room)
        return 0;
    queries_release(queries);
    queries->room = 2 * count;
    queries->numbers = malloc(queries->room * sizeof *queries->numbers);
    queries->states = malloc(queries->room);
    queries->files = malloc(queries->room * sizeof *queries->files);
    if (queries->numbers && queries->states && queries->files)
        return 0;
    queries->room = 0;
    return error_set(err, "out of memory for %zu samples", count);
}

/* What chance lets through the filter stands alone mostly. */
static bool stands_alone(const struct queries *queries, size_t i)
{
    const uint64_t reach = (uint64_t)NEIGHBOURS * queries->c, pos = queries_at(queries, i)->pos;
    const size_t needed = queries->size / queries->c < SMALL_OBJECT ? 1 : 2;
    size_t near = 0;

    for (size_t k = 1; k <= needed && k <= i; k++)
        near += pos - queries_at(queries, i - k)->pos <= reach;
    for (size_t k = 1; k <= needed && i + k < queries->count; k++)
        near += queries_at(queries, i + k)->pos - pos <= reach;
    return near < needed;
}

int queries_select(struct queries *queries, const struct subject *subject, const struct query *all,
                   size_t all_count, uint64_t set, uint64_t known, struct error *err)
{
    if (make_room(queries, all_count, err))
        return -1;
    queries->all = all;
    queries->all_count = all_count;
    queries->size = subject->size;
    queries->c = subject->probed_c;
    queries->count = 0;
    for (size_t i = 0; i < all_count; i++)
        if ((all[i].sets & set) && !(all[i].sets & known))
            queries->numbers[queries->count++] = (uint32_t)i;
    if (queries->count)
        memset(queries->files, 0, queries->count * sizeof *queries->files);
    for (size_t i = 0; i < queries->count; i++)
        queries->states[i] = stands_alone(queries, i) ? QUERY_DROPPED : QUERY_OPEN;
    return 0;
}

void queries_reopen(struct queries *queries)
{
    for (size_t i = 0; i < queries->count; i++)
        if (queries->states[i] == QUERY_EXPLAINED)
            queries->states[i] = queries->files[i] ? QUERY_POSTPONED : QUERY_OPEN;
}
