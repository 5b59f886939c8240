/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"

enum {
    SLOTS = 1 << 16,         /* for records, each of which may be in one of two */
    SHELVES_LEAST = 1 << 9,  /* for lists of first samples: at least this many, */
    SHELVES_MOST = 1 << 15,  /* at most this many, as memory allows */
    BYTES_PER_SHELF = 768,   /* what a shelf usually takes */
    SHELF_BITS = 12,         /* log2 of the samples that a shelf covers */
    MOST_ON_SHELF = 1 << 12, /* most first samples on a shelf */
};

struct slot {
    uint64_t first; /* 0 and no record: empty */
    struct set_record *record;
    size_t bytes;
    uint64_t used; /* value of `now` at its last use */
};

/* The first samples of the records that begin within a range of samples, and the first one after it. */
struct shelf {
    uint64_t number; /* number of the shelf, from 1; 0: empty */
    uint64_t *firsts;
    size_t count;
};

struct refset_cache {
    struct set base; /* first, so that it can be cast */
    struct refset_search *search;
    struct slot *slots;
    struct shelf *shelves;
    size_t shelf_count;
    uint64_t *firsts; /* for the shelf being filled */
    size_t bytes, most_bytes;
    uint64_t now;
};

static const struct set_operations operations;

static struct refset_cache *cache_of(struct set *set)
{
    return (struct refset_cache *)set;
}

struct set *refset_cache_set(struct refset_cache *cache)
{
    return &cache->base;
}

static size_t choose_shelves(size_t bytes)
{
    size_t count = SHELVES_LEAST;

    while (count < SHELVES_MOST && 2 * count * BYTES_PER_SHELF <= bytes)
        count *= 2;
    return count;
}

struct refset_cache *refset_cache_new(struct refset_search *search, size_t bytes, struct error *err)
{
    struct refset_cache *cache = calloc(1, sizeof *cache);

    if (cache) {
        cache->base.does = &operations;
        cache->search = search;
        cache->most_bytes = bytes;
        cache->slots = calloc(SLOTS, sizeof *cache->slots);
        cache->shelf_count = choose_shelves(bytes);
        cache->shelves = calloc(cache->shelf_count, sizeof *cache->shelves);
        cache->firsts = malloc((MOST_ON_SHELF + 2) * sizeof *cache->firsts);
    }
    if (cache && cache->slots && cache->shelves && cache->firsts)
        return cache;
    error_set(err, "out of memory");
    refset_cache_free(cache);
    return NULL;
}

static void empty_slot(struct refset_cache *cache, struct slot *slot)
{
    if (!slot->record)
        return;
    set_record_release(slot->record);
    free(slot->record);
    cache->bytes -= slot->bytes;
    *slot = (struct slot){0};
}

void refset_cache_free(struct refset_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; cache->slots && i < SLOTS; i++)
        empty_slot(cache, &cache->slots[i]);
    for (size_t i = 0; cache->shelves && i < cache->shelf_count; i++)
        free(cache->shelves[i].firsts);
    free(cache->slots);
    free(cache->shelves);
    free(cache->firsts);
    free(cache);
}

static uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15;
    return x ^ x >> 32;
}

/* ---- bounds ---- */

static struct shelf *fill_shelf(struct refset_cache *cache, uint64_t number, struct error *err)
{
    struct shelf *shelf = &cache->shelves[number % cache->shelf_count];
    const uint64_t from = (number - 1) << SHELF_BITS;
    size_t count;

    if (shelf->number == number)
        return shelf;
    if (refset_search_firsts(cache->search, from, from + ((uint64_t)1 << SHELF_BITS), cache->firsts,
                             MOST_ON_SHELF + 2, &count, err))
        return NULL;
    if (array_resize(&shelf->firsts, count)) {
        error_set(err, "out of memory");
        return NULL;
    }
    memcpy(shelf->firsts, cache->firsts, count * sizeof *shelf->firsts);
    shelf->number = number;
    shelf->count = count;
    return shelf;
}

