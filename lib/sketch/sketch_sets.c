/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/sketch_inner.h"

/* Sets of shingles: all of them, or those whose number is 0 modulo m (Broder 1997, section 3).  Their size
 * grows with that of the document, so they estimate containment, too. */

#define COMMON .tokens = {.unit = TOKENS_BYTES}, .window = 20, .bits = 64, .seed = 1

static void begin_all(struct sketcher *sketcher, uint64_t len)
{
    (void)len;
    sketch_values_reset(&sketcher->values);
}

static void begin_mod(struct sketcher *sketcher, uint64_t len)
{
    (void)len;
    sketch_values_reset(&sketcher->values);
    sketcher->modulus = sketcher->params.rate;
    sketcher->divisor = sketch_divisor_of(sketcher->modulus);
}

static int add_all(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    for (size_t i = 0; i < batch->count; i++)
        if (sketch_values_add(&sketcher->values, batch->ids[i], err))
            return -1;
    return 0;
}

static int add_mod(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    const struct sketch_divisor divisor = sketcher->divisor;

    for (size_t i = 0; i < batch->count; i++)
        if (sketch_divides(&divisor, batch->ids[i]) &&
            sketch_values_add(&sketcher->values, batch->ids[i], err))
            return -1;
    return 0;
}

static int give(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    out->modulus = sketcher->modulus;
    return sketch_values_give(&sketcher->values, out, err);
}

static int compare_all(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                       struct sketch_likeness *out, struct error *err)
{
    (void)sketcher;
    (void)err;
    sketch_values_compare(a, b, 0, SKETCH_ALL, out);
    return 0;
}

/* Of two nested sketches, the one with the smaller modulus is reduced to the larger one. */
static int compare_mod(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                       struct sketch_likeness *out, struct error *err)
{
    const uint32_t modulus = a->modulus > b->modulus ? a->modulus : b->modulus;

    (void)sketcher;
    (void)err;
    sketch_values_compare(a, b, modulus, modulus == 1 ? SKETCH_ALL : SKETCH_SAMPLE, out);
    return 0;
}

/* ---- nested ---- */

static void begin_nested(struct sketcher *sketcher, uint64_t len)
{
    (void)len;
    sketch_values_reset(&sketcher->values);
    sketcher->modulus = 1;
    sketcher->divisor = sketch_divisor_of(1);
}

/* Keeps the values that are 0 modulo twice the modulus. */
static void double_modulus(struct sketcher *sketcher)
{
    struct sketch_values *values = &sketcher->values;
    size_t kept = 0;

    sketcher->modulus *= 2;
    sketcher->divisor = sketch_divisor_of(sketcher->modulus);
    for (size_t i = 0; i < values->count; i++)
        if (sketch_divides(&sketcher->divisor, values->list[i]))
            values->list[kept++] = values->list[i];
    values->count = kept;
}

/*
 * The paper stores MOD of 2^i for documents of 100 * 2^i to 100 * 2^(i+1) shingles and expects 50 to 100
 * values; that would be 100 to 200.  Here i is the smallest with which at most `size` distinct values remain:
 * the length says nothing about their number if the document repeats itself.  A longer beginning of the
 * document never needs a smaller modulus, so it may grow on the way.
 */
static int fit(struct sketcher *sketcher, struct error *err)
{
    if (sketch_values_sort(&sketcher->values, err))
        return -1;
    while (sketcher->values.count > sketcher->params.size && sketcher->modulus < SKETCH_MAX_RATE)
        double_modulus(sketcher);
    return 0;
}

static int add_nested(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    enum { LEAST = 1024 }; /* values, repeated ones included, that are worth sorting */
    const size_t most = 2 * (size_t)sketcher->params.size + LEAST;

    for (size_t i = 0; i < batch->count; i++) {
        if (!sketch_divides(&sketcher->divisor, batch->ids[i]))
            continue;
        if (sketch_values_add(&sketcher->values, batch->ids[i], err))
            return -1;
        if (sketcher->values.count >= most && sketcher->modulus < SKETCH_MAX_RATE && fit(sketcher, err))
            return -1;
    }
    return 0;
}

static int give_nested(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    return fit(sketcher, err) || give(sketcher, out, err) ? -1 : 0;
}

const struct sketch_operations sketch_of_shingles = {
    .name = "shingles",
    .uses = SKETCH_USE_TOKENS,
    .has_containment = true,
    .defaults = {.scheme = SKETCH_SHINGLES, COMMON},
    .begin = begin_all,
    .add = add_all,
    .final = give,
    .compare = compare_all,
};

const struct sketch_operations sketch_of_mod = {
    .name = "mod",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_RATE,
    .has_containment = true,
    .defaults = {.scheme = SKETCH_MOD, .rate = 100, COMMON},
    .begin = begin_mod,
    .add = add_mod,
    .final = give,
    .compare = compare_mod,
};

const struct sketch_operations sketch_of_nested = {
    .name = "nested",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_SIZE,
    .has_containment = true,
    .defaults = {.scheme = SKETCH_NESTED, .size = 100, COMMON},
    .begin = begin_nested,
    .add = add_nested,
    .final = give_nested,
    .compare = compare_mod,
};
