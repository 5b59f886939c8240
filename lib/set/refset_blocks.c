/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/memory.h"
#include "set/keyblock.h"
#include "set/known.h"

enum {
    BYTES_A_BLOCK = 1024, /* approximate cost of caching a block */
    KEYS_A_RANGE = 16,    /* a block has 100 to 300 keys, so most ranges lie in one block */
    MOST_RANGES = 256,    /* most ranges noted for a block, so in practice all of them */
    RANGES_A_BLOCK = 16,  /* more than a block needs, as some belong to blocks no longer cached */
    SHELF = 4,            /* blocks with the same place in the cache, so that few evict each other */
};

static const uint64_t key_mask = ((uint64_t)1 << KEYBLOCK_KEY_BITS) - 1;

/* A cached block. */
struct kept {
    uint64_t row; /* its key in the table: segment, then the block's first key; 0: empty */
    size_t len, room;
    uint8_t *data;
};

/* A range of keys known to lead to the block with this row. */
struct range {
    uint64_t row, last; /* from the row's own key to this one */
};

struct refset_blocks {
    struct refset *set;
    struct statement *query;
    struct kept *kept; /* hashed by row; NULL if nothing is cached */
    struct range *ranges;
    unsigned kept_bits, range_bits; /* log2 of their numbers */
};

/* Allocates a cache of this size. */
static int make_shelves(struct refset_blocks *blocks, size_t bytes, struct error *err)
{
    blocks->kept_bits = bits_width(bytes / BYTES_A_BLOCK) - 1;
    blocks->range_bits = blocks->kept_bits + bits_width(RANGES_A_BLOCK) - 1;
    blocks->kept = memory_new(sizeof *blocks->kept << blocks->kept_bits, err);
    blocks->ranges = blocks->kept ? memory_new(sizeof *blocks->ranges << blocks->range_bits, err) : NULL;
    return blocks->ranges ? 0 : -1;
}

struct refset_blocks *refset_blocks_new(struct refset *set, size_t bytes, struct error *err)
{
    struct refset_blocks *blocks = memory_new(sizeof *blocks, err);

    if (!blocks)
        return NULL;
    blocks->set = set;
    blocks->query = database_prepare(
        set->database, "SELECT key, data FROM block WHERE key <= ? ORDER BY key DESC LIMIT 1", err);
    if (blocks->query && (bytes < (size_t)SHELF * BYTES_A_BLOCK || make_shelves(blocks, bytes, err) == 0))
        return blocks;
    refset_blocks_free(blocks);
    return NULL;
}

void refset_blocks_free(struct refset_blocks *blocks)
{
    if (!blocks)
        return;
    for (size_t i = 0; blocks->kept && i < (size_t)1 << blocks->kept_bits; i++)
        free(blocks->kept[i].data);
    free(blocks->kept);
    free(blocks->ranges);
    statement_free(blocks->query);
    free(blocks);
}

void refset_blocks_forget(struct refset_blocks *blocks)
{
    if (!blocks->kept)
        return;
    for (size_t i = 0; i < (size_t)1 << blocks->kept_bits; i++)
        blocks->kept[i].row = 0;
    memset(blocks->ranges, 0, sizeof *blocks->ranges << blocks->range_bits);
}

/* ---- the cache ---- */

static size_t scatter(uint64_t x, unsigned bits)
{
    return (size_t)(x * 0x9e3779b97f4a7c15 >> 1 >> (63 - bits));
}

/* Returns the first of the SHELF places where the block may be. */
static struct kept *shelf_of(const struct refset_blocks *blocks, uint64_t row)
{
    return &blocks->kept[scatter(row, blocks->kept_bits) & ~(size_t)(SHELF - 1)];
}

static struct kept *kept_as(const struct refset_blocks *blocks, uint64_t row)
{
    struct kept *shelf = shelf_of(blocks, row);

    for (size_t i = 0; i < SHELF; i++)
        if (shelf[i].row == row)
            return &shelf[i];
    return NULL;
}

/* Evicts the block that has been on the shelf longest, and returns its place. */
static struct kept *take_turn(const struct refset_blocks *blocks, uint64_t row)
{
    struct kept *shelf = shelf_of(blocks, row);
    const struct kept oldest = shelf[SHELF - 1];

    memmove(shelf + 1, shelf, (SHELF - 1) * sizeof *shelf);
    shelf[0] = oldest;
    shelf[0].row = 0;
    return shelf;
}

/* The number of bits in the segment's keys.  Sample keys are short, as only small fingerprints are
 * sampled. */
