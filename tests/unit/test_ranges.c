/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/ranges.h"
#include "check_main.h"

/* The twin: a byte for each byte. */
enum { LEN = 400 };
static uint8_t there[LEN];

static void assert_same(const struct ranges *ranges)
{
    size_t at = 0, wrong = 0;

    for (size_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->list[i];

        ck_assert_uint_gt(range->len, 0);
        for (; at < range->start; at++)
            wrong += there[at] != 0;
        for (; at < range->start + range->len; at++)
            wrong += there[at] != 1;
        if (i > 0) /* joined where they touch */
            ck_assert_uint_gt(range->start, range[-1].start + range[-1].len);
    }
    for (; at < LEN; at++)
        wrong += there[at] != 0;
    ck_assert_uint_eq(wrong, 0);
}

START_TEST(inserting_keeps_a_sorted_list_without_overlaps)
{
    for (int round = 0; round < 300; round++) {
        struct ranges ranges = {0};

        memset(there, 0, sizeof there);
        for (int i = 0; i < 40; i++) {
            const uint64_t start = random64() % LEN, most = LEN - start,
                           len = random64() % (most < 20 ? most + 1 : 20);

            ck_assert_int_eq(ranges_insert(&ranges, start, len), 0);
            memset(there + start, 1, len);
            assert_same(&ranges);
        }
        ranges_release(&ranges);
    }
}
END_TEST

/* Everything is covered; nothing else, unless there were too many ranges. */
START_TEST(covering_respects_the_limit_on_ranges_and_loses_nothing)
{
    int cut = 0;

    for (int round = 0; round < 300; round++) {
        const size_t most = 1 + random64() % 20;
        struct ranges ranges = {0}, exact = {0};

        ck_assert_int_eq(ranges_reserve(&ranges), 0);
        for (int i = 0; i < 40; i++) {
            const uint64_t start = random64() % LEN, len = random64() % 4;
            const bool was_exact = ranges_overlap(&ranges, 0, LEN + 4) == ranges_overlap(&exact, 0, LEN + 4);

            ck_assert_int_eq(ranges_insert(&exact, start, len), 0);
            ranges_cover(&ranges, start, len, most);
            ck_assert_uint_le(ranges.count, most);
            for (size_t k = 0; k < exact.count; k++)
                ck_assert_uint_eq(ranges_overlap(&ranges, exact.list[k].start, exact.list[k].len),
                                  exact.list[k].len);
            if (was_exact && exact.count <= most)
                ck_assert_uint_eq(ranges_overlap(&ranges, 0, LEN + 4), ranges_overlap(&exact, 0, LEN + 4));
            cut += exact.count > most;
        }
        ranges_release(&ranges);
        ranges_release(&exact);
    }
    ck_assert_int_gt(cut, 100);
}
END_TEST

START_TEST(sorting_agrees_with_inserting)
{
    for (int round = 0; round < 300; round++) {
        struct ranges ranges = {0};

        memset(there, 0, sizeof there);
        for (uint64_t i = random64() % 100; i > 0; i--) {
            const uint64_t start = random64() % (LEN - 9), len = 1 + random64() % 9;

            ck_assert_int_eq(ranges_add(&ranges, start, len), 0);
            memset(there + start, 1, len);
        }
        ranges_sort(&ranges);
        assert_same(&ranges);
        ranges_release(&ranges);
    }
}
END_TEST

START_TEST(overlap_counts_the_bytes_of_both)
{
    struct ranges ranges = {0};

    memset(there, 0, sizeof there);
    for (int i = 0; i < 12; i++) {
        const uint64_t start = random64() % (LEN - 20), len = 1 + random64() % 20;

        ck_assert_int_eq(ranges_insert(&ranges, start, len), 0);
        memset(there + start, 1, len);
    }
    for (uint64_t start = 0; start <= LEN; start += 3)
        for (uint64_t end = start; end <= LEN; end += 7) {
            uint64_t sum = 0;

            for (uint64_t at = start; at < end; at++)
                sum += there[at];
            ck_assert_uint_eq(ranges_overlap(&ranges, start, end - start), sum);
        }
    ranges_release(&ranges);
}
END_TEST

RUN_TESTS("ranges", inserting_keeps_a_sorted_list_without_overlaps,
          covering_respects_the_limit_on_ranges_and_loses_nothing, sorting_agrees_with_inserting,
          overlap_counts_the_bytes_of_both)
