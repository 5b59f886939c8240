/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "check_main.h"
#include "cluster/groups.h"
#include "cluster/hamming.h"

/* Fingerprints of which some are near others, their documents numbered 1000, 1007, 1014, ... */
static uint64_t *bits;
static size_t words;
static uint32_t count, width;
static struct error err;

static uint64_t document(uint32_t number)
{
    return 1000 + 7 * (uint64_t)number;
}

static uint64_t *fingerprint(uint32_t number)
{
    return bits + number * words;
}

static void flip(uint64_t *of, uint32_t i)
{
    of[i / 64] ^= (uint64_t)1 << i % 64;
}

/* Every other one is a copy of an earlier one with up to `most` bits changed, so that distances around rh
 * are frequent. */
static void make_fingerprints(uint32_t n, uint32_t k, uint32_t most)
{
    count = n;
    width = k;
    words = hamming_words(k);
    bits = calloc(n * words, sizeof *bits);
    ck_assert_ptr_nonnull(bits);
    for (uint32_t i = 0; i < n; i++) {
        if (i % 2) {
            memcpy(fingerprint(i), fingerprint((uint32_t)(random64() % i)), words * sizeof *bits);
            for (uint64_t flips = random64() % (most + 1); flips > 0; flips--)
                flip(fingerprint(i), (uint32_t)(random64() % k));
            continue;
        }
        for (uint32_t j = 0; j < k; j++)
            if (random64() >> 63)
                flip(fingerprint(i), j);
    }
}

static struct groups *make_groups(uint32_t m, uint32_t rh)
{
    const struct groups_params params = {width, m, rh};
    struct groups *groups = groups_new(&params, &err);

    ck_assert_msg(groups != NULL, "%s", err.text);
    return groups;
}

static void add(struct groups *groups, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++)
        ck_assert_int_eq(groups_add(groups, document(i), fingerprint(i), &err), 0);
}

/* ---- what is found ---- */

struct results {
    uint32_t next; /* document that brute force would not have passed yet */
    const uint64_t *query;
    uint32_t rh, found;
};

static uint32_t naive_distance(const uint64_t *a, const uint64_t *b)
{
    uint32_t distance = 0;

    for (size_t i = 0; i < words; i++)
        for (uint64_t x = a[i] ^ b[i]; x; x &= x - 1)
            distance++;
    return distance;
}

/* Brute force in step with the results. */
static int take(void *arg, uint64_t found, uint32_t distance, struct error *error)
{
    struct results *results = arg;
    uint32_t i = results->next;

    (void)error;
    while (i < count && naive_distance(results->query, fingerprint(i)) > results->rh)
        i++;
    ck_assert_uint_lt(i, count);
    ck_assert_uint_eq(found, document(i));
    ck_assert_uint_eq(distance, naive_distance(results->query, fingerprint(i)));
    results->next = i + 1;
    results->found++;
    return 0;
}

/* Returns how many were found. */
static uint32_t assert_query(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query)
{
    struct results results = {0, query, groups_params(groups).rh, 0};

    ck_assert_msg(groups_query(groups, algorithm, query, take, &results, &err) == 0, "%s", err.text);
    for (uint32_t i = results.next; i < count; i++)
        ck_assert_uint_gt(naive_distance(query, fingerprint(i)), results.rh);
    return results.found;
}

/* Queries that are documents, and ones that are not. */
static void assert_queries(struct groups *groups, enum groups_algorithm algorithm, unsigned queries)
{
    uint32_t found = 0;

    for (unsigned i = 0; i < queries; i++) {
        const uint64_t *one = fingerprint((uint32_t)(random64() % count));
        uint64_t query[160];

        memcpy(query, one, words * sizeof *query);
        for (uint64_t flips = random64() % 4; flips > 0; flips--)
            flip(query, (uint32_t)(random64() % width));
        found += assert_query(groups, algorithm, query);
    }
    ck_assert_uint_gt(found, 0);
}

static void assert_all(struct groups *groups, unsigned queries)
{
    for (int algorithm = 0; algorithm < GROUPS_ALGORITHMS; algorithm++)
        assert_queries(groups, (enum groups_algorithm)algorithm, queries);
}

