/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/mapped.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TABLE_BYTES = 8 << 20, /* of all cached tables */
    MOST_TABLES = 64,
    PIECE = 4096,          /* bytes lost together in an uncompressed block */
    MOST_BLOCKS = 1 << 26, /* looked up, at most, when a damaged map is opened */
    MOST_SLOTS = 16,
    SLOT_BYTES = 64 << 20, /* of all slots together, unless a single block is larger */
};

static const uint64_t NO_BLOCK = UINT64_MAX;

/* ---- tables ---- */

struct mapped_table {
    const struct datafile *file;
    uint64_t offset;
    uint8_t *data;
};

struct mapped_tables {
    size_t table_len, count;
    struct mapped_table table[MOST_TABLES];
};

struct mapped_tables *mapped_tables_new(size_t table_len)
{
    struct mapped_tables *tables = calloc(1, sizeof *tables);
    const size_t most = TABLE_BYTES / table_len;

    if (!tables)
        return NULL;
    tables->table_len = table_len;
    tables->count = most < 1 ? 1 : most > MOST_TABLES ? MOST_TABLES : most;
    for (size_t i = 0; i < tables->count; i++)
        if (!(tables->table[i].data = malloc(table_len))) {
            mapped_tables_free(tables);
            return NULL;
        }
    return tables;
}

void mapped_tables_free(struct mapped_tables *tables)
{
    for (size_t i = 0; tables && i < tables->count; i++)
        free(tables->table[i].data);
    free(tables);
}

const uint8_t *mapped_tables_get(struct mapped_tables *tables, const struct datafile *file, uint64_t offset)
{
    struct mapped_table *table = &tables->table[offset / tables->table_len % tables->count];

    if (table->file == file && table->offset == offset)
        return table->data;
    table->file = NULL;
    if (datafile_read(file, offset, table->data, tables->table_len))
        return NULL;
    table->file = file;
    table->offset = offset;
    return table->data;
}

/* ---- parts ---- */

void mapped_parts_release(struct mapped_parts *parts)
{
    ranges_release(&parts->claimed);
    ranges_release(&parts->contested);
    ranges_release(&parts->doubtful);
    ranges_release(&parts->invalid);
    ranges_release(&parts->cut);
}

int mapped_parts_claim(struct mapped_parts *parts, uint64_t start, uint64_t len)
{
    return ranges_add(&parts->claimed, start, len);
}

/* Returns how many of the needed bytes of a block its file holds, as far as the map shows. */
static uint64_t held(const struct mapped_place *place, uint64_t needed)
{
    const uint64_t size = place->kind == MAPPED_PLAIN || place->kind == MAPPED_PACKED ? place->file->size : 0;
    const uint64_t left = place->offset < size ? size - place->offset : 0;

    switch (place->kind) {
    case MAPPED_FREE:
    case MAPPED_ZEROS:
        return needed;
    case MAPPED_PLAIN:
        return left < needed ? left : needed;
    case MAPPED_PACKED:
        return place->claim_at < size && place->claim_len <= size - place->claim_at ? needed : 0;
    default:
        return 0;
    }
}

int mapped_parts_take(struct mapped_parts *parts, uint64_t block, const struct mapped_place *place,
                      uint64_t needed)
{
    if (held(place, needed) < needed && ranges_add(&parts->cut, block, 1))
        return -1;
    return place->claim_len ? mapped_parts_claim(parts, place->claim_at, place->claim_len) : 0;
}

static int by_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

int mapped_parts_settle(struct mapped_parts *parts)
{
    struct ranges *claimed = &parts->claimed;
    uint64_t end = 0;

    if (claimed->count > 1)
        qsort(claimed->list, claimed->count, sizeof *claimed->list, by_start);
    for (size_t i = 0; i < claimed->count; i++) {
        const struct range *range = &claimed->list[i];
        const uint64_t range_end = range->start + range->len, shared = range_end < end ? range_end : end;

        if (range->start < shared && ranges_add(&parts->contested, range->start, shared - range->start))
            return -1;
        end = range_end > end ? range_end : end;
    }
    ranges_sort(&parts->contested);
    ranges_sort(claimed);
    return 0;
}

bool mapped_parts_sound(const struct mapped_parts *parts, uint64_t start, uint64_t len)
{
    return ranges_overlap(&parts->contested, start, len) == 0;
}

int mapped_parts_judge(struct mapped_parts *parts, const char *path, bool force, char *damages, size_t room,
                       struct error *err)
{
    const struct {
        struct ranges *ranges;
        const char *before, *after;
    } kinds[] = {
        {&parts->cut, "truncated, or its map is corrupt: block ",
         " or its table lies beyond the end of the file or cannot be read"},
        {&parts->contested, "corrupt map: byte ",
         " of the file is claimed more than once, or is marked as unused"},
        {&parts->doubtful, "corrupt map: its two copies differ in block ", ""},
        {&parts->invalid, "corrupt map: the entry of block ", " is invalid"},
    };

