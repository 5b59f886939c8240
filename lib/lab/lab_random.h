/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_RANDOM_H
#define KITH_LAB_RANDOM_H

#include <stdint.h>

/* Pseudo-random numbers that are the same on every machine for a seed: xoshiro256** (Blackman and Vigna,
 * 2018), seeded by splitmix64.  Not for secrets. */
struct lab_random {
    uint64_t state[4];
};

/* Any seed, including 0. */
void lab_random_seed(struct lab_random *random, uint64_t seed);
/* 64 random bits. */
uint64_t lab_random_next(struct lab_random *random);
/* 0 .. limit - 1, all equally likely; limit is at least 1. */
uint64_t lab_random_below(struct lab_random *random, uint64_t limit);
/* In [0, 1), a multiple of 2^-53. */
double lab_random_unit(struct lab_random *random);

/* A hash of a number in which every bit depends on every bit: the output function of splitmix64. */
uint64_t lab_random_mix(uint64_t number);

#endif
