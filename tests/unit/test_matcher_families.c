/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "matching.h"
#include "set/keep.h"

/* Content that very many references have: near-copies of one file, or files that have nothing else in
 * common. */

/* LOOSE: bytes by which a range may be too long. */
enum { LEN = 20000, COUNTS = 3, LOOSE = 64, OBJECT_LEN = 40000 };

static const size_t counts[COUNTS] = {70, 300, 1000};

/* Adds near-copies of a file, which differ from it in a few bytes or lack a few. */
static void add_copies(size_t set, struct bytes file, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bytes copy = copy_of(file, 0, file.len);

        substitute(copy, 1 + random_below(5));
        if (i % 3 == 0) {
            const size_t at = random_below(file.len - 100), gone = 1 + random_below(90);

            memmove(copy.data + at, copy.data + at + gone, file.len - at - gone);
            copy.len -= gone;
        }
        add_file(set, copy);
        free(copy.data);
    }
}

/* A set of a text, and this many near-copies of it. */
static struct bytes begin_family(size_t count)
{
    struct bytes file = text(LEN);

    begin_test();
    new_set(REFSET_NOTABLE);
    add_file(0, file);
    add_copies(0, file, count);
    begin_scan(false);
    return file;
}

/* One finding, which counts the copies: not all of them have all samples. */
static const struct finding *only_finding(struct bytes object, size_t copies)
{
    const struct findings *findings = scan(object);

    ck_assert_uint_eq(findings->count, 1);
    ck_assert_uint_le(findings->list[0].also, copies);
    ck_assert_uint_ge(findings->list[0].also, copies * 9 / 10);
    return &findings->list[0];
}

static void assert_piece_found(struct bytes file, size_t len, size_t copies)
{
    struct bytes object = random_bytes(40000), piece = copy_of(file, 7001, 7001 + len);
    const struct finding *finding;

    put(object, 11003, piece);
    finding = only_finding(object, copies);
    ck_assert_int_eq(finding->verdict, VERDICT_FRAGMENT);
    ck_assert_uint_ge(finding->span.obj_start, 11003 - LOOSE);
    ck_assert_uint_le(finding->span.obj_end, 11003 + len + LOOSE);
    ck_assert_uint_ge(finding->matched, len / 2);
    free(piece.data);
    free(object.data);
}

static void check_pieces(size_t copies)
{
    struct bytes file = begin_family(copies);

    assert_piece_found(file, 2048, copies);
    assert_piece_found(file, 8192, copies);
    free(file.data);
    end_test();
}

START_TEST(a_piece_of_one_of_many_near_copies_is_found_and_their_number_stated)
{
    for (size_t i = 0; i < COUNTS; i++, next_scanner())
        check_pieces(counts[i]);
}
END_TEST

static void check_wholes(size_t copies)
{
    struct bytes file = begin_family(copies), object = random_bytes(60000), variant = copy_of(file, 0, LEN);

    put(object, 30007, file);
    ck_assert_int_eq(only_finding(object, copies)->verdict, VERDICT_EMBEDDED);
    substitute(variant, 20);
    ck_assert_int_eq(only_finding(variant, copies)->verdict, VERDICT_VARIANT);
    free(object.data);
    free(variant.data);
    free(file.data);
    end_test();
}

START_TEST(one_of_many_near_copies_is_found_in_another_file_and_as_a_variant)
{
    for (size_t i = 0; i < COUNTS; i++, next_scanner())
        check_wholes(counts[i]);
}
END_TEST

/* Files that have nothing in common but the part, which lies anywhere in them. */
static void add_holders(size_t set, struct bytes part, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bytes file = random_bytes(LEN);

        put(file, random_below(LEN - part.len), part);
        add_file(set, file);
        free(file.data);
    }
}

static void check_boilerplate(size_t copies)
{
    struct bytes part = text(4000), object = random_bytes(40000);

    begin_test();
    new_set(REFSET_NOTABLE);
    add_holders(0, part, copies);
    begin_scan(false);
    put(object, 20001, part);
    assert_nothing(object, VERDICT_NONE);
    free(part.data);
    free(object.data);
    end_test();
}

