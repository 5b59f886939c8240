/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_random.h"

#include <math.h>

#define GOLDEN 0x9e3779b97f4a7c15u

uint64_t lab_random_mix(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

void lab_random_seed(struct lab_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = lab_random_mix(seed += GOLDEN);
}

static uint64_t rotated(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

uint64_t lab_random_next(struct lab_random *random)
{
    uint64_t *s = random->state;
    const uint64_t result = rotated(s[1] * 5, 7) * 9, shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 45);
    return result;
}

uint64_t lab_random_below(struct lab_random *random, uint64_t limit)
{
    const uint64_t uneven = -limit % limit; /* 2^64 mod limit numbers more than an equal share */
    uint64_t number;

    do
        number = lab_random_next(random);
    while (number < uneven);
    return number % limit;
}

double lab_random_unit(struct lab_random *random)
{
    return ldexp((double)(lab_random_next(random) >> 11), -53);
}