/* Several k, r and m; the third and the last have groups too wide for numbers. */
START_TEST(alg_g_and_alg_h_find_what_brute_force_finds_among_10000)
{
    static const struct groups_params all[] = {
        {64, 6, 3}, {64, 12, 9}, {100, 2, 1}, {200, 18, 15}, {400, 63, 60}, {24, 24, 2}, {1000, 6, 5},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct groups *groups;

        make_fingerprints(10000, all[i].k, 2 * all[i].rh);
        groups = make_groups(all[i].m, all[i].rh);
        add(groups, 0, count);
        assert_queries(groups, GROUPS_H, 20);
        assert_queries(groups, GROUPS_SCAN, 5);
        assert_queries(groups, GROUPS_G, all[i].k == 400 ? 1 : 10);
        groups_free(groups);
        free(bits);
    }
}
END_TEST

START_TEST(documents_can_be_added_between_queries)
{
    struct groups *groups;

    make_fingerprints(1500, 64, 6);
    groups = make_groups(6, 4);
    for (uint32_t from = 0, step = 1; from < 1500; from += step, step = 1 + (uint32_t)(random64() % 400)) {
        count = from + step < 1500 ? from + step : 1500;
        add(groups, from, count);
        assert_all(groups, 4);
    }
    groups_free(groups);
    free(bits);
}
END_TEST

struct pairs {
    uint32_t one, other; /* where brute force is */
    uint32_t rh, found;
};

static bool is_pair(const struct pairs *at)
{
    return naive_distance(fingerprint(at->one), fingerprint(at->other)) <= at->rh;
}

static void step(struct pairs *at)
{
    if (++at->other >= count)
        at->other = ++at->one + 1;
}

static int take_pair(void *arg, uint64_t one, uint64_t other, uint32_t distance, struct error *error)
{
    struct pairs *at = arg;

    (void)error;
    while (at->one + 1 < count && !is_pair(at))
        step(at);
    ck_assert_uint_lt(at->one + 1, count);
    ck_assert_uint_eq(one, document(at->one));
    ck_assert_uint_eq(other, document(at->other));
    ck_assert_uint_eq(distance, naive_distance(fingerprint(at->one), fingerprint(at->other)));
    step(at);
    at->found++;
    return 0;
}

START_TEST(all_pairs_are_those_of_brute_force)
{
    static const struct groups_params all[] = {{64, 6, 3}, {100, 8, 6}, {90, 2, 1}};

    for (size_t i = 0; i < 3; i++)
        for (int algorithm = 0; algorithm < GROUPS_ALGORITHMS; algorithm++) {
            struct pairs pairs = {0, 1, all[i].rh, 0};
            atomic_ullong examined = 0;
            const struct groups_run run = {.threads = 1 + (unsigned)i, .count = &examined};
            struct groups *groups;

            make_fingerprints(500, all[i].k, 5);
            groups = make_groups(all[i].m, all[i].rh);
            add(groups, 0, count);
            ck_assert_int_eq(
                groups_pairs(groups, (enum groups_algorithm)algorithm, &run, take_pair, &pairs, &err), 0);
            ck_assert_uint_eq(atomic_load(&examined), count);
            for (; pairs.one + 1 < count; step(&pairs))
                ck_assert(!is_pair(&pairs));
            ck_assert_uint_gt(pairs.found, 20);
            groups_free(groups);
            free(bits);
        }
}
END_TEST

/* ---- stopping ---- */

struct stopping {
    atomic_bool stop;
    unsigned found, wanted;
};

static int stop_after(void *arg, uint64_t one, uint64_t other, uint32_t distance, struct error *error)
{
    struct stopping *stopping = arg;

    (void)one, (void)other, (void)distance, (void)error;
    if (++stopping->found == stopping->wanted)
        atomic_store(&stopping->stop, true);
    return 0;
}

