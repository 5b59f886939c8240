/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check_main.h"
#include "disk/content_part.h"
#include "match/pairing.h"
#include "sample/hasher.h"

enum { LEN = 40000, C = 32 };

static uint8_t a[LEN], b[LEN];
static struct record x, y;
static struct comparer *comparer;
static struct pairing *pairing;
static struct comparison before, result;
static double ln_e;
static struct error err;

static void sign(struct record *record, uint32_t c, const uint8_t *p, size_t len)
{
    const struct sampler_params params = {SAMPLER_GF8, 12, c, 0};
    struct hasher *hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), &err);

    ck_assert_ptr_nonnull(hasher);
    ck_assert_int_eq(hasher_begin(hasher, len, &err), 0);
    ck_assert_int_eq(hasher_update(hasher, p, len, &err), 0);
    ck_assert_int_eq(hasher_final(hasher, record, &err), 0);
    hasher_free(hasher);
}

static void begin(void)
{
    fill_text(a, LEN);
    fill_text(b, LEN);
    comparer = compare_new(&err);
    pairing = pairing_new(&err);
    ck_assert(comparer && pairing);
}

static void end(void)
{
    compare_free(comparer);
    pairing_free(pairing);
    record_release(&x);
    record_release(&y);
}

/* Judges a and the first bytes of b; `before`: what compare_run makes of them. */
static enum compare_verdict judged(size_t b_len, uint32_t b_c, bool with_content)
{
    struct content_memory content;

    sign(&x, C, a, LEN);
    sign(&y, b_c, b, b_len);
    content_memory_init(&content, a, LEN);
    ck_assert_int_eq(compare_run(comparer, &x, &y, &result, &err), 0);
    before = result;
    ck_assert_int_eq(
        pairing_judge(pairing, &x, &y, with_content ? &content.content : NULL, &result, &ln_e, &err), 0);
    return result.verdict;
}

static const struct estimate_range *longest_range(void)
{
    const struct estimate_range *longest = &result.estimate.ranges[0];

    ck_assert_uint_ge(result.estimate.range_count, 1);
    for (size_t i = 1; i < result.estimate.range_count; i++)
        if (result.estimate.ranges[i].anchors > longest->anchors)
            longest = &result.estimate.ranges[i];
    return longest;
}

/* The same numbers in steps of four, as in a table of relocations, amid content of its own. */
static void put_table(uint8_t *to)
{
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t value = 0x08040000 + 4 * i;

        memcpy(to + sizeof value * i, &value, sizeof value);
    }
}

START_TEST(what_has_a_stretch_in_common_is_a_fragment_with_its_place_and_e)
{
    begin();
    memcpy(b + 9000, a + 20000, 2000);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_FRAGMENT);
    ck_assert_uint_eq(longest_range()->a_start - longest_range()->b_start, 11000);
    ck_assert_uint_ge(longest_range()->anchors, 30);
    ck_assert_uint_ge(longest_range()->a_end - longest_range()->a_start, 1900);
    ck_assert(result.estimate.a_matched > 1900 && result.estimate.a_matched < 2400);
    ck_assert(ln_e < -100);
    end();
}
END_TEST

START_TEST(tables_in_common_are_no_evidence)
{
    begin();
    put_table(a + 5000);
    put_table(b + 17000);
    ck_assert_int_eq(judged(LEN, C, false), COMPARE_FRAGMENT); /* its bytes are not there to be judged */
    ck_assert_int_eq(before.verdict, COMPARE_FRAGMENT);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_NONE);
    ck_assert_uint_eq(result.estimate.range_count, 0);
    ck_assert_uint_eq(result.estimate.a_matched + result.estimate.b_matched, 0);
    ck_assert(isinf(ln_e));
    end();
}
END_TEST

