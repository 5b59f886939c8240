/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "matching.h"

/* References that resemble or contain each other. */

/* Begins a test of a text and copies of it, which are yet to be changed and added to the set. */
static void begin_copies(struct bytes *copies, size_t count, size_t len)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    copies[0] = text(len);
    for (size_t i = 1; i < count; i++)
        copies[i] = copy_of(copies[0], 0, len);
}

static void end_copies(struct bytes *copies, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(copies[i].data);
    end_test();
}

START_TEST(the_best_of_several_near_copies_is_reported_and_the_others_are_counted)
{
    enum { COPIES = 12 };
    struct bytes copies[COPIES], bytes = random_bytes(150000);

    begin_copies(copies, COPIES, 30000);
    for (size_t i = 1; i < COPIES; i++)
        substitute(copies[i], 3 * i);
    for (size_t i = COPIES; i > 0; i--)
        add_file(0, copies[i - 1]);
    begin_scan(false);
    put(bytes, 70001, copies[0]);
    for (int all = 0; all < 2; all++) {
        const struct findings *findings;
        bool seen[COPIES + 1] = {false};

        fixture.plan.matching.all_references = all;
        next_scanner();
        findings = scan(bytes);
        assert_embedded(&findings->list[0], 0, copies[0], 70001);
        ck_assert_uint_eq(findings->count, all ? COPIES : 1);
        ck_assert_uint_eq(findings->list[0].also, all ? 0 : COPIES - 1);
        for (size_t i = 0; i < findings->count; i++) {
            ck_assert_uint_le(findings->list[i].file, COPIES);
            ck_assert(!seen[findings->list[i].file]);
            seen[findings->list[i].file] = true;
        }
    }
    free(bytes.data);
    end_copies(copies, COPIES);
}
END_TEST

/* Begins a test whose set has the part and the whole that it lies in. */
static void begin_nested(struct bytes part, struct bytes whole, size_t pos, unsigned strangers)
{
    put(whole, pos, part);
    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, strangers);
    add_file(0, part);
    add_file(0, whole);
    begin_scan(false);
}

START_TEST(a_small_file_inside_a_large_one_is_reported_with_it)
{
    struct bytes small = random_bytes(40000), large = random_bytes(100000), bytes = random_bytes(400000);
    const struct findings *findings;

    begin_nested(small, large, 50000, 0);
    put(bytes, 123456, large);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, large, 123456);
    assert_embedded(&findings->list[1], 0, small, 173456);
    free(small.data);
    free(large.data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(the_right_one_of_many_near_copies_with_equal_samples_is_reported)
{
    enum { COPIES = 200 };
    struct bytes copies[COPIES], bytes = random_bytes(150000);

    begin_copies(copies, COPIES, 20000);
    for (size_t i = 1; i < COPIES; i++)
        copies[i].data[i * 97] ^= 1;
    for (size_t i = 0; i < COPIES; i++)
        add_file(0, copies[i]);
    begin_scan(false);
    for (size_t i = 0; i < COPIES; i += 39) {
        const struct findings *findings;

        put(bytes, 70001, copies[i]);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 1);
        assert_embedded(&findings->list[0], 0, copies[i], 70001);
        ck_assert_uint_eq(findings->list[0].also, COPIES - 1);
    }
    free(bytes.data);
    end_copies(copies, COPIES);
}
END_TEST

/* Enough that none of their samples is rare. */
enum { VERSIONS = 100, VERSION_LEN = 30000 };
static struct bytes versions[VERSIONS];

static void add_versions(size_t set)
{
    for (size_t i = 0; i < VERSIONS; i++) {
        versions[i] = i ? copy_of(versions[i - 1], 0, VERSION_LEN) : text(VERSION_LEN);
        versions[i].data[random_below(VERSION_LEN)] ^= 1;
        add_file(set, versions[i]);
    }
}

static void free_versions(void)
{
    for (size_t i = 0; i < VERSIONS; i++)
        free(versions[i].data);
}

/* Begins a test of a set of all versions and another file. */
static void begin_versions(struct bytes other)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    add_versions(0);
    add_file(0, other);
    begin_scan(false);
}

