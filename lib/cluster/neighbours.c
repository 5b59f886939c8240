/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "cluster/hamming.h"
#include "cluster/neighbours_bits.h"

struct couple {
    uint32_t later, earlier;
};

struct finder {
    const struct collection *collection;
    const struct neighbours_options *options;
    struct neighbours_bits bits;
    struct neighbours *neighbours;
    uint32_t c; /* at which contents are compared now; 0: as they are */
    struct couple *couples;
    size_t count, room;
};

/* ---- pairs ---- */

static int take_pair(void *arg, uint64_t one, uint64_t other, uint32_t distance, struct error *err)
{
    struct finder *finder = arg;
    const struct collection_content *contents = finder->collection->contents;

    (void)distance;
    if (contents[one].c != finder->c && contents[other].c != finder->c)
        return 0; /* found at a smaller C */
    if (array_reserve(&finder->couples, &finder->room, finder->count + 1))
        return error_set(err, "out of memory for %zu pairs of documents", finder->count);
    finder->couples[finder->count++] =
        (struct couple){(uint32_t)(one > other ? one : other), (uint32_t)(one > other ? other : one)};
    return 0;
}

/* The pairs come by the earlier document; a stable pass sorts them by the later one. */
static int sort_couples(struct neighbours *neighbours, const struct finder *finder, struct error *err)
{
    size_t sum = 0;

    neighbours->starts =
        memory_new((finder->collection->content_count + 2) * sizeof *neighbours->starts, err);
    neighbours->list =
        neighbours->starts ? memory_new((finder->count + 1) * sizeof *neighbours->list, err) : NULL;
    if (!neighbours->list)
        return -1;
    neighbours->pairs = finder->count;
    for (size_t i = 0; i < finder->count; i++)
        neighbours->starts[finder->couples[i].later]++;
    for (size_t d = 0; d <= finder->collection->content_count; d++) {
        sum += neighbours->starts[d];
        neighbours->starts[d] = sum;
    }
    for (size_t i = finder->count; i-- > 0;)
        neighbours->list[--neighbours->starts[finder->couples[i].later]] = finder->couples[i].earlier;
    return 0;
}

/* ---- the parameters ---- */

/* Fills them in for this many documents of k bits; is_made: the bits are made here. */
static int plan(const struct neighbours_options *options, uint32_t k, bool is_made, double documents,
                enum groups_algorithm *algorithm, struct groups_params *params, struct error *err)
{
    const double doubt = is_made ? 2 * sqrt(sketch_hamming_variance(options->resemblance, k)) : 0;

    *algorithm = options->fastest ? GROUPS_H : options->algorithm;
    *params = (struct groups_params){
        .k = k, .m = options->m, .rh = hamming_threshold(k, fmax(0, options->resemblance - doubt))};
    if (params->m == 0)
        params->m = groups_best(*algorithm, k, params->rh, documents);
    if (options->m && groups_check(params, GROUPS_H, err)) /* they were chosen, even if a scan is faster */
        return -1;
    if (options->fastest)
        *algorithm = groups_fastest(params, documents);
    return groups_check(params, *algorithm, err);
}

int neighbours_check(const struct neighbours_options *options, uint32_t k, struct error *err)
{
    enum groups_algorithm algorithm;
    struct groups_params params;

    return plan(options, k ? k : NEIGHBOURS_BITS, k == 0, 1, &algorithm, &params, err);
}

/* ---- finding ---- */

/* Contents that can be compared at the present C are counted generously: those at another one are few. */
static int find_at(struct finder *finder, struct error *err)
{
    const struct neighbours_options *options = finder->options;
    const bool is_made = finder->bits.permutations != NULL;
    enum groups_algorithm algorithm;
    struct groups_params params;
    struct groups *groups;
    int result;

    if (plan(options, finder->bits.k, is_made, (double)finder->collection->content_count, &algorithm, &params,
             err))
        return -1;
    groups = groups_new(&params, err);
    result = groups ? neighbours_bits_add(&finder->bits, finder->c, &options->run, groups, err) : -1;
    if (result == 0) {
        if (groups_count(groups) >= finder->neighbours->compared) {
            finder->neighbours->compared = groups_count(groups);
            finder->neighbours->algorithm = algorithm;
            finder->neighbours->params = params;
        }
        result = groups_pairs(groups, algorithm, &options->run, take_pair, finder, err);
    }
    groups_free(groups);
    return result;
}

/* The smallest C of a content above this one; 0: none. */
static uint32_t next_c(const struct collection *collection, uint32_t c)
{
    uint32_t next = 0;

    for (size_t i = 0; i < collection->content_count; i++) {
        const uint32_t here = collection->contents[i].c;

        next = here > c && (next == 0 || here < next) ? here : next;
    }
    return next;
}

static int find_all(struct finder *finder, struct error *err)
{
    int result;

    finder->c = next_c(finder->collection, 0);
    do
        result = find_at(finder, err);
    while (!result && finder->c && (finder->c = next_c(finder->collection, finder->c)));
    return result;
}

static uint32_t bits_of(const struct collection *collection)
{
    const struct sketch *first = collection->content_count ? collection->contents[0].sketch : NULL;

    return first && first->params.scheme == SKETCH_HAMMING ? first->params.size : NEIGHBOURS_BITS;
}

int neighbours_find(struct neighbours *neighbours, const struct collection *collection,
                    const struct neighbours_options *options, struct error *err)
{
    struct finder finder = {.collection = collection, .options = options, .neighbours = neighbours};
    int result = neighbours_bits_open(&finder.bits, collection, bits_of(collection), err);

    *neighbours = (struct neighbours){0};
    if (!result && collection->content_count)
        result = find_all(&finder, err);
    if (!result)
        result = sort_couples(neighbours, &finder, err);
    neighbours_bits_release(&finder.bits);
    free(finder.couples);
    return result;
}

void neighbours_release(struct neighbours *neighbours)
{
    free(neighbours->starts);
    free(neighbours->list);
    *neighbours = (struct neighbours){0};
}

void neighbours_overlap(const struct neighbours *neighbours, uint32_t document, uint32_t from,
                        uint32_t before, struct overlap *overlap)
{
    for (size_t i = neighbours->starts[document]; i < neighbours->starts[document + 1]; i++)
        if (neighbours->list[i] >= from && neighbours->list[i] < before)
            overlap_add(overlap, neighbours->list[i]);
}
