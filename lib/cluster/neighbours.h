/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NEIGHBOURS_H
#define KITH_NEIGHBOURS_H

#include "cluster/collection.h"
#include "cluster/groups.h"
#include "cluster/overlap.h"

/*
 * Candidate pairs by Hamming fingerprints (Yuan et al. 2012), instead of an index of fingerprints.
 *
 * Sketches of scheme hamming are such fingerprints.  For all other contents one of NEIGHBOURS_BITS bits is
 * made of the fingerprints that an index would take: one bit of the least of them under each of as many
 * permutations.  All pairs are found whose estimate is at least the resemblance; for a fingerprint that was
 * made here, less twice the standard deviation of the estimate (equation 6).  Contents that were sampled at
 * different C (nested: at different moduli), up to a factor of four, are compared at the larger one.
 *
 * A zeroed struct has no pairs.
 */
enum { NEIGHBOURS_BITS = 400 }; /* at which "Vprecision and Vrecall have a very good performance" (5.2) */

struct neighbours {
    size_t *starts; /* the neighbours of d are list[starts[d]] .. list[starts[d + 1] - 1] */
    uint32_t *list; /* earlier contents */
    size_t pairs;
};

/* Finds them by alg.G or alg.H.  Returns -1 on error, for alg.G also if it would have to make too many
 * queries.  Release it in any case. */
int neighbours_find(struct neighbours *neighbours, const struct collection *collection,
                    enum groups_algorithm algorithm, double resemblance, struct error *err);
void neighbours_release(struct neighbours *neighbours);

/* Adds to the overlap the neighbours of a document in [from, before). */
void neighbours_overlap(const struct neighbours *neighbours, uint32_t document, uint32_t from,
                        uint32_t before, struct overlap *overlap);

#endif
