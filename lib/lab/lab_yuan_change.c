/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/groups.h"
#include "cluster/hamming.h"
#include "lab/lab_clock.h"
#include "lab/lab_yuan_inner.h"

/* What Yuan et al. 2012 claim for alg.H in sections 3.2 and 4.2: the threshold can change, and groups can
 * come and go. */

enum {
    K = 400,
    QUERIES = 200,
    QUERIES_QUICK = 20,
    NUMBER = 5, /* of the group that is removed */
};

static uint32_t most_rh(void)
{
    return hamming_threshold(K, lab_yuan_r[0]);
}

/* n random fingerprints, m = rh + 3 at the least threshold. */
static struct groups *fill(const struct lab_run *run, uint32_t n, struct error *err)
{
    const struct groups_params params = {K, most_rh() + LAB_YUAN_C, most_rh()};
    struct groups *groups = groups_new(&params, err);
    uint64_t bits[LAB_YUAN_WORDS];
    struct lab_random random;

    lab_random_seed(&random, run->seed);
    for (uint32_t i = 0; groups && i < n; i++) {
        lab_yuan_randomise(&random, bits, K);
        if (groups_add(groups, i, bits, err)) {
            groups_free(groups);
            groups = NULL;
        }
    }
    return groups;
}

/* ---- the threshold ---- */

static const struct lab_column threshold_columns[] = {
    {"r", "", 2, false},
    {"rh", "bits", 0, false},
    {"c = m - rh", "groups", 0, false},
    {"alg.H", "s per 1,000 queries", LAB_SIGNIFICANT, false},
    {"candidates", "% of n", 3, false},
    {"queries of alg.G", "", LAB_SIGNIFICANT, false},
};

static int ignore(void *arg, uint64_t document, uint32_t distance, struct error *err)
{
    (void)arg, (void)document, (void)distance, (void)err;
    return 0;
}

static int add_threshold(const struct lab_run *run, struct groups *groups, double r, struct lab_table *table,
                         struct error *err)
{
    const uint32_t rh = hamming_threshold(K, r), m = groups_params(groups).m,
                   queries = run->quick ? QUERIES_QUICK : QUERIES;
    uint64_t bits[LAB_YUAN_WORDS];
    struct lab_random random;
    double start;

    if (groups_set_threshold(groups, rh, err) || groups_index(groups, GROUPS_H, err))
        return -1;
    lab_random_seed(&random, lab_random_mix(run->seed));
    groups_take_work(groups);
    start = lab_clock_seconds();
    for (uint32_t i = 0; i < queries; i++) {
        lab_yuan_randomise(&random, bits, K);
        if (groups_query(groups, GROUPS_H, bits, ignore, NULL, err))
            return -1;
    }
    lab_row(table);
    lab_number(table, 0, r);
    lab_number(table, 1, rh);
    lab_number(table, 2, m - rh);
    lab_number(table, 3, 1000 * (lab_clock_seconds() - start) / queries);
    lab_number(table, 4,
               100.0 * (double)groups_take_work(groups).candidates / queries / groups_count(groups));
    lab_number(table, 5, hamming_choices(m, m - rh));
    return 0;
}

static int run_thresholds(const struct lab_run *run, struct groups *groups, struct lab_document *out,
                          struct error *err)
{
    struct lab_table *table =
        lab_table(out, "yuan2012-thresholds", "One index of alg.H for all thresholds, k = 400, m = 63",
                  threshold_columns, sizeof threshold_columns / sizeof *threshold_columns);

    for (int i = 0; i <= 4; i++)
        if (add_threshold(run, groups, 0.7 + 0.05 * i, table, err))
            return -1;
    lab_remark(
        out,
        "Section 3.2: with alg.G, a change of r changes m and all queries, because the number of queries is "
        "tolerable only if c is small; the last column shows how many there would be with the same groups. "
        "alg.H only counts to another c.");
    return 0;
}

/* ---- groups ---- */

static const struct lab_column change_columns[] = {
    {"algorithm", "", LAB_WORDS, false}, {"building", "s", 2, false},
    {"adding a group", "s", 3, false},   {"removing a group", "s", 3, false},
    {"queries before", "", 0, false},    {"queries with one more", "", 0, false},
};

static int add_changes(struct groups *groups, enum groups_algorithm algorithm, const char *name,
                       const uint64_t *bits, struct lab_table *table, struct error *err)
{
    const uint32_t m = groups_params(groups).m, width = hamming_split(K, m, 0).width;
    double times[4] = {lab_clock_seconds()};

    if (groups_index(groups, algorithm, err))
        return -1;
    times[1] = lab_clock_seconds();
    if (groups_extend(groups, width, bits, err))
        return -1;
    times[2] = lab_clock_seconds();
    if (groups_drop(groups, NUMBER, err))
        return -1;
    times[3] = lab_clock_seconds();
    lab_row(table);
    lab_text(table, 0, "%s", name);
    for (size_t i = 0; i < 3; i++)
        lab_number(table, 1 + i, times[i + 1] - times[i]);
    lab_number(table, 4, algorithm == GROUPS_G ? hamming_choices(m, LAB_YUAN_C) : 1);
    lab_number(table, 5,
               algorithm == GROUPS_G ? hamming_choices(m + 1, hamming_threshold(K + width, lab_yuan_r[0]))
                                     : 1);
    return 0;
}

/* The bits of the group that is added. */
static uint64_t *make_bits(uint32_t n)
{
    const uint32_t width = hamming_split(K, most_rh() + LAB_YUAN_C, 0).width;
    uint64_t *bits = calloc(n, sizeof *bits);

    for (uint32_t i = 0; bits && i < n; i++)
        bits[i] = lab_random_mix(i) >> (64 - width);
    return bits;
}

