/* SPDX-License-Identifier: Apache-2.0 */
#include "container/inflate64.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 64 << 10,
    LONGEST = 15, /* bits of a code */
    LITERALS = 286,
    DISTANCES = 32,
    KINDS = 19, /* codes in which the lengths of the others are written */
    END = 256,
    TABLE_LITERALS = 288, /* of the codes that are agreed on, of which two are not used */
};

/* How many codes there are of each length, and what they stand for, in their order. */
struct table {
    uint16_t count[LONGEST + 1];
    uint16_t symbols[TABLE_LITERALS];
};

/* What is read next. */
enum state {
    BLOCK,
    STORED_LEN,
    STORED,
    COUNTS,
    KIND_LENGTHS,
    LENGTHS,
    REPEAT,
    SYMBOL,
    LENGTH,
    DISTANCE,
    FAR,
    COPY
};

struct inflate64 {
    enum state state;
    bool is_last; /* block */
    uint64_t bits;
    unsigned bit_count;
    unsigned literals, distances, done; /* codes of the block; those whose lengths are known */
    unsigned symbol;                    /* that was read last */
    uint32_t len, distance;             /* bytes to be copied, and from how far back */
    uint64_t total;
    struct table kinds, lengths, far; /* far: of distances */
    uint8_t code_lengths[LITERALS + DISTANCES];
    uint8_t window[WINDOW];
};

enum { DAMAGED = -1, HUNGRY = -2, FULL = -3 };

/* ---- bits ---- */

static bool need(struct inflate64 *inflate, struct deflate_step *step, unsigned count)
{
    for (; inflate->bit_count < count; inflate->bit_count += 8, step->packed_len--) {
        if (step->packed_len == 0)
            return false;
        inflate->bits |= (uint64_t)*step->packed++ << inflate->bit_count;
    }
    return true;
}

static unsigned take(struct inflate64 *inflate, unsigned count)
{
    const unsigned value = (unsigned)(inflate->bits & ((UINT64_C(1) << count) - 1));

    inflate->bits >>= count;
    inflate->bit_count -= count;
    return value;
}

