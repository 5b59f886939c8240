/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/filesystem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "disk/extdir.h"
#include "disk/extmap.h"
#include "disk/fat.h"
#include "disk/filesystem_inner.h"
#include "disk/ntfs.h"

/* ---- opening ---- */

static enum filesystem_plan plan_of(const TSK_FS_INFO *info)
{
    if (TSK_FS_TYPE_ISNTFS(info->ftype))
        return FILESYSTEM_RECORDS;
    if (TSK_FS_TYPE_ISFAT(info->ftype) || TSK_FS_TYPE_ISYAFFS2(info->ftype))
        return FILESYSTEM_BY_LIST;
    if (TSK_FS_TYPE_ISHFS(info->ftype) || TSK_FS_TYPE_ISAPFS(info->ftype))
        return FILESYSTEM_BY_NAME;
    return FILESYSTEM_BY_NUMBER;
}

static void fill_facts(struct filesystem *filesystem)
{
    const TSK_FS_INFO *info = filesystem->info;
    struct filesystem_facts *facts = &filesystem->facts;
    uint64_t room =
        medium_size(disk_medium(filesystem->disk)) / FILESYSTEM_SMALLEST_INODE + FILESYSTEM_MORE_INODES;

    *facts = (struct filesystem_facts){.plan = plan_of(info),
                                       .first_inode = info->first_inum,
                                       .last_inode = info->last_inum,
                                       .root = info->root_inum,
                                       .first_block = info->first_block,
                                       .last_block = info->last_block_act,
                                       .block_size = info->block_size,
                                       .start = filesystem->image_start};
    if (info->block_size && info->last_block < (uint64_t)INT64_MAX / info->block_size - 1)
        facts->len = (info->last_block + 1) * info->block_size;
    if ((facts->plan == FILESYSTEM_BY_NUMBER || facts->plan == FILESYSTEM_RECORDS) &&
        facts->last_inode > facts->first_inode + room) {
        facts->last_inode = facts->first_inode + room;
        facts->inodes_doubtful = true;
    }
}

static TSK_FS_INFO *open_in_pool(struct filesystem *filesystem, const struct disk_system *system)
{
    TSK_IMG_INFO *image;

    filesystem->pool =
        tsk_pool_open_img_sing(disk_image(filesystem->disk), (TSK_OFF_T)system->offset, TSK_POOL_TYPE_APFS);
    image = filesystem->pool ? filesystem->pool->get_img_info(filesystem->pool, system->block) : NULL;
    return image ? tsk_fs_open_img_decrypt(image, 0, TSK_FS_TYPE_APFS, "") : NULL;
}

/* Only the groups that libtsk finds, see QUIRK_EXT_META_GROUPS: what comes after them belongs to no object.
 */
static void fill_ext(struct filesystem *filesystem)
{
    struct filesystem_facts *facts = &filesystem->facts;
    struct extgroups *ext = &filesystem->ext;
    uint8_t superblock[EXTGROUPS_SUPERBLOCK_LEN];
    uint64_t groups;

    filesystem_read(filesystem, EXTGROUPS_SUPERBLOCK_AT, superblock, sizeof superblock);
    if (!extgroups_parse(superblock, ext)) {
        *ext = (struct extgroups){0};
        return;
    }
    groups = extgroups_seen_by_tsk(ext);
    if (groups < ext->group_count && facts->last_inode > groups * ext->inodes_per_group) {
        facts->last_inode = groups * ext->inodes_per_group;
        facts->last_block = facts->first_block + groups * ext->blocks_per_group - 1;
        facts->has_meta_groups = true;
    }
}

struct filesystem *filesystem_open(struct disk *disk, const struct disk_system *system, struct error *err)
{
    struct filesystem *filesystem = calloc(1, sizeof *filesystem);

    if (!filesystem) {
        error_set(err, "out of memory");
        return NULL;
    }
    filesystem->disk = disk;
    tsk_error_reset();
    filesystem->info = system->in_pool
                           ? open_in_pool(filesystem, system)
                           : tsk_fs_open_img(disk_image(disk), (TSK_OFF_T)system->offset, system->type);
    if (!filesystem->info) {
        tsk_failed(err, "the file system cannot be opened");
        filesystem_close(filesystem);
        return NULL;
    }
    filesystem->image_start =
        system->in_pool ? filesystem->pool->img_offset : (uint64_t)filesystem->info->offset;
    filesystem->direct =
        !system->in_pool && !filesystem->info->block_pre_size && !filesystem->info->block_post_size;
    fill_facts(filesystem);
    if (TSK_FS_TYPE_ISEXT(filesystem->info->ftype))
        fill_ext(filesystem);
    return filesystem;
}

