/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check_main.h"
#include "sketch/sketch.h"
#include "sketching.h"

enum { MOST = 6000 };

/* ---- Yuan's examples, by their definition ---- */

static unsigned least_image(const unsigned *permutation, const unsigned *set, size_t count)
{
    unsigned least = UINT32_MAX;

    for (size_t i = 0; i < count; i++)
        if (permutation[set[i] - 1] < least)
            least = permutation[set[i] - 1];
    return least;
}

/* Compares two sketches of five permutations. */
static void assert_yuan(enum sketch_scheme scheme, const uint64_t *a, const uint64_t *b, size_t count,
                        double wanted)
{
    struct sketch_params params = sketch_defaults(scheme);
    struct sketcher *sketcher;
    struct sketch one = {.shingles = 3, .count = count}, other = {.shingles = 4, .count = count};
    struct sketch_likeness likeness;
    uint64_t values[2][5];

    params.size = 5;
    sketcher = sketcher_of(&params);
    one.params = other.params = params;
    one.values = memcpy(values[0], a, count * sizeof *a);
    other.values = memcpy(values[1], b, count * sizeof *b);
    ck_assert_int_eq(sketch_compare(sketcher, &one, &other, &likeness, NULL), 0);
    ck_assert_double_eq_tol(likeness.resemblance, wanted, 1e-12);
    ck_assert(likeness.common == 3 && likeness.compared == 5);
    sketch_free(sketcher);
}

/* The permutations, minima and estimates that the paper prints. */
START_TEST(yuans_examples_are_reproduced)
{
    static const unsigned permutations[5][6] = {
        {6, 3, 5, 4, 2, 1}, {4, 1, 2, 6, 5, 3}, {5, 6, 3, 1, 2, 4}, {2, 5, 3, 4, 1, 6}, {5, 2, 6, 4, 3, 1}};
    static const unsigned s1[] = {1, 2, 4}, s2[] = {2, 3, 4, 5};
    static const uint64_t minima1[] = {3, 1, 1, 2, 2}, minima2[] = {2, 1, 1, 1, 2};
    uint64_t bits1 = 0, bits2 = 0;

    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(least_image(permutations[i], s1, 3), minima1[i]);
        ck_assert_uint_eq(least_image(permutations[i], s2, 4), minima2[i]);
        bits1 |= minima1[i] % 2 << i; /* b: even or odd */
        bits2 |= minima2[i] % 2 << i;
    }
    assert_yuan(SKETCH_MINWISE, minima1, minima2, 5, 3.0 / 5);
    assert_yuan(SKETCH_HAMMING, &bits1, &bits2, 1, 2 * 3.0 / 5 - 1);
}
END_TEST

/* ---- estimates ---- */

/* Text, and the same with a share of it replaced by other text. */
static void fill_pair(uint8_t *a, uint8_t *b, size_t len, unsigned replaced)
{
    fill_text(a, len);
    memcpy(b, a, len);
    for (size_t i = 0; i < len / 50; i++)
        if (random64() % 100 < replaced)
            fill_text(b + 50 * i, 25);
}

/* The mean over many seeds lies within its own interval of 99.9 % around the exact resemblance. */
static void assert_unbiased(enum sketch_scheme scheme, unsigned replaced)
{
    enum { SEEDS = 250, LEN = 1500 };
    static uint8_t a[LEN], b[LEN];
    struct sketch_params params = sketch_defaults(SKETCH_SHINGLES);
    double sum = 0, squares = 0, exact, mean, error;
    unsigned inside = 0;

    params.window = 8;
    fill_pair(a, b, LEN, replaced);
    exact = likeness_of(&params, a, LEN, b, LEN).resemblance;
    params = sketch_defaults(scheme);
    params.window = 8;
    if (sketch_uses(scheme) & SKETCH_USE_SIZE)
        params.size = scheme == SKETCH_HAMMING ? 64 : 40;
    if (sketch_uses(scheme) & SKETCH_USE_RATE)
        params.rate = scheme == SKETCH_MOD ? 30 : 7;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct sketch_likeness likeness;

        params.seed = seed;
        likeness = likeness_of(&params, a, LEN, b, LEN);
        ck_assert(likeness.has_resemblance);
        sum += likeness.resemblance;
        squares += likeness.resemblance * likeness.resemblance;
        inside += likeness.resemblance_low <= exact && likeness.resemblance_high >= exact;
    }
    mean = sum / SEEDS;
    error = sqrt((squares / SEEDS - mean * mean) / (SEEDS - 1));
    ck_assert_msg(fabs(mean - exact) < 3.29 * error, "%s: mean %.4f, exact %.4f, standard error %.4f",
                  sketch_scheme_name(scheme), mean, exact, error);
    ck_assert_msg(inside > SEEDS * 90 / 100, "%s: %u of %d intervals hold", sketch_scheme_name(scheme),
                  inside, SEEDS);
}

