/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "compare/verdict.h"

/* The rules by themselves, at the thresholds that kith-scan(1) and kith-compare(1) state. */

/* ---- two contents side by side ---- */

static enum compare_verdict verdict_of(struct record a, struct record b, struct estimate estimate,
                                       struct comparison *out)
{
    *out = (struct comparison){.c = 64, .estimate = estimate};
    verdict_of_pair(&a, &b, out);
    return out->verdict;
}

/* Contents that share samples, with these shares. */
static struct comparison compare_shares(struct record a, struct record b, uint64_t shared, double a_in_b,
                                        double b_in_a, enum compare_verdict wanted)
{
    const struct estimate estimate = {.shared = shared, .a_in_b = a_in_b, .b_in_a = b_in_a};
    struct comparison out;

    ck_assert_int_eq(verdict_of(a, b, estimate, &out), wanted);
    return out;
}

START_TEST(one_side_nearly_all_in_the_other_is_embedded_even_without_ranges)
{
    const struct record large = {.len = 100000, .count = 1500}, small = {.len = 4000, .count = 60};
    struct comparison out;

    out = compare_shares(large, small, 50, 0.03, 0.8, COMPARE_EMBEDDED);
    ck_assert(out.b_in_a && !out.a_in_b);
    out = compare_shares(small, large, 50, 0.8, 0.03, COMPARE_EMBEDDED);
    ck_assert(out.a_in_b && !out.b_in_a);
    out = compare_shares(large, small, 50, 0.03, 0.79, COMPARE_FRAGMENT);
    ck_assert(!out.a_in_b && !out.b_in_a);
}
END_TEST

START_TEST(few_shared_samples_or_a_share_due_to_chance_are_nothing)
{
    const struct record one = {.len = 100000, .count = 1500}, other = {.len = 90000, .count = 1400};

    compare_shares(one, other, 3, 0.02, 0.02, COMPARE_NONE);
    compare_shares(one, other, 4, 0.002, 0.01, COMPARE_NONE);
    compare_shares(one, other, 4, 0.002, 0.02, COMPARE_FRAGMENT);
    compare_shares(one, other, 4, 0.02, 0.002, COMPARE_FRAGMENT);
}
END_TEST

START_TEST(half_of_each_makes_a_variant_if_samples_agree)
{
    const struct record a = {.len = 1000, .count = 100}, b = {.len = 1200, .count = 100};
    struct estimate_range range = {0, 500, 0, 600, .anchors = 2};
    struct estimate e = {
        .ranges = &range, .range_count = 1, .a_matched = 500, .b_matched = 600, .shared = 10, .b_in_a = 0.05};
    struct comparison out;

    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_VARIANT);
    e.b_in_a = 0.04;
    e.a_in_b = 0.05;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_VARIANT);
    e.a_in_b = 0.04;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    e.b_in_a = 0.05;
    e.b_matched = 599;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    e.b_matched = 960;
    e.a_matched = 499;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_EMBEDDED);
    ck_assert(out.b_in_a);
    e.resemblance = 0.5;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_VARIANT);
}
END_TEST

/* Repetitive content has the same samples however long it is. */
START_TEST(content_more_than_twice_as_long_is_no_variant_by_its_samples)
{
    const struct record once = {.len = 1000, .count = 100}, twice = {.len = 2001, .count = 100},
                        more = {.len = 2002, .count = 100};
    const struct estimate e = {.shared = 60, .resemblance = 0.6, .a_in_b = 0.7, .b_in_a = 0.7};
    struct comparison out;

    ck_assert_int_eq(verdict_of(once, twice, e, &out), COMPARE_VARIANT);
    ck_assert_int_eq(verdict_of(twice, once, e, &out), COMPARE_VARIANT);
    ck_assert_int_eq(verdict_of(once, more, e, &out), COMPARE_FRAGMENT);
    ck_assert_int_eq(verdict_of(more, once, e, &out), COMPARE_FRAGMENT);
}
END_TEST

START_TEST(half_of_each_with_some_of_it_moved_is_in_another_order)
{
    const struct record a = {.len = 1000, .count = 100}, b = {.len = 1200, .count = 100},
                        longer = {.len = 2002, .count = 100};
    const struct estimate half = {
        .shared = 50, .resemblance = 0.34, .a_in_b = 0.5, .b_in_a = 0.5, .single = 80, .in_order = 68};
    struct estimate e = half;
    struct comparison out;

    ck_assert_int_eq(verdict_of(a, b, half, &out), COMPARE_VARIANT);
    ck_assert(out.reordered);
    e.in_order = 69;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    ck_assert(!out.reordered);
    e = half;
    e.b_in_a = 0.49;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    ck_assert_int_eq(verdict_of(b, a, e, &out), COMPARE_FRAGMENT);
    e = half;
    e.single = 11;
    e.in_order = 1;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    e.single = 20;
    e.in_order = 13;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    e.in_order = 12;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_VARIANT);
    ck_assert_int_eq(verdict_of(a, longer, half, &out), COMPARE_FRAGMENT);
    ck_assert(!out.reordered);
    /* content that repeats: a third of what both have occurs once in each */
    e = half;
    e.shared = 240;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_VARIANT);
    e.shared = 241;
    ck_assert_int_eq(verdict_of(a, b, e, &out), COMPARE_FRAGMENT);
    ck_assert(!out.reordered);
}
END_TEST

