/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/estimate_inner.h"

/*
 * A cross-check of the distance that needs no chain: if each byte is changed with probability p,
 * independently, a window of n bytes stays as it is with probability s = (1 - p)^n.  The share of the shorter
 * content's samples that the other has estimates s, and so p = 1 - s^(1/n).  Its variance is that of sampling
 * m windows, s (1 - s) / m, and that of the number of windows which the edits happen to destroy: neighbouring
 * windows are lost together.  Of L windows that variance is (Blanca, Harris, Koslicki, Medvedev, The
 * statistics of k-mers from a sequence undergoing a simple mutation process, 2022), with q = 1 - s:
 *
 *     L (1 - q) (q (2 n + 2 / p - 1) - 2 n) + n (n - 1) (1 - q)^2
 *         + 2 (1 - q) / p^2 ((1 + (n - 1) (1 - q)) p - q)
 *
 * Where edits are of other kinds, this estimate and the other one disagree; that shows which kind they are.
 */

/* Standard deviations for 95 %. */
static const double deviations = 1.96;

static double smaller(double x, double y)
{
    return x < y ? x : y;
}

/* Of the number of windows destroyed, out of `windows`. */
static double variance_of_lost(double windows, double n, double p, double s)
{
    const double q = 1 - s;
    const double ends = n * (n - 1) * s * s + 2 * s / (p * p) * ((1 + (n - 1) * s) * p - q);

    return fmax(0, windows * s * (q * (2 * n + 2 / p - 1) - 2 * n) + ends);
}

/* The standard deviation of the share of samples that match. */
static double deviation_of(double share, double samples, const struct pair *pair)
{
    const double s = smaller(fmax(share, 0.5 / samples), 1 - 0.5 / samples); /* never certain */
    const double p = 1 - pow(s, 1.0 / pair->n), windows = fmax(1, pair->shorter - pair->n + 1);

    return sqrt(s * (1 - s) / samples + variance_of_lost(windows, pair->n, p, s) / (windows * windows));
}

static double edits_at(double share, const struct pair *pair)
{
    const double p = 1 - pow(smaller(fmax(share, 0), 1), 1.0 / pair->n);

    return pair->difference + smaller(p, pair->unrelated) * pair->shorter;
}

void estimate_point(const struct pair *pair, struct estimate *out)
{
    const double samples = (double)(pair->a->len <= pair->b->len ? out->of_a : out->of_b);
    double share, aside;

    if (samples < 1) {
        out->point = out->point_high = edits_at(0, pair);
        out->point_low = pair->difference;
        return;
    }
    share = (double)out->shared / samples;
    aside = deviations * deviation_of(share, samples, pair);
    out->point = edits_at(share, pair);
    out->point_low = edits_at(share + aside, pair);
    out->point_high = edits_at(share - aside, pair);
}
