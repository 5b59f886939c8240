/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/filesystem_inner.h"

/* The objects of an inode, built from the attributes that libtsk loads. */

/* The size of every extent of a large file except the last: see QUIRK_ISO_EXTENTS. */
static const uint64_t ISO_FULL_EXTENT = 0xfffff800;

/* The content of an attribute as libtsk reads it. */
struct attribute_content {
    struct content content;
    const TSK_FS_ATTR *attribute;
};

static ssize_t read_attribute(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct attribute_content *of = (const struct attribute_content *)content;

    return tsk_fs_attr_read(of->attribute, (TSK_OFF_T)offset, into, len, TSK_FS_FILE_READ_FLAG_NONE);
}

/* Holes are runs, too: if the runs end before the content does, its blocks are unknown rather than zeros. */
static void blame_lost(struct filesystem_inode *inode, uint64_t covered)
{
    struct object *object = &inode->filesystem->object;

    if (covered < inode->known && covered < object->size)
        object_blame(object, OBJECT_PARTIAL, "only the first %llu of its %llu bytes have a place on the disk",
                     (unsigned long long)covered, (unsigned long long)object->size);
}

static void add_runs(struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    const uint64_t size = inode->filesystem->facts.block_size;
    uint64_t covered = 0;

    for (const TSK_FS_ATTR_RUN *run = attribute->nrd.run; run; run = run->next) {
        if (run->offset <= INT64_MAX / size && run->len <= INT64_MAX / size - run->offset)
            covered = (run->offset + run->len) * size;
        if (run->flags & TSK_FS_ATTR_RUN_FLAG_FILLER)
            object_blame(&inode->filesystem->object, OBJECT_PARTIAL, "part of its block map is missing");
        if (run->flags & (TSK_FS_ATTR_RUN_FLAG_FILLER | TSK_FS_ATTR_RUN_FLAG_SPARSE))
            continue;
        if (run->offset > INT64_MAX / size) {
            object_blame(&inode->filesystem->object, OBJECT_PARTIAL, "its block map is damaged");
            break;
        }
        filesystem_add_blocks(inode, run->offset * size, run->addr, run->len, false);
    }
    /* otherwise it is compressed, and its runs are not its bytes */
    if (inode->known <= (uint64_t)attribute->size)
        blame_lost(inode, covered);
}

/* Returns whether programs can store arbitrary data in the attribute, besides the file's content. */
static bool is_stream(const struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    const bool named = attribute->name && attribute->name[0];

    switch (attribute->type) {
    case TSK_FS_ATTR_TYPE_HFS_RSRC:
    case TSK_FS_ATTR_TYPE_HFS_EXT_ATTR:
    case TSK_FS_ATTR_TYPE_NTFS_EA:
    case TSK_FS_ATTR_TYPE_NTFS_PROP:
        return true;
    case TSK_FS_ATTR_TYPE_NTFS_DATA:
        return named;
    case TSK_FS_ATTR_TYPE_NTFS_LOG: /* resident ones hold transaction numbers, or a key */
        return !(attribute->flags & TSK_FS_ATTR_RES);
    default: /* undefined types */
        return filesystem_is_ntfs(inode->filesystem) && attribute->type > TSK_FS_ATTR_TYPE_NTFS_LOG;
    }
}

static bool is_content(const TSK_FS_ATTR *attribute)
{
    return attribute->type == TSK_FS_ATTR_TYPE_DEFAULT || attribute->type == TSK_FS_ATTR_TYPE_NTFS_DATA ||
           attribute->type == TSK_FS_ATTR_TYPE_HFS_DATA;
}

static enum object_kind attribute_kind(const struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    const TSK_FS_META *meta = inode->file->meta;

    if (is_stream(inode, attribute))
        return inode->own && filesystem_owns_stream(inode->filesystem, meta->addr,
                                                    attribute->name ? attribute->name : "")
                   ? OBJECT_METADATA
                   : OBJECT_STREAM;
    if (is_content(attribute))
        return filesystem_content_kind(inode);
    return meta->type == TSK_FS_META_TYPE_DIR && attribute->type == TSK_FS_ATTR_TYPE_NTFS_IDXROOT
               ? OBJECT_FOLDER
               : OBJECT_METADATA;
}

/*
 * Adds the clusters of a compressed attribute, as stored, to the slack.  Otherwise nothing would read what
 * follows the compressed bytes within a unit, does not decompress, or lies after the end of the content.
 * Uncompressed units are read twice as a result.
 */
static void add_stored(struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    const struct filesystem *filesystem = inode->filesystem;
    const uint64_t size = filesystem->facts.block_size, blocks = filesystem->info->last_block + 1;

    for (const TSK_FS_ATTR_RUN *run = attribute->nrd.run; run && filesystem_wants(inode, OBJECT_SLACK);
         run = run->next)
        if (!(run->flags & (TSK_FS_ATTR_RUN_FLAG_FILLER | TSK_FS_ATTR_RUN_FLAG_SPARSE)) &&
            run->addr < blocks && run->len <= blocks - run->addr)
            filesystem_add_range(inode, &inode->slack, filesystem->image_start + run->addr * size,
                                 run->len * size);
}

static bool is_direct(const struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    return inode->filesystem->direct && (attribute->flags & TSK_FS_ATTR_NONRES) &&
           !(attribute->flags & (TSK_FS_ATTR_COMP | TSK_FS_ATTR_RES)) && attribute->nrd.skiplen == 0 &&
           !attribute->r;
}

