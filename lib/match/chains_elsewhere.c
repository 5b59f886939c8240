/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "match/chains_inner.h"

/* What is found where chains explain nothing, once they explain what they can. */

enum {
    /* With this many seeds of postponed queries, at most FEW_POSTPONED of each stretch are looked up first.
     */
    MANY_POSTPONED = 1 << 14,
    FEW_POSTPONED = 128,
    MOST_POSTPONED = 1 << 17, /* seeds that these may have; they usually have too many chains then */
};

static int by_start(const void *a, const void *b)
{
    const struct seed_chain *x = a, *y = b;

    return x->cluster.start < y->cluster.start ? -1 : x->cluster.start > y->cluster.start;
}

/* Lists the stretches covered by chains, sorted and disjoint; returns their number. */
static size_t cover(struct chains *chains)
{
    struct chains_stretch *covered = chains->covered;
    size_t count = 0;

    if (chains->count)
        qsort(chains->list, chains->count, sizeof *chains->list, by_start);
    for (size_t i = 0; i < chains->count; i++) {
        const struct cluster *cluster = &chains->list[i].cluster;

        if (chains->list[i].counted || chains->list[i].doubtful)
            continue;
        if (count == 0 || cluster->start > covered[count - 1].end)
            covered[count++] = (struct chains_stretch){.start = cluster->start, .end = cluster->end + 1};
        else if (cluster->end >= covered[count - 1].end)
            covered[count - 1].end = cluster->end + 1;
    }
    return count;
}

static bool is_covered(const struct chains *chains, size_t count, uint64_t pos)
{
    const size_t at = SEARCH_FIRST(i, 0, count, chains->covered[i].end > pos);

    return at < count && chains->covered[at].start <= pos;
}

/*
 * Seeds in a covered stretch are explained by what was found there, or by near-copies of it, so they do not
 * count as noise elsewhere.  Returns their number.
 */
static size_t explain_seeds(const struct chains *chains, size_t covered, struct seeds *seeds,
                            const struct queries *queries)
{
    size_t explained = 0;

    for (size_t i = 0; i < seeds->count; i++) {
        struct seed *seed = &seeds->list[i];

        if (seed->kind != SEED_RARE || !is_covered(chains, covered, queries->all[seed->query].pos))
            continue;
        seed->kind = SEED_EXPLAINED;
        explained++;
    }
    return explained;
}

/* Postponed queries are explained only by what lies on their diagonal: there may be a better reference, all
 * of whose samples are frequent. */
static size_t explain_postponed(const struct seeds *seeds, const struct queries *queries)
{
    size_t explained = 0;

    for (size_t i = 0; i < queries->count; i++)
        if (queries->states[i] == QUERY_EXPLAINED && seeds_is_rare(seeds, queries->files[i]))
            explained += queries->files[i];
    return explained;
}

