/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cluster/greedy.h"
#include "cluster/linkage.h"
#include "clustering.h"

enum { DOCUMENTS = 2200, FAMILIES = 110 }; /* more than two rounds */

static struct error err;
static struct shelf shelf;
static struct postings postings;

static void overlap_postings(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                             struct overlap *overlap)
{
    postings_overlap(arg, document, from, before, overlap);
}

static struct pairs_plan plan_with(unsigned threads)
{
    return (struct pairs_plan){.documents = shelf.count,
                               .candidates = overlap_postings,
                               .arg = &postings,
                               .judge = shelf_judge(&shelf),
                               .threads = threads};
}

static void begin(double resemblance, double containment)
{
    struct postings_source source;

    shelf = make_shelf(DOCUMENTS, FAMILIES);
    source = shelf_source(&shelf);
    shelf.limits = (struct likeness_limits){.resemblance = resemblance, .containment = containment};
    shelf.postings = &postings;
    ck_assert_int_eq(postings_build(&postings, &source, UINT32_MAX, &err), 0);
}

static void end(void)
{
    postings_release(&postings);
    free(shelf.list);
}

/* ---- naive twins ---- */

/* The connected components of the graph of all pairs: the smallest number spreads until nothing changes. */
static void link_all(uint32_t *leaders)
{
    for (uint32_t d = 0; d < shelf.count; d++)
        leaders[d] = d;
    for (uint32_t a = 0; a < shelf.count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (leaders[a] != leaders[b] && shelf_related(&shelf, a, b)) {
                const uint32_t from = leaders[a] > leaders[b] ? leaders[a] : leaders[b];
                const uint32_t to = leaders[a] < leaders[b] ? leaders[a] : leaders[b];

                for (uint32_t d = 0; d < shelf.count; d++)
                    leaders[d] = leaders[d] == from ? to : leaders[d];
            }
}

static void cluster_greedily(uint32_t *leaders)
{
    for (uint32_t a = 0; a < shelf.count; a++) {
        double best = -1;

        leaders[a] = a;
        for (uint32_t b = 0; b < a; b++)
            if (leaders[b] == b && shelf_related(&shelf, a, b) &&
                shelf_likeness(&shelf, a, b).resemblance > best) {
                best = shelf_likeness(&shelf, a, b).resemblance;
                leaders[a] = b;
            }
    }
}

static size_t count_clusters(const uint32_t *leaders)
{
    size_t clusters = 0;

    for (uint32_t d = 0; d < shelf.count; d++)
        clusters += leaders[d] == d;
    return clusters;
}

/* ---- tests ---- */

static void assert_linkage(double resemblance, double containment)
{
    uint32_t expected[DOCUMENTS], leaders[DOCUMENTS];

    begin(resemblance, containment);
    link_all(expected);
    ck_assert_uint_gt(count_clusters(expected), 1);
    ck_assert_uint_lt(count_clusters(expected), DOCUMENTS);
    for (unsigned threads = 1; threads <= 3; threads++) {
        const struct pairs_plan plan = plan_with(threads);
        struct pairs *pairs = pairs_new(&plan, &err);

        ck_assert_int_eq(linkage_run(pairs, DOCUMENTS, leaders, &err), 0);
        ck_assert_mem_eq(leaders, expected, sizeof leaders);
        pairs_free(pairs);
    }
    end();
}

START_TEST(single_linkage_finds_the_connected_components)
{
    assert_linkage(.5, 0);
    assert_linkage(0, .8);
}
END_TEST

static void assert_greedy(double resemblance, double containment)
{
    uint32_t expected[DOCUMENTS], leaders[DOCUMENTS];
    static struct likeness likenesses[DOCUMENTS];
    uint64_t common;

    begin(resemblance, containment);
    cluster_greedily(expected);
    ck_assert_uint_lt(count_clusters(expected), DOCUMENTS);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int own = 0; own <= 1; own++) {
            const struct pairs_plan plan = plan_with(threads);

            ck_assert_int_eq(greedy_run(&plan, own ? NULL : &postings, leaders, likenesses, &common, &err),
                             0);
            ck_assert_mem_eq(leaders, expected, sizeof leaders);
            for (uint32_t d = 0; d < DOCUMENTS; d++)
                if (leaders[d] != d)
                    ck_assert_double_eq(likenesses[d].a_in_b, shelf_likeness(&shelf, d, leaders[d]).a_in_b);
        }
    end();
}

START_TEST(greedy_clustering_equals_a_naive_one)
{
    assert_greedy(.5, 0);
    assert_greedy(.2, .6);
}
END_TEST

