/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sample/packing.h"
#include "set/refset_blocks.h"
#include "set/refset_index.h"

enum {
    MOST_FILTERS = 64,
    BATCH = 1024, /* keys that go through the filters together */
};

/* One index: filters that let through whatever is in its segments, and the segments. */
struct view {
    struct bloom *filters[MOST_FILTERS];
    size_t filter_count;
    uint64_t spare; /* keys that may still be added to the first filter */
    struct refset_segment segments[MOST_FILTERS];
    uint8_t filter_of[MOST_FILTERS]; /* the number of each segment's filter */
    size_t segment_count;
};

struct refset_search {
    struct refset *set;
    unsigned what;
    bool shares; /* the filters are another's */
    struct view views[REFSET_INDEXES];
    struct refset_blocks *blocks;
    struct statement *file, *record, *firsts;
    uint64_t values[MOST_FILTERS * KEYBLOCK_GROUP]; /* of the key that is looked up */
    uint64_t *places;                               /* of the record that is being unpacked */
    size_t place_room;
};

/* ---- making it ---- */

static bool wanted(enum refset_index index, unsigned what)
{
    if (index == REFSET_FEATURE)
        return what & REFSET_SEARCH_FEATURES;
    return index != REFSET_COMMON && (what & REFSET_SEARCH_DIGESTS);
}

/* The number of the filter that a segment has already, or -1. */
static int known_filter(const struct view *view, const struct refset_segment *segment)
{
    for (size_t i = 0; i < view->segment_count; i++)
        if (view->segments[i].id == segment->id && view->segments[i].generation == segment->generation)
            return view->filter_of[i];
    return -1;
}

/*
 * Segments come from large to small.  Small ones are added to the filter of the first, as long as they are
 * few enough not to crowd it: so most sets are probed once.  The number of the filter; -1 on error.
 */
static int take_filter(struct refset_search *search, const struct refset_segment *segment, struct error *err)
{
    struct view *view = &search->views[segment->index];
    struct bloom *bloom;
    bool rebuilt;

    if (view->filter_count && segment->keys <= view->spare) {
        view->spare -= segment->keys;
        return refset_index_add_keys(search->set, segment, view->filters[0], err) ? -1 : 0;
    }
    if (view->filter_count == MOST_FILTERS)
        return refset_broken(search->set, err, "an index has too many segments");
    bloom = refset_index_filter(search->set, segment, &rebuilt, err);
    if (!bloom)
        return -1;
    if (view->filter_count == 0)
        view->spare = segment->keys / 4;
    view->filters[view->filter_count] = bloom;
    return (int)view->filter_count++;
}

static int take_segments(struct refset_search *search, const struct refset_segments *segments,
                         struct error *err)
{
    struct view before[REFSET_INDEXES];

    memcpy(before, search->views, sizeof before);
    for (int index = 0; index < REFSET_INDEXES; index++)
        search->views[index].segment_count = 0;
    for (size_t i = 0; i < segments->count; i++) {
        const struct refset_segment *segment = &segments->list[i];
        struct view *view = &search->views[segment->index];
        int filter;

        if (!wanted(segment->index, search->what))
            continue;
        if (view->segment_count == MOST_FILTERS)
            return refset_broken(search->set, err, "an index has too many segments");
        filter = known_filter(&before[segment->index], segment);
        if (filter < 0 && (filter = take_filter(search, segment, err)) < 0)
            return -1;
        view->filter_of[view->segment_count] = (uint8_t)filter;
        view->segments[view->segment_count++] = *segment;
    }
    return 0;
}

static void forget_filters(struct view *view)
{
    for (size_t i = 0; i < view->filter_count; i++)
        bloom_free(view->filters[i]);
    view->filter_count = view->segment_count = 0;
}

/* Filters of segments that were merged are still right, if too full: they go when there are many. */
int refset_search_refresh(struct refset_search *search, struct error *err)
{
    struct refset_segments segments = {0};
    int result = refset_segments_read(search->set, &segments, NULL, err);

    refset_blocks_forget(search->blocks);
    for (int index = 0; index < REFSET_INDEXES; index++)
        if (search->views[index].filter_count > MOST_FILTERS / 4)
            forget_filters(&search->views[index]);
    if (!result)
        result = take_segments(search, &segments, err);
    refset_segments_release(&segments);
    return result;
}

