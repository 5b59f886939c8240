/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "cluster/bounds.h"
#include "cluster/linkage.h"

enum { CONTENTS = 400, REFERENCES = 60, FINDINGS = 900 };

static struct error err;
static struct bounds_finding findings[FINDINGS];
static double known[CONTENTS][REFERENCES]; /* 0: not found */

static void make_findings(void)
{
    size_t count = 0;

    while (count < FINDINGS) {
        const uint32_t content = (uint32_t)(random64() % CONTENTS),
                       reference = (uint32_t)(random64() % REFERENCES);

        if (known[content][reference] > 0)
            continue;
        known[content][reference] = .5 + (double)(random64() % 500) / 1000;
        findings[count++] = (struct bounds_finding){content, reference, known[content][reference]};
    }
}

/* The best bound over all references; below zero if there is none. */
static double bound(uint32_t a, uint32_t b)
{
    double best = -1;

    for (size_t r = 0; r < REFERENCES; r++)
        if (known[a][r] > 0 && known[b][r] > 0 && known[a][r] + known[b][r] - 1 > best)
            best = known[a][r] + known[b][r] - 1;
    return best;
}

static size_t count_leaders(const uint32_t *leaders)
{
    size_t count = 0;

    for (uint32_t c = 0; c < CONTENTS; c++)
        count += leaders[c] == c;
    return count;
}

START_TEST(single_linkage_equals_that_of_all_pairs)
{
    uint32_t expected[CONTENTS], leaders[CONTENTS];

    make_findings();
    for (uint32_t c = 0; c < CONTENTS; c++)
        expected[c] = c;
    for (uint32_t a = 0; a < CONTENTS; a++)
        for (uint32_t b = 0; b < a; b++)
            if (bound(a, b) >= .8)
                linkage_join(expected, a, b);
    linkage_settle(expected, CONTENTS);
    ck_assert_int_eq(bounds_link(findings, FINDINGS, .8, leaders, CONTENTS, &err), 0);
    ck_assert_mem_eq(leaders, expected, sizeof leaders);
    ck_assert(count_leaders(leaders) > 10 && count_leaders(leaders) < CONTENTS);
}
END_TEST

START_TEST(greedy_clusters_and_their_bounds_equal_those_of_all_pairs)
{
    uint32_t expected[CONTENTS], leaders[CONTENTS];
    struct likeness likenesses[CONTENTS];

    make_findings();
    for (uint32_t a = 0; a < CONTENTS; a++) {
        double best = -1;

        expected[a] = a;
        for (uint32_t b = 0; b < a; b++)
            if (expected[b] == b && bound(a, b) >= .7 && bound(a, b) > best) {
                best = bound(a, b);
                expected[a] = b;
            }
    }
    ck_assert_int_eq(bounds_join(findings, FINDINGS, .7, leaders, CONTENTS, &err), 0);
    ck_assert_mem_eq(leaders, expected, sizeof leaders);
    ck_assert(count_leaders(leaders) > 10 && count_leaders(leaders) < CONTENTS);
    bounds_measure(findings, FINDINGS, leaders, likenesses, CONTENTS);
    for (uint32_t c = 0; c < CONTENTS; c++)
        if (leaders[c] != c) {
            ck_assert(likenesses[c].has_resemblance && !likenesses[c].has_containment);
            ck_assert_double_eq(likenesses[c].resemblance, bound(c, leaders[c]));
        }
}
END_TEST

START_TEST(the_bound_holds_for_sets)
{
    for (int round = 0; round < 2000; round++) {
        const uint64_t a = random64() | random64(), b = a ^ (random64() & random64() & random64()),
                       c = b ^ (random64() & random64() & random64());
#define RESEMBLANCE(x, y) ((double)__builtin_popcountll((x) & (y)) / __builtin_popcountll((x) | (y)))
        ck_assert_double_ge(RESEMBLANCE(a, c) + 1e-12, RESEMBLANCE(a, b) + RESEMBLANCE(b, c) - 1);
    }
}
END_TEST

START_TEST(without_findings_each_content_leads_itself)
{
    uint32_t leaders[2];

    ck_assert_int_eq(bounds_link(findings, 0, .5, leaders, 2, &err), 0);
    ck_assert_uint_eq(leaders[1], 1);
    ck_assert_int_eq(bounds_join(findings, 0, .5, leaders, 2, &err), 0);
    ck_assert_uint_eq(leaders[1], 1);
}
END_TEST

RUN_TESTS("bounds", single_linkage_equals_that_of_all_pairs,
          greedy_clusters_and_their_bounds_equal_those_of_all_pairs, the_bound_holds_for_sets,
          without_findings_each_content_leads_itself)
