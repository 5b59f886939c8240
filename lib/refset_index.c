/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_index.h"

#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "siphash.h"

enum {
    KEY_BITS = KEYBLOCK_KEY_BITS,
    MOST_SEGMENTS = 4,       /* of an index, after merging */
    MOST_ID = (1 << 15) - 1, /* so that id << 48 is a positive number */
    GATHER = 2 * KEYBLOCK_ENTRIES,
    CHUNK = 16 << 20, /* bytes of a filter in one row */
};

static const uint64_t MOST_KEY = ((uint64_t)1 << KEY_BITS) - 1;

uint64_t refset_digest_key(const struct refset *set, enum digest_kind kind, const uint8_t *digest)
{
    return siphash(set->info.uuid, digest, digest_len(kind)) & MOST_KEY;
}

static int64_t row_key(int64_t segment, uint64_t key)
{
    return segment << KEY_BITS | (int64_t)key;
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

/* The most blocks that a filter of so many keys may have: merging cannot tell beforehand how many keys are
 * equal. */
static uint64_t roomy(uint64_t keys)
{
    const uint64_t blocks = bloom_blocks_for(keys);

    return blocks + blocks / 4;
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
    if (segment->id < 1 || segment->id > MOST_ID || kind < 0 || kind >= REFSET_INDEXES || entries < 1 ||
        entries > most || keys < 1 || keys > entries || marks < 0 || marks > keys || generation < 0)
        return false;
    segment->index = (enum refset_index)kind;
    segment->entries = (uint64_t)entries;
    segment->keys = (uint64_t)keys;
    segment->marks = (uint64_t)marks;
    segment->blocks = (uint64_t)blocks;
    segment->generation = (uint64_t)generation;
    if (segment->index == REFSET_COMMON)
        return blocks == 0;
    return segment->blocks >= bloom_blocks_for(segment->keys) && segment->blocks <= roomy(segment->keys);
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

/* Whether there are blocks of that number. */
static int has_blocks(struct refset *set, int64_t id, struct error *err)
{
    struct statement *row =
        database_prepare(set->database, "SELECT 1 FROM block WHERE key BETWEEN ? AND ? LIMIT 1", err);
    int result;

    if (!row)
        return -1;
    statement_bind_number(row, 1, row_key(id, 0));
    statement_bind_number(row, 2, row_key(id, MOST_KEY));
    result = statement_step(row, err);
    statement_free(row);
    return result;
}

/* The smallest number that no segment has, nor blocks whose segment was lost; 0 if there is none, -1 on
 * error. */
static int64_t free_id(struct refset *set, const struct refset_segments *segments, struct error *err)
{
    for (int64_t id = 1; id <= MOST_ID; id++) {
        size_t i = 0;
        int used;

        while (i < segments->count && segments->list[i].id != id)
            i++;
        used = i < segments->count ? 1 : has_blocks(set, id, err);
        if (used <= 0)
            return used < 0 ? -1 : id;
    }
    return 0;
}

/* ---- sorting ---- */

enum { DIGIT_BITS = 12, DIGITS = KEY_BITS / DIGIT_BITS, BUCKETS = 1 << DIGIT_BITS };

static unsigned digit(uint64_t key, int place)
{
    return (unsigned)(key >> (place * DIGIT_BITS)) & (BUCKETS - 1);
}

static void scatter(const struct keyblock_entry *from, struct keyblock_entry *to, size_t count, int place,
                    size_t *starts)
{
    for (size_t i = 0; i < count; i++)
        to[starts[digit(from[i].key, place)]++] = from[i];
}

/* By key; entries with equal keys keep their order.  The number of places is even: the result is where it
 * was. */
static void sort_by_key(struct keyblock_entry *entries, struct keyblock_entry *scratch, size_t count)
{
    size_t starts[DIGITS][BUCKETS];

    memset(starts, 0, sizeof starts);
    for (size_t i = 0; i < count; i++)
        for (int place = 0; place < DIGITS; place++)
            starts[place][digit(entries[i].key, place)]++;
    for (int place = 0; place < DIGITS; place++) {
        size_t sum = 0;

        for (int i = 0; i < BUCKETS; i++) {
            const size_t bucket = starts[place][i];

            starts[place][i] = sum;
            sum += bucket;
        }
        scatter(place % 2 ? scratch : entries, place % 2 ? entries : scratch, count, place, starts[place]);
    }
}

static int by_value(const void *a, const void *b)
{
    const struct keyblock_entry *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Values of a key come in ascending order but rarely: then the key's entries are sorted. */
static void sort_values(struct keyblock_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].value < entries[i - 1].value) {
            qsort(entries, count, sizeof *entries, by_value);
            return;
        }
}

/* ---- writing a segment ---- */

struct builder {
    struct refset *set;
    struct refset_segment segment;
    struct statement *insert;
    struct bloom *bloom;
    struct keyblock_entry *gathered; /* GATHER of them, from start to end not yet packed */
    size_t start, end;
};

static void builder_release(struct builder *builder)
{
    statement_free(builder->insert);
    bloom_free(builder->bloom);
    free(builder->gathered);
    *builder = (struct builder){0};
}

/* keys: at most so many will be added. */
static int builder_begin(struct builder *builder, struct refset *set, enum refset_index index, uint64_t keys,
                         struct error *err)
{
    struct refset_segments segments = {0};
    int result = refset_index_segments(set, &segments, NULL, err);

    *builder = (struct builder){.set = set, .segment = {.index = index, .generation = set->info.generation}};
    builder->segment.id = result ? -1 : free_id(set, &segments, err);
    refset_segments_release(&segments);
    if (builder->segment.id < 0)
        return -1;
    if (!builder->segment.id)
        return refset_broken(set, err, "it has too many segments");
    builder->gathered = malloc(GATHER * sizeof *builder->gathered);
    if (index != REFSET_COMMON)
        builder->bloom = bloom_new(bloom_blocks_for(keys));
    if (!builder->gathered || (index != REFSET_COMMON && !builder->bloom))
        return error_set(err, "out of memory for an index");
    builder->insert = database_prepare(set->database, "INSERT INTO block VALUES (?, ?)", err);
    return builder->insert ? 0 : -1;
}

static void note_keys(struct builder *builder, const struct keyblock_entry *entries, size_t count)
{
    uint64_t keys[KEYBLOCK_ENTRIES];
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (i == 0 || entries[i].key != entries[i - 1].key)
            keys[n++] = entries[i].key;
    for (size_t i = 0; i < count; i++)
        builder->segment.marks += entries[i].value == KEYBLOCK_COMMON;
    builder->segment.entries += count;
    builder->segment.keys += n;
    if (builder->bloom)
        bloom_add(builder->bloom, keys, n);
}

static int put_block(struct builder *builder, bool more, struct error *err)
{
    const struct keyblock_entry *entries = builder->gathered + builder->start;
    uint8_t data[KEYBLOCK_MAX];
    size_t len, taken = keyblock_pack(entries, builder->end - builder->start, more, data, &len);

    statement_bind_number(builder->insert, 1, row_key(builder->segment.id, entries[0].key));
    statement_bind_bytes(builder->insert, 2, data, len);
    note_keys(builder, entries, taken);
    builder->start += taken;
    return statement_run(builder->insert, err);
}

/* Adds the values of one key. */
static int builder_add(struct builder *builder, const struct keyblock_entry *entries, size_t count,
                       struct error *err)
{
    if (builder->end + count > GATHER) {
        while (builder->end - builder->start > KEYBLOCK_ENTRIES / 2)
            if (put_block(builder, true, err))
                return -1;
        builder->end -= builder->start;
        memmove(builder->gathered, builder->gathered + builder->start, builder->end * sizeof *entries);
        builder->start = 0;
    }
    memcpy(builder->gathered + builder->end, entries, count * sizeof *entries);
    builder->end += count;
    return 0;
}

static int store_segment(struct builder *builder, struct error *err)
{
    static const char sql[] = "INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)";
    const struct refset_segment *segment = &builder->segment;
    const int64_t numbers[] = {segment->id,
                               (int64_t)segment->index,
                               (int64_t)segment->entries,
                               (int64_t)segment->keys,
                               (int64_t)segment->marks,
                               (int64_t)segment->blocks,
                               (int64_t)segment->generation};
    struct statement *row = database_prepare(builder->set->database, sql, err);
    int result;

    if (!row)
        return -1;
    for (int i = 0; i < 7; i++)
        statement_bind_number(row, i + 1, numbers[i]);
    result = statement_run(row, err);
    statement_free(row);
    return result;
}

/* The filter was made for as many keys as there might be; it is made anew if there are far fewer. */
static int fit_filter(struct builder *builder, struct error *err)
{
    struct bloom *bloom;

    if (!builder->bloom)
        return 0;
    builder->segment.blocks = builder->bloom->blocks;
    if (builder->segment.blocks <= roomy(builder->segment.keys))
        return 0;
    builder->segment.blocks = bloom_blocks_for(builder->segment.keys);
    bloom = bloom_new(builder->segment.blocks);
    if (!bloom)
        return error_set(err, "out of memory for an index");
    bloom_free(builder->bloom);
    builder->bloom = bloom;
    return refset_index_add_keys(builder->set, &builder->segment, bloom, err);
}

static int builder_end(struct builder *builder, struct error *err)
{
    while (builder->start < builder->end)
        if (put_block(builder, false, err))
            return -1;
    if (!builder->segment.entries)
        return 0;
    if (fit_filter(builder, err) || store_segment(builder, err))
        return -1;
    return builder->bloom ? refset_index_store_filter(builder->set, &builder->segment, builder->bloom, err)
                          : 0;
}

/* ---- common features ---- */

/* Entries, key after key, on their way into a segment. */
struct sieve {
    struct builder builder;
    size_t common;                 /* most values of a key; 0: any number */
    struct keyblock_entry *values; /* of the current key */
    size_t count, room;
    struct keyblock_entry *lost; /* of common keys: sample -> key */
    size_t lost_count, lost_room;
};

static void sieve_release(struct sieve *sieve)
{
    builder_release(&sieve->builder);
    free(sieve->values);
    free(sieve->lost);
}

static int push(struct keyblock_entry **list, size_t *count, size_t *room, struct keyblock_entry entry,
                struct error *err)
{
    if (*count == *room) {
        const size_t wanted = *room ? 2 * *room : 512;
        struct keyblock_entry *larger = realloc(*list, wanted * sizeof *larger);

        if (!larger)
            return error_set(err, "out of memory for an index");
        *list = larger;
        *room = wanted;
    }
    (*list)[(*count)++] = entry;
    return 0;
}

static size_t without_twins(struct keyblock_entry *values, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i].value != values[kept - 1].value)
            values[kept++] = values[i];
    return kept;
}

