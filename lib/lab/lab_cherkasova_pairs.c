/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_cherkasova_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"

static int sketch_all(struct lab_pairs *pairs, struct sketcher *sketcher,
                      const struct lab_text_file *documents, struct error *err)
{
    for (size_t i = 0; i < pairs->documents; i++)
        if (sketch_bytes(sketcher, documents[i].data, documents[i].len, false, &pairs->sketches[i], err))
            return -1;
    return 0;
}

static int compare_pair(struct lab_pairs *pairs, struct sketcher *sketcher, size_t a, size_t b, double floor,
                        struct error *err)
{
    struct sketch_likeness likeness;

    if (sketch_compare(sketcher, &pairs->sketches[a], &pairs->sketches[b], &likeness, err))
        return -1;
    pairs->compared += likeness.has_resemblance;
    if (!likeness.has_resemblance || likeness.resemblance <= 0 || likeness.resemblance < floor)
        return 0;
    if (array_reserve(&pairs->list, &pairs->room, pairs->count + 1))
        return error_set(err, "out of memory");
    pairs->list[pairs->count++] = (struct lab_pair){(uint32_t)a, (uint32_t)b, likeness.resemblance};
    return 0;
}

static int by_resemblance(const void *left, const void *right)
{
    const struct lab_pair *a = left, *b = right;

    if (a->resemblance != b->resemblance)
        return a->resemblance < b->resemblance ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

int lab_pairs_measure(struct lab_pairs *pairs, const struct sketch_params *params,
                      const struct lab_text_file *documents, size_t count, double floor, struct error *err)
{
    struct sketcher *sketcher = sketch_new(params, err);
    int rc = sketcher ? 0 : -1;

    *pairs = (struct lab_pairs){.documents = count};
    if (rc == 0 && !(pairs->sketches = memory_new(count * sizeof(struct sketch), err)))
        rc = -1;
    if (rc == 0)
        rc = sketch_all(pairs, sketcher, documents, err);
    for (size_t a = 0; a < count && rc == 0; a++)
        for (size_t b = a + 1; b < count && rc == 0; b++)
            rc = compare_pair(pairs, sketcher, a, b, floor, err);
    if (pairs->count > 0)
        qsort(pairs->list, pairs->count, sizeof *pairs->list, by_resemblance);
    sketch_free(sketcher);
    return rc;
}

void lab_pairs_release(struct lab_pairs *pairs)
{
    for (size_t i = 0; pairs->sketches && i < pairs->documents; i++)
        sketch_release(&pairs->sketches[i]);
    free(pairs->sketches);
    free(pairs->list);
    *pairs = (struct lab_pairs){0};
}

size_t lab_pairs_count_above(const struct lab_pairs *pairs, double resemblance)
{
    return pairs->count - SEARCH_FIRST(i, 0, pairs->count, pairs->list[i].resemblance > resemblance);
}

double lab_pairs_above(const struct lab_pairs *pairs, double resemblance)
{
    return pairs->compared > 0 ? (double)lab_pairs_count_above(pairs, resemblance) / (double)pairs->compared
                               : NAN;
}

double lab_pairs_values(const struct lab_pairs *pairs)
{
    double sum = 0;

    for (size_t i = 0; i < pairs->documents; i++)
        sum += (double)pairs->sketches[i].count;
    return sum / (double)pairs->documents;
}
