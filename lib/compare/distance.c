/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/distance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cpu.h"
#include "compare/distance_simd.h"

/* Two strings without their common prefix and suffix, which never affect the distance. */
struct strings {
    const uint8_t *longer, *shorter;
    size_t longer_len, shorter_len;
};

static struct strings strings_of(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    struct strings s = {a, b, a_len, b_len};

    if (a_len < b_len)
        s = (struct strings){b, a, b_len, a_len};
    while (s.shorter_len > 0 && *s.longer == *s.shorter) {
        s.longer++;
        s.shorter++;
        s.longer_len--;
        s.shorter_len--;
    }
    while (s.shorter_len > 0 && s.longer[s.longer_len - 1] == s.shorter[s.shorter_len - 1]) {
        s.longer_len--;
        s.shorter_len--;
    }
    return s;
}

/* The increase of the last column from the first row of the strip to its last, modulo 2^64. */
static uint64_t column_sum(const uint64_t *rows, const uint64_t *plus, const uint64_t *minus, size_t words)
{
    uint64_t sum = 0;

    for (size_t word = 0; word < words; word++)
        sum += (uint64_t)__builtin_popcountll(plus[word] & rows[word]) -
               (uint64_t)__builtin_popcountll(minus[word] & rows[word]);
    return sum;
}

/* ---- distance_exact ---- */

/*
 * The longer string, cut into strips, gives the rows, and the shorter one the columns.  Between strips only
 * the edge is kept, one byte per column: memory grows with the shorter string, and a strip stays in the
 * cache.
 */
struct exact {
    uint64_t masks[DISTANCE_SYMBOLS * DISTANCE_STRIP], rows[DISTANCE_STRIP];
    uint64_t plus[DISTANCE_STRIP], minus[DISTANCE_STRIP];
    uint8_t edge[];
};

/* Computes a strip of len rows; returns the increase of the last column within it. */
static uint64_t exact_strip(struct exact *e, const uint8_t *pattern, size_t len, const uint8_t *text,
                            size_t text_len)
{
    struct distance_strip strip = {e->masks, e->plus, e->minus, text, text_len, e->edge};
    size_t words = (len + 63) / 64;

    memset(e->masks, 0, sizeof(e->masks));
    memset(e->rows, 0, sizeof(e->rows));
    distance_strip_fill(e->masks, e->rows, words, pattern, len);
    memset(e->plus, 0xff, sizeof(e->plus));
    memset(e->minus, 0, sizeof(e->minus));
    distance_strip_advance(&strip, words);
    return column_sum(e->rows, e->plus, e->minus, words);
}

static int no_memory(struct error *err, size_t a_len, size_t b_len)
{
    return error_set(err, "out of memory comparing %zu bytes with %zu", a_len, b_len);
}

int distance_exact(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint64_t *out,
                   struct error *err)
{
    const size_t strip_rows = (size_t)DISTANCE_STRIP * 64;
    struct strings s = strings_of(a, a_len, b, b_len);
    uint64_t distance = s.shorter_len;
    struct exact *e;

    if (s.shorter_len == 0) {
        *out = s.longer_len;
        return 0;
    }
    if (s.shorter_len > SIZE_MAX - sizeof(*e) || !(e = malloc(sizeof(*e) + s.shorter_len)))
        return no_memory(err, a_len, b_len);
    memset(e->edge, DISTANCE_GREW, s.shorter_len);
    for (size_t done = 0; done < s.longer_len; done += strip_rows) {
        size_t left = s.longer_len - done;

        distance +=
            exact_strip(e, s.longer + done, left < strip_rows ? left : strip_rows, s.shorter, s.shorter_len);
    }
    free(e);
    *out = distance;
    return 0;
}

/* ---- distance_bounded ---- */

