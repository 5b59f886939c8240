/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "lab/lab_random.h"
#include "lab/lab_tilt.h"
#include "match/chance_line.h"
#include "sample/sampler.h"

/*
 * Whether E is what it says: how many references have a line of matches with an E of at most each limit, in
 * objects that have nothing in common with them but what chance gives.
 *
 *     bench_chance KIND OBJECTS C FILE...
 *
 * Every second one of the files is a reference (up to 16 MiB of them), and the others are what else objects
 * are made of.  KIND is one of
 *
 *   samples    random samples of the references, 32 bytes from each other on average; chance is tilted
 *              (lab_tilt.h), so that E far below 1 / OBJECTS can be tested
 *   windows    windows of 12 bytes from random places of the references, one after another
 *   phrases    the same with passages of 24 to 60 bytes
 *   order-N    made by a Markov chain: after N bytes comes what follows them somewhere in the other files
 *   permuted   pieces of the other files, each value x of a byte replaced by ax + b, at random
 *   shifted    the same with x + b
 *
 * or `all`.  It prints observed / expected, and for samples the standard error of that.
 */
enum {
    OBJECT_LEN = 4 << 10,
    N = SAMPLER_DEFAULT_N,
    SLOTS = OBJECT_LEN / 32,
    MOST_TEXT = 16 << 20,
    MOST_HOLDERS = 256,
    DECADES = 12,
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

/* Files one after another. */
struct text {
    uint8_t *bytes;
    size_t len;
    size_t *starts;
    size_t files;
};

/* How many lines have an E of at most each limit, weighed. */
struct tally {
    double sum[DECADES], squares[DECADES];
};

static struct {
    struct text references, others;
    struct entry *entries; /* by fingerprint */
    size_t count, room;
    struct lab_tilt_sample *samples; /* the same by file and offset */
    struct lab_tilt *tilt;
    struct hit *hits;
    size_t hit_count, hit_room;
    struct chance_shares shares; /* of the object */
    uint32_t *holders;           /* of each of its samples */
    size_t holder_room;
    struct chance_match *line;
    struct chance_step *steps;
    size_t line_room;
    uint64_t *contexts;       /* of the places of the other files, above the places, sorted */
    uint32_t *firsts, *lasts; /* for each place: those with the same context */
    struct sampler *sampler;
    struct lab_random random;
    uint8_t object[OBJECT_LEN];
} bench;

static void fail(const char *what)
{
    fprintf(stderr, "bench_chance: %s\n", what);
    exit(1);
}

static uint64_t random_below(uint64_t limit)
{
    return lab_random_below(&bench.random, limit);
}

/* ---- references ---- */

static void read_file(struct text *text, const char *path)
{
    FILE *in = fopen(path, "rb");

    text->starts[text->files] = text->len;
    if (!in)
        return;
    text->len += fread(text->bytes + text->len, 1, MOST_TEXT - text->len, in);
    fclose(in);
    text->files += text->len > text->starts[text->files];
    text->starts[text->files] = text->len;
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
    const struct text *text = &bench.references;
    struct error err;

    for (size_t i = 0; i < text->files; i++) {
        const struct sampler_result result =
            take_samples(text->bytes + text->starts[i], text->starts[i + 1] - text->starts[i]);

        if (array_reserve(&bench.entries, &bench.room, bench.count + result.count))
            fail("out of memory");
        for (size_t k = 0; k < result.count; k++)
            bench.entries[bench.count++] =
                (struct entry){result.samples[k].fp, result.samples[k].pos, (uint32_t)i};
    }
    bench.samples = malloc((bench.count + 1) * sizeof *bench.samples);
    if (!bench.samples || bench.count == 0)
        fail("no samples");
    for (size_t i = 0; i < bench.count; i++)
        bench.samples[i] =
            (struct lab_tilt_sample){bench.entries[i].fp, bench.entries[i].pos, bench.entries[i].file};
    bench.tilt = lab_tilt_new(bench.samples, bench.count, &err);
    if (!bench.tilt)
        fail(err.text);
    qsort(bench.entries, bench.count, sizeof *bench.entries, by_fingerprint);
}

/* ---- objects ---- */

/* Passages of least to most bytes. */
static void make_passages(size_t least, size_t most)
{
    const struct text *text = &bench.references;
    size_t len;

    for (size_t at = 0; at < OBJECT_LEN; at += len) {
        len = least + random_below(most - least + 1);
        len = OBJECT_LEN - at < len ? OBJECT_LEN - at : len;
        memcpy(bench.object + at, text->bytes + random_below(text->len - most), len);
    }
}

static double make_samples(void)
{
    struct lab_tilt_slot slots[SLOTS];
    size_t count = 0;
    struct error err;
    double weight;

    for (size_t at = 0; count < SLOTS && at + N <= OBJECT_LEN; at += N + random_below(2 * 32 - 2 * N + 1))
        slots[count++].pos = at;
    weight = lab_tilt_draw(bench.tilt, &bench.random, slots, count, &err);
    if (weight < 0)
        fail(err.text);
    for (size_t i = 0; i < OBJECT_LEN; i++)
        bench.object[i] = (uint8_t)random_below(256);
    for (size_t i = 0; i < count; i++) {
        const struct lab_tilt_sample *sample = &bench.samples[slots[i].sample];

        memcpy(bench.object + slots[i].pos,
               bench.references.bytes + bench.references.starts[sample->reference] + sample->pos, N);
    }
    return weight;
}

static void make_shifted(unsigned times, unsigned more)
{
    const uint8_t *piece = bench.others.bytes + random_below(bench.others.len - OBJECT_LEN);

    for (size_t i = 0; i < OBJECT_LEN; i++)
        bench.object[i] = (uint8_t)(times * piece[i] + more);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sort_places(size_t order)
{
    const struct text *text = &bench.others;
    const size_t count = text->len - order;

    for (size_t i = 0; i < count; i++) {
        uint64_t context = 0;

        for (size_t k = 0; k < order; k++)
            context = context << 8 | text->bytes[i + k];
        bench.contexts[i] = context << 32 | (i + order);
    }
    qsort(bench.contexts, count, sizeof *bench.contexts, by_value);
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first; last < count && bench.contexts[last] >> 32 == bench.contexts[first] >> 32; last++)
            ;
        for (size_t i = first; i < last; i++) {
            bench.firsts[(uint32_t)bench.contexts[i]] = (uint32_t)first;
            bench.lasts[(uint32_t)bench.contexts[i]] = (uint32_t)last;
        }
    }
}

