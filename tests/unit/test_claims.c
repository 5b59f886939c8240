/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "evidence/claims.h"

#define MEBIBYTE ((uint64_t)1 << 20)
#define GIBIBYTE ((uint64_t)1 << 30)

static bool is_hollow(struct claims *claims, uint64_t size, uint64_t stored)
{
    return claims_are_hollow(claims, &(struct object){.size = size}, stored);
}

START_TEST(objects_have_32_gib_of_holes_together)
{
    struct claims claims = {0};

    ck_assert(!is_hollow(&claims, 20 * GIBIBYTE + 500, 500));
    ck_assert(is_hollow(&claims, 12 * GIBIBYTE + 501, 500)); /* and so it takes nothing */
    ck_assert(!is_hollow(&claims, 12 * GIBIBYTE + 500, 500));
    ck_assert(is_hollow(&claims, 1, 0));
    ck_assert(!is_hollow(&claims, 5, 5) && !is_hollow(&claims, 5, 4096));
    claims_reset(&claims);
    ck_assert(is_hollow(&claims, 32 * GIBIBYTE + 1, 0) && is_hollow(&claims, UINT64_MAX, 0));
    ck_assert(!is_hollow(&claims, 32 * GIBIBYTE, 0));
}
END_TEST

START_TEST(where_no_digest_is_needed_an_object_is_judged_by_what_it_stores)
{
    const uint64_t own = 256 * MEBIBYTE;
    struct claims claims = {.by_object = true};

    for (int i = 0; i < 1000; i++) /* whatever was there before */
        ck_assert(!is_hollow(&claims, own, 0));
    ck_assert(!is_hollow(&claims, own + 4095, 0));
    ck_assert(is_hollow(&claims, own + 4096, 0));
    ck_assert(!is_hollow(&claims, 10 + own + 11 * 4096 - 1, 10));
    ck_assert(is_hollow(&claims, 10 + own + 11 * 4096, 10));
    ck_assert(is_hollow(&claims, UINT64_MAX, MEBIBYTE));
}
END_TEST

START_TEST(a_size_that_the_host_gives_is_believed_up_to_32_gib_each)
{
    struct claims claims = {.is_trusted = true, .by_object = true};

    for (int i = 0; i < 3; i++)
        ck_assert(!is_hollow(&claims, 32 * GIBIBYTE + 7, 7));
    ck_assert(is_hollow(&claims, 32 * GIBIBYTE + 8, 7));
    claims_reset(&claims);
    ck_assert(claims.is_trusted && claims.by_object);
}
END_TEST

START_TEST(what_lies_in_no_run_by_nature_is_no_hole)
{
    struct claims claims = {0};
    struct object object = {.size = UINT64_MAX, .flags = OBJECT_RESIDENT};

    ck_assert(!claims_are_hollow(&claims, &object, 0));
    object.flags = OBJECT_MEMBER | OBJECT_ALLOCATED;
    ck_assert(!claims_are_hollow(&claims, &object, 0));
    object.flags = OBJECT_COMPRESSED;
    ck_assert(claims_are_hollow(&claims, &object, 0));
}
END_TEST

START_TEST(twice_the_medium_and_64_mib_are_stored)
{
    struct claims claims = {0};

    ck_assert(!claims_exceed(&claims, 1000, 64 * MEBIBYTE));
    ck_assert(claims_exceed(&claims, 1000, 2001)); /* and so it takes nothing */
    ck_assert(!claims_exceed(&claims, 1000, 1999));
    ck_assert(!claims_exceed(&claims, 1000, 1));
    ck_assert(claims_exceed(&claims, 1000, 1) && !claims_exceed(&claims, 1000, 0));
    claims_reset(&claims);
    ck_assert(claims_exceed(&claims, 1000, 64 * MEBIBYTE + 2001));
    ck_assert(!claims_exceed(&claims, 1000, 64 * MEBIBYTE + 2000));
}
END_TEST

RUN_TESTS("claims", objects_have_32_gib_of_holes_together,
          where_no_digest_is_needed_an_object_is_judged_by_what_it_stores,
          a_size_that_the_host_gives_is_believed_up_to_32_gib_each, what_lies_in_no_run_by_nature_is_no_hole,
          twice_the_medium_and_64_mib_are_stored)
