/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HOLDERS_H
#define KITH_HOLDERS_H

#include "match/seeds.h"

/* The references that have seeds: in, seeds by sample; out, one holder for each record. */
struct holder {
    uint64_t record;     /* its first sample */
    uint64_t samples;    /* it has so many */
    size_t first, count; /* its seeds */
};

/* All of them, those with most seeds first, and of these the smallest.  Zeros are an empty one. */
struct holders {
    struct holder *list;
    size_t count, room;
    uint8_t *claims;  /* of each query of the object: so many chains have it, */
    uint32_t *counts; /* and which holder it, or one that is equal to it, was counted for last */
    size_t claim_room;
};

/* Those with at least so many seeds, of so many different fingerprints; nothing is claimed. */
int holders_gather(struct holders *holders, const struct seeds *seeds, const struct queries *queries,
                   size_t least, size_t different, struct error *err);
void holders_release(struct holders *holders);

/* One more chain has the query. */
void holders_claim(struct holders *holders, uint32_t query);
/* Whether so many chains have its seeds that it is only to be counted. */
bool holders_is_one_of_many(const struct holders *holders, const struct seeds *seeds,
                            const struct holder *holder);

#endif