START_TEST(estimates_are_unbiased)
{
    static const enum sketch_scheme schemes[] = {SKETCH_MIN,    SKETCH_MOD,     SKETCH_MINMOD,
                                                 SKETCH_NESTED, SKETCH_MINWISE, SKETCH_HAMMING};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        assert_unbiased(schemes[i], i % 2 ? 30 : 70);
}
END_TEST

START_TEST(containment_is_that_of_the_shorter_document)
{
    static uint8_t data[MOST];

    fill_text(data, MOST);
    for (int scheme = 0; scheme < SKETCH_SCHEMES; scheme++) {
        const struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        const struct sketch_likeness likeness = likeness_of(&params, data, MOST / 2, data, MOST);

        ck_assert(likeness.has_containment == sketch_has_containment(params.scheme));
        if (likeness.has_containment) {
            ck_assert_double_ge(likeness.a_in_b, scheme == SKETCH_CHUNKS ? 0.8 : 0.95);
            ck_assert_double_le(likeness.b_in_a, 0.75);
            ck_assert(scheme == SKETCH_GF8 || (likeness.of_a > 0 && likeness.of_b > likeness.of_a));
        }
        if (likeness.has_containment && likeness.basis == SKETCH_SAMPLE && scheme != SKETCH_GF8) {
            double low, high;

            sketch_interval((double)likeness.common, (double)likeness.of_b, &low, &high);
            ck_assert_double_eq_tol(likeness.b_in_a_low, low, 1e-9);
            ck_assert_double_eq_tol(likeness.b_in_a_high, high, 1e-9);
            ck_assert(likeness.a_in_b_low > 0.5 && likeness.a_in_b_high == 1);
        }
    }
}
END_TEST

START_TEST(documents_that_are_complete_in_a_sketch_are_compared_exactly)
{
    static const char a[] = "a rose is a rose is a rose", b[] = "a rose is a flower which is a rose";
    struct sketch_params params = sketch_defaults(SKETCH_MIN);
    struct sketch_likeness likeness;

    params.tokens.unit = TOKENS_WORDS;
    params.window = 2;
    likeness = likeness_of(&params, a, strlen(a), b, strlen(b));
    ck_assert_double_eq(likeness.resemblance, 0.5);
    ck_assert(likeness.is_exact && likeness.resemblance_low == 0.5 && likeness.resemblance_high == 0.5);
    params.size = 3; /* a sample */
    likeness = likeness_of(&params, a, strlen(a), b, strlen(b));
    ck_assert(likeness.compared == 3 && !likeness.is_exact);
    ck_assert(likeness.resemblance_low < likeness.resemblance_high);
}
END_TEST

/* A full sketch may have lost values, and one of multiples always has. */
START_TEST(samples_are_not_exact)
{
    static const char text[] = "a rose is a rose is a rose"; /* three shingles of two words */
    struct sketch_params params = sketch_defaults(SKETCH_MIN);

    params.tokens.unit = TOKENS_WORDS;
    params.window = 2;
    for (params.size = 2; params.size < 6; params.size++) {
        const struct sketch_likeness likeness = likeness_of(&params, text, strlen(text), text, strlen(text));

        ck_assert_double_eq(likeness.resemblance, 1);
        ck_assert(likeness.is_exact == (params.size > 3));
    }
    params = sketch_defaults(SKETCH_MINMOD);
    params.tokens.unit = TOKENS_WORDS;
    params.window = 1;
    params.rate = 2;
    for (params.seed = 1; params.seed < 9; params.seed++) {
        const struct sketch_likeness likeness = likeness_of(&params, text, strlen(text), text, strlen(text));

        ck_assert(!likeness.is_exact && likeness.compared < 4);
    }
}
END_TEST

