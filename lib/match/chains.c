/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "match/chains_inner.h"
#include "set/known.h"

/* For the corpora behind these figures see README.md. */
enum {
    /* Once there are this many, twice as many as a look-up before, there will be too many when all queries
     * are looked up: the object consists of pieces too small to be found by a few queries of each stretch. */
    MANY_CHAINS = CHAINS_MOST / 4,
    GROWTH = 2,
    MOST_CLUSTERS = 1 << 12, /* of one reference: 288 KiB; */
    /* ... but fewer where they would take forever, as each goes through all hits: 16 and a million steps
     * bound time (a_file_is_found_however_often_it_occurs). */
    LEAST_CLUSTERS = 16,
    CLUSTER_WORK = 1 << 20,
    /* Queries looked for on a diagonal, and hits counted for a cluster, in the time it takes to compare one
     * sample (effort.h): 7 ns each. */
    TARGETS_A_SAMPLE = 4,
    HITS_A_SAMPLE = 4,
    /* The work for a seed that is looked up, sorted and grouped, and for a reference or a cluster, whatever
     * its size. */
    SEED_WORK = 1,
    CHAIN_WORK = 8,
    /* With fewer references than this, noise is averaged over this number, since a few references are no
     * measure of what is usual.  50 and 200 change E in 16 and 86 rows, and no finding. */
    FEW_REFERENCES = 100,
    /* Four parts at least, since the clusters of a reference take time that grows with the square of its
     * hits: 1 takes a fifth longer for pieces of near-copies, 3 as long.  How far one search
     * came says no more than MOST_HALVINGS. */
    LEAST_HALVINGS = 2,
    MOST_HALVINGS = 4,
    MOST_LEAST = 16, /* a limit: this many seeds are worth a look whatever their E */
    /* Hits that a copy of a part must have to count as a second place rather than chance.  3 changes one row;
     * with 12 the test a_part_that_occurs_three_times_is_found_three_times fails. */
    LEAST_COPY = 6,
    TESTED = 3,       /* samples of a chain that many references have, whose references are compared */
    MOST_COPIES = 64, /* clusters of a reference with which each is compared: bounds time */
    /* With this much support a chain is accepted even if none of it is close together.  Halving it gains 5
     * rows of pairs and a finding of the tar, which takes a quarter longer; doubling it loses 2 rows and one
     * finding. */
    MUCH_SUPPORT = 6,
};

/* The largest E, in the sense of chance.h, of chains that are compared.  Of 300 pairs of files with half or
 * more in common, 1 finds 265, 30 finds 268, 1000 finds 273 and 1e5 finds 274; a scan of other files takes 5
 * % longer with 1000 than with 30, and 9 % longer with 1e5 than with 1000. */
static const double candidate = 1000;
/* The largest E of chains that explain their queries and what lies around them. */
static const double credible = 1e-3;

int chains_open(struct chains *chains, struct error *err)
{
    chains->list = malloc(CHAINS_MOST * sizeof *chains->list);
    chains->before = malloc(CHAINS_MOST * sizeof *chains->before);
    chains->covered = malloc(CHAINS_MOST * sizeof *chains->covered);
    chains->clusters = malloc(MOST_CLUSTERS * sizeof *chains->clusters);
    if (!chains->list || !chains->before || !chains->covered || !chains->clusters)
        return error_set(err, "out of memory");
    chains->supporter = support_new(err);
    return chains->supporter ? 0 : -1;
}

void chains_release(struct chains *chains)
{
    free(chains->list);
    free(chains->before);
    free(chains->covered);
    free(chains->clusters);
    free(chains->hits);
    free(chains->diagonals);
    free(chains->line);
    support_free(chains->supporter);
    holders_release(&chains->holders);
    families_release(&chains->families);
    *chains = (struct chains){0};
}

void chains_begin(struct chains *chains, const struct chains_wanted *wanted)
{
    chains->wanted = *wanted;
    chains->count = chains->holders.count = 0;
    chains->cut = chains->begun = chains->rest = false;
    families_begin(&chains->families);
}

bool chains_are_over(const struct chains *chains, const struct seeds *seeds)
{
    return (chains->wanted.may_part && (chains->cut || seeds_are_cut(seeds))) ||
           effort_search_is_spent(chains->wanted.effort);
}

bool chains_add(struct chains *chains, const struct seed_chain *chain)
{
    if (chains->count == CHAINS_MOST)
        return false;
    chains->list[chains->count++] = *chain;
    return true;
}

