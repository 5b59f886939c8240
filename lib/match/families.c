/* SPDX-License-Identifier: Apache-2.0 */
#include "match/families.h"

#include <stdlib.h>
#include <string.h>

#include "set/keep.h"

enum {
    SKETCHES = 1 << 10, /* references whose sketches are kept: 528 KiB, */
    OUTCOMES = 1 << 12, /* and samples whose outcome is: 128 KiB */
    MOST_HASHES = 64,
    /* References of a sample that are compared with each other: all up to twice the number that seeds_is_rare
     * allows in any case, of more some. */
    MOST_COMPARED = 128,
    SOME_COMPARED = 64,
    WORK = 64, /* done for each of them, in samples (effort.h) */
    /* Near-copies have more than one in this many of all pairs of samples that either has: with half of each
     * in common it is a third. */
    ALIKE = 4,
    MOSTLY = 4, /* near-copies are most if at most one in this many is like no other */
};

struct families_sketch {
    const struct set *set; /* NULL: empty */
    uint64_t first;        /* number of the record's first sample */
    size_t count;
    uint64_t hashes[MOST_HASHES]; /* the smallest ones, ascending */
};

/* What is known of a sample. */
struct families_outcome {
    const struct set *set; /* NULL: nothing */
    uint64_t key;
    uint32_t files; /* as families_judge returns it */
    uint64_t work;
    uint64_t turn; /* in which it was last asked for */
};

void families_begin(struct families *families)
{
    families->turn++;
}

void families_release(struct families *families)
{
    free(families->sketches);
    free(families->outcomes);
    free(families->compared);
    set_hits_release(&families->hits);
    *families = (struct families){0};
}

/* ---- sketches ---- */

/* The finalizer of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static void add_hash(struct families_sketch *sketch, uint64_t hash)
{
    size_t at = sketch->count;

    if (at == MOST_HASHES && hash >= sketch->hashes[at - 1])
        return;
    while (at > 0 && sketch->hashes[at - 1] > hash)
        at--;
    if (at > 0 && sketch->hashes[at - 1] == hash)
        return;
    sketch->count += sketch->count < MOST_HASHES;
    memmove(sketch->hashes + at + 1, sketch->hashes + at, (sketch->count - 1 - at) * sizeof *sketch->hashes);
    sketch->hashes[at] = hash;
}

static void make_sketch(struct families_sketch *sketch, const struct places *places)
{
    sketch->count = 0;
    for (size_t i = 1; i < places->count; i++) {
        const uint64_t before = places_at(places, i - 1), here = places_at(places, i);
        const uint64_t distance = places_position(here) - places_position(before);
        const uint64_t characters =
            places_character(before) << PLACES_CHARACTER_BITS | places_character(here);

        add_hash(sketch, mix((distance << 2 * PLACES_CHARACTER_BITS | characters) + 1));
    }
}

/* Reads the sketch of a record; its count is 0 if it is no longer in the set. */
static int get_sketch(struct families *families, struct set *set, uint64_t first,
                      struct families_sketch *sketch, struct error *err)
{
    struct families_sketch *slot = &families->sketches[mix(first) % SKETCHES];
    const struct set_record *record;
    int there = 1;

    if (slot->set != set || slot->first != first) {
        there = set->does->record(set, first, &record, err);
        if (there < 0)
            return -1;
        make_sketch(slot, there ? &record->places : &(struct places){0});
        slot->set = set;
        slot->first = first;
    }
    *sketch = *slot;
    return 0;
}

/* Of the smallest hashes of both together, looks at the number that each has, and counts those that both
 * have. */
static bool are_alike(const struct families_sketch *a, const struct families_sketch *b)
{
    size_t i = 0, k = 0, all = 0, both = 0;

    while (all < MOST_HASHES && (i < a->count || k < b->count)) {
        const bool first = k == b->count || (i < a->count && a->hashes[i] <= b->hashes[k]);
        const bool second = i == a->count || (k < b->count && b->hashes[k] <= a->hashes[i]);

        i += first;
        k += second;
        both += first && second;
        all++;
    }
    return both * ALIKE > all;
}