static int cache_bounds(struct set *set, uint64_t sample, uint64_t *first, uint64_t *end, struct error *err)
{
    const struct shelf *shelf = fill_shelf(cache_of(set), (sample >> SHELF_BITS) + 1, err);
    size_t next;

    if (!shelf)
        return -1;
    next = SEARCH_FIRST(i, 0, shelf->count, shelf->firsts[i] > sample);
    if (next == 0)
        return 0;
    *first = shelf->firsts[next - 1];
    *end = next < shelf->count ? shelf->firsts[next] : UINT64_MAX;
    return 1;
}

/* ---- records ---- */

static size_t bytes_of(const struct set_record *record)
{
    return sizeof *record + places_memory(&record->places) + record->blocks.len +
           record->repeat_count * sizeof *record->repeats;
}

/* Evicts the least recently used half, so that this is rare. */
static void make_room(struct refset_cache *cache)
{
    uint64_t oldest = cache->now, newest = cache->now;

    for (size_t i = 0; i < SLOTS; i++)
        if (cache->slots[i].record && cache->slots[i].used < oldest)
            oldest = cache->slots[i].used;
    while (cache->bytes > cache->most_bytes / 2 && oldest < newest) {
        oldest += (newest - oldest + 1) / 2;
        for (size_t i = 0; i < SLOTS; i++)
            if (cache->slots[i].record && cache->slots[i].used < oldest)
                empty_slot(cache, &cache->slots[i]);
    }
}

static int load(struct refset_cache *cache, struct slot *slot, uint64_t first, struct error *err)
{
    struct set_record *record = memory_new(sizeof *record, err);
    int result;

    if (!record)
        return -1;
    result = refset_search_record(cache->search, first, record, err);
    if (result > 0 && record->place.first != first)
        result = 0; /* the sample lies inside a record */
    if (result <= 0) {
        set_record_release(record);
        free(record);
        return result;
    }
    *slot = (struct slot){.first = first, .record = record, .bytes = bytes_of(record)};
    cache->bytes += slot->bytes;
    return 1;
}

/* Returns the slot of the record; if it is not cached, the one of its two slots that is empty or was used
 * less recently. */
static struct slot *slot_of(const struct refset_cache *cache, uint64_t first)
{
    struct slot *one = &cache->slots[mix(first) % SLOTS], *other = &cache->slots[mix(first) % SLOTS ^ 1];

    if (one->record && one->first == first)
        return one;
    if (other->record && other->first == first)
        return other;
    return one->used <= other->used ? one : other; /* an empty slot was never used */
}

static int cache_record(struct set *set, uint64_t first, const struct set_record **record, struct error *err)
{
    struct refset_cache *cache = cache_of(set);
    struct slot *slot = slot_of(cache, first);

    if (!slot->record || slot->first != first) {
        int result;

        empty_slot(cache, slot);
        if (cache->bytes > cache->most_bytes)
            make_room(cache);
        result = load(cache, slot, first, err);
        if (result <= 0)
            return result;
    }
    slot->used = ++cache->now;
    *record = slot->record;
    return 1;
}

/* ---- uncached operations ---- */

static const struct refset_info *cache_info(const struct set *set)
{
    return refset_search_info(((const struct refset_cache *)set)->search);
}

static const char *cache_name(const struct set *set)
{
    return refset_search_path(((const struct refset_cache *)set)->search);
}

static size_t cache_probe(const struct set *set, const uint64_t *keys, size_t count, uint32_t *passed)
{
    return refset_search_probe(((const struct refset_cache *)set)->search, keys, count, passed);
}

static int cache_hits(struct set *set, const uint64_t *keys, size_t count, struct set_hits *hits,
                      struct error *err)
{
    return refset_search_features(cache_of(set)->search, keys, count, hits, err);
}

static int cache_find(struct set *set, const struct digest_values *digests, uint64_t *file, struct error *err)
{
    return refset_search_digests(cache_of(set)->search, digests, 0, file, err);
}

static int cache_file(struct set *set, uint64_t id, struct set_file *file, struct error *err)
{
    return refset_search_file(cache_of(set)->search, id, file, err);
}

static const struct set_operations operations = {.info = cache_info,
                                                 .name = cache_name,
                                                 .probe = cache_probe,
                                                 .hits = cache_hits,
                                                 .bounds = cache_bounds,
                                                 .record = cache_record,
                                                 .find = cache_find,
                                                 .file = cache_file};
