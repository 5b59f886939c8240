/* SPDX-License-Identifier: Apache-2.0 */
#include "set/keyblock.h"

#include <assert.h>

#include "base/bits.h"

/*
 * The bits of a block:
 *
 *     entries - 1                            12
 *     grouped                                1: some key has several values
 *     low bits, value bits                   6 each
 *     the smallest value                     48
 *     keys - 1                               12, only if grouped
 *     starts                                 1 for each entry, only if grouped: it is the first of its key
 *     values                                 value bits for each entry; all ones is KEYBLOCK_COMMON
 *     lows                                   low bits for each key but the first
 *     highs                                  the rest of these keys, in unary: see below
 *
 * If marks count values, the block is grouped, and 4095 instead of keys - 1 says so, which is more than a
 * grouped block can have.  The largest count (32) and keys - 1 (12) follow.  A mark is all ones less its
 * count; there are enough value bits for marks to be greater than all values.
 *
 * Keys are stored relative to the first one, in the Elias-Fano code: the lower bits of each key in an array,
 * and for each possible value of the upper bits as many ones as there are keys with it, then a zero.  This
 * takes some 0.5 bits per key more than coding the distances, but a key is found by counting bits, 64 at a
 * time, and only the entries looked for are decoded.
 */
enum {
    COUNT_BITS = 12, /* of KEYBLOCK_ENTRIES - 1 */
    WIDTH_BITS = 6,
    MARKED_BITS = 32,                /* of KEYBLOCK_MOST_COUNTED */
    COUNTED = (1 << COUNT_BITS) - 1, /* instead of keys - 1: marks count values */
    HEAD_BITS = COUNT_BITS + 1 + 2 * WIDTH_BITS + KEYBLOCK_VALUE_BITS,
};

/* A key takes at least two bits, and each of several values three: no block has too many entries. */
_Static_assert(KEYBLOCK_LEN * 8 / 2 <= KEYBLOCK_ENTRIES && KEYBLOCK_ENTRIES <= 1 << COUNT_BITS, "counts fit");

static const uint64_t key_limit = 1ULL << KEYBLOCK_KEY_BITS, value_limit = 1ULL << KEYBLOCK_VALUE_BITS;

static uint64_t ones(unsigned count)
{
    return count ? UINT64_MAX >> (64 - count) : 0;
}

/* ---- packing ---- */

/* The entries chosen for the block. */
struct plan {
    size_t entries, keys;
    uint64_t first, last; /* keys */
    uint64_t min, max;    /* values; min > max if there are none */
    uint64_t most;        /* the largest number that a mark counts */
};

static unsigned value_bits(const struct plan *plan)
{
    const uint64_t values = plan->min <= plan->max ? plan->max - plan->min + 1 : 0;

    return bits_width(values + plan->most);
}

static bool is_grouped(const struct plan *plan)
{
    return plan->entries > plan->keys || plan->most;
}

/* Returns the number of low bits.  Another one costs one bit per key and saves half of the zeros: this is the
 * smallest number for which it does not pay. */
static unsigned low_bits(const struct plan *plan)
{
    const uint64_t span = plan->last - plan->first, coded = plan->keys - 1;
    const unsigned span_bits = bits_width(span), coded_bits = bits_width(coded);
    unsigned bits;

    if (coded == 0 || span_bits <= coded_bits)
        return 0;
    bits = span_bits - coded_bits;
    return span >> (bits - 1) > 2 * coded ? bits : bits - 1;
}

static uint64_t size_of(const struct plan *plan)
{
    const unsigned low = low_bits(plan);
    const uint64_t coded = plan->keys - 1, starts = is_grouped(plan) ? COUNT_BITS + plan->entries : 0;
    const uint64_t counted = plan->most ? MARKED_BITS + COUNT_BITS : 0;
    const uint64_t keys = coded ? coded * (low + 1) + ((plan->last - plan->first) >> low) : 0;

    return HEAD_BITS + starts + counted + plan->entries * value_bits(plan) + keys;
}

