/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "evidence/inodes.h"

enum { UNIVERSE = 50000 };

static uint64_t number_of(uint64_t i, unsigned spread)
{
    static const uint64_t far = (uint64_t)1 << 48;

    switch (spread) {
    case 0:
        return i; /* dense */
    case 1:
        return i * 4096; /* equal in their low bits */
    case 2:
        return far * (i % 60000) + i; /* equal in the middle */
    default:
        return UINT64_MAX - 1 - i;
    }
}

START_TEST(a_set_has_what_was_added)
{
    static bool there[UNIVERSE];

    for (unsigned spread = 0; spread < 4; spread++) {
        struct inodes inodes = {0};
        size_t count = 0;

        memset(there, 0, sizeof there);
        for (int i = 0; i < UNIVERSE; i++) {
            const uint64_t which = random64() % UNIVERSE, other = random64() % UNIVERSE;

            if (inodes_add(&inodes, number_of(which, spread)) != !there[which])
                ck_abort_msg("added twice, or not at all");
            count += !there[which];
            there[which] = true;
            if (inodes_have(&inodes, number_of(other, spread)) != there[other])
                ck_abort_msg("there, or not");
        }
        ck_assert_uint_eq(inodes.count, count);
        for (uint64_t i = 0; i < UNIVERSE; i++)
            if (inodes_have(&inodes, number_of(i, spread)) != there[i])
                ck_abort_msg("there, or not, at last");
        inodes_release(&inodes);
    }
}
END_TEST

START_TEST(sorting_gives_each_member_once_in_ascending_order)
{
    for (int round = 0; round < 40; round++) {
        const uint64_t size = random64() % 3000, below = 1 + random64() % (round % 2 ? UINT64_MAX - 1 : 5000);
        struct inodes inodes = {0};
        uint64_t *added = calloc(size + 1, sizeof *added);
        const uint64_t *list;
        size_t count;

        ck_assert_ptr_nonnull(added);
        for (uint64_t i = 0; i < size; i++) {
            added[i] = random64() % below;
            if (inodes_add(&inodes, added[i]) < 0)
                ck_abort_msg("out of memory");
        }
        count = inodes.count;
        list = inodes_sort(&inodes);
        for (size_t i = 1; i < count; i++)
            if (list[i] <= list[i - 1])
                ck_abort_msg("not in order");
        for (uint64_t i = 0; i < size;
             i++) { /* each is in the list, and the list is no longer than necessary */
            size_t low = 0, high = count;

            while (low + 1 < high) {
                size_t middle = (low + high) / 2;

                if (list[middle] <= added[i])
                    low = middle;
                else
                    high = middle;
            }
            if (list[low] != added[i])
                ck_abort_msg("not in the list");
        }
        ck_assert_uint_le(count, size);
        free(added);
        inodes_release(&inodes);
    }
}
END_TEST

START_TEST(the_smallest_and_the_largest_numbers_are_members_too)
{
    struct inodes inodes = {0};
    const uint64_t *list;

    ck_assert_int_eq(inodes_add(&inodes, UINT64_MAX - 1), 1);
    ck_assert_int_eq(inodes_add(&inodes, 0), 1);
    ck_assert_int_eq(inodes_add(&inodes, 0), 0);
    ck_assert(inodes_have(&inodes, 0));
    ck_assert(inodes_have(&inodes, UINT64_MAX - 1));
    ck_assert(!inodes_have(&inodes, 1));
    ck_assert(!inodes_have(&inodes, UINT64_MAX));
    ck_assert_uint_eq(inodes.count, 2);
    list = inodes_sort(&inodes);
    ck_assert_uint_eq(list[0], 0);
    ck_assert_uint_eq(list[1], UINT64_MAX - 1);
    inodes_release(&inodes);
}
END_TEST

START_TEST(an_empty_set_has_nothing)
{
    struct inodes inodes = {0};

    ck_assert(!inodes_have(&inodes, 0));
    ck_assert(!inodes_have(&inodes, UINT64_MAX));
    inodes_sort(&inodes);
    ck_assert_uint_eq(inodes.count, 0);
    inodes_release(&inodes);
    inodes_release(&inodes); /* is an empty one again */
    ck_assert_int_eq(inodes_add(&inodes, 7), 1);
    inodes_release(&inodes);
}
END_TEST

RUN_TESTS("inodes", a_set_has_what_was_added, sorting_gives_each_member_once_in_ascending_order,
          the_smallest_and_the_largest_numbers_are_members_too, an_empty_set_has_nothing)
