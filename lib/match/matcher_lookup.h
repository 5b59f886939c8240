/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MATCHER_LOOKUP_H
#define KITH_MATCHER_LOOKUP_H

#include "match/matcher_inner.h"

/*
 * The queries of an object that are for one set, and what they match there: first a few of each stretch, then
 * more of those that nothing explains.
 *
 * Most matches are those of few queries, which many files have, and say least.  So these are postponed, and
 * looked up again only where nothing rarer was found.
 */
enum query_state { QUERY_OPEN, QUERY_LOOKED_UP, QUERY_POSTPONED, QUERY_EXPLAINED, QUERY_DROPPED };

struct lookup {
    struct refset_search *search;
    struct search_object object;
    uint32_t *queries; /* those of the set, by pos */
    uint8_t *states;
    uint32_t *files; /* in how many files a query is that was postponed; else 0 */
    size_t count, room;
    struct frequent *frequent; /* fingerprints that were postponed lately: they come again and again */
    struct match *matches;     /* by sample, then query */
    size_t match_count;
    size_t noise;  /* rare matches that nothing explains, also those that are postponed */
    size_t common; /* queries that are in so many files that they are no evidence of a part of one */

    /* work space, that of keys and asked also for others between two calls */
    uint64_t *keys; /* to be looked up, and which queries these are */
    uint32_t *asked;
    struct refset_hits hits;
    struct match *spare; /* as much room as for the matches */
    size_t match_room;
};

/* Look-ups in a set; begin: for the next object, of which queries nothing is known yet.  -1 without memory.
 */
int matcher_lookup_open(struct lookup *lookup, struct refset_search *search, struct error *err);
int matcher_lookup_begin(struct lookup *lookup, const struct search_object *object, uint64_t set,
                         uint64_t known, struct error *err);
void matcher_lookup_release(struct lookup *lookup);

/* Looks up some of the open queries, evenly: at most so many of each stretch.  1; 0 if none is open; -1. */
int matcher_lookup_some(struct lookup *lookup, size_t most, struct error *err);
/* Looks up all queries that are still postponed: as matcher_lookup_some. */
int matcher_lookup_postponed(struct lookup *lookup, struct error *err);
/* Whether a sample in so many files is evidence of a part of one of them. */
bool matcher_lookup_is_rare(const struct lookup *lookup, uint32_t files);
/* Whether there may be more matches than it can keep. */
bool matcher_lookup_is_full(const struct lookup *lookup);

#endif
