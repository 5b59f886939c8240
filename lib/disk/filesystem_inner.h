/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILESYSTEM_INNER_H
#define KITH_FILESYSTEM_INNER_H

/* What the files of this module share. */

#include "disk/extgroups.h"
#include "disk/fat.h"
#include "disk/filesystem.h"
#include "disk/ntfs.h"
#include "disk/tsk.h"

struct filesystem {
    struct disk *disk;
    TSK_FS_INFO *info;
    const TSK_POOL_INFO *pool;
    struct filesystem_facts facts;
    uint64_t image_start; /* where block 0 lies on the image */
    bool direct;          /* blocks are bytes of the image as they are */
    struct object object; /* the one that is being told */
    struct extgroups ext; /* of an ext file system; zeros if its superblock contradicts itself */
    bool told_content;    /* of the inode that is being told */
};

static inline bool filesystem_is_ntfs(const struct filesystem *filesystem)
{
    return TSK_FS_TYPE_ISNTFS(filesystem->info->ftype);
}

/*
 * Stretches of blocks of an ext file, in order, as far as byte len; -1: also what is reserved after its end.
 * used gets each block that holds a part of the map itself; it may be NULL.  libtsk's own map is not used:
 * see QUIRK_EXT_EXTENTS.  -1 if a part of the map cannot be used.
 */
typedef int (*filesystem_stretch)(void *arg, uint64_t file_block, uint64_t block, uint64_t count,
                                  bool unwritten);
int filesystem_map_ext(struct filesystem *filesystem, const TSK_FS_META *meta, int64_t len,
                       filesystem_stretch found, void (*used)(void *arg, uint64_t block), void *arg);

/* Bytes from a place in the file system; what cannot be read is zeros. */
void filesystem_read(struct filesystem *filesystem, uint64_t at, void *into, size_t len);

/* Whether a file is the file system's own, not a user's; and whether a stream of such a file is. */
bool filesystem_owns(const struct filesystem *filesystem, TSK_FS_FILE *file);
bool filesystem_owns_stream(const struct filesystem *filesystem, uint64_t inode, const char *name);

/* An entry of a FAT or exFAT folder, which libtsk numbers as inodes; false if it cannot be read. */
bool filesystem_fat_entry(TSK_FS_INFO *info, uint64_t inode, struct fat_layout *layout,
                          uint8_t entry[FAT_ENTRY_LEN]);

/* The next sound $FILE_NAME that is kept in an NTFS record itself, from its attribute *next on, which is
 * moved on; false: there is none. */
bool filesystem_next_name(TSK_FS_FILE *file, int *next, struct ntfs_name *name);

#endif