/* Of unrelated documents, some estimates lie below 0 with all of their interval. */
START_TEST(bad_luck_is_not_exact)
{
    enum { LEN = 600 };
    uint8_t *const data = random_block(2 * LEN);
    struct sketch_params params = sketch_defaults(SKETCH_HAMMING);
    unsigned below = 0;

    params.size = 60;
    for (params.seed = 0; params.seed < 200; params.seed++) {
        const struct sketch_likeness l = likeness_of(&params, data, LEN, data + LEN, LEN);

        ck_assert(!l.is_exact && l.resemblance_low < l.resemblance && l.resemblance < l.resemblance_high);
        below += l.resemblance_high < 0;
    }
    ck_assert(below > 0 && below < 20);
    free(data);
}
END_TEST

/* What one changed byte in every 100 leaves of the chunks says little about the shingles. */
START_TEST(shares_of_chunks_are_no_estimates)
{
    static uint8_t a[MOST], b[MOST];

    fill_text(a, MOST);
    memcpy(b, a, MOST);
    for (size_t i = 50; i < MOST; i += 100)
        b[i]++;
    for (int scheme = SKETCH_BSW; scheme <= SKETCH_CHUNKS; scheme++) {
        const struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        const struct sketch_likeness l = likeness_of(&params, a, MOST, b, MOST);

        ck_assert(l.has_resemblance && !l.is_exact && l.basis == SKETCH_PIECES);
    }
}
END_TEST

/* Random documents, by fingerprints that are the shorter the more of them are equal by coincidence. */
START_TEST(short_fingerprints_are_told)
{
    enum { LEN = 20000 };
    uint8_t *const data = random_block(2 * LEN);

    for (int scheme = 0; scheme < SKETCH_COATES2011; scheme++) {
        struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);

        for (params.bits = 16; params.bits <= 64; params.bits += 12) {
            const struct sketch_likeness l = likeness_of(&params, data, LEN, data + LEN, LEN);

            ck_assert(l.too_short == (params.bits == 16 && scheme != SKETCH_CHUNKS));
            ck_assert(l.is_exact == (scheme == SKETCH_SHINGLES && params.bits >= 52));
            ck_assert(l.too_short || l.resemblance_low <= 0.001 || scheme == SKETCH_HAMMING);
        }
    }
    free(data);
}
END_TEST

/* All shingles, so the interval is that of collisions alone. */
START_TEST(intervals_allow_for_collisions)
{
    enum { LEN = 3000 };
    uint8_t *const data = random_block(LEN + LEN / 2);
    struct sketch_params params = sketch_defaults(SKETCH_SHINGLES);
    const double exact = likeness_of(&params, data, LEN, data + LEN / 2, LEN).resemblance;

    params.bits = 19;
    for (params.seed = 0; params.seed < 30; params.seed++) {
        const struct sketch_likeness l = likeness_of(&params, data, LEN, data + LEN / 2, LEN);

        ck_assert(!l.too_short && !l.is_exact && l.basis == SKETCH_ALL);
        ck_assert(l.resemblance != exact && l.resemblance_low < exact && exact < l.resemblance_high);
        ck_assert_double_lt(l.resemblance_high - l.resemblance_low, 0.15);
    }
    free(data);
}
END_TEST

/* d = 1 - r is a metric: every side of a triangle is at most the sum of the others. */
START_TEST(distance_is_a_metric)
{
    enum { DOCUMENTS = 12, LEN = 300 };
    static uint8_t texts[DOCUMENTS][LEN];
    double d[DOCUMENTS][DOCUMENTS];
    struct sketch_params params = sketch_defaults(SKETCH_SHINGLES);
    struct sketcher *sketcher;

    params.window = 3;
    sketcher = sketcher_of(&params);
    fill_text(texts[0], LEN);
    for (int i = 1; i < DOCUMENTS; i++) {
        memcpy(texts[i], texts[random64() % (unsigned)i], LEN);
        fill_text(texts[i] + random64() % 200, random64() % 100);
    }
    for (int i = 0; i < DOCUMENTS; i++)
        for (int k = 0; k < DOCUMENTS; k++)
            d[i][k] = 1 - compare(sketcher, texts[i], LEN, texts[k], LEN).resemblance;
    for (int i = 0; i < DOCUMENTS; i++) {
        ck_assert_double_eq(d[i][i], 0);
        for (int k = 0; k < DOCUMENTS; k++) {
            ck_assert_double_eq(d[i][k], d[k][i]);
            for (int j = 0; j < DOCUMENTS; j++)
                ck_assert_double_le(d[i][k], d[i][j] + d[j][k] + 1e-12);
        }
    }
    sketch_free(sketcher);
}
END_TEST

