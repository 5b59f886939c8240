/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HOLDERS_H
#define KITH_HOLDERS_H

#include "match/seeds.h"

/* Groups seeds by reference: in, seeds sorted by sample; out, one holder for each record. */
struct holder {
    uint64_t record;     /* number of its first sample in the set */
    uint64_t samples;    /* its number of samples */
    size_t first, count; /* its seeds, in the list of seeds */
};

/* All holders: those with most seeds first, and of these the smallest first.  A zeroed struct is empty. */
struct holders {
    struct holder *list;
    size_t count, room;
    uint8_t *claims;  /* for each query of the object: the number of chains that have it, */
    uint32_t *counts; /* and the last holder for which it, or a query equal to it, was counted */
    size_t claim_room;
};

/* Collects the references with seeds of at least `least` different fingerprints, and resets all
 * claims. */
int holders_gather(struct holders *holders, const struct seeds *seeds, const struct queries *queries,
                   size_t least, struct error *err);
void holders_release(struct holders *holders);

/* Notes that one more chain has the query. */
void holders_claim(struct holders *holders, uint32_t query);
/* Whether enough chains have the query already. */
bool holders_is_claimed(const struct holders *holders, uint32_t query);
/* Whether enough chains have the holder's seeds already that it need only be counted. */
bool holders_is_one_of_many(const struct holders *holders, const struct seeds *seeds,
                            const struct holder *holder);

#endif
