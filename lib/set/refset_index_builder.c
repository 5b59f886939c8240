/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "set/refset_index_inner.h"

enum { GATHER = 2 * KEYBLOCK_ENTRIES };

/* Whether any blocks have this segment id. */
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

/* Returns the smallest id that is used neither by a segment nor by blocks whose segment was lost; 0 if there
 * is none, -1 on error. */
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

void refset_index_builder_release(struct builder *builder)
{
    statement_free(builder->insert);
    bloom_free(builder->bloom);
    free(builder->gathered);
    *builder = (struct builder){0};
}

int refset_index_builder_begin(struct builder *builder, struct refset *set, enum refset_index index,
                               uint64_t keys, struct error *err)
{
    struct refset_segments segments = {0};
    int result = refset_segments_read(set, &segments, NULL, err);

    *builder = (struct builder){.set = set, .segment = {.index = index, .generation = set->info.generation}};
    builder->segment.id = result ? -1 : free_id(set, &segments, err);
    refset_segments_release(&segments);
    if (builder->segment.id < 0)
        return -1;
    if (!builder->segment.id) {
        refset_broken(set, err, "too many index segments");
        return -1;
    }
    builder->gathered = malloc(GATHER * sizeof *builder->gathered);
    if (index != REFSET_COMMON)
        builder->bloom = bloom_new(bloom_blocks_for(keys));
    if (!builder->gathered || (index != REFSET_COMMON && !builder->bloom)) {
        error_set(err, "out of memory for an index");
        return -1;
    }
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
        builder->segment.marks += keyblock_is_mark(entries[i].value);
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
    if (statement_run(builder->insert, err))
        return -1;
    builder->start += taken;
    return 0;
}

int refset_index_builder_add(struct builder *builder, const struct keyblock_entry *entries, size_t count,
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

/* The filter was sized for an upper limit of keys; rebuilds it if there are far fewer. */
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

int refset_index_builder_end(struct builder *builder, struct error *err)
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