/* ---- an object and a reference ---- */

enum { REF = 100000, OBJ = 110000, REF_C = 128 };

/* Ranges as {object, reference, length}; no edits within them. */
struct piece {
    uint64_t obj, ref, len;
};

static enum verdict find_as(bool whole, uint64_t obj_size, bool range_only, const struct piece *pieces,
                            size_t count, struct finding *finding)
{
    const struct comparison comparison = {.verdict = COMPARE_VARIANT};
    const struct verdict_case c = {.comparison = &comparison,
                                   .whole = whole,
                                   .range_only = range_only,
                                   .low = -1000,
                                   .high = 1000,
                                   .obj_size = obj_size,
                                   .ref_size = REF,
                                   .ref_c = REF_C};
    enum verdict verdict;

    *finding = (struct finding){.ref_size = REF};
    ck_assert_int_eq(finding_resize(finding, count, NULL), 0);
    for (size_t i = 0; i < count; i++)
        finding->ranges[i] = (struct finding_range){pieces[i].obj, pieces[i].obj + pieces[i].len,
                                                    pieces[i].ref, pieces[i].ref + pieces[i].len};
    finding_measure(finding);
    verdict = verdict_of_finding(&c, finding);
    free(finding->ranges);
    return verdict;
}

static enum verdict find(uint64_t obj_size, bool range_only, const struct piece *pieces, size_t count,
                         struct finding *finding)
{
    return find_as(true, obj_size, range_only, pieces, count, finding);
}

static enum verdict find_one(uint64_t obj_size, uint64_t obj, uint64_t ref, uint64_t len)
{
    struct finding finding;

    return find(obj_size, false, &(struct piece){obj, ref, len}, 1, &finding);
}

START_TEST(a_reference_with_other_content_before_and_after_it_is_embedded)
{
    ck_assert_int_eq(find_one(OBJ, 5000, 0, REF), VERDICT_EMBEDDED);
    ck_assert_int_eq(find_one(OBJ, 0, 0, REF), VERDICT_VARIANT); /* added at one end: a newer version */
    ck_assert_int_eq(find_one(OBJ, OBJ - REF, 0, REF), VERDICT_VARIANT);
}
END_TEST

/* The object has nothing else: cut out of it, or a tenth of it cut off. */
START_TEST(an_object_that_lacks_both_ends_of_the_reference_is_a_fragment)
{
    ck_assert_int_eq(find_one(98000, 0, 1000, 98000), VERDICT_FRAGMENT);
    ck_assert_int_eq(find_one(99000, 0, 1000, 99000), VERDICT_VARIANT); /* except for a lost beginning */
    ck_assert_int_eq(find_one(99000, 0, 0, 99000), VERDICT_VARIANT);
    ck_assert_int_eq(find_one(90000, 0, 0, 90000), VERDICT_FRAGMENT);
    ck_assert_int_eq(find_one(90000, 0, 10000, 90000), VERDICT_FRAGMENT);
    ck_assert_int_eq(find_one(91000, 0, 0, 91000), VERDICT_VARIANT);
    ck_assert_int_eq(find_one(103000, 2500, 1000, 98000), VERDICT_FRAGMENT); /* little else: a twentieth */
    ck_assert_int_eq(find_one(110000, 6000, 1000, 98000), VERDICT_VARIANT);
}
END_TEST

/* Of two ranges on one diagonal the longer may come last. */
START_TEST(ranges_on_one_diagonal_are_one_piece)
{
    static const struct piece pieces[2][2] = {{{5000, 0, 30000}, {35001, 30001, 69999}},
                                              {{5000, 0, 69999}, {75000, 70000, 30000}}};
    struct finding finding;

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(find(OBJ, false, pieces[i], 2, &finding), VERDICT_EMBEDDED);
        ck_assert_uint_eq(finding.range_count, 1);
        ck_assert_uint_eq(finding.span.obj_start, 5000);
        ck_assert_uint_eq(finding.span.obj_end, 5000 + REF);
        ck_assert_uint_eq(finding.span.ref_start, 0);
        ck_assert_uint_eq(finding.span.ref_end, REF);
    }
}
END_TEST

