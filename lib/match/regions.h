/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REGIONS_H
#define KITH_REGIONS_H

#include "compare/finding.h"
#include "match/chains.h"
#include "match/rarity.h"
#include "match/spans.h"

/*
 * Stage 4: selects the chains that are worth comparing with the object.
 *
 * In: chains.  Out: regions, one by one: first those that need no comparison (whole.h), then those that
 * explain most.  Of many references in the same place only the best are compared and the others counted: of a
 * thousand near-copies a few are compared.
 */
struct region {
    struct seed_chain chain;
    double rarity;             /* of the content that it explains: rarity.h */
    bool whole;                /* it lies there bit for bit: these bytes have its digest */
    size_t finding;            /* number of its finding, from 1; 0: none */
    struct finding_range span; /* range of that finding, */
    bool solid;                /* and whether all of it matches */
    uint64_t also;             /* number of references that were only counted there */
    bool near;                 /* it is a near-copy of a whole one, which counts it */
};

struct regions {
    struct region *list;
    size_t count, wholes; /* `whole` regions, which come first */
    size_t next;
    bool all; /* compare all, instead of only counting some */
    bool cut; /* the limit on work was reached before all were returned */

    struct rarity rarity;
    struct effort *effort;
    uint64_t haste;        /* the work from which on fewer near-copies are compared */
    struct digest *digest; /* computes SHA-1 */
    uint64_t *starts;      /* of the regions, sorted: */
    struct spans compared; /* the clusters of those that need comparison, */
    struct spans found;    /* and the findings there */
};

/* Returns -1 if out of memory.  A zeroed struct, or one whose opening failed, may be released. */
int regions_open(struct regions *regions, struct error *err);
void regions_release(struct regions *regions);

/* Makes the regions of these chains. */
int regions_find(struct regions *regions, const struct chains *chains, const struct seeds *seeds,
                 const struct queries *queries, const struct subject *subject, struct error *err);
/* Returns the next region to compare, or NULL at the end. */
struct region *regions_next(struct regions *regions);
/* Notes that the last of the findings came of this region, the one returned last.  Returns -1 if out of
 * memory. */
int regions_settle(struct regions *regions, struct region *region, const struct findings *findings,
                   struct error *err);
/* Adds to each finding the number of references that were only counted with it. */
void regions_count(const struct regions *regions, struct findings *findings);

#endif
