/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "matching.h"

/* Objects that have the content of a reference in another order. */

enum { LEN = 20000, LONG = 4 << 20, MOST_PIECES = LONG / 256 + LEN };

/* The pieces of a file, as offsets. */
struct pieces {
    struct bytes whole;
    size_t starts[MOST_PIECES + 1];
    size_t count;
};

static struct pieces pieces;

static void cut_blocks(struct bytes bytes, size_t size)
{
    pieces.whole = bytes;
    pieces.count = 0;
    for (size_t at = 0; at < bytes.len; at += size)
        pieces.starts[pieces.count++] = at;
    pieces.starts[pieces.count] = bytes.len;
}

static void cut_lines(struct bytes bytes)
{
    pieces.whole = bytes;
    pieces.count = 0;
    for (size_t at = 0; at < bytes.len; at++)
        if (at == 0 || bytes.data[at - 1] == '\n')
            pieces.starts[pieces.count++] = at;
    pieces.starts[pieces.count] = bytes.len;
}

/* Puts the first `count` pieces together in a random order. */
static struct bytes shuffled(size_t count)
{
    struct bytes out = new_bytes(pieces.starts[count]);
    static size_t order[MOST_PIECES];
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        const size_t k = random_below(i), other = order[i - 1];

        order[i - 1] = order[k];
        order[k] = other;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t start = pieces.starts[order[i]], len = pieces.starts[order[i] + 1] - start;

        memcpy(out.data + at, pieces.whole.data + start, len);
        at += len;
    }
    return out;
}

/* The ranges ascend, and what they say is so, byte for byte. */
static void assert_ranges(const struct finding *finding, struct bytes object, struct bytes reference)
{
    uint64_t end = 0, covered = 0;

    for (size_t i = 0; i < finding->range_count; i++) {
        const struct finding_range *range = &finding->ranges[i];
        const uint64_t len = range->obj_end - range->obj_start;

        ck_assert_uint_eq(range->ref_end - range->ref_start, len);
        ck_assert_int_eq(memcmp(object.data + range->obj_start, reference.data + range->ref_start, len), 0);
        covered += range->obj_end - (range->obj_start > end ? range->obj_start : end);
        end = range->obj_end;
    }
    ck_assert_uint_eq(finding->matched, covered);
}

static void assert_reordered(struct bytes object, int file)
{
    const struct findings *findings = scan(object);
    const struct finding *finding = &findings->list[0];

    ck_assert_uint_eq(findings->count, 1);
    assert_of(finding, 0, fixture.files[file]);
    ck_assert_int_eq(finding->verdict, VERDICT_VARIANT);
    ck_assert(finding->reordered && finding->has_edits);
    ck_assert_double_ge(finding->containment, 0.5);
    ck_assert_double_le(finding->ln_e, log(1e-3));
    assert_ranges(finding, object, fixture.files[file]);
}

static void assert_not_reordered(struct bytes object)
{
    const struct findings *findings = scan(object);

    for (size_t i = 0; i < findings->count; i++)
        ck_assert(!findings->list[i].reordered);
}

START_TEST(shuffled_blocks_are_the_same_content_in_another_order)
{
    static const size_t sizes[] = {4096, 512, 128, 64};

    begin_files(LEN);
    for (int file = 0; file < 2; file++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct bytes object;

            cut_blocks(fixture.files[file], sizes[i]);
            object = shuffled(pieces.count);
            assert_reordered(object, file);
            free(object.data);
        }
    end_files();
}
END_TEST

START_TEST(shuffled_lines_are_the_same_content_in_another_order)
{
    struct bytes object;

    begin_files(LEN);
    cut_lines(fixture.files[1]);
    object = shuffled(pieces.count);
    assert_reordered(object, 1);
    fixture.current.gone = true; /* then nothing is known about its bytes */
    assert_reordered(object, 1);
    fixture.current.gone = false;
    free(object.data);
    end_files();
}
END_TEST

/* Of each 32 bytes only 21 windows of 12 remain; in a set of many references, the few samples of a block that
 * line up are no reason to compare it. */
START_TEST(it_is_found_among_many_references_even_if_nothing_lines_up)
{
    enum { REFERENCES = 1500, SMALL = 700, ROUNDS = 10 };
    size_t found = 0;

    begin_test();
    new_set(REFSET_NOTABLE);
    fixture.files[0] = random_bytes(LEN);
    fixture.files[1] = text(LEN);
    add_file(0, fixture.files[0]);
    for (size_t i = 0; i < REFERENCES; i++) {
        struct bytes small = random_bytes(SMALL);

        add_file(0, small);
        free(small.data);
    }
    begin_scan(false);
    cut_blocks(fixture.files[0], 32);
    for (int round = 0; round < ROUNDS; round++) {
        struct bytes object = shuffled(pieces.count);
        const struct findings *findings = scan(object);

        found += findings->count == 1 && findings->list[0].reordered;
        if (findings->count)
            assert_ranges(&findings->list[0], object, fixture.files[0]);
        free(object.data);
    }
    ck_assert_uint_eq(found, ROUNDS);
    end_files();
}
END_TEST

