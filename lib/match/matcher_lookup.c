/* SPDX-License-Identifier: Apache-2.0 */
#include "match/matcher_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "set/known.h"

enum {
    BATCH = 1024,      /* queries that are looked up together */
    FEW_MATCHES = 200, /* that are sorted as usual */
    MOST_MATCHES = 1 << 20,
    NEIGHBOURS = 256,         /* samples before and behind a query in which it must not stand alone */
    SMALL_OBJECT = 512,       /* samples: here one neighbour is enough, else two */
    STRETCH = SEARCH_STRETCH, /* samples of which so many are looked up at once as are asked for */
    FREQUENT_SLOTS = 1 << 15,
    FREQUENT = 16,      /* files that may have a sample before it is postponed */
    LEAST_COMMON = 64,  /* files that may have one that is evidence in any case, */
    COMMON_SHARE = 100, /* or one in so many */
};

struct frequent {
    uint64_t fp;
    uint32_t files; /* 0: empty */
};

/* ---- which queries to look up ---- */

static size_t least_neighbours(const struct search_object *object)
{
    return object->size / object->c < SMALL_OBJECT ? 1 : 2;
}

/* What chance lets through the filter stands alone mostly. */
static bool stands_alone(const struct lookup *l, size_t i)
{
    const uint64_t reach = (uint64_t)NEIGHBOURS * l->object.c, pos = l->object.queries[l->queries[i]].pos;
    const size_t needed = least_neighbours(&l->object);
    size_t near = 0;

    for (size_t k = 1; k <= needed && k <= i; k++)
        near += pos - l->object.queries[l->queries[i - k]].pos <= reach;
    for (size_t k = 1; k <= needed && i + k < l->count; k++)
        near += l->object.queries[l->queries[i + k]].pos - pos <= reach;
    return near < needed;
}

static int make_room(struct lookup *l, size_t count, struct error *err)
{
    if (count <= l->room)
        return 0;
    free(l->queries);
    free(l->states);
    free(l->files);
    free(l->keys);
    free(l->asked);
    l->room = 2 * count;
    l->queries = malloc(l->room * sizeof *l->queries);
    l->states = malloc(l->room);
    l->files = malloc(l->room * sizeof *l->files);
    l->keys = malloc(l->room * sizeof *l->keys);
    l->asked = malloc(l->room * sizeof *l->asked);
    if (l->queries && l->states && l->files && l->keys && l->asked)
        return 0;
    l->room = 0;
    return error_set(err, "out of memory for %zu samples", count);
}

/* The set's queries; what a known set has is no evidence for another one. */
static void collect(struct lookup *l, uint64_t set, uint64_t known)
{
    l->count = 0;
    for (size_t i = 0; i < l->object.query_count; i++)
        if ((l->object.queries[i].sets & set) && !(l->object.queries[i].sets & known))
            l->queries[l->count++] = (uint32_t)i;
    memset(l->files, 0, l->count * sizeof *l->files);
    for (size_t i = 0; i < l->count; i++)
        l->states[i] = stands_alone(l, i) ? QUERY_DROPPED : QUERY_OPEN;
}

int matcher_lookup_open(struct lookup *l, struct refset_search *search, struct error *err)
{
    l->search = search;
    l->frequent = calloc(FREQUENT_SLOTS, sizeof *l->frequent);
    return l->frequent ? 0 : error_set(err, "out of memory");
}

int matcher_lookup_begin(struct lookup *l, const struct search_object *object, uint64_t set, uint64_t known,
                         struct error *err)
{
    l->object = *object;
    l->match_count = l->noise = l->common = 0;
    if (make_room(l, object->query_count, err))
        return -1;
    collect(l, set, known);
    return 0;
}

/* The open queries of the stretch that begins with number i; *end: where it ends. */
static size_t open_in_stretch(const struct lookup *l, size_t i, size_t *end)
{
    const uint64_t len = (uint64_t)STRETCH * l->object.c;
    const uint64_t stretch = l->object.queries[l->queries[i]].pos / len;
    size_t open = 0;

    for (; i < l->count && l->object.queries[l->queries[i]].pos / len == stretch; i++)
        open += l->states[i] == QUERY_OPEN;
    *end = i;
    return open;
}

bool matcher_lookup_is_rare(const struct lookup *l, uint32_t files)
{
    const uint64_t references = refset_search_info(l->search)->counts.records;

    return files <= LEAST_COMMON || files <= references / COMMON_SHARE;
}

/* Whether such a query can wait.  All references are looked for with all that is evidence. */
static bool can_wait(const struct lookup *l, uint32_t files)
{
    return files > FREQUENT && !(l->object.all && matcher_lookup_is_rare(l, files));
}

static struct frequent *slot_of(const struct lookup *l, uint64_t fp)
{
    return &l->frequent[fp * 0x9e3779b97f4a7c15 >> 32 & (FREQUENT_SLOTS - 1)];
}

static void postpone(struct lookup *l, size_t query, uint32_t files)
{
    const uint64_t fp = l->object.queries[l->queries[query]].fp;

    *slot_of(l, fp) = (struct frequent){fp, files};
    l->states[query] = QUERY_POSTPONED;
    l->files[query] = files;
    if (matcher_lookup_is_rare(l, files))
        l->noise += files;
    else
        l->common++;
}

/* What is known to be frequent need not be looked up for that. */
static bool postpone_known(struct lookup *l, size_t query)
{
    const uint64_t fp = l->object.queries[l->queries[query]].fp;
    const struct frequent *slot = slot_of(l, fp);

    if (!slot->files || slot->fp != fp || !can_wait(l, slot->files))
        return false;
    postpone(l, query, slot->files);
    return true;
}

