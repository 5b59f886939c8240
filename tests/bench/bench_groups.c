/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retrieval of Hamming fingerprints, alg.G beside alg.H and a scan of all fingerprints (Yuan et al. 2012,
 * table 1): bench_groups [fingerprints [SECONDS [R]]].  r = 0.7; m = rh + 3, as in the paper, and the number
 * that should suit each algorithm best.  alg.G makes as many queries as fit into the seconds, at least one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cluster/groups.h"
#include "cluster/hamming.h"

enum { QUERIES = 200, MOST_WORDS = 16 };

static struct error err;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_groups: %s\n", err.text);
    exit(2);
}

static void make(uint64_t *bits, uint32_t k)
{
    for (size_t i = 0; i < hamming_words(k); i++)
        bits[i] = random64();
    if (k % 64)
        bits[k / 64] &= ((uint64_t)1 << k % 64) - 1;
}

static struct groups *fill(const struct groups_params *params, uint32_t n)
{
    struct groups *groups = groups_new(params, &err);
    uint64_t bits[MOST_WORDS];

    need(groups != NULL);
    for (uint32_t i = 0; i < n; i++) {
        make(bits, params->k);
        need(groups_add(groups, i, bits, &err) == 0);
    }
    return groups;
}

static int count(void *arg, uint64_t document, uint32_t distance, struct error *error)
{
    (void)document, (void)distance, (void)error;
    ++*(uint64_t *)arg;
    return 0;
}

struct cost {
    double index, query; /* CPU seconds */
    double entries, candidates;
};

static struct cost measure(struct groups *groups, enum groups_algorithm algorithm, double most_seconds)
{
    const uint32_t k = groups_params(groups).k;
    struct groups_work work;
    uint64_t query[MOST_WORDS], found = 0;
    struct cost cost;
    double start = cpu_seconds();
    int queries = 0;

    need(groups_index(groups, algorithm, &err) == 0);
    cost.index = cpu_seconds() - start;
    groups_take_work(groups);
    start = cpu_seconds();
    do {
        make(query, k);
        need(groups_query(groups, algorithm, query, count, &found, &err) == 0);
    } while (++queries < QUERIES && cpu_seconds() - start < most_seconds);
    cost.query = (cpu_seconds() - start) / queries;
    work = groups_take_work(groups);
    cost.entries = (double)work.entries / queries;
    cost.candidates = (double)work.candidates / queries;
    return cost;
}

/* At the number of groups that should be best for the algorithm. */
static struct cost measure_best(enum groups_algorithm algorithm, uint32_t k, uint32_t rh, uint32_t n,
                                double seconds, uint32_t *m)
{
    struct groups *groups;
    struct cost cost;

    *m = groups_best(algorithm, k, rh, n);
    groups = fill(&(struct groups_params){k, *m, rh}, n);
    cost = measure(groups, algorithm, seconds);
    groups_free(groups);
    return cost;
}

static void measure_all(uint32_t k, uint32_t rh, uint32_t n, double seconds)
{
    const struct groups_params params = {k, rh + 3, rh};
    struct groups *groups = fill(&params, n);
    const struct cost h = measure(groups, GROUPS_H, seconds), g = measure(groups, GROUPS_G, seconds),
                      scan = measure(groups, GROUPS_SCAN, seconds);
    uint32_t best_of_g, best_of_h;
    const struct cost best_g = measure_best(GROUPS_G, k, rh, n, seconds, &best_of_g),
                      best_h = measure_best(GROUPS_H, k, rh, n, seconds, &best_of_h);

    groups_free(groups);
    printf("%5u %5u %7.2f s %7.2f s %9.2f ms %7.2f ms %7.2f ms %6.0f %12.0f %9.0f %8.0f %6u %9.2f ms %6u "
           "%7.2f ms  %s\n",
           k, rh + 3, g.index, h.index, 1e3 * g.query, 1e3 * h.query, 1e3 * scan.query, g.query / h.query,
           g.entries, h.entries, h.candidates, best_of_g, 1e3 * best_g.query, best_of_h, 1e3 * best_h.query,
           groups_fastest(&(struct groups_params){k, best_of_h, rh}, n) == GROUPS_H ? "alg.H" : "scan");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const uint32_t all[] = {64, 100, 200, 400, 600, 1000};
    const uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 300000;
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 5, r = argc > 3 ? strtod(argv[3], NULL) : 0.7;

    printf(
        "%u fingerprints, r = %.2f; CPU time of a query; entries of index lists and candidates in a query;\n"
        "then each algorithm at its best m, and what --candidates hamming would choose\n",
        n, r);
    printf("%5s %5s %9s %9s %12s %10s %10s %6s %12s %9s %8s %6s %12s %6s %10s\n", "k", "m", "G index",
           "H index", "alg.G", "alg.H", "scan", "G : H", "G entries", "H", "cand.", "G m", "alg.G", "H m",
           "alg.H");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        measure_all(all[i], hamming_threshold(all[i], r), n, seconds);
    return 0;
}
