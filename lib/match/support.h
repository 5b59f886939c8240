/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SUPPORT_H
#define KITH_SUPPORT_H

#include "match/chance.h"
#include "match/queries.h"
#include "sample/places.h"

/*
 * What speaks for a chain besides its seeds: the queries that were never looked up, but lie on a diagonal of
 * the chain where the reference has a sample with the same character.
 */

/* A seed of the chain. */
struct support_seed {
    uint64_t pos;     /* of the query in the object */
    int64_t diagonal; /* place in the object - place in the reference */
    uint32_t query;   /* among all of the object */
};

struct support {
    size_t count;     /* seeds, and queries as above */
    size_t different; /* fingerprints of them */
    bool is_close;    /* whether some of all these lie close to each other */
    size_t explained; /* so many queries that are no seeds */
};

struct supporter;

/* NULL without memory. */
struct supporter *support_new(struct error *err);
void support_free(struct supporter *supporter);

/* The queries of an object and a set, which are borrowed, before it is asked for the first time. */
int support_begin(struct supporter *supporter, const struct queries *queries, struct error *err);
/*
 * What speaks for a chain with these seeds, by pos, of a reference of len bytes sampled at c, with these
 * places; the diagonals are those of the cluster.  *looked: so many queries were looked at.
 */
struct support support_gather(struct supporter *supporter, const struct cluster *cluster,
                              const struct support_seed *seeds, size_t count, const struct places *places,
                              uint64_t len, uint32_t c, size_t *looked);
/* The queries that were found to be explained, until the next call: of the set, by number. */
const uint32_t *support_explained(const struct supporter *supporter);

#endif
