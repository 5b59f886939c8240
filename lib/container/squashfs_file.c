/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "container/squashfs_inner.h"

/* A file is blocks of the same size, each compressed by itself or absent, if it is zeros; and then its end,
 * which may lie in a fragment: a block that several files share. */

enum { IS_STORED = 1 << 24, SIZE_MASK = IS_STORED - 1 };

void squashfs_file_begin(struct squashfs *squashfs)
{
    const struct squashfs_inode *file = &squashfs->file;
    const uint64_t whole = file->size / squashfs->block_size;
    const bool has_end = file->size % squashfs->block_size != 0;

    squashfs->left = file->size;
    squashfs->blocks = file->fragment == (uint32_t)SQUASHFS_NO_FRAGMENT ? whole + has_end : whole;
    squashfs->at = file->start;
    squashfs->ready_len = 0;
    squashfs->zeros = 0;
}

static int need_bytes(uint8_t **bytes, struct error *err)
{
    if (!*bytes)
        *bytes = malloc(SQUASHFS_BLOCK);
    return *bytes ? 0 : error_set(err, "out of memory");
}

/* Reads and decompresses a block; `size` as it is stored, with its flag. */
static int read_block(struct squashfs *squashfs, struct squashfs_data *data, uint64_t start, uint32_t size,
                      struct error *err)
{
    const uint32_t len = size & SIZE_MASK;
    long unpacked = len;

    if (data->len > 0 && data->start == start)
        return 0;
    data->len = 0;
    if (need_bytes(&data->bytes, err) != 0 || need_bytes(&squashfs->packed, err) != 0)
        return -1;
    if (len == 0 || len > squashfs->block_size)
        return error_set(err, "a block of %u bytes is too long", (unsigned)len);
    if (start > squashfs->size || len > squashfs->size - start)
        return error_set(err, "is cut off");
    if (content_read(squashfs->content, start, size & IS_STORED ? data->bytes : squashfs->packed, len) != 0)
        return error_set(err, "cannot be read at %llu", (unsigned long long)start);
    if (!(size & IS_STORED))
        unpacked =
            squashfs_unpack_block(squashfs->unpack, squashfs->packed, len, data->bytes, squashfs->block_size);
    if (unpacked <= 0)
        return error_set(err, "the block at %llu is damaged", (unsigned long long)start);
    data->start = start;
    data->len = (uint32_t)unpacked;
    squashfs_progress(squashfs);
    return 0;
}

static int take_size(struct squashfs *squashfs, struct squashfs_cursor *cursor, uint32_t *size)
{
    uint8_t bytes[4];

    if (squashfs_meta_take(squashfs, cursor, bytes, 4) != 0)
        return -1;
    *size = bytes_load32(bytes);
    return 0;
}

static int next_block(struct squashfs *squashfs, struct error *err)
{
    const uint32_t want =
        squashfs->left < squashfs->block_size ? (uint32_t)squashfs->left : squashfs->block_size;
    uint32_t size;

    if (take_size(squashfs, &squashfs->file.sizes, &size) != 0)
        return error_set(err, "its table of blocks is damaged");
    squashfs->blocks--;
    if ((size & SIZE_MASK) == 0) {
        squashfs->zeros = want;
        return 0;
    }
    if (read_block(squashfs, &squashfs->block, squashfs->at, size, err) != 0)
        return -1;
    if (squashfs->block.len < want)
        return error_set(err, "the block at %llu is too short", (unsigned long long)squashfs->at);
    squashfs->at += size & SIZE_MASK;
    squashfs->ready = squashfs->block.bytes;
    squashfs->ready_len = want;
    return 0;
}

/* Where the fragment of the file lies, and its size as it is stored. */
static int find_fragment(struct squashfs *squashfs, uint64_t *start, uint32_t *size)
{
    uint8_t item[16];

    if (squashfs->file.fragment >= squashfs->fragments ||
        squashfs_meta_item(squashfs, squashfs->fragment_table, squashfs->file.fragment, item, 16) != 0)
        return -1;
    *start = bytes_load64(item);
    *size = bytes_load32(item + 8);
    return 0;
}

static int end_in_fragment(struct squashfs *squashfs, struct error *err)
{
    const struct squashfs_inode *file = &squashfs->file;
    uint64_t start;
    uint32_t size;

    if (find_fragment(squashfs, &start, &size) != 0)
        return error_set(err, "its fragment cannot be found");
    if (read_block(squashfs, &squashfs->fragment, start, size, err) != 0)
        return -1;
    if (file->offset > squashfs->fragment.len || squashfs->left > squashfs->fragment.len - file->offset)
        return error_set(err, "its fragment is too short");
    squashfs->ready = squashfs->fragment.bytes + file->offset;
    squashfs->ready_len = (size_t)squashfs->left;
    return 0;
}

ssize_t squashfs_file_read(struct container *container, void *into, size_t len, struct error *err)
{
    struct squashfs *squashfs = (struct squashfs *)container;

    if (squashfs->left == 0 || len == 0)
        return 0;
    if (squashfs->zeros == 0 && squashfs->ready_len == 0 &&
        (squashfs->blocks > 0 ? next_block(squashfs, err) : end_in_fragment(squashfs, err)) != 0)
        return -1;
    if (squashfs->zeros > 0) {
        len = squashfs->zeros < len ? (size_t)squashfs->zeros : len;
        memset(into, 0, len);
        squashfs->zeros -= len;
    } else {
        len = squashfs->ready_len < len ? squashfs->ready_len : len;
        memcpy(into, squashfs->ready, len);
        squashfs->ready += len;
        squashfs->ready_len -= len;
    }
    squashfs->left -= len;
    return (ssize_t)len;
}

uint64_t squashfs_file_place(struct container *container)
{
    struct squashfs *squashfs = (struct squashfs *)container;
    struct squashfs_cursor cursor = squashfs->file.sizes;
    uint64_t start = squashfs->file.start;
    uint32_t size;

    if (squashfs->file.size >= squashfs->block_size ||
        squashfs->file.fragment == (uint32_t)SQUASHFS_NO_FRAGMENT)
        return take_size(squashfs, &cursor, &size) == 0 && size > IS_STORED ? start : CONTAINER_UNKNOWN;
    return find_fragment(squashfs, &start, &size) == 0 && size > IS_STORED ? start + squashfs->file.offset
                                                                           : CONTAINER_UNKNOWN;
}