START_TEST(a_few_words_in_common_are_no_evidence)
{
    begin();
    for (size_t at = 1000; at < 31000; at += 10000)
        memcpy(b + at, a + at, 40);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_NONE);
    ck_assert(before.verdict == COMPARE_NONE || before.verdict == COMPARE_FRAGMENT);
    end();
}
END_TEST

/* No line of 60 bytes is a stretch that a scan would accept, but twenty of them in order are no chance. */
START_TEST(many_short_lines_in_order_are_evidence)
{
    begin();
    for (size_t i = 0; i < 20; i++)
        memcpy(b + 5000 + 120 * i, a + 3000 + 60 * i, 60);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_FRAGMENT);
    ck_assert(ln_e < log(1e-9));
    end();
}
END_TEST

START_TEST(a_part_of_the_other_is_embedded_in_it)
{
    begin();
    memcpy(b, a + 20000, 10000);
    ck_assert_int_eq(judged(10000, C, true), COMPARE_EMBEDDED);
    ck_assert(result.b_in_a && !result.a_in_b);
    memcpy(b, a + 7000, 26000); /* more than half of it, too */
    ck_assert_int_eq(judged(26000, C, true), COMPARE_EMBEDDED);
    ck_assert(result.b_in_a && !result.a_in_b);
    end();
}
END_TEST

START_TEST(an_edited_content_is_a_variant)
{
    begin();
    memcpy(b, a, LEN);
    fill_text(b + 10000, 1000);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_VARIANT);
    ck_assert(!result.a_in_b && !result.b_in_a);
    ck_assert(result.estimate.b_matched > 38000);
    end();
}
END_TEST

START_TEST(records_of_different_density_are_reduced)
{
    begin();
    memcpy(b + 9000, a + 20000, 2000);
    ck_assert_int_eq(judged(LEN, C / 4, true), COMPARE_FRAGMENT);
    ck_assert_uint_eq(result.c, C);
    ck_assert_uint_eq(longest_range()->a_start - longest_range()->b_start, 11000);
    end();
}
END_TEST

START_TEST(identical_contents_are_left_alone)
{
    begin();
    memcpy(b, a, LEN);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_IDENTICAL);
    ck_assert_uint_eq(result.estimate.range_count, 1);
    end();
}
END_TEST

/* Each block of 64 bytes of a lies elsewhere in b. */
START_TEST(content_in_another_order_is_a_variant_with_all_ranges_that_match)
{
    enum { BLOCK = 64, BLOCKS = LEN / BLOCK, STEP = 283 };

    begin();
    for (size_t i = 0; i < BLOCKS; i++)
        memcpy(b + i * BLOCK, a + i * STEP % BLOCKS * BLOCK, BLOCK);
    memcpy(b + BLOCKS * BLOCK, a + BLOCKS * BLOCK, LEN - BLOCKS * BLOCK);
    ck_assert_int_eq(judged(LEN, C, true), COMPARE_VARIANT);
    ck_assert(result.reordered);
    ck_assert_double_le(ln_e, log(1e-9));
    ck_assert_uint_ge(result.estimate.range_count, BLOCKS / 3);
    for (size_t i = 0; i < result.estimate.range_count; i++) {
        const struct estimate_range *range = &result.estimate.ranges[i];

        ck_assert_uint_eq(range->a_end - range->a_start, range->b_end - range->b_start);
        ck_assert_int_eq(memcmp(a + range->a_start, b + range->b_start, range->a_end - range->a_start), 0);
    }
    end();
}
END_TEST

RUN_TESTS("pairing", what_has_a_stretch_in_common_is_a_fragment_with_its_place_and_e,
          tables_in_common_are_no_evidence, a_few_words_in_common_are_no_evidence,
          many_short_lines_in_order_are_evidence, a_part_of_the_other_is_embedded_in_it,
          an_edited_content_is_a_variant, records_of_different_density_are_reduced,
          identical_contents_are_left_alone, content_in_another_order_is_a_variant_with_all_ranges_that_match)