static void make_chain(size_t order)
{
    const struct text *text = &bench.others;
    size_t place = order;

    for (size_t at = 0; at < OBJECT_LEN; at++) {
        if (at == 0 || place >= text->len)
            place = order + random_below(text->len - order);
        place =
            (uint32_t)
                bench.contexts[bench.firsts[place] + random_below(bench.lasts[place] - bench.firsts[place])];
        bench.object[at] = text->bytes[place++];
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
        if (array_reserve(&bench.holders, &bench.holder_room, number + 1))
            fail("out of memory");
        bench.holders[number++] = (uint32_t)(last - first);
        if (array_reserve(&bench.hits, &bench.hit_room, bench.hit_count + last - first))
            fail("out of memory");
        for (size_t k = first; k < last; k++)
            bench.hits[bench.hit_count++] =
                (struct hit){bench.entries[k].file,
                             {.object = sample->pos,
                              .reference = bench.entries[k].pos,
                              .sample = sample->fp,
                              .number = number,
                              .information = log((double)bench.references.len / (double)(last - first))}};
    }
    chance_line_shares(&bench.shares, bench.holders, number);
    if (bench.hit_count)
        qsort(bench.hits, bench.hit_count, sizeof *bench.hits, by_file);
    return number;
}

static void count_line(const struct chance_search *search, size_t first, size_t count,
                       uint64_t observed[DECADES])
{
    double ln_e;

    if (array_reserve_all(&bench.line_room, count, ARRAY_PART(&bench.line), ARRAY_PART(&bench.steps)))
        fail("out of memory");
    for (size_t i = 0; i < count; i++)
        bench.line[i] = bench.hits[first + i].match;
    ln_e = chance_line_ln_e(search, bench.line, count, bench.steps);
    for (int k = 0; k < DECADES; k++)
        observed[k] += ln_e <= log(first_limit) - k * log(10);
}

static void count_lines(size_t samples, double weight, struct tally *tally)
{
    const struct text *text = &bench.references;
    uint64_t observed[DECADES] = {0};

    for (size_t first = 0, end; first < bench.hit_count; first = end) {
        const uint32_t file = bench.hits[first].file;
        const struct chance_search search = {.matches = (double)bench.hit_count,
                                             .bytes = (double)text->len,
                                             .samples = (double)samples,
                                             .length = (double)(text->starts[file + 1] - text->starts[file]),
                                             .shares = &bench.shares};

        for (end = first; end < bench.hit_count && bench.hits[end].file == file; end++)
            ;
        count_line(&search, first, end - first, observed);
    }
    for (int k = 0; k < DECADES; k++) {
        tally->sum[k] += weight * (double)observed[k];
        tally->squares[k] += weight * weight * (double)(observed[k] * observed[k]);
    }
}

