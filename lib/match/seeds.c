/* SPDX-License-Identifier: Apache-2.0 */
#include "match/seeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "set/keep.h"
#include "set/known.h"

enum {
    /* Queries that are looked up together: bounds memory for their hits.  MOST_SEEDS is checked after each
     * batch. */
    BATCH = 1024,
    /* Fewer seeds are sorted by qsort, as clearing and summing the counters would cost more.  24 to 96 make
     * no difference. */
    FEW_SEEDS = 48,
    /* 16 MiB, and as much again for sorting; if there are more, the queries are searched in two parts. */
    MOST_SEEDS = 1 << 20,
    /* 512 KiB for each set: fingerprints known to be frequent need not be looked up again. */
    FREQUENT_SLOTS = 1 << 15,
    /* A sample in more files than this is postponed: nine of ten hits come from samples that many files have.
     * 8 loses 2 of 56 common blocks; 32 loses one, and the tar takes a fifth longer. */
    FREQUENT = 16,
    /* A sample in up to this many files is evidence in any case.  32 loses 4 rows of pairs; with 128 the test
     * a_part_shared_by_a_hundred_files_is_no_finding fails. */
    LEAST_COMMON = 64,
    /* Or in one of this many: for sets of more than 6,400 references, which the corpora do not have. */
    COMMON_SHARE = 100,
};

struct frequent {
    uint64_t fp;
    uint32_t files; /* 0: empty */
};

int seeds_open(struct seeds *seeds, struct set *set, bool all, struct error *err)
{
    seeds->set = set;
    seeds->all = all;
    seeds->frequent = calloc(FREQUENT_SLOTS, sizeof *seeds->frequent);
    return seeds->frequent ? 0 : error_set(err, "out of memory");
}

void seeds_release(struct seeds *seeds)
{
    free(seeds->list);
    free(seeds->frequent);
    free(seeds->keys);
    free(seeds->asked);
    set_hits_release(&seeds->hits);
    free(seeds->spare);
    *seeds = (struct seeds){0};
}

void seeds_begin(struct seeds *seeds)
{
    seeds->count = seeds->noise = seeds->common = 0;
}

bool seeds_are_cut(const struct seeds *seeds)
{
    return seeds->count >= MOST_SEEDS;
}

size_t seeds_from(const struct seeds *seeds, uint64_t sample)
{
    return SEARCH_FIRST(i, 0, seeds->count, seeds->list[i].sample >= sample);
}

/* ---- what can wait ---- */

bool seeds_is_rare(const struct seeds *seeds, uint32_t files)
{
    const uint64_t references = seeds->set->does->info(seeds->set)->counts.records;

    return files <= LEAST_COMMON || files <= references / COMMON_SHARE;
}

/* Whether a sample is in too many files for the set to know them all. */
static bool is_kept(const struct seeds *seeds, uint32_t files)
{
    return files > seeds->set->does->info(seeds->set)->params.common;
}

static bool can_wait(const struct seeds *seeds, uint32_t files)
{
    return files > FREQUENT && !(seeds->all && seeds_is_rare(seeds, files));
}

static struct frequent *slot_of(const struct seeds *seeds, uint64_t fp)
{
    return &seeds->frequent[fp * 0x9e3779b97f4a7c15 >> 32 & (FREQUENT_SLOTS - 1)];
}

static void postpone(struct seeds *seeds, struct queries *queries, size_t query, uint32_t files)
{
    const uint64_t fp = queries_at(queries, query)->fp;

    *slot_of(seeds, fp) = (struct frequent){fp, files};
    queries->states[query] = QUERY_POSTPONED;
    queries->files[query] = files;
    if (seeds_is_rare(seeds, files))
        seeds->noise += files;
    else
        seeds->common++;
}

/* Postpones a query that is known to be frequent, without looking it up. */
static bool postpone_known(struct seeds *seeds, struct queries *queries, size_t query)
{
    const uint64_t fp = queries_at(queries, query)->fp;
    const struct frequent *slot = slot_of(seeds, fp);

    if (!slot->files || slot->fp != fp || !can_wait(seeds, slot->files))
        return false;
    postpone(seeds, queries, query, slot->files);
    return true;
}

