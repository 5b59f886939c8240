/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "match/choice.h"
#include "match/spans.h"

/* Random findings, and the naive comparison of each with all better ones. */

enum { OBJECT = 4000, MOST = 60 };

static uint64_t below(uint64_t most)
{
    return random64() % most;
}

static struct finding random_finding(uint32_t set, uint64_t file)
{
    static const enum verdict verdicts[] = {VERDICT_VARIANT, VERDICT_EMBEDDED, VERDICT_FRAGMENT};
    struct error err;
    struct finding finding = {.set = set, .file = file, .verdict = verdicts[below(3)], .ln_e = -20};
    const size_t ranges = 1 + below(4);
    uint64_t at = below(OBJECT / 2);

    ck_assert_int_eq(finding_resize(&finding, ranges, &err), 0);
    for (size_t i = 0; i < ranges; i++) {
        const uint64_t len = 1 + below(below(4) ? 60 : 1500);

        finding.ranges[i] = (struct finding_range){at, at + len, at, at + len};
        at += len + below(300);
    }
    finding_measure(&finding);
    finding.ref_size = finding.matched + below(3) * below(500);
    finding.resemblance = (double)below(1000) / 1000;
    finding.containment = (double)below(1000) / 1000;
    finding.rarity = (double)below(1000) / 1000;
    return finding;
}

static void add_identical(struct findings *findings, uint32_t set)
{
    struct error err;
    struct finding *finding = finding_list_add(findings, &err);

    ck_assert_ptr_nonnull(finding);
    ck_assert_int_eq(finding_resize(finding, 1, &err), 0);
    finding->ranges[0] = (struct finding_range){0, 2 * OBJECT, 0, 2 * OBJECT};
    finding_measure(finding);
    finding->verdict = VERDICT_IDENTICAL;
    finding->set = set;
    finding->file = 1 + below(3);
    finding->ref_size = 2 * OBJECT;
    finding->resemblance = finding->containment = 1;
    finding->proof = PROOF_SHA1;
    finding->ln_e = -INFINITY;
}

static void fill(struct findings *findings, size_t count)
{
    struct error err;

    for (uint32_t set = 0; set < 2; set++)
        if (below(3) == 0)
            add_identical(findings, set);
    while (findings->count < count) {
        struct finding *finding = finding_list_add(findings, &err);

        ck_assert_ptr_nonnull(finding);
        *finding = random_finding((uint32_t)below(2), 1 + below(count));
    }
}

static uint64_t shared_bytes(const struct finding *x, const struct finding *y)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < x->range_count; i++)
        for (size_t k = 0; k < y->range_count; k++) {
            const struct finding_range *a = &x->ranges[i], *b = &y->ranges[k];
            const uint64_t start = a->obj_start > b->obj_start ? a->obj_start : b->obj_start;
            const uint64_t end = a->obj_end < b->obj_end ? a->obj_end : b->obj_end;

            sum += end > start ? end - start : 0;
        }
    return sum;
}

/* By the rules in the manual: a better finding of the same set has four fifths of it, and is not much larger,
 * unless it is a mere fragment, or the object is identical. */
static bool explains(const struct finding *better, const struct finding *finding)
{
    return better->set == finding->set && shared_bytes(finding, better) * 100 >= finding->matched * 80 &&
           (better->verdict == VERDICT_IDENTICAL || finding->verdict == VERDICT_FRAGMENT ||
            finding->matched * 2 > better->matched);
}

static bool repeats(const struct finding *finding, const struct finding *identical)
{
    return identical->verdict == VERDICT_IDENTICAL && identical->set == finding->set &&
           identical->file == finding->file;
}

static bool is_in(const struct findings *findings, const struct finding *finding)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].ranges == finding->ranges)
            return true;
    return false;
}

/* Each finding that is not kept is explained by one that is; none that is kept is explained by a better one
 * of those that differ in certainty; and the others are all counted. */
static void assert_chosen(const struct findings *chosen, const struct findings *all)
{
    size_t counted = chosen->count, repeated = 0;

    for (size_t i = 0; i < chosen->count; i++)
        counted += chosen->list[i].also;
    for (size_t i = 0; i < all->count; i++) {
        bool found = is_in(chosen, &all->list[i]), said = false;

        for (size_t k = 0; k < chosen->count && !found; k++) {
            said = said || repeats(&all->list[i], &chosen->list[k]);
            found = explains(&chosen->list[k], &all->list[i]) || said;
        }
        ck_assert_msg(found, "finding %zu is neither kept nor explained", i);
        repeated += said;
    }
    ck_assert_uint_le(counted, all->count);
    ck_assert_uint_ge(counted + repeated, all->count);
    for (size_t i = 0; i < chosen->count; i++)
        for (size_t k = 0; k < chosen->count; k++)
            ck_assert(i == k || !explains(&chosen->list[i], &chosen->list[k]) ||
                      !explains(&chosen->list[k], &chosen->list[i]));
}

START_TEST(what_is_dropped_is_explained_by_what_is_kept)
{
    struct error err;

    for (int round = 0; round < 2000; round++) {
        struct findings findings = {0}, before = {0};

        fill(&findings, 1 + below(MOST));
        before.count = findings.count;
        before.list = malloc(findings.count * sizeof *before.list);
        for (size_t i = 0; i < findings.count; i++) { /* choosing frees the ranges of what it drops */
            before.list[i] = findings.list[i];
            before.list[i].ranges = malloc(findings.list[i].range_count * sizeof *before.list[i].ranges);
            memcpy(before.list[i].ranges, findings.list[i].ranges,
                   findings.list[i].range_count * sizeof *before.list[i].ranges);
            findings.list[i].edits_low = (double)i; /* which one it was */
        }
        ck_assert_int_eq(choice_make(&findings, 0, false, &err), 0);
        for (size_t i = 0; i < findings.count; i++) {
            struct finding_range **ranges = &before.list[(size_t)findings.list[i].edits_low].ranges;

            free(*ranges);
            *ranges = findings.list[i].ranges;
        }
        assert_chosen(&findings, &before);
        for (size_t i = 0; i < before.count; i++)
            free(before.list[i].ranges);
        free(before.list);
        free(findings.list);
    }
}
END_TEST