static int by_reference(const void *a, const void *b)
{
    const struct chains_stretch *x = a, *y = b;

    if (x->reference != y->reference)
        return x->reference < y->reference ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int by_reference_of_chain(const void *a, const void *b)
{
    const struct seed_chain *x = a, *y = b;

    if (x->place.first != y->place.first)
        return x->place.first < y->place.first ? -1 : 1;
    return by_start(a, b);
}

/* Lists where each reference has chains, sorted; .end is the largest up to there.  Returns their number. */
static size_t list_found(struct chains *chains)
{
    struct chains_stretch *found = chains->covered;
    size_t count = 0;

    for (size_t i = 0; i < chains->count; i++) {
        const struct seed_chain *chain = &chains->list[i];

        if (!chain->counted)
            found[count++] =
                (struct chains_stretch){chain->place.first, chain->cluster.start, chain->cluster.end + 1};
    }
    if (count)
        qsort(found, count, sizeof *found, by_reference);
    for (size_t i = 1; i < count; i++)
        if (found[i].reference == found[i - 1].reference && found[i].end < found[i - 1].end)
            found[i].end = found[i - 1].end;
    return count;
}

/* Whether the reference already has a chain about there, among these. */
static bool is_found(const struct chains_stretch *found, size_t count, const struct seed_chain *chain)
{
    const uint64_t reference = chain->place.first;
    const size_t after =
        SEARCH_FIRST(i, 0, count,
                     found[i].reference > reference ||
                         (found[i].reference == reference && found[i].start > chain->cluster.end));

    return after > 0 && found[after - 1].reference == reference &&
           found[after - 1].end > chain->cluster.start;
}

/* Adds `count` chains that were accepted before, as they explain queries that were never looked up; they get
 * all the seeds they have by now. */
static void add_accepted(struct chains *chains, const struct seeds *seeds, size_t count)
{
    const size_t found = list_found(chains);
    struct chains_stretch last = {0}; /* where the reference of the chain before was added */

    if (count)
        qsort(chains->before, count, sizeof *chains->before, by_reference_of_chain);
    for (size_t i = 0; i < count && chains->count < CHAINS_MOST; i++) {
        struct seed_chain chain = chains->before[i];
        const struct cluster *cluster = &chain.cluster;

        if (last.end && last.reference != chain.place.first)
            last.end = 0;
        if (((chain.counted || chain.doubtful) && !chains->rest) ||
            (!chain.counted && (is_found(chains->covered, found, &chain) || cluster->start < last.end)))
            continue;
        chain.first = seeds_from(seeds, chain.place.first);
        chain.count = seeds_from(seeds, chain.place.first + chain.place.count) - chain.first;
        chains->list[chains->count++] = chain;
        if (!chain.counted && !chain.doubtful)
            last = (struct chains_stretch){chain.place.first, cluster->start, cluster->end + 1};
    }
}

static int find_again(struct chains *chains, const struct seeds *seeds, struct queries *queries,
                      struct error *err)
{
    const size_t count = chains->count;

    memcpy(chains->before, chains->list, count * sizeof *chains->before);
    if (chains_search(chains, seeds, queries, err))
        return -1;
    add_accepted(chains, seeds, count);
    return 0;
}

/* Looks up postponed queries, at most `most` of each stretch, and repeats the search.  *explained: the seeds
 * of postponed queries that chains explain, which were subtracted from the noise; others may do so later. */
static int find_postponed(struct chains *chains, struct seeds *seeds, struct queries *queries, size_t most,
                          size_t *explained, struct error *err)
{
    const size_t covered = explain_seeds(chains, cover(chains), seeds, queries);
    int more;

    seeds->noise += *explained;
    *explained = explain_postponed(seeds, queries);
    seeds->noise -= covered + *explained;
    more = seeds_look_up_postponed(seeds, queries, most, err);
    if (more < 0)
        return -1;
    return more || (covered + *explained && seeds->noise >= CHAINS_LEAST_RARE)
               ? find_again(chains, seeds, queries, err)
               : 0;
}

/* Samples that are too common to be evidence of a part also count here: a set may have a hundred versions of
 * one file, and none of their samples may be rarer than that.  If they have very many seeds, a few are looked
 * up first, as chains then explain most of the others. */
int chains_find_elsewhere(struct chains *chains, struct seeds *seeds, struct queries *queries,
                          struct error *err)
{
    bool all = seeds_postponed(seeds, queries, SIZE_MAX) < MANY_POSTPONED;
    size_t explained = 0;

    for (bool done = false; !done && !chains_are_over(chains, seeds); all = true) {
        const size_t most = all ? SIZE_MAX : FEW_POSTPONED;

        if (chains->wanted.may_part && (seeds_would_be_cut(seeds, queries, most) ||
                                        (!all && seeds_postponed(seeds, queries, most) > MOST_POSTPONED))) {
            chains->cut = true;
            chains->halved = 1;
            return 0;
        }
        if (find_postponed(chains, seeds, queries, most, &explained, err))
            return -1;
        chains->rest = true;
        done = all;
    }
    return 0;
}