/* ---- which queries to look up ---- */

static int make_room(struct seeds *seeds, size_t count, struct error *err)
{
    if (array_reserve_all(&seeds->asked_room, count, ARRAY_PART(&seeds->keys), ARRAY_PART(&seeds->asked)))
        return error_set(err, "out of memory for %zu samples", count);
    return 0;
}

static void ask(struct seeds *seeds, struct queries *queries, size_t query, size_t number)
{
    seeds->keys[number] = known_key(queries_at(queries, query)->fp);
    seeds->asked[number] = (uint32_t)query;
    queries->states[query] = QUERY_LOOKED_UP;
}

/* Queries of one state, some of each stretch. */
struct selection {
    const struct queries *queries;
    enum query_state state;
    size_t most; /* of each stretch, */
    size_t end;  /* and where the current one ends; */
    size_t step; /* one in `step` of its queries is chosen, */
    size_t seen; /* and this is the number of its queries up to here */
    size_t next;
};

static void enter_stretch(struct selection *selection)
{
    const struct queries *queries = selection->queries;
    const uint64_t len = (uint64_t)SEEDS_STRETCH * queries->c;
    const uint64_t stretch = queries_at(queries, selection->next)->pos / len;
    size_t all = 0, i = selection->next;

    for (; i < queries->count && queries_at(queries, i)->pos / len == stretch; i++)
        all += queries->states[i] == selection->state;
    selection->end = i;
    selection->step = all / selection->most + (all % selection->most > 0);
    selection->seen = 0;
}

/* Returns the next query of the selection, evenly spread in each stretch; the number of queries at the end.
 * (The choice must not depend on what is known from earlier objects.) */
static size_t select_next(struct selection *selection)
{
    const struct queries *queries = selection->queries;

    while (selection->next < queries->count) {
        if (selection->next == selection->end)
            enter_stretch(selection);
        if (queries->states[selection->next++] == selection->state &&
            selection->seen++ % selection->step == 0)
            return selection->next - 1;
    }
    return queries->count;
}

uint64_t seeds_postponed(const struct seeds *seeds, const struct queries *queries, size_t most)
{
    struct selection selection = {.queries = queries, .state = QUERY_POSTPONED, .most = most};
    uint64_t count = 0;

    for (size_t i; (i = select_next(&selection)) < queries->count;)
        count += is_kept(seeds, queries->files[i]) ? KEEP_MOST : queries->files[i];
    return count;
}

bool seeds_would_be_cut(const struct seeds *seeds, const struct queries *queries, size_t most)
{
    return seeds_postponed(seeds, queries, most) + seeds->count >= MOST_SEEDS;
}

/* Chooses some open queries of each stretch; *asked: the number that must be looked up.  */
static size_t choose(struct seeds *seeds, struct queries *queries, size_t most, size_t *asked)
{
    struct selection selection = {.queries = queries, .state = QUERY_OPEN, .most = most};
    size_t chosen = 0;

    *asked = 0;
    for (size_t i; (i = select_next(&selection)) < queries->count; chosen++)
        if (!postpone_known(seeds, queries, i))
            ask(seeds, queries, i, (*asked)++);
    return chosen;
}

/* ---- sorting ---- */

static int by_sample(const void *a, const void *b)
{
    const struct seed *x = a, *y = b;

    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    return x->query < y->query ? -1 : x->query > y->query;
}

/* One pass of a radix sort, by the byte at shift of the query or of the sample. */
static void sort_by_byte(struct seeds *seeds, bool of_query, unsigned shift)
{
    const struct seed *from = seeds->list;
    struct seed *to = seeds->spare;
    size_t places[257] = {0};

    for (size_t i = 0; i < seeds->count; i++)
        places[((of_query ? from[i].query : from[i].sample) >> shift & 255) + 1]++;
    for (size_t i = 1; i < 256; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < seeds->count; i++)
        to[places[(of_query ? from[i].query : from[i].sample) >> shift & 255]++] = from[i];
    seeds->spare = seeds->list;
    seeds->list = to;
}

