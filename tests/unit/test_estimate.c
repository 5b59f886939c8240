/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check_main.h"
#include "compare/distance.h"
#include "compare/estimate.h"

enum { LEN = 13508, MAX_LEN = 3 * LEN, MAX_SAMPLES = MAX_LEN };

static uint8_t a[MAX_LEN], b[MAX_LEN];
static struct sample a_samples[MAX_SAMPLES], b_samples[MAX_SAMPLES];
static struct estimator *estimator;
static struct sampler *sampler;
static uint32_t rate = 128;

static void begin(uint32_t c)
{
    struct sampler_params params = {SAMPLER_GF8, 12, c, 0};
    struct error err;

    rate = c;
    estimator = estimate_new(&err);
    sampler = sampler_new(&params, &err);
    ck_assert(estimator && sampler);
}

static void end(void)
{
    estimate_free(estimator);
    sampler_free(sampler);
}

static struct estimate_side sampled(const uint8_t *p, size_t len, struct sample *samples)
{
    struct error err;
    struct sampler_result result;

    sampler_begin(sampler, len);
    ck_assert_int_eq(sampler_update(sampler, p, len, &err), 0);
    result = sampler_final(sampler);
    memcpy(samples, result.samples, result.count * sizeof *samples);
    return (struct estimate_side){samples, result.count, len, result.coincidence};
}

static struct estimate run(size_t a_len, size_t b_len)
{
    struct estimate_side x = sampled(a, a_len, a_samples), y = sampled(b, b_len, b_samples);
    struct estimate estimate;
    struct error err;

    ck_assert_int_eq(estimate_run(estimator, &x, &y, 12, rate, NULL, &estimate, &err), 0);
    return estimate;
}

static uint64_t true_distance(size_t a_len, size_t b_len)
{
    struct error err;
    uint64_t distance;

    ck_assert_int_eq(distance_exact(a, a_len, b, b_len, &distance, &err), 0);
    return distance;
}

/* ---- edits: a becomes b; the new length ---- */

static size_t copy(void)
{
    memcpy(b, a, LEN);
    return LEN;
}

static size_t substitute(unsigned per_thousand, size_t unused)
{
    (void)unused;
    copy();
    for (size_t i = 0; i < LEN; i++)
        if (random64() % 1000 < per_thousand)
            b[i] = (uint8_t)(32 + random64() % 95);
    return LEN;
}

static size_t insert(unsigned blocks, size_t size)
{
    size_t len = copy();

    for (unsigned i = 0; i < blocks; i++, len += size) {
        size_t at = random64() % len;

        memmove(b + at + size, b + at, len - at);
        fill_text(b + at, size);
    }
    return len;
}

static size_t replace(unsigned blocks, size_t size)
{
    copy();
    for (unsigned i = 0; i < blocks; i++)
        fill_text(b + random64() % (LEN - size), size);
    return LEN;
}

static size_t delete (unsigned blocks, size_t size)
{
    size_t len = copy();

    for (unsigned i = 0; i < blocks; i++, len -= size) {
        size_t at = random64() % (len - size);

        memmove(b + at, b + at + size, len - at - size);
    }
    return len;
}

static size_t rewrite(unsigned unused, size_t size)
{
    (void)unused;
    fill_text(b, size);
    return size;
}

