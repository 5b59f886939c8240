/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PERMUTATION_H
#define KITH_PERMUTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Keyed permutations of the numbers of l bits: Broder's random permutation pi, the n hash functions of
 * Cherkasova's Sketch_n, and the k min-wise independent permutations of Yuan.
 *
 * Each step is a bijection: adding a key without carry, multiplying by an odd key, and XORing the upper half
 * into the lower one, twice, so every bit of the result depends on every bit of the number.  Such a family is
 * far smaller than that of all permutations, so it is min-wise independent only nearly (no family of
 * practical size is exactly: Broder, Charikar, Frieze and Mitzenmacher, 1998).  The unit test measures by how
 * little: each of the members of a set is the smallest equally often.
 */
struct permutation {
    uint64_t key, first, second, mask;
    unsigned shift;
    bool is_wide; /* permutation_least may use AVX-512 */
};

/* A random number, a function of its arguments alone (SipHash with the seed as its key).  Those of different
 * seeds, streams or indexes are independent. */
uint64_t permutation_random(uint64_t seed, uint64_t stream, uint64_t index);

/* Draws permutation number `index` of the numbers of `bits` bits (8..64). */
void permutation_init(struct permutation *permutation, unsigned bits, uint64_t seed, uint64_t stream,
                      uint64_t index);

/* What the permutation maps x to; x < 2^bits. */
static inline uint64_t permutation_apply(const struct permutation *permutation, uint64_t x)
{
    x = (x ^ permutation->key) * permutation->first & permutation->mask;
    x ^= x >> permutation->shift;
    x = x * permutation->second & permutation->mask;
    return x ^ x >> permutation->shift;
}

/* The least of `least` and what the permutation maps `count` numbers to. */
uint64_t permutation_least(const struct permutation *permutation, const uint64_t *numbers, size_t count,
                           uint64_t least);

#endif
