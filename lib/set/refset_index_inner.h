/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INDEX_INNER_H
#define KITH_REFSET_INDEX_INNER_H

#include "set/refset_index.h"

/* Shared by the parts of the index, each of which uses only those after it: refset_index.c merges segments,
 * refset_index_write.c and refset_index_builder.c write them, refset_index_filter.c stores their filters,
 * refset_cursor.c reads them, and refset_segments.c lists them. */

enum {
    REFSET_KEY_BITS = KEYBLOCK_KEY_BITS,
    REFSET_MOST_ID = (1 << 15) - 1, /* of a segment, so that id << 48 is positive */
};

#define REFSET_MOST_KEY (((uint64_t)1 << REFSET_KEY_BITS) - 1)

/* Returns the row key of the block that begins with a key. */
static inline int64_t refset_row_key(int64_t segment, uint64_t key)
{
    return segment << REFSET_KEY_BITS | (int64_t)key;
}

/* Returns the most blocks that a filter for this number of keys may have: how many keys are equal is known
 * only after merging. */
static inline uint64_t refset_roomy(uint64_t keys)
{
    const uint64_t blocks = bloom_blocks_for(keys);

    return blocks + blocks / 4;
}

/* A segment being written. */
struct builder {
    struct refset *set;
    struct refset_segment segment;
    struct statement *insert;
    struct bloom *bloom;
    struct keyblock_entry *gathered; /* room for GATHER entries; those from start to end are not yet packed */
    size_t start, end;
};

/* keys: upper limit of the keys to be added. */
int refset_index_builder_begin(struct builder *builder, struct refset *set, enum refset_index index,
                               uint64_t keys, struct error *err);
/* Adds all values of one key. */
int refset_index_builder_add(struct builder *builder, const struct keyblock_entry *entries, size_t count,
                             struct error *err);
int refset_index_builder_end(struct builder *builder, struct error *err);
void refset_index_builder_release(struct builder *builder);

/* Collects entries, key by key, on their way into a segment. */
struct sieve {
    struct builder builder;
    size_t common;                 /* most values of a key; 0: no limit */
    struct keyblock_entry *values; /* of the current key */
    size_t count, room;
    struct keyblock_entry *lost; /* entries of common keys: sample -> key */
    size_t lost_count, lost_room;
};

/* keys: upper limit of the keys to be added.  Entries must come sorted by key; those of a key may come in any
 * order. */
int refset_index_sieve_begin(struct sieve *sieve, struct refset *set, enum refset_index index, uint64_t keys,
                             struct error *err);
int refset_index_sieve_add(struct sieve *sieve, struct keyblock_entry entry, struct error *err);
int refset_index_sieve_end(struct sieve *sieve, struct error *err);
void refset_index_sieve_release(struct sieve *sieve);

#endif