START_TEST(a_search_for_pairs_can_be_stopped)
{
    struct stopping whole = {.wanted = UINT_MAX};
    struct groups *all;

    make_fingerprints(800, 64, 0);
    all = make_groups(6, 3);
    add(all, 0, count);
    ck_assert_int_eq(
        groups_pairs(all, GROUPS_H, &(struct groups_run){.threads = 1}, stop_after, &whole, &err), 0);
    groups_free(all);
    for (unsigned threads = 1; threads <= 3; threads += 2)
        for (unsigned wanted = 0; wanted <= 5; wanted += 5) {
            struct stopping stopping = {.stop = wanted == 0, .wanted = wanted};
            const struct groups_run run = {.threads = threads, .stop = &stopping.stop};
            struct groups *groups = make_groups(6, 3);

            add(groups, 0, count);
            ck_assert_int_eq(groups_pairs(groups, GROUPS_H, &run, stop_after, &stopping, &err), 1);
            ck_assert_uint_ge(stopping.found, wanted);
            ck_assert_uint_lt(stopping.found, wanted ? whole.found : 1);
            assert_all(groups, 3);
            groups_free(groups);
        }
    free(bits);
}
END_TEST

static int stop_pair(void *arg, uint64_t one, uint64_t other, uint32_t distance, struct error *error)
{
    (void)arg, (void)distance;
    return error_set(error, "stopped at %u, %u", (unsigned)one, (unsigned)other);
}

START_TEST(whoever_takes_the_pairs_can_stop)
{
    struct groups *groups;

    make_fingerprints(300, 64, 0);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        groups = make_groups(6, 3);
        add(groups, 0, count);
        ck_assert_int_eq(
            groups_pairs(groups, GROUPS_H, &(struct groups_run){.threads = threads}, stop_pair, NULL, &err),
            -1);
        ck_assert_str_eq(err.text, "stopped at 1000, 1007");
        groups_free(groups);
    }
    free(bits);
}
END_TEST

/* ---- long lists, wide groups ---- */

/* Groups of 33 bits, of which each is all zeros or all ones: their keys differ only in the number of the
 * group, which takes two bytes. */
START_TEST(more_than_256_groups_of_bytes_are_kept_apart)
{
    enum { M = 300, WIDTH = 33, RH = 280 };
    struct groups *groups;

    make_fingerprints(400, M * WIDTH, 0);
    for (uint32_t i = 0; i < count; i++) {
        memset(fingerprint(i), 0, words * sizeof *bits);
        for (uint32_t bit = 0; bit < M * WIDTH; bit += WIDTH)
            for (uint32_t j = 0; i % 3 != 1 && bit * 31 % 64 < 32 + i % 20 && j < WIDTH; j++)
                flip(fingerprint(i), bit + j);
        for (uint64_t flips = random64() % (RH + 40); flips > 0; flips--)
            flip(fingerprint(i), (uint32_t)(random64() % (M * WIDTH)));
    }
    groups = make_groups(M, RH);
    add(groups, 0, count);
    assert_queries(groups, GROUPS_H, 20);
    groups_free(groups);
    free(bits);
}
END_TEST

/* 63 lists of all documents: 63 entries for each of them. */
START_TEST(a_query_whose_lists_are_long_measures_all_distances)
{
    struct groups *groups;
    struct groups_work work;

    make_fingerprints(500, 64, 0);
    memset(bits, 0x5a, count / 2 * sizeof *bits);
    groups = make_groups(63, 3);
    add(groups, 0, count);
    ck_assert_uint_ge(assert_query(groups, GROUPS_H, bits), count / 2);
    work = groups_take_work(groups);
    ck_assert_uint_eq(work.candidates, count);
    ck_assert_uint_lt(work.entries, 18 * count);
    groups_free(groups);
    free(bits);
}
END_TEST

/* Lists of several rows, and counts of all documents. */
START_TEST(a_thousand_equal_documents_are_all_found)
{
    struct groups *groups;

    make_fingerprints(1000, 64, 0);
    memset(bits, 0x5a, count * sizeof *bits);
    groups = make_groups(5, 3);
    add(groups, 0, count);
    for (int algorithm = 0; algorithm < GROUPS_ALGORITHMS; algorithm++)
        ck_assert_uint_eq(assert_query(groups, (enum groups_algorithm)algorithm, bits), count);
    groups_free(groups);
    free(bits);
}
END_TEST

