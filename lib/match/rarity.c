/* SPDX-License-Identifier: Apache-2.0 */
#include "match/rarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* The usual limit for content that is evidence of one file: families of versions are not larger. */
enum { FAMILY = 64 };

int rarity_begin(struct rarity *rarity, const struct seeds *seeds, const struct queries *queries,
                 struct error *err)
{
    rarity->queries = queries;
    rarity->references = (double)seeds->set->does->info(seeds->set)->counts.records;
    if (array_reserve(&rarity->hits, &rarity->room, queries->all_count))
        return error_set(err, "out of memory for %zu samples", queries->all_count);
    if (queries->all_count)
        memset(rarity->hits, 0, queries->all_count * sizeof *rarity->hits);
    for (size_t i = 0; i < seeds->count; i++)
        rarity->hits[seeds->list[i].query]++;
    for (size_t i = 0; i < queries->count; i++)
        if (rarity->hits[queries->numbers[i]] == 0)
            rarity->hits[queries->numbers[i]] = queries->files[i];
    return 0;
}

void rarity_release(struct rarity *rarity)
{
    free(rarity->hits);
    *rarity = (struct rarity){0};
}

double rarity_of(const struct rarity *rarity, const struct finding_range *ranges, size_t count)
{
    const struct queries *queries = rarity->queries;
    double sum = 0;
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        size_t k = SEARCH_FIRST(j, 0, queries->all_count, queries->all[j].pos >= ranges[i].obj_start);

        for (; k < queries->all_count && queries->all[k].pos < ranges[i].obj_end; k++) {
            if (rarity->hits[k] == 0)
                continue;
            sum += fmax(0, 1 - log(rarity->hits[k]) / log(rarity->references + FAMILY));
            known++;
        }
    }
    return known ? sum / (double)known : 1;
}
