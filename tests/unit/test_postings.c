/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/postings.h"
#include "clustering.h"

enum { DOCUMENTS = 300, FAMILIES = 12 };

static struct error err;

/* The number of documents that have the number. */
static size_t holders_of(const struct shelf *shelf, uint64_t number)
{
    size_t holders = 0;

    for (size_t i = 0; i < shelf->count; i++)
        for (size_t k = 0; k < shelf->list[i].count; k++)
            holders += shelf->list[i].list[k] == number;
    return holders;
}

/* Whether the number leads to the document: a common one leads to the first holders only. */
static bool leads_to(const struct shelf *shelf, uint64_t number, uint32_t document, size_t common)
{
    size_t before = 0;

    for (size_t i = 0; i < document; i++)
        for (size_t k = 0; k < shelf->list[i].count; k++)
            before += shelf->list[i].list[k] == number;
    return before < POSTINGS_HOLDERS || holders_of(shelf, number) <= common;
}

static uint32_t expected_count(const struct shelf *shelf, uint32_t a, uint32_t b, size_t common)
{
    uint32_t shared = 0;

    for (size_t i = 0; i < shelf->list[a].count; i++)
        for (size_t k = 0; k < shelf->list[b].count; k++)
            shared += shelf->list[a].list[i] == shelf->list[b].list[k] &&
                      leads_to(shelf, shelf->list[a].list[i], b, common);
    return shared;
}

static void assert_overlap(const struct shelf *shelf, const struct postings *p, uint32_t document,
                           uint32_t common)
{
    struct overlap overlap;

    ck_assert_int_eq(overlap_make(&overlap, shelf->count, &err), 0);
    postings_overlap(p, document, 17, 250, &overlap);
    overlap_sort(&overlap);
    for (size_t i = 1; i < overlap.count; i++)
        ck_assert_uint_ge(overlap.counts[overlap.list[i - 1]], overlap.counts[overlap.list[i]]);
    for (uint32_t other = 0; other < shelf->count; other++)
        if (other != document)
            ck_assert_uint_eq(overlap.counts[other], other >= 17 && other < 250
                                                         ? expected_count(shelf, document, other, common)
                                                         : 0);
    overlap_reset(&overlap);
    for (uint32_t other = 0; other < shelf->count; other++)
        ck_assert_uint_eq(overlap.counts[other], 0);
    overlap_release(&overlap);
}

START_TEST(counts_what_documents_share_unless_too_many_have_it)
{
    struct shelf shelf = make_shelf(DOCUMENTS, FAMILIES);
    const struct postings_source source = shelf_source(&shelf);
    const uint32_t limits[] = {1, 17, 22, 1000};

    for (size_t i = 0; i < 4; i++) {
        struct postings p;
        uint64_t common = 0;

        ck_assert_int_eq(postings_build(&p, &source, limits[i], &err), 0);
        for (uint32_t d = 0; d < DOCUMENTS; d += 37) {
            assert_overlap(&shelf, &p, d, limits[i]);
            ck_assert_uint_eq(p.distinct[d], shelf.list[d].count);
        }
        for (uint64_t number = 0; number < 50; number++)
            common += holders_of(&shelf, number) > limits[i] && holders_of(&shelf, number) > 1;
        ck_assert_uint_ge(p.common, common);
        ck_assert_int_eq(p.common > 0, limits[i] < 1000);
        postings_release(&p);
    }
    free(shelf.list);
}
END_TEST

START_TEST(a_fingerprint_that_a_document_repeats_counts_once)
{
    struct numbers list[2] = {{{7, 7, 7, 9}, 4}, {{7, 7, 8}, 3}};
    const struct shelf shelf = {.list = list, .count = 2};
    const struct postings_source source = shelf_source(&shelf);
    struct postings p;
    struct overlap overlap;

    ck_assert_int_eq(postings_build(&p, &source, 2, &err), 0);
    ck_assert_uint_eq(p.distinct[0], 2);
    ck_assert_uint_eq(p.group_count, 1);
    ck_assert_int_eq(overlap_make(&overlap, 2, &err), 0);
    postings_overlap(&p, 0, 0, 2, &overlap);
    ck_assert_uint_eq(overlap.counts[1], 1);
    overlap_release(&overlap);
    postings_release(&p);
}
END_TEST

START_TEST(documents_may_have_no_fingerprints_and_there_may_be_no_documents)
{
    struct numbers list[3] = {{{0}, 0}, {{5}, 1}, {{0}, 0}};
    const struct shelf shelf = {.list = list, .count = 3}, none = {.list = list};
    const struct postings_source source = shelf_source(&shelf), nothing = shelf_source(&none);
    struct postings p;

    ck_assert_int_eq(postings_build(&p, &source, 1000, &err), 0);
    ck_assert_uint_eq(p.group_count, 0);
    postings_release(&p);
    ck_assert_int_eq(postings_build(&p, &nothing, 1000, &err), 0);
    ck_assert_uint_eq(p.memberships, 0);
    postings_release(&p);
}
END_TEST

START_TEST(a_build_that_is_stopped_says_so)
{
    struct numbers list[2] = {{{7, 8}, 2}, {{7, 8}, 2}};
    const struct shelf shelf = {.list = list, .count = 2};
    struct postings_source source = shelf_source(&shelf);
    atomic_bool stop = true;
    struct postings p;

    source.stop = &stop;
    ck_assert_int_eq(postings_build(&p, &source, 1000, &err), 1);
    postings_release(&p);
    stop = false;
    ck_assert_int_eq(postings_build(&p, &source, 1000, &err), 0);
    ck_assert_uint_eq(p.group_count, 2);
    postings_release(&p);
}
END_TEST

START_TEST(a_bound_never_excludes_what_meets_the_limits)
{
    for (uint64_t a = 1; a < 12; a++)
        for (uint64_t b = 1; b < 12; b++)
            for (uint64_t shared = 0; shared <= (a < b ? a : b); shared++)
                for (int limit = 0; limit <= 10; limit++) {
                    const double common = (double)shared;
                    const struct likeness likeness = {.has_resemblance = true,
                                                      .has_containment = true,
                                                      .resemblance = common / ((double)(a + b) - common),
                                                      .a_in_b = common / (double)a,
                                                      .b_in_a = common / (double)b};
                    const struct likeness_limits r = {.resemblance = limit / 10.0},
                                                 c = {.containment = limit / 10.0};

                    ck_assert_int_eq(likeness_may_meet(&r, shared, 0, a, b, true),
                                     likeness_meets(&r, &likeness, 1, 1));
                    ck_assert_int_eq(likeness_may_meet(&c, shared, 0, a, b, true),
                                     likeness_meets(&c, &likeness, 1, 1));
                    for (uint64_t seen = 0; seen <= shared; seen++)
                        ck_assert(!likeness_meets(&r, &likeness, 1, 1) ||
                                  (likeness_may_meet(&r, seen, shared - seen, a, b, true) &&
                                   likeness_may_meet(&r, seen, shared - seen, a, b + 9, false)));
                }
}
END_TEST

RUN_TESTS("postings", counts_what_documents_share_unless_too_many_have_it,
          a_fingerprint_that_a_document_repeats_counts_once,
          documents_may_have_no_fingerprints_and_there_may_be_no_documents, a_build_that_is_stopped_says_so,
          a_bound_never_excludes_what_meets_the_limits)
