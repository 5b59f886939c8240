/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of clustering: bench_cluster [THREADS [DOCUMENTS...]].  Sketches of 100 numbers, of which 40 in
 * 100 lie in planted families of near-copies, as in Broder's web of 1997, and of which each has five numbers
 * from a pool that others have, too, some of them thousands.  The truth is known: all pairs of a family are
 * compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "cluster/greedy.h"
#include "cluster/linkage.h"

enum { SKETCH = 100, COMMON = 5, POOL = 20000, LARGEST_FAMILY = 40, MOST_SHARED = 1000 };

struct documents {
    uint64_t (*sketches)[SKETCH]; /* each ascending */
    uint32_t *families;
    size_t count;
    uint64_t truth; /* pairs of a family with a resemblance of at least 0.5 */
};

static struct error err;
static const struct likeness_limits limits = {.resemblance = 0.5};

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_cluster: %s\n", err.text);
    exit(2);
}

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- documents ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* A copy of the first member in which some numbers are new; and numbers of the pool, by Zipf's law. */
static void make_sketch(uint64_t *to, const uint64_t *first, unsigned changed)
{
    for (unsigned i = 0; i < SKETCH; i++)
        to[i] = first ? first[i] : random64();
    for (unsigned i = 0; i < changed; i++)
        to[random64() % SKETCH] = random64();
    for (unsigned i = 0; !first && i < COMMON; i++) {
        const uint64_t rank = POOL / (1 + random64() % POOL);

        to[random64() % SKETCH] = (rank + random64() % 3) * 0x9e3779b97f4a7c15u;
    }
    qsort(to, SKETCH, sizeof *to, compare_numbers);
}

static double resemblance(const uint64_t *a, const uint64_t *b)
{
    unsigned shared = 0, either = 0;

    for (unsigned i = 0, k = 0; i < SKETCH || k < SKETCH; either++) {
        const uint64_t x = i < SKETCH ? a[i] : UINT64_MAX, y = k < SKETCH ? b[k] : UINT64_MAX;
        const uint64_t least = x < y ? x : y;

        shared += x == y;
        while (i < SKETCH && a[i] == least)
            i++;
        while (k < SKETCH && b[k] == least)
            k++;
    }
    return (double)shared / either;
}

static void add_family(struct documents *d, size_t at, size_t size)
{
    uint64_t first[SKETCH];

    make_sketch(first, NULL, 0);
    for (size_t i = 0; i < size; i++) {
        make_sketch(d->sketches[at + i], first, i ? (unsigned)(random64() % 40) : 0);
        d->families[at + i] = (uint32_t)at;
        for (size_t k = 0; k < i; k++)
            d->truth += resemblance(d->sketches[at + i], d->sketches[at + k]) >= limits.resemblance;
    }
}

/* The documents of a family must not follow each other. */
static void shuffle(struct documents *d)
{
    for (size_t i = d->count - 1; i > 0; i--) {
        const size_t k = random64() % (i + 1);
        const uint32_t family = d->families[i];
        uint64_t sketch[SKETCH];

        memcpy(sketch, d->sketches[i], sizeof sketch);
        memcpy(d->sketches[i], d->sketches[k], sizeof sketch);
        memcpy(d->sketches[k], sketch, sizeof sketch);
        d->families[i] = d->families[k];
        d->families[k] = family;
    }
}

static struct documents make_documents(size_t count)
{
    struct documents d = {.sketches = malloc(count * sizeof *d.sketches),
                          .families = malloc(count * sizeof *d.families),
                          .count = count};
    size_t size;

    if (!d.sketches || !d.families)
        exit(2);
    for (size_t at = 0; at < count; at += size) {
        size = 1;
        if (random64() % 6 == 0) /* a sixth of the families have 40 % of the documents */
            for (size = 2; size < LARGEST_FAMILY && random64() % 3; size++)
                ;
        size = size < count - at ? size : count - at;
        add_family(&d, at, size);
    }
    shuffle(&d);
    return d;
}

/* ---- comparing ---- */

static struct postings_list list(const void *arg, uint32_t document)
{
    const struct documents *d = arg;

    return (struct postings_list){d->sketches[document], SKETCH, sizeof(uint64_t)};
}

static void *judge_open(const void *arg, struct error *error)
{
    (void)error;
    return (void *)(uintptr_t)arg;
}

static void judge_close(void *state)
{
    (void)state;
}

static bool judge_may(const void *state, uint32_t a, uint32_t b, uint32_t shared)
{
    (void)state;
    (void)a;
    (void)b;
    return likeness_may_meet(&limits, shared, COMMON, SKETCH, SKETCH, true);
}

static int judge_compare(void *state, uint32_t a, uint32_t b, struct likeness *out, struct error *error)
{
    const struct documents *d = state;

    (void)error;
    *out = (struct likeness){.resemblance = resemblance(d->sketches[a], d->sketches[b])};
    return out->resemblance >= limits.resemblance;
}

