/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/array.h"
#include "set/refset_index_inner.h"

static int by_index_and_size(const void *a, const void *b)
{
    const struct refset_segment *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* most: upper limit of the keys that fit into the file */
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
    if (array_reserve(&segments->list, &segments->room, segments->count + 1))
        return error_set(err, "out of memory");
    segments->list[segments->count++] = *segment;
    return 0;
}

/* Returns the size of the file in bits, which limits the number of keys, as each takes more than one bit. */
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

int refset_segments_read(struct refset *set, struct refset_segments *segments, unsigned *bad,
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
            result = refset_broken(set, err, "malformed row in table segment");
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
