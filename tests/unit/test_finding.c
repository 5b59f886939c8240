/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "compare/finding.h"
#include "named.h"
#include "same.h"

enum { UNIVERSE = 3000, MOST_FINDINGS = 6, MOST_RANGES = 12 };

static struct error err;

static uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

static double random_share(void)
{
    return (double)(random64() >> 11) / 9007199254740991.0;
}

/* ---- names ---- */

START_TEST(verdicts_are_looked_up_by_name)
{
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        assert_named(verdict, finding_verdict_name((enum verdict)verdict), finding_verdict_find);
    ck_assert_int_eq(finding_verdict_find("low-entropy", 11), VERDICT_LOW_ENTROPY);
}
END_TEST

static void assert_proof(const struct finding *finding, const char *text)
{
    struct buffer out = {0};

    buffer_add_text(&out, "by ");
    finding_proof(finding, &out);
    ck_assert_msg(out.len == strlen(text) + 3 && memcmp(out.data + 3, text, strlen(text)) == 0,
                  "%.*s, not %s", (int)out.len, out.data, text);
    buffer_release(&out);
}

START_TEST(proofs_are_written_as_documented)
{
    assert_proof(&(struct finding){.proof = PROOF_ESTIMATE, .blocks = 7}, "estimate");
    assert_proof(&(struct finding){.proof = PROOF_BLOCKS, .proved = 3, .blocks = 4}, "blocks 3/4");
    assert_proof(&(struct finding){.proof = PROOF_BLOCKS, .proved = 1, .blocks = UINT64_MAX},
                 "blocks 1/18446744073709551615");
    assert_proof(&(struct finding){.proof = PROOF_SHA1}, "sha1");
}
END_TEST

/* ---- making findings ---- */

