/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/permutation.h"

#include <endian.h>

#include "base/cpu.h"
#include "base/siphash.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
    permutation->is_wide = cpu_level() == CPU_AVX512;
    permutation->key = permutation_random(seed, stream, 3 * index) & permutation->mask;
    permutation->first = permutation_random(seed, stream, 3 * index + 1) | 1;
    permutation->second = permutation_random(seed, stream, 3 * index + 2) | 1;
}

/* ---- minima ---- */

static uint64_t least_scalar(const struct permutation *permutation, const uint64_t *numbers, size_t count,
                             uint64_t least)
{
    const struct permutation p = *permutation;

    for (size_t i = 0; i < count; i++) {
        const uint64_t x = permutation_apply(&p, numbers[i]);

        least = x < least ? x : least;
    }
    return least;
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq"))) static uint64_t
least_avx512(const struct permutation *permutation, const uint64_t *numbers, size_t count, uint64_t least)
{
    const __m512i key = _mm512_set1_epi64((long long)permutation->key),
                  first = _mm512_set1_epi64((long long)permutation->first),
                  second = _mm512_set1_epi64((long long)permutation->second),
                  mask = _mm512_set1_epi64((long long)permutation->mask);
    const __m128i shift = _mm_cvtsi32_si128((int)permutation->shift);
    __m512i least8 = _mm512_set1_epi64((long long)least);
    size_t i = 0;

    for (; i + 8 <= count; i += 8) {
        __m512i x = _mm512_loadu_si512(numbers + i);

        x = _mm512_and_si512(_mm512_mullo_epi64(_mm512_xor_si512(x, key), first), mask);
        x = _mm512_xor_si512(x, _mm512_srl_epi64(x, shift));
        x = _mm512_and_si512(_mm512_mullo_epi64(x, second), mask);
        x = _mm512_xor_si512(x, _mm512_srl_epi64(x, shift));
        least8 = _mm512_min_epu64(least8, x);
    }
    return least_scalar(permutation, numbers + i, count - i, _mm512_reduce_min_epu64(least8));
}
#endif

uint64_t permutation_least(const struct permutation *permutation, const uint64_t *numbers, size_t count,
                           uint64_t least)
{
#if defined(__x86_64__)
    if (permutation->is_wide)
        return least_avx512(permutation, numbers, count, least);
#endif
    return least_scalar(permutation, numbers, count, least);
}