START_TEST(no_documents_have_no_results)
{
    const uint64_t query = 5;
    struct groups *groups;

    make_fingerprints(0, 64, 0);
    groups = make_groups(5, 3);
    for (int algorithm = 0; algorithm < GROUPS_ALGORITHMS; algorithm++) {
        assert_query(groups, (enum groups_algorithm)algorithm, &query);
        ck_assert_int_eq(groups_pairs(groups, (enum groups_algorithm)algorithm,
                                      &(struct groups_run){.threads = 2}, take_pair, NULL, &err),
                         0);
    }
    groups_free(groups);
    free(bits);
}
END_TEST

static int stop(void *arg, uint64_t found, uint32_t distance, struct error *error)
{
    (void)arg, (void)distance;
    return error_set(error, "stopped at %u", (unsigned)found);
}

START_TEST(whoever_takes_the_results_can_stop)
{
    struct groups *groups;

    make_fingerprints(100, 64, 0);
    groups = make_groups(5, 3);
    add(groups, 0, count);
    ck_assert_int_eq(groups_query(groups, GROUPS_H, bits, stop, NULL, &err), -1);
    ck_assert_str_eq(err.text, "stopped at 1000");
    assert_all(groups, 3);
    groups_free(groups);
    free(bits);
}
END_TEST

/* ---- groups that come and go ---- */

/* Takes away bits of all fingerprints, one by one. */
static void remove_naively(uint32_t first, uint32_t some)
{
    const size_t fewer = hamming_words(width - some);
    uint64_t *left = calloc(count * fewer, sizeof *left);

    ck_assert_ptr_nonnull(left);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0, to = 0; j < width; j++)
            if (j < first || j >= first + some) {
                left[i * fewer + to / 64] |= (fingerprint(i)[j / 64] >> j % 64 & 1) << to % 64;
                to++;
            }
    free(bits);
    bits = left;
    width -= some;
    words = fewer;
}

/* Appends random bits to all fingerprints and to the groups. */
static void extend(struct groups *groups, uint32_t some)
{
    const size_t more = hamming_words(some), longer = hamming_words(width + some);
    uint64_t *tails = calloc(count * more, sizeof *tails), *all = calloc(count * longer, sizeof *all);

    ck_assert(tails && all);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(all + i * longer, fingerprint(i), words * sizeof *all);
        for (uint32_t j = 0; j < some; j++)
            if (random64() % 8 == 0) {
                flip(tails + i * more, j);
                flip(all + i * longer, width + j);
            }
    }
    ck_assert_msg(groups_extend(groups, some, tails, &err) == 0, "%s", err.text);
    free(tails);
    free(bits);
    bits = all;
    width += some;
    words = longer;
}

static void drop(struct groups *groups, uint32_t number, uint32_t first, uint32_t some)
{
    ck_assert_msg(groups_drop(groups, number, &err) == 0, "%s", err.text);
    remove_naively(first, some);
    ck_assert_uint_eq(groups_params(groups).k, width);
}

/* The widest groups are such that keys are numbers, or bytes. */
START_TEST(groups_can_be_added_and_removed_at_any_time)
{
    for (uint32_t k = 88; k <= 88 * 5; k *= 5) {
        const uint32_t part = k / 8;
        struct groups *groups;

        make_fingerprints(600, k, 6);
        groups = make_groups(8, 5);
        add(groups, 0, 300);
        count = 300;
        assert_all(groups, 10);
        drop(groups, 2, 2 * part, part);
        assert_all(groups, 10);
        extend(groups, part); /* takes the place of the one that was dropped */
        extend(groups, 3);
        assert_all(groups, 10);
        ck_assert_int_eq(groups_set_threshold(groups, 8, &err), 0);
        assert_queries(groups, GROUPS_H, 20);
        ck_assert_int_eq(groups_set_threshold(groups, 4, &err), 0);
        drop(groups, 0, 0, part);
        drop(groups, groups_params(groups).m - 1, width - 3, 3);
        ck_assert_uint_eq(groups_params(groups).m, 7);
        assert_all(groups, 10);
        groups_free(groups);
        free(bits);
    }
}
END_TEST

