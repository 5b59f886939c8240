/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "matching.h"

/* One object and one file that it holds, as a whole or in part. */

START_TEST(the_same_file_is_identical)
{
    begin_files(30001);
    for (int i = 0; i < 2; i++) {
        const struct findings *findings = scan(fixture.files[i]);

        ck_assert_uint_eq(findings->count, 1);
        assert_identical(&findings->list[0], 0, fixture.files[i]);
        ck_assert_int_eq(fixture.parts[0].verdict, VERDICT_IDENTICAL);
        ck_assert(fixture.parts[0].digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    }
    end_files();
}
END_TEST

static void assert_variant(struct bytes bytes, int file, size_t edits)
{
    const struct findings *findings = scan(bytes);
    const struct finding *finding = &findings->list[0];

    ck_assert_uint_eq(findings->count, 1);
    assert_of(finding, 0, fixture.files[file]);
    ck_assert_int_eq(finding->verdict, VERDICT_VARIANT);
    ck_assert_int_eq(fixture.parts[0].verdict, VERDICT_VARIANT);
    ck_assert(finding->has_edits && finding->edits_low <= finding->edits &&
              finding->edits <= finding->edits_high);
    ck_assert_msg(finding->edits_low <= (double)edits && (double)edits <= finding->edits_high,
                  "%zu edits, not %g .. %g", edits, finding->edits_low, finding->edits_high);
}

START_TEST(an_edited_file_is_a_variant_with_about_that_many_edits)
{
    static const size_t edits[] = {1, 3, 10, 30001 / 100, 30001 / 10};

    begin_files(30001);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
            struct bytes bytes = copy_of(fixture.files[i], 0, fixture.files[i].len);

            substitute(bytes, edits[k]);
            assert_variant(bytes, i, edits[k]);
            if (edits[k] <= 3) { /* a few blocks are changed, the others are proved */
                const struct finding *finding = &fixture.parts[0].findings.list[0];

                ck_assert_int_eq(finding->proof, PROOF_BLOCKS);
                ck_assert_uint_eq(finding->blocks, 8);
                ck_assert_uint_ge(finding->proved, 8 - edits[k]);
                ck_assert_uint_lt(finding->proved, 8);
            }
            free(bytes.data);
        }
    end_files();
}
END_TEST

/* A run of zeros that two blocks share may be shorter or longer than in the reference: then both blocks are
 * in the object, but do not lie there one after the other. */
START_TEST(blocks_that_overlap_are_not_the_whole_file)
{
    enum { LEN = 30001, BLOCK = 4096, ZEROS = 600 };

    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 10);
    fixture.files[0] = text(LEN);
    memset(fixture.files[0].data + 2 * BLOCK - ZEROS / 2, 0, ZEROS);
    add_file(0, fixture.files[0]);
    begin_scan(false);
    for (int more = -3; more <= 3; more++) {
        struct bytes bytes = new_bytes((size_t)(LEN + more));

        memcpy(bytes.data, fixture.files[0].data, 2 * BLOCK);
        memset(bytes.data + 2 * BLOCK, 0, 3);
        memcpy(bytes.data + 2 * BLOCK + more, fixture.files[0].data + 2 * BLOCK, LEN - 2 * BLOCK);
        if (more)
            assert_variant(bytes, 0, (size_t)abs(more));
        else
            ck_assert_int_eq(scan(bytes)->list[0].verdict, VERDICT_IDENTICAL);
        free(bytes.data);
    }
    free(fixture.files[0].data);
    end_test();
}
END_TEST

START_TEST(a_file_with_swapped_halves_is_a_variant)
{
    begin_files(40000);
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = new_bytes(40000), first = copy_of(fixture.files[i], 0, 20000),
                     second = copy_of(fixture.files[i], 20000, 40000);
        const struct findings *findings;

        put(bytes, 0, second);
        put(bytes, 20000, first);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 1);
        assert_of(&findings->list[0], 0, fixture.files[i]);
        ck_assert_int_eq(findings->list[0].verdict, VERDICT_VARIANT);
        ck_assert_uint_eq(findings->list[0].also, 0); /* the other half belongs to the same reference */
        ck_assert_uint_ge(findings->list[0].matched, 36000);
        ck_assert_uint_ge(findings->list[0].proved, 7); /* of ten, those that the cut does not affect */
        free(bytes.data);
        free(first.data);
        free(second.data);
    }
    end_files();
}
END_TEST