static int by_start(const void *a, const void *b)
{
    const struct finding_range *x = a, *y = b;

    return (x->obj_start > y->obj_start) - (x->obj_start < y->obj_start);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void fill_ranges(struct finding *finding, uint64_t size)
{
    ck_assert_int_eq(finding_resize(finding, random_below(MOST_RANGES), &err), 0);
    for (size_t i = 0; i < finding->range_count; i++) {
        struct finding_range *range = &finding->ranges[i];

        range->obj_start = random_below(size + 1);
        range->obj_end = range->obj_start + random_below(size - range->obj_start + 1);
        range->ref_start = random_below(finding->ref_size + 1);
        range->ref_end = range->ref_start + random_below(finding->ref_size - range->ref_start + 1);
    }
    if (finding->range_count)
        qsort(finding->ranges, finding->range_count, sizeof *finding->ranges, by_start);
    finding_measure(finding);
}

static double any_edits(void)
{
    return random_below(3) ? (double)random_below(1000000) + random_share() : 0;
}

static void fill_finding(struct finding *finding, uint64_t size)
{
    finding->verdict = (enum verdict)random_below(VERDICT_FRAGMENT + 1);
    finding->set = (uint32_t)(random64() >> random_below(32) >> 32);
    finding->file = random64() >> random_below(64);
    finding->ref_size = random64() >> (1 + random_below(60));
    finding->resemblance = random_below(4) ? random_share() : (double)random_below(2);
    finding->containment = random_below(4) ? random_share() : (double)random_below(2);
    finding->score = random_below(4) ? random_share() : (double)random_below(2);
    finding->reordered = finding->verdict == VERDICT_VARIANT && random_below(2);
    finding->has_edits = random_below(2);
    finding->edits = any_edits();
    finding->edits_low = any_edits();
    finding->edits_high = any_edits();
    finding->ln_e = random_below(4) ? -800 * random_share() : -INFINITY;
    finding->proof = (enum proof)random_below(PROOFS);
    finding->blocks = random64() >> random_below(64);
    finding->proved = finding->blocks ? random_below(finding->blocks) : 0;
    finding->also = random64() >> random_below(64);
    fill_ranges(finding, size);
}

static void fill_findings(struct findings *findings, uint64_t size)
{
    const size_t count = random_below(MOST_FINDINGS);

    finding_list_reset(findings);
    for (size_t i = 0; i < count; i++) {
        struct finding *finding = finding_list_add(findings, &err);

        ck_assert_ptr_nonnull(finding);
        fill_finding(finding, size);
    }
}

/* ---- measuring ---- */

START_TEST(span_and_matched_bytes_are_those_of_a_bitmap)
{
    for (int round = 0; round < 2000; round++) {
        struct finding finding = {.ref_size = UNIVERSE};
        uint8_t object[UNIVERSE] = {0};
        struct finding_range span = {0};
        uint64_t matched = 0;

        fill_ranges(&finding, random_below(UNIVERSE));
        for (size_t i = 0; i < finding.range_count; i++) {
            const struct finding_range *range = &finding.ranges[i];

            memset(object + range->obj_start, 1, range->obj_end - range->obj_start);
            if (i == 0 || range->ref_start < span.ref_start)
                span.ref_start = range->ref_start;
            if (i == 0 || range->obj_start < span.obj_start)
                span.obj_start = range->obj_start;
            span.ref_end = larger(span.ref_end, range->ref_end);
            span.obj_end = larger(span.obj_end, range->obj_end);
        }
        for (size_t i = 0; i < UNIVERSE; i++)
            matched += object[i];
        ck_assert_uint_eq(finding.matched, matched);
        ck_assert_mem_eq(&finding.span, &span, sizeof span);
        free(finding.ranges);
    }
}
END_TEST

/* ---- messages ---- */

static void assert_same(const struct findings *a, const struct findings *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_same_finding(&a->list[i], &b->list[i]);
}

START_TEST(findings_round_trip_through_messages)
{
    struct findings findings[3] = {{0}}, back = {0};

    for (int round = 0; round < 500; round++) {
        const uint64_t size = random64() >> (1 + random_below(60));
        struct buffer message = {0};
        struct wire wire;

        for (int i = 0; i < 3; i++) {
            fill_findings(&findings[i], size);
            ck_assert(finding_list_is_sound(&findings[i], size));
            finding_list_encode(&message, &findings[i]);
        }
        wire = (struct wire){message.data, message.len, false};
        for (int i = 0; i < 3; i++) {
            ck_assert(finding_list_decode(&wire, size, &back));
            assert_same(&findings[i], &back);
        }
        ck_assert(!wire_more(&wire) && !wire.broken);
        buffer_release(&message);
    }
    for (int i = 0; i < 3; i++)
        finding_list_release(&findings[i]);
    finding_list_release(&back);
    ck_assert_uint_eq(back.count, 0);
    finding_list_release(&back);
}
END_TEST

static void assert_share(double x)
{
    ck_assert(x >= 0 && x <= 1);
}

static void assert_count(double x)
{
    ck_assert(x >= 0 && isfinite(x));
}

static void assert_range_sound(const struct finding *finding, size_t i, uint64_t size)
{
    const struct finding_range *range = &finding->ranges[i];

    ck_assert(range->obj_start <= range->obj_end && range->obj_end <= size);
    ck_assert(range->ref_start <= range->ref_end && range->ref_end <= finding->ref_size);
    ck_assert(i == 0 || range->obj_start >= range[-1].obj_start);
}

/* Whatever it is made of. */
static void assert_sound(const struct finding *finding, uint64_t size)
{
    const struct finding_range *span = &finding->span;

    ck_assert((unsigned)finding->verdict <= VERDICT_FRAGMENT && (unsigned)finding->proof < PROOFS);
    assert_share(finding->resemblance);
    assert_share(finding->containment);
    assert_share(finding->score);
    ck_assert(!finding->reordered || finding->verdict == VERDICT_VARIANT);
    assert_count(finding->edits);
    assert_count(finding->edits_low);
    assert_count(finding->edits_high);
    ck_assert(!isnan(finding->ln_e));
    ck_assert_uint_le(finding->proved, finding->blocks);
    for (size_t i = 0; i < finding->range_count; i++)
        assert_range_sound(finding, i, size);
    ck_assert(span->obj_start <= span->obj_end && span->obj_end <= size);
    ck_assert(span->ref_start <= span->ref_end && span->ref_end <= finding->ref_size);
    ck_assert_uint_le(finding->matched, span->obj_end - span->obj_start);
}

/* From memory of exactly this size. */
static bool is_taken(const struct buffer *message, size_t len, uint64_t size)
{
    static struct findings back; /* filled again and again */
    char *copy = malloc(len ? len : 1);
    struct wire wire = {copy, len, false};
    bool taken;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, message->data, len);
    taken = finding_list_decode(&wire, size, &back);
    for (size_t i = 0; taken && i < back.count; i++)
        assert_sound(&back.list[i], size);
    free(copy);
    return taken;
}

START_TEST(a_truncated_message_is_refused)
{
    struct findings findings = {0};

    for (int round = 0; round < 10; round++) {
        struct buffer message = {0};

        fill_findings(&findings, UNIVERSE);
        finding_list_encode(&message, &findings);
        for (size_t len = 0; len < message.len; len++)
            ck_assert(!is_taken(&message, len, UNIVERSE));
        ck_assert(is_taken(&message, message.len, UNIVERSE));
        buffer_release(&message);
    }
    finding_list_release(&findings);
}
END_TEST

