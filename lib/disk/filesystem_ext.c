/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "disk/extdir.h"
#include "disk/extmap.h"
#include "disk/filesystem_inner.h"

/* Files and folders of ext2, ext3 and ext4, whose blocks kith maps itself. */

enum { EXT_SHORT_LINK = 60 }; /* shorter targets are stored in the inode */

struct mapping {
    TSK_FS_INFO *info;
    filesystem_stretch found;
    void (*used)(void *arg, uint64_t block);
    void *arg;
};

static int map_read(void *arg, uint64_t block, uint8_t *into)
{
    const struct mapping *mapping = arg;
    const uint32_t size = mapping->info->block_size;

    if (tsk_fs_read_block(mapping->info, block, (char *)into, size) != (ssize_t)size)
        return -1;
    if (mapping->used)
        mapping->used(mapping->arg, block);
    return 0;
}

static int map_add(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    const struct mapping *mapping = arg;

    return mapping->found(mapping->arg, file_block, block, count, unwritten);
}

int filesystem_map_ext(struct filesystem *filesystem, const TSK_FS_META *meta, int64_t len,
                       filesystem_stretch found, void (*used)(void *arg, uint64_t block), void *arg)
{
    struct mapping mapping = {filesystem->info, found, used, arg};
    const struct extmap map = {.block_size = filesystem->facts.block_size,
                               .block_count = filesystem->info->last_block + 1,
                               .read = map_read,
                               .add = map_add,
                               .arg = &mapping};
    uint64_t pointers[EXTMAP_POINTERS], blocks = UINT32_MAX;

    if (len >= 0)
        blocks = (uint64_t)len / map.block_size + ((uint64_t)len % map.block_size != 0);
    if (meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_EXTENTS)
        return extmap_extents(&map, meta->content_ptr, blocks);
    for (int i = 0; i < EXTMAP_POINTERS; i++)
        pointers[i] = ((const TSK_DADDR_T *)meta->content_ptr)[i];
    return extmap_pointers(&map, pointers, blocks);
}

/* ---- folders ---- */

/* An ext folder, read block by block. */
struct ext_folder {
    struct filesystem *filesystem;
    uint64_t inode;
    bool allocated;
    filesystem_found found;
    void *arg;
    uint8_t *block;
    struct extdir dir;
    bool damaged;
};

static int found_ext_name(void *arg, const struct extdir_name *name)
{
    const struct ext_folder *folder = arg;
    struct filesystem *filesystem = folder->filesystem;
    bool is_dir = name->type == EXTDIR_FOLDER ||
                  (!folder->dir.has_types && filesystem_is_folder(filesystem, name->inode));

    return folder->found(folder->arg,
                         &(struct filesystem_name){.inode = name->inode,
                                                   .parent = folder->inode,
                                                   .allocated = name->allocated && folder->allocated,
                                                   .folder = is_dir,
                                                   .name = name->name,
                                                   .len = name->len});
}

static int read_ext_blocks(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    struct ext_folder *folder = arg;
    const struct filesystem *filesystem = folder->filesystem;
    const size_t size = filesystem->facts.block_size;

    (void)file_block;
    for (uint64_t i = 0; i < count && !unwritten; i++) {
        filesystem_read(folder->filesystem, (block + i) * size, folder->block, size);
        if (extdir_block(&folder->dir, folder->block, size))
            folder->damaged = true;
    }
    return 0;
}

int filesystem_ext_folder(struct filesystem *filesystem, TSK_FS_FILE *file, filesystem_found found, void *arg,
                          struct error *err)
{
    struct ext_folder folder = {.filesystem = filesystem,
                                .inode = file->meta->addr,
                                .found = found,
                                .arg = arg,
                                .allocated = (file->meta->flags & TSK_FS_META_FLAG_ALLOC) != 0,
                                .block = malloc(filesystem->facts.block_size)};

    if (!folder.block)
        return error_set(err, "out of memory");
    folder.dir = (struct extdir){.has_types = extgroups_has_types(&filesystem->ext),
                                 .last_inode = filesystem->info->last_inum,
                                 .found = found_ext_name,
                                 .arg = &folder};
    if (filesystem_map_ext(filesystem, file->meta, file->meta->size, read_ext_blocks, NULL, &folder))
        folder.damaged = true;
    free(folder.block);
    return folder.damaged ? error_set(err, "folder %llu is damaged, names may be missing",
                                      (unsigned long long)file->meta->addr)
                          : 0;
}

/* ---- objects ---- */

static int add_extent(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    struct filesystem_inode *inode = arg;
    uint64_t size = inode->filesystem->facts.block_size;

    if (file_block > INT64_MAX / size)
        return -1;
    return filesystem_add_blocks(inode, file_block * size, block, count, unwritten);
}

/* A hostile map may refer to the same blocks again and again; extmap stops once it is as long as the disk. */
static void add_map_block(void *arg, uint64_t block)
{
    struct filesystem_inode *inode = arg;
    const uint64_t size = inode->filesystem->facts.block_size;

    filesystem_add_range(inode, &inode->map, inode->filesystem->image_start + block * size, size);
}

/* The resize inode's blocks belong to the file system itself, wherever they are in that huge file. */
static int add_reserved(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    (void)file_block;
    (void)unwritten;
    for (uint64_t i = 0; i < count; i++)
        add_map_block(arg, block + i);
    return 0;
}

static bool has_ext_blocks(const TSK_FS_META *meta)
{
    return meta->type == TSK_FS_META_TYPE_REG || meta->type == TSK_FS_META_TYPE_DIR ||
           (meta->type == TSK_FS_META_TYPE_LNK && meta->size >= EXT_SHORT_LINK);
}

static uint32_t ext_map_type(const TSK_FS_META *meta)
{
    return meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_EXTENTS ? TSK_FS_ATTR_TYPE_UNIX_EXTENT
                                                                       : TSK_FS_ATTR_TYPE_UNIX_INDIR;
}

int filesystem_give_ext(struct filesystem_inode *inode)
{
    const TSK_FS_META *meta = inode->file->meta;
    struct filesystem *filesystem = inode->filesystem;
    enum object_kind kind = filesystem_content_kind(inode);

    if (inode->own && meta->addr == EXTGROUPS_RESIZE_INODE) {
        filesystem_map_ext(filesystem, meta, -1, add_reserved, add_map_block, inode);
        return filesystem_give_map(inode, ext_map_type(meta));
    }
    if (!filesystem_is_worth_it(inode, kind) && !filesystem_wants(inode, OBJECT_METADATA))
        return 0;
    filesystem_begin_object(inode, kind);
    filesystem->object.type = TSK_FS_ATTR_TYPE_DEFAULT;
    if (filesystem_set_size(inode, meta->size) || !has_ext_blocks(meta))
        return filesystem_give_wanted(inode, NULL);
    /* The preallocated blocks after the end are slack. */
    if (filesystem_map_ext(filesystem, meta, filesystem_wants(inode, OBJECT_SLACK) ? -1 : meta->size,
                           add_extent, add_map_block, inode))
        object_blame(&filesystem->object, OBJECT_PARTIAL, "its block map is damaged");
    return filesystem_give_wanted(inode, NULL) || filesystem_give_map(inode, ext_map_type(meta)) ? -1 : 0;
}
