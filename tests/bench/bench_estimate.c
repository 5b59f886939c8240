/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How near the estimate is to the true distance, and how often its interval covers that, on edited texts:
 *
 *     bench_estimate C N LENGTH FILE...
 *
 * takes a piece of each file, edits it in 22 ways, and prints for each way the mean |estimate - truth| /
 * longer length of this estimate and of the papers' (with their own schemes at about the same C), and the
 * interval's coverage; then the time that an estimate takes.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compare/compare.h"
#include "compare/distance.h"
#include "compare/estimate.h"
#include "sample/coates.h"
#include "sample/sampler.h"

enum { MAX_LEN = 1 << 18, KINDS = 22, MAX_TEXTS = 4096 };

static const char *const kind_names[KINDS] = {
    "0.2 % substituted",
    "1 % substituted",
    "5 % substituted",
    "10 % substituted",
    "20 % substituted",
    "30 % substituted",
    "1 x 500 inserted",
    "5 x 500 inserted",
    "10 x 500 inserted",
    "1 x 500 replaced",
    "5 x 500 replaced",
    "10 x 500 replaced",
    "2 % of words deleted",
    "10 % of words deleted",
    "3 % of lines deleted",
    "20 % of lines deleted",
    "1 x 2000 deleted",
    "3 x 1000 deleted",
    "mixed",
    "between two texts",
    "unrelated",
    "identical",
};

static struct {
    uint8_t *p;
    size_t len;
} texts[MAX_TEXTS];
static size_t text_count;

static double random_share(void)
{
    return (double)(random64() >> 11) / 9007199254740992.0;
}

static void die(const char *what)
{
    fprintf(stderr, "bench_estimate: %s\n", what);
    exit(2);
}

/* ---- edits ---- */

/* A piece of some text. */
static void foreign(uint8_t *to, size_t len)
{
    size_t i;

    do
        i = random64() % text_count;
    while (texts[i].len <= len);
    memcpy(to, texts[i].p + random64() % (texts[i].len - len), len);
}

static size_t substitute(uint8_t *p, size_t len, double share)
{
    for (size_t i = 0; i < len; i++)
        if (random_share() < share)
            p[i] = (uint8_t)(32 + random64() % 95);
    return len;
}

static size_t insert(uint8_t *p, size_t len, int blocks, size_t size)
{
    for (int i = 0; i < blocks; i++, len += size) {
        size_t at = random64() % len;

        memmove(p + at + size, p + at, len - at);
        foreign(p + at, size);
    }
    return len;
}

static size_t replace(uint8_t *p, size_t len, int blocks, size_t size)
{
    for (int i = 0; i < blocks; i++)
        foreign(p + random64() % (len - size), size);
    return len;
}

/* Deletes a share of the pieces that end with one of the separators. */
static size_t delete_pieces(uint8_t *p, size_t len, const char *separators, double share)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < len; i = end) {
        for (end = i; end < len && !strchr(separators, p[end]);)
            end++;
        end += end < len;
        if (random_share() < share)
            continue;
        memmove(p + kept, p + i, end - i);
        kept += end - i;
    }
    return kept;
}

static size_t delete_blocks(uint8_t *p, size_t len, int blocks, size_t size)
{
    for (int i = 0; i < blocks; i++, len -= size) {
        size_t at = random64() % (len - size);

        memmove(p + at, p + at + size, len - at - size);
    }
    return len;
}

static size_t surround(uint8_t *p, size_t len)
{
    memmove(p + len, p, len);
    foreign(p, len);
    foreign(p + 2 * len, len);
    return 3 * len;
}

static size_t mix(uint8_t *p, size_t len)
{
    len = delete_pieces(p, len, " \n", 0.02);
    substitute(p, len, 0.01);
    replace(p, len, 2, 400);
    return insert(p, len, 2, 300);
}

