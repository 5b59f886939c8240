/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INDEX_H
#define KITH_REFSET_INDEX_H

#include "set/bloom.h"
#include "set/refset_cursor.h"

/*
 * The indexes of a set: from keys to numbers.
 *
 * An index consists of segments, each sorted and immutable: a row in `segment`, its blocks (keyblock.h) in
 * `block` under segment << 48 | first key, and its filter (bloom.h) in `filter`, in chunks.  Additions become
 * a new segment; when there are too many segments the small ones are merged, so the work is proportional to
 * what is added.
 *
 * All writes take place in the caller's transaction.
 */

/*
 * Writes a segment of these entries, which it sorts; duplicates are written once.  scratch has room for as
 * many entries.
 *
 * In REFSET_FEATURE, here and when segments are merged, a key with more values than the set's `common` is
 * marked as common, and its values move to REFSET_COMMON.
 */
int refset_index_write(struct refset *set, enum refset_index index, struct keyblock_entry *entries,
                       struct keyblock_entry *scratch, size_t count, struct error *err);

/* Merges segments of the index until there are few; if `all`, until there is one. */
int refset_index_merge(struct refset *set, enum refset_index index, bool all, struct error *err);

/* Adds all keys of a segment to a filter. */
int refset_index_add_keys(struct refset *set, const struct refset_segment *segment, struct bloom *bloom,
                          struct error *err);
/* Returns the segment's stored filter, checked; if it is wrong, rebuilds it from the blocks and sets
 * *rebuilt.  NULL on error. */
struct bloom *refset_index_filter(struct refset *set, const struct refset_segment *segment, bool *rebuilt,
                                  struct error *err);
/* Stores a filter, replacing the stored one if any. */
int refset_index_store_filter(struct refset *set, const struct refset_segment *segment,
                              const struct bloom *bloom, struct error *err);

#endif