/*
 * The band of the matrix that can contain a path with a cost within the limit.  The rows are the longer
 * string, in blocks of 64; the band consists of the blocks from first to end.
 *
 * The gap of a cell is the difference between the rows and the columns that are left, a lower bound on the
 * cost from there to the end.  A cell is alive if its value plus its gap is within the limit; so every
 * cell of a path whose cost is within the limit is alive.  The value that the band computes for a cell is the
 * cost of some path to it.  For the cells of such a path it is the minimum cost, because the band contains
 * all of them:
 *
 * - A block is added at the bottom as soon as the last row is alive.  Until then its cells can only be
 * reached by going down from there, so that is how they are initialized.
 * - A block is dropped from the top or the bottom if none of its cells, nor of the row above it, can be
 * alive. Only its last row is known, which bounds the others: values of neighbouring rows differ by at
 * most 1.
 * - The row above the band grows by 1 in each column, which is a valid path, too: going right.
 */
struct band {
    struct strings strings;
    uint64_t limit;
    size_t blocks;        /* of all rows; the last one is padded with rows that match nothing */
    size_t first, end;    /* blocks [first, end) are in the band */
    uint64_t top, bottom; /* values of the row above the band and of its last row, in the current column */
    size_t room;          /* of the ring that holds the blocks */
    size_t first_slot;    /* position of the first block in it */
    uint64_t *plus, *minus;
    uint64_t *masks; /* [symbol's index][slot]; index 0 is for symbols that no row has */
    uint16_t index[DISTANCE_SYMBOLS];
};

/* Numbers the distinct symbols of a string from 1; returns their number. */
static size_t index_symbols(uint16_t *index, const uint8_t *s, size_t len)
{
    uint8_t seen[DISTANCE_SYMBOLS] = {0};
    uint16_t count = 0;

    for (size_t i = 0; i < len; i++)
        seen[s[i]] = 1;
    for (size_t symbol = 0; symbol < DISTANCE_SYMBOLS; symbol++)
        index[symbol] = seen[symbol] ? ++count : 0;
    return count;
}

/*
 * The maximum number of blocks in the band.  With d more rows than columns, the live cells of column c are in
 * rows c - (limit - d) / 2 to c + (limit + d) / 2.  At the bottom the band extends up to 64 rows beyond the
 * live row.  At the top it lags by 64 columns, by 64 rows because the value and the gap of a block are each
 * known only to within 64, and by another 64 because that is based on its last row.  In total these are fewer
 * than limit + 256 rows, or limit / 64 + 5 blocks.
 */
static size_t band_room(size_t blocks, uint64_t limit)
{
    return limit / 64 + 5 < blocks ? (size_t)(limit / 64 + 5) : blocks;
}

static int band_init(struct band *band, const struct strings *strings, uint64_t limit)
{
    size_t symbols;

    *band = (struct band){.strings = *strings, .limit = limit};
    band->blocks = strings->longer_len / 64 + (strings->longer_len % 64 != 0);
    band->room = band_room(band->blocks, limit);
    symbols = index_symbols(band->index, strings->longer, strings->longer_len);
    band->masks = calloc(band->room, (symbols + 3) * sizeof(*band->masks));
    if (!band->masks)
        return -1;
    band->plus = band->masks + (symbols + 1) * band->room;
    band->minus = band->plus + band->room;
    return 0;
}

static size_t band_slot(const struct band *band, size_t block)
{
    size_t slot = band->first_slot + (block - band->first);

    return slot < band->room ? slot : slot - band->room;
}

/* Rows minus columns left below and to the right of a cell; its magnitude is a lower bound on the cost left.
 */
static int64_t band_gap(const struct band *band, uint64_t row, uint64_t column)
{
    return (int64_t)((band->strings.longer_len - row) - (band->strings.shorter_len - column));
}

static int band_is_alive(const struct band *band, uint64_t value, uint64_t row, uint64_t column)
{
    int64_t gap = band_gap(band, row, column);

    return value + (uint64_t)(gap < 0 ? -gap : gap) <= band->limit;
}

/* Whether no cell of a block, nor of the row above it, can be alive; value: of the last row of the block. */
static int block_is_dead(const struct band *band, size_t block, uint64_t value, uint64_t column)
{
    int64_t gap = band_gap(band, (uint64_t)block * 64, column); /* decreases by 1 per row */
    uint64_t least = gap < 0 ? (uint64_t)-gap : gap > 64 ? (uint64_t)gap - 64 : 0;

    return (value > 64 ? value - 64 : 0) + least > band->limit;
}

