/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/array.h"
#include "cluster/groups_inner.h"

/* ---- reading the indexes ---- */

enum { MOST_PER_DOCUMENT = 16 /* entries of lists: with more of them, measuring all distances is faster */ };

/* Appends a row of a list to the entries.  They must be ascending, so that none is counted twice. */
static int take_row(const struct groups *groups, const struct groups_list *list, uint64_t *next,
                    struct groups_reading *reading)
{
    uint32_t *to = reading->entries + reading->count;
    bool is_ascending = list->count == 0 || groups_list_entry(list, 0) >= *next;

    for (size_t i = 0; i < list->count; i++)
        to[i] = groups_list_entry(list, i);
    for (size_t i = 1; i < list->count; i++)
        is_ascending &= to[i - 1] < to[i];
    if (list->count)
        *next = (uint64_t)to[list->count - 1] + 1;
    reading->count += list->count;
    return is_ascending && *next <= groups->count ? 0 : -1;
}

/* Appends a group's list to the entries. */
static int read_list(struct groups *groups, enum groups_algorithm algorithm, const struct groups_part *part,
                     struct groups_reading *reading, struct error *err)
{
    uint64_t next = reading->from;
    struct groups_list list;
    int result;

    groups_list_begin(groups, algorithm, part, reading->query, reading->from, &list);
    while ((result = groups_list_next(groups, &list, err)) > 0) {
        if (array_reserve(&reading->entries, &reading->room, reading->count + list.count))
            result = error_set(err, "out of memory");
        else if (take_row(groups, &list, &next, reading))
            result = error_set(err, "the fingerprint index is damaged");
        if (result < 0) {
            statement_reset(list.read);
            return -1;
        }
    }
    return result;
}

/* Equation 13. */
static int read_h(struct groups *groups, struct groups_reading *reading, struct error *err)
{
    const size_t most = (size_t)MOST_PER_DOCUMENT * (groups->count - reading->from);

    reading->needed = groups->params.m - groups->params.rh;
    for (uint32_t i = 0; i < groups->params.m; i++) {
        if (read_list(groups, GROUPS_H, &groups->parts[i], reading, err))
            return -1;
        if (reading->count > most) {
            reading->needed = 0;
            return 0;
        }
    }
    return 0;
}

/* Leaves of the entries from `first` on what the group's list has, too. */
static int intersect(struct groups *groups, const struct groups_part *part, struct groups_reading *reading,
                     size_t first, struct error *err)
{
    size_t at = first, kept = first;
    struct groups_list list;
    int result;

    groups_list_begin(groups, GROUPS_G, part, reading->query, reading->from, &list);
    while ((result = groups_list_next(groups, &list, err)) > 0)
        for (size_t i = 0; i < list.count && at < reading->count;) {
            const uint32_t mine = reading->entries[at], other = groups_list_entry(&list, i);

            if (mine == other)
                reading->entries[kept++] = mine;
            at += mine <= other;
            i += other <= mine;
        }
    reading->count = kept;
    return result;
}

/* Equation 11: a query for documents that are equal in all of the groups chosen. */
static int read_conjunction(struct groups *groups, const uint32_t *chosen, uint32_t choice,
                            struct groups_reading *reading, struct error *err)
{
    const size_t first = reading->count;
    size_t kept = first;

    groups->work.queries++;
    if (read_list(groups, GROUPS_G, &groups->parts[chosen[0]], reading, err))
        return -1;
    for (uint32_t i = 1; i < choice && reading->count > first; i++)
        if (intersect(groups, &groups->parts[chosen[i]], reading, first, err))
            return -1;
    for (size_t i = first; i < reading->count; i++) { /* several choices find the same document */
        const uint32_t document = reading->entries[i];

        reading->entries[kept] = document;
        kept += groups->finder.tally[document] == 0;
        groups->finder.tally[document] = 1;
    }
    reading->count = kept;
    return 0;
}

/* Moves on to the next choice of groups; false after the last. */
static bool next_choice(uint32_t *chosen, uint32_t choice, uint32_t m)
{
    uint32_t i = choice;

    while (i > 0 && chosen[i - 1] == m - choice + i - 1)
        i--;
    if (i == 0)
        return false;
    chosen[i - 1]++;
    for (; i < choice; i++)
        chosen[i] = chosen[i - 1] + 1;
    return true;
}

static int read_g(struct groups *groups, struct groups_reading *reading, struct error *err)
{
    const uint32_t m = groups->params.m, choice = m - groups->params.rh;
    uint32_t *chosen = calloc(choice, sizeof *chosen);
    int result;

    if (!chosen)
        return error_set(err, "out of memory");
    for (uint32_t i = 0; i < choice; i++)
        chosen[i] = i;
    do
        result = read_conjunction(groups, chosen, choice, reading, err);
    while (result == 0 && next_choice(chosen, choice, m));
    free(chosen);
    for (size_t i = 0; i < reading->count; i++)
        groups->finder.tally[reading->entries[i]] = 0;
    reading->needed = 1;
    return result;
}

int groups_read(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query, uint32_t from,
                struct groups_reading *reading, struct error *err)
{
    reading->query = query;
    reading->from = from;
    reading->needed = 0;
    reading->count = 0;
    if (from >= groups->count) /* there may be no index yet */
        return 0;
    switch (algorithm) {
    case GROUPS_G:
        return read_g(groups, reading, err);
    case GROUPS_H:
        return read_h(groups, reading, err);
    default:
        return 0;
    }
}

/* ---- the interface ---- */

int groups_query(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query,
                 groups_found *found, void *arg, struct error *err)
{
    const struct groups_finder *finder = &groups->finder;

    if (groups_check_bits(query, groups->params.k, err) || groups_check(&groups->params, algorithm, err) ||
        groups_index(groups, algorithm, err) || groups_finder_reserve(&groups->finder, groups->count, err) ||
        groups_read(groups, algorithm, query, 0, &groups->reading, err))
        return -1;
    groups_find(groups, &groups->reading, &groups->finder);
    groups->work.candidates += finder->candidate_count;
    for (size_t i = 0; i < finder->hit_count; i++) {
        const uint32_t document = finder->hits[i];

        if (found(arg, groups->documents[document], groups_distance(groups, query, document), err))
            return -1;
    }
    return 0;
}