/* ---- how much chance gives ---- */

/* The number of a reference's seeds that are noise to other references. */
static size_t count_rare(const struct seeds *seeds, size_t first, size_t count)
{
    size_t rare = 0;

    for (size_t i = first; i < first + count; i++)
        rare += seeds->list[i].kind == SEED_RARE;
    return rare;
}

/* Estimates from the seeds of other references how many this one has by chance; `rare` of them are its own.
 * A few references are no reliable measure. */
static struct chance_pair pair_of(const struct seeds *seeds, const struct queries *queries,
                                  const struct set_place *place, size_t rare)
{
    const struct refset_counts *counts = &seeds->set->does->info(seeds->set)->counts;
    const double mean = (double)counts->samples / (double)counts->records;
    const double noise = (double)(seeds->noise - rare) / fmax((double)counts->records, FEW_REFERENCES);

    return (struct chance_pair){
        .object_len = queries->size,
        .reference_len = place->len,
        .references = (double)counts->records,
        .noise = noise * fmin(1, (double)place->count / fmax(1, mean)),
        .most_ln_e = log(candidate),
    };
}

/* The number of seeds that a reference needs to be a candidate if all of them line up. */
static size_t least_seeds(const struct seeds *seeds, const struct queries *queries)
{
    const struct chance_pair pair = pair_of(seeds, queries, &(struct set_place){0}, 0);
    size_t least = 1;

    while (least < MOST_LEAST && chance_best_ln_e(&pair, least) > pair.most_ln_e)
        least++;
    return least;
}

/* ---- one reference ---- */

static int make_hits(struct chains *chains, size_t count, struct error *err)
{
    if (array_reserve_all(&chains->hit_room, count, ARRAY_PART(&chains->hits), ARRAY_PART(&chains->diagonals),
                          ARRAY_PART(&chains->line)))
        return error_set(err, "out of memory for %zu matches", count);
    return 0;
}

/* Takes the diagonals of all seeds, and as hits those that few chains have yet.  Returns the number of hits.
 */
static size_t take_hits(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                        const struct seed_chain *chain, const struct set_record *record)
{
    size_t count = 0;

    for (size_t i = 0; i < chain->count; i++) {
        const struct seed *seed = &seeds->list[chain->first + i];
        const struct query *query = &queries->all[seed->query];
        const uint64_t reference =
            places_position(places_at(&record->places, seed->sample - record->place.first));

        chains->diagonals[i] = (int64_t)(query->pos - reference);
        if (chains->rest ? seed->kind != SEED_EXPLAINED
                         : chains->wanted.all || !holders_is_claimed(&chains->holders, seed->query))
            chains->hits[count++] =
                (struct chance_hit){.object = query->pos, .reference = reference, .sample = query->fp};
    }
    return count;
}

static bool is_in_cluster(const struct chains *chains, const struct seed_chain *chain, size_t seed)
{
    return chains->diagonals[seed] >= chain->cluster.low && chains->diagonals[seed] <= chain->cluster.high;
}

static bool is_rare(const struct seed *seed)
{
    return seed->kind == SEED_RARE || seed->kind == SEED_EXPLAINED;
}

/* The chain's seeds in its cluster, in the order of the reference, so nearly in that of the object.  kept:
 * also those of which the set knows only some references. */
static size_t take_cluster(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                           struct seed_chain *chain, bool kept)
{
    const struct seed *list = seeds->list + chain->first;
    size_t count = 0;

    chains->rare = chains->kept = 0;
    for (size_t i = 0; i < chain->count; i++) {
        if (!is_in_cluster(chains, chain, i) || (!kept && list[i].kind == SEED_KEPT))
            continue;
        chains->line[count++] =
            (struct support_seed){queries->all[list[i].query].pos, chains->diagonals[i], list[i].query};
        chains->rare += is_rare(&list[i]);
        chains->kept += list[i].kind == SEED_KEPT;
    }
    chain->common = chains->rare < CHAINS_LEAST_RARE;
    return count;
}

/* Returns the key of the sample with this number among those of the cluster that are not rare. */
static uint64_t shared_key(const struct chains *chains, const struct seeds *seeds,
                           const struct queries *queries, const struct seed_chain *chain, size_t number)
{
    const struct seed *list = seeds->list + chain->first;
    size_t last = 0;

    for (size_t i = 0; i < chain->count; i++) {
        if (!is_in_cluster(chains, chain, i) || is_rare(&list[i]))
            continue;
        last = i;
        if (number-- == 0)
            break;
    }
    return known_key(queries->all[list[last].query].fp);
}

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/*
 * Content that very many references have is evidence of a part if they are near-copies of each other, judging
 * by most of three samples.  Returns -1 on error.
 */
