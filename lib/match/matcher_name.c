/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "match/matcher_inner.h"
#include "set/known.h"

enum { SYMBOLS = KNOWN_SYMBOLS };

/* A sample of the object that was looked up and is one of the reference. */
struct anchor_pair {
    uint64_t pos; /* in the window */
    int64_t diagonal;
};

struct namer {
    struct anchor_pair *pairs; /* by pos */
    size_t count, room;
    bool *in_set; /* of each sample of the window: whether the set may have it */
    uint64_t *keys;
    uint32_t *passed;
    size_t window_room;
};

struct namer *matcher_name_new(struct error *err)
{
    struct namer *namer = calloc(1, sizeof *namer);

    if (!namer)
        error_set(err, "out of memory");
    return namer;
}

void matcher_name_free(struct namer *namer)
{
    if (!namer)
        return;
    free(namer->pairs);
    free(namer->in_set);
    free(namer->keys);
    free(namer->passed);
    free(namer);
}

static int make_room(struct namer *namer, size_t count, struct error *err)
{
    if (count <= namer->window_room)
        return 0;
    free(namer->in_set);
    free(namer->keys);
    free(namer->passed);
    namer->window_room = 2 * count;
    namer->in_set = malloc(namer->window_room * sizeof *namer->in_set);
    namer->keys = malloc(namer->window_room * sizeof *namer->keys);
    namer->passed = malloc(namer->window_room * sizeof *namer->passed);
    if (namer->in_set && namer->keys && namer->passed)
        return 0;
    namer->window_room = 0;
    return error_set(err, "out of memory for %zu samples", count);
}

/* What the set does not have at all is no sample of the reference, whatever its place and character. */
static int probe_window(struct namer *namer, const struct aligning *a)
{
    const struct record *window = a->window;
    size_t found;

    if (make_room(namer, window->count, a->err))
        return -1;
    for (size_t i = 0; i < window->count; i++) {
        namer->keys[i] = known_key(window->samples[i].fp);
        namer->in_set[i] = false;
    }
    found = refset_search_probe(a->search, namer->keys, window->count, namer->passed);
    for (size_t i = 0; i < found; i++)
        namer->in_set[namer->passed[i]] = true;
    return 0;
}

static int by_pos(const void *x, const void *y)
{
    const struct anchor_pair *a = x, *b = y;

    if (a->pos != b->pos)
        return a->pos < b->pos ? -1 : 1;
    return a->diagonal < b->diagonal ? -1 : a->diagonal > b->diagonal;
}

/* What was looked up and lies in the window. */
static int collect_pairs(struct namer *namer, const struct aligning *a)
{

    if (a->candidate->count > namer->room) {
        struct anchor_pair *pairs = realloc(namer->pairs, a->candidate->count * sizeof *pairs);

        if (!pairs)
            return error_set(a->err, "out of memory");
        namer->pairs = pairs;
        namer->room = a->candidate->count;
    }
    namer->count = 0;
    for (size_t i = 0; i < a->candidate->count; i++) {
        const struct match *match = &a->matches[a->candidate->first + i];
        const uint64_t pos = a->object->queries[match->query].pos;

        if (pos >= a->start && pos < a->end)
            namer->pairs[namer->count++] = (struct anchor_pair){
                pos - a->start,
                (int64_t)(pos - a->start - a->reference->samples[match->sample - a->place.first].pos)};
    }
    if (namer->count)
        qsort(namer->pairs, namer->count, sizeof *namer->pairs, by_pos);
    return 0;
}

static uint64_t scatter(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return x ^ x >> 32;
}

static bool is_named(const struct sample *sample)
{
    return sample->fp >= SYMBOLS;
}

/* The samples that were looked up. */
static void name_matches(const struct aligning *a)
{
    struct sample *samples = a->reference->samples;

    for (size_t i = 0; i < a->candidate->count; i++) {
        const struct match *match = &a->matches[a->candidate->first + i];

        samples[match->sample - a->place.first].fp = a->object->queries[match->query].fp;
    }
}

/* Whether the reference has this sample of the object on the diagonal: one at its place, with the same
 * character. */
static bool lies_on(const struct aligning *a, const struct sample *sample, int64_t diagonal)
{
    struct record *reference = a->reference;
    const int64_t at = (int64_t)sample->pos - diagonal;
    size_t j;

    if (at < 0 || (uint64_t)at >= reference->len)
        return false;
    j = places_find(a->places, (uint64_t)at, sample->fp % SYMBOLS);
    if (j == a->places->count)
        return false;
    if (!is_named(&reference->samples[j]))
        reference->samples[j].fp = sample->fp;
    return true;
}

/*
 * What lies on the diagonal of a match before or behind it is the same sample; or on that of the last one
 * which was found so, since matches of content that repeats mislead.
 */
static void name_neighbours(const struct namer *namer, const struct aligning *a)
{
    const struct record *window = a->window;
    int64_t last = a->candidate->cluster.low - (int64_t)a->start;
    size_t next = 0;

    for (size_t i = 0; i < window->count; i++) {
        const struct sample *sample = &window->samples[i];

        while (next < namer->count && namer->pairs[next].pos < sample->pos)
            next++;
        if (!namer->in_set[i] || lies_on(a, sample, last))
            continue;
        for (size_t side = next ? next - 1 : 0; side <= next && side < namer->count; side++)
            if (lies_on(a, sample, namer->pairs[side].diagonal)) {
                last = namer->pairs[side].diagonal;
                break;
            }
    }
    last = a->candidate->cluster.high - (int64_t)a->start;
    for (size_t i = window->count, pair = namer->count; i > 0; i--) {
        const struct sample *sample = &window->samples[i - 1];

        while (pair > 0 && namer->pairs[pair - 1].pos > sample->pos)
            pair--;
        if (namer->in_set[i - 1] && !lies_on(a, sample, last) && pair > 0 &&
            lies_on(a, sample, namer->pairs[pair - 1].diagonal))
            last = namer->pairs[pair - 1].diagonal;
    }
}

/* Of samples with the same fingerprint one may have been named. */
static void name_repeats(const struct aligning *a)
{
    struct sample *samples = a->reference->samples;

    for (size_t i = 0; i < a->repeat_count; i++)
        if (is_named(&samples[a->repeats[i].at]) && !is_named(&samples[a->repeats[i].first]))
            samples[a->repeats[i].first].fp = samples[a->repeats[i].at].fp;
    for (size_t i = 0; i < a->repeat_count; i++)
        if (!is_named(&samples[a->repeats[i].at]))
            samples[a->repeats[i].at].fp = samples[a->repeats[i].first].fp;
}

/* The rest get fingerprints of their own, which match nothing. */
static void name_strangers(const struct aligning *a)
{
    const struct record *reference = a->reference;
    const uint64_t most = UINT64_MAX / reference->params.c - SYMBOLS; /* no fingerprint is larger */

    for (size_t j = 0; j < reference->count; j++)
        if (!is_named(&reference->samples[j]))
            reference->samples[j].fp += scatter(j + 1) % most / SYMBOLS * SYMBOLS + SYMBOLS;
    name_repeats(a);
}

int matcher_name_run(struct namer *namer, const struct aligning *a)
{
    if (probe_window(namer, a) || collect_pairs(namer, a))
        return -1;
    name_matches(a);
    name_repeats(a);
    name_neighbours(namer, a);
    name_repeats(a);
    name_strangers(a);
    return 0;
}