static unsigned span_of(const struct refset_blocks *blocks, const struct refset_segment *segment)
{
    return segment->index == REFSET_FEATURE ? KNOWN_KEY_BITS - bits_width(blocks->set->info.params.c) + 1
                                            : KEYBLOCK_KEY_BITS;
}

/* Keys that differ only in this number of lower bits share a range. */
static unsigned range_shift(const struct refset_blocks *blocks, const struct refset_segment *segment)
{
    const unsigned bits = bits_width(segment->keys / KEYS_A_RANGE), span = span_of(blocks, segment);

    return bits < span ? span - bits : 0;
}

/* Returns where the block for the keys of this range is noted. */
static struct range *range_at(const struct refset_blocks *blocks, const struct refset_segment *segment,
                              uint64_t number)
{
    return &blocks->ranges[scatter((uint64_t)segment->id << KEYBLOCK_KEY_BITS | number, blocks->range_bits)];
}

static struct range *range_of(const struct refset_blocks *blocks, const struct refset_segment *segment,
                              uint64_t key)
{
    return range_at(blocks, segment, (key & key_mask) >> range_shift(blocks, segment));
}

/* Notes which ranges of keys lead to the block. */
static void note_ranges(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t row,
                        const uint8_t *data, size_t len)
{
    const unsigned shift = range_shift(blocks, segment);
    const uint64_t first = row & key_mask;
    uint64_t last, end;

    if (keyblock_last(data, len, first, &last))
        return;
    end = (last >> shift) - (first >> shift) < MOST_RANGES ? last >> shift : (first >> shift) + MOST_RANGES;
    for (uint64_t number = first >> shift; number <= end; number++)
        *range_at(blocks, segment, number) = (struct range){row, row - first + last};
}

/* Returns the block known to hold the key, if it is cached, or NULL. */
static const struct kept *recall(const struct refset_blocks *blocks, const struct range *range, uint64_t key)
{
    return range->row && range->row <= key && key <= range->last ? kept_as(blocks, range->row) : NULL;
}

/* Caches a block; if out of memory it is just not cached. */
static void keep(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t row,
                 const void *data, size_t len)
{
    struct kept *kept;

    note_ranges(blocks, segment, row, data, len);
    if (kept_as(blocks, row))
        return;
    kept = take_turn(blocks, row);
    if (len > kept->room) {
        if (array_resize(&kept->data, len))
            return;
        kept->room = len;
    }
    memcpy(kept->data, data, len);
    kept->len = len;
    kept->row = row;
}

/* ---- finding ---- */

/* Finds the values of a key; row and key include the segment. */
static int find_in(const struct refset_blocks *blocks, const void *data, size_t len, uint64_t row,
                   uint64_t key, uint64_t *values, struct error *err)
{
    const int found = keyblock_find(data, len, row & key_mask, key & key_mask, values);

    return found < 0 ? refset_broken(blocks->set, err, "corrupt index block") : found;
}

/* Notes a key between two blocks as leading to the first of them, which does not have it. */
static void note_key(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t row,
                     uint64_t key)
{
    struct range *range = range_of(blocks, segment, key);

    if (range->row != row || range->last < key)
        *range = (struct range){row, key};
}

static int ask(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t key,
               uint64_t *values, struct error *err)
{
    struct statement *query = blocks->query;
    const void *data;
    int64_t row;
    size_t len;
    int found = 0, result;

    statement_bind_number(query, 1, (int64_t)key);
    result = statement_step(query, err);
    if (result < 0)
        return -1;
    if (result > 0 && (!statement_number(query, 0, &row) || !statement_bytes(query, 1, &data, &len))) {
        found = refset_broken(blocks->set, err, "malformed row in table block");
    } else if (result > 0 && (uint64_t)row >> KEYBLOCK_KEY_BITS == (uint64_t)segment->id) {
        found = find_in(blocks, data, len, (uint64_t)row, key, values, err);
        if (found >= 0 && blocks->kept) {
            keep(blocks, segment, (uint64_t)row, data, len);
            note_key(blocks, segment, (uint64_t)row, key);
        }
    }
    statement_reset(query);
    return found;
}

int refset_blocks_find(struct refset_blocks *blocks, const struct refset_segment *segment, uint64_t key,
                       uint64_t *values, struct error *err)
{
    const struct kept *kept = NULL;

    key = (uint64_t)segment->id << KEYBLOCK_KEY_BITS | (key & key_mask);
    if (blocks->kept)
        kept = recall(blocks, range_of(blocks, segment, key), key);
    return kept ? find_in(blocks, kept->data, kept->len, kept->row, key, values, err)
                : ask(blocks, segment, key, values, err);
}
