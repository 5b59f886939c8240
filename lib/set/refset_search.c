/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/keep.h"
#include "set/refset_search_inner.h"

enum { BATCH = 1024 }; /* keys that pass the filters together */

/* ---- making it ---- */

static bool wanted(enum refset_index index, unsigned what)
{
    if (index == REFSET_FEATURE)
        return what & REFSET_SEARCH_FEATURES;
    return index != REFSET_COMMON && (what & REFSET_SEARCH_DIGESTS);
}

/* Returns the number of the filter that a segment already has, or -1. */
static int known_filter(const struct search_view *view, const struct refset_segment *segment)
{
    for (size_t i = 0; i < view->segment_count; i++)
        if (view->segments[i].id == segment->id && view->segments[i].generation == segment->generation)
            return view->filter_of[i];
    return -1;
}

/*
 * Returns the number of a filter for the segment, or -1 on error.  Segments come from large to small.  Small
 * ones are added to the first filter as long as they do not crowd it, so most sets are probed only once.
 */
static int take_filter(struct refset_search *search, const struct refset_segment *segment, struct error *err)
{
    struct search_view *view = &search->views[segment->index];
    struct bloom *bloom;
    bool rebuilt;

    if (view->filter_count && segment->keys <= view->spare) {
        view->spare -= segment->keys;
        return refset_index_add_keys(search->set, segment, view->filters[0], err) ? -1 : 0;
    }
    if (view->filter_count == SEARCH_MOST_FILTERS)
        return refset_broken(search->set, err, "too many segments in an index");
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
    struct search_view before[REFSET_INDEXES];

    memcpy(before, search->views, sizeof before);
    for (int index = 0; index < REFSET_INDEXES; index++)
        search->views[index].segment_count = 0;
    for (size_t i = 0; i < segments->count; i++) {
        const struct refset_segment *segment = &segments->list[i];
        struct search_view *view = &search->views[segment->index];
        int filter;

        if (!wanted(segment->index, search->what))
            continue;
        if (view->segment_count == SEARCH_MOST_FILTERS)
            return refset_broken(search->set, err, "too many segments in an index");
        filter = known_filter(&before[segment->index], segment);
        if (filter < 0 && (filter = take_filter(search, segment, err)) < 0)
            return -1;
        view->filter_of[view->segment_count] = (uint8_t)filter;
        view->segments[view->segment_count++] = *segment;
    }
    return 0;
}

static void forget_filters(struct search_view *view)
{
    for (size_t i = 0; i < view->filter_count; i++)
        bloom_free(view->filters[i]);
    view->filter_count = view->segment_count = 0;
}

/* Filters of merged segments are still correct, if too full; they are dropped when there are many. */
int refset_search_refresh(struct refset_search *search, struct error *err)
{
    struct refset_segments segments = {0};
    int result = refset_segments_read(search->set, &segments, NULL, err);

    refset_blocks_forget(search->blocks);
    for (int index = 0; index < REFSET_INDEXES; index++)
        if (search->views[index].filter_count > SEARCH_MOST_FILTERS / 4)
            forget_filters(&search->views[index]);
    if (!result)
        result = take_segments(search, &segments, err);
    refset_segments_release(&segments);
    return result;
}

/* bytes: size of the block cache */
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
    if (refset_has_members(search->set)) {
        search->members = database_prepare(
            database, "SELECT file FROM member WHERE parent = ?1 AND file > ?2 ORDER BY file", err);
        search->parents = database_prepare(
            database, "SELECT parent FROM member WHERE file = ?1 AND parent > ?2 ORDER BY parent", err);
        if (!search->members || !search->parents)
            return -1;
    }
    return search->blocks && search->file && search->record && search->firsts ? 0 : -1;
}

struct refset_search *refset_search_new(struct refset *set, unsigned what, struct error *err)
{
    struct refset_search *search = memory_new(sizeof *search, err);

    if (!search)
        return NULL;
    search->set = set;
    search->what = what;
    if (prepare(search, 0, err) == 0 && refset_search_refresh(search, err) == 0)
        return search;
    refset_search_free(search);
    return NULL;
}

struct refset_search *refset_search_share(const struct refset_search *search, struct refset *set,
                                          size_t bytes, struct error *err)
{
    const struct refset_info *ours = refset_info(search->set), *its = refset_info(set);
    struct refset_search *other = memory_new(sizeof *other, err);

    if (!other)
        return NULL;
    other->set = set;
    other->what = search->what;
    other->shares = true;
    memcpy(other->views, search->views, sizeof other->views);
    if (memcmp(ours->uuid, its->uuid, sizeof ours->uuid) != 0 || ours->generation != its->generation)
        error_set(err, "%s: the set was changed while being opened", refset_path(set));
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
    statement_free(search->members);
    statement_free(search->parents);
    free(search->places);
    free(search);
}

