/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHAINS_H
#define KITH_CHAINS_H

#include "match/effort.h"
#include "match/holders.h"
#include "match/support.h"

/*
 * Stage 3: which references lie somewhere in the object, as it seems.
 *
 * In: seeds.  Out: chains, each the seeds of one reference that line up (chance.h) and are believed: chance
 * alone would hardly line up so many, and they are so many or so close that there may be a stretch which
 * proves it.  The queries that a chain explains need not be looked up.
 */
struct seed_chain {
    struct set_place place; /* the reference */
    struct cluster cluster; /* where it lies */
    size_t first, count;    /* the reference's seeds */
    uint64_t support;       /* queries that it explains */
    bool common;            /* its seeds are, so only all of it is worth reporting */
    bool counted;           /* so many others have its seeds that it is only counted: of its place first is
                               known, and about the length, of its cluster start and end */
    bool copy;              /* the same part of the reference lies elsewhere in the object, too */
};

/* What is wanted of an object. */
struct chains_wanted {
    double most_ln_e; /* what is above is not believed */
    bool all;         /* also references that others explain */
    bool may_part;    /* if it is too much, it will be searched again in parts */
    struct effort *effort;
};

struct chains {
    struct seed_chain *list;
    size_t count;
    bool cut; /* there are more than were found */

    /* work space */
    struct chains_wanted wanted;
    struct holders holders;
    struct supporter *supporter;
    struct seed_chain *before; /* what was believed before it was searched again */
    struct chains_stretch *covered;
    struct cluster *clusters;  /* of one reference */
    struct chance_hit *hits;   /* the seeds of one reference, */
    int64_t *diagonals;        /* theirs, */
    struct support_seed *line; /* and those of one cluster */
    size_t hit_room;
    bool begun; /* the supporter was, for this object */
};

/* -1 without memory; what is of zeros, or was opened in vain, may be released. */
int chains_open(struct chains *chains, struct error *err);
void chains_release(struct chains *chains);

/* For the next object. */
void chains_begin(struct chains *chains, const struct chains_wanted *wanted);
/* Finds them anew from all seeds that there are now, and marks the queries that they explain. */
int chains_find(struct chains *chains, const struct seeds *seeds, struct queries *queries, struct error *err);
/*
 * Once more, after all that is rare was looked up: what was postponed counts now where nothing was found, and
 * what is explained is no noise any more.  What was believed stays so, with all seeds that it has by now.
 */
int chains_find_elsewhere(struct chains *chains, struct seeds *seeds, struct queries *queries,
                          struct error *err);
/* Whether it is of no use to go on: the object will be searched part by part, or it took too much. */
bool chains_are_over(const struct chains *chains, const struct seeds *seeds);

#endif
