/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "disk/fat.h"
#include "disk/filesystem_inner.h"

/* Information from folder entries of FAT and exFAT that libtsk does not pass on. */

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
 * QUIRK_FAT_SHORT_NAME: the entry has the original bytes; they are used if the name is otherwise the same.
 * Returns the name's length.
 */
size_t filesystem_fat_name(const struct filesystem *filesystem, uint64_t inode, const char **name,
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

/*
 * The valid data length of an exFAT file, from the entry after the file's own (QUIRK_EXFAT_VALID_LENGTH).  If
 * that entry is not in the same cluster, everything counts as written.
 */
uint64_t filesystem_exfat_written(const struct filesystem_inode *inode, uint64_t size)
{
    const uint64_t next = inode->file->meta->addr + 1;
    uint8_t entry[FAT_ENTRY_LEN];
    struct fat_layout layout;

    if (!filesystem_fat_entry(inode->filesystem->info, next, &layout, entry) ||
        fat_begins_cluster(&layout, next))
        return size;
    return fat_stream_written(entry, size);
}
