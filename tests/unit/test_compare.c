/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "compare/compare.h"
#include "sample/coates.h"
#include "sample/hasher.h"

enum { LEN = 40000 };

static uint8_t a[LEN], b[LEN];
static struct record x, y;
static struct comparer *comparer;
static struct comparison result;
static struct error err;

static void sign(struct record *record, struct sampler_params params, const uint8_t *p, size_t len)
{
    struct hasher *hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), &err);

    ck_assert_ptr_nonnull(hasher);
    ck_assert_int_eq(hasher_begin(hasher, len, &err), 0);
    ck_assert_int_eq(hasher_update(hasher, p, len, &err), 0);
    ck_assert_int_eq(hasher_final(hasher, record, &err), 0);
    hasher_free(hasher);
}

static struct sampler_params gf8(uint32_t n, uint32_t c)
{
    return (struct sampler_params){SAMPLER_GF8, n, c, 0};
}

static void begin(void)
{
    comparer = compare_new(&err);
    ck_assert_ptr_nonnull(comparer);
    fill_text(a, LEN);
    memcpy(b, a, LEN);
    fill_text(b + 10000, 1000);
}

static void end(void)
{
    compare_free(comparer);
    record_release(&x);
    record_release(&y);
}

START_TEST(records_of_different_kinds_are_never_compared)
{
    const struct sampler_params kinds[] = {
        gf8(12, 64),
        gf8(16, 64),
        {SAMPLER_COATES2011, 12, 64, 0},
        {SAMPLER_COATES2015, 12, 64, 0},
        {SAMPLER_COATES2015, 12, 64, 1},
        {SAMPLER_COATES2015, 12, 65, 0},
    };

    begin();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++) {
            struct compare_papers papers;

            sign(&x, kinds[i], a, LEN);
            sign(&y, kinds[j], b, LEN);
            ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), i == j ? 0 : -1);
            ck_assert_int_eq(compare_signatures(comparer, &x, &y, NULL, NULL, &papers, &err),
                             i == j ? 0 : -1);
        }
    end();
}
END_TEST

START_TEST(equal_digests_are_identical_whatever_the_samples)
{
    begin();
    sign(&x, gf8(12, 64), a, LEN);
    sign(&y, (struct sampler_params){SAMPLER_COATES2015, 9, 101, 0}, a, LEN);
    ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
    ck_assert_int_eq(result.verdict, COMPARE_IDENTICAL);
    ck_assert_double_eq(result.estimate.edits_high, 0);
    ck_assert_uint_eq(result.estimate.a_matched, LEN);
    end();
}
END_TEST

START_TEST(one_byte_of_difference_is_not_identical)
{
    begin();
    memcpy(b, a, LEN);
    for (size_t at = 0; at < LEN; at += 997) {
        b[at] ^= 1;
        sign(&x, gf8(12, 64), a, LEN);
        sign(&y, gf8(12, 64), b, LEN);
        ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
        ck_assert_int_eq(result.verdict, COMPARE_VARIANT);
        ck_assert_double_ge(result.estimate.edits_high, 1);
        b[at] ^= 1;
    }
    end();
}
END_TEST

START_TEST(denser_records_are_reduced)
{
    struct comparison wanted;

    begin();
    sign(&x, gf8(12, 128), a, LEN);
    sign(&y, gf8(12, 128), b, LEN);
    ck_assert_int_eq(compare_run(comparer, &x, &y, &wanted, &err), 0);
    for (uint32_t c = 4; c < 128; c *= 2) {
        sign(&x, gf8(12, c), a, LEN);
        ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
        ck_assert_uint_eq(result.c, 128);
        ck_assert_double_eq(result.estimate.edits, wanted.estimate.edits);
        ck_assert_double_eq(result.estimate.edits_high, wanted.estimate.edits_high);
        ck_assert_uint_eq(result.estimate.a_matched, wanted.estimate.a_matched);
    }
    end();
}
END_TEST

