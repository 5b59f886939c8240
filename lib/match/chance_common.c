/* SPDX-License-Identifier: Apache-2.0 */
#include "match/chance_common.h"

#include <math.h>

/* The limit is convex in t, and any t gives a valid one. */
enum { STEPS = 48 };

static double limit_at(const struct chance_bin *bins, size_t count, double t)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += bins[i].all * (pow(bins[i].p, 1 - t) - bins[i].p) + t * bins[i].common * log(bins[i].p);
    return sum;
}

double chance_common_ln_e(double references, const struct chance_bin *bins, size_t count)
{
    double low = 0, high = 1;

    for (int step = 0; step < STEPS; step++) {
        const double third = (high - low) / 3;

        if (limit_at(bins, count, low + third) < limit_at(bins, count, high - third))
            high -= third;
        else
            low += third;
    }
    return log(references) + fmin(0, limit_at(bins, count, (low + high) / 2));
}
