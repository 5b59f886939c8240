/* SPDX-License-Identifier: Apache-2.0 */
#include "match/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * Seeds in MOST_CLAIMS chains are not searched for more chains, and a reference is only counted if all its
 * seeds but one are such: comparing each of a thousand near-copies would take forever.  In an image of 60,000
 * related files a limit of 16 lost 46 of 51,740 rows, and 8 lost 149.  From 16 to 64 there is no difference
 * on the corpora, nor with LEAST_OWN 1 or 4.
 */
enum {
    MOST_CLAIMS = 32,
    LEAST_OWN = 2,
};

void holders_release(struct holders *holders)
{
    free(holders->list);
    free(holders->claims);
    free(holders->counts);
    *holders = (struct holders){0};
}

static int by_seeds(const void *a, const void *b)
{
    const struct holder *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->samples != y->samples)
        return x->samples < y->samples ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static int add(struct holders *holders, const struct holder *one, struct error *err)
{
    if (array_reserve(&holders->list, &holders->room, holders->count + 1))
        return error_set(err, "out of memory for %zu references", holders->count + 1);
    holders->list[holders->count++] = *one;
    return 0;
}

/* Makes room for the notes on each query of the object, and clears them. */
static int make_notes(struct holders *holders, size_t queries, struct error *err)
{
    if (array_reserve_all(&holders->claim_room, queries, ARRAY_PART(&holders->claims),
                          ARRAY_PART(&holders->counts)))
        return error_set(err, "out of memory for %zu samples", queries);
    if (queries) {
        memset(holders->claims, 0, queries);
        memset(holders->counts, 0, queries * sizeof *holders->counts);
    }
    return 0;
}

/* Whether the seeds have at least `least` different fingerprints: content that repeats itself has many seeds
 * of a few.  number: identifies the holder in .counts, from 1. */
static bool are_different(struct holders *holders, const struct queries *queries, const struct seed *seeds,
                          size_t count, size_t least, uint32_t number)
{
    size_t different = 0;

    for (size_t i = 0; i < count && count - i >= least - different; i++) {
        uint32_t *counted = &holders->counts[queries->firsts[seeds[i].query]];

        different += *counted != number;
        *counted = number;
        if (different >= least)
            return true;
    }
    return false;
}

int holders_gather(struct holders *holders, const struct seeds *seeds, const struct queries *queries,
                   size_t least, struct error *err)
{
    struct set *set = seeds->set;
    uint32_t number = 0;

    holders->count = 0;
    if (make_notes(holders, queries->all_count, err))
        return -1;
    for (size_t i = 0, next; i < seeds->count; i = next) {
        uint64_t first = 0, end = seeds->list[i].sample + 1;
        const int found = set->does->bounds(set, seeds->list[i].sample, &first, &end, err);

        if (found < 0)
            return -1;
        for (next = i + 1; next < seeds->count && seeds->list[next].sample < end;)
            next++;
        if (found && next - i >= least &&
            are_different(holders, queries, seeds->list + i, next - i, least, ++number) &&
            add(holders, &(struct holder){first, end - first, i, next - i}, err))
            return -1;
    }
    if (holders->count)
        qsort(holders->list, holders->count, sizeof *holders->list, by_seeds);
    return 0;
}

void holders_claim(struct holders *holders, uint32_t query)
{
    if (holders->claims[query] < MOST_CLAIMS)
        holders->claims[query]++;
}

bool holders_is_claimed(const struct holders *holders, uint32_t query)
{
    return holders->claims[query] >= MOST_CLAIMS;
}

bool holders_is_one_of_many(const struct holders *holders, const struct seeds *seeds,
                            const struct holder *holder)
{
    size_t own = 0;

    for (size_t i = 0; i < holder->count && own < LEAST_OWN; i++)
        own += !holders_is_claimed(holders, seeds->list[holder->first + i].query);
    return own < LEAST_OWN && holder->count >= LEAST_OWN;
}
