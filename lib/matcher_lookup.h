/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MATCHER_LOOKUP_H
#define KITH_MATCHER_LOOKUP_H

#include "matcher_inner.h"

/*
 * The queries of an object that are for one set, and what they match there: first a few of each stretch, then
 * more of those that nothing explains.
 */
enum query_state { QUERY_OPEN, QUERY_LOOKED_UP, QUERY_EXPLAINED, QUERY_DROPPED };

struct lookup {
    struct refset_search *search;
    struct search_object object;
    uint32_t *queries; /* those of the set, by pos */
    uint8_t *states;
    size_t count, room;
    struct match *matches; /* by sample, then query */
    size_t match_count;
    size_t noise;   /* rare matches that nothing explains */
    size_t unnamed; /* queries that are in so many files that the set does not tell in which */

    /* work space, that of keys and asked also for others between two calls */
    uint64_t *keys; /* to be looked up, and which queries these are */
    uint32_t *asked;
    struct refset_hits hits;
    struct match *spare; /* as much room as for the matches */
    size_t match_room;
};

int lookup_begin(struct lookup *lookup, const struct search_object *object, uint64_t set, uint64_t known,
                 struct error *err);
void lookup_release(struct lookup *lookup);

/* Looks up some of the open queries, evenly: at most so many of each stretch.  1; 0 if none is open; -1. */
int lookup_some(struct lookup *lookup, size_t most, struct error *err);
/* Whether there may be more matches than it can keep. */
bool lookup_is_full(const struct lookup *lookup);

#endif
