/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "set/refset_index_inner.h"

struct refset_cursor {
    struct refset *set;
    struct refset_segment segment;
    struct statement *rows;
    struct keyblock_entry entries[KEYBLOCK_ENTRIES];
    uint64_t last; /* last key read or sought */
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
        return refset_broken(cursor->set, err, "malformed row in table block");
    got = keyblock_unpack(data, len, (uint64_t)key & REFSET_MOST_KEY, cursor->entries);
    cursor->last = got < 1 ? (uint64_t)key & REFSET_MOST_KEY : cursor->last;
    if (got < 1 || (cursor->begun && cursor->entries[0].key <= cursor->last))
        return refset_broken(cursor->set, err, "corrupt index block");
    cursor->begun = true;
    cursor->last = cursor->entries[got - 1].key;
    *entries = cursor->entries;
    *count = (size_t)got;
    return 1;
}
