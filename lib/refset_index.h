/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INDEX_H
#define KITH_REFSET_INDEX_H

#include "bloom.h"
#include "keyblock.h"
#include "refset_inner.h"

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
enum refset_index {
    REFSET_FEATURE, /* key of a fingerprint -> the first sample in each file that has it */
    REFSET_COMMON,  /* sample -> key: what common features had; not looked up, without a filter */
    REFSET_SHA1,    /* refset_digest_key -> file */
    REFSET_MD5,
    REFSET_SHA256,
    REFSET_INDEXES,
};

struct refset_segment {
    int64_t id;
    enum refset_index index;
    uint64_t entries, keys, blocks; /* blocks: of the filter */
    uint64_t marks;                 /* entries that are marks of common keys */
    uint64_t generation;            /* of the set when it was written */
};

struct refset_segments {
    struct refset_segment *list; /* by index, then from large to small */
    size_t count, room;
};

/* Keyed by the set's UUID, so that nobody makes digests that meet in one key of whatever set. */
uint64_t refset_digest_key(const struct refset *set, enum digest_kind kind, const uint8_t *digest);

/* All segments as they are now.  A row that cannot be is an error; or it is left out, and counted in *bad. */
int refset_index_segments(struct refset *set, struct refset_segments *segments, unsigned *bad,
                          struct error *err);
void refset_segments_release(struct refset_segments *segments);

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

/* All entries of a segment in order. */
struct refset_cursor;
struct refset_cursor *refset_cursor_new(struct refset *set, const struct refset_segment *segment,
                                        struct error *err);
void refset_cursor_free(struct refset_cursor *cursor);
/* Goes on with the first block that begins with this key or a later one. */
void refset_cursor_seek(struct refset_cursor *cursor, uint64_t key);
/* The last key that was read, or sought. */
uint64_t refset_cursor_key(const struct refset_cursor *cursor);
/* The next block's entries; 0 at the end, -1 if the set is damaged. */
int refset_cursor_next(struct refset_cursor *cursor, const struct keyblock_entry **entries, size_t *count,
                       struct error *err);

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
