/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/path.h"
#include "disk/mapped.h"
#include "disk/vmdk.h"

/*
 * VMDK (VMware, Virtual Disk Format 5.0).  Not by libvmdk: that opens the extents by the names that are
 * stored inside, so of a renamed disk it read whatever file has the old name.  Here a disk in one file is
 * that file, whatever it is called inside; the extents of others are opened beside the descriptor.
 */
struct extent {
    uint64_t start, len; /* bytes of the disk */
    uint64_t from;       /* where it begins in what inner reads */
    bool is_zero;
    struct backend inner;
};

struct vmdk {
    struct extent *extents;
    size_t count;
    uint64_t size;         /* of all extents */
    struct buffer files;   /* names of the extents' files, each ended by a zero byte */
    struct buffer damages; /* lines, ended by a zero byte */
    struct ranges lost;    /* of the disk, known when it was opened */
    bool force;            /* put up with damaged maps */
};

/* ---- a sparse extent ---- */

enum {
    SPARSE_HEADER_LEN = 512,
    COMPRESSED = 1 << 16,
    ZEROED_GRAINS = 1 << 2,
    NEWLINES = 1 << 0,
    HAS_COPY = 1 << 1,
    MARKER_LEN = 12,
    MOST_TABLES = 1 << 22,
    MOST_GRAIN = 1 << 24, /* bytes */
    COWD_ENTRIES = 4096,
};

static const uint64_t AT_END = UINT64_MAX;

struct sparse {
    struct datafile file;
    uint64_t capacity, grain, directory_at; /* sectors */
    uint32_t flags, entries;                /* of a table */
    uint64_t tables_count;
    uint8_t *directory;
    struct mapped_tables *tables;
    uint8_t *copy;          /* of the directory, which lists copies of the tables; NULL: there is none */
    uint64_t copy_at;       /* sector */
    uint64_t descriptor[2]; /* sectors: where it lies, how many */
    struct mapped_parts parts;
    uint64_t last[2]; /* of the packed grain that lies last: sector, number */
    char damages[1024];
};

static int place_packed(const struct sparse *sparse, uint64_t grain, uint64_t sector,
                        struct mapped_place *place)
{
    uint8_t marker[MARKER_LEN];

    if (datafile_read(&sparse->file, sector * 512, marker, sizeof marker) ||
        bytes_load64(marker) != grain * sparse->grain)
        return -1; /* it is that of another grain */
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

    datafile_close(&sparse->file);
    mapped_parts_release(&sparse->parts);
    mapped_tables_free(sparse->tables);
    free(sparse->directory);
    free(sparse->copy);
    free(sparse);
}

/* A stream's header says only that the directory is found by the copy of the header at the end. */
static int read_header(struct sparse *sparse, const char *path, uint8_t *header, struct error *err)
{
    if (datafile_read(&sparse->file, 0, header, SPARSE_HEADER_LEN))
        return error_set(err, "%s: is cut within its header", path);
    if (memcmp(header, "KDMV", 4) == 0 && bytes_load64(header + 56) == AT_END &&
        (sparse->file.size < 1024 ||
         datafile_read(&sparse->file, sparse->file.size - 1024, header, SPARSE_HEADER_LEN) ||
         memcmp(header, "KDMV", 4) != 0 || bytes_load64(header + 56) == AT_END))
        return error_set(err, "%s: its footer is missing: the file is cut or damaged", path);
    return 0;
}

static int take_header(struct sparse *sparse, const char *path, const uint8_t *header, struct error *err)
{
    const bool is_cowd = memcmp(header, "COWD", 4) == 0;

    if (!is_cowd && memcmp(header, "KDMV", 4) != 0)
        return error_set(err, "%s: is not a sparse extent: its signature is damaged", path);
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
        return error_set(err, "%s: was damaged by a transfer as text", path);
    if (!is_cowd && (sparse->flags & COMPRESSED) && header[77] + (header[78] << 8) != 1)
        return error_set(err, "%s: is compressed in an unknown way", path);
    if (sparse->capacity == 0 || sparse->capacity > INT64_MAX / 512 || sparse->grain == 0 ||
        (sparse->grain & (sparse->grain - 1)) || sparse->grain > MOST_GRAIN / 512 || sparse->entries == 0 ||
        sparse->entries > 1 << 16 || sparse->directory_at > sparse->file.size / 512)
        return error_set(err, "%s: its header is invalid", path);
    sparse->tables_count = ((sparse->capacity - 1) / sparse->grain) / sparse->entries + 1;
    return sparse->tables_count > MOST_TABLES ? error_set(err, "%s: its header is invalid", path) : 0;
}

