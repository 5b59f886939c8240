/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>

#include "check_main.h"
#include "match/chance_common.h"

enum { BINS = 5, MOST = 3, SAMPLES = BINS * MOST };

static double uniform(void)
{
    return (double)(random64() >> 11) * 0x1p-53;
}

/* The probability that chance reaches at least the sum of the common ones, by trying all subsets. */
static double exact_tail(const struct chance_bin *bins)
{
    double p[SAMPLES], sum = 0, tail = 0;
    size_t count = 0;

    for (size_t i = 0; i < BINS; i++) {
        sum -= bins[i].common * log(bins[i].p);
        for (size_t k = 0; k < (size_t)bins[i].all; k++)
            p[count++] = bins[i].p;
    }
    for (unsigned subset = 0; subset < 1u << count; subset++) {
        double weight = 0, probability = 1;

        for (size_t i = 0; i < count; i++) {
            const bool is_in = subset >> i & 1;

            weight -= is_in ? log(p[i]) : 0;
            probability *= is_in ? p[i] : 1 - p[i];
        }
        tail += weight >= sum - 1e-9 ? probability : 0;
    }
    return tail;
}

START_TEST(it_is_never_below_the_exact_probability_and_seldom_far_above)
{
    double excess = 0;

    for (int round = 0; round < 200; round++) {
        struct chance_bin bins[BINS];
        double ln_e, exact;

        for (size_t i = 0; i < BINS; i++) {
            bins[i].p = pow(10, -3 * uniform());
            bins[i].all = (double)(random64() % MOST);
            bins[i].common = (double)(random64() % ((uint64_t)bins[i].all + 1));
        }
        exact = log(exact_tail(bins));
        ln_e = chance_common_ln_e(1, bins, BINS);
        ck_assert_double_ge(ln_e, exact - 1e-9);
        ck_assert_double_le(ln_e, 0);
        excess += (ln_e - exact) / 200;
    }
    ck_assert_double_le(excess, log(20));
}
END_TEST

/* Chernoff's limit for a Poisson variable, where all samples are equally rare: k - Np - k ln (k / Np). */
START_TEST(samples_that_are_equally_rare_follow_the_poisson_distribution)
{
    for (int k = 2; k <= 200; k += 9) {
        const struct chance_bin bin = {.p = 0.01, .all = 200, .common = k};
        const double mean = 2, wanted = k > mean ? k - mean - k * log(k / mean) : 0;

        ck_assert_double_eq_tol(chance_common_ln_e(1, &bin, 1), wanted, 1e-6);
        ck_assert_double_eq_tol(chance_common_ln_e(1000, &bin, 1), log(1000) + wanted, 1e-6);
    }
}
END_TEST

START_TEST(samples_that_all_references_have_are_no_evidence)
{
    const struct chance_bin bins[] = {{.p = 1, .all = 500, .common = 500},
                                      {.p = 0.01, .all = 3, .common = 2}};
    double with, without;

    ck_assert_double_eq_tol(chance_common_ln_e(50, bins, 1), log(50), 1e-9);
    with = chance_common_ln_e(50, bins, 2);
    without = chance_common_ln_e(50, bins + 1, 1);
    ck_assert_double_eq_tol(with, without, 1e-9);
    ck_assert_double_eq_tol(chance_common_ln_e(50, NULL, 0), log(50), 1e-9);
}
END_TEST

RUN_TESTS("chance_common", it_is_never_below_the_exact_probability_and_seldom_far_above,
          samples_that_are_equally_rare_follow_the_poisson_distribution,
          samples_that_all_references_have_are_no_evidence)
