/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of random signatures per second of CPU time, at each level that the machine has: the best of five
 * runs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "bench.h"
#include "compare/distance.h"

enum { REFS = 500, QUERIES = 4, SYMBOLS = 64, RUNS = 5, LONGEST = 1100 };

struct set {
    uint8_t bytes[REFS][LONGEST];
    const uint8_t *refs[REFS];
    size_t lens[REFS];
};

/* Signatures of len symbols, give or take 10 %. */
static void set_fill(struct set *set, size_t len)
{
    for (size_t i = 0; i < REFS; i++) {
        set->refs[i] = set->bytes[i];
        set->lens[i] = len - len / 10 + random64() % (len / 5 + 1);
        for (size_t j = 0; j < set->lens[i]; j++)
            set->bytes[i][j] = (uint8_t)(random64() % SYMBOLS);
    }
}

static void die(const struct error *err)
{
    fprintf(stderr, "bench_distance: %s\n", err->text);
    exit(1);
}

/* Compares some of the signatures, as queries, with all. */
static void compare(const struct set *set, uint64_t *out)
{
    struct error err;

    for (size_t i = 0; i < QUERIES; i++) {
        struct distance_query *query = distance_query_new(set->refs[i], set->lens[i], &err);

        if (!query || distance_many(query, set->refs, set->lens, REFS, out, &err))
            die(&err);
        distance_query_free(query);
    }
}

/* Seconds for one comparison of all queries, taken over at least a fifth of a second. */
static double run(const struct set *set)
{
    static uint64_t out[REFS];
    double start = cpu_seconds(), now;
    unsigned times = 0;

    do {
        compare(set, out);
        times++;
        now = cpu_seconds();
    } while (now - start < 0.2);
    return (now - start) / times;
}

int main(void)
{
    static const size_t lens[] = {100, 250, 1000};
    static struct set set;

    for (enum cpu_level level = CPU_SCALAR; level <= CPU_AVX512; level++) {
        setenv("KITH_CPU", cpu_name(level), 1);
        if (cpu_level() != level)
            continue;
        for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
            double best = 1e9;

            set_fill(&set, lens[i]);
            for (int j = 0; j < RUNS; j++) {
                double seconds = run(&set);

                best = seconds < best ? seconds : best;
            }
            printf("distance_many %s %zu %.0f pairs/s\n", cpu_name(level), lens[i], QUERIES * REFS / best);
        }
    }
    return 0;
}
