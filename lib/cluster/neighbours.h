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
 */
enum { NEIGHBOURS_BITS = 400 }; /* at which "Vprecision and Vrecall have a very good performance" (5.2) */

struct neighbours_options {
    enum groups_algorithm algorithm;
    bool fastest; /* instead of the algorithm: alg.H, or a scan if that should be faster */
    uint32_t m;   /* groups; 0: the best number */
    double resemblance;
    struct groups_run run;
};

/* A zeroed struct has no pairs. */
struct neighbours {
    size_t *starts; /* the neighbours of d are list[starts[d]] .. list[starts[d + 1] - 1] */
    uint32_t *list; /* earlier contents */
    size_t pairs;

    /* how they were found, at the C at which most contents were compared */
    enum groups_algorithm algorithm;
    struct groups_params params;
    uint32_t compared;
};

/* Returns -1 if that many groups, or alg.G, cannot be used with this resemblance.  k: bits of sketches of
 * scheme hamming; 0: other contents. */
int neighbours_check(const struct neighbours_options *options, uint32_t k, struct error *err);

/* Returns 0, 1 if it was stopped, -1 on error.  Release it in any case. */
int neighbours_find(struct neighbours *neighbours, const struct collection *collection,
                    const struct neighbours_options *options, struct error *err);
void neighbours_release(struct neighbours *neighbours);

/* Adds to the overlap the neighbours of a document in [from, before). */
void neighbours_overlap(const struct neighbours *neighbours, uint32_t document, uint32_t from,
                        uint32_t before, struct overlap *overlap);

#endif
