/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "check_main.h"
#include "cluster/unrelated.h"

enum { LONGEST = 400 };

static struct error err;

static void fill(uint8_t *p, size_t len, unsigned symbols)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)('0' + random64() % symbols);
}

static bool is_evidence(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, double pairs)
{
    double distance, most;

    ck_assert_int_eq(unrelated_most(a, a_len, b, b_len, pairs, &distance, &most, &err), 0);
    return distance <= most;
}

START_TEST(random_strings_are_no_evidence_whatever_their_length_and_alphabet)
{
    static const size_t lens[] = {1, 2, 5, 17, 60, LONGEST};
    uint8_t a[LONGEST], b[LONGEST];

    for (unsigned symbols = 1; symbols < 80; symbols += symbols < 3 ? 1 : 38)
        for (size_t l = 0; l < 6; l++)
            for (int round = 0; round < 40; round++) {
                const size_t b_len = 1 + random64() % lens[l];

                fill(a, lens[l], symbols);
                fill(b, b_len, symbols);
                if (b_len > 4 || symbols < 3) /* short ones of many symbols may be equal: that is evidence */
                    ck_assert_msg(!is_evidence(a, lens[l], b, b_len, 6 * 4 * 40), "%u symbols, %zu and %zu",
                                  symbols, lens[l], b_len);
            }
}
END_TEST

START_TEST(edited_strings_are_evidence_if_they_are_long_enough)
{
    uint8_t a[LONGEST], b[LONGEST];

    for (unsigned symbols = 2; symbols < 80; symbols += 38) {
        fill(a, LONGEST, symbols);
        memcpy(b, a, LONGEST);
        ck_assert(is_evidence(a, LONGEST, b, LONGEST, 1e6));
        for (size_t i = 5; i < LONGEST; i += 20)
            b[i] ^= 1;
        ck_assert(is_evidence(a, LONGEST, b, LONGEST, 1e6));
        memmove(b + 100, b + 110, LONGEST - 110);
        ck_assert(is_evidence(a, LONGEST, b, LONGEST - 10, 1e6));
    }
    memset(a, '0', LONGEST); /* without variety, equality says nothing */
    ck_assert(!is_evidence(a, LONGEST, a, LONGEST, 1));
    fill(b, LONGEST, 2);
    ck_assert(!is_evidence(b, 6, b, 6, 1e6));
    ck_assert(is_evidence(b, 200, b, 200, 1e6));
}
END_TEST

START_TEST(more_pairs_need_smaller_distances)
{
    double distance, few, many;
    uint8_t a[LONGEST], b[LONGEST];

    fill(a, LONGEST, 2);
    fill(b, LONGEST, 2);
    ck_assert_int_eq(unrelated_most(a, LONGEST, b, LONGEST, 1, &distance, &few, &err), 0);
    ck_assert_int_eq(unrelated_most(a, LONGEST, b, LONGEST, 1e9, &distance, &many, &err), 0);
    ck_assert(many < few && few < distance + 20);
    /* Lengths alone are at least that far apart. */
    ck_assert_int_eq(unrelated_most(a, LONGEST, b, 10, 1, &distance, &few, &err), 0);
    ck_assert_double_eq(distance, LONGEST - 10);
    ck_assert(few < LONGEST - 10);
}
END_TEST

START_TEST(long_strings_are_judged_by_their_beginnings)
{
    enum { LENGTH = 20000 };
    static uint8_t a[LENGTH], b[LENGTH];
    double distance, most;

    fill(a, LENGTH, 2);
    fill(b, LENGTH, 2);
    ck_assert_int_eq(unrelated_most(a, LENGTH, b, LENGTH, 1000, &distance, &most, &err), 0);
    ck_assert(distance > most && most > .8 * distance);
    memcpy(b, a, LENGTH / 2);
    ck_assert(is_evidence(a, LENGTH, b, LENGTH, 1000));
    ck_assert(!is_evidence(a, LENGTH, b + LENGTH / 2, 3, 1000));
}
END_TEST

RUN_TESTS("unrelated", random_strings_are_no_evidence_whatever_their_length_and_alphabet,
          edited_strings_are_evidence_if_they_are_long_enough, more_pairs_need_smaller_distances,
          long_strings_are_judged_by_their_beginnings)
