/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "disk/mapped.h"

/* VDI of VirtualBox, version 1.1 (VDICore.h in its sources): a map of blocks, of dynamic or fixed size. */
enum {
    HEADER_LEN = 0x1c8,
    DYNAMIC = 1,
    STATIC = 2,
    MOST_BLOCKS = 1 << 26,
};

static const uint32_t UNALLOCATED = 0xffffffff, DISCARDED = 0xfffffffe;

struct vdi {
    struct datafile file;
    uint64_t data_at;
    uint32_t block_size, count, allocated;
    uint64_t size; /* of the disk */
    uint8_t *map;
    struct mapped_parts parts;
    char damages[1024];
};

static int find_block(void *map, uint64_t block, struct mapped_place *place)
{
    const struct vdi *vdi = map;
    const uint32_t entry = block < vdi->count ? bytes_load32(vdi->map + block * 4) : 0;

    *place = (struct mapped_place){.kind = MAPPED_FREE, .file = &vdi->file};
    if (block >= vdi->count)
        return -1;
    if (entry == UNALLOCATED || entry == DISCARDED)
        return 0;
    if (entry >= vdi->allocated)
        return -1;
    place->kind = MAPPED_PLAIN;
    place->offset = vdi->data_at + (uint64_t)entry * vdi->block_size;
    place->claim_at = place->offset;
    place->claim_len = vdi->block_size;
    return 0;
}

static void vdi_close(void *map)
{
    struct vdi *vdi = map;

    datafile_close(&vdi->file);
    mapped_parts_release(&vdi->parts);
    free(vdi->map);
    free(vdi);
}

static bool has_parent(const uint8_t *header)
{
    static const uint8_t none[16];

    return memcmp(header + 0x1a8, none, sizeof none) != 0;
}

static int check_header(struct vdi *vdi, const uint8_t *header, const char *path, struct error *err)
{
    const uint32_t type = bytes_load32(header + 0x4c), sector = bytes_load32(header + 0x168),
                   extra = bytes_load32(header + 0x17c);
    const uint64_t size = bytes_load64(header + 0x170);

    vdi->size = size;
    vdi->block_size = bytes_load32(header + 0x178);
    vdi->count = bytes_load32(header + 0x180);
    vdi->allocated = bytes_load32(header + 0x184);
    vdi->data_at = bytes_load32(header + 0x158);
    if (bytes_load32(header + 0x40) != 0xbeda107f || bytes_load32(header + 0x44) != 0x00010001)
        return error_set(err, "%s: VDI image of an unknown version", path);
    if ((type != DYNAMIC && type != STATIC) || has_parent(header))
        return error_set(err,
                         "%s: differencing VDI image: merge it with its parents: VBoxManage clonemedium "
                         "IMAGE OUT --format RAW",
                         path);
    if (sector != 512 || extra || size == 0 || size > INT64_MAX || vdi->block_size < 4096 ||
        (vdi->block_size & (vdi->block_size - 1)) || vdi->block_size > 1 << 27 || vdi->count > MOST_BLOCKS ||
        (size + vdi->block_size - 1) / vdi->block_size > vdi->count || vdi->allocated > vdi->count)
        return error_set(err, "%s: invalid VDI header", path);
    return 0;
}

/* The bytes of the disk in a block; the map may have more blocks than the disk. */
static uint64_t needed_of(const struct vdi *vdi, uint32_t block)
{
    const uint64_t start = (uint64_t)block * vdi->block_size,
                   left = start < vdi->size ? vdi->size - start : 0;

    return left < vdi->block_size ? left : vdi->block_size;
}

/* Claims the parts of the file: header, map, blocks. */
static int claim(struct vdi *vdi, uint64_t map_at, bool force)
{
    uint64_t used = 0;

    if (mapped_parts_claim(&vdi->parts, 0, HEADER_LEN) ||
        mapped_parts_claim(&vdi->parts, map_at, (uint64_t)vdi->count * 4))
        return -1;
    for (uint32_t i = 0; i < vdi->count; i++) {
        struct mapped_place place;

        if (find_block(vdi, i, &place)) {
            if (ranges_add(&vdi->parts.invalid, i, 1))
                return -1;
            continue;
        }
        if (place.kind != MAPPED_PLAIN)
            continue;
        if (++used > vdi->allocated && !force)
            break;
        if (mapped_parts_take(&vdi->parts, i, &place, needed_of(vdi, i)))
            return -1;
    }
    if (used != vdi->allocated)
        snprintf(vdi->parts.fault, sizeof vdi->parts.fault,
                 "corrupt map: it refers to %s blocks than the %" PRIu32 " in use according to its header",
                 used < vdi->allocated ? "fewer" : "more", vdi->allocated);
    vdi->parts.doubts_free = used != vdi->allocated || vdi->parts.invalid.count;
    return 0;
}

static const char *vdi_damages(void *map)
{
    return ((struct vdi *)map)->damages;
}

static int read_map(struct vdi *vdi, const uint8_t *header, const char *path, bool force, struct error *err)
{
    const size_t len = (size_t)vdi->count * 4;

    vdi->map = malloc(len + 1);
    if (!vdi->map)
        return error_set(err, "%s: out of memory", path);
    if (datafile_read(&vdi->file, bytes_load32(header + 0x154), vdi->map, len))
        return error_set(err, "%s: cannot read the block map: the file is truncated or damaged", path);
    if (claim(vdi, bytes_load32(header + 0x154), force))
        return error_set(err, "%s: out of memory", path);
    return mapped_parts_judge(&vdi->parts, path, force, vdi->damages, sizeof vdi->damages, err);
}

int backend_vdi_open(struct backend *backend, const char *path, struct content *content, bool force,
                     struct error *err)
{
    struct vdi *vdi = calloc(1, sizeof *vdi);
    uint8_t header[HEADER_LEN];
    struct mapped mapped = {.find = find_block, .damages = vdi_damages, .close = vdi_close, .map = vdi};

    if (!vdi)
        return error_set(err, "%s: out of memory", path);
    if (datafile_open(&vdi->file, path, content, err)) {
        free(vdi);
        return -1;
    }
    if (datafile_read(&vdi->file, 0, header, sizeof header))
        error_set(err, "%s: truncated within its header", path);
    else if (check_header(vdi, header, path, err) == 0 && read_map(vdi, header, path, force, err) == 0) {
        mapped.size = vdi->size;
        mapped.block_size = vdi->block_size;
        mapped.parts = &vdi->parts;
        return mapped_open(backend, &mapped, err);
    }
    vdi_close(vdi);
    return -1;
}