/* Sorts by sample, then query.  There may be many, and usually both are small numbers. */
static void sort(struct seeds *seeds)
{
    uint64_t samples = 0, queries = 0;

    if (seeds->count < FEW_SEEDS) {
        if (seeds->count)
            qsort(seeds->list, seeds->count, sizeof *seeds->list, by_sample);
        return;
    }
    for (size_t i = 0; i < seeds->count; i++) {
        samples |= seeds->list[i].sample;
        queries |= seeds->list[i].query;
    }
    for (unsigned shift = 0; shift < 32 && queries >> shift; shift += 8)
        sort_by_byte(seeds, true, shift);
    for (unsigned shift = 0; shift < 64 && samples >> shift; shift += 8)
        sort_by_byte(seeds, false, shift);
}

/* ---- looking them up ---- */

static int make_seed_room(struct seeds *seeds, size_t count, struct error *err)
{
    if (array_reserve_all(&seeds->room, count, ARRAY_PART(&seeds->spare), ARRAY_PART(&seeds->list)))
        return error_set(err, "out of memory for %zu matches", count);
    return 0;
}

static enum seed_kind kind_of(const struct seeds *seeds, uint32_t files)
{
    return is_kept(seeds, files) ? SEED_KEPT : seeds_is_rare(seeds, files) ? SEED_RARE : SEED_ADMITTED;
}

/* all: also keep hits of queries that could wait; these have been counted as noise already. */
static int keep_hits(struct seeds *seeds, struct queries *queries, bool all, struct error *err)
{
    if (make_seed_room(seeds, seeds->count + seeds->hits.count, err))
        return -1;
    for (size_t i = 0; i < seeds->hits.count; i++) {
        const struct set_hit *hit = &seeds->hits.list[i];
        const uint32_t query = seeds->asked[hit->query];

        if (hit->files == 0) {
            seeds->common++;
        } else if (!all && can_wait(seeds, hit->files)) {
            if (queries->states[query] != QUERY_POSTPONED)
                postpone(seeds, queries, query, hit->files);
        } else {
            seeds->list[seeds->count++] =
                (struct seed){hit->sample, queries->numbers[query], kind_of(seeds, hit->files)};
            seeds->noise += !all;
        }
    }
    return 0;
}

static int look_up(struct seeds *seeds, struct queries *queries, size_t count, bool all, struct error *err)
{
    for (size_t done = 0, piece; done < count && seeds->count < MOST_SEEDS; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        seeds->hits.count = 0;
        if (seeds->set->does->hits(seeds->set, seeds->keys + done, piece, &seeds->hits, err))
            return -1;
        for (size_t i = 0; i < seeds->hits.count; i++)
            seeds->hits.list[i].query += (uint32_t)done;
        if (keep_hits(seeds, queries, all, err))
            return -1;
    }
    sort(seeds);
    return 0;
}

int seeds_look_up(struct seeds *seeds, struct queries *queries, size_t most, struct error *err)
{
    size_t asked, chosen;

    if (make_room(seeds, queries->count, err))
        return -1;
    chosen = choose(seeds, queries, most, &asked);
    return asked && look_up(seeds, queries, asked, false, err) ? -1 : chosen > 0;
}

int seeds_look_up_postponed(struct seeds *seeds, struct queries *queries, size_t most, struct error *err)
{
    struct selection selection = {.queries = queries, .state = QUERY_POSTPONED, .most = most};
    size_t asked = 0;

    if (make_room(seeds, queries->count, err))
        return -1;
    for (size_t i; (i = select_next(&selection)) < queries->count;)
        ask(seeds, queries, i, asked++);
    return asked && look_up(seeds, queries, asked, true, err) ? -1 : asked > 0;
}
