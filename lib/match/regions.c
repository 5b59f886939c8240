/* SPDX-License-Identifier: Apache-2.0 */
#include "match/regions.h"

#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "match/whole.h"

enum {
    MOST_REGIONS = 1 << 14, /* as many as chains: 3 MiB */
    /* Regions in the same place that are compared.  Halving it loses 2 of 107 references of the tar; doubling
     * it changes counts of near-copies in 51 rows, and copies take a quarter longer. */
    MOST_COMPARED = 8,
    /* ... and of those that seem no better than others there, all of which matches. */
    ENOUGH_BETTER = 3,
    ENOUGH_IN_HASTE = 1, /* once a quarter of the work is done */
    /* A file that is not much smaller than one that lies there bit for bit is its near-copy.  1 gains a
     * finding of copies; 4 loses 26 rows, of files that lie in others. */
    MUCH_LARGER = 2,
    /* Regions and findings in a place that are looked at in the time it takes to compare one sample
     * (effort.h). */
    LOOKS_A_SAMPLE = 8,
};

int regions_open(struct regions *regions, struct error *err)
{
    regions->list = malloc(MOST_REGIONS * sizeof *regions->list);
    regions->starts = malloc(MOST_REGIONS * sizeof *regions->starts);
    if (!regions->list || !regions->starts)
        return error_set(err, "out of memory");
    regions->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err);
    return regions->digest ? 0 : -1;
}

/* Frees what is kept of the places of regions and findings. */
static void forget_places(struct regions *regions)
{
    spans_release(&regions->compared);
    spans_release(&regions->found);
}

void regions_release(struct regions *regions)
{
    forget_places(regions);
    free(regions->starts);
    free(regions->list);
    rarity_release(&regions->rarity);
    digest_free(regions->digest);
    *regions = (struct regions){0};
}

/* ---- making them ---- */

/* The queries that it explains, of which those that few references have count most.  Rarity counts in
 * thousandths, so that equal ones are equal however they were rounded. */
static uint64_t weight_of(const struct region *region)
{
    return region->chain.support * (uint64_t)llround(1000 * region->rarity);
}

/* First the regions that need no comparison, by place; then those that explain most, of which those that may
 * only be reported as a whole come last; then those that are only counted. */
