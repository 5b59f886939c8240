/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "refset_index_inner.h"
#include "siphash.h"

enum { MOST_SEGMENTS = 4 /* of an index, after merging */ };

uint64_t refset_digest_key(const struct refset *set, enum digest_kind kind, const uint8_t *digest)
{
    return siphash(set->info.uuid, digest, digest_len(kind)) & REFSET_MOST_KEY;
}

/* ---- the list of segments ---- */

static int by_index_and_size(const void *a, const void *b)
{
    const struct refset_segment *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* most: keys that the file can hold at all. */
static bool get_segment(struct statement *row, int64_t most, struct refset_segment *segment)
{
    int64_t kind, entries, keys, marks, blocks, generation;

    if (!statement_number(row, 0, &segment->id) || !statement_number(row, 1, &kind) ||
        !statement_number(row, 2, &entries) || !statement_number(row, 3, &keys) ||
        !statement_number(row, 4, &marks) || !statement_number(row, 5, &blocks) ||
        !statement_number(row, 6, &generation))
        return false;
    if (segment->id < 1 || segment->id > REFSET_MOST_ID || kind < 0 || kind >= REFSET_INDEXES ||
        entries < 1 || entries > most || keys < 1 || keys > entries || marks < 0 || marks > keys ||
        generation < 0)
        return false;
    segment->index = (enum refset_index)kind;
    segment->entries = (uint64_t)entries;
    segment->keys = (uint64_t)keys;
    segment->marks = (uint64_t)marks;
    segment->blocks = (uint64_t)blocks;
    segment->generation = (uint64_t)generation;
    if (segment->index == REFSET_COMMON)
        return blocks == 0;
    return segment->blocks >= bloom_blocks_for(segment->keys) &&
           segment->blocks <= refset_roomy(segment->keys);
}

static int add_segment(struct refset_segments *segments, const struct refset_segment *segment,
                       struct error *err)
{
    if (segments->count == segments->room) {
        const size_t room = segments->room ? 2 * segments->room : 16;
        struct refset_segment *list = realloc(segments->list, room * sizeof *list);

        if (!list)
            return error_set(err, "out of memory");
        segments->list = list;
        segments->room = room;
    }
    segments->list[segments->count++] = *segment;
    return 0;
}

/* So many bits the file has, and a key takes more than one. */
static int file_bits(struct refset *set, int64_t *bits, struct error *err)
{
    struct statement *row = database_prepare(
        set->database, "SELECT page_count * page_size * 8 FROM pragma_page_count, pragma_page_size", err);
    int result = row ? statement_step(row, err) : -1;

    if (result > 0 && !statement_number(row, 0, bits))
        result = -1;
    statement_free(row);
    return result > 0 ? 0 : -1;
}

int refset_index_segments(struct refset *set, struct refset_segments *segments, unsigned *bad,
                          struct error *err)
{
    struct statement *row;
    int64_t most = 0;
    int result;

    segments->count = 0;
    if (file_bits(set, &most, err))
        return -1;
    row = database_prepare(set->database,
                           "SELECT id, kind, entries, keys, marks, blocks, generation FROM segment", err);
    if (!row)
        return -1;
    while ((result = statement_step(row, err)) > 0) {
        struct refset_segment segment;

        if (get_segment(row, most, &segment))
            result = add_segment(segments, &segment, err);
        else if (bad)
            ++*bad;
        else
            result = refset_broken(set, err, "a row of 'segment' is not as it should be");
        if (result < 0)
            break;
    }
    statement_free(row);
    if (segments->count)
        qsort(segments->list, segments->count, sizeof *segments->list, by_index_and_size);
    return result;
}

void refset_segments_release(struct refset_segments *segments)
{
    free(segments->list);
    *segments = (struct refset_segments){0};
}

/* ---- reading a segment ---- */

struct refset_cursor {
    struct refset *set;
    struct refset_segment segment;
    struct statement *rows;
    struct keyblock_entry entries[KEYBLOCK_ENTRIES];
    uint64_t last; /* key */
    bool begun;
};

struct refset_cursor *refset_cursor_new(struct refset *set, const struct refset_segment *segment,
                                        struct error *err)
{
    struct refset_cursor *cursor = malloc(sizeof *cursor);

    if (!cursor) {
        error_set(err, "out of memory");
        return NULL;
    }
    cursor->set = set;
    cursor->segment = *segment;
    cursor->begun = false;
    cursor->rows = database_prepare(
        set->database, "SELECT key, data FROM block WHERE key BETWEEN ? AND ? ORDER BY key", err);
    if (!cursor->rows) {
        free(cursor);
        return NULL;
    }
    refset_cursor_seek(cursor, 0);
    return cursor;
}

void refset_cursor_seek(struct refset_cursor *cursor, uint64_t key)
{
    statement_reset(cursor->rows);
    statement_bind_number(cursor->rows, 1, refset_row_key(cursor->segment.id, key));
    statement_bind_number(cursor->rows, 2, refset_row_key(cursor->segment.id, REFSET_MOST_KEY));
    cursor->last = key;
    cursor->begun = false;
}

uint64_t refset_cursor_key(const struct refset_cursor *cursor)
{
    return cursor->last;
}

void refset_cursor_free(struct refset_cursor *cursor)
{
    if (!cursor)
        return;
    statement_free(cursor->rows);
    free(cursor);
}

int refset_cursor_next(struct refset_cursor *cursor, const struct keyblock_entry **entries, size_t *count,
                       struct error *err)
{
    const void *data;
    size_t len;
    int64_t key;
    int got, result = statement_step(cursor->rows, err);

    *entries = NULL;
    *count = 0;
    if (result <= 0)
        return result;
    if (!statement_number(cursor->rows, 0, &key) || !statement_bytes(cursor->rows, 1, &data, &len))
        return refset_broken(cursor->set, err, "a row of 'block' is not as it should be");
    got = keyblock_unpack(data, len, (uint64_t)key & REFSET_MOST_KEY, cursor->entries);
    cursor->last = got < 1 ? (uint64_t)key & REFSET_MOST_KEY : cursor->last;
    if (got < 1 || (cursor->begun && cursor->entries[0].key <= cursor->last))
        return refset_broken(cursor->set, err, "a block of an index cannot be read");
    cursor->begun = true;
    cursor->last = cursor->entries[got - 1].key;
    *entries = cursor->entries;
    *count = (size_t)got;
    return 1;
}

/* ---- merging ---- */

struct input {
    struct refset_cursor *cursor;
    const struct keyblock_entry *entries;
    size_t at, count;
};

static int input_fill(struct input *input, struct error *err)
{
    if (input->at < input->count)
        return 0;
    input->at = 0;
    return refset_cursor_next(input->cursor, &input->entries, &input->count, err) < 0 ? -1 : 0;
}

/* The input with the smallest key; NULL at the end. */
static struct input *smallest(struct input *inputs, size_t count)
{
    struct input *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (inputs[i].at < inputs[i].count &&
            (!best || inputs[i].entries[inputs[i].at].key < best->entries[best->at].key))
            best = &inputs[i];
    return best;
}

static int merge_inputs(struct input *inputs, size_t count, struct sieve *sieve, struct error *err)
{
    struct input *input;

    for (size_t i = 0; i < count; i++)
        if (input_fill(&inputs[i], err))
            return -1;
    while ((input = smallest(inputs, count)))
        if (sieve_add(sieve, input->entries[input->at++], err) || input_fill(input, err))
            return -1;
    return sieve_end(sieve, err);
}

static int drop_rows(struct refset *set, const char *sql, int64_t from, int64_t to, struct error *err)
{
    struct statement *statement = database_prepare(set->database, sql, err);
    int result;

    if (!statement)
        return -1;
    statement_bind_number(statement, 1, from);
    statement_bind_number(statement, 2, to);
    result = statement_run(statement, err);
    statement_free(statement);
    return result;
}

static int drop_segment(struct refset *set, int64_t id, struct error *err)
{
    if (drop_rows(set, "DELETE FROM block WHERE key BETWEEN ? AND ?", refset_row_key(id, 0),
                  refset_row_key(id, REFSET_MOST_KEY), err) ||
        drop_rows(set, "DELETE FROM filter WHERE segment BETWEEN ? AND ?", id, id, err))
        return -1;
    return drop_rows(set, "DELETE FROM segment WHERE id BETWEEN ? AND ?", id, id, err);
}

static int merge_inputs_of(struct refset *set, const struct refset_segment *list, size_t count,
                           struct input *inputs, struct error *err)
{
    struct sieve sieve;
    uint64_t keys = 0;
    int result;

    for (size_t i = 0; i < count; i++)
        keys += list[i].keys;
    result = sieve_begin(&sieve, set, list[0].index, keys, err);
    for (size_t i = 0; i < count && !result; i++) {
        inputs[i].cursor = refset_cursor_new(set, &list[i], err);
        result = inputs[i].cursor ? 0 : -1;
    }
    if (!result)
        result = merge_inputs(inputs, count, &sieve, err);
    sieve_release(&sieve);
    return result;
}

static int merge_segments(struct refset *set, const struct refset_segment *list, size_t count,
                          struct error *err)
{
    struct input *inputs = calloc(count, sizeof *inputs);
    int result;

    if (!inputs)
        return error_set(err, "out of memory");
    result = merge_inputs_of(set, list, count, inputs, err);
    for (size_t i = 0; i < count; i++)
        refset_cursor_free(inputs[i].cursor);
    free(inputs);
    for (size_t i = 0; i < count && !result; i++)
        result = drop_segment(set, list[i].id, err);
    return result;
}

/* Of an index's segments, from large to small: how many of the last ones are to be merged.  Those that are
 * much larger than all behind them are left, so that no entry is merged more often than a logarithm of their
 * number. */
static size_t worth_merging(const struct refset_segment *list, size_t count)
{
    size_t last = 1;
    uint64_t sum;

    if (count <= MOST_SEGMENTS)
        return 0;
    sum = list[count - 1].entries;
    while (last < count && (last + MOST_SEGMENTS <= count || list[count - 1 - last].entries <= 2 * sum)) {
        sum += list[count - 1 - last].entries;
        last++;
    }
    return last;
}

int refset_index_merge(struct refset *set, enum refset_index index, bool all, struct error *err)
{
    struct refset_segments segments = {0};
    size_t first = 0, count = 0, last;
    int result = refset_index_segments(set, &segments, NULL, err);

    for (size_t i = 0; i < segments.count && !result; i++)
        if (segments.list[i].index == index && count++ == 0)
            first = i;
    last = all || !count ? count : worth_merging(&segments.list[first], count);
    if (!result && (last > 1 || (all && last)))
        result = merge_segments(set, segments.list + first + count - last, last, err);
    refset_segments_release(&segments);
    return result;
}