/* Sets or clears the masks of a block. */
static void block_mark(struct band *band, size_t block, int set)
{
    uint64_t *masks = band->masks + band_slot(band, block);
    const uint8_t *s = band->strings.longer + block * 64;
    size_t left = band->strings.longer_len - block * 64;

    for (size_t i = 0; i < 64 && i < left; i++) {
        uint64_t *mask = &masks[band->index[s[i]] * band->room];

        *mask = set ? *mask | (uint64_t)1 << i : 0;
    }
}

/* The increase from the row above a block over this number of its rows. */
static uint64_t block_sum(const struct band *band, size_t block, size_t rows)
{
    uint64_t used = rows < 64 ? ~(~(uint64_t)0 << rows) : ~(uint64_t)0;
    size_t slot = band_slot(band, block);

    return column_sum(&used, band->plus + slot, band->minus + slot, 1);
}

/* Work is counted in steps of one block by one column, each about 3 to 20 ns, so stop is called about once
 * per millisecond.  Adding a block, which sets up the masks of its 64 rows, counts as 32 steps. */
enum { STEPS_PER_POLL = 65536, STEPS_TO_ADD_A_BLOCK = 32 };

struct poll {
    int (*stop)(void *arg);
    void *arg;
    size_t steps;
};

static int poll_stop(struct poll *poll, size_t steps)
{
    poll->steps += steps;
    if (poll->steps < STEPS_PER_POLL)
        return 0;
    poll->steps = 0;
    return poll->stop && poll->stop(poll->arg) != 0;
}

/* Adds blocks at the bottom while the last row is alive; returns 1 if stopped. */
static int band_extend(struct band *band, size_t column, struct poll *poll)
{
    while (band->end < band->blocks && band_is_alive(band, band->bottom, (uint64_t)band->end * 64, column)) {
        size_t slot = band_slot(band, band->end);

        assert(band->end - band->first < band->room);
        block_mark(band, band->end, 1);
        band->plus[slot] = ~(uint64_t)0;
        band->minus[slot] = 0;
        band->bottom += 64;
        band->end++;
        if (poll_stop(poll, STEPS_TO_ADD_A_BLOCK))
            return 1;
    }
    return 0;
}

static void band_trim(struct band *band, size_t column)
{
    while (band->end > band->first && block_is_dead(band, band->end - 1, band->bottom, column)) {
        band->end--;
        band->bottom -= block_sum(band, band->end, 64);
        block_mark(band, band->end, 0);
    }
    while (band->end > band->first) {
        uint64_t value = band->top + block_sum(band, band->first, 64);

        if (!block_is_dead(band, band->first, value, column))
            break;
        block_mark(band, band->first, 0);
        band->first_slot = band->first_slot + 1 < band->room ? band->first_slot + 1 : 0;
        band->first++;
        band->top = value;
    }
}

/* Computes the next column of some blocks from the change of the row above (edge); returns that of their last
 * row. */
static unsigned blocks_advance(const uint64_t *match, uint64_t *plus, uint64_t *minus, size_t count,
                               unsigned edge)
{
    uint64_t grew = edge & DISTANCE_GREW ? 1 : 0, shrank = edge & DISTANCE_SHRANK ? 1 : 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t p = plus[i], m = minus[i], equal = match[i] | m | shrank;
        uint64_t zero = (((equal & p) + p) ^ p) | equal;
        uint64_t below_minus = p & zero, below_plus = m | ~(p | zero);
        uint64_t above_minus = below_minus << 1 | shrank, above_plus = below_plus << 1 | grew;

        shrank = below_minus >> 63;
        grew = below_plus >> 63;
        plus[i] = above_minus | ~(zero | above_plus);
        minus[i] = zero & above_plus;
    }
    return (grew ? DISTANCE_GREW : 0) | (shrank ? DISTANCE_SHRANK : 0);
}