static void candidates(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                       struct overlap *overlap)
{
    postings_overlap(arg, document, from, before, overlap);
}

/* ---- measuring ---- */

struct found {
    const struct documents *documents;
    uint64_t right, wrong;
};

static int count_pair(void *arg, const struct pair *pair, struct error *error)
{
    struct found *found = arg;
    const bool right = found->documents->families[pair->a] == found->documents->families[pair->b];

    (void)error;
    found->right += right;
    found->wrong += !right;
    return 0;
}

static size_t count_clusters(const uint32_t *leaders, size_t count)
{
    uint32_t *sizes = calloc(count, sizeof *sizes);
    size_t clusters = 0;

    if (!sizes)
        exit(2);
    for (size_t i = 0; i < count; i++)
        clusters += ++sizes[leaders[i]] == 2;
    free(sizes);
    return clusters;
}

static void show(const char *what, const struct documents *d, double seconds, const char *rest)
{
    printf("%9zu  %-12s %8.2f s %10.0f documents/s  %s\n", d->count, what, seconds,
           (double)d->count / seconds, rest);
    fflush(stdout);
}

static void measure_pairs(const struct documents *d, const struct pairs_plan *plan)
{
    const struct pairs_query query = {.to = (uint32_t)d->count, .end = (uint32_t)d->count};
    struct found found = {.documents = d};
    const double start = seconds_now();
    struct pairs *pairs = pairs_new(plan, &err);
    char rest[200];

    need(pairs && pairs_find(pairs, &query, count_pair, &found, &err) == 0);
    snprintf(rest, sizeof rest,
             "%" PRIu64 " of %" PRIu64 " pairs found, %" PRIu64 " missed, %" PRIu64 " false", found.right,
             d->truth, d->truth - found.right, found.wrong);
    show("all pairs", d, seconds_now() - start, rest);
    pairs_free(pairs);
}

static void measure_clusters(const struct documents *d, const struct pairs_plan *plan,
                             const struct postings *postings)
{
    uint32_t *leaders = malloc(d->count * sizeof *leaders);
    struct likeness *likenesses = malloc(d->count * sizeof *likenesses);
    char rest[100];
    double start = seconds_now();
    struct pairs *pairs;
    uint64_t common;

    if (!leaders || !likenesses)
        exit(2);
    need(greedy_run(plan, postings, leaders, likenesses, &common, &err) == 0);
    snprintf(rest, sizeof rest, "%zu clusters", count_clusters(leaders, d->count));
    show("greedy", d, seconds_now() - start, rest);
    start = seconds_now();
    pairs = pairs_new(plan, &err);
    need(pairs && linkage_run(pairs, (uint32_t)d->count, leaders, &err) == 0);
    snprintf(rest, sizeof rest, "%zu clusters", count_clusters(leaders, d->count));
    show("single", d, seconds_now() - start, rest);
    pairs_free(pairs);
    free(leaders);
    free(likenesses);
}

static void measure(size_t count, unsigned threads)
{
    struct documents d = make_documents(count);
    const struct postings_source source = {count, list, &d};
    const double start = seconds_now();
    struct postings postings;
    struct pairs_plan plan = {.documents = count,
                              .candidates = candidates,
                              .arg = &postings,
                              .judge = {judge_open, judge_close, judge_may, judge_compare, &d},
                              .threads = threads};
    struct rusage usage;
    char rest[100];

    need(postings_build(&postings, &source, MOST_SHARED, &err) == 0);
    snprintf(rest, sizeof rest, "%" PRIu64 " fingerprints in more than %d left out", postings.common,
             MOST_SHARED);
    show("index", &d, seconds_now() - start, rest);
    measure_clusters(&d, &plan, &postings);
    measure_pairs(&d, &plan);
    getrusage(RUSAGE_SELF, &usage);
    printf("%9zu  memory       %8.0f MB, of these %.0f MB for the sketches\n\n", count,
           (double)usage.ru_maxrss / 1024, (double)count * sizeof *d.sketches / 1048576);
    postings_release(&postings);
    free(d.sketches);
    free(d.families);
}

int main(int argc, char **argv)
{
    const size_t usual[] = {10000, 100000, 1000000};
    const unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
    const int sizes = argc > 2 ? argc - 2 : 3;

    if (threads < 1 || threads > PAIRS_MOST_THREADS)
        return 2;
    for (int i = 0; i < sizes; i++) {
        /* each in a process of its own, for its memory */
        const pid_t child = fork();
        int status = 1;

        if (child == 0) {
            measure(argc > 2 ? (size_t)atoll(argv[i + 2]) : usual[i], threads);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 || status)
            return 2;
    }
    return 0;
}
