/* SPDX-License-Identifier: Apache-2.0 */
#include <endian.h>

#include "sketch/sketch_inner.h"

/*
 * Content-defined chunks (Cherkasova, section 2).  A window whose number is 0 modulo n ends a chunk; what
 * follows the last boundary is a chunk, too.  BSW_n keeps the smallest window that ends in each chunk, the
 * traditional form a hash of all its tokens.  (The paper hashes the chosen window once more; its number is
 * a hash already.)
 */

static int prepare_chunks(struct sketcher *sketcher, struct error *err)
{
    const struct sketch_params *params = &sketcher->params;

    (void)err;
    rabin_init(&sketcher->hash, params->bits, rabin_draw(params->bits, params->seed, SKETCH_STREAM_HASH));
    permutation_init(&sketcher->hash_permutation, params->bits, params->seed, SKETCH_STREAM_HASH_PERMUTATION,
                     0);
    return 0;
}

static void begin_chunk(struct sketcher *sketcher)
{
    sketcher->is_open = false;
    sketcher->smallest = UINT64_MAX;
    sketcher->chunk = sketcher->hash.empty;
}

static void begin_chunks(struct sketcher *sketcher, uint64_t len)
{
    (void)len;
    sketch_values_reset(&sketcher->values);
    sketcher->divisor = sketch_divisor_of(sketcher->params.rate);
    begin_chunk(sketcher);
}

/* ---- BSW ---- */

static int end_window(struct sketcher *sketcher, struct error *err)
{
    if (sketcher->is_open && sketch_values_add(&sketcher->values, sketcher->smallest, err))
        return -1;
    begin_chunk(sketcher);
    return 0;
}

static int add_windows(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    const struct sketch_divisor divisor = sketcher->divisor;

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->ids[i] < sketcher->smallest)
            sketcher->smallest = batch->ids[i];
        sketcher->is_open = true;
        if (sketch_divides(&divisor, batch->ids[i]) && end_window(sketcher, err))
            return -1;
    }
    return 0;
}

static int give_windows(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    return end_window(sketcher, err) || sketch_values_give(&sketcher->values, out, err) ? -1 : 0;
}

static int compare_windows(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                           struct sketch_likeness *out, struct error *err)
{
    (void)sketcher;
    (void)err;
    sketch_values_compare(a, b, 0, SKETCH_PIECES, out);
    return 0;
}

/* ---- hashes of whole chunks ---- */

static int end_chunk(struct sketcher *sketcher, struct error *err)
{
    const uint64_t hash = permutation_apply(&sketcher->hash_permutation, sketcher->chunk);

    if (sketcher->is_open && sketch_values_add(&sketcher->values, hash, err))
        return -1;
    begin_chunk(sketcher);
    return 0;
}

static int add_chunks(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    const struct sketch_divisor divisor = sketcher->divisor;
    const size_t bytes = sketcher->params.tokens.unit == TOKENS_BYTES ? 1 : sizeof(uint64_t);
    const size_t without = batch->token_count - batch->count;

    for (size_t i = 0; i < batch->token_count; i++) {
        const uint64_t token = htole64(batch->tokens[i]);

        sketcher->chunk = rabin_append(&sketcher->hash, sketcher->chunk, (const uint8_t *)&token, bytes);
        sketcher->is_open = true;
        if (i >= without && sketch_divides(&divisor, batch->ids[i - without]) && end_chunk(sketcher, err))
            return -1;
    }
    return 0;
}

static int give_chunks(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    return end_chunk(sketcher, err) || sketch_values_give(&sketcher->values, out, err) ? -1 : 0;
}

static int compare_chunks(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                          struct sketch_likeness *out, struct error *err)
{
    (void)sketcher;
    (void)err;
    sketch_values_compare(a, b, 0, SKETCH_PIECES, out);
    return 0;
}

const struct sketch_operations sketch_of_bsw = {
    .name = "bsw",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_RATE,
    .has_containment = true,
    .defaults = {.scheme = SKETCH_BSW, .rate = 100, .window = 20, .bits = 64, .seed = 1},
    .prepare = prepare_chunks,
    .begin = begin_chunks,
    .add = add_windows,
    .final = give_windows,
    .compare = compare_windows,
};

const struct sketch_operations sketch_of_chunks = {
    .name = "chunks",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_RATE,
    .has_containment = true,
    .with_tokens = true,
    .defaults = {.scheme = SKETCH_CHUNKS, .rate = 400, .window = 20, .bits = 64, .seed = 1},
    .prepare = prepare_chunks,
    .begin = begin_chunks,
    .add = add_chunks,
    .final = give_chunks,
    .compare = compare_chunks,
};
