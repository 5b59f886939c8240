/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEMORY_SET_H
#define KITH_MEMORY_SET_H

#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "check_main.h"
#include "set/bloom.h"
#include "set/known.h"
#include "set/set.h"

/*
 * A reference set in memory, as simple as possible: an array of files and a sorted array of their samples.
 * It shows that matching needs nothing of a set but the operations of set.h, and what these must return.
 * Files and samples are numbered in the order in which they are added, as in an SQLite set.
 */
struct memory_file {
    struct set_file file;
    struct set_record record; /* if file.has_record */
};

struct memory_posting {
    uint64_t key, sample;
};

struct memory_set {
    struct set base; /* first */
    struct refset_info info;
    struct memory_file *files; /* number i + 1 */
    size_t file_room;
    struct memory_posting *postings; /* by key, then sample, once it is finished */
    size_t posting_count, posting_room;
    struct bloom *filter;
};

/* ---- filling it ---- */

static inline int memory_set_compare(const void *a, const void *b)
{
    const struct memory_posting *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

static inline int memory_set_compare_repeats(const void *a, const void *b)
{
    const struct repeat *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static inline void memory_set_add_posting(struct memory_set *set, struct memory_posting posting)
{
    ck_assert_int_eq(array_reserve(&set->postings, &set->posting_room, set->posting_count + 1), 0);
    set->postings[set->posting_count++] = posting;
}

/* The first sample of each key goes to the postings, the others are the record's repeats. */
static inline void memory_set_index(struct memory_set *set, struct set_record *record,
                                    struct memory_posting *samples, size_t count)
{
    record->repeats = calloc(count + 1, sizeof *record->repeats);
    qsort(samples, count, sizeof *samples, memory_set_compare);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (samples[i].key != samples[first].key)
            first = i;
        if (i == first)
            memory_set_add_posting(
                set, (struct memory_posting){samples[i].key, record->place.first + samples[i].sample});
        else
            record->repeats[record->repeat_count++] =
                (struct repeat){(uint32_t)samples[i].sample, (uint32_t)samples[first].sample};
    }
    qsort(record->repeats, record->repeat_count, sizeof *record->repeats, memory_set_compare_repeats);
}

static inline void memory_set_add_record(struct memory_set *set, struct set_record *record,
                                         const struct known *known)
{
    const struct record *from = &known->record;
    const uint32_t wanted = known_c(known->size, set->info.params.c);
    const uint32_t c = wanted > from->params.c ? wanted : from->params.c;
    struct memory_posting *samples = calloc(from->count + 1, sizeof *samples);
    uint64_t *places = calloc(from->count + 1, sizeof *places);
    size_t count = 0;

    for (size_t i = 0; i < from->count; i++) {
        const struct sample *sample = &from->samples[i];

        if (sample->fp > UINT64_MAX / c)
            continue;
        places[count] = sample->pos << PLACES_CHARACTER_BITS | sample->fp % KNOWN_SYMBOLS;
        samples[count] = (struct memory_posting){known_key(sample->fp), count};
        count++;
    }
    *record = (struct set_record){.place = {.first = set->info.counts.next_sample,
                                            .count = count,
                                            .file = set->info.counts.files,
                                            .len = known->size,
                                            .c = c},
                                  .coincidence = from->coincidence};
    ck_assert_int_eq(places_set(&record->places, places, count, NULL), 0);
    buffer_add(&record->blocks, known->blocks.data, known->blocks.len);
    memory_set_index(set, record, samples, count);
    set->info.counts.records++;
    set->info.counts.sampled += count > 0;
    set->info.counts.samples += count;
    set->info.counts.next_sample += count ? count : 1;
    free(samples);
    free(places);
}

/* Content that the set does not have yet. */
static inline void memory_set_add(struct memory_set *set, const struct known *known)
{
    struct memory_file *file;

    ck_assert_int_eq(array_reserve(&set->files, &set->file_room, (size_t)set->info.counts.files + 1), 0);
    file = &set->files[set->info.counts.files++];
    *file = (struct memory_file){.file = {.id = set->info.counts.files,
                                          .digests = known->digests,
                                          .has_size = known->has_size,
                                          .size = known->size,
                                          .has_record = known->has_record,
                                          .source = 1}};
    set->info.counts.bytes += known->has_size ? known->size : 0;
    set->info.counts.without_sha1 += !(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    if (!known->has_record)
        return;
    memory_set_add_record(set, &file->record, known);
    file->file.first = file->record.place.first;
}

/* No more will be added. */
static inline void memory_set_finish(struct memory_set *set)
{
    uint64_t keys = 0;

    if (set->posting_count)
        qsort(set->postings, set->posting_count, sizeof *set->postings, memory_set_compare);
    for (size_t i = 0; i < set->posting_count; i++)
        keys += i == 0 || set->postings[i].key != set->postings[i - 1].key;
    set->filter = bloom_new(bloom_blocks_for(keys));
    ck_assert_ptr_nonnull(set->filter);
    for (size_t i = 0; i < set->posting_count; i++)
        bloom_add(set->filter, &set->postings[i].key, 1);
}

static inline void memory_set_release(struct memory_set *set)
{
    for (size_t i = 0; i < set->info.counts.files; i++)
        set_record_release(&set->files[i].record);
    free(set->files);
    free(set->postings);
    bloom_free(set->filter);
    *set = (struct memory_set){0};
}

/* ---- queries ---- */

static inline const struct refset_info *memory_set_info(const struct set *base)
{
    return &((const struct memory_set *)base)->info;
}

static inline const char *memory_set_name(const struct set *base)
{
    (void)base;
    return "a set in memory";
}

/* How many samples have the key; they are those from *first on. */
static inline size_t memory_set_postings(const struct memory_set *set, uint64_t key, size_t *first)
{
    *first = SEARCH_FIRST(i, 0, set->posting_count, set->postings[i].key >= key);
    return SEARCH_FIRST(i, *first, set->posting_count, set->postings[i].key > key) - *first;
}

/* The keys that a filter lets through by chance count as noise in E; those of an SQLite set are the same. */
static inline size_t memory_set_probe(const struct set *base, const uint64_t *keys, size_t count,
                                      uint32_t *passed)
{
    return bloom_probe(((const struct memory_set *)base)->filter, keys, count, passed);
}

static inline uint64_t memory_set_hash(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static inline int memory_set_by_hash(const void *a, const void *b)
{
    const uint64_t x = memory_set_hash(*(const uint64_t *)a), y = memory_set_hash(*(const uint64_t *)b);

    return (x > y) - (x < y);
}

static inline int memory_set_by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Of a common sample the first eight are kept, and of the others the eight with the smallest hashes. */
static inline size_t memory_set_keep(uint64_t *samples, size_t count, uint32_t common)
{
    const size_t most = common < 16 ? common : 16, first = (most + 1) / 2;

    if (count <= common)
        return count;
    qsort(samples + first, count - first, sizeof *samples, memory_set_by_hash);
    qsort(samples, most, sizeof *samples, memory_set_by_number);
    return most;
}

static inline int memory_set_hits(struct set *base, const uint64_t *keys, size_t count, struct set_hits *hits,
                                  struct error *err)
{
    const struct memory_set *set = (const struct memory_set *)base;

    for (size_t query = 0; query < count; query++) {
        size_t first, found = memory_set_postings(set, keys[query], &first), kept;
        uint64_t *samples = calloc(found + 1, sizeof *samples);

        ck_assert_ptr_nonnull(samples);
        for (size_t i = 0; i < found; i++)
            samples[i] = set->postings[first + i].sample;
        kept = memory_set_keep(samples, found, set->info.params.common);
        for (size_t i = 0; i < kept; i++)
            if (set_hits_add(hits, (struct set_hit){(uint32_t)query, (uint32_t)found, samples[i]}, err))
                return -1;
        free(samples);
    }
    return 0;
}

static inline int memory_set_bounds(struct set *base, uint64_t sample, uint64_t *first, uint64_t *end,
                                    struct error *err)
{
    const struct memory_set *set = (const struct memory_set *)base;
    int found = 0;

    (void)err;
    *end = UINT64_MAX;
    for (size_t i = 0; i < set->info.counts.files; i++) {
        const struct set_file *file = &set->files[i].file;

        if (!file->has_record)
            continue;
        if (file->first > sample) {
            *end = file->first;
            break;
        }
        *first = file->first;
        found = 1;
    }
    return found;
}

static inline int memory_set_record(struct set *base, uint64_t first, const struct set_record **record,
                                    struct error *err)
{
    const struct memory_set *set = (const struct memory_set *)base;

    (void)err;
    for (size_t i = 0; i < set->info.counts.files; i++)
        if (set->files[i].file.has_record && set->files[i].file.first == first) {
            *record = &set->files[i].record;
            return 1;
        }
    return 0;
}

static inline bool memory_set_is(const struct digest_values *a, const struct digest_values *b)
{
    const unsigned both = a->kinds & b->kinds;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((both & DIGEST_BIT(kind)) &&
            memcmp(a->bytes[kind], b->bytes[kind], digest_len((enum digest_kind)kind)) != 0)
            return false;
    return both;
}

static inline int memory_set_find(struct set *base, const struct digest_values *digests, uint64_t *file,
                                  struct error *err)
{
    const struct memory_set *set = (const struct memory_set *)base;

    (void)err;
    *file = 0;
    for (size_t i = 0; i < set->info.counts.files && !*file; i++)
        if (memory_set_is(&set->files[i].file.digests, digests))
            *file = i + 1;
    return 0;
}

static inline int memory_set_file(struct set *base, uint64_t id, struct set_file *file, struct error *err)
{
    const struct memory_set *set = (const struct memory_set *)base;

    (void)err;
    if (id == 0 || id > set->info.counts.files)
        return 0;
    *file = set->files[id - 1].file; /* it has no name that would have to be copied */
    return 1;
}

/* Begins an empty set, to be filled; the caller releases it. */
static inline void memory_set_begin(struct memory_set *set, const struct refset_params *params)
{
    static const struct set_operations operations = {.info = memory_set_info,
                                                     .name = memory_set_name,
                                                     .probe = memory_set_probe,
                                                     .hits = memory_set_hits,
                                                     .bounds = memory_set_bounds,
                                                     .record = memory_set_record,
                                                     .find = memory_set_find,
                                                     .file = memory_set_file};

    *set =
        (struct memory_set){.base.does = &operations, .info = {.params = *params, .counts.next_sample = 1}};
}

#endif
