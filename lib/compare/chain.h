/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHAIN_H
#define KITH_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/sample.h"

/*
 * Which samples of two contents are the same, and in the same order.
 *
 * Samples match where their fingerprints are equal.  A fingerprint that occurs often says little about the
 * place and is left out ("common"); only where most of the content repeats, the first of its occurrences in a
 * is matched with the first in b, and so on.  The chain is the longest list of matches that ascends in both
 * contents.
 */
struct anchor {
    uint32_t a, b; /* the numbers of the two samples */
};

struct chain {
    struct anchor *anchors; /* ascending in both */
    size_t count;
    uint64_t shared;         /* different fingerprints that both contents have */
    uint64_t only_a, only_b; /* and that only one has */

    /* work space */
    struct chain_group *groups; /* one for each different fingerprint */
    uint32_t *table;            /* fingerprint to group */
    uint32_t *group_a, *group_b;
    uint32_t *many; /* the groups of several samples */
    size_t many_count;
    uint32_t *next_b;  /* the next smaller sample of b in the group */
    uint32_t *after_b; /* the next larger one */
    bool *used_a, *used_b;
    struct anchor *pairs;
    uint32_t *tails, *ends, *previous, *under;
    size_t group_count, table_len, sample_room, pair_count, pair_room;
    size_t a_groups, a_count; /* the groups of a, and its samples, if it was grouped: a_grouped */
    bool a_grouped;
    uint32_t most; /* samples of one group and side, or it is common */
    bool repeats;  /* most matches are of common fingerprints, so these are taken, too */
};

/* A chain of zeros is an empty one. */
void chain_release(struct chain *chain);

/* What whoever asks knows already. */
struct chain_hints {
    int64_t diagonal; /* position in a - position in b where b is thought to lie, so that common samples are
                         matched there and nowhere else */
    const bool *alone_b; /* the samples of b that are like no other of either side; or NULL */
    bool same_a;         /* a is what it was the last time */
};

struct chain_sides {
    const struct sample *a, *b; /* by pos */
    size_t a_count, b_count;
    const struct chain_hints *hints; /* or NULL */
};

/* Finds the matches and the chain. */
int chain_find(struct chain *chain, const struct chain_sides *sides, struct error *err);

/* Takes the chain's anchors out of the matches and finds the longest chain of the rest: content that moved.
 */
void chain_find_next(struct chain *chain);

/* Whether sample number i of a, or of b, is common. */
bool chain_common_a(const struct chain *chain, size_t i);
bool chain_common_b(const struct chain *chain, size_t i);

#endif