START_TEST(a_changed_message_never_yields_an_unsound_finding)
{
    static const uint64_t values[] = {0,          1,         2,          5,        1u << 31,
                                      UINT32_MAX, INT64_MAX, UINT64_MAX, UNIVERSE, UNIVERSE + 1};
    struct findings findings = {0};
    size_t taken = 0, refused = 0;

    for (int round = 0; round < 20000; round++) {
        struct buffer message = {0};
        bool was_taken;

        fill_findings(&findings, UNIVERSE);
        finding_list_encode(&message, &findings);
        for (uint64_t i = 0, changes = 1 + random_below(4); i < changes; i++) {
            const size_t at = random_below(message.len);

            if (random_below(2))
                message.data[at] = (char)random64();
            else
                memcpy(message.data + at / 8 * 8, &values[random_below(sizeof values / sizeof *values)], 8);
        }
        was_taken = is_taken(&message, message.len, UNIVERSE);
        taken += was_taken;
        refused += !was_taken;
        buffer_release(&message);
    }
    ck_assert_uint_gt(taken, 1000);
    ck_assert_uint_gt(refused, 1000);
    finding_list_release(&findings);
}
END_TEST

/* A message of one finding, a variant with one range of bytes 10 .. 20 and 30 .. 40, with a number of it
 * changed. */
static bool number_is_taken(size_t at, uint64_t number)
{
    struct finding_range range = {10, 20, 30, 40};
    struct finding finding = {.verdict = VERDICT_VARIANT,
                              .ref_size = 50,
                              .proved = 1,
                              .blocks = 2,
                              .ranges = &range,
                              .range_count = 1};
    const struct findings findings = {.list = &finding, .count = 1};
    struct buffer message = {0};
    bool taken;

    finding_list_encode(&message, &findings);
    memcpy(message.data + 8 * (2 + at), &number, 8);
    taken = is_taken(&message, message.len, 25);
    buffer_release(&message);
    return taken;
}

static bool double_is_taken(size_t at, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return number_is_taken(at, bits);
}

/* The score of a finding that is like this one but for some value. */
static double score_of(struct finding finding, double rarity)
{
    finding_rate(&finding, rarity);
    ck_assert(finding.score >= 0 && finding.score <= 1);
    return finding.score;
}

START_TEST(the_score_is_that_of_the_manual)
{
    const struct finding variant = {
        .verdict = VERDICT_VARIANT, .resemblance = .5, .containment = .25, .ref_size = 8192};
    struct finding fragment = variant;

    fragment.verdict = VERDICT_FRAGMENT;
    ck_assert_double_eq_tol(score_of(variant, 1), .5 * (1 - 0.1353352832366127), 1e-12);     /* e^-2 */
    ck_assert_double_eq_tol(score_of(variant, .25), .5 * (1 - 0.6065306597126334), 1e-12);   /* e^-.5 */
    ck_assert_double_eq_tol(score_of(fragment, .5), .25 * (1 - 0.36787944117144233), 1e-12); /* e^-1 */
    ck_assert(score_of((struct finding){.verdict = VERDICT_IDENTICAL, .ref_size = 3}, 0) == 1);
}
END_TEST

START_TEST(the_score_grows_with_what_matches_and_with_its_rarity)
{
    for (int round = 0; round < 1000; round++) {
        const double rarity = random_share();
        struct finding finding = {.verdict = random_below(2) ? VERDICT_EMBEDDED : VERDICT_VARIANT,
                                  .resemblance = random_share(),
                                  .containment = random_share(),
                                  .ref_size = random_below(20000)};
        const double before = score_of(finding, rarity);

        ck_assert(score_of(finding, fmin(1, rarity * 1.1)) >= before);
        finding.ref_size += 128;
        ck_assert(score_of(finding, rarity) >= before);
        finding.containment += (1 - finding.containment) / 9;
        ck_assert(score_of(finding, rarity) >= before);
        finding.resemblance += (1 - finding.resemblance) / 9;
        ck_assert(score_of(finding, rarity) >= before);
    }
}
END_TEST

/* Of one finding that states another order, as the list and as the message. */
static void assert_may_be_reordered(enum verdict verdict, bool may)
{
    struct finding finding = {.verdict = verdict, .reordered = true};
    const struct findings findings = {.list = &finding, .count = 1};
    struct buffer message = {0};

    finding_list_encode(&message, &findings);
    ck_assert(finding_list_is_sound(&findings, 25) == may && is_taken(&message, message.len, 25) == may);
    buffer_release(&message);
}

