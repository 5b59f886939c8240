/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_BLOCKS_H
#define KITH_COMPARE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/compare.h"
#include "compare_side.h"

/*
 * Finds the block of a file that a document is most like, by their signatures (Coates 2011, footnote 7).
 *
 * Of two signatures, the longer one's length less their distance is the number of characters that agree in
 * the best alignment.  Unlike the distance, it does not favour blocks that have hardly any characters.  Some
 * agree by chance; how many is seen from the blocks apart from the best one and its neighbours, into which
 * the document may extend.
 */
struct compare_blocks {
    uint64_t start, len;          /* of the block, in bytes of the file */
    bool is_found;                /* there is one with which a character agrees, or that is identical */
    bool is_identical;            /* by SHA-1 */
    struct compare_papers papers; /* of the file's block and the document, in the order of the two sides */
    uint64_t agreeing;            /* characters */
    uint64_t elsewhere;           /* the most in another block that is no neighbour */
    bool has_elsewhere;           /* there is one */
};

/* One of the two sides has blocks.  stop: as for compare_signatures, for all of them together. */
int compare_blocks_find(struct comparer *comparer, const struct compare_side *a, const struct compare_side *b,
                        int (*stop)(void *arg), void *arg, struct compare_blocks *out, struct error *err);

#endif