static int judge_family(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                        struct seed_chain *chain, size_t count, struct error *err)
{
    const size_t shared = count - chains->rare;
    uint32_t files[TESTED];
    size_t families = 0;

    chain->family = 0;
    if (shared <= chains->rare)
        return 0;
    for (size_t i = 0; i < TESTED; i++) {
        const uint64_t key = shared_key(chains, seeds, queries, chain, (2 * i + 1) * shared / (2 * TESTED));

        if (families_judge(&chains->families, seeds, key, chains->wanted.effort, &files[i], err))
            return -1;
        families += files[i] > 0;
    }
    qsort(files, TESTED, sizeof *files, by_size);
    if (2 * families > TESTED) {
        /* with all references wanted, those that the set knows are listed, not counted */
        chain->family = chains->wanted.all && !chains->kept ? 0 : files[TESTED / 2];
        chain->common = false;
    }
    return 0;
}

/* Adds the chain if its support makes it acceptable.  What it explains need not be looked up. */
static int consider(struct chains *chains, const struct seeds *seeds, struct queries *queries,
                    struct seed_chain *chain, const struct set_record *record, const struct chance_pair *pair,
                    struct error *err)
{
    const uint32_t *explained = support_explained(chains->supporter);
    size_t count = take_cluster(chains, seeds, queries, chain, true), looked;
    struct support support;

    if (judge_family(chains, seeds, queries, chain, count, err))
        return -1;
    if (!chain->family && chains->kept)
        count = take_cluster(chains, seeds, queries, chain, false);
    if (count == 0)
        return 0;
    support = support_gather(chains->supporter, &chain->cluster, chains->line, count, &record->places,
                             record->place.len, record->place.c, &looked);
    effort_add(chains->wanted.effort, CHAIN_WORK + looked / TARGETS_A_SAMPLE);
    chain->support = support.count;
    chain->start = support.start;
    chain->end = support.end;
    chain->cluster.ln_e = chance_again(pair, &chain->cluster, (double)support.different);
    if (chain->cluster.ln_e > pair->most_ln_e || (!support.is_close && support.different < MUCH_SUPPORT))
        return 0;
    chain->doubtful = chain->cluster.ln_e > log(credible);
    chains->list[chains->count++] = *chain;
    for (size_t i = 0; i < count; i++)
        holders_claim(&chains->holders, chains->line[i].query);
    if (chain->doubtful)
        return 0;
    for (size_t i = 0; i < support.explained; i++)
        queries->states[explained[i]] = QUERY_EXPLAINED;
    return 0;
}

/* The number of clusters to look for among this many hits. */
static size_t room_for(size_t hits)
{
    const size_t room = CLUSTER_WORK / (hits + 1);

    return room < LEAST_CLUSTERS ? LEAST_CLUSTERS : room < MOST_CLUSTERS ? room : MOST_CLUSTERS;
}

/* Whether two clusters cover about the same part of the reference, with at least half as many hits. */
static bool are_copies(const struct cluster *a, const struct cluster *b)
{
    const int64_t a_start = (int64_t)a->start - a->main, a_end = (int64_t)a->end - a->main;
    const int64_t b_start = (int64_t)b->start - b->main, b_end = (int64_t)b->end - b->main;
    const int64_t start = a_start > b_start ? a_start : b_start, end = a_end < b_end ? a_end : b_end;
    const int64_t shorter = a_end - a_start < b_end - b_start ? a_end - a_start : b_end - b_start;

    /* repetitive content has fewer hits at places other than its origin */
    return 2 * (end - start) > shorter && a->hits >= LEAST_COPY && b->hits >= LEAST_COPY &&
           2 * a->hits > b->hits && 2 * b->hits > a->hits;
}

static bool is_copy(const struct chains *chains, size_t found, size_t cluster)
{
    for (size_t i = 0; i < found && i < MOST_COPIES; i++)
        if (i != cluster && are_copies(&chains->clusters[i], &chains->clusters[cluster]))
            return true;
    return false;
}