static void plan_add(struct plan *plan, const struct keyblock_entry *entries, size_t count)
{
    plan->last = entries->key;
    plan->keys++;
    plan->entries += count;
    if (keyblock_is_mark(entries[count - 1].value)) {
        const uint64_t marked = keyblock_marked(entries[--count].value);

        plan->most = marked > plan->most ? marked : plan->most;
    }
    if (count == 0)
        return;
    if (entries[0].value < plan->min)
        plan->min = entries[0].value;
    if (entries[count - 1].value > plan->max)
        plan->max = entries[count - 1].value;
}

static size_t group_end(const struct keyblock_entry *entries, size_t count, size_t at)
{
    const uint64_t key = entries[at].key;

    while (at < count && entries[at].key == key)
        at++;
    return at;
}

/* Plans the keys, from the front, that fit into the block. */
static struct plan make_plan(const struct keyblock_entry *entries, size_t count, int more)
{
    struct plan plan = {.first = entries->key, .min = UINT64_MAX};
    size_t end;

    for (size_t at = 0; at < count; at = end) {
        struct plan next = plan;

        end = group_end(entries, count, at);
        if (at > 0 && more && end == count)
            break;
        plan_add(&next, entries + at, end - at);
        if (at > 0 && size_of(&next) > KEYBLOCK_LEN * 8)
            break;
        plan = next;
    }
    return plan;
}

static void put_head(struct bits_writer *writer, const struct plan *plan)
{
    const bool grouped = is_grouped(plan);

    bits_put(writer, plan->entries - 1, COUNT_BITS);
    bits_put(writer, grouped, 1);
    bits_put(writer, low_bits(plan), WIDTH_BITS);
    bits_put(writer, value_bits(plan), WIDTH_BITS);
    bits_put(writer, plan->min <= plan->max ? plan->min : 0, KEYBLOCK_VALUE_BITS);
    if (plan->most) {
        bits_put(writer, COUNTED, COUNT_BITS);
        bits_put(writer, plan->most, MARKED_BITS);
    }
    if (grouped)
        bits_put(writer, plan->keys - 1, COUNT_BITS);
}

static bool starts_key(const struct keyblock_entry *entries, size_t i)
{
    return i == 0 || entries[i].key != entries[i - 1].key;
}

static void put_values(struct bits_writer *writer, const struct plan *plan,
                       const struct keyblock_entry *entries)
{
    const unsigned width = value_bits(plan);

    if (is_grouped(plan))
        for (size_t i = 0; i < plan->entries; i++)
            bits_put(writer, starts_key(entries, i), 1);
    for (size_t i = 0; i < plan->entries; i++)
        bits_put(writer,
                 keyblock_is_mark(entries[i].value) ? UINT64_MAX - keyblock_marked(entries[i].value)
                                                    : entries[i].value - plan->min,
                 width);
}

static void put_keys(struct bits_writer *writer, const struct plan *plan,
                     const struct keyblock_entry *entries)
{
    const unsigned low = low_bits(plan);
    uint64_t high = 0, zeros;

    for (size_t i = 1; i < plan->entries; i++)
        if (starts_key(entries, i))
            bits_put(writer, entries[i].key - plan->first, low);
    for (size_t i = 1; i < plan->entries; i++) {
        if (!starts_key(entries, i))
            continue;
        zeros = ((entries[i].key - plan->first) >> low) - high;
        high += zeros;
        for (; zeros >= 64; zeros -= 64)
            bits_put(writer, 0, 64);
        bits_put(writer, 1ULL << zeros, (unsigned)zeros + 1);
    }
}

size_t keyblock_pack(const struct keyblock_entry *entries, size_t count, int more, uint8_t *out, size_t *len)
{
    struct bits_writer writer = {.out = out, .room = KEYBLOCK_MAX};
    struct plan plan;

    *len = 0;
    if (count == 0)
        return 0;
    plan = make_plan(entries, count, more);
    put_head(&writer, &plan);
    put_values(&writer, &plan, entries);
    put_keys(&writer, &plan, entries);
    assert(!writer.full && writer.len == size_of(&plan));
    *len = (writer.len + 7) / 8;
    return plan.entries;
}

/* ---- reading ---- */

struct block {
    struct bits_reader bits;
    size_t entries, keys;
    unsigned low, width;
    uint64_t min, first;
    uint64_t most;                      /* the largest number that a mark counts */
    size_t starts, values, lows, highs; /* bit offsets */
};

