/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SEEDS_H
#define KITH_SEEDS_H

#include "match/queries.h"
#include "set/set.h"

/*
 * Stage 2: which samples of a set's references the queries are.
 *
 * In: queries.  Out: seeds, each a query and the sample of a reference that is equal to it.  First a few
 * queries of each stretch are looked up, then more of those that nothing explains.  Most seeds are those of
 * few queries, which many files have, and say least: so these are postponed, and looked up again only where
 * nothing rarer was found.
 */
enum seed_kind {
    SEED_RARE,
    SEED_EXPLAINED, /* where something was found */
    SEED_ADMITTED,  /* so many files have it that it is no evidence of a part, but of all there is no other */
};

struct seed {
    uint64_t sample; /* in the set */
    uint32_t query;  /* among all of the object */
    enum seed_kind kind;
};

struct seeds {
    struct set *set;
    bool all;          /* all references are wanted: of what is evidence nothing waits */
    struct seed *list; /* by sample, then query */
    size_t count;
    size_t noise;  /* rare seeds that nothing explains, also those that are postponed */
    size_t common; /* queries that are in so many files that they are no evidence of a part of one */

    /* work space */
    struct frequent *frequent; /* fingerprints that were postponed lately: they come again and again */
    uint64_t *keys;            /* to be looked up, */
    uint32_t *asked;           /* and which queries these are */
    size_t asked_room;
    struct set_hits hits;
    struct seed *spare; /* as much room as for the list */
    size_t room;
};

/* Samples of a stretch, of which so many are looked up at once as are asked for: 64 KiB at C = 128.  Half: 2
 * findings of the tar fewer; twice: one; with either a_part_that_is_there_three_times_is_found_three_times
 * fails. */
enum { SEEDS_STRETCH = 512 };

/* The set is borrowed.  -1 without memory; what is of zeros, or was opened in vain, may be released. */
int seeds_open(struct seeds *seeds, struct set *set, bool all, struct error *err);
void seeds_release(struct seeds *seeds);

/* For the next object, of whose queries nothing is known yet. */
void seeds_begin(struct seeds *seeds);
/* Looks up some of the open queries, evenly: at most so many of each stretch.  1; 0 if none is open; -1. */
int seeds_look_up(struct seeds *seeds, struct queries *queries, size_t most, struct error *err);
/* Looks up all queries that are still postponed: as seeds_look_up. */
int seeds_look_up_postponed(struct seeds *seeds, struct queries *queries, struct error *err);

/* Whether a sample in so many files is evidence of a part of one of them. */
bool seeds_is_rare(const struct seeds *seeds, uint32_t files);
/* Whether there may be more of them than are kept. */
bool seeds_are_cut(const struct seeds *seeds);
/* The number of the first seed of a sample, or of one after it. */
size_t seeds_from(const struct seeds *seeds, uint64_t sample);

#endif
