/* SPDX-License-Identifier: Apache-2.0 */
#include "match/limit.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"
#include "sample/sampler.h"
#include "set/known.h"

/* What is accepted as a match.  The rules themselves, with their reasons, are in the modules named here;
 * the_model_agrees_with_the_matcher fails if they differ. */
enum {
    SEEDS = 3,         /* support: CLOSE_SUPPORT */
    SOLID_ANCHORS = 3, /* merit */
    SOLID_BYTES = 128, /* merit: LEAST_SOLID */
    SOLID_GAPS = 4,    /* estimate_ranges */
    DENSE_ANCHORS = 12 /* merit; times a power of the density */
};

enum {
    /* Standard error at 95 %: a third of a percentage point. */
    TRIES = 4096,
    /* A fragment is given up at this many times C.  At a share of 99.9 % it takes less than 200. */
    LONGEST = 1024,
};

/*
 * The rate of samples in real content, of that in random bytes.  It differs from fragment to fragment, as
 * common words are sampled or not, and recur: it has a gamma distribution with this mean and shape.  They
 * were chosen on 9,000 fragments of 96 to 8,192 bytes of 980 files (programs, texts, sources), each at least
 * half of which varies (merit: RICH_BYTES).  The shares found and predicted differ by .029 on average; with
 * means that are .1 less or more, by .035 and .037; with those of the last line for all, by .042; and by .097
 * if the rate is always 1.
 */
static const struct rates {
    uint32_t most_c; /* at which the file is indexed */
    double mean;
    int shape;
} rates[] = {{32, 0.85, 5}, {64, 0.75, 4}, {UINT32_MAX, 0.7, 3}};

struct limit {
    uint64_t lens[TRIES]; /* at which each fragment is found, sorted; UINT64_MAX: it is not */
};

struct limit_search limit_search_of(const struct refset_info *info, uint64_t file_len, uint32_t object_c,
                                    double most_ln_e)
{
    const struct refset_counts *counts = &info->counts;
    const double sampled = (double)counts->samples * info->params.c;

    return (struct limit_search){.n = info->params.n,
                                 .reference_c = known_c(file_len, info->params.c),
                                 .object_c = object_c,
                                 .bytes = fmax(1, fmin(sampled, (double)counts->bytes)),
                                 .most_ln_e = most_ln_e};
}

/* ---- chance ---- */

/* Returns the next number above 0, at most 1, of a sequence (splitmix64). */
static double draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53 + 0x1p-53;
}

/* The rate of samples in a fragment, of that in random bytes. */
static double draw_rate(const struct limit_search *search, uint64_t *state)
{
    const struct rates *usual = rates;
    double sum = 0;

    if (search->is_even)
        return 1;
    while (search->reference_c > usual->most_c)
        usual++;
    for (int i = 0; i < usual->shape; i++)
        sum -= log(draw(state));
    return usual->mean * sum / usual->shape;
}

/* ---- one fragment ---- */

/* A fragment as far as it has grown. */
struct growth {
    uint64_t last, start; /* offsets of its last sample, and of the first one without a wide gap after it */
    uint32_t run;         /* samples from there on */
    uint32_t samples, seeds;
    double information; /* of all samples but the first, as in chance_line.h if all are as rare */
    bool is_solid;
};

static void take_sample(const struct limit_search *search, struct growth *g, uint64_t pos, bool is_seed)
{
    const uint64_t gap = pos - g->last;
    const double of_place = log((double)KNOWN_SYMBOLS * search->reference_c), of_set = log(search->bytes);

    if (g->samples)
        g->information += fmin(is_seed ? of_set : fmin(of_set, of_place), M_LN2 * (double)gap);
    if (g->samples == 0 || gap > (uint64_t)SOLID_GAPS * search->reference_c) {
        g->start = pos;
        g->run = 0;
    }
    g->last = pos;
    g->run++;
    g->samples++;
    g->seeds += is_seed;
    g->is_solid = g->is_solid || (g->run >= SOLID_ANCHORS && pos + search->n - g->start >= SOLID_BYTES);
}

static bool is_found(const struct limit_search *search, const struct growth *g)
{
    const double density = fmax(1, (double)SAMPLER_DEFAULT_C / search->reference_c);

    return g->seeds >= SEEDS && (g->is_solid || g->samples >= DENSE_ANCHORS * pow(density, 0.25)) &&
           log(g->samples) - g->information <= search->most_ln_e;
}

/* Returns the length at which the next fragment is found. */
static uint64_t grow(const struct limit_search *search, uint64_t *state)
{
    const uint32_t sparser = search->object_c > search->reference_c ? search->object_c : search->reference_c;
    const double seed_share = (double)search->reference_c / sparser;
    const double rate = fmin(0.9, draw_rate(search, state) / search->reference_c);
    const double most = (double)LONGEST * sparser;
    struct growth g = {.samples = 0};
    double pos = -1;

    do {
        pos += 1 + floor(log(draw(state)) / log1p(-rate));
        if (pos > most)
            return UINT64_MAX;
        take_sample(search, &g, (uint64_t)pos, draw(state) <= seed_share);
    } while (!is_found(search, &g));
    return (uint64_t)pos + search->n;
}

/* ---- all of them ---- */

static int by_len(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

struct limit *limit_new(const struct limit_search *search, struct error *err)
{
    struct limit *limit = memory_new(sizeof *limit, err);
    uint64_t state = 0;

    if (!limit)
        return NULL;
    for (size_t i = 0; i < TRIES; i++)
        limit->lens[i] = grow(search, &state);
    qsort(limit->lens, TRIES, sizeof *limit->lens, by_len);
    return limit;
}

void limit_free(struct limit *limit)
{
    free(limit);
}

double limit_share(const struct limit *limit, uint64_t len)
{
    const size_t found = SEARCH_FIRST(i, 0, TRIES, limit->lens[i] > len);

    return (double)found / TRIES;
}

uint64_t limit_len(const struct limit *limit, double share)
{
    return limit->lens[(size_t)ceil(share * TRIES) - 1];
}