START_TEST(only_a_variant_can_have_another_order)
{
    assert_may_be_reordered(VERDICT_IDENTICAL, false);
    assert_may_be_reordered(VERDICT_VARIANT, true);
    assert_may_be_reordered(VERDICT_EMBEDDED, false);
    assert_may_be_reordered(VERDICT_FRAGMENT, false);
    ck_assert_str_eq(finding_order(&(struct finding){.reordered = true}), "other");
    ck_assert_str_eq(finding_order(&(struct finding){.verdict = VERDICT_VARIANT}), "same");
}
END_TEST

START_TEST(impossible_findings_are_refused)
{
    enum {
        VERDICT = 0,
        SET = 1,
        REF_SIZE = 3,
        RESEMBLANCE,
        CONTAINMENT,
        SCORE,
        REORDERED,
        HAS_EDITS,
        EDITS,
        LOW,
        HIGH,
        LN_E,
        PROOF
    };
    enum { PROVED = 14, BLOCKS, ALSO, HOLDERS, FEATURES, RANGES, OBJ_START, OBJ_END, REF_START, REF_END };
    static const size_t shares[] = {RESEMBLANCE, CONTAINMENT, SCORE}, counts[] = {EDITS, LOW, HIGH};

    ck_assert(number_is_taken(VERDICT, VERDICT_FRAGMENT) && !number_is_taken(VERDICT, VERDICT_NONE));
    ck_assert(!number_is_taken(VERDICT, (uint64_t)1 << 32) && !number_is_taken(VERDICT, UINT64_MAX));
    ck_assert(number_is_taken(REORDERED, 1) && !number_is_taken(REORDERED, 2));
    ck_assert(number_is_taken(SET, UINT32_MAX) && !number_is_taken(SET, (uint64_t)1 << 32));
    ck_assert(number_is_taken(REF_SIZE, 40) && !number_is_taken(REF_SIZE, 39));
    for (size_t i = 0; i < 3; i++)
        ck_assert(double_is_taken(shares[i], 1) && !double_is_taken(shares[i], nextafter(1, 2)) &&
                  !double_is_taken(shares[i], -1e-300) && !double_is_taken(shares[i], (double)NAN));
    for (size_t i = 0; i < 3; i++)
        ck_assert(double_is_taken(counts[i], 1e15) && !double_is_taken(counts[i], -1) &&
                  !double_is_taken(counts[i], INFINITY) && !double_is_taken(counts[i], (double)NAN));
    ck_assert(double_is_taken(LN_E, -INFINITY) && !double_is_taken(LN_E, (double)NAN));
    ck_assert(number_is_taken(PROOF, PROOF_SHA1) && !number_is_taken(PROOF, PROOFS) &&
              !number_is_taken(PROOF, (uint64_t)1 << 32));
    ck_assert(number_is_taken(PROVED, 2) && !number_is_taken(PROVED, 3) && !number_is_taken(BLOCKS, 0));
    ck_assert(number_is_taken(ALSO, UINT64_MAX) && number_is_taken(HAS_EDITS, 1));
    ck_assert(number_is_taken(HOLDERS, UINT64_MAX) && !number_is_taken(FEATURES, UINT64_MAX));
    ck_assert(!number_is_taken(RANGES, 2) && !number_is_taken(RANGES, UINT64_MAX));
    ck_assert(number_is_taken(OBJ_START, 20) && !number_is_taken(OBJ_START, 21));
    ck_assert(number_is_taken(OBJ_END, 25) && !number_is_taken(OBJ_END, 26) && !number_is_taken(OBJ_END, 9));
    ck_assert(number_is_taken(REF_START, 40) && !number_is_taken(REF_START, 41));
    ck_assert(number_is_taken(REF_END, 50) && !number_is_taken(REF_END, 51) && !number_is_taken(REF_END, 29));
}
END_TEST

RUN_TESTS("finding", verdicts_are_looked_up_by_name, proofs_are_written_as_documented,
          span_and_matched_bytes_are_those_of_a_bitmap, findings_round_trip_through_messages,
          a_truncated_message_is_refused, a_changed_message_never_yields_an_unsound_finding,
          impossible_findings_are_refused, only_a_variant_can_have_another_order,
          the_score_is_that_of_the_manual, the_score_grows_with_what_matches_and_with_its_rarity)
