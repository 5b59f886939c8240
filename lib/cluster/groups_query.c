/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "cluster/groups_inner.h"

/* ---- work space ---- */

static int reserve(struct groups *groups, struct error *err)
{
    const size_t before = groups->query_room;

    /* one more: what is not kept is written, too */
    if (array_reserve_all(&groups->query_room, (size_t)groups->count + 1, ARRAY_PART(&groups->tally),
                          ARRAY_PART(&groups->candidates), ARRAY_PART(&groups->list),
                          ARRAY_PART(&groups->hits)))
        return error_set(err, "out of memory");
    memset(groups->tally + before, 0, (groups->query_room - before) * sizeof *groups->tally);
    return 0;
}

static int broken(struct error *err)
{
    return error_set(err, "the temporary fingerprint index is damaged");
}

static uint32_t entry(const struct groups_list *list, size_t i)
{
    return bytes_load32(list->data + i * sizeof(uint32_t));
}

/* ---- alg.H ---- */

/* What a query touches. */
struct tally {
    uint32_t needed; /* occurrences of a candidate: c */
    uint32_t from;   /* the first document */
    size_t touched;  /* documents in groups->list */
    bool many;       /* too many to list */
};

/*
 * Counts the entries of a row.  A document becomes a candidate when its count reaches c.  Documents counted
 * for the first time are listed, to reset their counts; if there are too many, all counts are reset.  Without
 * branches that depend on the counts, as they could not be predicted.
 */
static int count_row(struct groups *groups, const struct groups_list *list, struct tally *tally)
{
    uint16_t *counts = groups->tally;
    size_t candidates = groups->candidate_count, touched = tally->touched;

    if (touched + list->count > groups->count / 16)
        tally->many = true;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t document = entry(list, i);

        if (document >= groups->count)
            return -1;
        if (!tally->many) {
            groups->list[touched] = document;
            touched += counts[document] == 0;
        }
        groups->candidates[candidates] = document;
        candidates += ++counts[document] == tally->needed;
    }
    groups->candidate_count = candidates;
    tally->touched = touched;
    return 0;
}

static void reset_counts(struct groups *groups, const struct tally *tally)
{
    if (tally->many)
        memset(groups->tally + tally->from, 0, (groups->count - tally->from) * sizeof *groups->tally);
    for (size_t i = 0; i < tally->touched; i++)
        groups->tally[groups->list[i]] = 0;
}

/* Equation 13. */
static int gather_h(struct groups *groups, const uint64_t *query, uint32_t from, struct error *err)
{
    struct tally tally = {.needed = groups->params.m - groups->params.rh, .from = from};
    struct groups_list list;
    int result = 0;

    for (uint32_t i = 0; i < groups->params.m && result == 0; i++) {
        groups_list_begin(groups, GROUPS_H, &groups->parts[i], query, from, &list);
        while ((result = groups_list_next(groups, &list, err)) > 0)
            if (count_row(groups, &list, &tally)) {
                statement_reset(list.read);
                result = broken(err);
                break;
            }
    }
    reset_counts(groups, &tally);
    return result;
}

/* ---- alg.G ---- */

/* Reads a group's whole list into groups->list. */
static int read_list(struct groups *groups, const struct groups_part *part, const uint64_t *query,
                     uint32_t from, size_t *count, struct error *err)
{
    struct groups_list list;
    int result;

    *count = 0;
    groups_list_begin(groups, GROUPS_G, part, query, from, &list);
    while ((result = groups_list_next(groups, &list, err)) > 0) {
        if (*count + list.count > groups->count) {
            statement_reset(list.read);
            return broken(err);
        }
        for (size_t i = 0; i < list.count; i++)
            groups->list[(*count)++] = entry(&list, i);
    }
    return result;
}

/* Leaves of groups->list what the group's list has, too. */
static int intersect(struct groups *groups, const struct groups_part *part, const uint64_t *query,
                     uint32_t from, size_t *count, struct error *err)
{
    struct groups_list list;
    size_t at = 0, kept = 0;
    int result;

    groups_list_begin(groups, GROUPS_G, part, query, from, &list);
    while ((result = groups_list_next(groups, &list, err)) > 0)
        for (size_t i = 0; i < list.count && at < *count;) {
            const uint32_t mine = groups->list[at], other = entry(&list, i);

            if (mine == other)
                groups->list[kept++] = mine;
            at += mine <= other;
            i += other <= mine;
        }
    *count = kept;
    return result;
}

