/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SEEDS_H
#define KITH_SEEDS_H

#include "match/queries.h"
#include "set/set.h"

/*
 * Stage 2: finds the samples of a set's references that are equal to the queries.
 *
 * In: queries.  Out: seeds, each a query and a sample of a reference that is equal to it.  First a few
 * queries of each stretch are looked up, then more of those that nothing explains.  Most seeds come from a
 * few queries that many files have and that distinguish little; so these are postponed, and looked up again
 * only where nothing rarer was found.
 */
enum seed_kind {
    SEED_RARE,
    SEED_EXPLAINED, /* it lies where something was found */
    SEED_ADMITTED,  /* too many files have it to be evidence of a part, but no better evidence of a whole file
                       was found */
    SEED_KEPT,      /* the same, and too many for the set to know them all */
};

struct seed {
    uint64_t sample; /* number of the sample in the set */
    uint32_t query;  /* index of the query among all of the object */
    enum seed_kind kind;
};

struct seeds {
    struct set *set;
    bool all;          /* all references are wanted: queries that are evidence are not postponed */
    struct seed *list; /* sorted by sample, then query */
    size_t count;
    size_t noise;  /* rare seeds that nothing explains, postponed ones included */
    size_t common; /* queries that too many files have to be evidence of a part of one */

    /* work space */
    struct frequent *frequent; /* fingerprints postponed lately, as these recur */
    uint64_t *keys;            /* keys to look up, */
    uint32_t *asked;           /* and the queries that they come from */
    size_t asked_room;
    struct set_hits hits;
    struct seed *spare; /* same size as list */
    size_t room;
};

/* The length of a stretch, in samples: 64 KiB at C = 128.  Halving it loses 2 findings of the tar, doubling
 * it one; with either a_part_that_occurs_three_times_is_found_three_times fails. */
enum { SEEDS_STRETCH = 512 };

/* The set is borrowed.  Returns -1 if out of memory.  A zeroed struct, or one whose opening failed, may be
 * released. */
int seeds_open(struct seeds *seeds, struct set *set, bool all, struct error *err);
void seeds_release(struct seeds *seeds);

/* Starts the next object, none of whose queries has been looked up. */
void seeds_begin(struct seeds *seeds);
/* Looks up some of the open queries, evenly spread, at most `most` of each stretch.  Returns 1, 0 if none is
 * open, -1 on error. */
int seeds_look_up(struct seeds *seeds, struct queries *queries, size_t most, struct error *err);
/* Looks up queries that are still postponed, evenly spread, at most `most` of each stretch.  Returns as
 * seeds_look_up does. */
int seeds_look_up_postponed(struct seeds *seeds, struct queries *queries, size_t most, struct error *err);
/* The number of seeds that it would find. */
uint64_t seeds_postponed(const struct seeds *seeds, const struct queries *queries, size_t most);

/* Whether a sample that this number of files have is evidence of a part of one of them. */
bool seeds_is_rare(const struct seeds *seeds, uint32_t files);
/* Whether that would reach the limit, so that there may be more seeds than are kept. */
bool seeds_would_be_cut(const struct seeds *seeds, const struct queries *queries, size_t most);
/* Whether the limit was reached, so that there may be more seeds than are kept. */
bool seeds_are_cut(const struct seeds *seeds);
/* Returns the index of the first seed of a sample, or of the next sample that has seeds. */
size_t seeds_from(const struct seeds *seeds, uint64_t sample);

#endif