/* ---- the references of a sample ---- */

/* Which of the hits show what kind of files have the sample: all if there are few, else some, evenly
 * spread; of a common one those that were chosen at random. */
static size_t select_hits(const struct families *families, const struct seeds *seeds, size_t *from)
{
    const uint32_t common = seeds->set->does->info(seeds->set)->params.common;
    const struct set_hits *hits = &families->hits;

    *from = hits->list[0].files > common && hits->count > keep_leading(common) ? keep_leading(common) : 0;
    return hits->count - *from <= MOST_COMPARED ? hits->count - *from : SOME_COMPARED;
}

/* Makes the sketches of the references; returns their number, or -1. */
static int gather(struct families *families, const struct seeds *seeds, struct error *err)
{
    struct set *set = seeds->set;
    size_t from, most = select_hits(families, seeds, &from), count = 0;

    for (size_t i = 0; i < most; i++) {
        const uint64_t sample = families->hits.list[from + i * (families->hits.count - from) / most].sample;
        uint64_t first, end;
        const int found = set->does->bounds(set, sample, &first, &end, err);

        if (found < 0 || (found && get_sketch(families, set, first, &families->compared[count++], err)))
            return -1;
    }
    return (int)count;
}

/* The number of references that are like none before them: of near-copies only the first. */
static size_t count_groups(const struct families_sketch *sketches, size_t count)
{
    size_t groups = 0;

    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        while (k < i && !are_alike(&sketches[i], &sketches[k]))
            k++;
        groups += k == i;
    }
    return groups;
}

/* Whether most of the files that have a sample are near-copies, or so few are not that the sample would be
 * rare without near-copies, judging by those that were compared; of a common sample these are too few to tell
 * how many. */
static bool is_family(const struct seeds *seeds, uint32_t files, size_t compared, size_t groups)
{
    if (files == compared)
        return seeds_is_rare(seeds, (uint32_t)groups);
    return MOSTLY * (groups - 1) <= compared ||
           (compared == SOME_COMPARED &&
            seeds_is_rare(seeds, (uint32_t)((double)files * (double)groups / (double)compared)));
}

static int examine(struct families *families, const struct seeds *seeds, struct families_outcome *outcome,
                   struct error *err)
{
    size_t groups;
    int count;

    families->hits.count = 0;
    if (seeds->set->does->hits(seeds->set, &outcome->key, 1, &families->hits, err))
        return -1;
    outcome->files = 0;
    outcome->work = families->hits.count * WORK;
    if (families->hits.count == 0 || families->hits.list[0].files == 0)
        return 0;
    count = gather(families, seeds, err);
    if (count < 0)
        return -1;
    groups = count_groups(families->compared, (size_t)count);
    if (groups && is_family(seeds, families->hits.list[0].files, (size_t)count, groups))
        outcome->files = families->hits.list[0].files;
    return 0;
}

static int make_room(struct families *families, struct error *err)
{
    if (families->compared)
        return 0;
    families->sketches = calloc(SKETCHES, sizeof *families->sketches);
    families->outcomes = calloc(OUTCOMES, sizeof *families->outcomes);
    families->compared = calloc(MOST_COMPARED, sizeof *families->compared);
    return families->sketches && families->outcomes && families->compared ? 0
                                                                          : error_set(err, "out of memory");
}

int families_judge(struct families *families, const struct seeds *seeds, uint64_t key, struct effort *effort,
                   uint32_t *files, struct error *err)
{
    struct families_outcome *outcome;

    if (make_room(families, err))
        return -1;
    outcome = &families->outcomes[mix(key) % OUTCOMES];
    if (!outcome->set || outcome->set != seeds->set || outcome->key != key) {
        *outcome = (struct families_outcome){.key = key};
        if (examine(families, seeds, outcome, err))
            return -1;
        outcome->set = seeds->set;
    }
    if (outcome->turn != families->turn)
        effort_add(effort, outcome->work);
    outcome->turn = families->turn;
    *files = outcome->files;
    return 0;
}