/* ---- kinds ---- */

static const char *const names[] = {"samples", "windows", "phrases",  "order-1", "order-2",
                                    "order-3", "order-4", "permuted", "shifted"};
enum kind { SAMPLES, WINDOWS, PHRASES, ORDER_1, ORDER_2, ORDER_3, ORDER_4, PERMUTED, SHIFTED, KINDS };

/* Returns the weight of the object. */
static double make_object(enum kind kind)
{
    switch (kind) {
    case SAMPLES:
        return make_samples();
    case WINDOWS:
        make_passages(N, N);
        break;
    case PHRASES:
        make_passages(2 * N, 5 * N);
        break;
    case PERMUTED:
        make_shifted((unsigned)(2 * random_below(127) + 3), (unsigned)random_below(256));
        break;
    case SHIFTED:
        make_shifted(1, 1 + (unsigned)random_below(255));
        break;
    default:
        make_chain((size_t)(kind - ORDER_1) + 1);
    }
    return 1;
}

static void print_tally(enum kind kind, uint64_t objects, double hits, const struct tally *tally)
{
    const double n = (double)objects;

    printf("%-9s %9.1f", names[kind], hits / n);
    for (int k = 0; k < DECADES; k++)
        printf(" %9.3g", tally->sum[k] / n / (first_limit * pow(10, -k)));
    printf("\n");
    if (kind == SAMPLES) {
        printf("%-19s", "  standard error");
        for (int k = 0; k < DECADES; k++)
            printf(" %9.2g", sqrt(tally->squares[k]) / n / (first_limit * pow(10, -k)));
        printf("\n");
    }
    fflush(stdout);
}

static void run(enum kind kind, uint64_t objects)
{
    struct tally tally = {{0}, {0}};
    double hits = 0;

    if (kind >= ORDER_1 && kind <= ORDER_4)
        sort_places((size_t)(kind - ORDER_1) + 1);
    for (uint64_t i = 0; i < objects; i++) {
        const double weight = make_object(kind);
        const struct sampler_result result = take_samples(bench.object, OBJECT_LEN);
        const size_t samples = find_hits(&result);

        hits += weight * (double)bench.hit_count;
        count_lines(samples, weight, &tally);
    }
    print_tally(kind, objects, hits, &tally);
}

static void make_text(struct text *text, int files)
{
    text->bytes = malloc(MOST_TEXT);
    text->starts = calloc((size_t)files + 1, sizeof *text->starts);
    if (!text->bytes || !text->starts)
        fail("out of memory");
}

int main(int argc, char **argv)
{
    struct sampler_params params = {SAMPLER_GF8, N, 32, 0};
    struct error err;
    uint64_t objects;

    if (argc < 6)
        fail("usage: bench_chance KIND OBJECTS C FILE...");
    objects = strtoull(argv[2], NULL, 10);
    params.c = (uint32_t)strtoul(argv[3], NULL, 10);
    lab_random_seed(&bench.random, 1);
    make_text(&bench.references, argc);
    make_text(&bench.others, argc);
    bench.contexts = malloc(MOST_TEXT * sizeof *bench.contexts);
    bench.firsts = malloc(MOST_TEXT * sizeof *bench.firsts);
    bench.lasts = malloc(MOST_TEXT * sizeof *bench.lasts);
    bench.sampler = sampler_new(&params, &err);
    if (!bench.contexts || !bench.firsts || !bench.lasts || !bench.sampler)
        fail("out of memory, or C is no power of two");
    for (int i = 4; i < argc; i++)
        read_file(i % 2 ? &bench.others : &bench.references, argv[i]);
    if (bench.references.len < 4 * OBJECT_LEN || bench.others.len < 4 * OBJECT_LEN)
        fail("the files are too small");
    index_files();
    printf("# %zu references, %zu bytes, %zu samples; observed / expected lines with an E of at most\n",
           bench.references.files, bench.references.len, bench.count);
    printf("objects   hits each");
    for (int k = 0; k < DECADES; k++)
        printf(" %9.0e", first_limit * pow(10, -k));
    printf("\n");
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (strcmp(argv[1], "all") == 0 || strcmp(argv[1], names[kind]) == 0)
            run(kind, objects);
    return 0;
}
