/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/postings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"

/* A fingerprint of a document, while the index is built. */
struct entry {
    uint64_t key; /* mixed, so that any of its bits divide the fingerprints evenly */
    uint32_t document;
};

enum {
    PORTION = 1 << 23, /* entries to be sorted at once, on average */
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
};

struct builder {
    struct postings *postings;
    const struct postings_source *source;
    struct entry *entries, *sorted;
    size_t count, room, sorted_room;
    size_t starts_room, members_room;
};

/* A bijection (the finalizer of MurmurHash3), so equal keys are equal fingerprints. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static bool is_stopped(const struct builder *builder)
{
    return builder->source->stop && atomic_load_explicit(builder->source->stop, memory_order_relaxed);
}

/* ---- one portion ---- */

static int add_document(struct builder *builder, uint32_t document, unsigned bits, uint64_t portion,
                        struct error *err)
{
    const struct postings_list list = builder->source->list(builder->source->arg, document);
    const char *at = list.first;

    if (list.count > UINT32_MAX)
        return error_set(err, "document %u has too many fingerprints: %zu", document, list.count);
    if (array_reserve(&builder->entries, &builder->room, builder->count + list.count))
        return error_set(err, "out of memory for an index of %zu documents", builder->source->documents);
    for (size_t i = 0; i < list.count; i++, at += list.stride) {
        uint64_t key;

        memcpy(&key, at, sizeof key);
        key = mix(key);
        if (bits == 0 || key >> (64 - bits) == portion)
            builder->entries[builder->count++] = (struct entry){key, document};
    }
    return 0;
}

