/* SPDX-License-Identifier: Apache-2.0 */
#include "match/queries.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    /* A query must not stand alone among this many samples before and after it.  Halving and doubling it
     * change counts in 53 and 3 rows, and no finding. */
    NEIGHBOURS = 256,
    /* In an object of fewer samples than this one neighbour is enough; in larger ones two are needed, as more
     * queries are due to chance.  256 to 1024 make no difference. */
    SMALL_OBJECT = 512,
    LEAST_SLOTS = 16, /* of the hash table, which grows with the queries */
};

static const uint32_t no_query = UINT32_MAX;

void queries_release(struct queries *queries)
{
    free(queries->numbers);
    free(queries->states);
    free(queries->files);
    free(queries->firsts);
    free(queries->table);
    *queries = (struct queries){0};
}

static int make_room(struct queries *queries, size_t count, struct error *err)
{
    if (array_reserve_all(&queries->room, count, ARRAY_PART(&queries->numbers), ARRAY_PART(&queries->states),
                          ARRAY_PART(&queries->files)))
        return error_set(err, "out of memory for %zu samples", count);
    return 0;
}

/* Makes room for all queries of the object, and a hash table that is at most half full. */
static int make_table(struct queries *queries, struct error *err)
{
    size_t slots = LEAST_SLOTS;

    while (slots < 2 * queries->count)
        slots *= 2;
    if (array_reserve(&queries->firsts, &queries->first_room, queries->all_count) ||
        array_reserve(&queries->table, &queries->table_room, slots))
        return error_set(err, "out of memory for %zu samples", queries->all_count);
    memset(queries->table, 0xff, slots * sizeof *queries->table); /* no_query */
    queries->slots = slots;
    return 0;
}

/* Finds equal queries of the set, since content repeats itself and needs to be looked up only once. */
static int find_equals(struct queries *queries, struct error *err)
{
    if (make_table(queries, err))
        return -1;
    for (size_t i = 0; i < queries->count; i++) {
        const uint64_t fp = queries_at(queries, i)->fp;
        size_t at = fp * 0x9e3779b97f4a7c15 >> 32 & (queries->slots - 1);

        while (queries->table[at] != no_query && queries->all[queries->table[at]].fp != fp)
            at = (at + 1) & (queries->slots - 1);
        if (queries->table[at] == no_query)
            queries->table[at] = queries->numbers[i];
        queries->firsts[queries->numbers[i]] = queries->table[at];
    }
    return 0;
}

/* A query that passed the filter by chance is usually isolated. */
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
    return find_equals(queries, err);
}

void queries_reopen(struct queries *queries)
{
    for (size_t i = 0; i < queries->count; i++)
        if (queries->states[i] == QUERY_EXPLAINED)
            queries->states[i] = queries->files[i] ? QUERY_POSTPONED : QUERY_OPEN;
}
