/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "evidence/claims.h"

#define MEBIBYTE ((uint64_t)1 << 20)
#define GIBIBYTE ((uint64_t)1 << 30)

static bool is_hollow(struct claims *claims, uint64_t size, uint64_t stored)
{
    return claims_are_hollow(claims, &(struct object){.size = size}, stored);
}

START_TEST(all_objects_together_may_have_32_gib_of_holes)
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

START_TEST(without_digests_only_stored_bytes_are_claimed)
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

START_TEST(a_size_given_by_the_host_is_accepted_up_to_32_gib_each)
{
    struct claims claims = {.is_trusted = true, .by_object = true};

    for (int i = 0; i < 3; i++)
        ck_assert(!is_hollow(&claims, 32 * GIBIBYTE + 7, 7));
    ck_assert(is_hollow(&claims, 32 * GIBIBYTE + 8, 7));
    claims_reset(&claims);
    ck_assert(claims.is_trusted && claims.by_object);
}
END_TEST

START_TEST(content_that_never_has_runs_is_not_a_hole)
{
    struct claims claims = {0};
    struct object object = {.size = UINT64_MAX, .flags = OBJECT_RESIDENT};

    ck_assert(!claims_are_hollow(&claims, &object, 0));
    object.flags = OBJECT_COMPRESSED;
    ck_assert(claims_are_hollow(&claims, &object, 0));
}
END_TEST

START_TEST(stored_bytes_may_reach_twice_the_medium_and_64_mib)
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

RUN_TESTS("claims", all_objects_together_may_have_32_gib_of_holes,
          without_digests_only_stored_bytes_are_claimed,
          a_size_given_by_the_host_is_accepted_up_to_32_gib_each, content_that_never_has_runs_is_not_a_hole,
          stored_bytes_may_reach_twice_the_medium_and_64_mib)