/* One pass of a radix sort, stable. */
static void sort_by_digit(const struct entry *from, struct entry *to, size_t count, unsigned shift)
{
    size_t starts[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t here = starts[digit];

        starts[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Entries come in the order of documents and keep it among equal keys.  Returns -1 if out of memory. */
static int sort_entries(struct builder *builder)
{
    if (array_reserve(&builder->sorted, &builder->sorted_room, builder->count))
        return -1;
    for (unsigned shift = 0; shift < 64 && builder->count > 1; shift += DIGIT_BITS) {
        struct entry *from = builder->entries;
        const size_t room = builder->room;

        sort_by_digit(from, builder->sorted, builder->count, shift);
        builder->entries = builder->sorted;
        builder->room = builder->sorted_room;
        builder->sorted = from;
        builder->sorted_room = room;
    }
    return 0;
}

/* Takes the documents of one fingerprint, which are the first `count` of the sorted entries from here. */
static int take_group(struct builder *builder, const struct entry *entries, size_t count, struct error *err)
{
    struct postings *p = builder->postings;

    for (size_t i = 0; i < count; i++)
        p->distinct[entries[i].document]++;
    if (count == 1)
        return 0;
    for (size_t i = 0; i < count && count > p->most; i++)
        p->widespread[entries[i].document]++;
    p->common += count > p->most;
    if (p->group_count >= UINT32_MAX)
        return error_set(err, "too many fingerprints");
    if (array_reserve(&p->starts, &builder->starts_room, p->group_count + 2) ||
        array_reserve(&p->members, &builder->members_room, p->memberships + count))
        return error_set(err, "out of memory for an index of %zu documents", p->documents);
    p->starts[p->group_count++] = p->memberships;
    for (size_t i = 0; i < count; i++)
        p->members[p->memberships++] = entries[i].document;
    return 0;
}

static int take_groups(struct builder *builder, struct error *err)
{
    struct entry *entries = builder->entries;

    for (size_t at = 0; at < builder->count;) {
        const size_t first = at;
        size_t count = 0;

        /* drops the repetitions of a fingerprint in one document */
        for (; at < builder->count && entries[at].key == entries[first].key; at++)
            if (count == 0 || entries[at].document != entries[first + count - 1].document)
                entries[first + count++] = entries[at];
        if (take_group(builder, entries + first, count, err))
            return -1;
    }
    return 0;
}

static int take_portion(struct builder *builder, unsigned bits, uint64_t portion, struct error *err)
{
    builder->count = 0;
    for (size_t i = 0; i < builder->source->documents; i++) {
        if (is_stopped(builder))
            return 1;
        if (add_document(builder, (uint32_t)i, bits, portion, err))
            return -1;
    }
    if (sort_entries(builder))
        return error_set(err, "out of memory to sort %zu fingerprints", builder->count);
    return take_groups(builder, err);
}

/* ---- all of it ---- */

/* The index from documents to groups follows from the one from groups to documents. */
static int turn_round(struct postings *p, struct error *err)
{
    size_t sum = 0, *next;

    p->groups = memory_new((p->memberships + 1) * sizeof *p->groups, err);
    next = p->groups ? memory_new((p->documents + 1) * sizeof *next, err) : NULL;
    if (!next)
        return -1;
    for (size_t i = 0; i < p->memberships; i++)
        p->firsts[p->members[i]]++;
    for (size_t i = 0; i <= p->documents; i++) {
        const size_t here = p->firsts[i];

        p->firsts[i] = next[i] = sum;
        sum += here;
    }
    for (size_t g = 0; g < p->group_count; g++)
        for (size_t i = p->starts[g]; i < p->starts[g + 1]; i++)
            p->groups[next[p->members[i]]++] = (uint32_t)g;
    free(next);
    return 0;
}

static unsigned portion_bits(const struct postings_source *source)
{
    uint64_t total = 0;
    unsigned bits = 0;

    for (size_t i = 0; i < source->documents; i++)
        total += source->list(source->arg, (uint32_t)i).count;
    while (bits < 16 && total >> bits > PORTION)
        bits++;
    return bits;
}

static int build(struct builder *builder, struct error *err)
{
    struct postings *p = builder->postings;
    const unsigned bits = portion_bits(builder->source);
    int result = 0;

    p->firsts = memory_new((p->documents + 1) * sizeof *p->firsts, err);
    p->distinct = p->firsts ? memory_new((p->documents + 1) * sizeof *p->distinct, err) : NULL;
    p->widespread = p->distinct ? memory_new((p->documents + 1) * sizeof *p->widespread, err) : NULL;
    if (!p->widespread)
        return -1;
    for (uint64_t portion = 0; portion < UINT64_C(1) << bits && !result; portion++)
        result = take_portion(builder, bits, portion, err);
    if (result)
        return result;
    if (array_reserve(&p->starts, &builder->starts_room, p->group_count + 1))
        return error_set(err, "out of memory for an index of %zu documents", p->documents);
    p->starts[p->group_count] = p->memberships;
    return 0;
}

int postings_build(struct postings *postings, const struct postings_source *source, uint32_t common,
                   struct error *err)
{
    struct builder builder = {.postings = postings, .source = source};
    int result;

    *postings = (struct postings){.documents = source->documents, .most = common};
    if (source->documents >= UINT32_MAX)
        return error_set(err, "too many documents: %zu", source->documents);
    result = build(&builder, err);
    free(builder.entries);
    free(builder.sorted);
    return result ? result : turn_round(postings, err);
}

void postings_release(struct postings *postings)
{
    free(postings->starts);
    free(postings->firsts);
    free(postings->members);
    free(postings->groups);
    free(postings->distinct);
    free(postings->widespread);
    *postings = (struct postings){0};
}

void postings_overlap(const struct postings *p, uint32_t document, uint32_t from, uint32_t before,
                      struct overlap *overlap)
{
    for (size_t i = p->firsts[document]; i < p->firsts[document + 1]; i++) {
        const size_t start = p->starts[p->groups[i]], all = p->starts[p->groups[i] + 1],
                     end = all - start > p->most && all - start > POSTINGS_HOLDERS ? start + POSTINGS_HOLDERS
                                                                                   : all;
        size_t k = from ? SEARCH_FIRST(m, start, end, p->members[m] >= from) : start;

        for (; k < end && p->members[k] < before; k++)
            overlap_add(overlap, p->members[k]);
    }
}