/* Computes the next column of the whole band; returns 1 if stopped. */
static int band_advance(struct band *band, uint8_t symbol, struct poll *poll)
{
    const uint64_t *masks = band->masks + band->index[symbol] * band->room;
    unsigned edge = DISTANCE_GREW;

    for (size_t block = band->first, count; block < band->end; block += count) {
        size_t slot = band_slot(band, block), left = band->end - block;

        count = left < band->room - slot ? left : band->room - slot;
        if (count > STEPS_PER_POLL)
            count = STEPS_PER_POLL;
        edge = blocks_advance(masks + slot, band->plus + slot, band->minus + slot, count, edge);
        if (poll_stop(poll, count))
            return 1;
    }
    band->top++;
    band->bottom += (edge & DISTANCE_GREW ? 1 : 0) - (uint64_t)(edge & DISTANCE_SHRANK ? 1 : 0);
    return 0;
}

/* The value of the last cell, after the last column; DISTANCE_MORE if it is not in the band. */
static uint64_t band_value(const struct band *band)
{
    size_t last = band->blocks - 1;

    if (band->end < band->blocks)
        return DISTANCE_MORE;
    return band->bottom - block_sum(band, last, 64) +
           block_sum(band, last, band->strings.longer_len - last * 64);
}

/* Sets *out to the distance or DISTANCE_MORE; returns 1 if stopped, else 0. */
static int band_run(struct band *band, struct poll *poll, uint64_t *out)
{
    const struct strings *s = &band->strings;
    uint64_t value;

    *out = DISTANCE_MORE;
    for (size_t column = 0; column < s->shorter_len; column++) {
        if (band_extend(band, column, poll) || band_advance(band, s->shorter[column], poll))
            return 1;
        if (column % 64 == 63)
            band_trim(band, column + 1);
        if (band->first == band->end)
            return 0;
    }
    value = band_value(band);
    if (value <= band->limit)
        *out = value;
    return 0;
}

int distance_bounded(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint64_t limit,
                     int (*stop)(void *arg), void *arg, uint64_t *out, struct error *err)
{
    struct strings s = strings_of(a, a_len, b, b_len);
    struct poll poll = {stop, arg, STEPS_PER_POLL};
    struct band band;
    int result;

    *out = DISTANCE_MORE;
    if (s.longer_len - s.shorter_len > limit)
        return 0;
    if (s.shorter_len == 0) {
        *out = s.longer_len;
        return 0;
    }
    if (band_init(&band, &s, limit < s.longer_len ? limit : s.longer_len))
        return no_memory(err, a_len, b_len);
    result = band_run(&band, &poll, out);
    free(band.masks);
    return result;
}

/* ---- distance_many ---- */

struct distance_query {
    const struct distance_kernel *kernel;
    struct distance_columns columns;
    size_t *order; /* indices of the references, and the same again for sorting */
    size_t room;   /* number of references that fit */
};

struct distance_query *distance_query_new(const uint8_t *query, size_t len, struct error *err)
{
    const struct distance_kernel *kernel = distance_kernel_at(cpu_level());
    struct distance_query *q = calloc(1, sizeof(*q));

    if (q && distance_columns_init(&q->columns, query, len, kernel->lanes) == 0) {
        q->kernel = kernel;
        return q;
    }
    error_set(err, "out of memory for a signature of %zu bytes", len);
    free(q);
    return NULL;
}

void distance_query_free(struct distance_query *query)
{
    if (!query)
        return;
    distance_columns_free(&query->columns);
    free(query->order);
    free(query);
}

static int query_reserve(struct distance_query *query, size_t count)
{
    if (count <= query->room)
        return 0;
    if (count > SIZE_MAX / 2 || array_resize(&query->order, 2 * count))
        return -1;
    query->room = count;
    return 0;
}

/* One pass of a radix sort, by the byte of the length selected by shift. */
static void sort_pass(const size_t *from, size_t *to, const size_t *lens, size_t count, unsigned shift)
{
    size_t starts[256] = {0}, start = 0;

    for (size_t i = 0; i < count; i++)
        starts[lens[from[i]] >> shift & 255]++;
    for (size_t i = 0; i < 256; i++) {
        size_t n = starts[i];

        starts[i] = start;
        start += n;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[lens[from[i]] >> shift & 255]++] = from[i];
}

