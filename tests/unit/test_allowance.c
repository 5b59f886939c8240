/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "evidence/allowance.h"

static bool take(struct allowance *allowance, uint64_t size)
{
    return allowance_take(allowance, &(struct object){.kind = OBJECT_MEMBER, .size = size});
}

START_TEST(a_member_costs_its_bytes_and_4_kib)
{
    struct allowance allowance = {.most = 20000};

    ck_assert(take(&allowance, 20000 - 2 * 4096) && allowance_left(&allowance) == 4096);
    ck_assert(take(&allowance, 0) && allowance_left(&allowance) == 0);
    ck_assert(!take(&allowance, 0));
    ck_assert_uint_eq(allowance_cost(2, 20000 - 2 * 4096), 20000);
}
END_TEST

START_TEST(nothing_more_of_an_object_is_taken_once_a_member_does_not_fit)
{
    struct allowance allowance = {.most = 30000};

    ck_assert(!take(&allowance, 30000 - 4096 + 1) && !take(&allowance, 0));
    ck_assert_uint_eq(allowance.spent, 4096);
    allowance_begin(&allowance);
    ck_assert(take(&allowance, 30000 - 2 * 4096) && !take(&allowance, 0));
}
END_TEST

START_TEST(what_cannot_be_read_is_charged_for_its_row_alone)
{
    const struct object claimed = {.kind = OBJECT_MEMBER, .state = OBJECT_UNREADABLE, .size = INT64_MAX};
    struct allowance allowance = {.most = 4096};

    ck_assert(allowance_take(&allowance, &claimed));
    ck_assert_uint_eq(allowance.spent, 4096);
}
END_TEST

START_TEST(no_number_overflows)
{
    struct allowance allowance = {.most = ALLOWANCE_LEAST};

    allowance_grow(&allowance, 1000);
    ck_assert_uint_eq(allowance.most, (UINT64_C(4) << 30) + 100000);
    for (int i = 0; i < 3; i++) {
        allowance_grow(&allowance, UINT64_MAX);
        ck_assert(allowance.most <= INT64_MAX && allowance.most > INT64_MAX - 100);
    }
    ck_assert(!take(&allowance, UINT64_MAX) && allowance_left(&allowance) < allowance.most);
    allowance.spent = UINT64_MAX;
    ck_assert_uint_eq(allowance_left(&allowance), 0);
    ck_assert_uint_eq(allowance_cost(INT64_MAX, INT64_MAX), INT64_MAX);
    ck_assert_uint_eq(allowance_cost(0, INT64_MAX), INT64_MAX);
}
END_TEST

RUN_TESTS("allowance", a_member_costs_its_bytes_and_4_kib,
          nothing_more_of_an_object_is_taken_once_a_member_does_not_fit,
          what_cannot_be_read_is_charged_for_its_row_alone, no_number_overflows)
