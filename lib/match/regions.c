/* SPDX-License-Identifier: Apache-2.0 */
#include "match/regions.h"

#include <stdlib.h>

#include "base/search.h"
#include "match/whole.h"

enum {
    MOST_REGIONS = 1 << 14, /* as many as chains: 3 MiB */
    /* Regions in the same place that are compared.  Halving it loses 2 of 107 references of the tar; doubling
     * it changes counts of near-copies in 51 rows, and copies take a quarter longer. */
    MOST_COMPARED = 8,
    /* A file that is not much smaller than one that lies there bit for bit is its near-copy.  1 gains a
     * finding of copies; 4 loses 26 rows, of files that lie in others. */
    MUCH_LARGER = 2,
    /* The extra share of work that an object may take to compare what was found by then
     * (excessive_work_is_dropped_and_reported_and_findings_so_far_are_kept).  No object of the corpora needs
     * it. */
    MORE_WORK = 4,
};

int regions_open(struct regions *regions, struct error *err)
{
    regions->list = malloc(MOST_REGIONS * sizeof *regions->list);
    if (!regions->list)
        return error_set(err, "out of memory");
    regions->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err);
    return regions->digest ? 0 : -1;
}

void regions_release(struct regions *regions)
{
    free(regions->list);
    digest_free(regions->digest);
    *regions = (struct regions){0};
}

/* ---- making them ---- */

/* First the regions that need no comparison, by place; then those that explain most; then those that are only
 * counted. */
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
    if (!r->whole && x->support != y->support)
        return x->support > y->support ? -1 : 1;
    if (x->place.len != y->place.len)
        return x->place.len < y->place.len ? -1 : 1;
    if (x->place.file != y->place.file)
        return x->place.file < y->place.file ? -1 : 1;
    return x->cluster.low < y->cluster.low ? -1 : x->cluster.low > y->cluster.low;
}

int regions_find(struct regions *regions, const struct chains *chains, const struct seeds *seeds,
                 const struct queries *queries, const struct subject *subject, struct error *err)
{
    regions->count = chains->count;
    regions->wholes = regions->next = 0;
    regions->all = chains->wanted.all;
    regions->cut = false;
    regions->effort = chains->wanted.effort;
    for (size_t i = 0; i < chains->count; i++)
        regions->list[i] = (struct region){.chain = chains->list[i]};
    if (whole_mark(regions->digest, regions->list, regions->count, seeds, queries, subject, err))
        return -1;
    if (regions->count)
        qsort(regions->list, regions->count, sizeof *regions->list, by_support);
    while (regions->wholes < regions->count && regions->list[regions->wholes].whole)
        regions->wholes++;
    return 0;
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

/* Removes near-copies of references that lie there bit for bit from the list, and counts them. */
static void count_near_copies(struct regions *regions)
{
    size_t kept = regions->wholes;

    for (size_t i = regions->wholes; i < regions->count; i++) {
        struct region *whole = whole_around(regions, &regions->list[i]);

        if (whole)
            whole->also++;
        else
            regions->list[kept++] = regions->list[i];
    }
    regions->count = kept;
}

/*
 * Of many near-copies only those that explain most are compared, and a doubtful chain only where nothing else
 * was found.  Returns whether region `number` is one of the others, or was meant only to be counted; *best:
 * the region there that has a finding, or NULL if it is not to be counted.
 */
static bool is_one_of_many(const struct regions *regions, size_t number, struct region **best)
{
    struct region *list = regions->list;
    size_t covering = 0;

    *best = NULL;
    if (regions->all)
        return false;
    for (size_t i = regions->wholes; i < number && covering < MOST_COMPARED && !list[i].chain.counted; i++) {
        if (!covers(&list[i], &list[number]))
            continue;
        if (list[number].chain.doubtful && list[i].finding)
            return true;
        if (!*best && list[i].finding)
            *best = &list[i];
        covering++;
    }
    return covering >= MOST_COMPARED || list[number].chain.counted;
}

/* Whether the same reference was found there already, from other seeds. */
static bool is_found(const struct regions *regions, size_t number)
{
    const struct seed_chain *chain = &regions->list[number].chain;

    for (size_t i = 0; i < number; i++) {
        const struct region *other = &regions->list[i];

        if (other->chain.place.first == chain->place.first && other->finding &&
            other->span.obj_start <= chain->cluster.start && chain->cluster.end <= other->span.obj_end)
            return true;
    }
    return false;
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

struct region *regions_next(struct regions *regions)
{
    const struct effort *effort = regions->effort;
    struct region *region, *best;

    if (next_is_whole(regions))
        return &regions->list[regions->next++];
    if (regions->next == regions->wholes && !regions->all)
        count_near_copies(regions);
    while (regions->next < regions->count) {
        const size_t number = regions->next++;

        if (effort->done >= effort->most + effort->most / MORE_WORK) {
            regions->cut = true;
            return NULL;
        }
        region = &regions->list[number];
        if (!region->chain.counted && is_found(regions, number))
            continue;
        if (!is_one_of_many(regions, number, &best))
            return region;
        if (best)
            best->also++;
    }
    return NULL;
}

void regions_settle(struct region *region, const struct findings *findings)
{
    region->finding = findings->count;
    region->span = findings->list[findings->count - 1].span;
}

void regions_count(const struct regions *regions, struct findings *findings)
{
    for (size_t i = 0; i < regions->count; i++)
        if (regions->list[i].finding)
            findings->list[regions->list[i].finding - 1].also += regions->list[i].also;
}