/* ---- formulas ---- */

/* By the definition, with 80-bit numbers. */
static double naive_probability(unsigned s, double r, double eps)
{
    long double sum = 0, term = powl(1 - r, s);

    for (unsigned k = 0; k <= s; k++) {
        if (fabsl((long double)k / s - r) <= eps + 1e-12L)
            sum += term;
        term = term * (s - k) / (k + 1) * r / (1 - (long double)r);
    }
    return (double)sum;
}

START_TEST(formulas_of_the_papers)
{
    const double far = 1 - sketch_sample_probability(100, 0.5, 0.4);

    for (unsigned s = 10; s <= 400; s += 30)
        for (double r = 0.05; r < 1; r += 0.1)
            ck_assert_double_eq_tol(sketch_sample_probability(s, r, 0.1), naive_probability(s, r, 0.1), 1e-9);
    ck_assert_double_eq(sketch_sample_probability(100, 1, 0.1), 1);
    ck_assert_double_eq(sketch_sample_probability(100, 0, 0.1), 1);
    ck_assert_double_lt(far, 1e-15); /* both tails: less than 50 % estimated above 90 % */
    ck_assert_double_eq_tol(sketch_expected_distinct(1000, 16), 65536 * (1 - pow(1 - 1.0 / 65536, 1000)),
                            1e-6);
    ck_assert_double_eq_tol(1e6 - sketch_expected_distinct(1e6, 40), sketch_collision_bound(1e6, 40), 1e-4);
    ck_assert_double_eq_tol(sketch_resemblance_bound(2000, 40), 2000 / exp2(29), 1e-12);
    ck_assert_double_eq(sketch_collision_error(2000, 40), sketch_resemblance_bound(2000, 40));
    ck_assert_double_eq_tol(sketch_collision_error(2e6, 32), 1.148e-3, 1e-6); /* 465.7 pairs, and 682.4 */
    ck_assert_double_eq(sketch_collision_error(0, 64), 0);
    ck_assert_double_eq_tol(sketch_hamming_variance(0.9, 64), 0.003, 1e-4); /* Yuan, section 5.2 */
    ck_assert_double_eq_tol(sketch_hamming_variance(0.7, 64), 0.008, 1e-4); /* section 5.3 prints 0.009 */
    ck_assert_double_eq_tol(sketch_minwise_variance(0.5, 1000), 0.00025, 1e-12);
}
END_TEST

/* R: binom::binom.confint(x, n, methods = "wilson"). */
START_TEST(interval_is_wilsons)
{
    double low, high;

    sketch_interval(10, 100, &low, &high);
    ck_assert_double_eq_tol(low, 0.05522854, 1e-6);
    ck_assert_double_eq_tol(high, 0.1743657, 1e-6);
    sketch_interval(0, 10, &low, &high);
    ck_assert_double_eq(low, 0);
    ck_assert_double_eq_tol(high, 0.2775328, 1e-6);
    sketch_interval(10, 10, &low, &high);
    ck_assert_double_eq(high, 1);
}
END_TEST

/* The number of different fingerprints of 16 bits is as expected within five standard deviations. */
START_TEST(short_fingerprints_collide_as_often_as_random_ones)
{
    enum { LEN = 20000 };
    struct sketch_params params = sketch_defaults(SKETCH_SHINGLES);
    struct sketcher *sketcher;
    struct sketch sketch;
    uint8_t *data = random_block(LEN);
    const double expected = sketch_expected_distinct(LEN - 19, 16);

    params.bits = 16;
    sketcher = sketcher_of(&params);
    sketch = sketch_of(sketcher, data, LEN);
    ck_assert_double_lt(fabs((double)sketch.count - expected), 5 * sqrt(LEN));
    sketch_release(&sketch);
    sketch_free(sketcher);
    free(data);
}
END_TEST

RUN_TESTS("sketch_estimates", yuans_examples_are_reproduced, estimates_are_unbiased,
          containment_is_that_of_the_shorter_document,
          documents_that_are_complete_in_a_sketch_are_compared_exactly, samples_are_not_exact,
          bad_luck_is_not_exact, shares_of_chunks_are_no_estimates, short_fingerprints_are_told,
          intervals_allow_for_collisions, distance_is_a_metric, formulas_of_the_papers, interval_is_wilsons,
          short_fingerprints_collide_as_often_as_random_ones)
