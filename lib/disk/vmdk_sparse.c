/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/vmdk_sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "disk/mapped.h"

enum {
    COMPRESSED = 1 << 16,
    ZEROED_GRAINS = 1 << 2,
    NEWLINES = 1 << 0,
    HAS_COPY = 1 << 1,
    MARKER_LEN = 12,
    MOST_TABLES = 1 << 22,
    MOST_GRAIN = 1 << 24, /* in bytes */
    COWD_ENTRIES = 4096,
};

static const uint64_t AT_END = UINT64_MAX;

struct sparse {
    struct datafile file;
    uint64_t capacity, grain, directory_at; /* in sectors */
    uint32_t flags, entries;                /* per table */
    uint64_t tables_count;
    uint8_t *directory;
    struct mapped_tables *tables;
    uint8_t *copy;          /* of the directory, listing copies of the tables; NULL: there is none */
    uint64_t copy_at;       /* sector */
    uint64_t descriptor[2]; /* in sectors: position and length */
    struct mapped_parts parts;
    uint64_t last[2]; /* the compressed grain stored last: its sector and number */
    char damages[1024];
};

static int place_packed(const struct sparse *sparse, uint64_t grain, uint64_t sector,
                        struct mapped_place *place)
{
    uint8_t marker[MARKER_LEN];

    if (datafile_read(&sparse->file, sector * 512, marker, sizeof marker) ||
        bytes_load64(marker) != grain * sparse->grain)
        return -1; /* it belongs to another grain */
    place->kind = MAPPED_PACKED;
    place->offset = sector * 512 + MARKER_LEN;
    place->packed_len = bytes_load32(marker + 8);
    place->claim_at = sector * 512;
    place->claim_len = MARKER_LEN + (uint64_t)place->packed_len;
    return 0;
}

static int find_grain(void *map, uint64_t grain, struct mapped_place *place)
{
    const struct sparse *sparse = map;
    const uint64_t index = grain / sparse->entries;
    const uint8_t *table;
    uint32_t entry;

    *place = (struct mapped_place){
        .kind = MAPPED_FREE, .file = &sparse->file, .alike = (index + 1) * sparse->entries - grain};
    if (index >= sparse->tables_count)
        return -1;
    entry = bytes_load32(sparse->directory + index * 4);
    if (entry == 0)
        return 0;
    table = mapped_tables_get(sparse->tables, &sparse->file, (uint64_t)entry * 512);
    if (!table)
        return -1;
    place->alike = 1;
    place->table_at = (uint64_t)entry * 512;
    place->table_len = (size_t)sparse->entries * 4;
    entry = bytes_load32(table + grain % sparse->entries * 4);
    if (entry == 0)
        return 0;
    if (entry == 1 && (sparse->flags & ZEROED_GRAINS)) {
        place->kind = MAPPED_ZEROS;
        return 0;
    }
    if (sparse->flags & COMPRESSED)
        return place_packed(sparse, grain, entry, place);
    place->kind = MAPPED_PLAIN;
    place->offset = place->claim_at = (uint64_t)entry * 512;
    place->claim_len = sparse->grain * 512;
    return 0;
}

static void sparse_close(void *map)
{
    struct sparse *sparse = map;

    mapped_parts_release(&sparse->parts);
    mapped_tables_free(sparse->tables);
    free(sparse->directory);
    free(sparse->copy);
    datafile_close(&sparse->file);
    free(sparse);
}

/* The header of a stream says only that the directory is found through the header's copy at the end. */
static int read_header(struct sparse *sparse, const char *path, uint8_t *header, struct error *err)
{
    if (datafile_read(&sparse->file, 0, header, VMDK_SPARSE_HEADER))
        return error_set(err, "%s: truncated within its header", path);
    if (memcmp(header, "KDMV", 4) == 0 && bytes_load64(header + 56) == AT_END &&
        (sparse->file.size < 1024 ||
         datafile_read(&sparse->file, sparse->file.size - 1024, header, VMDK_SPARSE_HEADER) ||
         memcmp(header, "KDMV", 4) != 0 || bytes_load64(header + 56) == AT_END))
        return error_set(err, "%s: the footer is missing: the file is truncated or damaged", path);
    return 0;
}

