/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/collection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "compare/compare.h"
#include "set/known.h"

void collection_release(struct collection *collection)
{
    for (size_t i = 0; i < collection->content_count; i++)
        free(collection->contents[i].samples);
    free(collection->contents);
    free(collection->documents);
    free(collection->slots);
    buffer_release(&collection->names);
    *collection = (struct collection){0};
}

/* ---- equal contents ---- */

static bool has_content(const struct collection *collection, uint32_t content, const uint8_t *sha1,
                        uint64_t size)
{
    const struct collection_document *first = collection_first(collection, content);

    return first->size == size && memcmp(first->sha1, sha1, DIGEST_SHA1_LEN) == 0;
}

/* The slot of the content, or the empty one where it belongs. */
static uint32_t *find_slot(const struct collection *collection, const uint8_t *sha1, uint64_t size)
{
    size_t at = bytes_load64(sha1) & (collection->slot_count - 1);

    while (collection->slots[at] && !has_content(collection, collection->slots[at] - 1, sha1, size))
        at = (at + 1) & (collection->slot_count - 1);
    return &collection->slots[at];
}

/* Keeps at least half of the slots empty. */
static int grow_slots(struct collection *collection, struct error *err)
{
    const size_t count = collection->slot_count ? 2 * collection->slot_count : 1024;
    uint32_t *slots;

    if (2 * collection->content_count < collection->slot_count)
        return 0;
    slots = memory_new(count * sizeof *slots, err);
    if (!slots)
        return -1;
    free(collection->slots);
    collection->slots = slots;
    collection->slot_count = count;
    for (size_t i = 0; i < collection->content_count; i++) {
        const struct collection_document *first = collection_first(collection, (uint32_t)i);

        *find_slot(collection, first->sha1, first->size) = (uint32_t)i + 1;
    }
    return 0;
}

/* ---- adding ---- */

/* Sets keep only some bits of a fingerprint: files must match what a set has of them. */
static uint64_t kept_bits(uint64_t fp)
{
    return (known_key(fp) << KNOWN_KEY_SHIFT) | (fp & (KNOWN_SYMBOLS - 1));
}

static int add_content(struct collection *collection, const struct record *record, struct error *err)
{
    struct collection_content *content;

    if (collection->content_count >= UINT32_MAX - 1)
        return error_set(err, "too many files");
    if (array_reserve(&collection->contents, &collection->content_room, collection->content_count + 1))
        return error_set(err, "out of memory for %zu files", collection->content_count);
    content = &collection->contents[collection->content_count];
    *content = (struct collection_content){.document = (uint32_t)collection->document_count,
                                           .c = record->params.c,
                                           .coincidence = record->coincidence,
                                           .count = record->count};
    if (record->count && array_resize(&content->samples, record->count))
        return error_set(err, "out of memory for %zu samples of a file", record->count);
    for (size_t i = 0; i < record->count; i++)
        content->samples[i] = (struct sample){record->samples[i].pos, kept_bits(record->samples[i].fp)};
    collection->content_count++;
    return 0;
}

static int add_document(struct collection *collection, const struct record *record, const char *name,
                        struct collection_origin origin, struct error *err)
{
    struct collection_document *document;

