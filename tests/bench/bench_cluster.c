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
#include "cluster/clusters.h"

enum { SKETCH = 100, COMMON = 5, POOL = 20000, LARGEST_FAMILY = 40, HUGE_FAMILY = 1500, HUGE_EACH = 100000 };

/* Families of more than CLUSTERS_COMMON members, whose fingerprints lead to some of them only, are counted on
 * their own. */
enum { SMALL, HUGE, KINDS };

struct documents {
    uint64_t (*sketches)[SKETCH]; /* each ascending */
    uint32_t *families;
    size_t count;
    uint32_t *sizes;       /* by the number of a family */
    uint64_t truth[KINDS]; /* pairs of a family with an estimated resemblance of at least 0.5 */
};

static struct error err;

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

/* Broder 1997, theorem 1: of the smallest numbers of both, the share that both have. */
static double resemblance(const uint64_t *a, const uint64_t *b)
{
    unsigned shared = 0, i = 0, k = 0;

    for (unsigned seen = 0; seen < SKETCH; seen++) {
        shared += a[i] == b[k];
        if (a[i] == b[k]) {
            i++;
            k++;
        } else if (a[i] < b[k])
            i++;
        else
            k++;
    }
    return (double)shared / SKETCH;
}

static int kind_of(const struct documents *d, size_t document)
{
    return d->sizes[d->families[document]] > CLUSTERS_COMMON ? HUGE : SMALL;
}

static void add_family(struct documents *d, size_t at, size_t size)
{
    uint64_t first[SKETCH];

    d->sizes[at] = (uint32_t)size;
    make_sketch(first, NULL, 0);
    for (size_t i = 0; i < size; i++) {
        make_sketch(d->sketches[at + i], first, i ? (unsigned)(random64() % 40) : 0);
        d->families[at + i] = (uint32_t)at;
        for (size_t k = 0; k < i; k++)
            d->truth[kind_of(d, at + i)] += resemblance(d->sketches[at + i], d->sketches[at + k]) >= 0.5;
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
                          .sizes = calloc(count, sizeof *d.sizes),
                          .count = count};
    size_t size;

    if (!d.sketches || !d.families || !d.sizes)
        exit(2);
    for (size_t at = 0; at < count; at += size) {
        const size_t next = (at / HUGE_EACH + 1) * HUGE_EACH; /* where a huge family begins */

        size = 1;
        if (at % HUGE_EACH == 0 && count >= HUGE_EACH)
            size = HUGE_FAMILY;
        else if (random64() % 6 == 0) /* a sixth of the families have 40 % of the documents */
            for (size = 2; size < LARGEST_FAMILY && random64() % 3; size++)
                ;
        size = size < count - at ? size : count - at;
        size = size < next - at ? size : next - at;
        add_family(&d, at, size);
    }
    shuffle(&d);
    return d;
}

/* ---- the collection ---- */

static void add_sketch(struct collection *collection, const uint64_t *numbers, uint64_t number)
{
    struct sketch sketch = {.params = sketch_defaults(SKETCH_MIN), .len = 6000, .shingles = 6000 - 20 + 1};

    sketch.values = malloc(SKETCH * sizeof *sketch.values);
    if (!sketch.values)
        exit(2);
    memcpy(sketch.values, numbers, SKETCH * sizeof *sketch.values);
    sketch.count = sketch.room = SKETCH;
    sketch.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    number *= 0x9e3779b97f4a7c15u;
    memcpy(sketch.digests.bytes[DIGEST_SHA1], &number, sizeof number);
    need(collection_add_sketch(collection, &sketch, "", (struct collection_origin){.id = 0}, &err) == 0);
    sketch_release(&sketch);
}

/* ---- measuring ---- */

struct found {
    const struct documents *documents;
    uint64_t right[KINDS], wrong;
};

static int count_pair(void *arg, const struct pair *pair, struct error *error)
{
    struct found *found = arg;
    const bool right = found->documents->families[pair->a] == found->documents->families[pair->b];

    (void)error;
    if (right)
        found->right[kind_of(found->documents, pair->a)]++;
    else
        found->wrong++;
    return 0;
}

