/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/tally.h"

#include <stdlib.h>

#include "base/memory.h"

int tally_make(struct tally *tally, size_t documents, struct error *err)
{
    *tally = (struct tally){0};
    if (documents >= UINT32_MAX)
        return error_set(err, "too many documents: %zu", documents);
    tally->counts = memory_new((documents + 1) * sizeof *tally->counts, err);
    tally->list = tally->counts ? memory_new((documents + 1) * sizeof *tally->list, err) : NULL;
    if (tally->list)
        return 0;
    tally_release(tally);
    return -1;
}

void tally_release(struct tally *tally)
{
    free(tally->counts);
    free(tally->list);
    *tally = (struct tally){0};
}

static int compare_counts(const void *a, const void *b, void *arg)
{
    const struct tally *tally = arg;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (tally->counts[x] != tally->counts[y])
        return tally->counts[x] > tally->counts[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

void tally_sort(struct tally *tally)
{
    if (tally->count > 1)
        qsort_r(tally->list, tally->count, sizeof *tally->list, compare_counts, tally);
}

void tally_reset(struct tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        tally->counts[tally->list[i]] = 0;
    tally->count = 0;
}