static uint64_t entries_of(struct groups *groups, enum groups_algorithm algorithm)
{
    groups_take_work(groups);
    assert_query(groups, algorithm, bits);
    return groups_take_work(groups).entries;
}

START_TEST(a_group_that_is_removed_leaves_nothing_in_the_indexes)
{
    for (uint32_t k = 88; k <= 88 * 5; k *= 5)
        for (enum groups_algorithm algorithm = GROUPS_G; algorithm <= GROUPS_H; algorithm++) {
            const uint32_t part = k / 8;
            uint64_t *tails, entries;
            struct groups *groups;

            make_fingerprints(300, k, 6);
            groups = make_groups(8, 5);
            add(groups, 0, count);
            entries = entries_of(groups, algorithm);
            tails = calloc(count, sizeof *tails);
            ck_assert_ptr_nonnull(tails);
            for (uint32_t i = 0; i < count; i++)
                tails[i] = hamming_extract(fingerprint(i), k - part, part);
            ck_assert_int_eq(groups_drop(groups, 7, &err), 0);
            ck_assert_int_eq(groups_extend(groups, part, tails, &err), 0);
            ck_assert_uint_eq(entries_of(groups, algorithm), entries);
            groups_free(groups);
            free(tails);
            free(bits);
        }
}
END_TEST

/* ---- documents that come and go ---- */

static int ignore(void *arg, uint64_t found, uint32_t distance, struct error *error)
{
    (void)arg, (void)found, (void)distance, (void)error;
    return 0;
}

/* The entries that queries for all fingerprints, and for one without bits, read. */
static uint64_t all_entries(struct groups *groups, enum groups_algorithm algorithm)
{
    const uint64_t none[8] = {0};

    groups_take_work(groups);
    for (uint32_t i = 0; i <= count; i++)
        ck_assert_int_eq(
            groups_query(groups, algorithm, i < count ? fingerprint(i) : none, ignore, NULL, &err), 0);
    return groups_take_work(groups).entries;
}

START_TEST(a_document_that_is_removed_leaves_nothing_in_the_indexes)
{
    for (uint32_t k = 88; k <= 88 * 5; k *= 5)
        for (enum groups_algorithm algorithm = GROUPS_G; algorithm <= GROUPS_H; algorithm++) {
            uint64_t entries;
            struct groups *groups;

            make_fingerprints(600, k, 6);
            groups = make_groups(8, 5);
            add(groups, 0, 400);
            for (uint32_t i = 0; i < 400; i += 2) { /* from the list, before it is made, and after */
                if (i == 200)
                    ck_assert_int_eq(groups_index(groups, algorithm, &err), 0);
                ck_assert_msg(groups_remove(groups, i, &err) == 0, "%s", err.text);
                ck_assert_ptr_null(groups_fingerprint(groups, i));
            }
            ck_assert_int_eq(groups_remove(groups, 0, &err), -1);
            ck_assert_int_eq(groups_remove(groups, 400, &err), -1);
            add(groups, 400, 600);
            entries = all_entries(groups, algorithm);
            groups_free(groups);
            groups = make_groups(8, 5);
            for (uint32_t i = 0; i < 600; i++)
                if (i >= 400 || i % 2)
                    ck_assert_int_eq(groups_add(groups, document(i), fingerprint(i), &err), 0);
            ck_assert_uint_eq(all_entries(groups, algorithm), entries);
            groups_free(groups);
            free(bits);
        }
}
END_TEST

/* ---- failures ---- */