static void show(const char *what, size_t count, double seconds, const char *rest)
{
    printf("%9zu  %-12s %8.2f s %10.0f documents/s  %s\n", count, what, seconds, (double)count / seconds,
           rest);
    fflush(stdout);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 100;
}

static void measure_pairs(const struct documents *d, const struct collection *collection,
                          const struct clusters_options *options)
{
    struct found found = {.documents = d};
    const double start = seconds_now();
    struct clusters_pairs all = {0};
    char rest[300];

    need(clusters_find_pairs(collection, options, &all, count_pair, &found, &err) == 0);
    snprintf(rest, sizeof rest,
             "pairs of families found: %" PRIu64 " of %" PRIu64 " (%.1f %%), of more than %d: %" PRIu64
             " of %" PRIu64 " (%.1f %%); %" PRIu64 " others; %" PRIu64 " common fingerprints",
             found.right[SMALL], d->truth[SMALL], percent(found.right[SMALL], d->truth[SMALL]),
             CLUSTERS_COMMON, found.right[HUGE], d->truth[HUGE], percent(found.right[HUGE], d->truth[HUGE]),
             found.wrong, all.common);
    show("all pairs", d->count, seconds_now() - start, rest);
}

/* Members of families, and those that are in the cluster of the greatest part of their family. */
static void count_members(const struct documents *d, const struct clusters *clusters, uint64_t *all,
                          uint64_t *together)
{
    uint32_t *parts = calloc(d->count, sizeof *parts), *most = calloc(d->count, sizeof *most);

    if (!parts || !most)
        exit(2);
    for (size_t i = 0; i < d->count; i++)
        if (d->families[clusters->leaders[i]] == d->families[i])
            parts[clusters->leaders[i]]++;
    for (size_t i = 0; i < d->count; i++)
        if (parts[i] > most[d->families[i]])
            most[d->families[i]] = parts[i];
    for (size_t i = 0; i < d->count; i++)
        all[kind_of(d, i)] += d->sizes[d->families[i]] > 1;
    for (size_t i = 0; i < d->count; i++) /* by family, whose number is that of one place in it */
        if (d->sizes[i] > 1)
            together[d->sizes[i] > CLUSTERS_COMMON ? HUGE : SMALL] += most[i];
    free(parts);
    free(most);
}

static void measure_clusters(const struct documents *d, const struct collection *collection,
                             const struct clusters_options *options)
{
    const double start = seconds_now();
    uint64_t all[KINDS] = {0}, together[KINDS] = {0};
    struct clusters clusters;
    double seconds;
    char rest[300];

    need(clusters_find(&clusters, collection, options, &err) == 0);
    seconds = seconds_now() - start;
    count_members(d, &clusters, all, together);
    snprintf(rest, sizeof rest,
             "%zu clusters of %zu documents; members in their family's largest cluster: %" PRIu64
             " of %" PRIu64 " (%.1f %%), of more than %d: %" PRIu64 " of %" PRIu64 " (%.1f %%)",
             clusters.count, clusters.clustered, together[SMALL], all[SMALL],
             percent(together[SMALL], all[SMALL]), CLUSTERS_COMMON, together[HUGE], all[HUGE],
             percent(together[HUGE], all[HUGE]));
    show(clusters_method_name(options->method), d->count, seconds, rest);
    clusters_release(&clusters);
}

static void measure(size_t count, unsigned threads)
{
    struct documents d = make_documents(count);
    struct clusters_options options = {
        .limits = {.resemblance = 0.5}, .common = CLUSTERS_COMMON, .threads = threads};
    struct collection collection = {0};
    const double start = seconds_now();
    struct rusage usage;

    for (size_t i = 0; i < count; i++)
        add_sketch(&collection, d.sketches[i], i + 1);
    show("collect", count, seconds_now() - start, "");
    measure_clusters(&d, &collection, &options);
    options.method = CLUSTERS_SINGLE;
    measure_clusters(&d, &collection, &options);
    measure_pairs(&d, &collection, &options);
    getrusage(RUSAGE_SELF, &usage);
    printf("%9zu  memory       %8.0f MB, of these %.0f MB for a second copy of the sketches\n\n", count,
           (double)usage.ru_maxrss / 1024, (double)count * sizeof *d.sketches / 1048576);
    collection_release(&collection);
    free(d.sketches);
    free(d.families);
    free(d.sizes);
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
