/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>

#include "check_main.h"
#include "cluster/hamming.h"
#include "levels.h"

static unsigned bit(const uint64_t *bits, uint32_t i)
{
    return (unsigned)(bits[i / 64] >> (i % 64) & 1);
}

static void fill(uint64_t *bits, uint32_t k)
{
    for (size_t i = 0; i < hamming_words(k); i++)
        bits[i] = random64();
    if (k % 64)
        bits[k / 64] &= ((uint64_t)1 << k % 64) - 1;
}

/* ---- distance and estimate ---- */

static void assert_distances(void)
{
    hamming_measure *measure = hamming_measure_at(cpu_level());

    for (uint32_t k = 1; k <= 200; k += 7) {
        uint64_t a[4] = {0}, b[4] = {0};
        uint32_t naive = 0;

        fill(a, k);
        fill(b, k);
        for (uint32_t i = 0; i < k; i++)
            naive += bit(a, i) != bit(b, i);
        ck_assert_uint_eq(measure(a, b, hamming_words(k)), naive);
        ck_assert_uint_eq(measure(a, a, hamming_words(k)), 0);
    }
}

START_TEST(the_distance_is_the_number_of_different_bits)
{
    for_each_level(assert_distances);
}
END_TEST

/* Yuan et al. 2012: the minima {3, 1, 1, 2, 2} and {2, 1, 1, 1, 2} of example 1, with the lowest bit as b. */
START_TEST(the_estimate_of_example_2_is_one_fifth)
{
    const uint64_t one = 1 | 1 << 1 | 1 << 2, other = 1 << 1 | 1 << 2 | 1 << 3;
    const uint32_t distance = hamming_distance(&one, &other, 1);

    ck_assert_uint_eq(distance, 2);
    ck_assert_double_eq_tol(hamming_resemblance(5, distance), 2 * 3 / 5.0 - 1, 1e-12);
}
END_TEST

/* The thresholds of sections 3 and 5: k = 100 with r = 0.8, k = 64 with 0.9 and 0.7. */
START_TEST(the_thresholds_are_those_of_the_paper)
{
    ck_assert_uint_eq(hamming_threshold(100, 0.8), 10);
    ck_assert_uint_eq(hamming_threshold(64, 0.9), 3);
    ck_assert_uint_eq(hamming_threshold(64, 0.7), 9);
    ck_assert_uint_eq(hamming_threshold(64, 1), 0);
    ck_assert_uint_eq(hamming_threshold(64, 0), 32);
    ck_assert_uint_eq(hamming_threshold(64, 2), 0);
    ck_assert_uint_eq(hamming_threshold(64, -9), 64);
}
END_TEST

/* In thousandths, which are exact. */
START_TEST(the_threshold_is_the_largest_distance_that_still_gives_r)
{
    for (uint32_t k = 1; k <= 2000; k += 3)
        for (uint32_t r = 0; r <= 1000; r += 5) {
            const uint32_t rh = hamming_threshold(k, r / 1000.0);

            ck_assert_uint_le(2000 * rh + r * k, 1000 * k);
            ck_assert_uint_gt(2000 * (rh + 1) + r * k, 1000 * k);
        }
}
END_TEST

/* ---- groups ---- */

START_TEST(splits_64_bits_into_six_groups_as_the_paper_does)
{
    static const uint32_t widths[] = {11, 11, 11, 11, 10, 10};
    uint32_t first = 0;

    for (uint32_t i = 0; i < 6; i++) {
        const struct hamming_group group = hamming_split(64, 6, i);

        ck_assert_uint_eq(group.width, widths[i]);
        ck_assert_uint_eq(group.first, first);
        first += group.width;
    }
}
END_TEST

START_TEST(groups_follow_each_other_and_differ_by_one_bit_at_most)
{
    for (uint32_t k = 1; k <= 130; k++)
        for (uint32_t m = 1; m <= k; m++) {
            uint32_t first = 0;

            for (uint32_t i = 0; i < m; i++) {
                const struct hamming_group group = hamming_split(k, m, i);

                ck_assert_uint_eq(group.first, first);
                ck_assert(group.width == k / m || group.width == (k + m - 1) / m);
                first += group.width;
            }
            ck_assert_uint_eq(first, k);
        }
}
END_TEST

START_TEST(extracts_and_copies_bit_by_bit)
{
    enum { K = 200 };
    uint64_t from[4];

    fill(from, K);
    for (uint32_t first = 0; first < K; first++)
        for (uint32_t width = 0; width <= 130 && first + width <= K; width++) {
            const uint32_t to_first = (uint32_t)(random64() % (K - width + 1)),
                           some = width < 64 ? width : 64;
            const uint64_t number = hamming_extract(from, first, some);
            uint64_t to[4] = {0}; /* exactly the room for K bits */

            hamming_copy(to, to_first, from, first, width);
            for (uint32_t i = 0; i < K; i++) {
                const bool copied = i >= to_first && i < to_first + width;

                ck_assert_uint_eq(bit(to, i), copied ? bit(from, first + i - to_first) : 0);
            }
            for (uint32_t i = 0; i < 64; i++)
                ck_assert_uint_eq(number >> i & 1, i < some ? bit(from, first + i) : 0);
        }
}
END_TEST

/* The 20 of section 3.1, the 220 of section 5.3, and Pascal's triangle. */
START_TEST(counts_choices)
{
    ck_assert_double_eq(hamming_choices(6, 3), 20);
    ck_assert_double_eq(hamming_choices(12, 3), 220);
    ck_assert_double_eq(hamming_choices(5, 6), 0);
    ck_assert(isinf(hamming_choices(60000, 30000)));
    for (uint32_t n = 1; n <= 60; n++)
        for (uint32_t k = 1; k <= n; k++)
            ck_assert_double_eq_tol(hamming_choices(n, k) /
                                        (hamming_choices(n - 1, k) + hamming_choices(n - 1, k - 1)),
                                    1, 1e-12);
}
END_TEST

RUN_TESTS("hamming", the_distance_is_the_number_of_different_bits, the_estimate_of_example_2_is_one_fifth,
          the_thresholds_are_those_of_the_paper, the_threshold_is_the_largest_distance_that_still_gives_r,
          splits_64_bits_into_six_groups_as_the_paper_does,
          groups_follow_each_other_and_differ_by_one_bit_at_most, extracts_and_copies_bit_by_bit,
          counts_choices)
