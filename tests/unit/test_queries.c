/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "match/queries.h"

enum {
    C = 128,
    REACH = 256 * C,
    LARGE = 512 * C, /* bytes of an object in which one neighbour is not enough */
    MOST = 8,
};

static struct queries queries;
static struct error err;

static void select_from(const struct query *all, size_t count, uint64_t size, uint64_t known)
{
    const struct subject subject = {.size = size, .probed_c = C};

    ck_assert_int_eq(queries_select(&queries, &subject, all, count, 1, known, &err), 0);
}

/* pos: of queries of one set; open: for each whether it is looked up. */
static void assert_open(uint64_t size, const uint64_t *pos, size_t count, const char *open)
{
    struct query all[MOST];

    for (size_t i = 0; i < count; i++)
        all[i] = (struct query){pos[i], i, 1};
    select_from(all, count, size, 0);
    ck_assert_uint_eq(queries.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(queries.states[i], open[i] == '+' ? QUERY_OPEN : QUERY_DROPPED);
}

START_TEST(in_a_small_object_a_query_needs_a_neighbour)
{
    const uint64_t near[] = {7, 7 + REACH, 7 + 2 * REACH}, far[] = {7, 8 + REACH, 9 + 2 * REACH};

    assert_open(LARGE - 1, near, 1, "-");
    assert_open(LARGE - 1, near, 2, "++");
    assert_open(LARGE - 1, near, 3, "+++");
    assert_open(LARGE - 1, far, 3, "---");
    queries_release(&queries);
}
END_TEST

START_TEST(in_a_large_object_a_query_needs_two_neighbours)
{
    const uint64_t one_side[] = {7, 7 + REACH / 2, 7 + REACH}, both_sides[] = {7, 8, 8 + REACH},
                   far[] = {7, 8 + REACH, 9 + REACH, 10 + 2 * REACH};

    assert_open(LARGE, one_side, 1, "-");
    assert_open(LARGE, one_side, 2, "--");
    assert_open(LARGE, one_side, 3, "+++");
    assert_open(LARGE, both_sides, 3, "-+-");
    assert_open(LARGE, far, 4, "----");
    queries_release(&queries);
}
END_TEST

START_TEST(queries_of_other_sets_and_of_known_ones_are_not_selected)
{
    const struct query all[] = {{10, 5, 1}, {20, 6, 2}, {30, 7, 1 | 2}, {40, 5, 1}, {50, 8, 1 | 4}};

    select_from(all, 5, 1000, 4);
    ck_assert_uint_eq(queries.count, 3);
    ck_assert_uint_eq(queries_at(&queries, 0)->pos, 10);
    ck_assert_uint_eq(queries_at(&queries, 1)->pos, 30);
    ck_assert_uint_eq(queries_at(&queries, 2)->pos, 40);
    ck_assert_uint_eq(queries.firsts[3], 0); /* equal to the first */
    ck_assert_uint_eq(queries.firsts[2], 2);
    queries_release(&queries);
}
END_TEST

START_TEST(reopening_restores_explained_queries_to_their_earlier_state)
{
    const struct query all[] = {{10, 1, 1}, {20, 2, 1}, {30, 3, 1}};

    select_from(all, 3, 1000, 0);
    queries.states[0] = queries.states[1] = QUERY_EXPLAINED;
    queries.states[2] = QUERY_LOOKED_UP;
    queries.files[1] = 20;
    queries_reopen(&queries);
    ck_assert_int_eq(queries.states[0], QUERY_OPEN);
    ck_assert_int_eq(queries.states[1], QUERY_POSTPONED);
    ck_assert_int_eq(queries.states[2], QUERY_LOOKED_UP);
    queries_release(&queries);
}
END_TEST

RUN_TESTS("queries", in_a_small_object_a_query_needs_a_neighbour,
          in_a_large_object_a_query_needs_two_neighbours,
          queries_of_other_sets_and_of_known_ones_are_not_selected,
          reopening_restores_explained_queries_to_their_earlier_state)