/* Unless all of it lies in one place, too; and free space has no order of its own. */
START_TEST(content_in_another_order_is_a_variant_with_all_its_ranges)
{
    const struct comparison comparison = {.verdict = COMPARE_VARIANT, .reordered = true};
    struct verdict_case c = {.comparison = &comparison, .whole = true, .obj_size = OBJ, .ref_size = REF};
    struct finding_range ranges[] = {{0, 1000, 50000, 51000}, {5000, 98000, 1000, 94000}};
    struct finding finding = {.ref_size = REF, .ranges = ranges, .range_count = 2};

    finding_measure(&finding);
    ck_assert(verdict_is_reordered(&c));
    ck_assert_int_eq(verdict_of_finding(&c, &finding), VERDICT_VARIANT);
    ck_assert(finding.reordered);
    ck_assert_uint_eq(finding.range_count, 2);
    c.range_only = true;
    ck_assert(!verdict_is_reordered(&c));
    verdict_of_finding(&c, &finding);
    ck_assert(!finding.reordered);
    c = (struct verdict_case){.comparison = &comparison, .obj_size = OBJ, .ref_size = REF};
    ck_assert(!verdict_is_reordered(&c));
    c.whole = true;
    ranges[0] = (struct finding_range){0, REF, 0, REF};
    finding.range_count = 1;
    finding.proof = PROOF_SHA1;
    ck_assert_int_eq(verdict_of_finding(&c, &finding), VERDICT_VARIANT);
    ck_assert(!finding.reordered);
}
END_TEST

START_TEST(a_piece_far_from_the_longest_one_keeps_it_a_variant)
{
    static const struct piece pieces[] = {{5000, 0, 80000}, {86000, 80000, 20000}};
    struct finding finding;

    ck_assert_int_eq(find(OBJ, false, pieces, 2, &finding), VERDICT_VARIANT);
    ck_assert_uint_eq(finding.range_count, 2);
}
END_TEST

/* In a large object: the other half, far away, belongs to something else, or is repetition. */
START_TEST(four_fifths_of_a_reference_in_one_place_are_embedded)
{
    static const struct piece most[] = {{0, 0, 79000}, {81000, 80000, 1000}, {500000, 90000, 10000}},
                              half[] = {{0, 0, 50000}, {500000, 50000, 50000}};
    struct finding finding;

    ck_assert_int_eq(find_as(false, 1000000, false, most, 3, &finding), VERDICT_EMBEDDED);
    ck_assert_uint_eq(finding.range_count, 2);
    ck_assert_uint_eq(finding.span.obj_end, 82000);
    ck_assert_int_eq(find_as(false, 1000000, false, half, 2, &finding), VERDICT_FRAGMENT);
    ck_assert_uint_eq(finding.range_count, 2);
}
END_TEST

/* Free space has no ends of its own. */
START_TEST(in_free_space_a_whole_reference_is_embedded_and_less_is_a_fragment)
{
    static const struct piece all = {0, 0, REF}, most = {0, 0, 99000};
    struct finding finding;

    ck_assert_int_eq(find(OBJ, true, &all, 1, &finding), VERDICT_EMBEDDED);
    ck_assert_int_eq(find(OBJ, true, &most, 1, &finding), VERDICT_FRAGMENT);
}
END_TEST

START_TEST(a_whole_file_extended_at_one_end_is_a_variant)
{
    const struct finding_range first = {0, 1000, 0, 1000}, later = {1, 1001, 0, 1000},
                               last = {1000, 2000, 0, 1000};

    ck_assert_int_eq(verdict_of_whole(&first, 2001, false), VERDICT_VARIANT);
    ck_assert_int_eq(verdict_of_whole(&first, 2002, false), VERDICT_EMBEDDED); /* more than half differs */
    ck_assert_int_eq(verdict_of_whole(&first, 2000, true), VERDICT_EMBEDDED);
    ck_assert_int_eq(verdict_of_whole(&last, 2000, false), VERDICT_VARIANT);
    ck_assert_int_eq(verdict_of_whole(&later, 2000, false), VERDICT_EMBEDDED);
}
END_TEST

/* A sixteenth of the reference and 256 bytes, at most 4,096 and these, off the diagonals. */
START_TEST(near_is_a_share_of_the_reference)
{
    struct verdict_case c = {.low = -10, .high = 20, .ref_size = 1600};

    ck_assert(verdict_lies_near(&c, 20 + 356) && !verdict_lies_near(&c, 20 + 357));
    ck_assert(verdict_lies_near(&c, -10 - 356) && !verdict_lies_near(&c, -10 - 357));
    c.ref_size = 1 << 30;
    ck_assert(verdict_lies_near(&c, 20 + 4352) && !verdict_lies_near(&c, 20 + 4353));
}
END_TEST

RUN_TESTS("verdict", one_side_nearly_all_in_the_other_is_embedded_even_without_ranges,
          few_shared_samples_or_a_share_due_to_chance_are_nothing,
          half_of_each_makes_a_variant_if_samples_agree,
          content_more_than_twice_as_long_is_no_variant_by_its_samples,
          half_of_each_with_some_of_it_moved_is_in_another_order,
          a_reference_with_other_content_before_and_after_it_is_embedded,
          an_object_that_lacks_both_ends_of_the_reference_is_a_fragment, ranges_on_one_diagonal_are_one_piece,
          content_in_another_order_is_a_variant_with_all_its_ranges,
          a_piece_far_from_the_longest_one_keeps_it_a_variant,
          four_fifths_of_a_reference_in_one_place_are_embedded,
          in_free_space_a_whole_reference_is_embedded_and_less_is_a_fragment,
          a_whole_file_extended_at_one_end_is_a_variant, near_is_a_share_of_the_reference)
