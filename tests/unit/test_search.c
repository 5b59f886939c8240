/* SPDX-License-Identifier: Apache-2.0 */
#include "base/search.h"
#include "check_main.h"

enum { MOST = 40 };

/* From the beginning, one by one. */
static size_t first_slowly(const unsigned *list, size_t from, size_t to, unsigned least)
{
    while (from < to && list[from] < least)
        from++;
    return from;
}

START_TEST(it_agrees_with_a_linear_search)
{
    unsigned list[MOST];

    for (int turn = 0; turn < 10; turn++) {
        list[0] = 1;
        for (size_t i = 1; i < MOST; i++)
            list[i] = list[i - 1] + (unsigned)(random64() % 3); /* some of them twice and more */
        for (size_t from = 0; from <= MOST; from++)
            for (size_t to = from; to <= MOST; to++)
                for (unsigned least = 0; least <= list[MOST - 1] + 1; least += 1 + least % 5)
                    ck_assert_uint_eq(SEARCH_FIRST(i, from, to, list[i] >= least),
                                      first_slowly(list, from, to, least));
    }
}
END_TEST

START_TEST(it_makes_few_comparisons_and_only_within_bounds)
{
    for (size_t want = 0; want <= 1000; want++) {
        size_t asked = 0;
        const size_t found =
            SEARCH_FIRST(i, 100, 1000, (asked++, ck_assert(i >= 100 && i < 1000), i >= want));

        ck_assert_uint_eq(found, want < 100 ? 100 : want);
        ck_assert_uint_le(asked, 10); /* 900 places: log2 is 9.8 */
    }
}
END_TEST

START_TEST(an_empty_range_gives_the_end)
{
    ck_assert_uint_eq(SEARCH_FIRST(i, 7, 7, i > 0), 7);
}
END_TEST

RUN_TESTS("search", it_agrees_with_a_linear_search, it_makes_few_comparisons_and_only_within_bounds,
          an_empty_range_gives_the_end)
