/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "set/refset_index_inner.h"

enum { MOST_SEGMENTS = 4 /* most segments of an index after merging */ };

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

/* Returns the input with the smallest key, or NULL at the end. */
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
        if (refset_index_sieve_add(sieve, input->entries[input->at++], err) || input_fill(input, err))
            return -1;
    return refset_index_sieve_end(sieve, err);
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
    result = refset_index_sieve_begin(&sieve, set, list[0].index, keys, err);
    for (size_t i = 0; i < count && !result; i++) {
        inputs[i].cursor = refset_cursor_new(set, &list[i], err);
        result = inputs[i].cursor ? 0 : -1;
    }
    if (!result)
        result = merge_inputs(inputs, count, &sieve, err);
    refset_index_sieve_release(&sieve);
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

/* Returns how many of an index's segments, sorted from large to small, are to be merged, counted from the
 * end.  Segments much larger than all after them together are left, so that each entry is merged only a
 * logarithmic number of times. */
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
    int result = refset_segments_read(set, &segments, NULL, err);

    for (size_t i = 0; i < segments.count && !result; i++)
        if (segments.list[i].index == index && count++ == 0)
            first = i;
    last = all || !count ? count : worth_merging(&segments.list[first], count);
    if (!result && (last > 1 || (all && last)))
        result = merge_segments(set, segments.list + first + count - last, last, err);
    refset_segments_release(&segments);
    return result;
}
