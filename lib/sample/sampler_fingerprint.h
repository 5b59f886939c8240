/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAMPLER_FINGERPRINT_H
#define KITH_SAMPLER_FINGERPRINT_H

#include <stdint.h>

#include "base/bytes.h"
#include "sample/sampler_key.h"

/* The strong hash of a window, from which scheme gf8 takes fingerprints. */

/* Without a key: digits of pi. */
#define SAMPLER_FINGERPRINT_SEEDS                                                                            \
    0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89

/* Folds the 128-bit product: every bit of the result depends on every bit of both factors. */
static inline uint64_t sampler_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hashes n bytes, 8 <= n <= 32. */
static inline uint64_t sampler_fingerprint(const uint8_t *p, uint32_t n,
                                           const uint64_t seeds[SAMPLER_KEY_SEEDS])
{
    const uint64_t s0 = seeds[0], s1 = seeds[1], s2 = seeds[2], s3 = seeds[3];
    uint64_t first = bytes_load64(p), last = bytes_load64(p + n - 8);

    if (n <= 16)
        return sampler_fold(sampler_fold(first ^ s0, last ^ s1) ^ s2 ^ n, s3);
    return sampler_fold(sampler_fold(first ^ s0, bytes_load64(p + 8) ^ s1) ^
                            sampler_fold(bytes_load64(p + n - 16) ^ s2, last ^ s3) ^ n,
                        s1);
}

#endif
