/* SPDX-License-Identifier: Apache-2.0 */
#include "match/matcher_kin.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CLAIMS = 32, /* candidates that explain the same matches, */
    LEAST_OWN = 2,    /* and so many matches that are not explained so often make a difference */
};

void matcher_kin_release(struct kin_list *kin)
{
    free(kin->list);
    free(kin->claims);
    *kin = (struct kin_list){0};
}

static int by_matches(const void *a, const void *b)
{
    const struct kin *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->samples != y->samples)
        return x->samples < y->samples ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static int add(struct kin_list *kin, const struct kin *one, struct error *err)
{
    if (kin->count == kin->room) {
        const size_t room = kin->room ? 2 * kin->room : 1024;
        struct kin *longer = realloc(kin->list, room * sizeof *longer);

        if (!longer)
            return error_set(err, "out of memory for %zu references", room);
        kin->list = longer;
        kin->room = room;
    }
    kin->list[kin->count++] = *one;
    return 0;
}

static int forget_claims(struct kin_list *kin, size_t queries, struct error *err)
{
    if (queries > kin->claim_room) {
        free(kin->claims);
        kin->claims = malloc(2 * queries);
        kin->claim_room = kin->claims ? 2 * queries : 0;
        if (!kin->claims)
            return error_set(err, "out of memory for %zu samples", queries);
    }
    if (queries)
        memset(kin->claims, 0, queries);
    return 0;
}

int matcher_kin_gather(struct kin_list *kin, const struct lookup *lookup, struct refset_cache *cache,
                       size_t least, struct error *err)
{
    kin->count = 0;
    if (forget_claims(kin, lookup->object.query_count, err))
        return -1;
    for (size_t i = 0, next; i < lookup->match_count; i = next) {
        uint64_t first = 0, end = lookup->matches[i].sample + 1;
        const int found = refset_cache_bounds(cache, lookup->matches[i].sample, &first, &end, err);

        if (found < 0)
            return -1;
        for (next = i + 1; next < lookup->match_count && lookup->matches[next].sample < end;)
            next++;
        if (found && next - i >= least && add(kin, &(struct kin){first, end - first, i, next - i}, err))
            return -1;
    }
    if (kin->count)
        qsort(kin->list, kin->count, sizeof *kin->list, by_matches);
    return 0;
}

void matcher_kin_claim(struct kin_list *kin, uint32_t query)
{
    if (kin->claims[query] < MOST_CLAIMS)
        kin->claims[query]++;
}

bool matcher_kin_is_one_of_many(const struct kin_list *kin, const struct lookup *lookup,
                                const struct kin *one)
{
    size_t own = 0;

    for (size_t i = 0; i < one->count && own < LEAST_OWN; i++)
        own += kin->claims[lookup->matches[one->first + i].query] < MOST_CLAIMS;
    return own < LEAST_OWN && one->count >= LEAST_OWN;
}