static int take_header(struct sparse *sparse, const char *path, const uint8_t *header, struct error *err)
{
    const bool is_cowd = memcmp(header, "COWD", 4) == 0;

    if (!is_cowd && memcmp(header, "KDMV", 4) != 0)
        return error_set(err, "%s: not a sparse extent: damaged signature", path);
    sparse->flags = is_cowd ? 0 : bytes_load32(header + 8);
    sparse->capacity = is_cowd ? bytes_load32(header + 12) : bytes_load64(header + 12);
    sparse->grain = is_cowd ? bytes_load32(header + 16) : bytes_load64(header + 20);
    sparse->directory_at = is_cowd ? bytes_load32(header + 20) : bytes_load64(header + 56);
    sparse->entries = is_cowd ? COWD_ENTRIES : bytes_load32(header + 44);
    if (!is_cowd) {
        sparse->copy_at = sparse->flags & HAS_COPY ? bytes_load64(header + 48) : 0;
        sparse->descriptor[0] = bytes_load64(header + 28);
        sparse->descriptor[1] = bytes_load64(header + 36);
    }
    if (!is_cowd && (sparse->flags & NEWLINES) && memcmp(header + 73, "\n \r\n", 4) != 0)
        return error_set(err, "%s: damaged by a transfer in text mode", path);
    if (!is_cowd && (sparse->flags & COMPRESSED) && header[77] + (header[78] << 8) != 1)
        return error_set(err, "%s: unknown compression method", path);
    if (sparse->capacity == 0 || sparse->capacity > INT64_MAX / 512 || sparse->grain == 0 ||
        (sparse->grain & (sparse->grain - 1)) || sparse->grain > MOST_GRAIN / 512 || sparse->entries == 0 ||
        sparse->entries > 1 << 16 || sparse->directory_at > sparse->file.size / 512)
        return error_set(err, "%s: invalid header", path);
    sparse->tables_count = ((sparse->capacity - 1) / sparse->grain) / sparse->entries + 1;
    return sparse->tables_count > MOST_TABLES ? error_set(err, "%s: invalid header", path) : 0;
}

static int read_directory(struct sparse *sparse, const char *path, struct error *err)
{
    const size_t len = (size_t)sparse->tables_count * 4;

    sparse->directory = malloc(len);
    sparse->tables = mapped_tables_new((size_t)sparse->entries * 4);
    if (!sparse->directory || !sparse->tables)
        return error_set(err, "%s: out of memory", path);
    if (datafile_read(&sparse->file, sparse->directory_at * 512, sparse->directory, len))
        return error_set(err, "%s: cannot read the grain directory: the file is truncated or damaged", path);
    if (sparse->copy_at == 0 || sparse->copy_at > sparse->file.size / 512 ||
        sparse->copy_at == sparse->directory_at)
        return 0;
    sparse->copy = malloc(len);
    if (!sparse->copy)
        return error_set(err, "%s: out of memory", path);
    if (datafile_read(&sparse->file, sparse->copy_at * 512, sparse->copy, len)) {
        free(sparse->copy);
        sparse->copy = NULL;
    }
    return 0;
}

/* ---- checking the map ---- */

/* Claims the tables that a directory lists. */
static int claim_tables(struct sparse *sparse, const uint8_t *directory, const uint8_t *other)
{
    for (uint64_t i = 0; i < sparse->tables_count; i++) {
        const uint32_t entry = bytes_load32(directory + i * 4);

        if (entry && !(other && bytes_load32(other + i * 4) == entry) &&
            mapped_parts_claim(&sparse->parts, (uint64_t)entry * 512, (uint64_t)sparse->entries * 4))
            return -1;
    }
    return 0;
}

static int claim_structures(struct sparse *sparse)
{
    struct mapped_parts *parts = &sparse->parts;
    const uint64_t len = sparse->tables_count * 4, most = sparse->file.size / 512,
                   *descriptor = sparse->descriptor;

    if (mapped_parts_claim(parts, 0, VMDK_SPARSE_HEADER) ||
        mapped_parts_claim(parts, sparse->directory_at * 512, len) ||
        (sparse->copy && mapped_parts_claim(parts, sparse->copy_at * 512, len)) ||
        (descriptor[0] && descriptor[0] < most && descriptor[1] < most &&
         mapped_parts_claim(parts, descriptor[0] * 512, descriptor[1] * 512)))
        return -1;
    return claim_tables(sparse, sparse->directory, NULL) ||
                   (sparse->copy && claim_tables(sparse, sparse->copy, sparse->directory))
               ? -1
               : 0;
}

/* Only the marker at the start of a compressed grain is claimed: finding out its length would mean reading
 * every grain. */
static int claim_grain(struct sparse *sparse, uint64_t grain, uint64_t sector)
{
    const bool is_packed = sparse->flags & COMPRESSED;
    const uint64_t left = sparse->capacity - grain * sparse->grain;
    const struct mapped_place place = {.kind = is_packed ? MAPPED_PACKED : MAPPED_PLAIN,
                                       .file = &sparse->file,
                                       .offset = sector * 512,
                                       .claim_at = sector * 512,
                                       .claim_len = is_packed ? MARKER_LEN : sparse->grain * 512};

    if (is_packed && sector > sparse->last[0]) {
        sparse->last[0] = sector;
        sparse->last[1] = grain;
    }
    return mapped_parts_take(&sparse->parts, grain, &place,
                             (left < sparse->grain ? left : sparse->grain) * 512);
}