/* Levenshtein's definition. */
static uint64_t plain_distance(const char *p, size_t p_len, const char *q, size_t q_len)
{
    uint64_t *row = calloc(q_len + 1, sizeof *row), distance;

    ck_assert_ptr_nonnull(row);
    for (size_t j = 0; j <= q_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= p_len; i++) {
        uint64_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= q_len; j++) {
            uint64_t best = corner + (p[i - 1] != q[j - 1]);

            corner = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    distance = row[q_len];
    free(row);
    return distance;
}

START_TEST(the_papers_estimates_follow_their_formulas)
{
    struct buffer p = {0}, q = {0};
    struct compare_papers papers;
    uint64_t distance;

    begin();
    sign(&x, (struct sampler_params){SAMPLER_COATES2015, 9, 101, 3}, a, LEN);
    sign(&y, (struct sampler_params){SAMPLER_COATES2015, 9, 101, 3}, b, LEN - 5000);
    record_signature(&x, &p);
    record_signature(&y, &q);
    distance = plain_distance(p.data, p.len, q.data, q.len);
    ck_assert_uint_gt(distance, 20);
    ck_assert_int_eq(compare_signatures(comparer, &x, &y, NULL, NULL, &papers, &err), 0);
    ck_assert_uint_eq(papers.a_len, p.len);
    ck_assert_uint_eq(papers.b_len, q.len);
    ck_assert_uint_eq(papers.distance, distance);
    ck_assert_double_eq(papers.edits_2011, (double)distance * 101);
    ck_assert_double_eq_tol(papers.edits_2015, (double)distance * 101 * 0.82, 0.001);
    buffer_release(&p);
    buffer_release(&q);
    end();
}
END_TEST

static struct compare_papers papers_of(size_t a_len, size_t b_len)
{
    const struct sampler_params params = {SAMPLER_COATES2015, 9, 101, 3};
    struct compare_papers papers;

    sign(&x, params, a, a_len);
    sign(&y, params, b, b_len);
    ck_assert_int_eq(compare_signatures(comparer, &x, &y, NULL, NULL, &papers, &err), 0);
    ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
    return papers;
}

/* E of 12 characters is 9.84, of 13 it is 10.66. */
START_TEST(papers_have_no_figures_where_chance_decides)
{
    struct compare_papers papers;

    begin();
    fill_text(b, LEN);
    papers = papers_of(LEN, 0);
    ck_assert(papers.unrelated && !papers.too_short && papers.edits_least == LEN);
    ck_assert_uint_eq(papers.distance, papers.a_len);
    ck_assert_int_eq(result.verdict, COMPARE_TOO_SMALL);
    papers = papers_of(LEN, 8);
    ck_assert_int_eq(result.verdict, COMPARE_TOO_SMALL);
    papers = papers_of(LEN, 2000);
    ck_assert(papers.unrelated && papers.edits_least == LEN - 2000 && papers.edits_2015 < LEN - 2000);
    ck_assert_double_eq_tol(papers.expected, 0.82 * (double)papers.a_len, 1e-9);
    ck_assert_int_eq(result.verdict, COMPARE_UNDECIDED);
    for (size_t len = 20; len < 2500; len += 20) {
        papers = papers_of(len, len);
        ck_assert(papers.too_short == ((papers.a_len > papers.b_len ? papers.a_len : papers.b_len) < 13));
    }
    memcpy(b, a, LEN);
    papers = papers_of(LEN, LEN - 5000);
    ck_assert(!papers.unrelated && !papers.too_short && papers.edits_least == 5000);
    end();
}
END_TEST

START_TEST(the_published_significances_are_reproduced)
{
    /* What the author's program is known to report for 100 characters inside 1000, and (roughly) for
     * unrelated texts. */
    ck_assert_double_eq_tol(coates_significance(900, 100, 1000, COATES_FACTOR), 0.097, 0.001);
    ck_assert_double_eq_tol(coates_significance(983, 1000, 1000, COATES_FACTOR), 0.2, 0.01);
    ck_assert_double_eq(coates_significance(0, 0, 0, COATES_FACTOR), 0);
}
END_TEST

START_TEST(too_small_and_low_entropy_are_reported_as_such)
{
    static const uint8_t zeros[LEN];

    begin();
    sign(&x, gf8(12, 64), a, 0);
    sign(&y, gf8(12, 64), b, LEN);
    ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
    ck_assert_int_eq(result.verdict, COMPARE_TOO_SMALL);
    sign(&x, gf8(12, 64), zeros, LEN);
    ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
    ck_assert_int_eq(result.verdict, COMPARE_LOW_ENTROPY);
    end();
}
END_TEST

RUN_TESTS("compare", records_of_different_kinds_are_never_compared,
          equal_digests_are_identical_whatever_the_samples, one_byte_of_difference_is_not_identical,
          denser_records_are_reduced, the_papers_estimates_follow_their_formulas,
          papers_have_no_figures_where_chance_decides, the_published_significances_are_reproduced,
          too_small_and_low_entropy_are_reported_as_such)
