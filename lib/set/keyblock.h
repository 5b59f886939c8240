/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KEYBLOCK_H
#define KITH_KEYBLOCK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorted pairs of key and value in a small block, the unit in which an index is stored and looked up.
 *
 * Keys have at most KEYBLOCK_KEY_BITS bits.  All values of a key are in one block, in ascending order.  A key
 * may have the mark KEYBLOCK_COMMON instead of values.  The block's first key is not part of the block:
 * whoever stores a block keeps its first key with it.
 *
 * A block takes about log2(distance of keys) + 2 bits per key and log2(spread of values) bits per value, plus
 * one per value if any key has several.  Finding a key does not decode the keys before it.  Blocks may come
 * from hostile files: reading never goes beyond the block, and anything that no writer writes is an error.
 */
#define KEYBLOCK_COMMON UINT64_MAX

enum {
    KEYBLOCK_KEY_BITS = 48,
    KEYBLOCK_VALUE_BITS = 48,
    KEYBLOCK_GROUP = 256,    /* most values of one key */
    KEYBLOCK_LEN = 1000,     /* bytes up to which a block is filled; a key with many values may exceed it */
    KEYBLOCK_MAX = 2400,     /* most bytes of a block */
    KEYBLOCK_ENTRIES = 4096, /* most entries of a block */
};

struct keyblock_entry {
    uint64_t key, value;
};

/*
 * Packs entries from the front of a list that is sorted by key, then value, without duplicates, and in which
 * no key has more than KEYBLOCK_GROUP values and a common key has one entry.  Takes whole keys, at least one,
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
