/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "match/chance_line.h"
#include "sample/sampler.h"

/*
 * Whether E is what it says: how many references have a line of matches with an E of at most each limit, in
 * objects that have nothing in common with them but what chance gives.
 *
 *     bench_chance OBJECTS C FILE...
 *
 * The files, at most 16 MiB of them, are the references.  The objects are
 *
 *   windows    windows of 12 bytes from random places of the references, one after another
 *   order N    made by a Markov chain: after N bytes comes what follows them somewhere in the references
 *   permuted   pieces of the files, each value x of a byte replaced by 167 x + 13
 *   shifted    the same with x + 1
 */
enum {
    OBJECT_LEN = 16 << 10,
    N = SAMPLER_DEFAULT_N,
    MOST_TEXT = 16 << 20,
    MOST_HOLDERS = 256,
    DECADES = 10,
};

static const double first_limit = 1e3;

struct entry {
    uint64_t fp, pos;
    uint32_t file;
};

struct hit {
    uint32_t file;
    struct chance_match match;
};

static struct {
    uint8_t *text;
    size_t len;
    size_t *starts; /* of the files in the text */
    size_t files;
    struct entry *entries; /* by fingerprint */
    size_t count, room;
    struct hit *hits;
    size_t hit_count, hit_room;
    struct chance_match *line;
    struct chance_step *steps;
    size_t line_room;
    uint32_t *places; /* of the text, by the bytes before them */
    struct sampler *sampler;
    uint64_t state;
    uint8_t object[OBJECT_LEN];
} bench;

static void fail(const char *what)
{
    fprintf(stderr, "bench_chance: %s\n", what);
    exit(1);
}

static uint64_t random_below(uint64_t limit)
{
    uint64_t x = bench.state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (x ^ x >> 31) % limit;
}

/* ---- references ---- */

static void read_file(const char *path)
{
    FILE *in = fopen(path, "rb");

    bench.starts[bench.files] = bench.len;
    if (!in)
        return;
    bench.len += fread(bench.text + bench.len, 1, MOST_TEXT - bench.len, in);
    fclose(in);
    bench.files += bench.len > bench.starts[bench.files];
}

static struct sampler_result take_samples(const uint8_t *data, size_t len)
{
    struct error err;

    sampler_begin(bench.sampler, len);
    if (sampler_update(bench.sampler, data, len, &err))
        fail(err.text);
    return sampler_final(bench.sampler);
}

static int by_fingerprint(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->fp != y->fp)
        return x->fp < y->fp ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

static void index_files(void)
{
    bench.starts[bench.files] = bench.len;
    for (size_t i = 0; i < bench.files; i++) {
        const struct sampler_result result =
            take_samples(bench.text + bench.starts[i], bench.starts[i + 1] - bench.starts[i]);

        if (array_reserve(&bench.entries, &bench.room, bench.count + result.count))
            fail("out of memory");
        for (size_t k = 0; k < result.count; k++)
            bench.entries[bench.count++] =
                (struct entry){result.samples[k].fp, result.samples[k].pos, (uint32_t)i};
    }
    qsort(bench.entries, bench.count, sizeof *bench.entries, by_fingerprint);
}

/* ---- objects ---- */

static void make_windows(void)
{
    for (size_t at = 0; at < OBJECT_LEN; at += N) {
        const size_t len = OBJECT_LEN - at < N ? OBJECT_LEN - at : N;

        memcpy(bench.object + at, bench.text + random_below(bench.len - N), len);
    }
}

static void make_shifted(unsigned times, unsigned more)
{
    const uint8_t *piece = bench.text + random_below(bench.len - OBJECT_LEN);

    for (size_t i = 0; i < OBJECT_LEN; i++)
        bench.object[i] = (uint8_t)(times * piece[i] + more);
}

static size_t order_sorted;

static int by_context(const void *a, const void *b)
{
    return memcmp(bench.text + *(const uint32_t *)a - order_sorted,
                  bench.text + *(const uint32_t *)b - order_sorted, order_sorted);
}

static void sort_places(size_t order)
{
    order_sorted = order;
    for (size_t i = 0; i + order < bench.len; i++)
        bench.places[i] = (uint32_t)(i + order);
    qsort(bench.places, bench.len - order, sizeof *bench.places, by_context);
}

static void make_chain(size_t order)
{
    const size_t count = bench.len - order;

    memcpy(bench.object, bench.text + random_below(count), order);
    for (size_t at = order; at < OBJECT_LEN; at++) {
        const uint8_t *context = bench.object + at - order;
        const size_t first =
            SEARCH_FIRST(i, 0, count, memcmp(bench.text + bench.places[i] - order, context, order) >= 0);
        const size_t last =
            SEARCH_FIRST(i, first, count, memcmp(bench.text + bench.places[i] - order, context, order) > 0);

        bench.object[at] = last > first ? bench.text[bench.places[first + random_below(last - first)]]
                                        : bench.text[random_below(bench.len)];
    }
}

/* ---- lines ---- */