void filesystem_close(struct filesystem *filesystem)
{
    if (!filesystem)
        return;
    if (filesystem->info)
        tsk_fs_close(filesystem->info);
    if (filesystem->pool)
        tsk_pool_close(filesystem->pool);
    object_release(&filesystem->object);
    free(filesystem);
}

void filesystem_read(struct filesystem *filesystem, uint64_t at, void *into, size_t len)
{
    medium_read(disk_medium(filesystem->disk), filesystem->image_start + at, into, len);
}

const struct filesystem_facts *filesystem_facts(const struct filesystem *filesystem)
{
    return &filesystem->facts;
}

/* ---- the blocks of ext files ---- */

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

/* ---- names ---- */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Some file systems do not tell the type with the name: then the inode does. */
static bool is_folder_inode(const struct filesystem *filesystem, uint64_t inode)
{
    TSK_FS_FILE *file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    bool folder = file && file->meta && file->meta->type == TSK_FS_META_TYPE_DIR;

    tsk_fs_file_close(file);
    return folder;
}

static bool is_folder(const struct filesystem *filesystem, const TSK_FS_NAME *name)
{
    return name->type == TSK_FS_NAME_TYPE_UNDEF ? is_folder_inode(filesystem, name->meta_addr)
                                                : name->type == TSK_FS_NAME_TYPE_DIR;
}

/* ---- short names of FAT ---- */

bool filesystem_fat_entry(TSK_FS_INFO *info, uint64_t inode, struct fat_layout *layout,
                          uint8_t entry[FAT_ENTRY_LEN])
{
    uint8_t boot[FAT_BOOT_LEN];
    uint64_t at;

    return tsk_fs_read(info, 0, (char *)boot, FAT_BOOT_LEN) == FAT_BOOT_LEN &&
           fat_layout(boot, info->ftype == TSK_FS_TYPE_EXFAT, layout) && fat_entry_at(layout, inode, &at) &&
           tsk_fs_read(info, (TSK_OFF_T)at, (char *)entry, FAT_ENTRY_LEN) == FAT_ENTRY_LEN;
}

/*
 * QUIRK_FAT_SHORT_NAME: the bytes themselves are in the entry; they are taken if that is the same name
 * otherwise.  Returns the name's length.
 */
static size_t restore_name(const struct filesystem *filesystem, uint64_t inode, const char **name,
                           char bytes[FAT_SHORT_NAME])
{
    const size_t len = strlen(*name);
    struct fat_layout layout;
    uint8_t entry[FAT_ENTRY_LEN];

    if (!TSK_FS_TYPE_ISFAT(filesystem->info->ftype) || filesystem->info->ftype == TSK_FS_TYPE_EXFAT ||
        !strchr(*name, '^') || !filesystem_fat_entry(filesystem->info, inode, &layout, entry) ||
        fat_short_name(entry, bytes) != len)
        return len;
    for (size_t i = 0; i < len; i++)
        if ((*name)[i] != '^' && (*name)[i] != bytes[i])
            return len;
    *name = bytes;
    return len;
}

/* QUIRK_FOLDER_LIMIT: a folder is given up when libtsk would need to ask for more room than for a million
 * names, and is not when the room is there already. */
enum { MOST_NAMES = TSK_VERSION_NUM >= 0x04120000 ? 1000000 : INT_MAX };

static bool is_given_up(const TSK_FS_DIR *folder)
{
    return folder && folder->names_used >= MOST_NAMES && folder->names_used == folder->names_alloc;
}

static int add_room(TSK_FS_DIR *folder)
{
    const size_t count = folder->names_alloc;
    TSK_FS_NAME *names = realloc(folder->names, 2 * count * sizeof *names);

    if (!names)
        return -1;
    memset(names + count, 0, count * sizeof *names);
    for (size_t i = count; i < 2 * count; i++)
        names[i].tag = TSK_FS_NAME_TAG;
    folder->names = names;
    folder->names_alloc = 2 * count;
    return 0;
}

