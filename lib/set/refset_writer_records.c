/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sample/packing.h"
#include "set/refset_writer_inner.h"

static int prepare_seen(struct refset_writer *writer, size_t count, struct error *err)
{
    size_t len = 1024;

    while (len < 2 * count)
        len *= 2;
    if (array_reserve(&writer->seen, &writer->seen_room, len))
        return refset_writer_out_of_memory(writer, err);
    writer->seen_len = len;
    memset(writer->seen, 0, len * sizeof *writer->seen);
    return 0;
}

/* Returns the index of the first sample with this sample's key: its own, if it is the first. */
static size_t first_of(struct refset_writer *writer, const struct sample *samples, size_t at)
{
    const uint64_t key = known_key(samples[at].fp);
    const size_t mask = writer->seen_len - 1;
    size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

    for (; writer->seen[slot]; slot = (slot + 1) & mask)
        if (known_key(samples[writer->seen[slot] - 1].fp) == key)
            return writer->seen[slot] - 1;
    writer->seen[slot] = (uint32_t)at + 1;
    return at;
}

static int add_repeat(struct refset_writer *writer, size_t at, size_t first, struct error *err)
{
    if (array_reserve(&writer->repeats, &writer->repeat_room, writer->repeat_count + 1))
        return refset_writer_out_of_memory(writer, err);
    writer->repeats[writer->repeat_count++] = (struct repeat){(uint32_t)at, (uint32_t)first};
    return 0;
}

/* Adds the samples to the index, and repeated ones only to the list of repeats. */
static int add_features(struct refset_writer *writer, const struct record *record, uint64_t first,
                        struct error *err)
{
    writer->repeat_count = 0;
    if (prepare_seen(writer, record->count, err))
        return -1;
    for (size_t i = 0; i < record->count; i++) {
        const size_t twin = first_of(writer, record->samples, i);

        if (twin < i ? add_repeat(writer, i, twin, err)
                     : refset_writer_add_entry(writer, REFSET_FEATURE, known_key(record->samples[i].fp),
                                               first + i, err))
            return -1;
    }
    return 0;
}

int refset_writer_insert_record(struct refset_writer *writer, const struct known *known, uint64_t file,
                                uint64_t *first, struct error *err)
{
    struct statement *insert = writer->statements[INSERT_RECORD];
    struct refset_counts *counts = &writer->set->info.counts;
    const struct record *record = &known->record;
    const int64_t numbers[] = {(int64_t)counts->next_sample, (int64_t)file, record->params.c,
                               record->coincidence, (int64_t)record->count};

    *first = counts->next_sample;
    if (record->count > UINT32_MAX || *first >= (uint64_t)1 << (KEYBLOCK_VALUE_BITS - 1))
        return error_set(err, "%s: the set is full", refset_path(writer->set));
    if (add_features(writer, record, *first, err))
        return -1;
    buffer_reset(&writer->packed);
    buffer_reset(&writer->packed_repeats);
    packing_pack(&writer->packed, record->samples, record->count);
    repeats_pack(&writer->packed_repeats, writer->repeats, writer->repeat_count, record->count);
    if (writer->packed.failed || writer->packed_repeats.failed)
        return refset_writer_out_of_memory(writer, err);
    for (int i = 0; i < 5; i++)
        statement_bind_number(insert, i + 1, numbers[i]);
    statement_bind_bytes(insert, 6, writer->packed.data, writer->packed.len);
    statement_bind_bytes(insert, 7, writer->packed_repeats.data, writer->packed_repeats.len);
    statement_bind_bytes(insert, 8, known->blocks.data, known->blocks.len);
    counts->records++;
    counts->sampled += record->count > 0;
    counts->samples += record->count;
    counts->next_sample += record->count ? record->count : 1; /* so that each record has its own number */
    return statement_run(insert, err);
}