/* The current key is complete. */
static int sieve_flush(struct sieve *sieve, struct error *err)
{
    struct keyblock_entry *values = sieve->values;

    if (sieve->count == 0)
        return 0;
    sort_values(values, sieve->count);
    sieve->count = without_twins(values, sieve->count);
    /* the mark is greater than any value, so it is the last */
    if (sieve->common &&
        (sieve->count > sieve->common || values[sieve->count - 1].value == KEYBLOCK_COMMON)) {
        for (size_t i = 0; i < sieve->count && values[i].value != KEYBLOCK_COMMON; i++)
            if (push(&sieve->lost, &sieve->lost_count, &sieve->lost_room,
                     (struct keyblock_entry){values[i].value, values[i].key}, err))
                return -1;
        values[0].value = KEYBLOCK_COMMON;
        sieve->count = 1;
    }
    if (sieve->count >
        KEYBLOCK_GROUP) /* so many contents with one digest that stands for none: some will do */
        sieve->count = KEYBLOCK_GROUP;
    if (builder_add(&sieve->builder, values, sieve->count, err))
        return -1;
    sieve->count = 0;
    return 0;
}

static int sieve_add(struct sieve *sieve, struct keyblock_entry entry, struct error *err)
{
    if (sieve->count && sieve->values[0].key != entry.key && sieve_flush(sieve, err))
        return -1;
    return push(&sieve->values, &sieve->count, &sieve->room, entry, err);
}