static int read_directory(struct sparse *sparse, const char *path, struct error *err)
{
    const size_t len = (size_t)sparse->tables_count * 4;

    sparse->directory = malloc(len);
    sparse->tables = mapped_tables_new((size_t)sparse->entries * 4);
    if (!sparse->directory || !sparse->tables)
        return error_set(err, "%s: out of memory", path);
    if (datafile_read(&sparse->file, sparse->directory_at * 512, sparse->directory, len))
        return error_set(err, "%s: its grain directory cannot be read: the file is cut or damaged", path);
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

/* ---- whether its map can be right ---- */

/* Tables that a directory lists. */
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

    if (mapped_parts_claim(parts, 0, SPARSE_HEADER_LEN) ||
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

/* A packed grain begins with a marker, by which it is known: no more than that is claimed, since it would
 * have to be read. */
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

/* A packed grain's end only its marker tells; if the file is cut, it is that of the last one. */
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

/* Grains of which table and copy say different things. */
static int compare_tables(struct sparse *sparse, uint64_t index, const uint8_t *table, const uint8_t *copy)
{
    for (uint64_t i = 0; i < sparse->entries; i++)
        if (memcmp(table + i * 4, copy + i * 4, 4) != 0 &&
            ranges_add(&sparse->parts.doubtful, index * sparse->entries + i, 1))
            return -1;
    return 0;
}

/* One table of the directory, by its copy; empty: of zeros. */
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

static int open_sparse(struct backend *backend, const char *path, bool force, struct error *err)
{
    struct sparse *sparse = calloc(1, sizeof *sparse);
    uint8_t header[SPARSE_HEADER_LEN];
    struct mapped mapped = {
        .find = find_grain, .damages = sparse_damages, .close = sparse_close, .map = sparse};

    if (!sparse)
        return error_set(err, "%s: out of memory", path);
    if (datafile_open(&sparse->file, path, err)) {
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

/* ---- the disk ---- */

static const struct extent *extent_at(const struct vmdk *vmdk, uint64_t offset)
{
    size_t low = 0, high = vmdk->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (offset < vmdk->extents[middle].start + vmdk->extents[middle].len)
            high = middle;
        else
            low = middle + 1;
    }
    return low < vmdk->count ? &vmdk->extents[low] : NULL;
}

/* At most to the end of an extent. */
static ssize_t vmdk_read(void *state, uint64_t offset, void *into, size_t len)
{
    const struct extent *extent = extent_at(state, offset);

    if (!extent)
        return 0;
    offset -= extent->start;
    if (len > extent->len - offset)
        len = (size_t)(extent->len - offset);
    if (!extent->is_zero)
        return extent->inner.read(extent->inner.state, extent->from + offset, into, len);
    memset(into, 0, len);
    return (ssize_t)len;
}

static const char *vmdk_files(void *state, size_t *len)
{
    const struct vmdk *vmdk = state;

    *len = vmdk->files.len;
    return vmdk->files.data;
}

static const char *vmdk_damages(void *state)
{
    return ((struct vmdk *)state)->damages.data;
}

static void vmdk_close(void *state)
{
    struct vmdk *vmdk = state;

    for (size_t i = 0; i < vmdk->count; i++)
        if (vmdk->extents[i].inner.close)
            vmdk->extents[i].inner.close(vmdk->extents[i].inner.state);
    free(vmdk->extents);
    ranges_release(&vmdk->lost);
    buffer_release(&vmdk->files);
    buffer_release(&vmdk->damages);
    free(vmdk);
}

/* path: of the extent's own file */
static int open_inner(struct extent *extent, const struct vmdk_extent *listed, char *path, bool force,
                      struct error *err)
{
    char *const paths[] = {path, NULL};
    uint64_t size;

    if (listed->kind == VMDK_SPARSE ? open_sparse(&extent->inner, path, force, err)
                                    : backend_raw_open(&extent->inner, paths, 1, err)) {
        extent->inner = (struct backend){.close = NULL};
        return -1;
    }
    size = extent->inner.size;
    extent->from = listed->kind == VMDK_FLAT ? listed->from * 512 : 0;
    if (listed->kind == VMDK_SPARSE && size != extent->len)
        return error_set(
            err, "%s: does not belong to this disk: it is an extent of %" PRIu64 " bytes, not of %" PRIu64,
            path, size, extent->len);
    if (extent->from > size || extent->len > size - extent->from)
        return error_set(
            err, "%s: is too short for its extent, which has %" PRIu64 " bytes from byte %" PRIu64 " on",
            path, extent->len, extent->from);
    return 0;
}

/* What the extent's map leaves in doubt. */
static int take_lost(struct vmdk *vmdk, const struct extent *extent)
{
    const struct backend *inner = &extent->inner;
    uint64_t offset, len;

    for (size_t i = 0; inner->bad && inner->bad(inner->state, i, &offset, &len); i++) {
        const uint64_t end = offset + len < extent->len ? offset + len : extent->len;

        if (offset < end && ranges_add(&vmdk->lost, extent->start + offset, end - offset))
            return -1;
    }
    return 0;
}

static size_t vmdk_lost(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    const struct vmdk *vmdk = state;

    if (from >= vmdk->lost.count)
        return 0;
    *offset = vmdk->lost.list[from].start;
    *len = vmdk->lost.list[from].len;
    return 1;
}

static int open_extent(struct vmdk *vmdk, const struct vmdk_extent *listed, const char *disk,
                       struct error *err)
{
    struct extent *extent = &vmdk->extents[vmdk->count];
    struct error cause;
    char *path;
    int result;

    *extent = (struct extent){.start = vmdk->size, .len = listed->sectors * 512};
    if (extent->len > INT64_MAX - vmdk->size)
        return error_set(err, "%s: its extents are larger than can be", disk);
    vmdk->size += extent->len;
    vmdk->count++;
    extent->is_zero = listed->kind == VMDK_ZERO;
    if (extent->is_zero)
        return 0;
    path = path_beside(disk, listed->name);
    buffer_add(&vmdk->files, listed->name, strlen(listed->name) + 1);
    result =
        path ? open_inner(extent, listed, path, vmdk->force, &cause) : error_set(&cause, "out of memory");
    if (result == 0 && take_lost(vmdk, extent))
        result = error_set(&cause, "out of memory");
    if (result && path && strcmp(path, disk) == 0) /* a disk in one file is its own extent */
        error_set(err, "%s", cause.text);
    else if (result)
        error_set(err, "%s: its extent %s", disk, cause.text);
    if (result == 0 && extent->inner.damages)
        buffer_add_text(&vmdk->damages, extent->inner.damages(extent->inner.state));
    free(path);
    return result;
}

static int open_extents(struct vmdk *vmdk, const struct vmdk_descriptor *descriptor, const char *path,
                        struct error *err)
{
    vmdk->extents = calloc(descriptor->count + 1, sizeof *vmdk->extents);
    if (!vmdk->extents)
        return error_set(err, "%s: out of memory", path);
    for (size_t i = 0; i < descriptor->count; i++)
        if (open_extent(vmdk, &descriptor->extents[i], path, err))
            return -1;
    buffer_add_char(&vmdk->damages, '\0');
    return vmdk->files.failed || vmdk->damages.failed ? error_set(err, "%s: out of memory", path) : 0;
}

/* The text is a file of its own, or lies in the one extent that there is. */
static int read_descriptor(struct vmdk_descriptor *descriptor, const char *path, bool *is_embedded,
                           struct error *err)
{
    struct datafile file;
    uint8_t header[SPARSE_HEADER_LEN] = {0};
    uint64_t at = 0, len;
    char *text = calloc(1, VMDK_MOST_TEXT + 1);
    int result = text ? datafile_open(&file, path, err) : error_set(err, "%s: out of memory", path);

    if (result == 0) {
        len = file.size;
        datafile_read(&file, 0, header, sizeof header);
        *is_embedded = memcmp(header, "KDMV", 4) == 0;
        if (*is_embedded) {
            at = bytes_load64(header + 28) < file.size / 512 ? bytes_load64(header + 28) * 512 : file.size;
            len = bytes_load64(header + 36) < VMDK_MOST_TEXT / 512 ? bytes_load64(header + 36) * 512
                                                                   : VMDK_MOST_TEXT;
        }
        len = len < VMDK_MOST_TEXT ? len : VMDK_MOST_TEXT;
        if (len > file.size - at)
            len = file.size - at;
        if (datafile_read(&file, at, text, (size_t)len))
            result = error_set(err, "%s: its descriptor cannot be read", path);
        datafile_close(&file);
    }
    if (result == 0)
        result = vmdk_parse(descriptor, text, path, err);
    free(text);
    return result;
}

/* Whatever name is stored in it, it is this file. */
static int open_alone(struct vmdk *vmdk, struct vmdk_descriptor *descriptor, const char *path,
                      struct error *err)
{
    char *name;

    if (descriptor->count != 1 || descriptor->extents[0].kind != VMDK_SPARSE)
        return error_set(err, "%s: its descriptor lists other files than itself", path);
    name = strdup(path_last(path));
    if (!name)
        return error_set(err, "%s: out of memory", path);
    free(descriptor->extents[0].name);
    descriptor->extents[0].name = name;
    return open_extents(vmdk, descriptor, path, err);
}

int backend_vmdk_open(struct backend *backend, const char *path, bool force, struct error *err)
{
    struct vmdk *vmdk = calloc(1, sizeof *vmdk);
    struct vmdk_descriptor descriptor = {0};
    bool is_embedded = false;
    int result = vmdk ? read_descriptor(&descriptor, path, &is_embedded, err)
                      : error_set(err, "%s: out of memory", path);

    if (vmdk)
        vmdk->force = force;
    if (result == 0)
        result = is_embedded ? open_alone(vmdk, &descriptor, path, err)
                             : open_extents(vmdk, &descriptor, path, err);
    if (result == 0) {
        *backend = (struct backend){.size = vmdk->size,
                                    .sector_size = 512,
                                    .piece = 4096,
                                    .read = vmdk_read,
                                    .bad = vmdk_lost,
                                    .damages = vmdk_damages,
                                    .files = is_embedded ? NULL : vmdk_files,
                                    .close = vmdk_close,
                                    .state = vmdk};
        for (size_t i = 0; i < vmdk->count; i++)
            if (vmdk->extents[i].inner.piece > backend->piece)
                backend->piece = vmdk->extents[i].inner.piece;
    } else if (vmdk) {
        vmdk_close(vmdk);
    }
    vmdk_release(&descriptor);
    return result;
}