static const struct {
    size_t (*edit)(unsigned times, size_t size);
    unsigned times;
    size_t size;
} kinds[] = {
    {substitute, 2, 0}, {substitute, 10, 0}, {substitute, 50, 0}, {substitute, 100, 0}, {insert, 1, 500},
    {insert, 5, 500},   {insert, 10, 500},   {replace, 1, 500},   {replace, 5, 500},    {delete, 1, 2000},
    {delete, 3, 1000},  {delete, 60, 30},    {rewrite, 1, LEN},   {insert, 0, 0},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t edit(int kind)
{
    return kinds[kind].edit(kinds[kind].times, kinds[kind].size);
}

/* ---- tests ---- */

START_TEST(equal_samples_mean_no_edits)
{
    struct estimate e;

    begin(128);
    fill_text(a, LEN);
    e = run(LEN, copy());
    ck_assert_double_eq(e.edits, 0);
    ck_assert_double_eq(e.edits_low, 0);
    ck_assert_double_eq(e.resemblance, 1);
    ck_assert_double_eq(e.a_in_b, 1);
    ck_assert_double_eq(e.b_in_a, 1);
    ck_assert_uint_eq(e.a_matched, LEN);
    ck_assert_uint_eq(e.range_count, 1);
    end();
}
END_TEST

START_TEST(is_near_the_true_distance_and_the_interval_covers_it)
{
    enum { ROUNDS = 12 };
    double error = 0;
    int covered = 0;

    begin(128);
    for (int round = 0; round < ROUNDS; round++) {
        fill_text(a, LEN);
        for (int kind = 0; kind < KINDS; kind++) {
            size_t len = edit(kind);
            struct estimate e = run(LEN, len);
            double truth = (double)true_distance(LEN, len);

            error += fabs(e.edits - truth) / (double)(len > LEN ? len : LEN);
            covered += e.edits_low - 0.5 <= truth && truth <= e.edits_high + 0.5;
            ck_assert(e.edits_low <= e.edits && e.edits <= e.edits_high);
        }
    }
    ck_assert_double_le(error / (KINDS * ROUNDS), 0.02);
    ck_assert_int_ge(covered, KINDS * ROUNDS * 95 / 100);
    end();
}
END_TEST

START_TEST(insertions_are_counted_to_the_byte)
{
    begin(128);
    for (int round = 0; round < 20; round++) {
        struct estimate e;

        fill_text(a, LEN);
        e = run(LEN, insert(5, 500));
        ck_assert_double_eq_tol(e.edits, 2500, 30);
    }
    end();
}
END_TEST

START_TEST(content_inside_a_larger_one_is_located)
{
    begin(32);
    for (int round = 0; round < 20; round++) {
        const size_t at = 2000 + random64() % 20000, len = 5000;
        const struct estimate_range *longest;
        struct estimate e;

        fill_text(a, MAX_LEN);
        memcpy(b, a + at, len);
        e = run(MAX_LEN, len);
        longest = e.ranges;
        for (size_t i = 1; i < e.range_count; i++) /* words repeat, so others may match by chance */
            if (e.ranges[i].anchors > longest->anchors)
                longest = &e.ranges[i];
        ck_assert_double_ge(e.b_in_a, 0.95);
        ck_assert_double_le(e.a_in_b, 0.3);
        ck_assert_uint_eq(longest->a_start - longest->b_start, at);
        ck_assert_uint_ge(longest->b_end - longest->b_start, len * 9 / 10);
        ck_assert_uint_ge(e.b_matched, len * 9 / 10);
        ck_assert_double_eq_tol(e.edits, (double)(MAX_LEN - len), 50);
    }
    end();
}
END_TEST

START_TEST(parts_that_swapped_places_are_all_matched)
{
    struct estimate e;

    begin(32);
    fill_text(a, LEN);
    memcpy(b, a + LEN / 2, LEN - LEN / 2);
    memcpy(b + LEN - LEN / 2, a, LEN / 2);
    e = run(LEN, LEN);
    ck_assert_double_ge(e.resemblance, 0.95);
    ck_assert_uint_ge(e.a_matched, LEN * 9 / 10);
    ck_assert_uint_ge(e.b_matched, LEN * 9 / 10);
    ck_assert_uint_ge(e.range_count, 2);
    end();
}
END_TEST

START_TEST(ranges_are_in_bounds_in_order_and_of_equal_content_where_nothing_was_edited)
{
    begin(32);
    for (int round = 0; round < 50; round++) {
        size_t len;
        struct estimate e;

        fill_text(a, LEN);
        len = round % 2 ? insert(4, 700) : delete (3, 1000);
        e = run(LEN, len);
        for (size_t i = 0; i < e.range_count; i++) {
            const struct estimate_range *r = &e.ranges[i];
            uint64_t margin = (r->a_end - r->a_start) / 4;

            ck_assert(r->a_start < r->a_end && r->a_end <= LEN && r->b_start < r->b_end && r->b_end <= len);
            ck_assert(i == 0 || r->a_start >= r[-1].a_start);
            if (r->a_end - r->a_start == r->b_end - r->b_start && margin > 64)
                ck_assert_mem_eq(a + r->a_start + margin, b + r->b_start + margin, 2 * margin);
        }
    }
    end();
}
END_TEST

START_TEST(both_directions_agree)
{
    begin(64);
    for (int kind = 0; kind < KINDS; kind++) {
        size_t len;
        struct estimate_side x, y;
        struct estimate there, back;
        struct error err;

        fill_text(a, LEN);
        len = edit(kind);
        x = sampled(a, LEN, a_samples);
        y = sampled(b, len, b_samples);
        ck_assert_int_eq(estimate_run(estimator, &x, &y, 12, 64, NULL, &there, &err), 0);
        ck_assert_int_eq(estimate_run(estimator, &y, &x, 12, 64, NULL, &back, &err), 0);
        ck_assert_double_eq(there.resemblance, back.resemblance);
        ck_assert_double_eq(there.a_in_b, back.b_in_a);
        ck_assert_double_eq_tol(there.edits, back.edits, 0.01 * LEN);
    }
    end();
}
END_TEST

START_TEST(never_below_the_difference_of_the_lengths)
{
    begin(128);
    for (int round = 0; round < 300; round++) {
        size_t a_len = random64() % 3000, b_len = random64() % 3000;
        struct estimate e;
        double difference = fabs((double)a_len - (double)b_len);

        fill_text(a, a_len);
        if (round % 2)
            memcpy(b, a, b_len);
        else
            fill_random(b, b_len);
        e = run(a_len, b_len);
        ck_assert(e.edits_low >= difference && e.edits >= e.edits_low && e.edits_high >= e.edits);
        ck_assert(e.edits_high <= (double)(a_len > b_len ? a_len : b_len) + 0.001);
    }
    end();
}
END_TEST

START_TEST(the_distance_of_unrelated_content_follows_from_its_bytes)
{
    begin(128);
    fill_text(a, LEN);
    fill_text(b, LEN);
    ck_assert_double_eq_tol(run(LEN, LEN).edits / LEN, (double)true_distance(LEN, LEN) / LEN, 0.05);
    fill_random(a, LEN);
    fill_random(b, LEN);
    ck_assert_double_eq_tol(run(LEN, LEN).edits / LEN, (double)true_distance(LEN, LEN) / LEN, 0.05);
    end();
}
END_TEST

/* Changes each of the bytes with this probability; returns the number that were. */
static double mutate(double probability)
{
    double changed = 0;

    for (size_t i = 0; i < LEN; i++)
        if ((double)(random64() >> 11) / 9007199254740992.0 < probability) {
            b[i] ^= (uint8_t)(1 + random64() % 255);
            changed++;
        }
    return changed;
}

START_TEST(the_share_of_common_samples_gives_the_number_of_bytes_changed)
{
    enum { ROUNDS = 60 };
    static const double probabilities[] = {0.002, 0.01, 0.03, 0.1};

    begin(32);
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
        double sum = 0, truth = 0;
        int covered = 0;

        for (int round = 0; round < ROUNDS; round++) {
            struct estimate e;
            double changed;

            fill_random(a, LEN);
            copy();
            changed = mutate(probabilities[i]);
            e = run(LEN, LEN);
            ck_assert(e.point_low <= e.point && e.point <= e.point_high);
            covered += e.point_low <= changed && changed <= e.point_high;
            sum += e.point;
            truth += changed;
        }
        ck_assert_double_eq_tol(sum / truth, 1, 0.06);
        ck_assert_int_ge(covered, ROUNDS * 88 / 100);
        ck_assert_int_le(covered, ROUNDS);
    }
    end();
}
END_TEST

START_TEST(a_replaced_block_disagrees_with_edits_of_single_bytes)
{
    struct estimate e;

    begin(32);
    fill_random(a, LEN);
    copy();
    fill_random(b + 4000, 3000);
    e = run(LEN, LEN);
    ck_assert_double_lt(e.point_high, (double)true_distance(LEN, LEN) / 4);
    fill_random(b, LEN);
    e = run(LEN, LEN);
    ck_assert_double_eq_tol(e.point, e.edits, 1);
    ck_assert_double_ge(e.point, e.point_low);
    end();
}
END_TEST

RUN_TESTS("estimate", equal_samples_mean_no_edits, is_near_the_true_distance_and_the_interval_covers_it,
          insertions_are_counted_to_the_byte, content_inside_a_larger_one_is_located,
          parts_that_swapped_places_are_all_matched,
          ranges_are_in_bounds_in_order_and_of_equal_content_where_nothing_was_edited, both_directions_agree,
          never_below_the_difference_of_the_lengths, the_distance_of_unrelated_content_follows_from_its_bytes,
          the_share_of_common_samples_gives_the_number_of_bytes_changed,
          a_replaced_block_disagrees_with_edits_of_single_bytes)
