/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHANCE_COMMON_H
#define KITH_CHANCE_COMMON_H

#include <stddef.h>

/*
 * E of samples that an object and a reference have in common, wherever they lie.
 *
 * A sample of the object that the set has is in a given reference by chance with probability p, which grows
 * with the number of references that have it.  Each common sample counts by how rare it is: with -ln p.  For
 * every t from 0 to 1, chance reaches the sum S of these with a probability of at most
 *
 *     exp(sum over all samples of (p^(1 - t) - p) - t S)
 *
 * (Markov's inequality for exp(t S); 1 + x is at most exp(x)).  E is the lowest of these limits times the
 * number of references.
 */

/* Samples with the same p. */
struct chance_bin {
    double p;      /* above 0, at most 1 */
    double all;    /* number of the object's different samples that the set has, */
    double common; /* and of those that the reference has */
};

/* Returns ln E, at most ln of the references. */
double chance_common_ln_e(double references, const struct chance_bin *bins, size_t count);

#endif