/* The temporary database cannot roll back, so nothing may be read from it after a failed write. */
START_TEST(nothing_is_found_after_a_write_that_failed)
{
    struct rlimit limit, little;
    struct groups *groups;
    int result;

    signal(SIGXFSZ, SIG_IGN);
    make_fingerprints(14000, 400, 6); /* an index of 22 MB, more than SQLite keeps in memory */
    groups = make_groups(400, 1);
    add(groups, 0, count);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    little = (struct rlimit){4096, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little); /* not while Check writes to its own file */
    result = groups_index(groups, GROUPS_H, &err);
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(result, -1);
    ck_assert_msg(strstr(err.text, "the temporary fingerprint index") != NULL, "%s", err.text);
    for (int algorithm = 0; algorithm < GROUPS_ALGORITHMS; algorithm++) {
        ck_assert_int_eq(groups_query(groups, (enum groups_algorithm)algorithm, bits, take, NULL, &err), -1);
        ck_assert_str_eq(err.text, "an earlier write to the fingerprint index failed");
    }
    ck_assert_int_eq(groups_drop(groups, 0, &err), -1);
    ck_assert_int_eq(groups_extend(groups, 1, bits, &err), -1);
    groups_free(groups);
    free(bits);
}
END_TEST

/* ---- the domain ---- */

static void assert_refused(uint32_t k, uint32_t m, uint32_t rh, enum groups_algorithm algorithm,
                           const char *why)
{
    const struct groups_params params = {k, m, rh};

    err.text[0] = '\0';
    ck_assert_int_eq(groups_check(&params, algorithm, &err), -1);
    ck_assert_str_eq(err.text, why);
    if (algorithm == GROUPS_H)
        ck_assert_ptr_null(groups_new(&params, &err));
}

START_TEST(parameters_outside_the_domain_are_refused)
{
    const char *const m_of_3 =
        "fingerprints that differ in 3 bits may differ in all of 3 groups: more than 3 "
        "groups are needed";

    assert_refused(64, 3, 3, GROUPS_H, m_of_3);
    assert_refused(64, 3, 3, GROUPS_G, m_of_3);
    assert_refused(0, 0, 0, GROUPS_H, "fingerprints of 0 bits: expected 1 to 65535");
    assert_refused(65536, 4, 3, GROUPS_H, "fingerprints of 65536 bits: expected 1 to 65535");
    assert_refused(64, 0, 0, GROUPS_H, "0 groups of 64 bits: expected 1 to 64 groups");
    assert_refused(64, 65, 3, GROUPS_H, "65 groups of 64 bits: expected 1 to 64 groups");
    assert_refused(
        400, 100, 60, GROUPS_G,
        "alg.G would need 1.37e+28 queries, one for each choice of 40 of 100 groups; it is limited "
        "to 10000000");
}
END_TEST

START_TEST(one_bit_in_one_group_is_in_the_domain)
{
    struct groups *groups;

    make_fingerprints(20, 1, 1);
    groups = make_groups(1, 0);
    add(groups, 0, count);
    assert_all(groups, 10);
    groups_free(groups);
    free(bits);
}
END_TEST

START_TEST(fingerprints_with_more_than_k_bits_are_refused)
{
    struct groups *groups;

    make_fingerprints(10, 70, 0);
    groups = make_groups(5, 4);
    add(groups, 0, count);
    flip(bits, 70);
    ck_assert_int_eq(groups_add(groups, 1, bits, &err), -1);
    ck_assert_str_eq(err.text, "a fingerprint has more than 70 bits");
    ck_assert_int_eq(groups_query(groups, GROUPS_H, bits, stop, NULL, &err), -1);
    ck_assert_str_eq(err.text, "a fingerprint has more than 70 bits");
    flip(bits, 70);
    assert_all(groups, 10);
    groups_free(groups);
    free(bits);
}
END_TEST

