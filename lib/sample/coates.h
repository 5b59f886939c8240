/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COATES_H
#define KITH_COATES_H

#include <stddef.h>
#include <stdint.h>

#include "sample/sample.h"

/*
 * The compression steps of Coates' papers of 2011 and 2015, as described there.
 *
 * Where the papers leave a choice: of the 2011 scheme the selected sums are k, k + c, k + 2c, ..., and their
 * bits alternate.  The paper has "a bit that is a function of i", and i is the sum mod c; but that is k for
 * all that are selected, and its last paragraphs map each sum by a table, so the bit is one of the sum.  Text
 * has only two or three of these sums (800, 900 and 1000 at n = 10, c = 100): a hash may well give them the
 * same bit, and then the signature is a string of zeros.  The loop of 2011 rolls before it tests, so the
 * first window is never tested.  The "subset of ASCII" of 2015 has 89 characters, a prime, so the character
 * is independent of the selection by C.
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
 * Writes a sample for each selected window that ends within p[0..len), where p is at offset `base` of the
 * content.  Returns their number.  Reads the n bytes before p; out must have room for len samples.
 */
size_t coates_scan(const struct coates *coates, const uint8_t *p, size_t len, uint64_t base,
                   struct sample *out);

/* The character of a window, from the sum of its bytes and c (2011) or its hash (2015). */
char coates_2011_symbol(uint64_t sum, uint32_t c);
char coates_2015_symbol(uint64_t hash);

/* For texts, both as the fudge factor and in the significance; reproduces the published significances. */
#define COATES_FACTOR 0.82

/*
 * The papers' estimates of the edit distance in bytes, from the Levenshtein distance of two signatures.
 *
 * 2011 (section 3): distance * C.
 *
 * 2015 (section 4, step 5a): "the difference in the lengths of the signatures" plus the rest of the distance,
 * times C and the fudge factor, the ratio of the distance of unrelated contents to their length.  (The paper
 * has "the length of the shorter signature" in place of the rest of the distance, which would make the
 * estimate independent of the distance.)
 */
double coates_2011_edits(uint64_t distance, uint32_t c);
double coates_2015_edits(uint64_t distance, uint32_t c, double factor);

/* E, the expected distance of the signatures of unrelated contents: a factor times the longer length. */
double coates_expected(uint64_t a_len, uint64_t b_len, double factor);

/*
 * The published significance |E - distance| / E.  For comparison only: it rates a signature
 * contained in another one as unrelated, and rewards pairs farther apart than chance.  0 if both are empty.
 */
double coates_significance(uint64_t distance, uint64_t a_len, uint64_t b_len, double factor);

#endif