static size_t edit(int kind, uint8_t *p, size_t len)
{
    static const double shares[] = {0.002, 0.01, 0.05, 0.1, 0.2, 0.3};
    static const int blocks[] = {1, 5, 10};

    if (kind < 6)
        return substitute(p, len, shares[kind]);
    if (kind < 9)
        return insert(p, len, blocks[kind - 6], 500);
    if (kind < 12)
        return replace(p, len, blocks[kind - 9], 500);
    switch (kind) {
    case 12:
        return delete_pieces(p, len, " \n", 0.02);
    case 13:
        return delete_pieces(p, len, " \n", 0.1);
    case 14:
        return delete_pieces(p, len, "\n", 0.03);
    case 15:
        return delete_pieces(p, len, "\n", 0.2);
    case 16:
        return delete_blocks(p, len, 1, 2000);
    case 17:
        return delete_blocks(p, len, 3, 1000);
    case 18:
        return mix(p, len);
    case 19:
        return surround(p, len);
    case 20:
        foreign(p, len);
        return len;
    default:
        return len;
    }
}

/* ---- estimates ---- */

struct signer {
    struct sampler *a, *b;
    struct sampler_params params;
};

static struct signer signers[SAMPLER_SCHEMES];
static struct estimator *estimator;
static struct error err;

static void make_signer(enum sampler_scheme scheme, uint32_t n, uint32_t c)
{
    struct signer *s = &signers[scheme];

    s->params = (struct sampler_params){scheme, n, c, 0};
    s->a = sampler_new(&s->params, &err);
    s->b = sampler_new(&s->params, &err);
    if (!s->a || !s->b)
        die(err.text);
}

static struct sampler_result sampled(struct sampler *sampler, const uint8_t *p, size_t len)
{
    sampler_begin(sampler, len);
    if (sampler_update(sampler, p, len, &err))
        die(err.text);
    return sampler_final(sampler);
}

static struct estimate estimated(const struct sampler_result *a, size_t a_len, const struct sampler_result *b,
                                 size_t b_len)
{
    const struct estimate_side x = {a->samples, a->count, a_len, a->coincidence},
                               y = {b->samples, b->count, b_len, b->coincidence};
    struct estimate out;

    if (estimate_run(estimator, &x, &y, signers[SAMPLER_GF8].params.n, signers[SAMPLER_GF8].params.c, NULL,
                     &out, &err))
        die(err.text);
    return out;
}

static uint64_t signature_distance(enum sampler_scheme scheme, const uint8_t *a, size_t a_len,
                                   const uint8_t *b, size_t b_len)
{
    static uint8_t x[3 * MAX_LEN], y[3 * MAX_LEN];
    struct sampler_result p = sampled(signers[scheme].a, a, a_len), q = sampled(signers[scheme].b, b, b_len);
    uint64_t distance;

    for (size_t i = 0; i < p.count; i++)
        x[i] = (uint8_t)sampler_symbol(&signers[scheme].params, p.samples[i].fp);
    for (size_t i = 0; i < q.count; i++)
        y[i] = (uint8_t)sampler_symbol(&signers[scheme].params, q.samples[i].fp);
    if (distance_exact(x, p.count, y, q.count, &distance, &err))
        die(err.text);
    return distance;
}

struct score {
    double error, error_2011, error_2015, width;
    int covered, count;
};

static void score_pair(struct score *score, const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    const double longer = (double)(a_len > b_len ? a_len : b_len);
    struct sampler_result p = sampled(signers[SAMPLER_GF8].a, a, a_len),
                          q = sampled(signers[SAMPLER_GF8].b, b, b_len);
    struct estimate e = estimated(&p, a_len, &q, b_len);
    uint64_t distance;
    double truth;

    if (distance_exact(a, a_len, b, b_len, &distance, &err))
        die(err.text);
    truth = (double)distance;
    score->error += fabs(e.edits - truth) / longer;
    score->covered += e.edits_low - 0.5 <= truth && truth <= e.edits_high + 0.5;
    score->width += (e.edits_high - e.edits_low) / longer;
    distance = signature_distance(SAMPLER_COATES2011, a, a_len, b, b_len);
    score->error_2011 +=
        fabs(coates_2011_edits(distance, signers[SAMPLER_COATES2011].params.c) - truth) / longer;
    distance = signature_distance(SAMPLER_COATES2015, a, a_len, b, b_len);
    score->error_2015 +=
        fabs(coates_2015_edits(distance, signers[SAMPLER_COATES2015].params.c, COATES_FACTOR) - truth) /
        longer;
    score->count++;
}