struct seen {
    uint32_t a, b;
    size_t count;
};

static int see(void *arg, const struct pair *pair, struct error *error)
{
    struct seen *seen = arg;

    (void)error;
    ck_assert_uint_lt(pair->b, pair->a);
    ck_assert_uint_ge(pair->a, seen->a);
    ck_assert(shelf_related(&shelf, pair->a, pair->b));
    seen->a = pair->a;
    seen->count++;
    return 0;
}

START_TEST(all_pairs_are_found_in_order_with_any_number_of_threads)
{
    size_t expected = 0;

    begin(.6, 0);
    for (uint32_t a = 100; a < 900; a++)
        for (uint32_t b = 30; b < a && b < 700; b++)
            expected += shelf_related(&shelf, a, b);
    ck_assert_uint_gt(expected, 0);
    for (unsigned threads = 1; threads <= 3; threads++) {
        const struct pairs_plan plan = plan_with(threads);
        const struct pairs_query query = {.from = 100, .to = 900, .start = 30, .end = 700};
        struct pairs *pairs = pairs_new(&plan, &err);
        struct seen seen = {0}, here = {0};

        ck_assert_int_eq(pairs_find(pairs, &query, see, &seen, &err), 0);
        ck_assert_uint_eq(seen.count, expected);
        ck_assert_int_eq(pairs_find_here(pairs, &query, see, &here, &err), 0);
        ck_assert_uint_eq(here.count, expected);
        pairs_free(pairs);
    }
    end();
}
END_TEST

enum { GROUPS = 9 };

static uint32_t remainder_group(const void *arg, uint32_t document)
{
    (void)arg;
    return document % GROUPS;
}

/* The relatives before a document that have most in common with it, one for each group; returns how many.
 * *more: whether there are more than `most`. */
static size_t closest(uint32_t a, size_t most, uint32_t *found, bool *more)
{
    bool taken[GROUPS] = {false};
    size_t count = 0;

    for (*more = false;;) {
        uint32_t best = a;
        size_t best_shared = 0;

        for (uint32_t b = 0; b < a; b++) {
            const size_t shared = shared_numbers(&shelf.list[a], &shelf.list[b]);

            if (!taken[b % GROUPS] && shared > best_shared && shelf_related(&shelf, a, b)) {
                best = b;
                best_shared = shared;
            }
        }
        *more = best != a && count == most;
        if (best == a || *more)
            return count;
        taken[best % GROUPS] = true;
        found[count++] = best;
    }
}

struct pair_list {
    struct {
        uint32_t a, b;
    } list[1000];
    size_t count;
};

static int list_pair(void *arg, const struct pair *pair, struct error *error)
{
    struct pair_list *pairs = arg;

    (void)error;
    ck_assert_uint_lt(pairs->count, 1000);
    pairs->list[pairs->count].a = pair->a;
    pairs->list[pairs->count++].b = pair->b;
    return 0;
}

START_TEST(of_each_group_the_closest_is_found_and_at_most_so_many)
{
    enum { FROM = DOCUMENTS - 150, MOST = 3 };
    atomic_ullong cut = 0;
    const struct pairs_query query = {.from = FROM,
                                      .to = DOCUMENTS,
                                      .end = DOCUMENTS,
                                      .once = true,
                                      .within = true,
                                      .most = MOST,
                                      .cut = &cut,
                                      .group = remainder_group};
    struct pair_list seen = {0};
    struct pairs_plan plan;
    struct pairs *pairs;
    size_t at = 0, more = 0;

    begin(.3, 0);
    plan = plan_with(3);
    pairs = pairs_new(&plan, &err);
    ck_assert_int_eq(pairs_find(pairs, &query, list_pair, &seen, &err), 0);
    for (uint32_t a = FROM; a < DOCUMENTS; a++) {
        uint32_t expected[MOST];
        bool has_more;
        const size_t count = closest(a, MOST, expected, &has_more);

        for (size_t i = 0; i < count; i++, at++) {
            ck_assert_uint_eq(seen.list[at].a, a);
            ck_assert_uint_eq(seen.list[at].b, expected[i]);
        }
        more += has_more;
    }
    ck_assert_uint_eq(at, seen.count);
    ck_assert_uint_eq(cut, more);
    ck_assert(more > 0 && more < DOCUMENTS - FROM);
    pairs_free(pairs);
    end();
}
END_TEST