START_TEST(a_part_that_many_unrelated_files_share_is_no_finding)
{
    for (size_t i = 0; i < COUNTS; i++, next_scanner())
        check_boilerplate(counts[i]);
}
END_TEST

static void check_all(size_t copies)
{
    struct bytes file = begin_family(copies), object = random_bytes(40000),
                 piece = copy_of(file, 7001, 7001 + 8192);
    const struct findings *findings;

    put(object, 11003, piece);
    fixture.plan.matching.all_references = true;
    findings = scan(object);
    if (copies > REFSET_DEFAULT_COMMON) {
        ck_assert_uint_ge(findings->count, KEEP_MOST / 2);
        ck_assert_uint_ge(findings->list[0].also, copies * 9 / 10);
    } else {
        ck_assert_uint_ge(findings->count, copies * 9 / 10);
        ck_assert_uint_eq(findings->list[0].also, 0);
    }
    free(piece.data);
    free(object.data);
    free(file.data);
    end_test();
}

START_TEST(with_all_references_near_copies_are_counted_only_if_they_are_not_listed)
{
    for (size_t i = 0; i < COUNTS; i++, next_scanner())
        check_all(counts[i]);
}
END_TEST

/* ---- copies of anything, added to any set ---- */

/* Marks the bytes that findings of a set explain. */
static void mark_bytes(const struct finding *finding, uint8_t *marks, uint8_t mark)
{
    for (size_t i = 0; i < finding->range_count; i++)
        for (uint64_t at = finding->ranges[i].obj_start; at < finding->ranges[i].obj_end; at++)
            marks[at] |= mark;
}

/* Requires that findings of set 1 explain nine tenths of what this one, of set 0, does. */
static void assert_kept(const struct findings *findings, const struct finding *finding)
{
    static uint8_t marks[OBJECT_LEN];
    uint64_t kept = 0;

    memset(marks, 0, sizeof marks);
    mark_bytes(finding, marks, 1);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].set == 1)
            mark_bytes(&findings->list[i], marks, 2);
    for (size_t at = 0; at < OBJECT_LEN; at++)
        kept += marks[at] == 3;
    ck_assert_uint_ge(10 * kept, 9 * finding->matched);
}

/* Files that share parts with each other, and copies of some of them in the second set only. */
static void add_both(struct bytes *files, size_t count, struct bytes shared)
{
    for (size_t i = 0; i < count; i++) {
        files[i] = i % 2 ? text(LEN) : random_bytes(LEN);
        if (i % 3 == 0)
            put(files[i], random_below(LEN - shared.len), shared);
        add_file(0, files[i]);
        add_file(1, files[i]);
    }
}

START_TEST(copies_of_references_remove_no_finding)
{
    enum { FILES = 40 };
    static struct bytes files[FILES];
    struct bytes shared = text(3000);
    size_t found = 0;

    begin_test();
    new_set(REFSET_NOTABLE);
    new_set(REFSET_NOTABLE);
    add_both(files, FILES, shared);
    for (size_t i = 0; i < 3; i++)
        add_copies(1, files[random_below(FILES)], 20 + random_below(400));
    add_copies(1, files[0], 300);
    begin_scan(false);
    for (size_t i = 0; i < FILES; i++) {
        struct bytes object = random_bytes(OBJECT_LEN), piece = copy_of(files[i], 2000, 8000);
        const struct findings *findings;

        put(object, 9000, piece);
        put(object, 25000, shared);
        findings = scan(object);
        for (size_t k = 0; k < findings->count; k++)
            if (findings->list[k].set == 0) {
                assert_kept(findings, &findings->list[k]);
                found++;
            }
        free(piece.data);
        free(object.data);
    }
    ck_assert_uint_ge(found, FILES);
    for (size_t i = 0; i < FILES; i++)
        free(files[i].data);
    free(shared.data);
    end_test();
}
END_TEST

RUN_TESTS("matcher_families", a_piece_of_one_of_many_near_copies_is_found_and_their_number_stated,
          one_of_many_near_copies_is_found_in_another_file_and_as_a_variant,
          a_part_that_many_unrelated_files_share_is_no_finding,
          with_all_references_near_copies_are_counted_only_if_they_are_not_listed,
          copies_of_references_remove_no_finding)
