/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INDEX_H
#define KITH_REFSET_INDEX_H

#include "set/bloom.h"
#include "set/refset_cursor.h"

/*
 * The indexes of a set: from keys to numbers.
 *
 * An index is made of segments, each of them sorted and never changed: a row of `segment`, its blocks
 * (keyblock.h) in `block` under segment << 48 | first key, and its filter (bloom.h) in `filter`, in chunks.
 * What is added becomes a new segment; when there are too many, the small ones are merged, so the work is in
 * proportion to what is added.
 *
 * Writing is within the caller's transaction.
 */

/*
 * Writes a segment of these entries, which it sorts; equal ones are taken once.  scratch has room for as
 * many.
 *
 * For REFSET_FEATURE, here and when segments are merged: a key with more values than the set's `common` is
 * marked as common, and its values go to REFSET_COMMON.
 */
int refset_index_write(struct refset *set, enum refset_index index, struct keyblock_entry *entries,
                       struct keyblock_entry *scratch, size_t count, struct error *err);

/* Merges segments of the index until there are few; all: until there is one. */
int refset_index_merge(struct refset *set, enum refset_index index, bool all, struct error *err);

/* Adds all keys of a segment to a filter. */
int refset_index_add_keys(struct refset *set, const struct refset_segment *segment, struct bloom *bloom,
                          struct error *err);
/* The segment's filter as it is stored, checked; or made anew from its blocks if that is wrong (then
 * *rebuilt). */
struct bloom *refset_index_filter(struct refset *set, const struct refset_segment *segment, bool *rebuilt,
                                  struct error *err);
/* Stores a filter in place of the one that is there. */
int refset_index_store_filter(struct refset *set, const struct refset_segment *segment,
                              const struct bloom *bloom, struct error *err);

#endif
