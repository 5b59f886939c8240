/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_COATES_INNER_H
#define KITH_LAB_COATES_INNER_H

#include "base/buffer.h"
#include "lab/lab_coates.h"
#include "sample/sampler.h"

/* What the tables of both papers need. */

struct lab_coates_text {
    const uint8_t *data;
    size_t len;
};

/* A text of up to a_len bytes, the beginning of the shortest document that is that long, else of the longest;
 * and an unrelated one of b_len bytes: the beginning of another document that is that long, or generated from
 * the seed in `room`. */
void lab_coates_texts(const struct lab_run *run, size_t a_len, size_t b_len, struct lab_coates_text *a,
                      struct lab_coates_text *b, struct buffer *room);

/*
 * The parameters for a table of 2011: n = 4, and the k for which the text's signature comes closest to this
 * number of bits.  The paper says nothing about its k, and it matters: the sums of four characters of text
 * are far from uniform modulo c.
 */
struct sampler_params lab_coates_2011_params(struct lab_coates_text text, uint32_t c, size_t bits);

/* The bits that the paper gives for this c (50, 100, 200) in section 4.1. */
size_t lab_coates_2011_bits(uint32_t c);

/* Replaces `out` by the signature of the text.  -1 on error. */
int lab_coates_sign(const struct sampler_params *params, struct lab_coates_text text, struct buffer *out,
                    struct error *err);

/* The Levenshtein distance of two buffers' bytes. */
int lab_coates_distance(const struct buffer *a, const struct buffer *b, uint64_t *out, struct error *err);

/* The same of two texts by the textbook algorithm, one row of the matrix at a time: what the papers call
 * plain LD, whose speed they compare with that of estimates. */
int lab_coates_plain_distance(struct lab_coates_text a, struct lab_coates_text b, uint64_t *out,
                              struct error *err);

/* The content of a buffer. */
struct lab_coates_text lab_coates_of(const struct buffer *buffer);

#endif
