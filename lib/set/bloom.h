/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BLOOM_H
#define KITH_BLOOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * A split-block Bloom filter of 64-bit keys.  Nearly all look-ups miss, and most of these end here, in one
 * cache line.  It never denies a key that was added, and passes about 1.3 in 1,000 of the others.
 *
 * A block is eight words of 32 bits; a key sets one bit in each (the layout of the Parquet specification).
 * Keys are mixed first, so they may have fixed or correlated bits.  Every cpu_level() gives the same bits.
 */
enum { BLOOM_BITS_PER_KEY = 16, BLOOM_BLOCK_LEN = 32 };

struct bloom {
    uint32_t *words; /* eight per block, aligned for vectors */
    uint64_t blocks;
};

/* Returns the number of blocks for this number of keys: at least one. */
uint64_t bloom_blocks_for(uint64_t keys);

/* Returns an empty filter, or NULL if out of memory (or if the number of blocks is absurd). */
struct bloom *bloom_new(uint64_t blocks);
void bloom_free(struct bloom *bloom);

/* Adds keys. */
void bloom_add(struct bloom *bloom, const uint64_t *keys, size_t count);

/* Writes the indexes (0..count-1, ascending) of the keys that may be in the filter to passed, which has room
 * for count.  Returns how many there are. */
size_t bloom_probe(const struct bloom *bloom, const uint64_t *keys, size_t count, uint32_t *passed);

#endif