    if (collection->document_count >= UINT32_MAX - 1)
        return error_set(err, "too many files");
    if (array_reserve(&collection->documents, &collection->document_room, collection->document_count + 1))
        return error_set(err, "out of memory for %zu files", collection->document_count);
    document = &collection->documents[collection->document_count];
    *document =
        (struct collection_document){.size = record->len, .name = collection->names.len, .origin = origin};
    memcpy(document->sha1, record->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    buffer_add(&collection->names, name, strlen(name) + 1);
    return collection->names.failed ? error_set(err, "out of memory for names of files") : 0;
}

static int check(const struct collection *collection, const struct record *record, struct error *err)
{
    if (record->params.scheme != SAMPLER_GF8 || !(record->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return error_set(err, "only records of scheme gf8 with a SHA-1 can be clustered");
    if (collection->n && collection->n != record->params.n)
        return error_set(err, "cannot compare files sampled with windows of %u bytes and of %u",
                         collection->n, record->params.n);
    return 0;
}

int collection_add(struct collection *collection, const struct record *record, const char *name,
                   struct collection_origin origin, struct error *err)
{
    struct collection_document *document;
    uint32_t *slot;

    if (check(collection, record, err) || grow_slots(collection, err) ||
        add_document(collection, record, name, origin, err))
        return -1;
    collection->n = record->params.n;
    document = &collection->documents[collection->document_count];
    slot = find_slot(collection, document->sha1, document->size);
    if (!*slot) {
        if (add_content(collection, record, err))
            return -1;
        *slot = (uint32_t)collection->content_count;
    }
    document->content = *slot - 1;
    collection->contents[document->content].copies++;
    collection->document_count++;
    return 0;
}

/* ---- reading ---- */

const char *collection_name(const struct collection *collection, const struct collection_document *document)
{
    return collection->names.data + document->name;
}

const struct collection_document *collection_first(const struct collection *collection, uint32_t content)
{
    return &collection->documents[collection->contents[content].document];
}

static struct postings_list list_samples(const void *arg, uint32_t document)
{
    const struct collection *collection = arg;
    const struct collection_content *content = &collection->contents[document];

    return (struct postings_list){content->count ? &content->samples[0].fp : NULL, content->count,
                                  sizeof *content->samples};
}

struct postings_source collection_source(const struct collection *collection)
{
    return (struct postings_source){collection->content_count, list_samples, collection};
}

struct record collection_record(const struct collection *collection, uint32_t number)
{
    const struct collection_content *content = &collection->contents[number];

    return (struct record){
        .params = {.scheme = SAMPLER_GF8, .n = collection->n, .c = content->c},
        .len = collection_first(collection, number)->size,
        .coincidence = content->coincidence,
        .samples = content->samples,
        .count = content->count,
    };
}

/* ---- judging ---- */

struct state {
    const struct collection_judge *judge;
    struct comparer *comparer;
};

static void *judge_open(const void *arg, struct error *err)
{
    struct state *state = memory_new(sizeof *state, err);

    if (!state)
        return NULL;
    state->judge = arg;
    state->comparer = compare_new(err);
    if (state->comparer)
        return state;
    free(state);
    return NULL;
}

static void judge_close(void *arg)
{
    struct state *state = arg;

    compare_free(state->comparer);
    free(state);
}

static bool judge_may(const void *arg, uint32_t a, uint32_t b, uint32_t shared)
{
    const struct state *state = arg;
    const struct collection_judge *judge = state->judge;
    const struct postings *p = judge->postings;
    const uint32_t a_c = judge->collection->contents[a].c, b_c = judge->collection->contents[b].c;
    uint32_t rarer = a, denser = b;

    if (!p)
        return true;
    if (b_c > a_c) {
        rarer = b;
        denser = a;
    }
    return likeness_may_meet(&judge->limits, shared,
                             p->left_out[a] < p->left_out[b] ? p->left_out[a] : p->left_out[b],
                             p->distinct[rarer], p->distinct[denser], a_c == b_c);
}

static int judge_compare(void *arg, uint32_t a, uint32_t b, struct likeness *out, struct error *err)
{
    struct state *state = arg;
    const struct collection *collection = state->judge->collection;
    const struct record x = collection_record(collection, a), y = collection_record(collection, b);
    const struct estimate *e;
    struct comparison comparison;

    if (compare_relate(state->comparer, &x, &y, NULL, &comparison, err))
        return -1;
    e = &comparison.estimate;
    *out = (struct likeness){.resemblance = e->resemblance,
                             .a_in_b = e->a_in_b,
                             .b_in_a = e->b_in_a,
                             .has_edits = true,
                             .edits = e->edits,
                             .edits_low = e->edits_low,
                             .edits_high = e->edits_high,
                             .a_matched = e->a_matched,
                             .b_matched = e->b_matched};
    return comparison.verdict <= COMPARE_FRAGMENT && likeness_meets(&state->judge->limits, out, x.len, y.len);
}

struct likeness_judge collection_judge(const struct collection_judge *judge)
{
    return (struct likeness_judge){judge_open, judge_close, judge_may, judge_compare, judge};
}
