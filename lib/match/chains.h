/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHAINS_H
#define KITH_CHAINS_H

#include "match/effort.h"
#include "match/families.h"
#include "match/holders.h"
#include "match/support.h"

/*
 * Stage 3: finds references that are likely to lie somewhere in the object.
 *
 * In: seeds.  Out: chains.  A chain consists of seeds of one reference that line up (chance.h).  It is
 * accepted if chance does not line up that many all the time, and if they are numerous or dense enough that
 * some stretch may prove them.  What a match is worth is known only when it has been compared
 * (significance.h); so this filter is generous, and saves work.  Queries that a chain explains need not be
 * looked up, unless the chain is doubtful.
 */
struct seed_chain {
    struct set_place place; /* the reference */
    struct cluster cluster; /* where it lies in the object */
    size_t first, count;    /* the reference's seeds, in the list of seeds */
    uint64_t support;       /* number of queries that it explains, */
    uint64_t start, end;    /* and the offsets of the first and the last of them in the object */
    bool doubtful;          /* chance may well line up that many: only a comparison can tell */
    bool scattered;  /* its seeds do not line up: it may be the same content in another order (reorder.h) */
    bool common;     /* too common to be evidence of a part of the reference: only all of it is reported */
    uint32_t family; /* number of references with the same content, if they are near-copies; or 0 */
    bool counted; /* many other chains share its seeds, so it is only counted, not compared; place.first and
                     count, cluster.start and end are set, place.len is approximate */
    bool copy;    /* the same part of the reference also lies elsewhere in the object */
};

/* Whether one of the reference's seeds counts: those of which the set knows only some references are evidence
 * only if these are near-copies. */
static inline bool chains_has_seed(const struct seed_chain *chain, const struct seed *seed)
{
    return seed->kind != SEED_KEPT || chain->family;
}

/* What to look for in an object. */
struct chains_wanted {
    bool all;      /* report also references whose matches are explained by others */
    bool may_part; /* if there is too much to search, the object will be searched again in parts */
    struct effort *effort;
};

struct chains {
    struct seed_chain *list;
    size_t count;
    bool cut;        /* there may be more chains than were found */
    unsigned halved; /* then: how many times to halve the queries so that there may be few enough */

    /* work space */
    struct chains_wanted wanted;
    struct holders holders;
    struct supporter *supporter;
    struct families families;
    struct seed_chain *before; /* the chains found before the search was repeated */
    struct chains_stretch *covered;
    struct cluster *clusters;  /* the clusters of one reference, */
    struct chance_hit *hits;   /* the hits of one reference, */
    int64_t *diagonals;        /* their diagonals, */
    struct support_seed *line; /* and the seeds of one cluster, */
    size_t rare, kept;         /* of which these many are rare, and SEED_KEPT */
    size_t hit_room;
    bool begun; /* support_begin was called for this object */
    bool rest;  /* only seeds that nothing explains are searched; what was found before is kept */
};

/* Returns -1 if out of memory.  A zeroed struct, or one whose opening failed, may be released. */
int chains_open(struct chains *chains, struct error *err);
void chains_release(struct chains *chains);

/* Starts the next object. */
void chains_begin(struct chains *chains, const struct chains_wanted *wanted);
/* Finds all chains again, from the seeds that there are now, and marks the queries they explain.  more: not
 * all queries were considered yet; then the search ends early if there will be too many chains. */
int chains_find(struct chains *chains, const struct seeds *seeds, struct queries *queries, bool more,
                struct error *err);
/*
 * Repeats the search once all rare samples have been looked up: postponed queries now count where nothing was
 * found, and seeds that are explained no longer count as noise.  Accepted chains are kept, with all the seeds
 * they have by now.
 */
int chains_find_elsewhere(struct chains *chains, struct seeds *seeds, struct queries *queries,
                          struct error *err);
/* Adds a chain that was found in another way.  Returns false if there is no room. */
bool chains_add(struct chains *chains, const struct seed_chain *chain);
/* Whether to stop searching, because the object will be searched in parts or took too much work. */
bool chains_are_over(const struct chains *chains, const struct seeds *seeds);

#endif