static int sieve_begin(struct sieve *sieve, struct refset *set, enum refset_index index, uint64_t keys,
                       struct error *err)
{
    *sieve = (struct sieve){.common = index == REFSET_FEATURE ? set->info.params.common : 0};
    return builder_begin(&sieve->builder, set, index, keys, err);
}

static int write_lost(struct sieve *sieve, struct error *err)
{
    struct keyblock_entry *scratch;
    int result;

    if (!sieve->lost_count)
        return 0;
    scratch = malloc(sieve->lost_count * sizeof *scratch);
    if (!scratch)
        return error_set(err, "out of memory for an index");
    result =
        refset_index_write(sieve->builder.set, REFSET_COMMON, sieve->lost, scratch, sieve->lost_count, err);
    free(scratch);
    return result;
}

static int sieve_end(struct sieve *sieve, struct error *err)
{
    if (sieve_flush(sieve, err) || builder_end(&sieve->builder, err))
        return -1;
    return write_lost(sieve, err);
}

static size_t different_keys(const struct keyblock_entry *entries, size_t count)
{
    size_t keys = 0;

    for (size_t i = 0; i < count; i++)
        keys += i == 0 || entries[i].key != entries[i - 1].key;
    return keys;
}

int refset_index_write(struct refset *set, enum refset_index index, struct keyblock_entry *entries,
                       struct keyblock_entry *scratch, size_t count, struct error *err)
{
    struct sieve sieve;
    int result;

