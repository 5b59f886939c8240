/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_rates.h"

#include <math.h>

static const double tail = 0.025; /* of each side */

/* The probability of at most k hits in n trials with this rate; 0 < rate < 1. */
static double at_most(uint64_t k, uint64_t n, double rate)
{
    const double odds = log(rate) - log1p(-rate);
    double ln_term = (double)n * log1p(-rate), sum = exp(ln_term);

    for (uint64_t i = 1; i <= k; i++) {
        ln_term += log((double)(n - i + 1) / (double)i) + odds;
        sum += exp(ln_term);
    }
    return sum < 1 ? sum : 1;
}

/* The rate at which at most k of n has this probability: it falls as the rate rises. */
static double rate_with(uint64_t k, uint64_t n, double probability)
{
    double low = 0, high = 1;

    for (int i = 0; i < 50; i++) {
        const double rate = (low + high) / 2;

        if (at_most(k, n, rate) > probability)
            low = rate;
        else
            high = rate;
    }
    return (low + high) / 2;
}

struct lab_rates_interval lab_rates_interval(uint64_t hits, uint64_t trials)
{
    struct lab_rates_interval interval = {0, 1};

    if (hits > 0)
        interval.low = rate_with(hits - 1, trials, 1 - tail);
    if (hits < trials)
        interval.high = rate_with(hits, trials, tail);
    return interval;
}

double lab_rates_half_width(double sum, double squares, uint64_t count)
{
    const double n = (double)count, mean = count ? sum / n : 0;
    const double variance = count > 1 ? (squares - n * mean * mean) / (n - 1) : 0;

    return variance > 0 ? 1.959964 * sqrt(variance / n) : 0;
}
