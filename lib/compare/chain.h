/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHAIN_H
#define KITH_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/sample.h"

/*
 * Finds the samples that two contents have in common, in the same order.
 *
 * Samples match if their fingerprints are equal.  A fingerprint that occurs often ("common") says little
 * about where content lies and is ignored, unless most of the content repeats: then its first occurrence in a
 * is matched with the first in b, and so on.  The chain is the longest list of matches that ascends in both
 * contents.
 */
struct anchor {
    uint32_t a, b; /* indices of the two samples */
};

struct chain {
    struct anchor *anchors; /* ascending in both */
    size_t count;
    uint64_t shared;         /* distinct fingerprints in both contents */
    uint64_t only_a, only_b; /* distinct fingerprints in only one of them */

    /* work space */
    struct chain_group *groups; /* one per distinct fingerprint */
    uint32_t *table;            /* fingerprint to group */
    uint32_t *group_a, *group_b;
    uint32_t *many; /* the groups with more than one sample */
    size_t many_count;
    uint32_t *next_b;  /* the previous sample of b in the same group */
    uint32_t *after_b; /* the next one */
    bool *used_a, *used_b;
    struct anchor *pairs;
    uint32_t *tails, *ends, *previous, *under;
    size_t group_count, table_len, sample_room, pair_count, pair_room;
    size_t a_groups, a_count; /* groups and samples of a, valid if a_grouped */
    bool a_grouped;
    uint32_t most; /* a fingerprint with more samples on either side is common */
    bool repeats;  /* most matches are of common fingerprints, so these are used, too */
};

/* A zero-initialized chain is empty.  Frees its memory and leaves it empty. */
void chain_release(struct chain *chain);

/* What the caller already knows. */
struct chain_hints {
    int64_t diagonal;    /* the expected position in a - position in b; common samples match only there */
    const bool *alone_b; /* the samples of b whose fingerprint occurs nowhere else on either side; or NULL */
    bool same_a;         /* a is the same as in the last call */
};

struct chain_sides {
    const struct sample *a, *b; /* sorted by pos */
    size_t a_count, b_count;
    const struct chain_hints *hints; /* or NULL */
};

/* Finds the matches and the chain.  -1 without memory. */
int chain_find(struct chain *chain, const struct chain_sides *sides, struct error *err);

/* Removes the samples of the chain from the matches and finds the longest chain of the rest, for content that
 * moved. */
void chain_find_next(struct chain *chain);

/* The number of fingerprints that occur once in each content, and of those of them that are in the chain. */
uint64_t chain_single(const struct chain *chain);
uint64_t chain_single_in_order(const struct chain *chain);

/* Whether sample i of a, or of b, is common. */
bool chain_common_a(const struct chain *chain, size_t i);
bool chain_common_b(const struct chain *chain, size_t i);

#endif
