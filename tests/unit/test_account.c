/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "disk/account.h"

/*
 * The twin stores the row of each byte.  Objects resemble those of a file system: they begin at a unit, and
 * the rest of their last unit is slack.
 */
enum { START = 5000, UNITS = 90, UNIT = 512, NOBODY = -1, MOST = UNITS * UNIT };

static int row_of[MOST];
static bool is_deleted[MOST], is_bad[MOST];
static uint64_t part_len;

static void twin_claim(int row, uint64_t start, uint64_t end)
{
    for (uint64_t unit = start / UNIT; unit * UNIT < end && unit * UNIT < part_len; unit++) {
        const uint64_t first = unit * UNIT;

        if (row_of[first] != NOBODY)
            continue;
        for (uint64_t at = first; at < first + UNIT && at < part_len; at++) {
            row_of[at] = at < end ? row : OBJECT_SLACK;
            if (row == OBJECT_UNALLOCATED && is_deleted[at])
                row_of[at] = OBJECT_DELETED;
            if (is_bad[at])
                row_of[at] = ACCOUNT_UNREADABLE;
        }
    }
}

static void assert_account(const struct account *account)
{
    uint64_t bytes[ACCOUNT_ROWS] = {0};

    for (uint64_t at = 0; at < part_len; at++)
        if (row_of[at] != NOBODY)
            bytes[row_of[at]]++;
    for (unsigned row = 0; row < ACCOUNT_ROWS; row++)
        ck_assert_msg(account_table(account)->bytes[row] == bytes[row], "%s: %llu bytes, not %llu",
                      account_row_name(row), (unsigned long long)account_table(account)->bytes[row],
                      (unsigned long long)bytes[row]);
}

static void forget(uint64_t len)
{
    part_len = len;
    memset(is_deleted, 0, sizeof is_deleted);
    memset(is_bad, 0, sizeof is_bad);
    for (int i = 0; i < MOST; i++)
        row_of[i] = NOBODY;
}

/* The unclaimed rest is returned once; after that every byte of the part has an owner. */
static void claim_the_rest(struct account *account, const struct ranges *bad)
{
    struct ranges left = {0};

    ck_assert_int_eq(account_unclaimed(account, 0, START + part_len / 3, &left), 0);
    ck_assert_int_eq(account_unclaimed(account, START + part_len / 3, UINT64_MAX, &left), 0);
    for (uint64_t at = 0; at < part_len; at++)
        if (row_of[at] == NOBODY && is_deleted[at])
            row_of[at] = OBJECT_DELETED;
    for (size_t i = 0; i < left.count; i++) {
        const struct range *range = &left.list[i];
        uint64_t taken = 0;

        for (uint64_t at = range->start - START; at < range->start - START + range->len; at++)
            taken += row_of[at] != NOBODY;
        ck_assert_uint_eq(taken, 0);
        ck_assert_int_eq(account_claim(account, OBJECT_UNCLAIMED, range->start, range->len, bad), 0);
        twin_claim(OBJECT_UNCLAIMED, range->start - START, range->start - START + range->len);
    }
    assert_account(account);
    ck_assert_uint_eq(account_sum(account_table(account)), part_len);
    ranges_release(&left);
}

START_TEST(each_byte_counts_once_for_its_first_claimant)
{
    for (int round = 0; round < 100; round++) {
        struct account *account;
        struct ranges bad = {0};

        forget(MOST - random64() % 700); /* the last unit may be short */
        account = account_new(START, part_len, UNIT);
        if (round % 2)
            for (int i = 0; i < 4; i++) {
                const uint64_t start = random64() % (part_len - 999), len = random64() % 999;

                ck_assert_int_eq(ranges_insert(&bad, START + start, len), 0);
                memset(is_bad + start, 1, len);
            }
        for (int i = 0; i < 40; i++) {
            static const int rows[] = {OBJECT_FILE, OBJECT_FOLDER, OBJECT_UNALLOCATED, OBJECT_METADATA,
                                       ACCOUNT_NOT_SELECTED};
            const uint64_t first = random64() % (part_len / UNIT), start = first * UNIT,
                           most = part_len - start < 20000 ? part_len - start : 20000;
            uint64_t len = 1 + random64() % most;
            const int row = rows[random64() % 5];

            if (row == OBJECT_UNALLOCATED) /* free blocks are whole */
                len = (len + UNIT - 1) / UNIT * UNIT;
            if (random64() % 4) {
                ck_assert_int_eq(account_claim(account, (unsigned)row, START + start, len, &bad), 0);
                twin_claim(row, start, start + len);
            } else {
                ck_assert_int_eq(account_claim_deleted(account, START + start, len), 0);
                for (uint64_t at = start; at < (start + len + UNIT - 1) / UNIT * UNIT && at < part_len; at++)
                    is_deleted[at] = true;
            }
            assert_account(account);
        }
        /* Bad bytes in the space of deleted objects are not reported by rereading them. */
        memset(is_bad, 0, sizeof is_bad);
        claim_the_rest(account, NULL);
        account_free(account);
        ranges_release(&bad);
    }
}
END_TEST