    if (mapped_parts_settle(parts))
        return error_set(err, "%s: out of memory", path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t len = strlen(damages);

        ranges_sort(kinds[i].ranges);
        if (kinds[i].ranges->count == 0)
            continue;
        if (!force)
            return error_set(err, "%s: %s%" PRIu64 "%s; use --force to read what remains", path,
                             kinds[i].before, kinds[i].ranges->list[0].start, kinds[i].after);
        snprintf(damages + len, room - len, "%s%" PRIu64 "%s\n", kinds[i].before,
                 kinds[i].ranges->list[0].start, kinds[i].after);
    }
    if (parts->fault[0] && !force)
        return error_set(err, "%s: %s; use --force to read what remains", path, parts->fault);
    if (parts->fault[0])
        snprintf(damages + strlen(damages), room - strlen(damages), "%s\n", parts->fault);
    return 0;
}

/* ---- reading ---- */

/* Caches the block decompressed last, among those with the same number modulo the number of slots. */
struct mapped_slot {
    uint64_t block;
    uint8_t *data;
    bool is_sound; /* it could be decompressed; if not, this is not tried again at every read */
};

struct mapped_reader {
    struct mapped mapped;
    struct deflate *deflate;
    uint8_t *packed;
    size_t packed_room;
    unsigned slots;
    struct mapped_slot slot[MOST_SLOTS];
    struct ranges lost; /* bytes of the disk whose blocks cannot be located reliably */
};

static ssize_t failed(void)
{
    errno = EIO;
    return -1;
}

/* The number of bytes that are lost together. */
static uint32_t piece_of(const struct mapped *mapped)
{
    return mapped->has_packed ? mapped->block_size : PIECE;
}

/* The last block may end with the disk. */
static long needed_of(const struct mapped_reader *reader, uint64_t block)
{
    const uint64_t left = reader->mapped.size - block * reader->mapped.block_size;

    return left < reader->mapped.block_size ? (long)left : (long)reader->mapped.block_size;
}

static const uint8_t *unpack(struct mapped_reader *reader, uint64_t block, const struct mapped_place *place)
{
    struct mapped_slot *slot = &reader->slot[block % (reader->slots ? reader->slots : 1)];
    const long needed = needed_of(reader, block);
    size_t len = place->packed_len;
    long got;

    if (slot->block == block)
        return slot->is_sound ? slot->data : NULL;
    slot->block = block;
    slot->is_sound = false;
    if (!reader->mapped.has_packed || place->offset >= place->file->size)
        return NULL;
    if (len > place->file->size - place->offset)
        len = (size_t)(place->file->size - place->offset);
    if (len > reader->packed_room || datafile_read(place->file, place->offset, reader->packed, len))
        return NULL;
    got = deflate_unpack(reader->deflate, reader->packed, len, slot->data, reader->mapped.block_size);
    if (got < needed || (reader->mapped.is_exact && got != needed))
        return NULL;
    slot->is_sound = true;
    return slot->data;
}

/* Locates a block; fails if its position is in doubt. */
static int find(const struct mapped_reader *reader, uint64_t block, struct mapped_place *place)
{
    const struct mapped_parts *parts = reader->mapped.parts;

    if (reader->mapped.find(reader->mapped.map, block, place))
        return -1;
    if (!parts)
        return 0;
    if (ranges_overlap(&parts->doubtful, block, 1) || ranges_overlap(&parts->invalid, block, 1) ||
        !mapped_parts_sound(parts, place->table_at, place->table_len))
        return -1;
    return mapped_parts_sound(parts, place->claim_at, place->claim_len) ? 0 : -1;
}

/* Reads up to the end of a block at most. */
static ssize_t mapped_read(void *state, uint64_t offset, void *into, size_t len)
{
    struct mapped_reader *reader = state;
    const uint32_t size = reader->mapped.block_size;
    const uint64_t block = offset / size, from = offset % size;
    struct mapped_place place = {.kind = MAPPED_BAD};
    const uint8_t *data;

    if (offset >= reader->mapped.size)
        return 0;
    if (len > reader->mapped.size - offset)
        len = (size_t)(reader->mapped.size - offset);
    if (len > size - from)
        len = (size_t)(size - from);
    if (find(reader, block, &place))
        return failed();
    switch (place.kind) {
    case MAPPED_FREE:
    case MAPPED_ZEROS:
        memset(into, 0, len);
        return (ssize_t)len;
    case MAPPED_PLAIN:
        return datafile_read(place.file, place.offset + from, into, len) ? failed() : (ssize_t)len;
    case MAPPED_PACKED:
        data = unpack(reader, block, &place);
        if (!data)
            return failed();
        memcpy(into, data + from, len);
        return (ssize_t)len;
    default:
        return failed();
    }
}

