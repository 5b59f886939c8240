/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HAMMING_H
#define KITH_HAMMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/*
 * Hamming fingerprints (Yuan et al. 2012): strings of k bits, of which two documents with resemblance R have
 * (1 + R) / 2 in common on average (equation 4).
 *
 * Bit i of a fingerprint is bit i % 64 of word i / 64; the bits after the last one are zero.
 */

/* The number of words of a fingerprint of k bits. */
static inline size_t hamming_words(uint32_t k)
{
    return ((size_t)k + 63) / 64;
}

/* The number of bits in which two fingerprints of this many words differ (equation 9). */
uint32_t hamming_distance(const uint64_t *a, const uint64_t *b, size_t words);
typedef uint32_t hamming_measure(const uint64_t *a, const uint64_t *b, size_t words);
/* The fastest function that does the same on a machine of this level. */
hamming_measure *hamming_measure_at(enum cpu_level level);

/* The unbiased estimate of the resemblance of two fingerprints of k > 0 bits, 2E - 1 (equation 5); negative
 * if more than half of the bits differ. */
double hamming_resemblance(uint32_t k, uint32_t distance);
/* rh: the largest distance of two fingerprints of k bits whose estimated resemblance is at least r (equation
 * 10: the whole part of k (1 - r) / 2); 0 to k. */
uint32_t hamming_threshold(uint32_t k, double r);

/* Whether the bits after the last of k are zero. */
bool hamming_is_valid(const uint64_t *bits, uint32_t k);

/* Bits of a fingerprint: `width` of them from `first` on. */
struct hamming_group {
    uint32_t first, width;
};

/* Group number 0 to m - 1 of k bits in m groups, 0 < m <= k, as even as possible with the wider groups first:
 * 64 bits make six groups of 11, 11, 11, 11, 10 and 10 (section 3.1). */
struct hamming_group hamming_split(uint32_t k, uint32_t m, uint32_t number);

/* Bits of a fingerprint as a number, the first one being the lowest; width: 0 to 64. */
uint64_t hamming_extract(const uint64_t *bits, uint32_t first, uint32_t width);
/* Copies bits to a place of another fingerprint where all bits are zero. */
void hamming_copy(uint64_t *to, uint32_t to_first, const uint64_t *from, uint32_t first, uint32_t width);

/* The number of ways to choose `some` of `all`, rounded like any double; infinite if it is too large for
 * one.  0 if some > all. */
double hamming_choices(uint32_t all, uint32_t some);

#endif