/* Equation 11: a query for documents that are equal in all of the groups chosen. */
static int gather_conjunction(struct groups *groups, const uint32_t *chosen, uint32_t choice,
                              const uint64_t *query, uint32_t from, struct error *err)
{
    size_t count;

    groups->work.queries++;
    if (read_list(groups, &groups->parts[chosen[0]], query, from, &count, err))
        return -1;
    for (uint32_t i = 1; i < choice && count > 0; i++)
        if (intersect(groups, &groups->parts[chosen[i]], query, from, &count, err))
            return -1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t document = groups->list[i];

        if (document >= groups->count)
            return broken(err);
        if (groups->tally[document]++ == 0) /* several choices find the same document */
            groups->candidates[groups->candidate_count++] = document;
        else
            groups->tally[document] = 1;
    }
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

static int gather_g(struct groups *groups, const uint64_t *query, uint32_t from, struct error *err)
{
    const uint32_t m = groups->params.m, choice = m - groups->params.rh;
    uint32_t *chosen = calloc(choice, sizeof *chosen);
    int result;

    if (!chosen)
        return error_set(err, "out of memory");
    for (uint32_t i = 0; i < choice; i++)
        chosen[i] = i;
    do
        result = gather_conjunction(groups, chosen, choice, query, from, err);
    while (result == 0 && next_choice(chosen, choice, m));
    free(chosen);
    for (size_t i = 0; i < groups->candidate_count; i++)
        groups->tally[groups->candidates[i]] = 0;
    return result;
}

/* ---- candidates ---- */

static uint32_t distance(const struct groups *groups, const uint64_t *query, uint32_t document)
{
    return groups->measure(query, groups_bits(groups, document), groups->words);
}

/* Loads the first two lines of the cache that a fingerprint of 1,000 bits takes; the processor then loads the
 * next ones. */
static void prefetch(const uint64_t *bits, size_t words)
{
    __builtin_prefetch(bits);
    if (words > 8)
        __builtin_prefetch(bits + 8);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Step 3: keeps the candidates within rh, in groups->hits.  They lie anywhere in memory. */
static void verify(struct groups *groups, const uint64_t *query)
{
    enum { AHEAD = 16 };

    for (size_t i = 0; i < groups->candidate_count; i++) {
        if (i + AHEAD < groups->candidate_count)
            prefetch(groups_bits(groups, groups->candidates[i + AHEAD]), groups->words);
        groups->hits[groups->hit_count] = groups->candidates[i];
        groups->hit_count += distance(groups, query, groups->candidates[i]) <= groups->params.rh;
    }
    groups->work.candidates += groups->candidate_count;
    qsort(groups->hits, groups->hit_count, sizeof *groups->hits, by_number);
}

static void scan(struct groups *groups, const uint64_t *query, uint32_t from)
{
    for (uint32_t document = from; document < groups->count; document++) {
        groups->hits[groups->hit_count] = document;
        groups->hit_count += distance(groups, query, document) <= groups->params.rh;
    }
    groups->work.candidates += groups->count - from;
}

/* Puts the documents from number `from` on that are within rh of the query into groups->hits. */
static int find(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query, uint32_t from,
                struct error *err)
{
    groups->candidate_count = groups->hit_count = 0;
    if (from >= groups->count)
        return 0;
    switch (algorithm) {
    case GROUPS_G:
        if (gather_g(groups, query, from, err))
            return -1;
        break;
    case GROUPS_H:
        if (gather_h(groups, query, from, err))
            return -1;
        break;
    default:
        scan(groups, query, from);
        return 0;
    }
    verify(groups, query);
    return 0;
}

static int prepare(struct groups *groups, enum groups_algorithm algorithm, struct error *err)
{
    if (groups_check(&groups->params, algorithm, err) || groups_index(groups, algorithm, err))
        return -1;
    return reserve(groups, err);
}

int groups_query(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query,
                 groups_found *found, void *arg, struct error *err)
{
    int result = groups_check_bits(query, groups->params.k, err) ? -1 : prepare(groups, algorithm, err);

    if (result == 0)
        result = find(groups, algorithm, query, 0, err);
    for (size_t i = 0; result == 0 && i < groups->hit_count; i++) {
        const uint32_t document = groups->hits[i];

        result = found(arg, groups->documents[document], distance(groups, query, document), err);
    }
    return result ? -1 : 0;
}

int groups_pairs(struct groups *groups, enum groups_algorithm algorithm, groups_pair *found, void *arg,
                 struct error *err)
{
    int result = prepare(groups, algorithm, err);

    for (uint32_t one = 0; result == 0 && one < groups->count; one++) {
        const uint64_t *query = groups_bits(groups, one);

        result = find(groups, algorithm, query, one + 1, err);
        for (size_t i = 0; result == 0 && i < groups->hit_count; i++) {
            const uint32_t other = groups->hits[i];

            result = found(arg, groups->documents[one], groups->documents[other],
                           distance(groups, query, other), err);
        }
    }
    return result ? -1 : 0;
}
