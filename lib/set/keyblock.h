/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KEYBLOCK_H
#define KITH_KEYBLOCK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorted pairs of key and value in a small block: the unit in which an index is stored and looked up.
 *
 * Keys have at most KEYBLOCK_KEY_BITS bits.  All values of a key stand in one block, ascending.  A key may
 * have the mark KEYBLOCK_COMMON instead of values.  The block's first key is kept beside it by whoever stores
 * it.
 *
 * A block takes about log2(distance of keys) + 2 bits a key and log2(spread of values) bits a value, and one
 * more for each value where keys have several.  Finding a key does not decode those before it.  Blocks come
 * from files that may be hostile: reading one never goes beyond it, and what no writer writes is an
 * error.
 */
#define KEYBLOCK_COMMON UINT64_MAX

enum {
    KEYBLOCK_KEY_BITS = 48,
    KEYBLOCK_VALUE_BITS = 48,
    KEYBLOCK_GROUP = 256, /* values of one key, at most */
    KEYBLOCK_LEN = 1000,  /* bytes that a block is filled up to; a key with many values may make it longer */
    KEYBLOCK_MAX = 2400,  /* and never than this */
    KEYBLOCK_ENTRIES = 4096, /* at most in one block */
};

struct keyblock_entry {
    uint64_t key, value;
};

/*
 * Packs entries from the front, sorted by key and then value, without equal pairs, no key with more values
 * than KEYBLOCK_GROUP; a common key has one entry.  Returns how many it took: whole keys, at least one. out
 * has room for KEYBLOCK_MAX.  If `more` entries may still follow the last one given, the last key is not
 * taken unless it is the only one: the caller gives it again.
 */
size_t keyblock_pack(const struct keyblock_entry *entries, size_t count, int more, uint8_t *out, size_t *len);

/* All entries of a block, out has room for KEYBLOCK_ENTRIES; returns their number, or -1 if the block is
 * broken. */
int keyblock_unpack(const uint8_t *data, size_t len, uint64_t first, struct keyblock_entry *out);

/* The block's last key; -1 if it is broken (as far as it was read). */
int keyblock_last(const uint8_t *data, size_t len, uint64_t first, uint64_t *last);

/* The values of a key, out has room for KEYBLOCK_GROUP: their number, 0 if the key is not there, -1 if the
 * block is broken (as far as it was read). */
int keyblock_find(const uint8_t *data, size_t len, uint64_t first, uint64_t key, uint64_t *out);

#endif