START_TEST(changes_that_leave_the_domain_are_refused)
{
    struct groups *groups;

    make_fingerprints(10, 64, 0);
    groups = make_groups(5, 4);
    add(groups, 0, count);
    ck_assert_int_eq(groups_drop(groups, 1, &err), -1);
    ck_assert_str_eq(err.text,
                     "cannot remove one of 5 groups: fingerprints that differ in 4 bits may differ in "
                     "all others");
    ck_assert_int_eq(groups_drop(groups, 5, &err), -1);
    ck_assert_str_eq(err.text, "there is no group 5, only 5 groups");
    ck_assert_int_eq(groups_set_threshold(groups, 65, &err), -1);
    ck_assert_int_eq(groups_set_threshold(groups, 5, &err), 0);
    ck_assert_int_eq(groups_query(groups, GROUPS_H, bits, stop, NULL, &err), -1);
    assert_queries(groups, GROUPS_SCAN, 5);
    ck_assert_int_eq(groups_set_threshold(groups, 4, &err), 0);
    ck_assert_int_eq(groups_extend(groups, 14, bits, &err), -1);
    ck_assert_str_eq(err.text, "a group of 14 bits: expected 1 to 13");
    ck_assert_int_eq(groups_extend(groups, 0, bits, &err), -1);
    assert_all(groups, 10);
    groups_free(groups);
    free(bits);
}
END_TEST

/* Twelve groups are what section 5.3 has for k = 64 and r = 0.7; neither many more nor fewer can be best. */
START_TEST(the_best_number_of_groups_is_in_the_domain_and_reasonable)
{
    for (int algorithm = GROUPS_G; algorithm <= GROUPS_H; algorithm++)
        for (uint32_t k = 1; k <= 1000; k += 37)
            for (uint32_t rh = 0; rh < k; rh += 1 + k / 9) {
                const uint32_t m = groups_best((enum groups_algorithm)algorithm, k, rh, 300000);

                ck_assert_uint_gt(m, rh);
                ck_assert_uint_le(m, k);
            }
    ck_assert_uint_ge(groups_best(GROUPS_H, 64, 9, 300000), 11);
    ck_assert_uint_le(groups_best(GROUPS_H, 64, 9, 300000), 14);
}
END_TEST

/* Section 4: m look-ups for alg.H, m n_g entries; C(m, c) queries of at most c look-ups for alg.G. */
START_TEST(the_work_is_what_the_paper_counts)
{
    struct groups *groups;
    struct groups_work work;

    make_fingerprints(2000, 64, 64);
    groups = make_groups(8, 4);
    add(groups, 0, count);
    assert_query(groups, GROUPS_H, bits);
    work = groups_take_work(groups);
    ck_assert_uint_eq(work.queries, 0);
    ck_assert_uint_eq(work.lookups, 8);
    ck_assert_uint_ge(work.entries, work.candidates * 4);
    assert_query(groups, GROUPS_G, bits);
    work = groups_take_work(groups);
    ck_assert_uint_eq(work.queries, 70);
    ck_assert_uint_le(work.lookups, 4 * 70);
    ck_assert_uint_ge(work.lookups, 70);
    assert_query(groups, GROUPS_SCAN, bits);
    ck_assert_uint_eq(groups_take_work(groups).candidates, count);
    ck_assert_uint_eq(groups_take_work(groups).candidates, 0);
    groups_free(groups);
    free(bits);
}
END_TEST

RUN_TESTS("groups", a_document_that_is_removed_leaves_nothing_in_the_indexes,
          alg_g_and_alg_h_find_what_brute_force_finds_among_10000, documents_can_be_added_between_queries,
          all_pairs_are_those_of_brute_force, a_search_for_pairs_can_be_stopped,
          whoever_takes_the_pairs_can_stop, more_than_256_groups_of_bytes_are_kept_apart,
          a_query_whose_lists_are_long_measures_all_distances, a_thousand_equal_documents_are_all_found,
          no_documents_have_no_results, whoever_takes_the_results_can_stop,
          groups_can_be_added_and_removed_at_any_time, a_group_that_is_removed_leaves_nothing_in_the_indexes,
          nothing_is_found_after_a_write_that_failed, parameters_outside_the_domain_are_refused,
          one_bit_in_one_group_is_in_the_domain, fingerprints_with_more_than_k_bits_are_refused,
          changes_that_leave_the_domain_are_refused,
          the_best_number_of_groups_is_in_the_domain_and_reasonable, the_work_is_what_the_paper_counts)
