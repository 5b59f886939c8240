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

/* Two unrelated texts of up to `len` bytes: the beginnings of two documents of the run, the shortest that are
 * that long, else the longest.  If there is one document only, b is generated from the seed in `room`. */
void lab_coates_texts(const struct lab_run *run, size_t len, struct lab_coates_text *a,
                      struct lab_coates_text *b, struct buffer *room);

/* Replaces `out` by the signature of the text.  -1 on error. */
int lab_coates_sign(const struct sampler_params *params, struct lab_coates_text text, struct buffer *out,
                    struct error *err);

/* The Levenshtein distance of two buffers' bytes. */
int lab_coates_distance(const struct buffer *a, const struct buffer *b, uint64_t *out, struct error *err);

/* The content of a buffer. */
struct lab_coates_text lab_coates_of(const struct buffer *buffer);

#endif