/* ---- keys ---- */

/* Determines which filters pass each key, a bit each. */
static void probe_each(const struct search_view *view, const uint64_t *keys, size_t count, uint64_t *filters)
{
    uint32_t passed[BATCH];

    memset(filters, 0, count * sizeof *filters);
    for (size_t i = 0; i < view->filter_count; i++) {
        const size_t found = bloom_probe(view->filters[i], keys, count, passed);

        for (size_t k = 0; k < found; k++)
            filters[passed[k]] |= (uint64_t)1 << i;
    }
}

/* Lists the indexes of the keys that any filter passes. */
static size_t probe_batch(const struct search_view *view, const uint64_t *keys, size_t count,
                          uint32_t *passed)
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

size_t refset_search_filter(const struct refset_search *search, enum refset_index index, const uint64_t *keys,
                            size_t count, uint32_t *passed)
{
    const struct search_view *view = &search->views[index];
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
    return refset_search_filter(search, REFSET_FEATURE, keys, count, passed);
}

/* Notes the mark that ends these values, if any.  Returns the number of the others. */
static int take_mark(struct refset_search *search, const uint64_t *values, int count)
{
    if (count == 0 || !keyblock_is_mark(values[count - 1]))
        return count;
    search->marked = true;
    search->more += keyblock_marked(values[count - 1]);
    return count - 1;
}

/* Collects the values from all segments whose filters pass the key, in search->values.  Returns their number,
 * or -1 on error. */
static int find(struct refset_search *search, enum refset_index index, uint64_t key, uint64_t filters,
                struct error *err)
{
    const struct search_view *view = &search->views[index];
    int total = 0;

    search->marked = false;
    search->more = 0;
    for (size_t i = 0; i < view->segment_count; i++) {
        int found;

        if (!(filters >> view->filter_of[i] & 1))
            continue;
        found = refset_blocks_find(search->blocks, &view->segments[i], key, search->values + total, err);
        if (found < 0)
            return -1;
        total += take_mark(search, search->values + total, found);
    }
    return total;
}

int refset_search_values(struct refset_search *search, enum refset_index index, uint64_t key,
                         struct error *err)
{
    uint64_t filters;

    probe_each(&search->views[index], &key, 1, &filters);
    return filters ? find(search, index, key, filters, err) : 0;
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

/* The number of files that have the key, of which these are some or all. */
static uint32_t count_files(const struct refset_search *search, size_t count)
{
    const uint64_t files = count + search->more, common = search->set->info.params.common;

    if (search->marked && files <= common) /* marked by a program that did not count */
        return (uint32_t)common + 1;
    return files < UINT32_MAX ? (uint32_t)files : UINT32_MAX;
}

/* Keeps what would be kept of these values if they came from one segment; returns how many. */
static size_t keep_some(uint64_t *values, size_t count, uint32_t common)
{
    struct keep keep;
    size_t kept = 0;

    keep_begin(&keep, common);
    for (size_t i = 0; i < count; i++)
        keep_add(&keep, i, values[i]);
    for (size_t i = 0; i < count; i++)
        if (keep_has(&keep, i, values[i]))
            values[kept++] = values[i];
    return kept;
}

static int add_hits(struct refset_search *search, uint32_t query, size_t count, struct set_hits *hits,
                    struct error *err)
{
    const struct refset_params *params = &search->set->info.params;
    const uint32_t files = count_files(search, count);
    uint64_t *values = search->values;

    if (!is_sorted(values, count)) /* they come from several segments */
        qsort(values, count, sizeof *values, by_size);
    if (files > params->common)
        count = keep_some(values, count, params->common);
    if (count == 0 && search->marked)
        return set_hits_add(hits, (struct set_hit){.query = query}, err);
    for (size_t i = 0; i < count; i++)
        if (set_hits_add(hits, (struct set_hit){query, files, values[i]}, err))
            return -1;
    return 0;
}

int refset_search_features(struct refset_search *search, const uint64_t *keys, size_t count,
                           struct set_hits *hits, struct error *err)
{
    const struct search_view *view = &search->views[REFSET_FEATURE];
    uint64_t filters[BATCH];

    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        probe_each(view, keys + done, piece, filters);
        for (size_t i = 0; i < piece; i++) {
            int found;

            if (!filters[i])
                continue;
            found = find(search, REFSET_FEATURE, keys[done + i], filters[i], err);
            if (found < 0 || add_hits(search, (uint32_t)(done + i), (size_t)found, hits, err))
                return -1;
        }
    }
    return 0;
}