/* Reads the number of keys of a grouped block; false if it cannot be one. */
static bool get_keys(struct block *block)
{
    block->keys = bits_get(&block->bits, COUNT_BITS) + 1;
    if (block->keys != COUNTED + 1)
        return block->keys < block->entries;
    block->most = bits_get(&block->bits, MARKED_BITS);
    block->keys = bits_get(&block->bits, COUNT_BITS) + 1;
    return block->most > 0 && block->most <= ones(block->width) && block->keys <= block->entries;
}

static int open_block(struct block *block, const uint8_t *data, size_t len, uint64_t first)
{
    struct bits_reader *bits = &block->bits;
    bool grouped;

    *bits = (struct bits_reader){.data = data, .len = len * 8};
    if (len > KEYBLOCK_MAX || first >= key_limit)
        return -1;
    block->first = first;
    block->most = 0;
    block->entries = bits_get(bits, COUNT_BITS) + 1;
    grouped = bits_get(bits, 1);
    block->low = (unsigned)bits_get(bits, WIDTH_BITS);
    block->width = (unsigned)bits_get(bits, WIDTH_BITS);
    block->min = bits_get(bits, KEYBLOCK_VALUE_BITS);
    block->keys = block->entries;
    if (grouped && !get_keys(block))
        return -1;
    block->starts = bits->at;
    block->values = block->starts + (grouped ? block->entries : 0);
    block->lows = block->values + block->entries * block->width;
    block->highs = block->lows + (block->keys - 1) * block->low;
    if (bits->broken || block->highs > bits->len || block->low > KEYBLOCK_KEY_BITS ||
        block->width > KEYBLOCK_VALUE_BITS + 1)
        return -1;
    return 0;
}

static uint64_t number_at(const struct block *block, size_t at, unsigned width)
{
    struct bits_reader bits = block->bits;

    bits.at = at;
    return bits_get(&bits, width);
}

/* A range of bits to search, from `at` to `end`; for zeros instead of ones if inverted. */
struct search {
    struct bits_reader bits;
    uint64_t inverted;
};

static struct search search_of(const struct block *block, size_t at, size_t end, bool zeros)
{
    struct search search = {block->bits, zeros ? UINT64_MAX : 0};

    search.bits.at = at;
    search.bits.len = end;
    return search;
}

/* Skips `skip` of the bits searched for and moves to just after the next one; false if there are too few. */
static bool search_next(struct search *search, size_t skip)
{
    struct bits_reader *bits = &search->bits;

    while (bits->at < bits->len) {
        const size_t begin = bits->at, left = bits->len - begin;
        const unsigned width = left < BITS_AHEAD ? (unsigned)left : BITS_AHEAD;
        uint64_t found = (bits_get(bits, width) ^ search->inverted) & ones(width);
        const size_t count = (size_t)__builtin_popcountll(found);

        if (skip < count) {
            while (skip-- > 0)
                found &= found - 1;
            bits->at = begin + (size_t)__builtin_ctzll(found) + 1;
            return true;
        }
        skip -= count;
    }
    return false;
}

static int get_value(const struct block *block, size_t i, uint64_t *value)
{
    const uint64_t offset = number_at(block, block->values + i * block->width, block->width);

    const uint64_t below = ones(block->width) - offset;

    *value = below <= block->most ? keyblock_mark(below) : block->min + offset;
    return *value < value_limit || below <= block->most ? 0 : -1;
}

/* Reads the values from begin to end, which must be all values of their key. */
static int get_group(const struct block *block, size_t begin, size_t end, uint64_t *out)
{
    if (begin >= end || end - begin > KEYBLOCK_GROUP)
        return -1;
    for (size_t i = begin; i < end; i++) {
        uint64_t *value = &out[i - begin];

        if (get_value(block, i, value) || (i > begin && value[0] <= value[-1]) ||
            (i + 1 < end && keyblock_is_mark(*value)))
            return -1;
    }
    return (int)(end - begin);
}

/* ---- all entries ---- */

/* Returns the number of entries of the next key, given that `starts` is just after its first one, and moves
 * `starts` on likewise. */
static size_t group_len(const struct block *block, struct search *starts, size_t begin)
{
    if (block->entries == block->keys)
        return 1;
    return (search_next(starts, 0) ? starts->bits.at - 1 - block->starts : block->entries) - begin;
}