START_TEST(a_file_in_other_content_is_found_to_the_byte)
{
    static const size_t lens[] = {1500, 4096, 4097, 20001, 150000};

    for (size_t k = 0; k < sizeof lens / sizeof *lens; k++) {
        next_scanner();
        begin_files(lens[k]);
        for (int i = 0; i < 2; i++) {
            struct bytes bytes = random_bytes(600000);
            const size_t at = 123457 + random_below(100000);
            const struct findings *findings;

            put(bytes, at, fixture.files[i]);
            findings = scan(bytes);
            ck_assert_msg(findings->count == 1, "%zu findings of %zu bytes", findings->count, lens[k]);
            assert_embedded(&findings->list[0], 0, fixture.files[i], at);
            free(bytes.data);
        }
        end_files();
    }
}
END_TEST

START_TEST(a_file_that_occurs_twice_is_found_twice)
{
    begin_files(20001);
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = random_bytes(600000);
        const struct findings *findings;
        bool second;

        put(bytes, 101, fixture.files[i]);
        put(bytes, 399999, fixture.files[i]);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 2);
        second = findings->list[0].span.obj_start > 1000;
        assert_embedded(&findings->list[second], 0, fixture.files[i], 101);
        assert_embedded(&findings->list[!second], 0, fixture.files[i], 399999);
        free(bytes.data);
    }
    end_files();
}
END_TEST

/* A file with this many copies of another one in it, at odd distances. */
static void assert_copies(struct bytes reference, size_t copies)
{
    struct bytes bytes = random_bytes(copies * (reference.len + 1501) + 5000);
    const struct findings *findings;

    for (size_t i = 0; i < copies; i++)
        put(bytes, 777 + i * (reference.len + 1501), reference);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, copies);
    for (size_t i = 0; i < copies; i++)
        assert_of(&findings->list[i], 0, reference);
    free(bytes.data);
}

START_TEST(a_file_is_found_however_often_it_occurs)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    fixture.files[0] = random_bytes(1000);
    fixture.files[1] = text(10000);
    add_file(0, fixture.files[0]);
    add_file(0, fixture.files[1]);
    begin_scan(false);
    for (size_t copies = 3; copies < 300; copies *= 3) {
        assert_copies(fixture.files[0], copies);
        assert_copies(fixture.files[1], copies);
    }
    end_files();
}
END_TEST

START_TEST(a_file_that_repeats_itself_is_found)
{
    enum { PERIOD = 4099 };
    struct bytes once = random_bytes(PERIOD), bytes = random_bytes(300000);

    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 10);
    for (size_t times = 10; times <= 40; times += 10) {
        struct bytes reference = new_bytes(times * PERIOD);

        for (size_t i = 0; i < times; i++)
            put(reference, i * PERIOD, once);
        add_file(0, reference);
        free(reference.data);
    }
    begin_scan(false);
    for (size_t times = 10; times <= 40; times += 10) {
        struct bytes holder = copy_of(bytes, 0, bytes.len);

        for (size_t i = 0; i < times; i++)
            put(holder, 50001 + i * PERIOD, once);
        ck_assert_uint_ge(scan(holder)->count, 1);
        ck_assert_int_eq(fixture.parts[0].findings.list[0].verdict, VERDICT_EMBEDDED);
        ck_assert_uint_eq(fixture.parts[0].findings.list[0].matched, times * PERIOD);
        ck_assert_double_lt(fixture.parts[0].findings.list[0].ln_e, log(1e-9));
        free(holder.data);
    }
    free(once.data);
    free(bytes.data);
    end_test();
}
END_TEST

