/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "cluster/hamming.h"
#include "sketch/permutation.h"

enum { MOST_REDUCED = 4, SEED = 1, STREAM = 0x6e62 /* no other draws of this seed */ };

struct couple {
    uint32_t later, earlier;
};

struct finder {
    const struct collection *collection;
    struct postings_source source;
    uint32_t k;
    uint32_t c;                       /* at which contents are compared now; 0: as they are */
    struct permutation *permutations; /* NULL: the sketches are fingerprints */
    uint64_t *numbers, *bits;         /* of one document */
    size_t numbers_room;
    struct couple *couples;
    size_t count, room;
};

/* ---- fingerprints ---- */

static const struct sketch *sketch_of(const struct collection *collection, size_t content)
{
    const struct sketch *sketch = collection->contents[content].sketch;

    return sketch && sketch->params.scheme == SKETCH_HAMMING ? sketch : NULL;
}

static int draw(struct finder *finder, struct error *err)
{
    finder->permutations = memory_new(finder->k * sizeof *finder->permutations, err);
    if (!finder->permutations)
        return -1;
    for (uint32_t i = 0; i < finder->k; i++)
        permutation_init(&finder->permutations[i], 64, SEED, STREAM, i);
    return 0;
}

/* What remains of the fingerprints of a content at the present C. */
static bool is_kept(const struct finder *finder, uint32_t content, uint64_t number)
{
    if (finder->c == 0)
        return true;
    return finder->collection->contents[content].sketch ? number % finder->c == 0
                                                        : number <= UINT64_MAX / finder->c;
}

static int copy_numbers(struct finder *finder, uint32_t content, const struct postings_list *list,
                        size_t *count, struct error *err)
{
    const char *at = list->first;

    *count = 0;
    if (array_reserve(&finder->numbers, &finder->numbers_room, list->count))
        return error_set(err, "out of memory for %zu fingerprints", list->count);
    for (size_t i = 0; i < list->count; i++, at += list->stride) {
        memcpy(&finder->numbers[*count], at, sizeof *finder->numbers);
        *count += is_kept(finder, content, finder->numbers[*count]);
    }
    return 0;
}

/* The function b is the lowest bit. */
static void make_bits(struct finder *finder, size_t count)
{
    memset(finder->bits, 0, hamming_words(finder->k) * sizeof *finder->bits);
    for (uint32_t i = 0; i < finder->k; i++) {
        const uint64_t least =
            permutation_least(&finder->permutations[i], finder->numbers, count, UINT64_MAX);

        finder->bits[i / 64] |= (least & 1) << (i % 64);
    }
}

static int add_fingerprint(struct finder *finder, struct groups *groups, uint32_t content, struct error *err)
{
    const struct sketch *sketch = sketch_of(finder->collection, content);
    const struct postings_list list = finder->source.list(finder->source.arg, content);
    const uint32_t c = finder->collection->contents[content].c;
    size_t count;

    if (sketch)
        return sketch->count ? groups_add(groups, content, sketch->values, err) : 0;
    if (list.count == 0 || c > finder->c || c < finder->c / MOST_REDUCED)
        return 0;
    if (copy_numbers(finder, content, &list, &count, err))
        return -1;
    if (count == 0)
        return 0;
    make_bits(finder, count);
    return groups_add(groups, content, finder->bits, err);
}

static int add_all(struct finder *finder, struct groups *groups, struct error *err)
{
    for (size_t i = 0; i < finder->source.documents; i++)
        if (add_fingerprint(finder, groups, (uint32_t)i, err))
            return -1;
    return 0;
}

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

    neighbours->starts = memory_new((finder->source.documents + 2) * sizeof *neighbours->starts, err);
    neighbours->list =
        neighbours->starts ? memory_new((finder->count + 1) * sizeof *neighbours->list, err) : NULL;
    if (!neighbours->list)
        return -1;
    neighbours->pairs = finder->count;
    for (size_t i = 0; i < finder->count; i++)
        neighbours->starts[finder->couples[i].later]++;
    for (size_t d = 0; d <= finder->source.documents; d++) {
        sum += neighbours->starts[d];
        neighbours->starts[d] = sum;
    }
    for (size_t i = finder->count; i-- > 0;)
        neighbours->list[--neighbours->starts[finder->couples[i].later]] = finder->couples[i].earlier;
    return 0;
}

static double deviation(double resemblance, uint32_t k)
{
    return sqrt(sketch_hamming_variance(resemblance, k));
}

static struct groups_params plan(const struct finder *finder, enum groups_algorithm algorithm,
                                 double resemblance)
{
    const double least = sketch_of(finder->collection, 0)
                             ? resemblance
                             : fmax(0, resemblance - 2 * deviation(resemblance, finder->k));
    struct groups_params params = {.k = finder->k, .rh = hamming_threshold(finder->k, least)};

    params.m = groups_best(algorithm, params.k, params.rh, (double)finder->source.documents);
    return params;
}

/* Finds pairs at one C. */
static int find_at(struct finder *finder, enum groups_algorithm algorithm, double resemblance,
                   struct error *err)
{
    const struct groups_params params = plan(finder, algorithm, resemblance);
    struct groups *groups;
    int result = -1;

    if (groups_check(&params, algorithm, err))
        return -1;
    groups = groups_new(&params, err);
    if (groups && add_all(finder, groups, err) == 0)
        result = groups_pairs(groups, algorithm, take_pair, finder, err);
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

static int find(struct finder *finder, enum groups_algorithm algorithm, double resemblance, struct error *err)
{
    int result;

    if (!sketch_of(finder->collection, 0) && draw(finder, err))
        return -1;
    finder->bits = memory_new(hamming_words(finder->k) * sizeof *finder->bits, err);
    if (!finder->bits)
        return -1;
    finder->c = next_c(finder->collection, 0);
    do
        result = find_at(finder, algorithm, resemblance, err);
    while (!result && finder->c && (finder->c = next_c(finder->collection, finder->c)));
    return result;
}

int neighbours_find(struct neighbours *neighbours, const struct collection *collection,
                    enum groups_algorithm algorithm, double resemblance, struct error *err)
{
    struct finder finder = {
        .collection = collection, .source = collection_source(collection), .k = NEIGHBOURS_BITS};
    int result;

    *neighbours = (struct neighbours){0};
    if (collection->content_count && sketch_of(collection, 0))
        finder.k = sketch_of(collection, 0)->params.size;
    result = collection->content_count ? find(&finder, algorithm, resemblance, err) : 0;
    if (!result)
        result = sort_couples(neighbours, &finder, err);
    free(finder.permutations);
    free(finder.numbers);
    free(finder.bits);
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
