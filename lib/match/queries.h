/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_QUERIES_H
#define KITH_QUERIES_H

#include "base/error.h"
#include "match/subject.h"

/*
 * Stage 1: the samples of an object that are worth looking up in a set.
 *
 * In: those that passed the set's filter.  Out: the same, each in a state: what stands alone is dropped,
 * since chance lets single samples through the filter; the others are open until they are looked up, or
 * explained by a reference that was found.
 */

/* A sample of the object that passed the filter of at least one set. */
struct query {
    uint64_t pos, fp;
    uint64_t sets; /* a bit each */
};

enum query_state { QUERY_OPEN, QUERY_LOOKED_UP, QUERY_POSTPONED, QUERY_EXPLAINED, QUERY_DROPPED };

/* A struct of zeros holds none. */
struct queries {
    const struct query *all; /* of the object, by pos */
    size_t all_count;
    uint64_t size;     /* bytes of the object */
    uint32_t c;        /* at which it was sampled for them */
    uint32_t *numbers; /* those of the set, by pos: their numbers among all */
    uint8_t *states;
    uint32_t *files; /* in how many files one is that was postponed; else 0 */
    size_t count, room;

    uint32_t
        *firsts; /* of each query of the set, by its number among all: the first one with its fingerprint */
    uint32_t *table; /* to find that */
    size_t slots, first_room, table_room;
};

/* Those of the set whose bit this is; what a set of the bits known has is no evidence.  `all` is borrowed. */
int queries_select(struct queries *queries, const struct subject *subject, const struct query *all,
                   size_t all_count, uint64_t set, uint64_t known, struct error *err);
void queries_release(struct queries *queries);

static inline const struct query *queries_at(const struct queries *queries, size_t i)
{
    return &queries->all[queries->numbers[i]];
}

/* What was explained by references that are not believed any more is open again. */
void queries_reopen(struct queries *queries);

#endif