/* bytes: of blocks to keep. */
static int prepare(struct refset_search *search, size_t bytes, struct error *err)
{
    struct database *database = search->set->database;

    search->blocks = refset_blocks_new(search->set, bytes, err);
    search->file = database_prepare(
        database, "SELECT sha1, md5, sha256, size, first, source, name FROM file WHERE id = ?", err);
    search->record = database_prepare(
        database,
        "SELECT record.first, file, c, count, size, coincidence, samples, blocks, repeats FROM record"
        " JOIN file ON id = file WHERE record.first <= ? ORDER BY record.first DESC LIMIT 1",
        err);
    search->firsts = database_prepare(database,
                                      "SELECT first FROM record WHERE first >= coalesce((SELECT max(first) "
                                      "FROM record WHERE first <= ?1), 0)"
                                      " ORDER BY first",
                                      err);
    return search->blocks && search->file && search->record && search->firsts ? 0 : -1;
}

struct refset_search *refset_search_new(struct refset *set, unsigned what, struct error *err)
{
    struct refset_search *search = calloc(1, sizeof *search);

    if (!search) {
        error_set(err, "out of memory");
        return NULL;
    }
    search->set = set;
    search->what = what;
    if (prepare(search, 0, err) || refset_search_refresh(search, err)) {
        refset_search_free(search);
        return NULL;
    }
    return search;
}

struct refset_search *refset_search_share(const struct refset_search *search, struct refset *set,
                                          size_t bytes, struct error *err)
{
    const struct refset_info *ours = refset_info(search->set), *its = refset_info(set);
    struct refset_search *other = calloc(1, sizeof *other);

    if (!other) {
        error_set(err, "out of memory");
        return NULL;
    }
    other->set = set;
    other->what = search->what;
    other->shares = true;
    memcpy(other->views, search->views, sizeof other->views);
    if (memcmp(ours->uuid, its->uuid, sizeof ours->uuid) != 0 || ours->generation != its->generation)
        error_set(err, "%s: it was changed while it was opened", refset_path(set));
    else if (prepare(other, bytes, err) == 0)
        return other;
    refset_search_free(other);
    return NULL;
}

const struct refset_info *refset_search_info(const struct refset_search *search)
{
    return refset_info(search->set);
}

const char *refset_search_path(const struct refset_search *search)
{
    return refset_path(search->set);
}

uint64_t refset_search_memory(const struct refset_search *search)
{
    uint64_t sum = 0;

    for (int index = 0; index < REFSET_INDEXES; index++)
        for (size_t i = 0; i < search->views[index].filter_count; i++)
            sum += search->views[index].filters[i]->blocks * BLOOM_BLOCK_LEN;
    return sum;
}

void refset_search_free(struct refset_search *search)
{
    if (!search)
        return;
    for (int index = 0; index < REFSET_INDEXES && !search->shares; index++)
        forget_filters(&search->views[index]);
    refset_blocks_free(search->blocks);
    statement_free(search->file);
    statement_free(search->record);
    statement_free(search->firsts);
    free(search->places);
    free(search);
}

/* ---- keys ---- */

/* Which filters let each key through, a bit each. */
static void probe_each(const struct view *view, const uint64_t *keys, size_t count, uint64_t *filters)
{
    uint32_t passed[BATCH];

    memset(filters, 0, count * sizeof *filters);
    for (size_t i = 0; i < view->filter_count; i++) {
        const size_t found = bloom_probe(view->filters[i], keys, count, passed);

        for (size_t k = 0; k < found; k++)
            filters[passed[k]] |= (uint64_t)1 << i;
    }
}

/* The numbers of the keys that any filter lets through. */
static size_t probe_batch(const struct view *view, const uint64_t *keys, size_t count, uint32_t *passed)
{
    uint64_t filters[BATCH];
    size_t total = 0;

    if (view->filter_count == 1)
        return bloom_probe(view->filters[0], keys, count, passed);
    probe_each(view, keys, count, filters);
    for (size_t i = 0; i < count; i++) {
        passed[total] = (uint32_t)i;
        total += filters[i] != 0;
    }
    return total;
}

static size_t probe(const struct view *view, const uint64_t *keys, size_t count, uint32_t *passed)
{
    size_t total = 0;

    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        const size_t more = probe_batch(view, keys + done, piece, passed + total);

        for (size_t i = 0; i < more; i++)
            passed[total + i] += (uint32_t)done;
        total += more;
    }
    return total;
}