START_TEST(documents_are_measured_against_others)
{
    static struct likeness likenesses[DOCUMENTS];
    uint32_t others[DOCUMENTS];
    struct pairs_plan plan;
    struct pairs *pairs;

    begin(.9, 0);
    plan = plan_with(2);
    pairs = pairs_new(&plan, &err);
    for (uint32_t d = 0; d < DOCUMENTS; d++)
        others[d] = d % 7 ? (d * 31) % DOCUMENTS : d;
    ck_assert_int_eq(pairs_measure(pairs, others, likenesses, &err), 0);
    for (uint32_t d = 0; d < DOCUMENTS; d++)
        ck_assert_double_eq(likenesses[d].resemblance,
                            others[d] == d ? 0 : shelf_likeness(&shelf, d, others[d]).resemblance);
    pairs_free(pairs);
    end();
}
END_TEST

START_TEST(a_family_holds_together_though_all_its_fingerprints_are_common)
{
    static struct likeness likenesses[DOCUMENTS];
    struct postings_source source;
    uint32_t leaders[DOCUMENTS];
    uint64_t common;

    shelf = make_shelf(DOCUMENTS, 1);
    source = shelf_source(&shelf);
    for (size_t d = 0; d < DOCUMENTS; d++) { /* all of the same family, with one number of their own */
        shelf.list[d].count = 0;
        for (uint64_t k = 0; k < 20; k++)
            add_number(&shelf.list[d], 1000 + k);
        add_number(&shelf.list[d], 5000 + d);
    }
    shelf.limits = (struct likeness_limits){.resemblance = .5};
    shelf.postings = &postings;
    ck_assert_int_eq(postings_build(&postings, &source, 100, &err), 0);
    ck_assert_uint_eq(postings.common, 20);
    for (unsigned threads = 1; threads <= 2; threads++) {
        const struct pairs_plan plan = plan_with(threads);
        struct pairs *pairs = pairs_new(&plan, &err);

        ck_assert_int_eq(linkage_run(pairs, DOCUMENTS, leaders, &err), 0);
        ck_assert_uint_eq(count_clusters(leaders), 1);
        ck_assert_int_eq(greedy_run(&plan, &postings, leaders, likenesses, &common, &err), 0);
        ck_assert_uint_eq(count_clusters(leaders), 1);
        ck_assert_uint_eq(common, 0);
        pairs_free(pairs);
    }
    end();
}
END_TEST

START_TEST(common_fingerprints_of_clusters_are_counted)
{
    static struct likeness likenesses[DOCUMENTS];
    struct postings_source source;
    uint32_t leaders[DOCUMENTS];
    struct pairs_plan plan;
    struct postings few;
    uint64_t common;

    begin(.9, 0);
    source = shelf_source(&shelf);
    ck_assert_int_eq(postings_build(&few, &source, 3, &err), 0);
    shelf.postings = &few;
    plan = plan_with(2);
    ck_assert_int_eq(greedy_run(&plan, &few, leaders, likenesses, &common, &err), 0);
    ck_assert_uint_gt(common, 0);
    ck_assert_uint_le(common, few.common);
    postings_release(&few);
    end();
}
END_TEST

static int fail_at_once(void *arg, const struct pair *pair, struct error *error)
{
    (void)arg;
    return error_set(error, "pair %u", pair->a);
}

START_TEST(errors_and_the_wish_to_stop_end_the_search)
{
    const struct pairs_query query = {.to = DOCUMENTS, .end = DOCUMENTS};
    atomic_bool stop = true;
    uint32_t leaders[DOCUMENTS];
    struct pairs_plan plan;
    struct pairs *pairs;
    struct seen seen = {0};

    begin(.5, 0);
    plan = plan_with(2);
    pairs = pairs_new(&plan, &err);
    ck_assert_int_eq(pairs_find(pairs, &query, fail_at_once, NULL, &err), -1);
    ck_assert_int_eq(strncmp(err.text, "pair ", 5), 0);
    pairs_free(pairs);
    plan.stop = &stop;
    pairs = pairs_new(&plan, &err);
    ck_assert_int_eq(pairs_find(pairs, &query, see, &seen, &err), 1);
    ck_assert_int_eq(linkage_run(pairs, DOCUMENTS, leaders, &err), 1);
    pairs_free(pairs);
    end();
}
END_TEST

RUN_TESTS("linkage", single_linkage_finds_the_connected_components, greedy_clustering_equals_a_naive_one,
          all_pairs_are_found_in_order_with_any_number_of_threads,
          of_each_group_the_closest_is_found_and_at_most_so_many, documents_are_measured_against_others,
          a_family_holds_together_though_all_its_fingerprints_are_common,
          common_fingerprints_of_clusters_are_counted, errors_and_the_wish_to_stop_end_the_search)