START_TEST(one_of_a_hundred_versions_is_found_beside_another_file)
{
    struct bytes other = random_bytes(30000), bytes = random_bytes(200000);
    const struct findings *findings;

    begin_versions(other);
    put(bytes, 50001, versions[57]);
    put(bytes, 120001, other);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, other, 120001); /* what one reference has says more */
    assert_embedded(&findings->list[1], 0, versions[57], 50001);
    free_versions();
    free(other.data);
    free(bytes.data);
    end_test();
}
END_TEST

/* All of one origin, so that most of the content of one is in very many. */
START_TEST(a_version_of_one_of_many_is_reported)
{
    enum { SIBLINGS = 70, LEN = 30000 };
    struct bytes origin = text(LEN), siblings[SIBLINGS];

    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 60);
    for (size_t i = 0; i < SIBLINGS; i++) {
        siblings[i] = copy_of(origin, 0, LEN);
        substitute(siblings[i], 6);
        add_file(0, siblings[i]);
    }
    begin_scan(false);
    for (size_t i = 0; i < SIBLINGS; i++) {
        struct bytes bytes = copy_of(siblings[i], 0, LEN);

        substitute(bytes, 20);
        ck_assert_uint_ge(scan(bytes)->count, 1);
        ck_assert_int_eq(fixture.parts[0].findings.list[0].verdict, VERDICT_VARIANT);
        free(bytes.data);
    }
    for (size_t i = 0; i < SIBLINGS; i++)
        free(siblings[i].data);
    free(origin.data);
    end_test();
}
END_TEST

START_TEST(a_part_of_a_hundred_versions_names_one_of_them)
{
    struct bytes other = random_bytes(30000), bytes = random_bytes(200000), part;
    const struct findings *findings;

    begin_versions(other);
    part = copy_of(versions[57], 8000, 14000);
    put(bytes, 50001, part);
    put(bytes, 120001, other);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, other, 120001);
    ck_assert_int_eq(findings->list[1].verdict, VERDICT_FRAGMENT);
    ck_assert_uint_eq(findings->list[1].also, VERSIONS - 1);
    free_versions();
    free(part.data);
    free(other.data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(a_complete_file_is_reported_although_more_of_another_one_matches)
{
    struct bytes whole = text(30000), more = random_bytes(15000), longer = new_bytes(45000),
                 bytes = random_bytes(200000);
    const struct findings *findings;
    bool reported = false;

    put(longer, 0, whole);
    substitute(longer, 300);
    put(longer, 30000, more);
    begin_test();
    new_set(REFSET_NOTABLE);
    add_file(0, whole);
    add_file(0, longer);
    begin_scan(false);
    put(bytes, 70001, whole);
    put(bytes, 100001, more);
    findings = scan(bytes);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].file == file_of(0, whole)) {
            assert_embedded(&findings->list[i], 0, whole, 70001);
            reported = true;
        }
    ck_assert(reported);
    free(whole.data);
    free(more.data);
    free(longer.data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(with_all_references_those_inside_a_larger_one_are_reported_too)
{
    struct bytes small = random_bytes(2000), large = random_bytes(300000), bytes = random_bytes(1000000);
    const struct findings *findings;

    begin_nested(small, large, 250000, 20);
    fixture.plan.matching.all_references = true;
    next_scanner();
    put(bytes, 300001, large);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, large, 300001);
    assert_embedded(&findings->list[1], 0, small, 550001);
    findings = scan(large); /* of itself nothing more is said than that */
    ck_assert_uint_eq(findings->count, 2);
    assert_identical(&findings->list[0], 0, large);
    assert_embedded(&findings->list[1], 0, small, 250000);
    free(small.data);
    free(large.data);
    free(bytes.data);
    end_test();
}
END_TEST

RUN_TESTS("matcher_copies", the_best_of_several_near_copies_is_reported_and_the_others_are_counted,
          a_small_file_inside_a_large_one_is_reported_with_it,
          the_right_one_of_many_near_copies_with_equal_samples_is_reported,
          one_of_a_hundred_versions_is_found_beside_another_file, a_version_of_one_of_many_is_reported,
          a_part_of_a_hundred_versions_names_one_of_them,
          a_complete_file_is_reported_although_more_of_another_one_matches,
          with_all_references_those_inside_a_larger_one_are_reported_too)
