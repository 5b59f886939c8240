/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_QUERIES_H
#define KITH_QUERIES_H

#include "base/error.h"
#include "match/subject.h"

/*
 * Stage 1: selects the samples of an object that are worth looking up in a set.
 *
 * In: samples that passed the set's filter.  Out: the same samples, each with a state.  Isolated ones are
 * dropped, since chance lets single samples through the filter; the others are open until they are looked up,
 * or explained by a reference that was found.
 */

/* A sample of the object that passed the filter of at least one set. */
struct query {
    uint64_t pos, fp;
    uint64_t sets; /* bit i: it passed the filter of set i */
};

enum query_state { QUERY_OPEN, QUERY_LOOKED_UP, QUERY_POSTPONED, QUERY_EXPLAINED, QUERY_DROPPED };

/* A zeroed struct holds none. */
struct queries {
    const struct query *all; /* of the object, sorted by pos */
    size_t all_count;
    uint64_t size;     /* of the object, in bytes */
    uint32_t c;        /* C at which the object was sampled for them */
    uint32_t *numbers; /* the set's queries as indexes into all, sorted by pos */
    uint8_t *states;
    uint32_t *files; /* for each postponed query: how many files have it; else 0 */
    size_t count, room;

    uint32_t *firsts; /* by index into all: the first of the set's queries with the same fingerprint */
    uint32_t *table;  /* hash table to find it */
    size_t slots, first_room, table_room;
};

/* Selects the queries that passed the filter of the set with this bit.  Those that also passed the filter of
 * a set in `known` are left out: they are no evidence.  `all` is borrowed. */
int queries_select(struct queries *queries, const struct subject *subject, const struct query *all,
                   size_t all_count, uint64_t set, uint64_t known, struct error *err);
void queries_release(struct queries *queries);

/* Returns selected query number i. */
static inline const struct query *queries_at(const struct queries *queries, size_t i)
{
    return &queries->all[queries->numbers[i]];
}

/* Reopens the queries explained by references that are no longer accepted. */
void queries_reopen(struct queries *queries);

#endif
