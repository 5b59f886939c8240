/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REGIONS_H
#define KITH_REGIONS_H

#include "compare/finding.h"
#include "match/chains.h"

/*
 * Stage 4: which chains are worth comparing with the object.
 *
 * In: chains.  Out: regions, one after the other, those that need no comparing first (whole.h), then those
 * that explain most.  What lies in one place with better ones is only counted there: of a thousand
 * near-copies a few are compared.
 */
struct region {
    struct seed_chain chain;
    bool whole;                /* it lies there to the bit: the digest of these bytes is its own */
    size_t finding;            /* the number of what came of it, from 1 on; 0: nothing */
    struct finding_range span; /* of that */
    uint64_t also;             /* others that were only counted there */
};

struct regions {
    struct region *list;
    size_t count, wholes; /* of them, the first ones */
    size_t next;
    bool all; /* nothing is only counted */
    bool cut; /* the work was too much to take them all */

    struct effort *effort;
    struct digest *digest; /* a SHA-1 */
};

/* -1 without memory; what is of zeros, or was opened in vain, may be released. */
int regions_open(struct regions *regions, struct error *err);
void regions_release(struct regions *regions);

/* The regions of these chains. */
int regions_find(struct regions *regions, const struct chains *chains, const struct seeds *seeds,
                 const struct queries *queries, const struct subject *subject, struct error *err);
/* The next one to look at, or NULL. */
struct region *regions_next(struct regions *regions);
/* What came of it: the last of the findings. */
void regions_settle(struct region *region, const struct findings *findings);
/* Tells the findings how many more there are of each. */
void regions_count(const struct regions *regions, struct findings *findings);

#endif