static void put_score(const char *name, const struct score *s)
{
    printf("estimate C=%u n=%u %-22s %.4f   2011 %.4f  2015 %.4f   interval covers %.3f, width %.3f\n",
           signers[SAMPLER_GF8].params.c, signers[SAMPLER_GF8].params.n, name, s->error / s->count,
           s->error_2011 / s->count, s->error_2015 / s->count, (double)s->covered / s->count,
           s->width / s->count);
}

static void time_estimates(const uint8_t *a, size_t len)
{
    enum { RUNS = 20000 };
    static uint8_t b[MAX_LEN];
    struct sampler_result p = sampled(signers[SAMPLER_GF8].a, a, len), q;
    double best = 1e9;

    memcpy(b, a, len);
    replace(b, len, 3, 300);
    substitute(b, len, 0.01);
    q = sampled(signers[SAMPLER_GF8].b, b, len);
    for (int try = 0; try < 5; try++) {
        double start = cpu_seconds(), taken;

        for (int i = 0; i < RUNS; i++)
            estimated(&p, len, &q, len);
        taken = cpu_seconds() - start;
        best = taken < best ? taken : best;
    }
    printf("estimate: %.1f us a pair at %zu samples\n", best / RUNS * 1e6, p.count);
}

static void load_text(const char *path, size_t least)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = malloc(MAX_LEN);
    size_t len = f && p ? fread(p, 1, MAX_LEN, f) : 0;

    if (f)
        fclose(f);
    if (len > least && text_count < MAX_TEXTS) {
        texts[text_count].p = p;
        texts[text_count++].len = len;
    } else {
        free(p);
    }
}

int main(int argc, char **argv)
{
    static uint8_t a[MAX_LEN], b[4 * MAX_LEN];
    struct score all = {0};
    uint32_t c, n;
    size_t len;

    if (argc < 6)
        die("usage: bench_estimate C N LENGTH FILE...");
    c = (uint32_t)strtoul(argv[1], NULL, 10);
    n = (uint32_t)strtoul(argv[2], NULL, 10);
    len = strtoul(argv[3], NULL, 10);
    if (len < 4000 || len > MAX_LEN / 4)
        die("LENGTH is out of bounds");
    for (int i = 4; i < argc; i++)
        load_text(argv[i], len);
    if (text_count < 4)
        die("too few files of that length");
    estimator = estimate_new(&err);
    if (!estimator)
        die(err.text);
    make_signer(SAMPLER_GF8, n, c);
    make_signer(SAMPLER_COATES2011, 4, (c * 101 / 128) | 1); /* not 128: that is the sum of four spaces */
    make_signer(SAMPLER_COATES2015, 9, (c * 101 / 128) | 1);
    for (int kind = 0; kind < KINDS; kind++) {
        struct score score = {0};

        for (size_t i = 0; i < text_count; i++) {
            memcpy(a, texts[i].p + random64() % (texts[i].len - len), len);
            memcpy(b, a, len);
            score_pair(&score, a, len, b, edit(kind, b, len));
        }
        put_score(kind_names[kind], &score);
        all.error += score.error / score.count;
        all.error_2011 += score.error_2011 / score.count;
        all.error_2015 += score.error_2015 / score.count;
        all.width += score.width / score.count;
        all.covered += score.covered;
        all.count += score.count;
    }
    printf("estimate C=%u n=%u mean of %d kinds, %zu texts of %zu bytes: %.4f   2011 %.4f  2015 %.4f   "
           "interval covers %.4f\n",
           c, n, KINDS, text_count, len, all.error / KINDS, all.error_2011 / KINDS, all.error_2015 / KINDS,
           (double)all.covered / all.count);
    for (size_t wanted = 200 * c, i = 0; i < text_count; i++)
        if (texts[i].len >= wanted) {
            time_estimates(texts[i].p, wanted);
            break;
        }
    return 0;
}
