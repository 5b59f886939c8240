/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of every scheme of lib/sketch beside kith's own sampler, gf8, on the same text: windows of 10, 20
 * and 100 bytes, and of 4 and 10 words.  No digests.
 *
 *     bench_sketch [FILE]
 *
 * FILE is repeated, or cut, to a megabyte; by default the text is generated.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lab/lab_text.h"
#include "sample/sampler.h"
#include "sketch/sketch.h"

enum { LEN = 1 << 20, TRIES = 7, CASES = 5 };

static const struct {
    enum tokens_unit unit;
    uint32_t window;
} cases[CASES] = {
    {TOKENS_BYTES, 10}, {TOKENS_BYTES, 20}, {TOKENS_BYTES, 100}, {TOKENS_WORDS, 4}, {TOKENS_WORDS, 10}};

static const struct {
    enum sketch_scheme scheme;
    const char *name;
    uint32_t rate, size; /* 0: not used by the scheme, or its default */
} rows[] = {
    {SKETCH_MOD, "mod, 1 in 100", 100, 0},
    {SKETCH_MIN, "min, 100", 0, 100},
    {SKETCH_MINMOD, "minmod, 100, 1 in 25", 25, 100},
    {SKETCH_NESTED, "nested, 100", 0, 100},
    {SKETCH_BSW, "bsw, 100 tokens", 100, 0},
    {SKETCH_CHUNKS, "chunks, 1000 tokens", 1000, 0},
    {SKETCH_SHINGLES, "shingles (all)", 0, 0},
    {SKETCH_MINWISE, "minwise, 10", 0, 10},
    {SKETCH_MINWISE, "minwise, 100", 0, 100},
    {SKETCH_HAMMING, "hamming, 400 bits", 0, 400},
};

static void die(const char *what)
{
    fprintf(stderr, "bench_sketch: %s\n", what);
    exit(1);
}

static void fill(struct buffer *text, const char *path)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    struct lab_random random;

    lab_random_seed(&random, 1);
    if (path && !f)
        die("cannot open the file");
    if (!f) {
        lab_text_generate(&random, LEN, text);
    } else {
        char *to = buffer_extend(text, LEN);
        const size_t got = to ? fread(to, 1, LEN, f) : 0;

        if (got == 0)
            die("cannot read the file");
        for (size_t i = got; i < LEN; i++)
            to[i] = to[i - got];
        fclose(f);
    }
    if (text->failed)
        die("out of memory");
}

/* ---- measuring: the best of a few tries, in MB/s ---- */

static double mb_per_second(double seconds)
{
    return LEN / 1e6 / seconds;
}

static double sampler_speed(const struct buffer *text)
{
    const struct sampler_params params = sampler_defaults(SAMPLER_GF8);
    struct error err;
    struct sampler *sampler = sampler_new(&params, &err);
    double best = 1e9;

    if (!sampler)
        die(err.text);
    for (int try = 0; try < TRIES; try++) {
        const double start = cpu_seconds();

        sampler_begin(sampler, LEN);
        if (sampler_update(sampler, text->data, LEN, &err))
            die(err.text);
        sampler_final(sampler);
        best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
    }
    sampler_free(sampler);
    return mb_per_second(best);
}

static double sketch_speed(const struct sketch_params *params, const struct buffer *text)
{
    struct error err;
    struct sketcher *sketcher = sketch_new(params, &err);
    struct sketch sketch = {0};
    double best = 1e9;

    if (!sketcher)
        die(err.text);
    for (int try = 0; try < TRIES; try++) {
        const double start = cpu_seconds();

        if (sketch_bytes(sketcher, text->data, LEN, false, &sketch, &err))
            die(err.text);
        best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
    }
    sketch_release(&sketch);
    sketch_free(sketcher);
    return mb_per_second(best);
}

static struct sketch_params params_of(size_t row, size_t column)
{
    struct sketch_params params = sketch_defaults(rows[row].scheme);

    params.tokens = (struct tokens_rules){.unit = cases[column].unit};
    params.window = cases[column].window;
    if (rows[row].rate)
        params.rate = rows[row].rate;
    if (rows[row].size)
        params.size = rows[row].size;
    return params;
}

int main(int argc, char **argv)
{
    struct buffer text = {0};
    double gf8;

    fill(&text, argc > 1 ? argv[1] : NULL);
    gf8 = sampler_speed(&text);
    printf("%-21s %7.0f MB/s\n\n%-21s", "gf8, 1 in 128, n = 12", gf8, "MB/s (1 in N of gf8)");
    for (size_t i = 0; i < CASES; i++)
        printf("  %10s %3u", cases[i].unit == TOKENS_BYTES ? "bytes w =" : "words w =", cases[i].window);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        printf("\n%-21s", rows[row].name);
        for (size_t i = 0; i < CASES; i++) {
            const struct sketch_params params = params_of(row, i);
            const double speed = sketch_speed(&params, &text);

            printf("  %6.1f (%4.0f)", speed, gf8 / speed);
        }
    }
    printf("\n");
    buffer_release(&text);
    return 0;
}