/* As tsk_fs_dir_open_meta; a folder that is given up for lack of memory has the names that were read. */
static TSK_FS_DIR *open_folder(TSK_FS_INFO *info, uint64_t inode)
{
    TSK_FS_DIR *folder = NULL;
    TSK_RETVAL_ENUM code = info->dir_open_meta(info, &folder, inode, 0);

    while (is_given_up(folder) && add_room(folder) == 0) {
        tsk_error_reset();
        code = info->dir_open_meta(info, &folder, inode, 0);
    }
    if (code == TSK_OK || is_given_up(folder))
        return folder;
    tsk_fs_dir_close(folder);
    return NULL;
}

/* A folder as libtsk reads it. */
static int read_folder(struct filesystem *filesystem, uint64_t inode, filesystem_found found, void *arg,
                       struct error *err)
{
    TSK_FS_DIR *folder;
    bool incomplete;
    int stop = 0;

    folder = open_folder(filesystem->info, inode);
    if (!folder)
        return tsk_failed(err, "folder %llu cannot be read", (unsigned long long)inode);
    for (size_t i = 0; i < tsk_fs_dir_getsize(folder) && !stop; i++) {
        const TSK_FS_NAME *name = tsk_fs_dir_get_name(folder, i);
        char bytes[FAT_SHORT_NAME];
        const char *text;
        size_t len;

        if (!name || !name->name || !name->name[0] || is_dots(name->name))
            continue;
        text = name->name;
        len = restore_name(filesystem, name->meta_addr, &text, bytes);
        stop = found(arg, &(struct filesystem_name){.inode = name->meta_addr,
                                                    .parent = inode,
                                                    .allocated = (name->flags & TSK_FS_NAME_FLAG_ALLOC) != 0,
                                                    .folder = is_folder(filesystem, name),
                                                    .name = text,
                                                    .len = len});
    }
    incomplete = is_given_up(folder);
    tsk_fs_dir_close(folder);
    return incomplete
               ? error_set(err, "folder %llu: only a million names were read", (unsigned long long)inode)
               : 0;
}

/* An ext folder, block by block. */
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
    bool is_dir =
        name->type == EXTDIR_FOLDER || (!folder->dir.has_types && is_folder_inode(filesystem, name->inode));

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

static int read_ext_folder(struct filesystem *filesystem, TSK_FS_FILE *file, filesystem_found found,
                           void *arg, struct error *err)
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

int filesystem_folder(struct filesystem *filesystem, uint64_t inode, filesystem_found found, void *arg,
                      struct error *err)
{
    TSK_FS_FILE *file;
    int result;

    tsk_error_reset();
    if (!TSK_FS_TYPE_ISEXT(filesystem->info->ftype))
        return read_folder(filesystem, inode, found, arg, err);
    file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    if (!file || !file->meta)
        result = tsk_failed(err, "folder %llu cannot be read", (unsigned long long)inode);
    else if (file->meta->type != TSK_FS_META_TYPE_DIR)
        result = error_set(err, "inode %llu is named as a folder, but is none", (unsigned long long)inode);
    else if (file->meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_INLINE)
        result = read_folder(filesystem, inode, found, arg, err);
    else
        result = read_ext_folder(filesystem, file, found, arg, err);
    tsk_fs_file_close(file);
    return result;
}

struct list {
    filesystem_found found;
    void *arg;
};

static TSK_WALK_RET_ENUM list_one(TSK_FS_FILE *file, void *arg)
{
    const struct list *list = arg;
    const TSK_FS_META *meta = file->meta;
    const char *name = meta && meta->name2 ? meta->name2->name : "";

    if (!meta || meta->type == TSK_FS_META_TYPE_VIRT_DIR)
        return TSK_WALK_CONT;
    return list->found(list->arg,
                       &(struct filesystem_name){.inode = meta->addr,
                                                 .allocated = (meta->flags & TSK_FS_META_FLAG_ALLOC) != 0,
                                                 .folder = meta->type == TSK_FS_META_TYPE_DIR,
                                                 .name = name,
                                                 .len = strlen(name)})
               ? TSK_WALK_STOP
               : TSK_WALK_CONT;
}

