/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KEYBLOCK_H
#define KITH_KEYBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sorted pairs of key and value in a small block, the unit in which an index is stored and looked up.
 *
 * Keys have at most KEYBLOCK_KEY_BITS bits.  All values of a key are in one block, in ascending order.  The
 * last value of a key may be a mark, which says that it has more values than are here, and how many more.
 * The block's first key is not part of the block: whoever stores a block keeps its first key with it.
 *
 * A block takes about log2(distance of keys) + 2 bits per key and log2(spread of values) bits per value, plus
 * one per value if any key has several.  Finding a key does not decode the keys before it.  Blocks may come
 * from hostile files: reading never goes beyond the block, and anything that no writer writes is an error.
 */
enum {
    KEYBLOCK_KEY_BITS = 48,
    KEYBLOCK_VALUE_BITS = 48,
    KEYBLOCK_GROUP = 256,    /* most values of one key, the mark included */
    KEYBLOCK_LEN = 1000,     /* bytes up to which a block is filled; a key with many values may exceed it */
    KEYBLOCK_MAX = 2400,     /* most bytes of a block */
    KEYBLOCK_ENTRIES = 4096, /* most entries of a block */
};

struct keyblock_entry {
    uint64_t key, value;
};

/* The least mark, of a key with an unknown number of more values.  All marks are greater than all values. */
#define KEYBLOCK_COMMON       ((uint64_t)1 << 63)
#define KEYBLOCK_MOST_COUNTED UINT32_MAX

/* Returns the mark of a key with this many more values; if more than KEYBLOCK_MOST_COUNTED, as many. */
static inline uint64_t keyblock_mark(uint64_t more)
{
    return KEYBLOCK_COMMON + (more < KEYBLOCK_MOST_COUNTED ? more : KEYBLOCK_MOST_COUNTED);
}

/* Whether a value is a mark. */
static inline bool keyblock_is_mark(uint64_t value)
{
    return value >= KEYBLOCK_COMMON;
}

/* Returns the number of values that a mark counts; 0: unknown. */
static inline uint64_t keyblock_marked(uint64_t mark)
{
    return mark - KEYBLOCK_COMMON;
}

/*
 * Packs entries from the front of a list that is sorted by key, then value, without duplicates, and in which
 * no key has more than KEYBLOCK_GROUP values or several marks.  Takes whole keys, at least one,
 * and returns the number of entries taken.  out has room for KEYBLOCK_MAX bytes.  If `more` entries may
 * follow the last one given, the last key is not taken unless it is the only one: the caller passes it again.
 */
size_t keyblock_pack(const struct keyblock_entry *entries, size_t count, int more, uint8_t *out, size_t *len);

/* Unpacks all entries into out, which has room for KEYBLOCK_ENTRIES.  Returns their number, or -1 if the
 * block is corrupt. */
int keyblock_unpack(const uint8_t *data, size_t len, uint64_t first, struct keyblock_entry *out);

/* Finds the block's last key.  Returns -1 if the part that was read is corrupt. */
int keyblock_last(const uint8_t *data, size_t len, uint64_t first, uint64_t *last);

/* Finds the values of a key; out has room for KEYBLOCK_GROUP.  Returns their number, 0 if the key is absent,
 * or -1 if the part that was read is corrupt. */
int keyblock_find(const uint8_t *data, size_t len, uint64_t first, uint64_t key, uint64_t *out);

#endif
