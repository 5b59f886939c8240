/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "refset_index_inner.h"

enum { GATHER = 2 * KEYBLOCK_ENTRIES };

/* ---- sorting ---- */

enum { DIGIT_BITS = 12, DIGITS = REFSET_KEY_BITS / DIGIT_BITS, BUCKETS = 1 << DIGIT_BITS };

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

/* Whether there are blocks of that number. */
static int has_blocks(struct refset *set, int64_t id, struct error *err)
{
    struct statement *row =
        database_prepare(set->database, "SELECT 1 FROM block WHERE key BETWEEN ? AND ? LIMIT 1", err);
    int result;

    if (!row)
        return -1;
    statement_bind_number(row, 1, refset_row_key(id, 0));
    statement_bind_number(row, 2, refset_row_key(id, REFSET_MOST_KEY));
    result = statement_step(row, err);
    statement_free(row);
    return result;
}

/* The smallest number that no segment has, nor blocks whose segment was lost; 0 if there is none, -1 on
 * error. */
static int64_t free_id(struct refset *set, const struct refset_segments *segments, struct error *err)
{
    for (int64_t id = 1; id <= REFSET_MOST_ID; id++) {
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

    statement_bind_number(builder->insert, 1, refset_row_key(builder->segment.id, entries[0].key));
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
    if (builder->segment.blocks <= refset_roomy(builder->segment.keys))
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

void sieve_release(struct sieve *sieve)
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

int sieve_add(struct sieve *sieve, struct keyblock_entry entry, struct error *err)
{
    if (sieve->count && sieve->values[0].key != entry.key && sieve_flush(sieve, err))
        return -1;
    return push(&sieve->values, &sieve->count, &sieve->room, entry, err);
}

int sieve_begin(struct sieve *sieve, struct refset *set, enum refset_index index, uint64_t keys,
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

int sieve_end(struct sieve *sieve, struct error *err)
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
