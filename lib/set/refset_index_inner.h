/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INDEX_INNER_H
#define KITH_REFSET_INDEX_INNER_H

#include "set/refset_index.h"

/* What the parts of the index share, each above the next: refset_index.c merges segments,
 * refset_index_write.c and refset_index_builder.c write them, refset_index_filter.c keeps their filters,
 * refset_cursor.c reads them, and refset_segments.c lists them. */

enum {
    REFSET_KEY_BITS = KEYBLOCK_KEY_BITS,
    REFSET_MOST_ID = (1 << 15) - 1, /* of a segment, so that id << 48 is a positive number */
};

#define REFSET_MOST_KEY (((uint64_t)1 << REFSET_KEY_BITS) - 1)

/* Where the block that begins with a key is. */
static inline int64_t refset_row_key(int64_t segment, uint64_t key)
{
    return segment << REFSET_KEY_BITS | (int64_t)key;
}

/* The most blocks that a filter of so many keys may have: merging cannot tell beforehand how many keys are
 * equal. */
static inline uint64_t refset_roomy(uint64_t keys)
{
    const uint64_t blocks = bloom_blocks_for(keys);

    return blocks + blocks / 4;
}

/* A segment that is being written. */
struct builder {
    struct refset *set;
    struct refset_segment segment;
    struct statement *insert;
    struct bloom *bloom;
    struct keyblock_entry *gathered; /* GATHER of them, from start to end not yet packed */
    size_t start, end;
};

/* keys: at most so many will be added. */
int refset_index_builder_begin(struct builder *builder, struct refset *set, enum refset_index index,
                               uint64_t keys, struct error *err);
/* Adds the values of one key. */
int refset_index_builder_add(struct builder *builder, const struct keyblock_entry *entries, size_t count,
                             struct error *err);
int refset_index_builder_end(struct builder *builder, struct error *err);
void refset_index_builder_release(struct builder *builder);

/* Entries, key after key, on their way into a segment. */
struct sieve {
    struct builder builder;
    size_t common;                 /* most values of a key; 0: any number */
    struct keyblock_entry *values; /* of the current key */
    size_t count, room;
    struct keyblock_entry *lost; /* of common keys: sample -> key */
    size_t lost_count, lost_room;
};

/* keys: at most so many will be added.  Entries come by key; those of one key in any order. */
int refset_index_sieve_begin(struct sieve *sieve, struct refset *set, enum refset_index index, uint64_t keys,
                             struct error *err);
int refset_index_sieve_add(struct sieve *sieve, struct keyblock_entry entry, struct error *err);
int refset_index_sieve_end(struct sieve *sieve, struct error *err);
void refset_index_sieve_release(struct sieve *sieve);

#endif