static int run_changes(const struct lab_run *run, uint32_t n, struct lab_document *out, struct error *err)
{
    static const char *const names[] = {"alg.G", "alg.H"};
    struct lab_table *table =
        lab_table(out, "yuan2012-changes", "Adding a group of seven bits, and removing one", change_columns,
                  sizeof change_columns / sizeof *change_columns);
    uint64_t *bits = make_bits(n);
    int result = bits ? 0 : error_set(err, "out of memory");

    for (int i = GROUPS_G; result == 0 && i <= GROUPS_H; i++) {
        struct groups *groups = fill(run, n, err);

        result = groups ? add_changes(groups, (enum groups_algorithm)i, names[i], bits, table, err) : -1;
        groups_free(groups);
    }
    free(bits);
    lab_remark(
        out,
        "%u random fingerprints. A group is a part of the index of alg.H, and an index of its own with "
        "alg.G. What section 4.2 calls more "
        "troublesome with alg.G is what comes after: all queries change, since they name the groups, "
        "and there are more of them.",
        n);
    return result;
}

/* ---- wide groups ---- */

enum { COPIED = 50, WIDE_C = 3 };

static const struct lab_column wide_columns[] = {
    {"k", "bits", 0, false},
    {"m", "groups", 0, false},
    {"k / m", "bits", 1, false},
    {"rh", "bits", 0, false},
    {"planted", "within rh", 0, false},
    {"found by alg.G", "", 0, false},
    {"found by alg.H", "", 0, false},
    {"found by a scan", "", 0, false},
    {"different results", "queries", 0, false},
};

/* What queries found: how many, and a hash of which. */
struct found {
    uint64_t count, mix;
};

static int note_found(void *arg, uint64_t document, uint32_t distance, struct error *err)
{
    struct found *found = arg;

    (void)err;
    found->count++;
    found->mix += lab_random_mix(document * 65536 + distance);
    return 0;
}

/* Adds random fingerprints; the first ones are copied, with rh bits changed. */
static int add_copied(struct groups *groups, struct lab_random *random, uint32_t n,
                      uint64_t (*queries)[LAB_YUAN_WORDS], struct error *err)
{
    const struct groups_params params = groups_params(groups);
    uint64_t bits[LAB_YUAN_WORDS];

    for (uint32_t i = 0; i < n; i++) {
        lab_yuan_randomise(random, bits, params.k);
        if (i < COPIED)
            memcpy(queries[i], bits, sizeof bits);
        for (uint32_t k = 0; i < COPIED && k < params.rh; k++) {
            const uint64_t bit = lab_random_below(random, params.k);

            bits[bit / 64] ^= (uint64_t)1 << bit % 64;
        }
        if (groups_add(groups, i, bits, err))
            return -1;
    }
    return 0;
}

static int add_wide(const struct lab_run *run, uint32_t k, uint32_t m, struct lab_table *table,
                    struct error *err)
{
    const struct groups_params params = {k, m, m - WIDE_C};
    struct groups *groups = groups_new(&params, err);
    uint64_t queries[COPIED][LAB_YUAN_WORDS];
    double found[GROUPS_ALGORITHMS] = {0}, different = 0;
    struct lab_random random;
    int result;

    lab_random_seed(&random, lab_random_mix(run->seed) + k * m);
    result = groups ? add_copied(groups, &random, run->quick ? 1000 : 20000, queries, err) : -1;
    for (int i = 0; result == 0 && i < COPIED; i++) {
        struct found of[GROUPS_ALGORITHMS] = {{0, 0}};

        for (int a = 0; result == 0 && a < GROUPS_ALGORITHMS; a++) {
            result = groups_query(groups, (enum groups_algorithm)a, queries[i], note_found, &of[a], err);
            found[a] += (double)of[a].count;
        }
        different += of[GROUPS_G].mix != of[GROUPS_SCAN].mix || of[GROUPS_H].mix != of[GROUPS_SCAN].mix;
    }
    lab_row_numbers(table,
                    (const double[]){k, m, (double)k / m, params.rh, COPIED, found[GROUPS_G], found[GROUPS_H],
                                     found[GROUPS_SCAN], different},
                    9);
    groups_free(groups);
    return result;
}

static int run_wide(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const uint32_t sizes[][2] = {{400, 8}, {400, 6}, {1000, 12}, {1000, 8}};
    struct lab_table *table = lab_table(out, "yuan2012-wide", "Wide groups, c = 3", wide_columns,
                                        sizeof wide_columns / sizeof *wide_columns);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (add_wide(run, sizes[i][0], sizes[i][1], table, err))
            return -1;
    lab_remark(out, "Section 4.2 (2): with k/m above 64 the values must be strings. kith's are from 33 bits "
                    "on, since y also holds the "
                    "number of the group and has a sign.");
    return 0;
}

static int run_change(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    const uint32_t n = run->quick ? LAB_YUAN_N / 30 : LAB_YUAN_N;
    struct groups *groups = fill(run, n, err);
    int result = groups ? run_thresholds(run, groups, out, err) : -1;

    groups_free(groups);
    return result || run_changes(run, n, out, err) ? -1 : run_wide(run, out, err);
}

const struct lab_experiment lab_yuan_change = {"yuan2012-change",
                                               "yuan2012",
                                               "Yuan et al. 2012, sections 3.2 and 4.2",
                                               "Changing the threshold, adding and removing groups",
                                               LAB_USE_SEED | LAB_USE_QUICK,
                                               run_change};
