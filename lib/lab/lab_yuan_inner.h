/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_YUAN_INNER_H
#define KITH_LAB_YUAN_INNER_H

#include "lab/lab_random.h"
#include "lab/lab_yuan.h"
#include "sketch/sketch.h"

/* What the experiments share. */

enum {
    LAB_YUAN_MOST_K = 1000,
    LAB_YUAN_WORDS = (LAB_YUAN_MOST_K + 63) / 64, /* of a fingerprint of this many bits */
    LAB_YUAN_N = 300000,                          /* documents in section 5 */
    LAB_YUAN_C = 3,                               /* m - rh in sections 4.2 and 5.3 */
    LAB_YUAN_SHINGLE = 3, /* words; the paper does not state how it shingles documents */
};

/* The k of table 1; 0 ends the list. */
extern const uint32_t lab_yuan_k[];
/* The thresholds of figure 6; 0 ends the list. */
extern const double lab_yuan_r[];

/* n_g of equation 14, and the steps of alg.G and alg.H by equations 16 and 17. */
double lab_yuan_group_mean(double n, uint32_t k, uint32_t m);
double lab_yuan_steps_g(double n, uint32_t m, uint32_t c);
double lab_yuan_steps_h(double n, uint32_t k, uint32_t m);

/* Sets k bits to random ones, and those after them to 0. */
void lab_yuan_randomise(struct lab_random *random, uint64_t *bits, uint32_t k);

/* Makes fingerprints of LAB_YUAN_MOST_K bits of a document's shingles of words; NULL on error. */
struct sketcher *lab_yuan_sketcher(uint64_t seed, enum sketch_scheme scheme, struct error *err);

#endif
