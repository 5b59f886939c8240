/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "disk/fat.h"
#include "disk/filesystem_inner.h"
#include "disk/ntfs.h"

/*
 * Decides which files belong to the file system itself rather than to a user.  Nothing is trusted that could
 * hide a file: an inode number counts only if the feature that needs it is enabled, a name only in its place.
 * An error here changes a file's kind but never hides its content, because the file system's own files are
 * read as well.
 */
enum { HFS_FIRST_FILE = 16, NTFS_LAST_OWN = 11 };

/* The names that NTFS itself keeps in the folder $Extend. */
static bool is_extend_name(const char *name, size_t len)
{
    static const char *const names[] = {"$ObjId",   "$Quota",      "$Reparse",
                                        "$UsnJrnl", "$RmMetadata", "$Deleted"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return true;
    return false;
}

/* Returns whether it has names, all of them those of NTFS's own files in $Extend. */
static bool is_in_extend(TSK_FS_FILE *file)
{
    struct ntfs_name name;
    bool found = false;
    int next = 0;

    while (filesystem_next_name(file, &next, &name)) {
        if (name.parent != NTFS_EXTEND || !is_extend_name(name.text, name.len))
            return false;
        found = true;
    }
    return found;
}

/* Records below 24 are reserved, those from 12 on for future use: these have neither a name nor content. */
static bool is_reserved(TSK_FS_FILE *file)
{
    for (int i = 0, count = tsk_fs_file_attr_getsize(file); i < count; i++) {
        const TSK_FS_ATTR *attribute = tsk_fs_file_attr_get_idx(file, i);

        if (attribute && (attribute->type == TSK_FS_ATTR_TYPE_NTFS_FNAME ||
                          (attribute->type == TSK_FS_ATTR_TYPE_NTFS_DATA && attribute->size > 0)))
            return false;
    }
    return file->meta->addr < NTFS_FIRST_FILE;
}

/* Entries of a FAT or exFAT folder that are not files: the label, the bitmap, ... */
static bool is_fat_own(const struct filesystem *filesystem, uint64_t inode)
{
    struct fat_layout layout;
    uint8_t entry[FAT_ENTRY_LEN];

    return filesystem_fat_entry(filesystem->info, inode, &layout, entry) &&
           !fat_is_file(entry, filesystem->info->ftype == TSK_FS_TYPE_EXFAT);
}

bool filesystem_owns(const struct filesystem *filesystem, TSK_FS_FILE *file)
{
    const TSK_FS_META *meta = file->meta;

    if (meta->type == TSK_FS_META_TYPE_VIRT || meta->type == TSK_FS_META_TYPE_VIRT_DIR)
        return true;
    if (filesystem_is_ntfs(filesystem))
        return meta->addr <= NTFS_LAST_OWN || is_reserved(file) || is_in_extend(file);
    if (TSK_FS_TYPE_ISEXT(filesystem->info->ftype))
        return extgroups_is_own(&filesystem->ext, meta->addr);
    if (TSK_FS_TYPE_ISHFS(filesystem->info->ftype))
        return meta->addr < HFS_FIRST_FILE;
    return TSK_FS_TYPE_ISFAT(filesystem->info->ftype) && is_fat_own(filesystem, meta->addr);
}

bool filesystem_owns_stream(const struct filesystem *filesystem, uint64_t inode, const char *name)
{
    static const struct {
        uint64_t inode; /* 0: below $Extend */
        const char *name;
    } streams[] = {{6, "$SRAT"}, {9, "$SDS"}, {10, "$Info"}, {0, "$J"}, {0, "$Max"}, {0, "$Config"}};

    for (size_t i = 0; i < sizeof streams / sizeof *streams && filesystem_is_ntfs(filesystem); i++)
        if (strcmp(streams[i].name, name) == 0 &&
            (streams[i].inode ? streams[i].inode == inode : inode > NTFS_LAST_OWN))
            return true;
    return !filesystem_is_ntfs(filesystem);
}