static void ask(struct lookup *l, size_t query, size_t number)
{
    l->keys[number] = known_key(l->object.queries[l->queries[query]].fp);
    l->asked[number] = (uint32_t)query;
    l->states[query] = QUERY_LOOKED_UP;
}

/* Chooses some of each stretch, evenly; *asked: those that have to be looked up.  (Which are chosen must not
 * depend on what is known of earlier objects.) */
static size_t choose(struct lookup *l, size_t most, size_t *asked)
{
    size_t chosen = 0;

    *asked = 0;
    for (size_t i = 0, end; i < l->count; i = end) {
        const size_t open = open_in_stretch(l, i, &end), step = open / most + (open % most > 0);

        for (size_t k = 0; i < end; i++) {
            if (l->states[i] != QUERY_OPEN || k++ % step != 0)
                continue;
            chosen++;
            if (!postpone_known(l, i))
                ask(l, i, (*asked)++);
        }
    }
    return chosen;
}

/* ---- looking them up ---- */

static int by_sample(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    return x->query < y->query ? -1 : x->query > y->query;
}

/* One pass of a radix sort: by the byte of the query, or of the sample, that shift selects. */
static void sort_by_byte(struct lookup *l, bool of_query, unsigned shift)
{
    const struct match *from = l->matches;
    struct match *to = l->spare;
    size_t places[257] = {0};

    for (size_t i = 0; i < l->match_count; i++)
        places[((of_query ? from[i].query : from[i].sample) >> shift & 255) + 1]++;
    for (size_t i = 1; i < 256; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < l->match_count; i++)
        to[places[(of_query ? from[i].query : from[i].sample) >> shift & 255]++] = from[i];
    l->spare = l->matches;
    l->matches = to;
}

/* By sample, then query.  They may be many, and both are small numbers mostly. */
static void sort_matches(struct lookup *l)
{
    uint64_t samples = 0, queries = 0;

    if (l->match_count < FEW_MATCHES) {
        if (l->match_count)
            qsort(l->matches, l->match_count, sizeof *l->matches, by_sample);
        return;
    }
    for (size_t i = 0; i < l->match_count; i++) {
        samples |= l->matches[i].sample;
        queries |= l->matches[i].query;
    }
    for (unsigned shift = 0; shift < 32 && queries >> shift; shift += 8)
        sort_by_byte(l, true, shift);
    for (unsigned shift = 0; shift < 64 && samples >> shift; shift += 8)
        sort_by_byte(l, false, shift);
}

static int make_match_room(struct lookup *l, size_t count, struct error *err)
{
    const size_t room = 2 * count;
    struct match *list;

    if (count <= l->match_room)
        return 0;
    free(l->spare);
    l->spare = malloc(room * sizeof *l->spare);
    list = l->spare ? realloc(l->matches, room * sizeof *list) : NULL;
    if (!list) {
        l->match_room = 0;
        return error_set(err, "out of memory for %zu matches", room);
    }
    l->matches = list;
    l->match_room = room;
    return 0;
}

/* all: also what could wait, which is counted already. */
static int keep_matches(struct lookup *l, bool all, struct error *err)
{
    if (make_match_room(l, l->match_count + l->hits.count, err))
        return -1;
    for (size_t i = 0; i < l->hits.count; i++) {
        const struct refset_hit *hit = &l->hits.list[i];
        const uint32_t query = l->asked[hit->query];

        if (hit->files == 0) {
            l->common++;
        } else if (!all && can_wait(l, hit->files)) {
            if (l->states[query] != QUERY_POSTPONED)
                postpone(l, query, hit->files);
        } else {
            l->matches[l->match_count++] =
                (struct match){hit->sample, l->queries[query],
                               matcher_lookup_is_rare(l, hit->files) ? MATCH_RARE : MATCH_ADMITTED};
            l->noise += !all;
        }
    }
    return 0;
}

static int look_up(struct lookup *l, size_t count, bool all, struct error *err)
{
    for (size_t done = 0, piece; done < count && l->match_count < MOST_MATCHES; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        l->hits.count = 0;
        if (refset_search_features(l->search, l->keys + done, piece, &l->hits, err))
            return -1;
        for (size_t i = 0; i < l->hits.count; i++)
            l->hits.list[i].query += (uint32_t)done;
        if (keep_matches(l, all, err))
            return -1;
    }
    sort_matches(l);
    return 0;
}

int matcher_lookup_some(struct lookup *l, size_t most, struct error *err)
{
    size_t asked;
    const size_t chosen = choose(l, most, &asked);

    return asked && look_up(l, asked, false, err) ? -1 : chosen > 0;
}

int matcher_lookup_postponed(struct lookup *l, struct error *err)
{
    size_t asked = 0;

    for (size_t i = 0; i < l->count; i++)
        if (l->states[i] == QUERY_POSTPONED)
            ask(l, i, asked++);
    return asked && look_up(l, asked, true, err) ? -1 : asked > 0;
}

bool matcher_lookup_is_full(const struct lookup *l)
{
    return l->match_count >= MOST_MATCHES;
}

void matcher_lookup_release(struct lookup *l)
{
    free(l->frequent);
    free(l->queries);
    free(l->states);
    free(l->files);
    free(l->keys);
    free(l->asked);
    refset_hits_release(&l->hits);
    free(l->matches);
    free(l->spare);
}