static int begin_support(struct chains *chains, const struct queries *queries, struct error *err)
{
    if (chains->begun)
        return 0;
    chains->begun = true;
    return support_begin(chains->supporter, queries, err);
}

static void count_only(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                       const struct holder *holder)
{
    const struct refset_params *params = &seeds->set->does->info(seeds->set)->params;
    struct seed_chain chain = {.place = {.first = holder->record, .count = holder->samples},
                               .cluster = {.start = UINT64_MAX},
                               .first = holder->first,
                               .count = holder->count,
                               .counted = true};

    if (chains->count == CHAINS_MOST)
        return;
    chain.place.len = holder->samples * params->c;
    for (size_t i = 0; i < holder->count; i++) {
        const uint64_t pos = queries->all[seeds->list[holder->first + i].query].pos;

        chain.cluster.start = pos < chain.cluster.start ? pos : chain.cluster.start;
        chain.cluster.end = pos > chain.cluster.end ? pos : chain.cluster.end;
    }
    chains->list[chains->count++] = chain;
}

/* Searches the seeds of one reference for chains. */
static int search_reference(struct chains *chains, const struct seeds *seeds, struct queries *queries,
                            const struct holder *holder, struct error *err)
{
    struct seed_chain chain = {.first = holder->first, .count = holder->count};
    const struct set_record *record;
    const int there = seeds->set->does->record(seeds->set, holder->record, &record, err);
    struct chance_pair pair;
    const size_t before = chains->count;
    size_t hits, found, room, looked;

    if (there <= 0)
        return there;
    chain.place = record->place;
    while (chain.count &&
           seeds->list[chain.first + chain.count - 1].sample >= holder->record + record->place.count)
        chain.count--; /* samples of a record that has been removed */
    if (make_hits(chains, chain.count, err))
        return -1;
    pair = pair_of(seeds, queries, &chain.place, count_rare(seeds, chain.first, chain.count));
    hits = take_hits(chains, seeds, queries, &chain, record);
    room = room_for(hits);
    found = chance_clusters(&pair, chains->hits, hits, chains->clusters, room, &looked);
    if (found && begin_support(chains, queries, err))
        return -1;
    effort_add(chains->wanted.effort, CHAIN_WORK + (looked + chain.count) / HITS_A_SAMPLE);
    chains->cut = chains->cut || found == room || chains->count + found > CHAINS_MOST;
    for (size_t i = 0; i < found && chains->count < CHAINS_MOST; i++) {
        chain.cluster = chains->clusters[i];
        chain.copy = is_copy(chains, found, i);
        if (consider(chains, seeds, queries, &chain, record, &pair, err))
            return -1;
    }
    if (!chains->rest && chains->count == before && hits < chain.count)
        count_only(chains, seeds, queries, holder);
    return 0;
}

/* ---- all references ---- */

/* How often to halve the queries if the `searched` references with most seeds gave as many chains as there is
 * room for. */
static unsigned halvings_for(size_t searched, size_t references)
{
    unsigned halvings = LEAST_HALVINGS;

    while (halvings < MOST_HALVINGS && searched << halvings < references)
        halvings++;
    return halvings;
}

int chains_search(struct chains *chains, const struct seeds *seeds, struct queries *queries,
                  struct error *err)
{
    struct holders *holders = &chains->holders;
    const size_t least = least_seeds(seeds, queries);
    size_t i;

    chains->count = 0;
    chains->cut = false;
    effort_add(chains->wanted.effort, SEED_WORK * seeds->count);
    queries_reopen(queries);
    if (holders_gather(holders, seeds, queries, least, err))
        return -1;
    for (i = 0; i < holders->count && !chains_are_over(chains, seeds); i++) {
        const struct holder *holder = &holders->list[i];

        if (!chains->wanted.all && !chains->rest && holders_is_one_of_many(holders, seeds, holder))
            count_only(chains, seeds, queries, holder);
        else if (search_reference(chains, seeds, queries, holder, err))
            return -1;
    }
    chains->cut = chains->cut || effort_search_is_spent(chains->wanted.effort);
    chains->halved = halvings_for(i, holders->count);
    return 0;
}

int chains_find(struct chains *chains, const struct seeds *seeds, struct queries *queries, bool more,
                struct error *err)
{
    const size_t before = chains->count;

    if (chains_search(chains, seeds, queries, err))
        return -1;
    if (more && chains->wanted.may_part && chains->count >= MANY_CHAINS && chains->count / GROWTH >= before)
        chains->cut = true;
    return 0;
}
