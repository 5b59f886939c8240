/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SHINGLES_H
#define KITH_SHINGLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sketch/tokens.h"

/*
 * The shingles of a document (Broder 1997, section 2): each run of w tokens, as a number of l bits.
 *
 * The number is pi(f(shingle)): a Rabin fingerprint under a random permutation (section 4.1), both chosen by
 * the seed.  A shingle of bytes is the bytes themselves, over which a window slides.  For other tokens it is
 * the w fingerprints of its tokens, permuted, of 8 bytes each; without the permutation, a difference in one
 * token could cancel one in the next, since fingerprints are linear.  Words of at most 8 bytes need none:
 * they are padded with zeros, which no word contains (section 4.3).
 *
 * Option B gives each shingle as often as it occurs; its set is that of the distinct ones.  With option A
 * (labelled) each number stands for a shingle and its occurrence number, so all are different: a second
 * fingerprint, by an independent polynomial, of the first one and the label (section 4.3).
 */
enum {
    SHINGLES_MAX_WINDOW = 4096, /* tokens */
    SHINGLES_STREAMS = 8,       /* streams of random numbers that it draws from the seed: 0 to 7 */
};

struct shingles_params {
    struct tokens_rules tokens;
    bool labelled;
    uint32_t window; /* w: 1..SHINGLES_MAX_WINDOW */
    uint32_t bits;   /* l: RABIN_MIN_BITS..RABIN_MAX_BITS */
    uint64_t seed;
};

/*
 * A part of the sequence: the last `count` of the tokens each end a shingle.  A token is its byte, its padded
 * bytes as a number, lowest first, or its fingerprint.  Tokens that end none are found only at the beginning
 * of a document.
 */
struct shingles_batch {
    const uint64_t *ids;
    size_t count;
    const uint64_t *tokens; /* NULL unless they are wanted */
    size_t token_count;
};

/* Takes a batch, which is valid during the call; returns -1 to stop. */
typedef int shingles_sink(void *arg, const struct shingles_batch *batch, struct error *err);

struct shingles;

/* The parameters are valid.  with_tokens: the sink wants the tokens, too.  NULL without memory. */
struct shingles *shingles_new(const struct shingles_params *params, bool with_tokens, shingles_sink *sink,
                              void *arg, struct error *err);
void shingles_free(struct shingles *shingles);

/* Start a document, add to it, and end it.  -1 without memory, or if the sink returned that. */
void shingles_begin(struct shingles *shingles);
int shingles_update(struct shingles *shingles, const void *data, size_t len, struct error *err);
int shingles_final(struct shingles *shingles, struct error *err);

/* tokens_strange and tokens_removed; 0 if the tokens are the bytes as they are. */
uint64_t shingles_strange(const struct shingles *shingles);
uint64_t shingles_removed(const struct shingles *shingles);

#endif
