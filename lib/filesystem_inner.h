/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILESYSTEM_INNER_H
#define KITH_FILESYSTEM_INNER_H

/* What the files of this module share. */

#include "fat.h"
#include "filesystem.h"
#include "tsk.h"

/* What libtsk does not tell of an ext file system, from its superblock. */
struct filesystem_ext {
    uint64_t project_quota, orphan_file; /* inodes of its own among those of files; 0: there are none */
    bool has_types;                      /* names tell the type of the file */
};

struct filesystem {
    struct disk *disk;
    TSK_FS_INFO *info;
    const TSK_POOL_INFO *pool;
    struct filesystem_facts facts;
    uint64_t image_start; /* where block 0 lies on the image */
    bool direct;          /* blocks are bytes of the image as they are */
    struct object object; /* the one that is being told */
    struct filesystem_ext ext;
    bool told_content; /* of the inode that is being told */
};

static inline bool filesystem_is_ntfs(const struct filesystem *filesystem)
{
    return TSK_FS_TYPE_ISNTFS(filesystem->info->ftype);
}

/*
 * Stretches of blocks of an ext file, in order, as far as byte len; -1: also what is reserved behind.
 * libtsk's own map of them is not used: see extmap.h.  -1 if a part of the map cannot be used.
 */
typedef int (*filesystem_stretch)(void *arg, uint64_t file_block, uint64_t block, uint64_t count,
                                  bool unwritten);
int filesystem_map_ext(struct filesystem *filesystem, const TSK_FS_META *meta, int64_t len,
                       filesystem_stretch found, void *arg);

/* An entry of a FAT or exFAT folder, which libtsk numbers as inodes; false if it cannot be read. */
bool filesystem_fat_entry(TSK_FS_INFO *info, uint64_t inode, struct fat_layout *layout,
                          uint8_t entry[FAT_ENTRY_LEN]);

/* An attribute's data, if it is a $FILE_NAME that is kept in the record itself; NULL otherwise. */
const uint8_t *filesystem_name_data(const TSK_FS_ATTR *attribute, size_t *len);

#endif
