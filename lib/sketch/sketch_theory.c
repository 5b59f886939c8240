/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sketch/sketch.h"

/* ln (n choose k) */
static double log_choose(double n, double k)
{
    int sign;

    return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign);
}

/* The probability of k successes in n trials. */
static double binomial(double n, double k, double p)
{
    if (p <= 0 || p >= 1)
        return k == (p <= 0 ? 0 : n) ? 1 : 0;
    return exp(log_choose(n, k) + k * log(p) + (n - k) * log1p(-p));
}

double sketch_sample_probability(uint32_t s, double r, double eps)
{
    const double slack = 1e-9; /* 100 * (0.5 + 0.1) is not 60 */
    const double first = s * (r - eps) - slack, last = s * (r + eps) + slack;
    double sum = 0;

    for (uint64_t k = 0; k <= s; k++)
        if ((double)k >= first && (double)k <= last)
            sum += binomial(s, (double)k, r);
    return fmin(sum, 1);
}

/* 2^l (1 - (1 - 2^-l)^n), without the loss of digits that this form suffers. */
double sketch_expected_distinct(double n, unsigned bits)
{
    const double all = ldexp(1, (int)bits);

    return -all * expm1(n * log1p(-1 / all));
}

double sketch_collision_bound(double n, unsigned bits)
{
    return ldexp(n * (n - 1) / 2, -(int)bits);
}

double sketch_resemblance_bound(double in_union, unsigned bits)
{
    return ldexp(in_union, 11 - (int)bits);
}

/* Pairs of random fingerprints are pairwise independent, so the variance of the number of equal ones is at
 * most its expectation; each of them changes the intersection and the union by one at most. */
double sketch_collision_error(double in_union, unsigned bits)
{
    const double pairs = sketch_collision_bound(in_union, bits);
    const double error = in_union > 0 ? 2 * (pairs + sqrt(1000 * pairs)) / in_union : 0;

    return fmin(error, sketch_resemblance_bound(in_union, bits));
}

double sketch_minwise_variance(double r, uint32_t k)
{
    return r * (1 - r) / k;
}

double sketch_hamming_variance(double r, uint32_t k)
{
    return (1 - r * r) / k;
}

void sketch_interval(double common, double compared, double *low, double *high)
{
    const double z = 1.959964, share = common / compared, z2 = z * z / compared;
    const double middle = share + z2 / 2;
    const double half = z * sqrt(share * (1 - share) / compared + z2 / (4 * compared));

    *low = common <= 0 ? 0 : (middle - half) / (1 + z2);
    *high = common >= compared ? 1 : (middle + half) / (1 + z2);
}