static int by_file(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->match.object != y->match.object)
        return x->match.object < y->match.object ? -1 : 1;
    return (x->match.reference > y->match.reference) - (x->match.reference < y->match.reference);
}

/* Returns the number of samples that the references have. */
static size_t find_hits(const struct sampler_result *result)
{
    uint32_t number = 0;

    bench.hit_count = 0;
    for (size_t i = 0; i < result->count; i++) {
        const struct sample *sample = &result->samples[i];
        const size_t first = SEARCH_FIRST(k, 0, bench.count, bench.entries[k].fp >= sample->fp),
                     last = SEARCH_FIRST(k, first, bench.count, bench.entries[k].fp > sample->fp);

        if (last == first || last - first > MOST_HOLDERS)
            continue;
        number++;
        if (array_reserve(&bench.hits, &bench.hit_room, bench.hit_count + last - first))
            fail("out of memory");
        for (size_t k = first; k < last; k++)
            bench.hits[bench.hit_count++] =
                (struct hit){bench.entries[k].file,
                             {.object = sample->pos,
                              .reference = bench.entries[k].pos,
                              .sample = sample->fp,
                              .number = number,
                              .information = log((double)bench.len / (double)(last - first))}};
    }
    if (bench.hit_count)
        qsort(bench.hits, bench.hit_count, sizeof *bench.hits, by_file);
    return number;
}

static void count_lines(size_t matches, size_t samples, uint64_t observed[DECADES])
{
    for (size_t first = 0, end; first < bench.hit_count; first = end) {
        const uint32_t file = bench.hits[first].file;
        const struct chance_search search = {
            (double)matches, (double)bench.len,
            (double)samples * (double)(bench.starts[file + 1] - bench.starts[file]), 0, N};
        double ln_e;

        for (end = first; end < bench.hit_count && bench.hits[end].file == file; end++)
            ;
        if (array_reserve_all(&bench.line_room, end - first, ARRAY_PART(&bench.line),
                              ARRAY_PART(&bench.steps)))
            fail("out of memory");
        for (size_t i = first; i < end; i++)
            bench.line[i - first] = bench.hits[i].match;
        ln_e = chance_line_ln_e(&search, bench.line, end - first, bench.steps);
        for (int k = 0; k < DECADES; k++)
            observed[k] += ln_e <= log(first_limit) - k * log(10);
    }
}

enum kind { WINDOWS, ORDER_1, ORDER_2, ORDER_3, ORDER_4, PERMUTED, SHIFTED, KINDS };

static void make_object(enum kind kind)
{
    switch (kind) {
    case WINDOWS:
        make_windows();
        break;
    case PERMUTED:
        make_shifted(167, 13);
        break;
    case SHIFTED:
        make_shifted(1, 1);
        break;
    default:
        make_chain((size_t)(kind - ORDER_1) + 1);
    }
}

static void run(enum kind kind, uint64_t objects)
{
    static const char *const names[] = {"windows", "order 1",  "order 2", "order 3",
                                        "order 4", "permuted", "shifted"};
    uint64_t observed[DECADES] = {0}, hits = 0;

    if (kind >= ORDER_1 && kind <= ORDER_4)
        sort_places((size_t)(kind - ORDER_1) + 1);
    for (uint64_t i = 0; i < objects; i++) {
        struct sampler_result result;
        size_t samples;

        make_object(kind);
        result = take_samples(bench.object, OBJECT_LEN);
        samples = find_hits(&result);
        hits += bench.hit_count;
        count_lines(bench.hit_count, samples, observed);
    }
    printf("%-9s %9.1f", names[kind], (double)hits / (double)objects);
    for (int k = 0; k < DECADES; k++)
        printf(" %9.3g", (double)observed[k] / ((double)objects * first_limit * pow(10, -k)));
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct sampler_params params = {SAMPLER_GF8, N, 32, 0};
    struct error err;
    uint64_t objects;

    if (argc < 4)
        fail("usage: bench_chance OBJECTS C FILE...");
    objects = strtoull(argv[1], NULL, 10);
    params.c = (uint32_t)strtoul(argv[2], NULL, 10);
    bench.text = malloc(MOST_TEXT);
    bench.places = malloc(MOST_TEXT * sizeof *bench.places);
    bench.starts = malloc(((size_t)argc + 1) * sizeof *bench.starts);
    bench.sampler = sampler_new(&params, &err);
    if (!bench.text || !bench.places || !bench.starts || !bench.sampler)
        fail("out of memory, or C is no power of two");
    for (int i = 3; i < argc; i++)
        read_file(argv[i]);
    if (bench.len < 4 * OBJECT_LEN)
        fail("the files are too small");
    index_files();
    printf("# %zu files, %zu bytes, %zu samples; observed / expected lines with an E of at most\n",
           bench.files, bench.len, bench.count);
    printf("objects   hits each");
    for (int k = 0; k < DECADES; k++)
        printf(" %9.0e", first_limit * pow(10, -k));
    printf("\n");
    for (enum kind kind = 0; kind < KINDS; kind++)
        run(kind, objects);
    return 0;
}