/* Reads the next key, number i after the first one; -1 if it is not above the one before. */
static int next_key(const struct block *block, struct search *highs, size_t i, uint64_t *key)
{
    uint64_t distance;

    if (!search_next(highs, 0))
        return -1;
    distance = (uint64_t)(highs->bits.at - 1 - block->highs - i) << block->low;
    distance |= number_at(block, block->lows + i * block->low, block->low);
    if (distance >= key_limit - block->first || block->first + distance <= *key)
        return -1;
    *key = block->first + distance;
    return 0;
}

static int unpack_group(const struct block *block, size_t begin, size_t count, uint64_t key,
                        struct keyblock_entry *out)
{
    uint64_t values[KEYBLOCK_GROUP];

    if (get_group(block, begin, begin + count, values) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        out[begin + i] = (struct keyblock_entry){key, values[i]};
    return 0;
}

int keyblock_unpack(const uint8_t *data, size_t len, uint64_t first, struct keyblock_entry *out)
{
    struct block block;
    struct search starts, highs;
    uint64_t key = first;
    size_t at = 0;

    if (open_block(&block, data, len, first))
        return -1;
    starts = search_of(&block, block.starts, block.values, false);
    highs = search_of(&block, block.highs, block.bits.len, false);
    if (block.entries > block.keys && (!search_next(&starts, 0) || starts.bits.at != block.starts + 1))
        return -1;
    for (size_t i = 0; i < block.keys; i++) {
        size_t count = group_len(&block, &starts, at);

        if ((i > 0 && next_key(&block, &highs, i - 1, &key)) || unpack_group(&block, at, count, key, out))
            return -1;
        at += count;
    }
    /* nothing may be left but the padding of the last byte */
    if (at != block.entries || highs.bits.len - highs.bits.at >= 8 || search_next(&highs, 0))
        return -1;
    return (int)at;
}

/* ---- one key ---- */

/* The last set bit ends the last key; only padding follows. */
int keyblock_last(const uint8_t *data, size_t len, uint64_t first, uint64_t *last)
{
    struct block block;
    size_t at, before;
    uint64_t distance;

    if (open_block(&block, data, len, first))
        return -1;
    *last = first;
    if (block.keys == 1)
        return 0;
    before = block.highs + block.keys - 2; /* where that bit is if no zeros precede it */
    if (len == 0 || data[len - 1] == 0)
        return -1;
    at = len * 8 - 1 - ((size_t)__builtin_clz(data[len - 1]) - 24);
    if (at < before)
        return -1;
    distance = (uint64_t)(at - before) << block.low |
               number_at(&block, block.lows + (block.keys - 2) * block.low, block.low);
    if (distance >= key_limit - first)
        return -1;
    *last = first + distance;
    return 0;
}

/* Returns the index of a key among those after the first, or -1. */
static ptrdiff_t find_key(const struct block *block, uint64_t distance)
{
    const uint64_t high = distance >> block->low, low = distance & ones(block->low);
    struct search zeros = search_of(block, block->highs, block->bits.len, true);
    size_t i;

    if (high > block->bits.len || (high > 0 && !search_next(&zeros, high - 1)))
        return -1;
    i = zeros.bits.at - block->highs - high;
    for (; i < block->keys - 1 && bits_get(&zeros.bits, 1); i++) {
        const uint64_t here = number_at(block, block->lows + i * block->low, block->low);

        if (here >= low)
            return here == low ? (ptrdiff_t)i : -1;
    }
    return -1;
}

int keyblock_find(const uint8_t *data, size_t len, uint64_t first, uint64_t key, uint64_t *out)
{
    struct block block;
    struct search starts;
    ptrdiff_t i = -1;
    size_t begin, end;

    if (open_block(&block, data, len, first))
        return -1;
    if (key < first || key >= key_limit || (key > first && (i = find_key(&block, key - first)) < 0))
        return 0;
    i++;
    if (block.entries == block.keys)
        return get_group(&block, (size_t)i, (size_t)i + 1, out);
    starts = search_of(&block, block.starts, block.values, false);
    if (!search_next(&starts, (size_t)i))
        return -1;
    begin = starts.bits.at - 1 - block.starts;
    end = search_next(&starts, 0) ? starts.bits.at - 1 - block.starts : block.entries;
    return get_group(&block, begin, end, out);
}
