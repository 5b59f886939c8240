/* SPDX-License-Identifier: Apache-2.0 */
#include "match/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"
#include "set/known.h"

/*
 * A chain is only worth comparing if it has CLOSE_SUPPORT seeds within CLOSE_SAMPLES samples (or MUCH_SUPPORT
 * in all: chains.c).  2 seeds gain 6 rows of pairs and 3 findings of copies; 6 lose a pair and 3 findings in
 * other files, and the test a_file_in_other_content_is_found_to_the_byte fails.  8 samples lose a pair; 32
 * change ranges, but no finding.
 */
enum {
    CLOSE_SUPPORT = 3,
    CLOSE_SAMPLES = 16,
};

/* A query of the set. */
struct target {
    uint64_t pos, place; /* place: as in a list of places, if the reference began with the object */
};

struct supporter {
    const struct queries *queries;
    struct target *targets; /* the queries of the set */
    uint32_t
        *seen; /* for each query of the object: the turn in which it, or an equal one, was last counted */
    uint32_t *explained;
    size_t room;
    uint32_t turn;
};

/* A chain whose support is gathered. */
struct gathering {
    struct supporter *supporter;
    const struct support_seed *seeds; /* sorted by pos */
    size_t count;
    const struct places *places;
    uint64_t close; /* bytes that count as close */
    uint64_t last[CLOSE_SUPPORT - 1];
    struct support support;
};

struct supporter *support_new(struct error *err)
{
    return memory_new(sizeof(struct supporter), err);
}

static void release(struct supporter *s)
{
    free(s->targets);
    free(s->seen);
    free(s->explained);
}

void support_free(struct supporter *supporter)
{
    if (!supporter)
        return;
    release(supporter);
    free(supporter);
}

static int make_room(struct supporter *s, size_t count)
{
    const size_t room = s->room;

    if (array_reserve_all(&s->room, count, ARRAY_PART(&s->targets), ARRAY_PART(&s->seen),
                          ARRAY_PART(&s->explained)))
        return -1;
    if (s->room == room)
        return 0;
    memset(s->seen, 0, s->room * sizeof *s->seen);
    s->turn = 0;
    return 0;
}

int support_begin(struct supporter *s, const struct queries *queries, struct error *err)
{
    s->queries = queries;
    if (make_room(s, queries->all_count))
        return error_set(err, "out of memory for %zu samples", queries->all_count);
    for (size_t i = 0; i < queries->count; i++) {
        const struct query *query = queries_at(queries, i);

        s->targets[i] =
            (struct target){query->pos, query->pos << PLACES_CHARACTER_BITS | query->fp % KNOWN_SYMBOLS};
    }
    return 0;
}

/* Starts a new turn of counting different samples; when the counter wraps, old marks are cleared. */
static void next_turn(struct supporter *s)
{
    if (++s->turn)
        return;
    memset(s->seen, 0, s->room * sizeof *s->seen);
    s->turn = 1;
}

/* Returns the index of the first query of the set at pos or later. */
static size_t first_target(const struct supporter *s, int64_t pos)
{
    return SEARCH_FIRST(i, 0, s->queries->count, (int64_t)s->targets[i].pos >= pos);
}

static void support_at(struct gathering *g, uint64_t pos, uint32_t query)
{
    struct support *support = &g->support;
    struct supporter *s = g->supporter;
    uint64_t *last = &g->last[support->count % (CLOSE_SUPPORT - 1)];
    uint32_t *seen = &s->seen[s->queries->firsts[query]];

    if (support->count >= CLOSE_SUPPORT - 1 && pos - *last <= g->close)
        support->is_close = true;
    *last = pos;
    support->start = pos < support->start ? pos : support->start;
    support->end = pos > support->end ? pos : support->end;
    support->different += *seen != s->turn;
    *seen = s->turn;
    support->count++;
}

/*
 * Takes queries i to end that lie after the seed before `next`, up to the seed `next`.  Those that the
 * reference has on the diagonal of either seed (usually the same one) support the chain.  Returns the first
 * query not taken.
 */
static size_t support_between(struct gathering *g, size_t next, size_t i, size_t end)
{
    struct supporter *s = g->supporter;
    const struct support_seed *before = &g->seeds[next ? next - 1 : 0],
                              *after = next < g->count ? &g->seeds[next] : before;
    const uint64_t limit = next < g->count ? after->pos : UINT64_MAX;
    const uint64_t shift_before = (uint64_t)before->diagonal << PLACES_CHARACTER_BITS,
                   shift_after = (uint64_t)after->diagonal << PLACES_CHARACTER_BITS;

    for (; i < end && s->targets[i].pos <= limit; i++) {
        const uint64_t place = s->targets[i].place;

        if (s->queries->states[i] == QUERY_LOOKED_UP)
            continue;
        if (places_number(g->places, place - shift_before) == g->places->count &&
            (shift_before == shift_after ||
             places_number(g->places, place - shift_after) == g->places->count))
            continue;
        support_at(g, s->targets[i].pos, s->queries->numbers[i]);
        s->explained[g->support.explained++] = (uint32_t)i;
    }
    return i;
}

struct support support_gather(struct supporter *s, const struct cluster *cluster,
                              const struct support_seed *seeds, size_t count, const struct places *places,
                              uint64_t len, uint32_t c, size_t *looked)
{
    const uint32_t object_c = s->queries->c;
    const size_t end = first_target(s, cluster->high + (int64_t)len);
    size_t i = first_target(s, cluster->low), next = 0;
    struct gathering g = {.supporter = s,
                          .seeds = seeds,
                          .count = count,
                          .places = places,
                          .close = (uint64_t)CLOSE_SAMPLES * (object_c > c ? object_c : c),
                          .support.start = UINT64_MAX};

    next_turn(s);
    *looked = end > i ? end - i : 0;
    while (i < end) {
        for (; next < count && seeds[next].pos < s->targets[i].pos; next++)
            support_at(&g, seeds[next].pos, seeds[next].query);
        i = support_between(&g, next, i, end);
    }
    for (; next < count; next++)
        support_at(&g, seeds[next].pos, seeds[next].query);
    return g.support;
}

const uint32_t *support_explained(const struct supporter *supporter)
{
    return supporter->explained;
}
