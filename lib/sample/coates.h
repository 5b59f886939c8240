/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COATES_H
#define KITH_COATES_H

#include <stddef.h>
#include <stdint.h>

#include "sample/sample.h"

/*
 * The compression steps of Coates' papers of 2011 and 2015, as they are described there.
 *
 * Where the papers leave a choice:  2011's "bit that is a function of i" is the upper bit of the sum times an
 * odd constant; its loop rolls before it tests, so the first window is never tested.  2015's "subset of
 * ASCII" has 89 characters, a prime, so that the character does not depend on C having chosen the position.
 */
enum {
    COATES_MAX_N = 64,
    COATES_2011_BITS = 14, /* enough for the sum of 64 bytes */
    COATES_2015_SYMBOLS = 89,
};

struct coates {
    int year;
    uint32_t n, c, k;
};

/* year: 2011 or 2015; the others as in struct sampler_params. */
void coates_init(struct coates *coates, int year, uint32_t n, uint32_t c, uint32_t k);

/*
 * Writes a sample for each selected window that ends in p[0..len), which is at base of the content; returns
 * how many. The n bytes before p are read.  out has room for len.
 */
size_t coates_scan(const struct coates *coates, const uint8_t *p, size_t len, uint64_t base,
                   struct sample *out);

/* The character of a window: of the sum of its bytes, or of 2015's hash. */
char coates_2011_symbol(uint64_t sum);
char coates_2015_symbol(uint64_t hash);

/*
 * The papers' estimates of the distance in bytes, from the Levenshtein distance of two signatures.
 *
 * 2011 (section 3): distance * C.
 *
 * 2015 (section 4, step 5a): "the difference in the lengths of the signatures" plus what is left of the
 * distance on the shorter one, times C and the fudge factor, by which the distance of random strings is
 * smaller than their length. (The paper says "the length of the shorter signature", which would not depend on
 * the distance at all.)
 */
double coates_2011_edits(uint64_t distance, uint32_t c);
double coates_2015_edits(uint64_t distance, uint32_t c);

/*
 * The published significance |E - distance| / E, with E the distance expected of unrelated texts' signatures
 * (the fudge factor times the longer length).  For comparison only: it rates a signature that lies inside
 * another one as unrelated, and rewards pairs that are farther apart than chance.  0 where both are empty.
 */
double coates_significance(uint64_t distance, uint64_t a_len, uint64_t b_len);

#endif
