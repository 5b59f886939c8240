/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_BLOCKS_H
#define KITH_REFSET_BLOCKS_H

#include "set/refset_segments.h"

/*
 * Looks up keys in the blocks of a set's indexes.  SQLite finds the block that would hold a key.  Recently
 * read blocks are cached, with the ranges of keys known to lead to each, so that SQLite need not be asked
 * again.
 */
struct refset_blocks;

/* bytes: size of the cache, or 0 for none.  Returns NULL on error. */
struct refset_blocks *refset_blocks_new(struct refset *set, size_t bytes, struct error *err);
void refset_blocks_free(struct refset_blocks *blocks);
/* Empties the cache; to be called when the set was changed. */
void refset_blocks_forget(struct refset_blocks *blocks);

/* Finds the values that a segment has for a key, at most KEYBLOCK_GROUP.  Returns their number, or -1 on
 * error. */
int refset_blocks_find(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t key,
                       uint64_t *values, struct error *err);

#endif
