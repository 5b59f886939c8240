/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "set/refset_index_inner.h"

enum { CHUNK = 16 << 20 /* bytes of a filter per row */ };

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

/* Copies the chunk into the filter if the row is valid; else returns false. */
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

/* Returns 1 if the filter was loaded, 0 if it is missing or invalid, -1 on error. */
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
        error_set(err, "%s: out of memory for a filter", refset_path(set));
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
