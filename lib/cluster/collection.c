/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/collection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "cluster/collection_inner.h"
#include "set/known.h"

void collection_release(struct collection *collection)
{
    for (size_t i = 0; i < collection->content_count; i++) {
        free(collection->contents[i].samples);
        free(collection->contents[i].keys);
        if (collection->contents[i].sketch)
            sketch_release(collection->contents[i].sketch);
        free(collection->contents[i].sketch);
    }
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

static int add_content(struct collection *collection, struct error *err)
{
    if (collection->content_count >= UINT32_MAX - 1)
        return error_set(err, "too many files");
    if (array_reserve(&collection->contents, &collection->content_room, collection->content_count + 1))
        return error_set(err, "out of memory for %zu files", collection->content_count);
    collection->contents[collection->content_count++] =
        (struct collection_content){.document = (uint32_t)collection->document_count};
    return 0;
}

int collection_enter(struct collection *collection, const struct collection_document *entry, const char *name,
                     struct collection_content **fresh, struct error *err)
{
    struct collection_document *document;
    uint32_t *slot;

    *fresh = NULL;
    if (collection->document_count >= UINT32_MAX - 1)
        return error_set(err, "too many files");
    if (array_reserve(&collection->documents, &collection->document_room, collection->document_count + 1))
        return error_set(err, "out of memory for %zu files", collection->document_count);
    document = &collection->documents[collection->document_count];
    *document = *entry;
    document->name = collection->names.len;
    buffer_add(&collection->names, name, strlen(name) + 1);
    if (collection->names.failed)
        return error_set(err, "out of memory for names of files");
    if (grow_slots(collection, err))
        return -1;
    slot = find_slot(collection, document->sha1, document->size);
    if (!*slot) {
        if (add_content(collection, err))
            return -1;
        *slot = (uint32_t)collection->content_count;
        *fresh = &collection->contents[collection->content_count - 1];
    }
    document->content = *slot - 1;
    collection->contents[document->content].copies++;
    collection->document_count++;
    return 0;
}

/* ---- records ---- */

static int check(const struct collection *collection, const struct record *record, struct error *err)
{
    if (record->params.scheme != SAMPLER_GF8 || record->params.c == SAMPLER_AUTO ||
        !(record->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return error_set(err, "only records of scheme gf8 with a SHA-1 can be clustered");
    if (collection->n && collection->n != record->params.n)
        return error_set(err, "cannot compare files sampled with windows of %u bytes and of %u",
                         collection->n, record->params.n);
    return 0;
}

/* Sets keep only some bits of a fingerprint: files must match what a set has of them. */
static uint64_t kept_bits(uint64_t fp)
{
    return (known_key(fp) << KNOWN_KEY_SHIFT) | (fp & (KNOWN_SYMBOLS - 1));
}

static int fill(struct collection_content *content, const struct record *record, struct error *err)
{
    if (record->count && array_resize(&content->samples, record->count))
        return error_set(err, "out of memory for %zu samples of a file", record->count);
    content->c = record->params.c;
    content->coincidence = record->coincidence;
    content->count = record->count;
    for (size_t i = 0; i < record->count; i++)
        content->samples[i] = (struct sample){record->samples[i].pos, kept_bits(record->samples[i].fp)};
    return 0;
}

int collection_add(struct collection *collection, const struct record *record, const char *name,
                   struct collection_origin origin, struct error *err)
{
    struct collection_document document = {.size = record->len, .origin = origin};
    struct collection_content *fresh;

    if (check(collection, record, err))
        return -1;
    collection->n = record->params.n;
    memcpy(document.sha1, record->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    if (collection_enter(collection, &document, name, &fresh, err))
        return -1;
    return fresh ? fill(fresh, record, err) : 0;
}

/* ---- reading ---- */

const char *collection_name(const struct collection *collection, const struct collection_document *document)
{
    return collection->names.data + document->name;
}

uint32_t collection_find(const struct collection *collection, const uint8_t *sha1, uint64_t size)
{
    return collection->slot_count ? *find_slot(collection, sha1, size) - 1 : UINT32_MAX;
}

const struct collection_document *collection_first(const struct collection *collection, uint32_t content)
{
    return &collection->documents[collection->contents[content].document];
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
