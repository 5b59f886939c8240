/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "disk/filesystem_inner.h"

/* Building an object: the properties common to all file systems, its blocks, its slack. */

static const struct {
    TSK_FS_META_TYPE_ENUM type;
    mode_t mode;
} modes[] = {
    {TSK_FS_META_TYPE_REG, S_IFREG},   {TSK_FS_META_TYPE_DIR, S_IFDIR}, {TSK_FS_META_TYPE_FIFO, S_IFIFO},
    {TSK_FS_META_TYPE_CHR, S_IFCHR},   {TSK_FS_META_TYPE_BLK, S_IFBLK}, {TSK_FS_META_TYPE_LNK, S_IFLNK},
    {TSK_FS_META_TYPE_SOCK, S_IFSOCK},
};

static uint32_t mode_of(const TSK_FS_META *meta)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].type == meta->type)
            return (uint32_t)(modes[i].mode | ((mode_t)meta->mode & 07777));
    return (uint32_t)meta->mode & 07777;
}

void filesystem_begin_object(struct filesystem_inode *inode, enum object_kind kind)
{
    const TSK_FS_META *meta = inode->file->meta;
    struct object *object = &inode->filesystem->object;

    object_reset(object);
    object->kind = kind;
    object->inode = meta->addr;
    object->flags = meta->flags & TSK_FS_META_FLAG_ALLOC ? OBJECT_ALLOCATED : 0;
    object->mode = mode_of(meta);
    object->uid = meta->uid;
    object->gid = meta->gid;
    object->times[OBJECT_MTIME] = (struct object_stamp){meta->mtime, meta->mtime_nano};
    object->times[OBJECT_ATIME] = (struct object_stamp){meta->atime, meta->atime_nano};
    object->times[OBJECT_CTIME] = (struct object_stamp){meta->ctime, meta->ctime_nano};
    object->times[OBJECT_CRTIME] = (struct object_stamp){meta->crtime, meta->crtime_nano};
    inode->slack.count = 0;
}

/* The kind of content that has no name of its own. */
enum object_kind filesystem_content_kind(const struct filesystem_inode *inode)
{
    const TSK_FS_META *meta = inode->file->meta;

    if (meta->type == TSK_FS_META_TYPE_DIR)
        return OBJECT_FOLDER;
    if (inode->own || meta->type != TSK_FS_META_TYPE_REG)
        return OBJECT_METADATA;
    return meta->flags & TSK_FS_META_FLAG_ALLOC ? OBJECT_FILE : OBJECT_DELETED;
}

bool filesystem_wants(const struct filesystem_inode *inode, enum object_kind kind)
{
    return (inode->kinds & OBJECT_BIT(kind)) != 0;
}

void filesystem_add_range(struct filesystem_inode *inode, struct ranges *ranges, uint64_t image, uint64_t len)
{
    if (len > 0 && ranges_add(ranges, image, len))
        inode->out_of_memory = true;
}

/* Adds blocks from byte `offset` of the content on; whatever lies after the known content is slack. */
int filesystem_add_blocks(struct filesystem_inode *inode, uint64_t offset, uint64_t block, uint64_t count,
                          bool unwritten)
{
    struct filesystem *filesystem = inode->filesystem;
    struct object *object = &filesystem->object;
    const uint64_t size = filesystem->facts.block_size, blocks = filesystem->info->last_block + 1;
    uint64_t image, len, known = unwritten || offset >= inode->known ? 0 : inode->known - offset;

    if (block >= blocks || count > blocks - block || count > INT64_MAX / size ||
        offset > INT64_MAX - count * size) {
        object_blame(object, OBJECT_PARTIAL, "part of it would lie outside the file system");
        return -1;
    }
    image = filesystem->image_start + block * size;
    len = count * size;
    if (known > len)
        known = len;
    if (object_add_run(object, offset, image, known))
        object_blame(object, OBJECT_PARTIAL, "part of its block map is unusable");
    if (filesystem_wants(inode, OBJECT_SLACK))
        filesystem_add_range(inode, &inode->slack, image + known, len - known);
    return 0;
}

int filesystem_give(struct filesystem_inode *inode, struct content *content)
{
    return inode->found(inode->arg, &inode->filesystem->object, content);
}

/* Reports the slack found with an object. */
static int give_slack(struct filesystem_inode *inode)
{
    for (size_t i = 0, count = inode->slack.count; i < count; i++) {
        struct object *object = &inode->filesystem->object;

        filesystem_begin_object(inode, OBJECT_SLACK);
        object->flags |= OBJECT_RANGE;
        object->start = inode->slack.list[i].start;
        object->size = inode->slack.list[i].len;
        if (object_add_run(object, 0, object->start, object->size))
            object_blame(object, OBJECT_UNREADABLE, "out of memory");
        if (filesystem_give(inode, NULL))
            return -1;
    }
    return 0;
}

/* Returns whether anything of an object of this kind is wanted: itself or its slack. */
bool filesystem_is_worth_it(const struct filesystem_inode *inode, enum object_kind kind)
{
    return filesystem_wants(inode, kind) || filesystem_wants(inode, OBJECT_SLACK);
}

/* It has neither a block of its own nor other content. */
static bool is_detail(const struct object *object)
{
    return object->kind >= OBJECT_METADATA && object->run_count == 0;
}

int filesystem_give_wanted(struct filesystem_inode *inode, struct content *content)
{
    const struct object *object = &inode->filesystem->object;

    if (filesystem_wants(inode, object->kind) && (!is_detail(object) || (inode->kinds & OBJECT_DETAILS)) &&
        filesystem_give(inode, content)) /* which may take the object away */
        return -1;
    return give_slack(inode);
}

/* Reports the blocks of the block map, one after another, as one object. */
int filesystem_give_map(struct filesystem_inode *inode, uint32_t type)
{
    struct object *object = &inode->filesystem->object;

    if (inode->map.count == 0 || !filesystem_wants(inode, OBJECT_METADATA))
        return 0;
    filesystem_begin_object(inode, OBJECT_METADATA);
    object->type = type;
    for (size_t i = 0; i < inode->map.count; i++) {
        const struct range *range = &inode->map.list[i];

        if (object_add_run(object, object->size, range->start, range->len))
            object_blame(object, OBJECT_PARTIAL, "out of memory");
        object->size += range->len;
    }
    return filesystem_give(inode, NULL);
}

int filesystem_set_size(struct filesystem_inode *inode, TSK_OFF_T size)
{
    struct object *object = &inode->filesystem->object;

    if (size < 0) {
        object->size = 0;
        object_blame(object, OBJECT_UNREADABLE, "its size is invalid: %llu", (unsigned long long)size);
        return -1;
    }
    object->size = (uint64_t)size;
    inode->known = (uint64_t)size;
    return 0;
}
