/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_BLOCKS_H
#define KITH_REFSET_BLOCKS_H

#include "set/refset_segments.h"

/*
 * Looking keys up in the blocks of a set's indexes.  SQLite finds the block that a key would be in; blocks
 * that were read lately are kept, with the keys that are known to lead to each, so that SQLite need not be
 * asked again.
 */
struct refset_blocks;

/* bytes: of blocks that it may keep, or 0.  NULL on error. */
struct refset_blocks *refset_blocks_new(struct refset *set, size_t bytes, struct error *err);
void refset_blocks_free(struct refset_blocks *blocks);
/* To be called when the set was changed. */
void refset_blocks_forget(struct refset_blocks *blocks);

/* The values that a segment has for a key, at most KEYBLOCK_GROUP: their number; -1 on error. */
int refset_blocks_find(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t key,
                       uint64_t *values, struct error *err);

#endif