/* The next symbol; nothing is taken unless it is complete. */
static int decode(struct inflate64 *inflate, struct deflate_step *step, const struct table *table)
{
    unsigned code = 0, first = 0, index = 0;

    for (unsigned len = 1; len <= LONGEST; len++) {
        const unsigned count = table->count[len];

        if (!need(inflate, step, len))
            return HUNGRY;
        code |= inflate->bits >> (len - 1) & 1;
        if (code < first + count) {
            take(inflate, len);
            return table->symbols[index + code - first];
        }
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    return DAMAGED;
}

/* ---- tables ---- */

/* False if there are more codes than bits allow, or fewer, except for a single one. */
static bool make_table(struct table *table, const uint8_t *lengths, unsigned count)
{
    uint16_t next[LONGEST + 1] = {0};
    int left = 1;

    memset(table->count, 0, sizeof table->count);
    for (unsigned i = 0; i < count; i++)
        table->count[lengths[i]]++;
    for (unsigned len = 1; len <= LONGEST; len++) {
        left = 2 * left - table->count[len];
        if (left < 0)
            return false;
        if (len < LONGEST)
            next[len + 1] = (uint16_t)(next[len] + table->count[len]);
    }
    for (unsigned i = 0; i < count; i++)
        if (lengths[i] > 0)
            table->symbols[next[lengths[i]]++] = (uint16_t)i;
    return left == 0 || count - table->count[0] <= 1;
}

static void make_usual_tables(struct inflate64 *inflate)
{
    uint8_t lengths[TABLE_LITERALS];

    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    make_table(&inflate->lengths, lengths, TABLE_LITERALS);
    memset(lengths, 5, DISTANCES);
    make_table(&inflate->far, lengths, DISTANCES);
}

/* ---- blocks ---- */

static int begin_block(struct inflate64 *inflate, struct deflate_step *step)
{
    if (inflate->is_last)
        return 0;
    if (!need(inflate, step, 3))
        return HUNGRY;
    inflate->is_last = take(inflate, 1);
    switch (take(inflate, 2)) {
    case 0:
        take(inflate, inflate->bit_count % 8);
        inflate->state = STORED_LEN;
        return 1;
    case 1:
        make_usual_tables(inflate);
        inflate->state = SYMBOL;
        return 1;
    case 2:
        inflate->state = COUNTS;
        return 1;
    default:
        return DAMAGED;
    }
}

static int read_stored_len(struct inflate64 *inflate, struct deflate_step *step)
{
    if (!need(inflate, step, 32))
        return HUNGRY;
    inflate->len = take(inflate, 16);
    inflate->state = STORED;
    return inflate->len == (take(inflate, 16) ^ 0xffff) ? 1 : DAMAGED;
}

static int read_counts(struct inflate64 *inflate, struct deflate_step *step)
{
    if (!need(inflate, step, 14))
        return HUNGRY;
    inflate->literals = take(inflate, 5) + 257;
    inflate->distances = take(inflate, 5) + 1;
    inflate->symbol = take(inflate, 4) + 4; /* lengths of kinds that follow */
    inflate->done = 0;
    memset(inflate->code_lengths, 0, sizeof inflate->code_lengths);
    inflate->state = KIND_LENGTHS;
    return inflate->literals <= LITERALS ? 1 : DAMAGED;
}

static int read_kind_lengths(struct inflate64 *inflate, struct deflate_step *step)
{
    static const uint8_t order[KINDS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

    for (; inflate->done < inflate->symbol; inflate->done++) {
        if (!need(inflate, step, 3))
            return HUNGRY;
        inflate->code_lengths[order[inflate->done]] = (uint8_t)take(inflate, 3);
    }
    if (!make_table(&inflate->kinds, inflate->code_lengths, KINDS))
        return DAMAGED;
    memset(inflate->code_lengths, 0, sizeof inflate->code_lengths);
    inflate->done = 0;
    inflate->state = LENGTHS;
    return 1;
}

static int end_lengths(struct inflate64 *inflate)
{
    const uint8_t *lengths = inflate->code_lengths;

    inflate->state = SYMBOL;
    return lengths[END] > 0 && make_table(&inflate->lengths, lengths, inflate->literals) &&
                   make_table(&inflate->far, lengths + inflate->literals, inflate->distances)
               ? 1
               : DAMAGED;
}

static int read_lengths(struct inflate64 *inflate, struct deflate_step *step)
{
    int symbol;

    if (inflate->done == inflate->literals + inflate->distances)
        return end_lengths(inflate);
    symbol = decode(inflate, step, &inflate->kinds);
    if (symbol < 0)
        return symbol;
    if (symbol < 16) {
        inflate->code_lengths[inflate->done++] = (uint8_t)symbol;
        return 1;
    }
    inflate->symbol = (unsigned)symbol;
    inflate->state = REPEAT;
    return 1;
}

/* The length before, or none, several times. */
static int read_repeat(struct inflate64 *inflate, struct deflate_step *step)
{
    static const struct {
        uint8_t bits, least;
    } repeats[] = {{2, 3}, {3, 3}, {7, 11}};
    const unsigned which = inflate->symbol - 16;
    unsigned count;
    uint8_t len = 0;

    if (!need(inflate, step, repeats[which].bits))
        return HUNGRY;
    count = repeats[which].least + take(inflate, repeats[which].bits);
    if (count > inflate->literals + inflate->distances - inflate->done || (which == 0 && inflate->done == 0))
        return DAMAGED;
    if (which == 0)
        len = inflate->code_lengths[inflate->done - 1];
    memset(inflate->code_lengths + inflate->done, len, count);
    inflate->done += count;
    inflate->state = LENGTHS;
    return 1;
}

/* ---- data ---- */

static void put(struct inflate64 *inflate, struct deflate_step *step, uint8_t byte)
{
    inflate->window[inflate->total++ % WINDOW] = byte;
    *step->into++ = byte;
    step->room--;
}

static int copy_stored(struct inflate64 *inflate, struct deflate_step *step)
{
    for (; inflate->len > 0; inflate->len--) {
        if (step->room == 0)
            return FULL;
        if (!need(inflate, step, 8))
            return HUNGRY;
        put(inflate, step, (uint8_t)take(inflate, 8));
    }
    inflate->state = BLOCK;
    return 1;
}

static int read_symbol(struct inflate64 *inflate, struct deflate_step *step)
{
    int symbol = decode(inflate, step, &inflate->lengths);

    for (; symbol >= 0 && symbol < END && step->room > 0; symbol = decode(inflate, step, &inflate->lengths))
        put(inflate, step, (uint8_t)symbol);
    if (symbol < 0)
        return symbol;
    inflate->symbol = (unsigned)symbol;
    inflate->state = symbol == END ? BLOCK : LENGTH;
    return symbol < LITERALS ? 1 : DAMAGED;
}

/* Of a symbol for which there was no room, or of the length that it stands for. */
static int read_length(struct inflate64 *inflate, struct deflate_step *step)
{
    static const struct {
        uint8_t least, bits;
    } lens[] = {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
                {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
                {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {3, 16}};
    const unsigned which = inflate->symbol - END - 1;

    if (inflate->symbol < END) {
        if (step->room == 0)
            return FULL;
        put(inflate, step, (uint8_t)inflate->symbol);
        inflate->state = SYMBOL;
        return 1;
    }
    if (!need(inflate, step, lens[which].bits))
        return HUNGRY;
    inflate->len = lens[which].least + take(inflate, lens[which].bits);
    inflate->state = DISTANCE;
    return 1;
}

static int read_distance(struct inflate64 *inflate, struct deflate_step *step)
{
    const int symbol = decode(inflate, step, &inflate->far);

    if (symbol < 0)
        return symbol;
    inflate->symbol = (unsigned)symbol;
    inflate->state = FAR;
    return 1;
}

/* Symbols come in pairs: with the same number of bits, of which each pair has one more than the last. */
static int read_far(struct inflate64 *inflate, struct deflate_step *step)
{
    const unsigned symbol = inflate->symbol, bits = symbol < 4 ? 0 : symbol / 2 - 1;

    if (!need(inflate, step, bits))
        return HUNGRY;
    inflate->distance = (symbol < 4 ? symbol : (2 + symbol % 2) << bits) + 1 + take(inflate, bits);
    inflate->state = COPY;
    return inflate->distance <= inflate->total ? 1 : DAMAGED;
}

static int copy(struct inflate64 *inflate, struct deflate_step *step)
{
    for (; inflate->len > 0; inflate->len--) {
        if (step->room == 0)
            return FULL;
        put(inflate, step, inflate->window[(inflate->total - inflate->distance) % WINDOW]);
    }
    inflate->state = SYMBOL;
    return 1;
}

/* ---- all ---- */

typedef int reader(struct inflate64 *inflate, struct deflate_step *step);

static reader *const readers[] = {
    [BLOCK] = begin_block,    [STORED_LEN] = read_stored_len,
    [STORED] = copy_stored,   [COUNTS] = read_counts,
    [LENGTHS] = read_lengths, [KIND_LENGTHS] = read_kind_lengths,
    [REPEAT] = read_repeat,   [SYMBOL] = read_symbol,
    [LENGTH] = read_length,   [DISTANCE] = read_distance,
    [FAR] = read_far,         [COPY] = copy,
};

struct inflate64 *inflate64_new(void)
{
    struct inflate64 *inflate = malloc(sizeof *inflate);

    if (inflate)
        inflate64_begin(inflate);
    return inflate;
}

void inflate64_free(struct inflate64 *inflate)
{
    free(inflate);
}

void inflate64_begin(struct inflate64 *inflate)
{
    inflate->state = BLOCK;
    inflate->is_last = false;
    inflate->bits = 0;
    inflate->bit_count = 0;
    inflate->total = 0;
}

int inflate64_step(struct inflate64 *inflate, struct deflate_step *step)
{
    int result;

    do {
        result = readers[inflate->state](inflate, step);
    } while (result > 0);
    return result == HUNGRY || result == FULL ? 1 : result;
}