static int by_support(const void *a, const void *b)
{
    const struct region *r = a, *s = b;
    const struct seed_chain *x = &r->chain, *y = &s->chain;

    if (r->whole != s->whole)
        return r->whole ? -1 : 1;
    if (x->counted != y->counted)
        return y->counted ? -1 : 1;
    if (r->whole && x->cluster.main != y->cluster.main)
        return x->cluster.main < y->cluster.main ? -1 : 1;
    if (x->doubtful != y->doubtful)
        return y->doubtful ? -1 : 1;
    if (x->scattered != y->scattered)
        return y->scattered ? -1 : 1;
    if (x->common != y->common)
        return y->common ? -1 : 1;
    if (!r->whole && weight_of(r) != weight_of(s))
        return weight_of(r) > weight_of(s) ? -1 : 1;
    if (x->place.len != y->place.len)
        return x->place.len < y->place.len ? -1 : 1;
    if (x->place.file != y->place.file)
        return x->place.file < y->place.file ? -1 : 1;
    return x->cluster.low < y->cluster.low ? -1 : x->cluster.low > y->cluster.low;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Notes where the regions lie that need comparison, so that those in a place are found without looking at all
 * others. */
static int note_places(struct regions *regions, struct error *err)
{
    forget_places(regions);
    for (size_t i = 0; i < regions->count; i++)
        regions->starts[i] = regions->list[i].chain.cluster.start;
    if (regions->count)
        qsort(regions->starts, regions->count, sizeof *regions->starts, by_number);
    if (spans_open(&regions->compared, regions->starts, regions->count, err) ||
        spans_open(&regions->found, regions->starts, regions->count, err))
        return -1;
    for (size_t i = regions->wholes; i < regions->count; i++) {
        const struct seed_chain *chain = &regions->list[i].chain;

        if (!chain->counted &&
            spans_add(&regions->compared, chain->cluster.start, chain->cluster.end + 1, i, err))
            return -1;
    }
    return 0;
}

int regions_find(struct regions *regions, const struct chains *chains, const struct seeds *seeds,
                 const struct queries *queries, const struct subject *subject, struct error *err)
{
    regions->count = chains->count;
    regions->wholes = regions->next = 0;
    regions->all = chains->wanted.all;
    regions->cut = false;
    regions->effort = chains->wanted.effort;
    regions->haste = regions->effort->done + (regions->effort->most - regions->effort->done) / 4;
    if (chains->count && rarity_begin(&regions->rarity, seeds, queries, err))
        return -1;
    for (size_t i = 0; i < chains->count; i++)
        regions->list[i] = (struct region){.chain = chains->list[i],
                                           .rarity = rarity_of(&regions->rarity, &chains->list[i])};
    if (whole_mark(regions->digest, regions->list, regions->count, seeds, queries, subject, regions->effort,
                   err))
        return -1;
    if (regions->count)
        qsort(regions->list, regions->count, sizeof *regions->list, by_support);
    while (regions->wholes < regions->count && regions->list[regions->wholes].whole)
        regions->wholes++;
    return note_places(regions, err);
}

/* ---- what explains what ---- */

static bool covers(const struct region *region, const struct region *other)
{
    const struct cluster *cluster = &region->chain.cluster, *its = &other->chain.cluster;

    if (region->whole)
        return (uint64_t)cluster->main <= its->start &&
               its->end <= (uint64_t)cluster->main + region->chain.place.len;
    return cluster->start <= its->start && its->end <= cluster->end;
}

/* Returns a whole region that covers this one and is not much larger, or NULL. */
static struct region *whole_around(const struct regions *regions, const struct region *region)
{
    struct region *list = regions->list;
    size_t after = SEARCH_FIRST(i, 0, regions->wholes,
                                (uint64_t)list[i].chain.cluster.main > region->chain.cluster.start);

    for (size_t tries = 0; after > 0 && tries < MOST_COMPARED; tries++, after--)
        if (list[after - 1].finding && covers(&list[after - 1], region) &&
            region->chain.place.len >= list[after - 1].chain.place.len / MUCH_LARGER)
            return &list[after - 1];
    return NULL;
}

/* Counts near-copies of references that lie there bit for bit, which need no comparison. */
static void count_near_copies(struct regions *regions)
{
    for (size_t i = regions->wholes; i < regions->count; i++) {
        struct region *region = &regions->list[i], *whole = whole_around(regions, region);

        region->near = whole;
        if (whole)
            whole->also++;
    }
}

/* What is asked about a region. */
struct question {
    const struct regions *regions;
    const struct region *region;
    uint64_t *looks; /* how many others were looked at */
};

static bool covers_it(const void *arg, size_t number)
{
    const struct question *question = arg;
    const struct region *other = &question->regions->list[number];

    ++*question->looks;
    return !other->near && covers(other, question->region);
}

/* Whether the finding of a region, all of which matches, shows as much as one of the other region could: that
 * explains no more samples, and they are no larger share of its reference. */
static bool outdoes(const struct region *region, const struct region *other)
{
    const struct seed_chain *its = &other->chain;

    return region->finding && region->solid && region->span.obj_start <= its->start &&
           its->end <= region->span.obj_end && region->chain.support >= other->chain.support &&
           region->chain.place.len <= other->chain.place.len;
}

/*
 * Of many near-copies only those that explain most are compared, and a doubtful chain only where nothing else
 * was found.  Returns whether the region is one of the others, or was meant only to be counted; *best: the
 * region there that has a finding, or NULL if it is not to be counted.
 */
static bool is_one_of_many(const struct regions *regions, const struct question *question,
                           struct region **best)
{
    const struct region *region = question->region;
    size_t covering[MOST_COMPARED], count;
    const size_t enough = regions->effort->done < regions->haste ? ENOUGH_BETTER : ENOUGH_IN_HASTE;
    size_t better = 0;

    *best = NULL;
    if (regions->all)
        return false;
    count = spans_lowest(&regions->compared, region->chain.cluster.start, (size_t)(region - regions->list),
                         covers_it, question, covering, MOST_COMPARED);
    for (size_t i = 0; i < count && !*best; i++)
        if (regions->list[covering[i]].finding)
            *best = &regions->list[covering[i]];
    for (size_t i = 0; i < count; i++)
        better += outdoes(&regions->list[covering[i]], region);
    if (*best && region->chain.doubtful) {
        *best = NULL;
        return true;
    }
    return count == MOST_COMPARED || region->chain.counted || better >= enough;
}

static bool found_it(const void *arg, size_t number)
{
    const struct question *question = arg;
    const struct region *other = &question->regions->list[number];

    ++*question->looks;
    return other->chain.place.first == question->region->chain.place.first &&
           question->region->chain.cluster.end <= other->span.obj_end;
}

/* Whether the same reference was found there already, from other seeds. */
static bool is_found(const struct regions *regions, const struct question *question)
{
    return spans_first(&regions->found, question->region->chain.cluster.start, found_it, question) !=
           SPANS_NONE;
}

/* ---- one by one ---- */

static bool is_same_whole(const struct region *a, const struct region *b)
{
    return a->chain.place.first == b->chain.place.first && a->chain.cluster.main == b->chain.cluster.main;
}

/* Whether the next region is whole; skips the same one from another chain. */
static bool next_is_whole(struct regions *regions)
{
    const struct region *list = regions->list;

    while (regions->next > 0 && regions->next < regions->wholes &&
           is_same_whole(&list[regions->next], &list[regions->next - 1]))
        regions->next++;
    return regions->next < regions->wholes;
}

/* Whether the region is to be compared; if not, it is counted where it should be. */
static bool is_wanted(struct regions *regions, const struct region *region)
{
    uint64_t looks = 0;
    const struct question question = {regions, region, &looks};
    struct region *best = NULL;
    bool wanted = false;

    if (region->chain.counted || !is_found(regions, &question))
        wanted = !is_one_of_many(regions, &question, &best);
    if (!wanted && best)
        best->also++;
    effort_add(regions->effort, looks / LOOKS_A_SAMPLE);
    return wanted;
}

struct region *regions_next(struct regions *regions)
{
    const struct effort *effort = regions->effort;

    if (next_is_whole(regions))
        return &regions->list[regions->next++];
    if (regions->next == regions->wholes && !regions->all)
        count_near_copies(regions);
    while (regions->next < regions->count) {
        struct region *region = &regions->list[regions->next];

        if (effort_is_spent(effort)) {
            regions->cut = true;
            return NULL;
        }
        regions->next++;
        if (!region->near && is_wanted(regions, region))
            return region;
    }
    return NULL;
}

int regions_settle(struct regions *regions, struct region *region, const struct findings *findings,
                   struct error *err)
{
    const struct finding *finding = &findings->list[findings->count - 1];

    region->finding = findings->count;
    region->span = finding->span;
    region->solid = finding->matched >= finding->span.obj_end - finding->span.obj_start;
    return spans_add(&regions->found, region->span.obj_start, region->span.obj_end + 1,
                     (size_t)(region - regions->list), err);
}

static void count_in(const struct region *region, struct finding *finding)
{
    finding->also += region->also;
    if (region->chain.family > finding->family)
        finding->family = region->chain.family;
}

void regions_count(const struct regions *regions, struct findings *findings)
{
    for (size_t i = 0; i < regions->count; i++)
        if (regions->list[i].finding)
            count_in(&regions->list[i], &findings->list[regions->list[i].finding - 1]);
}