size_t refset_search_probe(const struct refset_search *search, const uint64_t *keys, size_t count,
                           uint32_t *passed)
{
    return probe(&search->views[REFSET_FEATURE], keys, count, passed);
}

/* The values of all segments whose filters let the key through, in search->values; -1 on error. */
static int find(struct refset_search *search, enum refset_index index, uint64_t key, uint64_t filters,
                struct error *err)
{
    const struct view *view = &search->views[index];
    int total = 0;

    for (size_t i = 0; i < view->segment_count; i++) {
        int found;

        if (!(filters >> view->filter_of[i] & 1))
            continue;
        found = refset_blocks_find(search->blocks, &view->segments[i], key, search->values + total, err);
        if (found < 0)
            return -1;
        total += found;
    }
    return total;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool is_sorted(const uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] < values[i - 1])
            return false;
    return true;
}

static int add_hits(struct refset_search *search, uint32_t query, size_t count, struct set_hits *hits,
                    struct error *err)
{
    uint64_t *values = search->values;

    if (!is_sorted(values, count)) /* they are of several segments */
        qsort(values, count, sizeof *values, by_size);
    if (count && (values[count - 1] == KEYBLOCK_COMMON || count > search->set->info.params.common))
        return set_hits_add(hits, (struct set_hit){.query = query}, err);
    for (size_t i = 0; i < count; i++)
        if (set_hits_add(hits, (struct set_hit){query, (uint32_t)count, values[i]}, err))
            return -1;
    return 0;
}

int refset_search_features(struct refset_search *search, const uint64_t *keys, size_t count,
                           struct set_hits *hits, struct error *err)
{
    const struct view *view = &search->views[REFSET_FEATURE];
    uint64_t filters[BATCH];

    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        probe_each(view, keys + done, piece, filters);
        for (size_t i = 0; i < piece; i++) {
            const int found = filters[i] ? find(search, REFSET_FEATURE, keys[done + i], filters[i], err) : 0;

            if (found < 0 || add_hits(search, (uint32_t)(done + i), (size_t)found, hits, err))
                return -1;
        }
    }
    return 0;
}

/* ---- files ---- */

static bool get_file(struct statement *row, struct set_file *file)
{
    int64_t size = 0, first = 0, source;
    const void *name;
    size_t len;

    file->has_size = !statement_is_null(row, 3);
    file->has_record = !statement_is_null(row, 4);
    if (!refset_digests(row, 0, &file->digests) || (file->has_size && !statement_number(row, 3, &size)) ||
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
        result = refset_broken(search->set, err, "a row of 'file' is not as it should be");
    statement_reset(search->file);
    return result;
}

/* ---- digests ---- */

static enum refset_index index_of(enum digest_kind kind)
{
    return (enum refset_index)(REFSET_SHA1 + (int)kind);
}

/* Whether the file in the row has these digests, as far as it has any of their kinds: at least one. */
static int same_digests(struct refset_search *search, uint64_t file, const struct digest_values *digests,
                        struct error *err)
{
    struct digest_values there;
    int result;

    statement_bind_number(search->file, 1, (int64_t)file);
    result = statement_step(search->file, err);
    if (result > 0 && !refset_digests(search->file, 0, &there))
        result = refset_broken(search->set, err, "a digest in 'file' is not as it should be");
    statement_reset(search->file);
    if (result <= 0 || !(there.kinds & digests->kinds))
        return result < 0 ? -1 : 0;
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((there.kinds & digests->kinds & DIGEST_BIT(kind)) &&
            memcmp(there.bytes[kind], digests->bytes[kind], digest_len((enum digest_kind)kind)) != 0)
            return 0;
    return 1;
}

/* Of the files that the index names for the key, the first that has the digests. */
static int find_file(struct refset_search *search, enum refset_index index, uint64_t key,
                     const struct digest_values *digests, uint64_t except, uint64_t *file, struct error *err)
{
    uint64_t filters;
    int found;

    probe_each(&search->views[index], &key, 1, &filters);
    found = filters ? find(search, index, key, filters, err) : 0;

    for (int i = 0; i < found; i++) {
        const int same =
            search->values[i] == except ? 0 : same_digests(search, search->values[i], digests, err);

        if (same < 0)
            return -1;
        if (same) {
            *file = search->values[i];
            return 0;
        }
    }
    return found < 0 ? -1 : 0;
}

int refset_search_digests(struct refset_search *search, const struct digest_values *digests, uint64_t except,
                          uint64_t *file, struct error *err)
{
    *file = 0;
    for (int kind = 0; kind < DIGEST_KINDS && !*file; kind++) {
        const enum refset_index index = index_of((enum digest_kind)kind);
        const uint64_t key = refset_digest_key(search->set, (enum digest_kind)kind, digests->bytes[kind]);

        if ((digests->kinds & DIGEST_BIT(kind)) && find_file(search, index, key, digests, except, file, err))
            return -1;
    }
    return 0;
}

/* A digest of a list that may be there. */
struct candidate {
    uint64_t key;
    uint32_t query;
};

static int by_key(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->query > y->query) - (x->query < y->query);
}