/* Copies an attribute's own properties. */
static void describe(struct object *object, const TSK_FS_ATTR *attribute)
{
    object->type = (uint32_t)attribute->type;
    object->id = attribute->id;
    if (attribute->flags & TSK_FS_ATTR_RES)
        object->flags |= OBJECT_RESIDENT;
    if (attribute->flags & TSK_FS_ATTR_COMP)
        object->flags |= OBJECT_COMPRESSED;
    if (attribute->flags & TSK_FS_ATTR_ENC)
        object->flags |= OBJECT_ENCRYPTED;
    if (attribute->name && (object->kind == OBJECT_STREAM || object->kind == OBJECT_METADATA))
        buffer_add_text(&object->stream, attribute->name);
}

/* Returns how many bytes of the content the attribute's runs may hold. */
static uint64_t known_bytes(const struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    const struct object *object = &inode->filesystem->object;

    if (attribute->flags & TSK_FS_ATTR_COMP)
        return INT64_MAX; /* the stored bytes are not those of the content */
    if (!is_direct(inode, attribute))
        return object->size;
    if (inode->filesystem->info->ftype == TSK_FS_TYPE_EXFAT && object->kind <= OBJECT_DELETED)
        return filesystem_exfat_written(inode, object->size);
    return attribute->nrd.initsize >= 0 && attribute->nrd.initsize < attribute->size
               ? (uint64_t)attribute->nrd.initsize
               : object->size;
}

static int give_attribute(struct filesystem_inode *inode, const TSK_FS_ATTR *attribute)
{
    struct object *object = &inode->filesystem->object;
    struct attribute_content content = {{.read = read_attribute}, attribute};
    enum object_kind kind = attribute_kind(inode, attribute);

    if (kind <= OBJECT_DELETED || kind == OBJECT_FOLDER)
        inode->has_content = true;
    if (!filesystem_is_worth_it(inode, kind) ||
        (kind == OBJECT_STREAM && filesystem_ntfs_is_bad_clusters(inode, attribute->name)))
        return 0;
    filesystem_begin_object(inode, kind);
    describe(object, attribute);
    if (filesystem_set_size(inode, attribute->size))
        return filesystem_give_wanted(inode, NULL);
    if (inode->filesystem->info->ftype == TSK_FS_TYPE_ISO9660 && object->size == ISO_FULL_EXTENT)
        object_blame(object, OBJECT_PARTIAL, "it is part of a larger file that continues as another object");
    if (attribute->flags & TSK_FS_ATTR_NONRES) {
        inode->known = known_bytes(inode, attribute);
        add_runs(inode, attribute);
        if (attribute->flags & TSK_FS_ATTR_COMP)
            add_stored(inode, attribute);
    }
    content.content.size = object->size;
    return filesystem_give_wanted(inode, is_direct(inode, attribute) ? NULL : &content.content);
}

/* A file or folder without content is listed all the same, because it has a name. */
static int give_empty(struct filesystem_inode *inode)
{
    enum object_kind kind = filesystem_content_kind(inode);

    if (kind == OBJECT_METADATA || !filesystem_wants(inode, kind) ||
        (kind == OBJECT_FOLDER && !(inode->kinds & OBJECT_DETAILS)))
        return 0;
    filesystem_begin_object(inode, kind);
    inode->filesystem->object.type = (uint32_t)inode->filesystem->info->get_default_attr_type(inode->file);
    if (kind != OBJECT_FOLDER && inode->file->meta->size > 0 &&
        filesystem_set_size(inode, inode->file->meta->size) == 0)
        object_blame(&inode->filesystem->object, OBJECT_UNREADABLE, "its content cannot be found");
    return filesystem_give(inode, NULL);
}

/* QUIRK_EXT_INLINE_EMPTY: libtsk reports an error although nothing is wrong.  (With QUIRK_EXT_INLINE_LARGE,
 * there is a real error.) */
static bool is_empty_inline(const TSK_FS_META *meta)
{
    return meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_INLINE && meta->size == 0;
}

/* A file whose attributes libtsk fails to load. */
static int give_unreadable(struct filesystem_inode *inode)
{
    struct object *object = &inode->filesystem->object;
    struct error err;

    filesystem_begin_object(inode, filesystem_content_kind(inode));
    filesystem_set_size(inode, inode->file->meta->size);
    tsk_failed(&err, "its content cannot be found");
    object_blame(object, OBJECT_UNREADABLE, "%.200s", err.text);
    return filesystem_wants(inode, object->kind) ? filesystem_give(inode, NULL) : 0;
}

int filesystem_give_attributes(struct filesystem_inode *inode)
{
    int count;

    tsk_error_reset();
    count = tsk_fs_file_attr_getsize(inode->file);
    if (count == 0 && tsk_error_get_errno() && !is_empty_inline(inode->file->meta) &&
        filesystem_content_kind(inode) <= OBJECT_DELETED)
        return give_unreadable(inode);
    for (int i = 0; i < count; i++) {
        const TSK_FS_ATTR *attribute = tsk_fs_file_attr_get_idx(inode->file, i);

        if (attribute && give_attribute(inode, attribute))
            return -1;
    }
    return inode->has_content ? 0 : give_empty(inode);
}