START_TEST(blocks_that_moved_are_proved_where_they_are)
{
    const size_t half = LEN / 8192 * 4096;
    struct bytes object;
    const struct finding *finding;

    begin_files(LEN);
    object = new_bytes(LEN);
    memcpy(object.data, fixture.files[1].data + half, LEN - half);
    memcpy(object.data + LEN - half, fixture.files[1].data, half);
    assert_reordered(object, 1);
    finding = &fixture.parts[0].findings.list[0];
    ck_assert_int_eq(finding->proof, PROOF_BLOCKS);
    ck_assert_uint_eq(finding->proved, finding->blocks);
    ck_assert_uint_eq(finding->range_count, 2);
    ck_assert_uint_eq(finding->matched, LEN);
    free(object.data);
    end_files();
}
END_TEST

/* A fourth of the file moves as a whole, the rest in blocks that have one sample or two. */
START_TEST(of_very_many_runs_the_longest_are_listed)
{
    const struct finding *finding;
    struct bytes object, rest, mixed;
    size_t longest = 0;

    begin_files(LONG);
    rest = copy_of(fixture.files[0], LONG / 4, LONG);
    cut_blocks(rest, 256);
    mixed = shuffled(pieces.count);
    object = new_bytes(LONG);
    put(object, 0, mixed);
    memcpy(object.data + mixed.len, fixture.files[0].data, LONG / 4);
    assert_reordered(object, 0);
    finding = &fixture.parts[0].findings.list[0];
    ck_assert_uint_le(finding->range_count, 4096);
    for (size_t i = 0; i < finding->range_count; i++) {
        const size_t len = (size_t)(finding->ranges[i].obj_end - finding->ranges[i].obj_start);

        longest = len > longest ? len : longest;
    }
    ck_assert_uint_ge(longest, LONG / 4 - 8192);
    free(rest.data);
    free(mixed.data);
    free(object.data);
    end_files();
}
END_TEST

START_TEST(edits_and_a_part_that_moved_are_no_other_order)
{
    struct bytes object;

    begin_files(LEN);
    object = copy_of(fixture.files[1], 0, LEN);
    memcpy(object.data, fixture.files[1].data + 2000, LEN - 2000);
    memcpy(object.data + LEN - 2000, fixture.files[1].data, 2000);
    assert_not_reordered(object);
    ck_assert_int_eq(fixture.parts[0].findings.list[0].verdict, VERDICT_VARIANT);
    free(object.data);
    object = copy_of(fixture.files[0], 0, LEN);
    substitute(object, LEN / 50);
    assert_not_reordered(object);
    ck_assert_int_eq(fixture.parts[0].findings.list[0].verdict, VERDICT_VARIANT);
    free(object.data);
    end_files();
}
END_TEST

/* Less than half of either is not the same content. */
START_TEST(a_part_in_another_order_is_not_all_of_it)
{
    struct bytes part, object;

    begin_files(LEN);
    cut_blocks(fixture.files[0], 100);
    part = shuffled(pieces.count * 2 / 5);
    assert_not_reordered(part);
    object = random_bytes(part.len * 5 / 2);
    put(object, part.len / 3, part);
    assert_not_reordered(object);
    free(part.data);
    free(object.data);
    end_files();
}
END_TEST

START_TEST(free_space_has_no_order_of_its_own)
{
    struct bytes object;

    begin_files(LEN);
    cut_blocks(fixture.files[0], 512);
    object = shuffled(pieces.count);
    fixture.object_flags = OBJECT_RANGE;
    assert_not_reordered(object);
    ck_assert_uint_eq(fixture.parts[0].findings.count, 1);
    fixture.object_flags = 0;
    free(object.data);
    end_files();
}
END_TEST

/* Texts made of the same few hundred words. */
START_TEST(the_same_words_are_not_the_same_content)
{
    begin_files(LEN);
    for (int round = 0; round < 20; round++) {
        struct bytes object = text(LEN);

        ck_assert_uint_eq(scan(object)->count, 0);
        free(object.data);
    }
    end_files();
}
END_TEST

RUN_TESTS("matcher_order", shuffled_blocks_are_the_same_content_in_another_order,
          shuffled_lines_are_the_same_content_in_another_order,
          it_is_found_among_many_references_even_if_nothing_lines_up,
          blocks_that_moved_are_proved_where_they_are, of_very_many_runs_the_longest_are_listed,
          edits_and_a_part_that_moved_are_no_other_order, a_part_in_another_order_is_not_all_of_it,
          free_space_has_no_order_of_its_own, the_same_words_are_not_the_same_content)
