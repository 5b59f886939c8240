/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/array.h"
#include "sample/packing.h"
#include "set/refset_search_inner.h"

static bool get_file(struct statement *row, struct set_file *file)
{
    int64_t size = 0, first = 0, source;
    const void *name;
    size_t len;

    file->has_size = !statement_is_null(row, 3);
    file->has_record = !statement_is_null(row, 4);
    if (!statement_digests(row, 0, &file->digests) || (file->has_size && !statement_number(row, 3, &size)) ||
        (file->has_record && !statement_number(row, 4, &first)) || !statement_number(row, 5, &source) ||
        !statement_bytes(row, 6, &name, &len) || size < 0 || first < 0 || source < 0 || !file->digests.kinds)
        return false;
    file->size = (uint64_t)size;
    file->first = (uint64_t)first;
    file->source = (uint64_t)source;
    buffer_reset(&file->name);
    buffer_add(&file->name, name, len);
    return !file->name.failed;
}

int refset_search_file(struct refset_search *search, uint64_t id, struct set_file *file, struct error *err)
{
    int result;

    statement_bind_number(search->file, 1, (int64_t)id);
    result = statement_step(search->file, err);
    file->id = id;
    if (result > 0 && !get_file(search->file, file))
        result = refset_broken(search->set, err, "malformed row in table file");
    statement_reset(search->file);
    return result;
}

/* Reads the first columns of the row; 0 if the sample lies after the record's end. */
static int take_place(struct refset_search *search, uint64_t sample, struct set_place *place,
                      struct error *err)
{
    int64_t numbers[5];

    for (int i = 0; i < 5; i++)
        if (!statement_number(search->record, i, &numbers[i]) || numbers[i] < 0)
            return refset_broken(search->set, err, "malformed row in table record");
    if (numbers[2] < 1 || numbers[2] > SAMPLER_MAX_C)
        return refset_broken(search->set, err, "malformed row in table record");
    *place = (struct set_place){.first = (uint64_t)numbers[0],
                                .count = (uint64_t)numbers[3],
                                .file = (uint64_t)numbers[1],
                                .len = (uint64_t)numbers[4],
                                .c = (uint32_t)numbers[2]};
    return sample - place->first < place->count;
}

static int unpack_places(struct refset_search *search, const void *samples, size_t len,
                         const struct set_place *place, struct places *places, struct error *err)
{
    const uint32_t n = search->set->info.params.n;
    const size_t count = (size_t)place->count;

    if (array_reserve(&search->places, &search->place_room, count))
        return error_set(err, "out of memory for %zu samples", count);
    if (packing_unpack_places(samples, len, place->len < n ? 0 : place->len - n + 1, search->places, count))
        return refset_broken(search->set, err, "corrupt samples in a record");
    return places_set(places, search->places, count, err);
}

static int take_record(struct refset_search *search, struct set_record *out, struct error *err)
{
    const struct refset_params *params = &search->set->info.params;
    const struct set_place *place = &out->place;
    const void *samples, *blocks, *repeats;
    size_t samples_len, blocks_len, repeats_len;
    int64_t coincidence;

    if (!statement_number(search->record, 5, &coincidence) || coincidence < 0 ||
        coincidence > SAMPLER_COINCIDENCE_ONE ||
        !statement_bytes(search->record, 6, &samples, &samples_len) ||
        !statement_bytes(search->record, 7, &blocks, &blocks_len) ||
        !statement_bytes(search->record, 8, &repeats, &repeats_len) || place->count > 8 * samples_len ||
        (blocks_len && blocks_len != blocks_count(place->len, params->block) * DIGEST_SHA1_LEN))
        return refset_broken(search->set, err, "malformed row in table record");
    if (unpack_places(search, samples, samples_len, place, &out->places, err))
        return -1;
    out->coincidence = (uint32_t)coincidence;
    buffer_reset(&out->blocks);
    buffer_add(&out->blocks, blocks, blocks_len);
    if (out->blocks.failed)
        return error_set(err, "out of memory");
    free(out->repeats);
    out->repeats = NULL;
    if (repeats_unpack(repeats, repeats_len, out->places.count, &out->repeats, &out->repeat_count))
        return refset_broken(search->set, err, "corrupt list of repeated samples in a record");
    return 1;
}

int refset_search_record(struct refset_search *search, uint64_t sample, struct set_record *record,
                         struct error *err)
{
    int result;

    if (sample > INT64_MAX)
        return 0;
    statement_bind_number(search->record, 1, (int64_t)sample);
    result = statement_step(search->record, err);
    if (result > 0)
        result = take_place(search, sample, &record->place, err);
    if (result > 0)
        result = take_record(search, record, err);
    statement_reset(search->record);
    return result;
}

int refset_search_firsts(struct refset_search *search, uint64_t from, uint64_t to, uint64_t *firsts,
                         size_t room, size_t *count, struct error *err)
{
    int64_t first = 0;
    int result = 0;

    *count = 0;
    if (from > INT64_MAX)
        return 0;
    statement_bind_number(search->firsts, 1, (int64_t)from);
    while (*count < room && (result = statement_step(search->firsts, err)) > 0) {
        if (!statement_number(search->firsts, 0, &first) || first < 0)
            result = refset_broken(search->set, err, "malformed row in table record");
        if (result < 0)
            break;
        firsts[(*count)++] = (uint64_t)first;
        if ((uint64_t)first >= to)
            break;
    }
    statement_reset(search->firsts);
    return result < 0 ? -1 : 0;
}

static int list_ids(struct refset_search *search, struct statement *row, uint64_t of, uint64_t after,
                    uint64_t *ids, size_t room, size_t *count, struct error *err)
{
    int result = 0;

    *count = 0;
    if (!row || of > INT64_MAX || after > INT64_MAX)
        return 0;
    statement_bind_number(row, 1, (int64_t)of);
    statement_bind_number(row, 2, (int64_t)after);
    while (*count < room && (result = statement_step(row, err)) > 0)
        if (!statement_up_to(row, 0, INT64_MAX, &ids[(*count)++])) {
            result = refset_broken(search->set, err, "malformed row in table member");
            break;
        }
    statement_reset(row);
    return result < 0 ? -1 : 0;
}

int refset_search_members(struct refset_search *search, uint64_t parent, uint64_t after, uint64_t *files,
                          size_t room, size_t *count, struct error *err)
{
    return list_ids(search, search->members, parent, after, files, room, count, err);
}

int refset_search_parents(struct refset_search *search, uint64_t file, uint64_t after, uint64_t *parents,
                          size_t room, size_t *count, struct error *err)
{
    return list_ids(search, search->parents, file, after, parents, room, count, err);
}