static size_t mapped_lost(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    const struct mapped_reader *reader = state;

    if (from >= reader->lost.count)
        return 0;
    *offset = reader->lost.list[from].start;
    *len = reader->lost.list[from].len;
    return 1;
}

/* Returns how much of a block can be read: whole pieces, counted from its start. */
static uint64_t kept_of(const struct mapped_reader *reader, uint64_t block, uint64_t needed,
                        struct mapped_place *place)
{
    const uint64_t kept = find(reader, block, place) ? 0 : held(place, needed);

    if (place->kind == MAPPED_FREE && reader->mapped.parts->doubts_free)
        return 0;
    return kept < needed ? kept - kept % piece_of(&reader->mapped) : needed;
}

/* Blocks that share an entry still differ if any of them is doubtful or invalid. */
static uint64_t alike_of(const struct mapped_parts *parts, uint64_t block, const struct mapped_place *place)
{
    if (place->alike < 2 || ranges_overlap(&parts->doubtful, block, place->alike) ||
        ranges_overlap(&parts->invalid, block, place->alike))
        return 1;
    return place->alike;
}

static bool is_whole(const struct mapped_parts *parts)
{
    return !(parts->contested.count || parts->doubtful.count || parts->invalid.count || parts->cut.count ||
             parts->doubts_free);
}

/* Only a tolerated map has lost blocks.  Blocks beyond the number that can be looked up are all lost. */
static int find_lost(struct mapped_reader *reader)
{
    const struct mapped_parts *parts = reader->mapped.parts;
    const uint64_t size = reader->mapped.block_size, count = (reader->mapped.size - 1) / size + 1;
    uint64_t asked = 0;

    if (!parts || is_whole(parts))
        return 0;
    for (uint64_t block = 0; block < count; asked++) {
        struct mapped_place place = {.kind = MAPPED_BAD};
        const uint64_t start = block * size, needed = (uint64_t)needed_of(reader, block),
                       kept = asked < MOST_BLOCKS ? kept_of(reader, block, needed, &place) : 0,
                       alike = alike_of(parts, block, &place), left = count - block;

        block += asked < MOST_BLOCKS && alike < left ? alike : left;
        if (kept < needed && ranges_add(&reader->lost, start + kept,
                                        (block < count ? block * size : reader->mapped.size) - start - kept))
            return -1;
    }
    return 0;
}

static const char *mapped_damages(void *state)
{
    const struct mapped_reader *reader = state;

    return reader->mapped.damages ? reader->mapped.damages(reader->mapped.map) : NULL;
}

static void mapped_close(void *state)
{
    struct mapped_reader *reader = state;

    reader->mapped.close(reader->mapped.map);
    deflate_free(reader->deflate);
    ranges_release(&reader->lost);
    free(reader->packed);
    for (unsigned i = 0; i < reader->slots; i++)
        free(reader->slot[i].data);
    free(reader);
}

/* Allocates all memory needed for decompression. */
static bool prepare(struct mapped_reader *reader)
{
    const struct mapped *mapped = &reader->mapped;
    const unsigned slots = SLOT_BYTES / mapped->block_size;
    bool ready = true;

    reader->slots = slots < 1 ? 1 : slots > MOST_SLOTS ? MOST_SLOTS : slots;
    for (unsigned i = 0; i < reader->slots; i++) {
        reader->slot[i] = (struct mapped_slot){.block = NO_BLOCK, .data = malloc(mapped->block_size)};
        ready = ready && reader->slot[i].data;
    }
    reader->packed_room = deflate_bound(mapped->block_size) + 1024;
    reader->packed = malloc(reader->packed_room);
    reader->deflate = deflate_new(mapped->form);
    return ready && reader->packed && reader->deflate;
}

int mapped_open(struct backend *backend, const struct mapped *mapped, struct error *err)
{
    struct mapped_reader *reader = calloc(1, sizeof *reader);

    if (!reader) {
        mapped->close(mapped->map);
        return error_set(err, "out of memory");
    }
    reader->mapped = *mapped;
    if ((mapped->has_packed && !prepare(reader)) || find_lost(reader)) {
        mapped_close(reader);
        return error_set(err, "out of memory");
    }
    *backend = (struct backend){.size = mapped->size,
                                .sector_size = 512,
                                .piece = piece_of(mapped),
                                .read = mapped_read,
                                .bad = mapped_lost,
                                .damages = mapped_damages,
                                .close = mapped_close,
                                .state = reader};
    return 0;
}
