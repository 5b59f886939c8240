/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/hamming.h"

#include <math.h>

uint32_t hamming_distance(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint32_t distance = 0;

    for (size_t i = 0; i < words; i++)
        distance += (uint32_t)__builtin_popcountll(a[i] ^ b[i]);
    return distance;
}

#if defined(__x86_64__)
/* Without this instruction, which every machine with AVX2 has, counting the bits of a word is a call. */
static __attribute__((target("popcnt"))) uint32_t distance_popcnt(const uint64_t *a, const uint64_t *b,
                                                                  size_t words)
{
    uint32_t distance = 0;

    for (size_t i = 0; i < words; i++)
        distance += (uint32_t)__builtin_popcountll(a[i] ^ b[i]);
    return distance;
}
#endif

hamming_measure *hamming_measure_at(enum cpu_level level)
{
#if defined(__x86_64__)
    if (level >= CPU_AVX2)
        return distance_popcnt;
#else
    (void)level;
#endif
    return hamming_distance;
}

double hamming_resemblance(uint32_t k, uint32_t distance)
{
    return 1 - 2.0 * distance / k;
}

uint32_t hamming_threshold(uint32_t k, double r)
{
    /* 100 (1 - 0.8) / 2 is 10, but 9.999999999999998 in doubles */
    return (uint32_t)fmin(k, fmax(0, floor(k * (1 - r) / 2 + 1e-9 * k)));
}

struct hamming_group hamming_split(uint32_t k, uint32_t m, uint32_t number)
{
    const uint32_t width = k / m, wider = k % m, before = number < wider ? number : wider;

    return (struct hamming_group){number * width + before, width + (number < wider)};
}

bool hamming_is_valid(const uint64_t *bits, uint32_t k)
{
    return k % 64 == 0 || bits[k / 64] >> k % 64 == 0;
}

uint64_t hamming_extract(const uint64_t *bits, uint32_t first, uint32_t width)
{
    const uint32_t at = first % 64;
    uint64_t number;

    if (width == 0)
        return 0;
    number = bits[first / 64] >> at;
    if (at + width > 64)
        number |= bits[first / 64 + 1] << (64 - at);
    return width < 64 ? number & (((uint64_t)1 << width) - 1) : number;
}

static void store(uint64_t *bits, uint32_t first, uint32_t width, uint64_t number)
{
    const uint32_t at = first % 64;

    bits[first / 64] |= number << at;
    if (at + width > 64)
        bits[first / 64 + 1] |= number >> (64 - at);
}

void hamming_copy(uint64_t *to, uint32_t to_first, const uint64_t *from, uint32_t first, uint32_t width)
{
    for (uint32_t i = 0; i < width; i += 64) {
        const uint32_t some = width - i < 64 ? width - i : 64;

        store(to, to_first + i, some, hamming_extract(from, first + i, some));
    }
}

double hamming_choices(uint32_t all, uint32_t some)
{
    double choices = 1;

    if (some > all)
        return 0;
    if (some > all - some)
        some = all - some;
    for (uint32_t i = 0; i < some && isfinite(choices); i++)
        choices = choices * (all - i) / (i + 1);
    return choices;
}