/* Only the marker of a compressed grain gives its end; if the file is truncated, the last grain is
 * affected. */
static int check_last(struct sparse *sparse)
{
    struct mapped_place place;

    if (sparse->last[0] == 0 || place_packed(sparse, sparse->last[1], sparse->last[0], &place) ||
        place.offset + place.packed_len <= sparse->file.size)
        return 0;
    return ranges_add(&sparse->parts.cut, sparse->last[1], 1);
}

static int claim_grains(struct sparse *sparse, uint64_t index, const uint8_t *table)
{
    const uint64_t least = sparse->flags & ZEROED_GRAINS ? 2 : 1;

    for (uint64_t i = 0; i < sparse->entries; i++) {
        const uint64_t entry = bytes_load32(table + i * 4), grain = index * sparse->entries + i;

        if (entry >= least && grain * sparse->grain < sparse->capacity && claim_grain(sparse, grain, entry))
            return -1;
    }
    return 0;
}

/* Records the grains for which a table and its copy differ. */
static int compare_tables(struct sparse *sparse, uint64_t index, const uint8_t *table, const uint8_t *copy)
{
    for (uint64_t i = 0; i < sparse->entries; i++)
        if (memcmp(table + i * 4, copy + i * 4, 4) != 0 &&
            ranges_add(&sparse->parts.doubtful, index * sparse->entries + i, 1))
            return -1;
    return 0;
}

/* Checks one table of the directory against its copy.  A table that does not exist counts as all zeros. */
static int check_table(struct sparse *sparse, uint64_t index, uint8_t *table, uint8_t *copy)
{
    const uint64_t at = (uint64_t)bytes_load32(sparse->directory + index * 4) * 512,
                   copy_at = sparse->copy ? (uint64_t)bytes_load32(sparse->copy + index * 4) * 512 : at;
    const size_t len = (size_t)sparse->entries * 4;

    if (at == 0 && copy_at == 0)
        return 0;
    memset(table, 0, len);
    memset(copy, 0, len);
    if (at && !mapped_parts_sound(&sparse->parts, at, len))
        return 0;
    if (at && datafile_read(&sparse->file, at, table, len))
        return ranges_add(&sparse->parts.cut, index * sparse->entries, sparse->entries);
    if (at && claim_grains(sparse, index, table))
        return -1;
    if (copy_at == at || (copy_at && !mapped_parts_sound(&sparse->parts, copy_at, len)))
        return 0;
    if (copy_at && datafile_read(&sparse->file, copy_at, copy, len))
        return ranges_add(&sparse->parts.cut, index * sparse->entries, sparse->entries);
    return compare_tables(sparse, index, table, copy);
}

static int check_map(struct sparse *sparse, const char *path, bool force, struct error *err)
{
    const size_t len = (size_t)sparse->entries * 4;
    uint8_t *table = malloc(len), *copy = malloc(len);
    int failed = !table || !copy || claim_structures(sparse) || mapped_parts_settle(&sparse->parts);

    for (uint64_t i = 0; !failed && i < sparse->tables_count; i++)
        failed = check_table(sparse, i, table, copy);
    failed = failed || check_last(sparse);
    free(table);
    free(copy);
    if (failed)
        return error_set(err, "%s: out of memory", path);
    return mapped_parts_judge(&sparse->parts, path, force, sparse->damages, sizeof sparse->damages, err);
}

static const char *sparse_damages(void *map)
{
    return ((struct sparse *)map)->damages;
}

int vmdk_sparse_open(struct backend *backend, const char *path, struct content *content, bool force,
                     struct error *err)
{
    struct sparse *sparse = calloc(1, sizeof *sparse);
    uint8_t header[VMDK_SPARSE_HEADER];
    struct mapped mapped = {
        .find = find_grain, .damages = sparse_damages, .close = sparse_close, .map = sparse};

    if (!sparse)
        return error_set(err, "%s: out of memory", path);
    if (datafile_open(&sparse->file, path, content, err)) {
        free(sparse);
        return -1;
    }
    if (read_header(sparse, path, header, err) || take_header(sparse, path, header, err) ||
        read_directory(sparse, path, err) || check_map(sparse, path, force, err)) {
        sparse_close(sparse);
        return -1;
    }
    mapped.size = sparse->capacity * 512;
    mapped.block_size = (uint32_t)(sparse->grain * 512);
    mapped.has_packed = (sparse->flags & COMPRESSED) != 0;
    mapped.parts = &sparse->parts;
    return mapped_open(backend, &mapped, err);
}
