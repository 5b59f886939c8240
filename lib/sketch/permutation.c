/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/permutation.h"

#include <endian.h>

#include "base/siphash.h"

uint64_t permutation_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t key[] = {htole64(seed), htole64(stream)}, input = htole64(index);

    return siphash((const uint8_t *)key, &input, sizeof input);
}

void permutation_init(struct permutation *permutation, unsigned bits, uint64_t seed, uint64_t stream,
                      uint64_t index)
{
    permutation->mask = UINT64_MAX >> (64 - bits);
    permutation->shift = (bits + 1) / 2;
    permutation->key = permutation_random(seed, stream, 3 * index) & permutation->mask;
    permutation->first = permutation_random(seed, stream, 3 * index + 1) | 1;
    permutation->second = permutation_random(seed, stream, 3 * index + 2) | 1;
}

uint64_t permutation_least(const struct permutation *permutation, const uint64_t *numbers, size_t count,
                           uint64_t least)
{
    const struct permutation p = *permutation;

    for (size_t i = 0; i < count; i++) {
        const uint64_t x = permutation_apply(&p, numbers[i]);

        least = x < least ? x : least;
    }
    return least;
}