START_TEST(slack_claims_only_whole_units)
{
    struct account *account = account_new(START, 10 * UNIT, UNIT);
    struct ranges left = {0};

    ck_assert_int_eq(account_claim(account, OBJECT_SLACK, START + 100, 3 * UNIT - 100, NULL), 0);
    ck_assert_uint_eq(account_table(account)->bytes[OBJECT_SLACK], 2 * UNIT);
    ck_assert_int_eq(account_unclaimed(account, START, START + 10 * UNIT, &left), 0);
    ck_assert_uint_eq(left.count, 2);
    ck_assert_uint_eq(left.list[0].start, START);
    ck_assert_uint_eq(left.list[0].len, UNIT);
    ranges_release(&left);
    account_free(account);
}
END_TEST

START_TEST(claims_outside_the_part_are_ignored)
{
    struct account *account = account_new(START, 4 * UNIT, UNIT);

    ck_assert_int_eq(account_claim(account, OBJECT_FILE, 0, START, NULL), 0);
    ck_assert_int_eq(
        account_claim(account, OBJECT_FILE, START + 4 * UNIT, INT64_MAX - START - 4 * UNIT, NULL), 0);
    ck_assert_uint_eq(account_sum(account_table(account)), 0);
    ck_assert_int_eq(account_claim(account, OBJECT_FILE, 0, INT64_MAX, NULL), 0);
    ck_assert_uint_eq(account_sum(account_table(account)), 4 * UNIT);
    account_free(account);
    account = account_new(START, 0, UNIT);
    ck_assert_int_eq(account_claim(account, OBJECT_FILE, 0, INT64_MAX, NULL), 0);
    ck_assert_uint_eq(account_sum(account_table(account)), 0);
    account_free(account);
}
END_TEST

START_TEST(large_parts_take_little_memory_and_the_rest_is_one_row)
{
    const uint64_t unit = 4096, len = (uint64_t)1 << 44;
    struct account *account = account_new(0, len, unit);

    ck_assert_int_eq(account_claim(account, OBJECT_UNALLOCATED, 0, len / 2 + 4096, NULL), 0);
    ck_assert_int_eq(account_claim(account, OBJECT_FILE, len - 9 * unit, 8 * unit, NULL), 0);
    ck_assert_uint_eq(account_table(account)->bytes[OBJECT_UNALLOCATED], len / 2 + 4096);
    ck_assert_int_eq(account_rest(account, ACCOUNT_NOT_SELECTED), 0);
    ck_assert_uint_eq(account_table(account)->bytes[ACCOUNT_NOT_SELECTED], len / 2 - 4096 - 8 * unit);
    ck_assert_uint_eq(account_sum(account_table(account)), len);
    account_free(account);
}
END_TEST

START_TEST(without_a_map_claims_are_added_up)
{
    struct account *account = account_new(1000, 5000, 0);

    ck_assert_int_eq(account_claim(account, OBJECT_GAP, 1000, 2001, NULL), 0);
    ck_assert_int_eq(account_claim(account, OBJECT_GAP, 3001, 2999, NULL), 0);
    ck_assert_uint_eq(account_table(account)->bytes[OBJECT_GAP], 5000);
    account_free(account);
}
END_TEST

START_TEST(rows_have_names)
{
    for (unsigned row = 0; row < ACCOUNT_ROWS; row++)
        ck_assert_int_eq(account_row_find(account_row_name(row)), (int)row);
    ck_assert_int_eq(account_row_find("total"), -1);
}
END_TEST

RUN_TESTS("account", each_byte_counts_once_for_its_first_claimant, slack_claims_only_whole_units,
          claims_outside_the_part_are_ignored, large_parts_take_little_memory_and_the_rest_is_one_row,
          without_a_map_claims_are_added_up, rows_have_names)