int filesystem_list(struct filesystem *filesystem, filesystem_found found, void *arg, struct error *err)
{
    struct list list = {found, arg};
    const TSK_FS_META_FLAG_ENUM flags =
        TSK_FS_META_FLAG_ALLOC | TSK_FS_META_FLAG_UNALLOC | TSK_FS_META_FLAG_USED;

    tsk_error_reset();
    if (tsk_fs_meta_walk(filesystem->info, filesystem->info->first_inum, filesystem->info->last_inum, flags,
                         list_one, &list))
        return tsk_failed(err, "not all files could be found");
    return 0;
}

/* ---- an NTFS file's own names ---- */

static bool is_name(const TSK_FS_ATTR *attribute, struct ntfs_name *name)
{
    return attribute->type == TSK_FS_ATTR_TYPE_NTFS_FNAME && attribute->flags & TSK_FS_ATTR_RES &&
           attribute->size >= 0 && (size_t)attribute->size <= attribute->rd.buf_size &&
           ntfs_name(attribute->rd.buf, (size_t)attribute->size, name);
}

bool filesystem_next_name(TSK_FS_FILE *file, int *next, struct ntfs_name *name)
{
    const int count = tsk_fs_file_attr_getsize(file);

    while (*next < count) {
        const TSK_FS_ATTR *attribute = tsk_fs_file_attr_get_idx(file, (*next)++);

        if (attribute && is_name(attribute, name))
            return true;
    }
    return false;
}

int filesystem_names(struct filesystem *filesystem, uint64_t inode, uint32_t *sequence,
                     filesystem_found found, void *arg, struct error *err)
{
    TSK_FS_FILE *file;
    struct ntfs_name name;
    int next = 0, stop;

    tsk_error_reset();
    file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    if (!file || !file->meta) {
        tsk_fs_file_close(file);
        return tsk_failed(err, "record %llu cannot be read", (unsigned long long)inode);
    }
    *sequence = file->meta->seq;
    stop = !(file->meta->flags & TSK_FS_META_FLAG_USED) || file->meta->type == TSK_FS_META_TYPE_VIRT_DIR;
    while (!stop && filesystem_next_name(file, &next, &name))
        stop = found(arg,
                     &(struct filesystem_name){.inode = inode,
                                               .parent = name.parent,
                                               .parent_sequence = name.parent_sequence,
                                               .allocated = (file->meta->flags & TSK_FS_META_FLAG_ALLOC) != 0,
                                               .folder = file->meta->type == TSK_FS_META_TYPE_DIR,
                                               .name = name.text,
                                               .len = name.len});
    tsk_fs_file_close(file);
    return 0;
}

/* ---- free blocks ---- */

struct free_blocks {
    const struct filesystem *filesystem;
    filesystem_range found;
    void (*getting_on)(void *arg);
    void *arg;
    uint64_t first, end; /* of the stretch that is being collected */
    uint64_t seen;
};

static void flush_free(struct free_blocks *blocks)
{
    uint64_t size = blocks->filesystem->facts.block_size;

    if (blocks->end > blocks->first)
        blocks->found(blocks->arg, blocks->filesystem->image_start + blocks->first * size,
                      (blocks->end - blocks->first) * size);
}

static TSK_WALK_RET_ENUM free_block(const TSK_FS_BLOCK *block, void *arg)
{
    struct free_blocks *blocks = arg;

    if (block->addr != blocks->end) {
        flush_free(blocks);
        blocks->first = block->addr;
    }
    blocks->end = block->addr + 1;
    if (++blocks->seen % 65536 == 0)
        blocks->getting_on(blocks->arg);
    return TSK_WALK_CONT;
}

int filesystem_unallocated(struct filesystem *filesystem, uint64_t first, uint64_t last,
                           filesystem_range found, void (*getting_on)(void *arg), void *arg,
                           struct error *err)
{
    struct free_blocks blocks = {
        .filesystem = filesystem, .found = found, .getting_on = getting_on, .arg = arg};
    const TSK_FS_BLOCK_WALK_FLAG_ENUM flags = TSK_FS_BLOCK_WALK_FLAG_UNALLOC | TSK_FS_BLOCK_WALK_FLAG_AONLY;
    int failed;

    tsk_error_reset();
    failed = tsk_fs_block_walk(filesystem->info, first, last, flags, free_block, &blocks);
    flush_free(&blocks);
    return failed ? tsk_failed(err, "free blocks %llu to %llu cannot all be found", (unsigned long long)first,
                               (unsigned long long)last)
                  : 0;
}
