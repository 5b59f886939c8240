/* SPDX-License-Identifier: Apache-2.0 */
#include "match/rarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The usual limit for content that is evidence of one file: families of versions are not larger. */
enum { FAMILY = 64 };

int rarity_begin(struct rarity *rarity, const struct seeds *seeds, const struct queries *queries,
                 struct error *err)
{
    const double references = (double)seeds->set->does->info(seeds->set)->counts.records;

    rarity->seeds = seeds;
    rarity->queries = queries;
    if (array_reserve(&rarity->values, &rarity->room, queries->all_count))
        return error_set(err, "out of memory for %zu samples", queries->all_count);
    if (queries->all_count)
        memset(rarity->values, 0, queries->all_count * sizeof *rarity->values);
    for (size_t i = 0; i < seeds->count; i++)
        rarity->values[seeds->list[i].query]++;
    for (size_t i = 0; i < queries->count; i++) {
        double *value = &rarity->values[queries->numbers[i]];

        if (*value > 0 && queries->files[i] > *value) /* the set knows only some of the files */
            *value = queries->files[i];
    }
    for (size_t i = 0; i < queries->all_count; i++)
        if (rarity->values[i] > 0)
            rarity->values[i] = fmax(0, 1 - log(rarity->values[i]) / log(references + FAMILY));
    return 0;
}

void rarity_release(struct rarity *rarity)
{
    free(rarity->values);
    *rarity = (struct rarity){0};
}

double rarity_of(const struct rarity *rarity, const struct seed_chain *chain)
{
    double sum = 0;

    for (size_t i = chain->first; i < chain->first + chain->count; i++)
        sum += rarity->values[rarity->seeds->list[i].query];
    return chain->count ? sum / (double)chain->count : 1;
}
