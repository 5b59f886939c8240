/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "container/squashfs_inner.h"

enum { IS_STORED = 0x8000, EXTENDED = 7 }; /* types above 7 are the extended forms of those below */

void squashfs_progress(struct squashfs *squashfs)
{
    if (squashfs->watch && squashfs->watch->progress)
        squashfs->watch->progress(squashfs->watch->arg);
}

static int read_block(struct squashfs *squashfs, uint64_t start, struct squashfs_meta *meta)
{
    uint8_t header[2], packed[SQUASHFS_META];
    size_t len;
    long unpacked;

    if (start > squashfs->size || squashfs->size - start < 2 ||
        content_read(squashfs->content, start, header, 2) != 0)
        return -1;
    len = bytes_load_le(header, 2) & (IS_STORED - 1);
    if (len == 0 || len > SQUASHFS_META || len > squashfs->size - start - 2 ||
        content_read(squashfs->content, start + 2, packed, len) != 0)
        return -1;
    if (header[1] & 0x80) {
        memcpy(meta->bytes, packed, len);
        unpacked = (long)len;
    } else {
        unpacked = squashfs_unpack_block(squashfs->unpack, packed, len, meta->bytes, SQUASHFS_META);
    }
    if (unpacked <= 0)
        return -1;
    meta->start = start;
    meta->next = start + 2 + len;
    meta->len = (uint32_t)unpacked;
    return 0;
}

/* The block that begins at a place; NULL if it is damaged.  Those used last are kept. */
static const struct squashfs_meta *meta_at(struct squashfs *squashfs, uint64_t start)
{
    struct squashfs_meta *oldest = &squashfs->metas[0];

    for (struct squashfs_meta *meta = squashfs->metas; meta < squashfs->metas + SQUASHFS_KEPT; meta++) {
        if (meta->len > 0 && meta->start == start) {
            meta->used = ++squashfs->clock;
            return meta;
        }
        if (meta->used < oldest->used)
            oldest = meta;
    }
    oldest->len = 0;
    oldest->used = ++squashfs->clock;
    return read_block(squashfs, start, oldest) == 0 ? oldest : NULL;
}

int squashfs_meta_take(struct squashfs *squashfs, struct squashfs_cursor *cursor, void *into, size_t len)
{
    uint8_t *to = into;

    while (len > 0) {
        const struct squashfs_meta *meta = meta_at(squashfs, cursor->block);
        size_t part;

        if (!meta || cursor->offset > meta->len)
            return -1;
        if (cursor->offset == meta->len) {
            *cursor = (struct squashfs_cursor){meta->next, 0};
            continue;
        }
        part = meta->len - cursor->offset;
        if (part > len)
            part = len;
        memcpy(to, meta->bytes + cursor->offset, part);
        to += part;
        len -= part;
        cursor->offset += (uint32_t)part;
    }
    return 0;
}

int squashfs_meta_item(struct squashfs *squashfs, uint64_t table, uint32_t n, void *into, size_t len)
{
    const uint32_t per_block = (uint32_t)(SQUASHFS_META / len);
    struct squashfs_cursor cursor = {0, (uint32_t)len * (n % per_block)};
    const uint64_t index = 8 * (uint64_t)(n / per_block);
    uint8_t pointer[8];

    if (table > squashfs->size || squashfs->size - table < index + 8 ||
        content_read(squashfs->content, table + index, pointer, 8) != 0)
        return -1;
    cursor.block = bytes_load64(pointer);
    return squashfs_meta_take(squashfs, &cursor, into, len);
}

static int take_folder(struct squashfs *squashfs, struct squashfs_cursor *cursor, bool is_extended,
                       struct squashfs_inode *inode)
{
    uint8_t bytes[24];

    if (squashfs_meta_take(squashfs, cursor, bytes, is_extended ? 24 : 16) != 0)
        return -1;
    inode->size = is_extended ? bytes_load32(bytes + 4) : bytes_load_le(bytes + 8, 2);
    inode->start = bytes_load32(bytes + (is_extended ? 8 : 0));
    inode->offset = (uint32_t)bytes_load_le(bytes + (is_extended ? 18 : 10), 2);
    return 1;
}

static int take_file(struct squashfs *squashfs, struct squashfs_cursor *cursor, bool is_extended,
                     struct squashfs_inode *inode)
{
    uint8_t bytes[40];

    if (squashfs_meta_take(squashfs, cursor, bytes, is_extended ? 40 : 16) != 0)
        return -1;
    inode->start = is_extended ? bytes_load64(bytes) : bytes_load32(bytes);
    inode->size = is_extended ? bytes_load64(bytes + 8) : bytes_load32(bytes + 12);
    inode->fragment = bytes_load32(bytes + (is_extended ? 28 : 4));
    inode->offset = bytes_load32(bytes + (is_extended ? 32 : 8));
    inode->sizes = *cursor;
    return 1;
}

int squashfs_meta_inode(struct squashfs *squashfs, uint64_t reference, struct squashfs_inode *inode)
{
    struct squashfs_cursor cursor = {squashfs->inode_table + (reference >> 16), reference & 0xffff};
    uint8_t bytes[16];
    unsigned type;

    if (squashfs_meta_take(squashfs, &cursor, bytes, sizeof bytes) != 0)
        return -1;
    type = (unsigned)bytes_load_le(bytes, 2);
    *inode = (struct squashfs_inode){.mode = (uint16_t)bytes_load_le(bytes + 2, 2),
                                     .uid = (uint16_t)bytes_load_le(bytes + 4, 2),
                                     .gid = (uint16_t)bytes_load_le(bytes + 6, 2),
                                     .mtime = bytes_load32(bytes + 8),
                                     .number = bytes_load32(bytes + 12)};
    inode->type = type > EXTENDED ? type - EXTENDED : type;
    if (inode->type == SQUASHFS_FOLDER)
        return take_folder(squashfs, &cursor, type > EXTENDED, inode);
    if (inode->type == SQUASHFS_FILE)
        return take_file(squashfs, &cursor, type > EXTENDED, inode);
    return 0;
}