START_TEST(with_all_references_only_what_an_identical_one_repeats_is_dropped)
{
    struct error err;

    for (int round = 0; round < 300; round++) {
        struct findings findings = {0};
        size_t repeated = 0, count;

        fill(&findings, 1 + below(MOST));
        count = findings.count;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count; k++)
                if (i != k && repeats(&findings.list[i], &findings.list[k])) {
                    repeated++;
                    break;
                }
        ck_assert_int_eq(choice_make(&findings, 0, true, &err), 0);
        ck_assert_uint_eq(findings.count, count - repeated);
        finding_list_release(&findings);
    }
}
END_TEST

/* As in an archive of small known files: comparing each with each would take minutes. */
START_TEST(a_hundred_thousand_findings_side_by_side_are_all_kept)
{
    struct findings findings = {0};
    struct error err;

    for (uint64_t i = 0; i < 100000; i++) {
        struct finding *finding = finding_list_add(&findings, &err);

        ck_assert_ptr_nonnull(finding);
        ck_assert_int_eq(finding_resize(finding, 1, &err), 0);
        finding->ranges[0] = (struct finding_range){1000 * i, 1000 * i + 1000, 0, 1000};
        finding_measure(finding);
        finding->verdict = VERDICT_EMBEDDED;
        finding->file = i + 1;
        finding->ref_size = 1000;
    }
    ck_assert_int_eq(choice_make(&findings, 0, false, &err), 0);
    ck_assert_uint_eq(findings.count, 100000);
    finding_list_release(&findings);
}
END_TEST

/* Which of two fragments in the same 1000 bytes is named: the first matches all of them, and has .1 of both
 * contents in common, of a rarity of .5. */
static uint64_t named(double resemblance, double rarity, uint64_t proved)
{
    struct findings findings = {0};
    struct error err;
    uint64_t file;

    for (uint64_t i = 0; i < 2; i++) {
        struct finding *finding = finding_list_add(&findings, &err);

        ck_assert_ptr_nonnull(finding);
        ck_assert_int_eq(finding_resize(finding, 1, &err), 0);
        finding->ranges[0] = (struct finding_range){100 * i, 1000, 0, 1000 - 100 * i};
        finding_measure(finding);
        finding->verdict = VERDICT_FRAGMENT;
        finding->file = i + 1;
        finding->ref_size = 5000;
        finding->containment = .1;
        finding->resemblance = i ? resemblance : .1;
        finding->rarity = i ? rarity : .5;
        finding->proof = i && proved ? PROOF_BLOCKS : PROOF_ESTIMATE;
        finding->proved = i ? proved : 0;
        finding->blocks = 10;
    }
    ck_assert_int_eq(choice_make(&findings, 0, false, &err), 0);
    ck_assert(findings.count == 1 && findings.list[0].also == 1);
    file = findings.list[0].file;
    finding_list_release(&findings);
    return file;
}

START_TEST(the_reference_that_shares_most_of_what_is_rare_is_named)
{
    ck_assert_uint_eq(named(.1, .5, 0), 1); /* more bytes match */
    ck_assert_uint_eq(named(.11, .5, 0), 2);
    ck_assert_uint_eq(named(.1, .55, 0), 2);
    ck_assert_uint_eq(named(.1, .5, 1), 2);
    ck_assert_uint_eq(named(.11, .4, 0), 1);
    ck_assert_uint_eq(named(.09, .5, 1), 1);
}
END_TEST

struct span {
    uint64_t start, end;
};

static bool is_odd(const void *arg, size_t number)
{
    return number % 2 == *(const size_t *)arg;
}

START_TEST(spans_give_the_first_that_contains_a_point)
{
    struct error err;

    for (int round = 0; round < 300; round++) {
        const size_t points = below(40), count = below(50), odd = below(2);
        uint64_t list[40];
        struct span added[50];
        struct spans spans;

        for (size_t i = 0; i < points; i++)
            list[i] = (i ? list[i - 1] : 0) + below(5);
        ck_assert_int_eq(spans_open(&spans, list, points, &err), 0);
        for (size_t i = 0; i < count; i++) {
            added[i].start = below(200);
            added[i].end = added[i].start + below(60);
            ck_assert_int_eq(spans_add(&spans, added[i].start, added[i].end, i, &err), 0);
        }
        for (size_t i = 0; i < points; i++) {
            size_t expected = SPANS_NONE;

            for (size_t k = count; k-- > 0;)
                if (k % 2 == odd && added[k].start <= list[i] && list[i] < added[k].end)
                    expected = k;
            ck_assert_uint_eq(spans_first(&spans, list[i], is_odd, &odd), expected);
        }
        spans_release(&spans);
    }
}
END_TEST

RUN_TESTS("choice", what_is_dropped_is_explained_by_what_is_kept,
          with_all_references_only_what_an_identical_one_repeats_is_dropped,
          a_hundred_thousand_findings_side_by_side_are_all_kept,
          the_reference_that_shares_most_of_what_is_rare_is_named, spans_give_the_first_that_contains_a_point)