/* In the order of the index, so that each of its pages is read once. */
static int find_candidates(struct refset_search *search, enum digest_kind kind, struct candidate *candidates,
                           size_t count, const uint8_t (*digests)[DIGEST_MAX_LEN], uint64_t *files,
                           struct error *err)
{
    struct digest_values values = {.kinds = DIGEST_BIT(kind)};

    qsort(candidates, count, sizeof *candidates, by_key);
    for (size_t i = 0; i < count; i++) {
        memcpy(values.bytes[kind], digests[candidates[i].query], DIGEST_MAX_LEN);
        if (find_file(search, index_of(kind), candidates[i].key, &values, 0, &files[candidates[i].query],
                      err))
            return -1;
    }
    return 0;
}

enum { LIST_BATCH = 64 * BATCH };

/* What looking up a piece of a list needs. */
struct list_room {
    uint64_t keys[LIST_BATCH];
    uint32_t passed[LIST_BATCH];
    struct candidate candidates[LIST_BATCH];
};

static int search_piece(struct refset_search *search, enum digest_kind kind,
                        const uint8_t (*digests)[DIGEST_MAX_LEN], size_t count, uint64_t *files,
                        struct list_room *room, struct error *err)
{
    size_t left;

    for (size_t i = 0; i < count; i++)
        room->keys[i] = refset_digest_key(search->set, kind, digests[i]);
    left = probe(&search->views[index_of(kind)], room->keys, count, room->passed);
    for (size_t i = 0; i < left; i++)
        room->candidates[i] = (struct candidate){room->keys[room->passed[i]], room->passed[i]};
    return find_candidates(search, kind, room->candidates, left, digests, files, err);
}

int refset_search_digest_list(struct refset_search *search, enum digest_kind kind,
                              const uint8_t (*digests)[DIGEST_MAX_LEN], size_t count, uint64_t *files,
                              struct error *err)
{
    struct list_room *room = calloc(1, sizeof *room);
    int result = 0;

    if (!room)
        return error_set(err, "out of memory");
    memset(files, 0, count * sizeof *files);
    for (size_t done = 0, piece; done < count && !result; done += piece) {
        piece = count - done < LIST_BATCH ? count - done : LIST_BATCH;
        result = search_piece(search, kind, digests + done, piece, files + done, room, err);
    }
    free(room);
    return result;
}

/* ---- records ---- */

/* The row's beginning; 0 if the sample is behind its end. */
static int take_place(struct refset_search *search, uint64_t sample, struct set_place *place,
                      struct error *err)
{
    int64_t numbers[5];

    for (int i = 0; i < 5; i++)
        if (!statement_number(search->record, i, &numbers[i]) || numbers[i] < 0)
            return refset_broken(search->set, err, "a row of 'record' is not as it should be");
    if (numbers[2] < 1 || numbers[2] > SAMPLER_MAX_C)
        return refset_broken(search->set, err, "a row of 'record' is not as it should be");
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
        return refset_broken(search->set, err, "the samples of a record cannot be read");
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
        return refset_broken(search->set, err, "a row of 'record' is not as it should be");
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
        return refset_broken(search->set, err, "the repeats of a record cannot be read");
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
            result = refset_broken(search->set, err, "a row of 'record' is not as it should be");
        if (result < 0)
            break;
        firsts[(*count)++] = (uint64_t)first;
        if ((uint64_t)first >= to)
            break;
    }
    statement_reset(search->firsts);
    return result < 0 ? -1 : 0;
}
