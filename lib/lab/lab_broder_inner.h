/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_BRODER_INNER_H
#define KITH_LAB_BRODER_INNER_H

#include "base/buffer.h"
#include "lab/lab_broder.h"
#include "lab/lab_random.h"
#include "sketch/sketch.h"

/* What several experiments need. */

/* Two sketches by one sketcher.  Zeroed, it can be closed. */
struct lab_broder_pair {
    struct sketcher *sketcher;
    struct sketch a, b;
    struct sketch_likeness likeness;
};

int lab_broder_open(struct lab_broder_pair *pair, const struct sketch_params *params, struct error *err);
void lab_broder_close(struct lab_broder_pair *pair);

/* Sketches both and compares them.  Documents in failed buffers are an error. */
int lab_broder_compare(struct lab_broder_pair *pair, const struct buffer *a, const struct buffer *b,
                       struct error *err);

/* Replaces a and b by documents of lines, all different: `common` in both, and the rest of in_union in one of
 * them by turns, so that their resemblance in shingles of one line is exactly common / in_union. */
void lab_broder_lines(struct lab_random *random, size_t in_union, size_t common, struct buffer *a,
                      struct buffer *b);

/* The scheme's defaults for shingles of `window` words or lines. */
struct sketch_params lab_broder_params(enum sketch_scheme scheme, enum tokens_unit unit, uint32_t window,
                                       uint64_t seed);

#endif
