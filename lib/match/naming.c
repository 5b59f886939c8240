/* SPDX-License-Identifier: Apache-2.0 */
#include "match/naming.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "set/known.h"

enum { SYMBOLS = KNOWN_SYMBOLS };

/* A sample of the object that was looked up and is one of the reference's. */
struct anchor_pair {
    uint64_t pos; /* offset in the window */
    int64_t diagonal;
};

struct target {
    uint64_t pos, fp;
    uint64_t place; /* as in a list of places, if the reference began with the window */
};

struct namer {
    struct anchor_pair *pairs; /* sorted by pos */
    size_t count, room;
    struct target *targets; /* the samples of the window that may be in the set */
    size_t target_count;
    uint64_t *keys;
    uint32_t *passed;
    size_t window_room;
};

struct namer *naming_new(struct error *err)
{
    return memory_new(sizeof(struct namer), err);
}

void naming_free(struct namer *namer)
{
    if (!namer)
        return;
    free(namer->pairs);
    free(namer->targets);
    free(namer->keys);
    free(namer->passed);
    free(namer);
}

static int make_room(struct namer *namer, size_t count, struct error *err)
{
    if (array_reserve_all(&namer->window_room, count, ARRAY_PART(&namer->targets), ARRAY_PART(&namer->keys),
                          ARRAY_PART(&namer->passed)))
        return error_set(err, "out of memory for %zu samples", count);
    return 0;
}

/* Collects the window's samples that may be in the set: others cannot be samples of the reference, whatever
 * their place and character. */
static int probe_window(struct namer *namer, const struct naming *a, struct error *err)
{
    const struct record *window = a->window;
    const struct set *set = a->seeds->set;
    size_t found;

    if (make_room(namer, window->count, err))
        return -1;
    for (size_t i = 0; i < window->count; i++)
        namer->keys[i] = known_key(window->samples[i].fp);
    found = set->does->probe(set, namer->keys, window->count, namer->passed);
    for (size_t i = 0; i < found; i++) {
        const struct sample *sample = &window->samples[namer->passed[i]];

        namer->targets[i] = (struct target){sample->pos, sample->fp,
                                            sample->pos << PLACES_CHARACTER_BITS | sample->fp % SYMBOLS};
    }
    namer->target_count = found;
    return 0;
}

static int by_pos(const void *x, const void *y)
{
    const struct anchor_pair *a = x, *b = y;

    if (a->pos != b->pos)
        return a->pos < b->pos ? -1 : 1;
    return a->diagonal < b->diagonal ? -1 : a->diagonal > b->diagonal;
}

/* Collects the seeds of the chain that lie in the window. */
static int collect_pairs(struct namer *namer, const struct naming *a, struct error *err)
{
    const struct seed_chain *chain = a->chain;

    if (array_reserve(&namer->pairs, &namer->room, chain->count))
        return error_set(err, "out of memory for %zu matches", chain->count);
    namer->count = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const struct seed *seed = &a->seeds->list[chain->first + i];
        const uint64_t pos = a->queries->all[seed->query].pos;

        if (chains_has_seed(chain, seed) && pos >= a->start && pos < a->end)
            namer->pairs[namer->count++] = (struct anchor_pair){
                pos - a->start,
                (int64_t)(pos - a->start - a->reference->samples[seed->sample - chain->place.first].pos)};
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

/* Names the samples that were looked up. */
static void name_matches(const struct naming *a)
{
    struct sample *samples = a->reference->samples;

    for (size_t i = 0; i < a->chain->count; i++) {
        const struct seed *seed = &a->seeds->list[a->chain->first + i];

        if (chains_has_seed(a->chain, seed))
            samples[seed->sample - a->chain->place.first].fp = a->queries->all[seed->query].fp;
    }
}

/* Whether the reference has this sample of the object on the diagonal, that is, one at its place with the
 * same character; if so, names it. */
static bool lies_on(const struct naming *a, const struct target *target, int64_t diagonal)
{
    const size_t j =
        places_number(&a->record->places, target->place - ((uint64_t)diagonal << PLACES_CHARACTER_BITS));

    if (j == a->record->places.count)
        return false;
    if (!is_named(&a->reference->samples[j]))
        a->reference->samples[j].fp = target->fp;
    return true;
}

/*
 * A sample on the diagonal of the match before or after it is taken for the same sample; so is one on the
 * last diagonal on which this succeeded, since matches of repeated content mislead.  Usually these are one
 * diagonal.
 */
static void name_forth(const struct namer *namer, const struct naming *a)
{
    int64_t last = a->chain->cluster.low - (int64_t)a->start;
    size_t next = 0;

    for (size_t i = 0; i < namer->target_count; i++) {
        const struct target *target = &namer->targets[i];
        int64_t tried = last;

        while (next < namer->count && namer->pairs[next].pos < target->pos)
            next++;
        if (lies_on(a, target, last))
            continue;
        for (size_t side = next ? next - 1 : 0; side <= next && side < namer->count; side++) {
            const int64_t diagonal = namer->pairs[side].diagonal;

            if (diagonal != last && diagonal != tried && lies_on(a, target, diagonal)) {
                last = diagonal;
                break;
            }
            tried = diagonal;
        }
    }
}

static void name_back(const struct namer *namer, const struct naming *a)
{
    int64_t last = a->chain->cluster.high - (int64_t)a->start;

    for (size_t i = namer->target_count, pair = namer->count; i > 0; i--) {
        const struct target *target = &namer->targets[i - 1];

        while (pair > 0 && namer->pairs[pair - 1].pos > target->pos)
            pair--;
        if (!lies_on(a, target, last) && pair > 0 && namer->pairs[pair - 1].diagonal != last &&
            lies_on(a, target, namer->pairs[pair - 1].diagonal))
            last = namer->pairs[pair - 1].diagonal;
    }
}

/* Of samples with equal fingerprints some may have been named: names the others. */
static void name_repeats(const struct naming *a)
{
    const struct repeat *repeats = a->record->repeats;
    struct sample *samples = a->reference->samples;

    for (size_t i = 0; i < a->record->repeat_count; i++)
        if (is_named(&samples[repeats[i].at]) && !is_named(&samples[repeats[i].first]))
            samples[repeats[i].first].fp = samples[repeats[i].at].fp;
    for (size_t i = 0; i < a->record->repeat_count; i++)
        if (!is_named(&samples[repeats[i].at]))
            samples[repeats[i].at].fp = samples[repeats[i].first].fp;
}

/* All others match nothing, now and later.  Where the comparison thins samples by their fingerprints, they
 * need made-up ones. */
static void name_strangers(const struct naming *a)
{
    const struct record *reference = a->reference;
    const uint64_t most = UINT64_MAX / reference->params.c - SYMBOLS; /* upper limit of fingerprints */
    const bool own = reference->params.c < a->window->params.c;

    for (size_t j = 0; j < reference->count; j++) {
        struct sample *sample = &reference->samples[j];

        if (is_named(sample) && !a->alone[j])
            continue;
        sample->fp = sample->fp % SYMBOLS + SYMBOLS;
        if (own)
            sample->fp += scatter(j + 1) % most / SYMBOLS * SYMBOLS;
        a->alone[j] = !own;
    }
}

int naming_run(struct namer *namer, const struct naming *a, struct error *err)
{
    if ((!a->same_window && probe_window(namer, a, err)) || collect_pairs(namer, a, err))
        return -1;
    name_matches(a);
    name_repeats(a);
    name_forth(namer, a);
    name_back(namer, a);
    name_repeats(a);
    name_strangers(a);
    return 0;
}
