/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SUPPORT_H
#define KITH_SUPPORT_H

#include "match/chance.h"
#include "match/queries.h"
#include "sample/places.h"

/*
 * Gathers what supports a chain besides its seeds: queries that were never looked up, but lie on a diagonal
 * of the chain where the reference has a sample with the same character.
 */

/* A seed of the chain. */
struct support_seed {
    uint64_t pos;     /* offset of the query in the object */
    int64_t diagonal; /* place in the object - place in the reference */
    uint32_t query;   /* index among all queries of the object */
};

struct support {
    size_t count;        /* number of seeds and of such queries */
    size_t different;    /* number of different fingerprints among them */
    bool is_close;       /* some of them lie close together */
    size_t explained;    /* number of queries that are not seeds */
    uint64_t start, end; /* offsets of the first and the last of them in the object */
};

struct supporter;

/* Returns NULL if out of memory. */
struct supporter *support_new(struct error *err);
void support_free(struct supporter *supporter);

/* Sets the queries of an object and a set, which are borrowed; needed once before support_gather. */
int support_begin(struct supporter *supporter, const struct queries *queries, struct error *err);
/*
 * Gathers the support of a chain with these seeds, sorted by pos, for a reference of len bytes sampled at c,
 * with these places; the diagonals are those of the cluster.  *looked: the number of queries that were
 * examined.
 */
struct support support_gather(struct supporter *supporter, const struct cluster *cluster,
                              const struct support_seed *seeds, size_t count, const struct places *places,
                              uint64_t len, uint32_t c, size_t *looked);
/* Returns the queries that support_gather found to be explained, as indexes into the set's queries; valid
 * until its next call. */
const uint32_t *support_explained(const struct supporter *supporter);

#endif
