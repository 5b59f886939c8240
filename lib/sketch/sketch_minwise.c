/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sketch/sketch_inner.h"

/*
 * The minimum under each of k permutations (Cherkasova's Sketch_n; Yuan, section 2), and one bit of each.
 *
 * The shingles' numbers are permuted already (shingles.h), so the permutations here are compositions of that
 * one with others.  The function b of a minimum u is the parity of u AND a random mask: pairwise independent,
 * since two different numbers differ in some bit, which is in the mask with probability 1/2.
 */

static int prepare_minima(struct sketcher *sketcher, struct error *err)
{
    const struct sketch_params *params = &sketcher->params;

    sketcher->permutations = calloc(params->size, sizeof *sketcher->permutations);
    sketcher->minima = calloc(params->size, sizeof *sketcher->minima);
    sketcher->masks = calloc(params->size, sizeof *sketcher->masks);
    if (!sketcher->permutations || !sketcher->minima || !sketcher->masks)
        return error_set(err, "out of memory for %u permutations", params->size);
    for (uint32_t i = 0; i < params->size; i++) {
        permutation_init(&sketcher->permutations[i], params->bits, params->seed, SKETCH_STREAM_MINWISE, i);
        sketcher->masks[i] = permutation_random(params->seed, SKETCH_STREAM_MASKS, i);
    }
    return 0;
}

static void begin_minima(struct sketcher *sketcher, uint64_t len)
{
    (void)len;
    memset(sketcher->minima, 0xff, sketcher->params.size * sizeof *sketcher->minima);
}

static int add_minima(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    (void)err;
    for (uint32_t i = 0; i < sketcher->params.size; i++)
        sketcher->minima[i] =
            permutation_least(&sketcher->permutations[i], batch->ids, batch->count, sketcher->minima[i]);
    return 0;
}

static int give_minima(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    const size_t size = sketcher->count > 0 ? sketcher->params.size : 0;

    if (sketch_values_room(out, size, err))
        return -1;
    if (size > 0)
        memcpy(out->values, sketcher->minima, size * sizeof *out->values);
    return 0;
}

static int give_bits(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    const size_t size = sketcher->count > 0 ? sketcher->params.size : 0, words = (size + 63) / 64;

    if (sketch_values_room(out, words, err))
        return -1;
    if (words > 0)
        memset(out->values, 0, words * sizeof *out->values);
    for (size_t i = 0; i < size; i++) {
        const uint64_t bit = (uint64_t)__builtin_parityll(sketcher->minima[i] & sketcher->masks[i]);

        out->values[i / 64] |= bit << i % 64;
    }
    return 0;
}

/* Yuan eq. 2. */
static int compare_minima(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                          struct sketch_likeness *out, struct error *err)
{
    uint64_t common = 0;

    (void)sketcher;
    (void)err;
    for (size_t i = 0; i < a->count; i++)
        common += a->values[i] == b->values[i];
    sketch_values_resemblance(out, common, a->count, SKETCH_SAMPLE);
    return 0;
}

/* Yuan eq. 5: two bits are equal with probability (1 + R) / 2. */
static int compare_bits(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                        struct sketch_likeness *out, struct error *err)
{
    uint64_t differing = 0;

    (void)sketcher;
    (void)err;
    for (size_t i = 0; i < a->count; i++)
        differing += (uint64_t)__builtin_popcountll(a->values[i] ^ b->values[i]);
    sketch_values_resemblance(out, a->params.size - differing, a->params.size, SKETCH_SAMPLE);
    out->resemblance = 2 * out->resemblance - 1;
    out->resemblance_low = 2 * out->resemblance_low - 1;
    out->resemblance_high = 2 * out->resemblance_high - 1;
    return 0;
}

const struct sketch_operations sketch_of_minwise = {
    .name = "minwise",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_SIZE,
    .defaults = {.scheme = SKETCH_MINWISE, .size = 100, .window = 20, .bits = 64, .seed = 1},
    .prepare = prepare_minima,
    .begin = begin_minima,
    .add = add_minima,
    .final = give_minima,
    .compare = compare_minima,
};

const struct sketch_operations sketch_of_hamming = {
    .name = "hamming",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_SIZE,
    .defaults = {.scheme = SKETCH_HAMMING, .size = 400, .window = 20, .bits = 64, .seed = 1},
    .prepare = prepare_minima,
    .begin = begin_minima,
    .add = add_minima,
    .final = give_bits,
    .compare = compare_bits,
};