    if (count == 0)
        return 0;
    sort_by_key(entries, scratch, count);
    result = sieve_begin(&sieve, set, index, different_keys(entries, count), err);
    for (size_t i = 0; i < count && !result; i++)
        result = sieve_add(&sieve, entries[i], err);
    if (!result)
        result = sieve_end(&sieve, err);
    sieve_release(&sieve);
    return result;
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
    statement_bind_number(cursor->rows, 1, row_key(cursor->segment.id, key));
    statement_bind_number(cursor->rows, 2, row_key(cursor->segment.id, MOST_KEY));
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
    got = keyblock_unpack(data, len, (uint64_t)key & MOST_KEY, cursor->entries);
    cursor->last = got < 1 ? (uint64_t)key & MOST_KEY : cursor->last;
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
    if (drop_rows(set, "DELETE FROM block WHERE key BETWEEN ? AND ?", row_key(id, 0), row_key(id, MOST_KEY),
                  err) ||
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

/* ---- filters ---- */

static size_t chunk_len(const struct bloom *bloom, uint64_t chunk)
{
    const uint64_t len = bloom->blocks * BLOOM_BLOCK_LEN, rest = len - chunk * CHUNK;

    return rest < CHUNK ? (size_t)rest : CHUNK;
}

static uint64_t chunk_count(const struct bloom *bloom)
{
    return (bloom->blocks * BLOOM_BLOCK_LEN + CHUNK - 1) / CHUNK;
}

static char *chunk_data(const struct bloom *bloom, uint64_t chunk)
{
    return (char *)bloom->words + chunk * CHUNK;
}

int refset_index_store_filter(struct refset *set, const struct refset_segment *segment,
                              const struct bloom *bloom, struct error *err)
{
    struct statement *row =
        database_prepare(set->database, "INSERT OR REPLACE INTO filter VALUES (?, ?, ?, ?, ?)", err);
    int result = row ? 0 : -1;

    for (uint64_t chunk = 0; chunk < chunk_count(bloom) && !result; chunk++) {
        const size_t len = chunk_len(bloom, chunk);

        statement_bind_number(row, 1, segment->id);
        statement_bind_number(row, 2, (int64_t)chunk);
        statement_bind_number(row, 3, (int64_t)segment->generation);
        statement_bind_number(row, 4, crc_update(0, chunk_data(bloom, chunk), len));
        statement_bind_bytes(row, 5, chunk_data(bloom, chunk), len);
        result = statement_run(row, err);
    }
    statement_free(row);
    return result;
}

/* Whether the row is that chunk of the filter; then it is in place. */
static bool take_chunk(struct statement *row, const struct refset_segment *segment, struct bloom *bloom,
                       uint64_t chunk)
{
    int64_t generation, crc;
    const void *data;
    size_t len;

    if (!statement_number(row, 0, &generation) || !statement_number(row, 1, &crc) ||
        !statement_bytes(row, 2, &data, &len) || (uint64_t)generation != segment->generation ||
        len != chunk_len(bloom, chunk) || crc != crc_update(0, data, len))
        return false;
    memcpy(chunk_data(bloom, chunk), data, len);
    return true;
}

/* 1: it is there, 0: it is missing or wrong. */
static int load_filter(struct refset *set, const struct refset_segment *segment, struct bloom *bloom,
                       struct error *err)
{
    struct statement *row = database_prepare(
        set->database, "SELECT generation, crc, data FROM filter WHERE segment = ? AND chunk = ?", err);
    int result = row ? 1 : -1;

    for (uint64_t chunk = 0; chunk < chunk_count(bloom) && result > 0; chunk++) {
        statement_bind_number(row, 1, segment->id);
        statement_bind_number(row, 2, (int64_t)chunk);
        result = statement_step(row, err);
        if (result > 0 && !take_chunk(row, segment, bloom, chunk))
            result = 0;
        statement_reset(row);
    }
    statement_free(row);
    return result;
}

int refset_index_add_keys(struct refset *set, const struct refset_segment *segment, struct bloom *bloom,
                          struct error *err)
{
    struct refset_cursor *cursor = refset_cursor_new(set, segment, err);
    const struct keyblock_entry *entries;
    uint64_t keys[KEYBLOCK_ENTRIES];
    size_t count;
    int result;

    if (!cursor)
        return -1;
    while ((result = refset_cursor_next(cursor, &entries, &count, err)) > 0) {
        for (size_t i = 0; i < count; i++)
            keys[i] = entries[i].key;
        bloom_add(bloom, keys, count);
    }
    refset_cursor_free(cursor);
    return result;
}

struct bloom *refset_index_filter(struct refset *set, const struct refset_segment *segment, bool *rebuilt,
                                  struct error *err)
{
    struct bloom *bloom = bloom_new(segment->blocks);
    int result;

    *rebuilt = false;
    if (!bloom) {
        error_set(err, "%s: out of memory for its filter", refset_path(set));
        return NULL;
    }
    result = load_filter(set, segment, bloom, err);
    if (result == 0) {
        *rebuilt = true;
        memset(bloom->words, 0, (size_t)bloom->blocks * BLOOM_BLOCK_LEN);
        result = refset_index_add_keys(set, segment, bloom, err) ? -1 : 1;
    }
    if (result < 0) {
        bloom_free(bloom);
        return NULL;
    }
    return bloom;
}