/* Also where the object is not much longer than the reference. */
START_TEST(a_part_that_occurs_three_times_is_found_three_times)
{
    begin_files(45000);
    for (int i = 0; i < 2; i++) {
        struct bytes part = copy_of(fixture.files[i], 7000, 37000), bytes = random_bytes(180000);
        const struct findings *findings;
        bool found[3] = {false};

        for (size_t k = 0; k < 3; k++)
            put(bytes, 1000 + k * 59001, part);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 3);
        for (size_t k = 0; k < 3; k++) {
            const size_t at = (findings->list[k].span.obj_start + 10000) / 59001;

            ck_assert_uint_lt(at, 3);
            found[at] = true;
            assert_range(&findings->list[k], 1000 + at * 59001, 7000, 37000, 8 * PAIR_C);
        }
        ck_assert(found[0] && found[1] && found[2]);
        free(part.data);
        free(bytes.data);
    }
    end_files();
}
END_TEST

START_TEST(two_files_in_one_object_are_both_found)
{
    struct bytes bytes;
    const struct findings *findings;
    bool second;

    begin_files(20001);
    bytes = random_bytes(300000);
    put(bytes, 11, fixture.files[1]);
    put(bytes, 77777, fixture.files[0]);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    second = findings->list[0].span.obj_start > 1000;
    assert_embedded(&findings->list[second], 0, fixture.files[1], 11);
    assert_embedded(&findings->list[!second], 0, fixture.files[0], 77777);
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(four_kib_of_a_file_are_a_fragment)
{
    begin_files(100000);
    for (int i = 0; i < 2; i++)
        for (int alone = 0; alone < 2; alone++) {
            struct bytes piece = copy_of(fixture.files[i], 33333, 33333 + 4096),
                         bytes = alone ? copy_of(piece, 0, 4096) : random_bytes(300000);
            const size_t at = alone ? 0 : 200001;
            const struct finding *finding;

            put(bytes, at, piece);
            ck_assert_uint_eq(scan(bytes)->count, 1);
            finding = &fixture.parts[0].findings.list[0];
            assert_of(finding, 0, fixture.files[i]);
            ck_assert_int_eq(finding->verdict, VERDICT_FRAGMENT);
            ck_assert(!finding->has_edits);
            ck_assert_int_eq(finding->proof, PROOF_ESTIMATE); /* no block is whole */
            assert_range(finding, at, 33333, 33333 + 4096, 8 * PAIR_C);
            ck_assert_double_lt(finding->containment, 0.1);
            free(piece.data);
            free(bytes.data);
        }
    end_files();
}
END_TEST

START_TEST(whole_blocks_of_a_fragment_are_proved)
{
    begin_files(100000);
    for (int i = 0; i < 2; i++) {
        struct bytes piece = copy_of(fixture.files[i], 5 * BLOCKS_DEFAULT, 10 * BLOCKS_DEFAULT),
                     bytes = random_bytes(300000);
        const struct finding *finding;

        put(bytes, 54321, piece);
        ck_assert_uint_eq(scan(bytes)->count, 1);
        finding = &fixture.parts[0].findings.list[0];
        assert_of(finding, 0, fixture.files[i]);
        ck_assert_int_eq(finding->verdict, VERDICT_FRAGMENT);
        ck_assert_int_eq(finding->proof, PROOF_BLOCKS);
        ck_assert_uint_eq(finding->proved, 5);
        ck_assert_uint_eq(finding->blocks, 25);
        assert_range(finding, 54321, 5 * BLOCKS_DEFAULT, 10 * BLOCKS_DEFAULT, 0);
        free(piece.data);
        free(bytes.data);
    }
    end_files();
}
END_TEST

/* Of a sample that is not looked up only place and character are known, so one in a few thousand matches by
 * chance. */
START_TEST(chance_matches_far_from_a_fragment_are_not_part_of_it)
{
    begin_files(2000000);
    for (int i = 0; i < 2; i++)
        for (size_t from = 400001; from < 2000000; from += 700000) {
            struct bytes piece = copy_of(fixture.files[i], from, from + 8192), bytes = random_bytes(2000000);
            const struct finding *finding;

            put(bytes, from + 1000, piece);
            ck_assert_uint_eq(scan(bytes)->count, 1);
            finding = &fixture.parts[0].findings.list[0];
            assert_of(finding, 0, fixture.files[i]);
            assert_range(finding, from + 1000, from, from + 8192, 8 * PAIR_C);
            free(piece.data);
            free(bytes.data);
        }
    end_files();
}
END_TEST

START_TEST(findings_with_too_few_matching_bytes_are_not_reported)
{
    struct bytes bytes;

    begin_files(100000);
    bytes = copy_of(fixture.files[0], 33333, 33333 + 4096);
    fixture.plan.matching.least_matched = 3000;
    ck_assert_uint_eq(scan(bytes)->count, 1);
    next_scanner();
    fixture.plan.matching.least_matched = 5000;
    assert_nothing(bytes, VERDICT_NONE);
    fixture.plan.matching.least_matched = 500000;
    next_scanner();
    ck_assert_uint_eq(scan(fixture.files[0])->count, 1); /* identical */
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(findings_with_a_larger_e_are_discarded)
{
    struct bytes bytes, piece;
    double ln_e;

    begin_files(100000);
    bytes = random_bytes(300000);
    piece = copy_of(fixture.files[1], 33333, 33333 + 8192);
    put(bytes, 200001, piece);
    ck_assert_uint_eq(scan(bytes)->count, 1);
    ln_e = fixture.parts[0].findings.list[0].ln_e;
    ck_assert_double_le(ln_e, fixture.plan.matching.most_ln_e);
    fixture.plan.matching.most_ln_e = ln_e + 0.01;
    next_scanner();
    ck_assert_uint_eq(scan(bytes)->count, 1);
    ck_assert(fixture.parts[0].findings.list[0].ln_e == ln_e);
    fixture.plan.matching.most_ln_e = ln_e - 0.01;
    next_scanner();
    assert_nothing(bytes, VERDICT_NONE);
    ck_assert_uint_eq(scan(fixture.files[0])->count, 1); /* identical */
    free(bytes.data);
    free(piece.data);
    end_files();
}
END_TEST

/* A file has a beginning and an end of its own. */
START_TEST(a_file_at_the_start_of_free_space_is_embedded_in_it)
{
    static const size_t lens[] = {1500, 30000};

    for (size_t k = 0; k < 2; k++) {
        struct bytes bytes = random_bytes(lens[k] * 3 / 2);

        next_scanner();
        begin_files(lens[k]);
        put(bytes, 0, fixture.files[0]);
        for (int turn = 0; turn < 3; turn++) {
            fixture.object_flags = turn == 1 ? OBJECT_RANGE : 0;
            ck_assert_uint_eq(scan(bytes)->count, 1);
            if (fixture.object_flags)
                assert_embedded(&fixture.parts[0].findings.list[0], 0, fixture.files[0], 0);
            else
                ck_assert_int_eq(fixture.parts[0].verdict, VERDICT_VARIANT);
        }
        free(bytes.data);
        end_files();
    }
}
END_TEST

RUN_TESTS("matcher", the_same_file_is_identical, an_edited_file_is_a_variant_with_about_that_many_edits,
          blocks_that_overlap_are_not_the_whole_file, a_file_with_swapped_halves_is_a_variant,
          a_file_in_other_content_is_found_to_the_byte, a_file_that_occurs_twice_is_found_twice,
          a_file_is_found_however_often_it_occurs, a_file_that_repeats_itself_is_found,
          a_part_that_occurs_three_times_is_found_three_times, two_files_in_one_object_are_both_found,
          four_kib_of_a_file_are_a_fragment, whole_blocks_of_a_fragment_are_proved,
          chance_matches_far_from_a_fragment_are_not_part_of_it,
          findings_with_too_few_matching_bytes_are_not_reported, findings_with_a_larger_e_are_discarded,
          a_file_at_the_start_of_free_space_is_embedded_in_it)
