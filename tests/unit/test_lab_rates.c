/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "check_main.h"
#include "lab/lab_rates.h"

static void assert_interval(uint64_t hits, uint64_t trials, double low, double high)
{
    const struct lab_rates_interval interval = lab_rates_interval(hits, trials);

    ck_assert_msg(fabs(interval.low - low) < 0.00006 && fabs(interval.high - high) < 0.00006,
                  "%d of %d: %.5f to %.5f", (int)hits, (int)trials, interval.low, interval.high);
}

/* Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 5; and the example of binom.test in R,
 * from Conover, Practical Nonparametric Statistics. */
START_TEST(intervals_are_those_published)
{
    assert_interval(81, 263, 0.2527, 0.3676);
    assert_interval(15, 148, 0.0578, 0.1617);
    assert_interval(0, 20, 0.0000, 0.1684);
    assert_interval(1, 29, 0.0009, 0.1776);
    assert_interval(682, 925, 0.70767, 0.76541);
}
END_TEST

/* Without hits the bound has a closed form: 1 - 0.025^(1/n); with hits only, its mirror image. */
START_TEST(bounds_of_no_hits_and_of_all_have_a_closed_form)
{
    static const uint64_t trials[] = {1, 2, 3, 10, 100, 1000, 20000};

    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const double bound = pow(0.025, 1 / (double)trials[i]);

        ck_assert_double_eq_tol(lab_rates_interval(0, trials[i]).high, 1 - bound, 1e-9);
        ck_assert_double_eq_tol(lab_rates_interval(trials[i], trials[i]).low, bound, 1e-9);
        ck_assert_double_eq(lab_rates_interval(0, trials[i]).low, 0);
        ck_assert_double_eq(lab_rates_interval(trials[i], trials[i]).high, 1);
    }
    ck_assert_double_eq(lab_rates_interval(0, 0).low, 0);
    ck_assert_double_eq(lab_rates_interval(0, 0).high, 1);
}
END_TEST

/* By the definition: the sum over all outcomes whose interval holds the rate is at least 95 %. */
START_TEST(the_interval_covers_every_rate_often_enough)
{
    enum { TRIALS = 25 };

    for (double rate = 0.01; rate < 1; rate += 0.01) {
        double covered = 0;

        for (int k = 0; k <= TRIALS; k++) {
            const struct lab_rates_interval interval = lab_rates_interval((uint64_t)k, TRIALS);

            if (interval.low <= rate && rate <= interval.high)
                covered += exp(lgamma(TRIALS + 1) - lgamma(k + 1) - lgamma(TRIALS - k + 1) + k * log(rate) +
                               (TRIALS - k) * log1p(-rate));
        }
        ck_assert_msg(covered >= 0.95 - 1e-9, "rate %.2f: %.4f", rate, covered);
    }
}
END_TEST

/* 1, 2, 3, 4, 5: the standard deviation is sqrt(2.5). */
START_TEST(the_half_width_is_that_of_the_mean)
{
    ck_assert_double_eq_tol(lab_rates_half_width(15, 55, 5), 1.959964 * sqrt(2.5 / 5), 1e-9);
    ck_assert_double_eq(lab_rates_half_width(7, 49, 1), 0);
    ck_assert_double_eq(lab_rates_half_width(0, 0, 0), 0);
    ck_assert_double_eq_tol(lab_rates_half_width(0.3, 0.03, 3), 0, 1e-6);
}
END_TEST

RUN_TESTS("lab_rates", intervals_are_those_published, bounds_of_no_hits_and_of_all_have_a_closed_form,
          the_interval_covers_every_rate_often_enough, the_half_width_is_that_of_the_mean)
