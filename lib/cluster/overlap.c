/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/overlap.h"

#include <stdlib.h>

#include "base/memory.h"

int overlap_make(struct overlap *overlap, size_t documents, struct error *err)
{
    *overlap = (struct overlap){0};
    if (documents >= UINT32_MAX)
        return error_set(err, "too many documents: %zu", documents);
    overlap->counts = memory_new((documents + 1) * sizeof *overlap->counts, err);
    overlap->list = overlap->counts ? memory_new((documents + 1) * sizeof *overlap->list, err) : NULL;
    if (overlap->list)
        return 0;
    overlap_release(overlap);
    return -1;
}

void overlap_release(struct overlap *overlap)
{
    free(overlap->counts);
    free(overlap->list);
    *overlap = (struct overlap){0};
}

static int compare_counts(const void *a, const void *b, void *arg)
{
    const struct overlap *overlap = arg;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (overlap->counts[x] != overlap->counts[y])
        return overlap->counts[x] > overlap->counts[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

void overlap_sort(struct overlap *overlap)
{
    if (overlap->count > 1)
        qsort_r(overlap->list, overlap->count, sizeof *overlap->list, compare_counts, overlap);
}

void overlap_reset(struct overlap *overlap)
{
    for (size_t i = 0; i < overlap->count; i++)
        overlap->counts[overlap->list[i]] = 0;
    overlap->count = 0;
}
