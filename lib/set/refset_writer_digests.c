/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "set/refset_writer_inner.h"

enum { MOST_TWINS = 8 }; /* pending contents with the same digest of a kind that are distinguished */

/* ---- pending entries ---- */

int refset_writer_add_entry(struct refset_writer *writer, enum refset_index index, uint64_t key,
                            uint64_t value, struct error *err)
{
    struct pending *pending = &writer->pending[index];

    if (array_reserve(&pending->list, &pending->room, pending->count + 1))
        return refset_writer_out_of_memory(writer, err);
    pending->list[pending->count++] = (struct keyblock_entry){key, value};
    return 0;
}

static size_t slot_of(const struct table *table, uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15u >> 16) & (table->len - 1);
}

/* If a key has very many contents (a digest that means "none" in some list), the first ones suffice. */
static void put_slot(struct table *table, const struct pending *pending, size_t number)
{
    const uint64_t key = pending->list[number - 1].key;
    size_t slot = slot_of(table, key);
    int twins = 0;

    for (; table->slots[slot]; slot = (slot + 1) & (table->len - 1)) {
        twins += pending->list[table->slots[slot] - 1].key == key;
        if (twins == MOST_TWINS)
            return;
    }
    table->slots[slot] = (uint32_t)number;
}

static int grow_table(struct refset_writer *writer, struct table *table, const struct pending *pending,
                      struct error *err)
{
    size_t len = 4096;
    uint32_t *slots;

    while (len < 4 * pending->count)
        len *= 2;
    slots = calloc(len, sizeof *slots);
    if (!slots)
        return refset_writer_out_of_memory(writer, err);
    free(table->slots);
    *table = (struct table){slots, len};
    for (size_t i = 0; i < pending->count; i++)
        put_slot(table, pending, i + 1);
    return 0;
}

static int add_digest(struct refset_writer *writer, int kind, const uint8_t *digest, uint64_t file,
                      struct error *err)
{
    const enum refset_index index = (enum refset_index)(REFSET_SHA1 + kind);
    struct pending *pending = &writer->pending[index];
    struct table *table = &writer->tables[kind];
    const uint64_t key = refset_digest_key(writer->set, (enum digest_kind)kind, digest);

    if (refset_writer_add_entry(writer, index, key, file, err))
        return -1;
    if (table->len && 2 * pending->count > table->len)
        return grow_table(writer, table, pending, err);
    if (table->len)
        put_slot(table, pending, pending->count);
    return 0;
}

int refset_writer_add_digests(struct refset_writer *writer, const struct digest_values *digests,
                              unsigned kinds, uint64_t file, struct error *err)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((kinds & DIGEST_BIT(kind)) && add_digest(writer, kind, digests->bytes[kind], file, err))
            return -1;
    return 0;
}

void refset_writer_forget_tables(struct refset_writer *writer)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        free(writer->tables[kind].slots);
        writer->tables[kind] = (struct table){0};
    }
}

/* ---- files that are there already ---- */

/* Reads the file into *file.  Returns 1 if it has these digests, where both have the kind, 0 if not, -1 on
 * error. */
static int is_file(struct refset_writer *writer, uint64_t id, const struct digest_values *digests,
                   struct set_file *file, struct error *err)
{
    const int found = refset_search_file(writer->search, id, file, err);
    const unsigned both = found > 0 ? file->digests.kinds & digests->kinds : 0;

    if (!both)
        return found < 0 ? -1 : 0;
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((both & DIGEST_BIT(kind)) &&
            memcmp(file->digests.bytes[kind], digests->bytes[kind], digest_len((enum digest_kind)kind)) != 0)
            return 0;
    return 1;
}

static int find_pending(struct refset_writer *writer, int kind, const struct digest_values *digests,
                        uint64_t except, struct set_file *file, struct error *err)
{
    const struct pending *pending = &writer->pending[REFSET_SHA1 + kind];
    struct table *table = &writer->tables[kind];
    const uint64_t key = refset_digest_key(writer->set, (enum digest_kind)kind, digests->bytes[kind]);

    if (pending->count == 0)
        return 0;
    if (!table->len && grow_table(writer, table, pending, err))
        return -1;
    for (size_t slot = slot_of(table, key); table->slots[slot]; slot = (slot + 1) & (table->len - 1)) {
        const struct keyblock_entry *entry = &pending->list[table->slots[slot] - 1];
        const bool may_be = entry->key == key && entry->value != except;
        const int found = may_be ? is_file(writer, entry->value, digests, file, err) : 0;

        if (found)
            return found;
    }
    return 0;
}

int refset_writer_find(struct refset_writer *writer, const struct digest_values *digests, uint64_t except,
                       struct set_file *file, struct error *err)
{
    const bool sha1_suffices =
        (digests->kinds & DIGEST_BIT(DIGEST_SHA1)) && writer->set->info.counts.without_sha1 == 0;
    struct digest_values wanted = *digests;
    uint64_t id = 0;

    if (sha1_suffices)
        wanted.kinds = DIGEST_BIT(DIGEST_SHA1);
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        const int found =
            wanted.kinds & DIGEST_BIT(kind) ? find_pending(writer, kind, digests, except, file, err) : 0;

        if (found)
            return found;
    }
    if (refset_search_digests(writer->search, &wanted, except, &id, err))
        return -1;
    return id ? is_file(writer, id, digests, file, err) : 0;
}
