/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RARITY_H
#define KITH_RARITY_H

#include "match/chains.h"

/*
 * How rare what a chain explains is among the references of its set.
 *
 * A sample that h samples of a set with N references are equal to has rarity 1 - ln(h) / ln(N + 64): 1 if one
 * reference has it, close to 0 if nearly all have.  The 64 keep two versions of a file in a small set from
 * counting as common content.  That of a chain is the mean over the samples of its reference that were found
 * by looking them up.
 */
struct rarity {
    const struct seeds *seeds;
    const struct queries *queries;
    double *values; /* of each query of the object that was found */
    size_t room;
};

/* A zeroed struct is empty; what it points to is borrowed until the next call.  Counts for an object that was
 * searched for these seeds.  Returns -1 if out of memory. */
int rarity_begin(struct rarity *rarity, const struct seeds *seeds, const struct queries *queries,
                 struct error *err);
void rarity_release(struct rarity *rarity);

/* The rarity of a chain of these seeds, 0 to 1; 1 if it has none. */
double rarity_of(const struct rarity *rarity, const struct seed_chain *chain);

#endif
