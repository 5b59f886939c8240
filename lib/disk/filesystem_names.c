/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "disk/fat.h"
#include "disk/filesystem_inner.h"

/* Names in folders, and of files that no folder lists. */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Some file systems do not store the type with the name; then the inode must be read. */
static bool is_folder(const struct filesystem *filesystem, const TSK_FS_NAME *name)
{
    return name->type == TSK_FS_NAME_TYPE_UNDEF ? filesystem_is_folder(filesystem, name->meta_addr)
                                                : name->type == TSK_FS_NAME_TYPE_DIR;
}

/* QUIRK_FOLDER_LIMIT: libtsk gives up a folder when it would have to allocate room for more than a million
 * names, but not if the room is already there. */
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

/* Like tsk_fs_dir_open_meta; a folder that has to be given up for lack of memory holds the names read
 * so far. */
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

/* Reads a folder through libtsk. */
static int read_folder(struct filesystem *filesystem, uint64_t inode, filesystem_found found, void *arg,
                       struct error *err)
{
    TSK_FS_DIR *folder;
    bool incomplete;
    int stop = 0;

    folder = open_folder(filesystem->info, inode);
    if (!folder)
        return tsk_failed(err, "cannot read folder %llu", (unsigned long long)inode);
    for (size_t i = 0; i < tsk_fs_dir_getsize(folder) && !stop; i++) {
        const TSK_FS_NAME *name = tsk_fs_dir_get_name(folder, i);
        char bytes[FAT_SHORT_NAME];
        const char *text;
        size_t len;

        if (!name || !name->name || !name->name[0] || is_dots(name->name))
            continue;
        text = name->name;
        len = filesystem_fat_name(filesystem, name->meta_addr, &text, bytes);
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
        result = tsk_failed(err, "cannot read folder %llu", (unsigned long long)inode);
    else if (file->meta->type != TSK_FS_META_TYPE_DIR)
        result = error_set(err, "inode %llu is listed as a folder but is not one", (unsigned long long)inode);
    else if (file->meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_INLINE)
        result = read_folder(filesystem, inode, found, arg, err);
    else
        result = filesystem_ext_folder(filesystem, file, found, arg, err);
    tsk_fs_file_close(file);
    return result;
}

struct inode_list {
    filesystem_found found;
    void *arg;
};

static TSK_WALK_RET_ENUM list_one(TSK_FS_FILE *file, void *arg)
{
    const struct inode_list *list = arg;
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
    struct inode_list list = {found, arg};
    const TSK_FS_META_FLAG_ENUM flags =
        TSK_FS_META_FLAG_ALLOC | TSK_FS_META_FLAG_UNALLOC | TSK_FS_META_FLAG_USED;

    tsk_error_reset();
    if (tsk_fs_meta_walk(filesystem->info, filesystem->info->first_inum, filesystem->info->last_inum, flags,
                         list_one, &list))
        return tsk_failed(err, "cannot list all files");
    return 0;
}