/*
 * Sorts the indices of the references by length, so that those of a group have nearly the same length.  order
 * has room for 2 * count.  A single group need not be sorted.
 */
static const size_t *order_by_length(size_t *order, const size_t *lens, size_t count, size_t lanes)
{
    size_t *from = order, *to = order + count, longest = 0;

    for (size_t i = 0; i < count; i++) {
        from[i] = i;
        longest = lens[i] > longest ? lens[i] : longest;
    }
    for (unsigned shift = 0; count > lanes && shift < 8 * sizeof(size_t) && longest >> shift; shift += 8) {
        size_t *sorted = to;

        sort_pass(from, to, lens, count, shift);
        to = from;
        from = sorted;
    }
    return from;
}

/* One reference per lane.  Texts shorter than the longest one start later, so that all end together. */
struct group {
    const uint8_t *texts[DISTANCE_LANES];
    size_t starts[DISTANCE_LANES];
    uint64_t sums[DISTANCE_LANES];
    size_t longest; /* lane of the longest text */
    size_t columns;
};

/* Assigns the references order[0..count) to lanes; remaining lanes repeat the last one. */
static void group_init(struct group *group, const struct distance_query *query, const uint8_t *const *refs,
                       const size_t *lens, const size_t *order, size_t count)
{
    size_t lanes = query->kernel->lanes;

    *group = (struct group){.longest = 0};
    for (size_t lane = 0; lane < lanes; lane++) {
        size_t i = order[lane < count ? lane : count - 1];

        group->texts[lane] = refs[i];
        group->sums[lane] = lens[i];
        if (group->sums[lane] > group->sums[group->longest])
            group->longest = lane;
    }
    group->columns = (size_t)group->sums[group->longest];
    for (size_t lane = 0; lane < lanes; lane++)
        group->starts[lane] = group->columns - (size_t)group->sums[lane];
}

/*
 * Prepares the lanes for the columns from `done` on; returns the number of columns by which all can advance
 * together.  A lane that starts here gets a fresh column; one that has not started yet computes on the
 * longest text, and the result is discarded.
 */
static size_t group_texts(const struct group *group, struct distance_query *query, size_t done,
                          const uint8_t **texts)
{
    size_t lanes = query->kernel->lanes, left = group->columns - done;
    size_t count = left < DISTANCE_TILE ? left : DISTANCE_TILE;

    for (size_t lane = 0; lane < lanes; lane++) {
        size_t start = group->starts[lane];

        if (start == done)
            distance_columns_reset(&query->columns, lane, lanes);
        if (start > done && start - done < count)
            count = start - done;
        if (left > 0)
            texts[lane] =
                start > done ? group->texts[group->longest] + done : group->texts[lane] + (done - start);
    }
    return count;
}

static void group_run(struct group *group, struct distance_query *query)
{
    const uint8_t *texts[DISTANCE_LANES] = {0};
    size_t done = 0, count;

    while ((count = group_texts(group, query, done, texts)) > 0) {
        query->kernel->advance(&query->columns, texts, count);
        done += count;
    }
    query->kernel->sum(&query->columns, group->sums);
}

int distance_many(struct distance_query *query, const uint8_t *const *refs, const size_t *lens, size_t count,
                  uint64_t *out, struct error *err)
{
    size_t lanes = query->kernel->lanes;
    const size_t *order;

    if (count == 0)
        return 0;
    if (query_reserve(query, count))
        return error_set(err, "out of memory comparing %zu signatures", count);
    order = order_by_length(query->order, lens, count, lanes);
    for (size_t done = 0; done < count; done += lanes) {
        size_t n = count - done < lanes ? count - done : lanes;
        struct group group;

        group_init(&group, query, refs, lens, order + done, n);
        group_run(&group, query);
        for (size_t i = 0; i < n; i++)
            out[order[done + i]] = group.sums[i];
    }
    return 0;
}
