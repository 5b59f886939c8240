/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILESYSTEM_INNER_H
#define KITH_FILESYSTEM_INNER_H

/* Shared by the files of this module. */

#include "base/ranges.h"
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
    uint64_t image_start; /* position of block 0 on the image */
    bool direct;          /* blocks are stored on the image as they are */
    struct object object; /* the one being built */
    struct extgroups ext; /* of an ext file system; zeros if its superblock is inconsistent */
};

/* Whether The Sleuth Kit recognised the file system as NTFS. */
static inline bool filesystem_is_ntfs(const struct filesystem *filesystem)
{
    return TSK_FS_TYPE_ISNTFS(filesystem->info->ftype);
}

/* ---- filesystem.c ---- */

/* Reads bytes at a position in the file system; zeros where they cannot be read. */
void filesystem_read(struct filesystem *filesystem, uint64_t at, void *into, size_t len);

/* Returns whether an inode is a folder; any number is allowed. */
bool filesystem_is_folder(const struct filesystem *filesystem, uint64_t inode);

/* ---- the file system's own files: filesystem_own.c ---- */

/* Return whether a file belongs to the file system itself rather than to a user; and whether a stream of such
 * a file does. */
bool filesystem_owns(const struct filesystem *filesystem, TSK_FS_FILE *file);
bool filesystem_owns_stream(const struct filesystem *filesystem, uint64_t inode, const char *name);

/* ---- building the objects of an inode: filesystem_build.c ---- */

struct filesystem_inode {
    struct filesystem *filesystem; /* its object is the one being built */
    TSK_FS_FILE *file;
    unsigned kinds; /* wanted */
    bool own;       /* it belongs to the file system itself */
    filesystem_object found;
    void *arg;
    struct ranges slack, map; /* on the image; map: the blocks that hold the object's block map */
    bool out_of_memory;       /* so that some ranges are missing */
    bool has_content;         /* an object with content has been reported */
    /* Bytes of the content that may have been written; after them it reads as zeros, whatever older data is
     * on the disk. */
    uint64_t known;
};

/* Returns the kind of the inode's main content. */
enum object_kind filesystem_content_kind(const struct filesystem_inode *inode);
/* Return whether this kind is wanted; and whether it or its slack is. */
bool filesystem_wants(const struct filesystem_inode *inode, enum object_kind kind);
bool filesystem_is_worth_it(const struct filesystem_inode *inode, enum object_kind kind);

/* Begins the next object, with all properties taken from the inode. */
void filesystem_begin_object(struct filesystem_inode *inode, enum object_kind kind);
/* -1 if the size is impossible; the object is then blamed. */
int filesystem_set_size(struct filesystem_inode *inode, TSK_OFF_T size);
/* Adds blocks of the content, which begin at byte `offset` of it; what lies after `known` is slack.  -1 if
 * they lie outside the file system; the object is then blamed. */
int filesystem_add_blocks(struct filesystem_inode *inode, uint64_t offset, uint64_t block, uint64_t count,
                          bool unwritten);
/* Adds bytes of the image to one of the inode's two lists. */
void filesystem_add_range(struct filesystem_inode *inode, struct ranges *ranges, uint64_t image,
                          uint64_t len);

/* Report: the object; the object if it is wanted, and the slack found with it; the blocks of its map, as an
 * object of this type.  Non-zero: the callback asked to stop. */
int filesystem_give(struct filesystem_inode *inode, struct content *content);
int filesystem_give_wanted(struct filesystem_inode *inode, struct content *content);
int filesystem_give_map(struct filesystem_inode *inode, uint32_t type);

/* ---- finding the objects of an inode ---- */

/* For ext, with block maps that kith reads itself; for other file systems, with the attributes that libtsk
 * loads. */
int filesystem_give_ext(struct filesystem_inode *inode);
int filesystem_give_attributes(struct filesystem_inode *inode);

/* ---- ext: filesystem_ext.c ---- */

/*
 * Reports the runs of blocks of an ext file, in order, up to byte len; len -1: including what is reserved
 * after its end.  used is called for each block that holds part of the map itself; it may be NULL.  libtsk's
 * own map is not used because of QUIRK_EXT_EXTENTS.  -1 if part of the map is unusable.
 */
typedef int (*filesystem_stretch)(void *arg, uint64_t file_block, uint64_t block, uint64_t count,
                                  bool unwritten);
int filesystem_map_ext(struct filesystem *filesystem, const TSK_FS_META *meta, int64_t len,
                       filesystem_stretch found, void (*used)(void *arg, uint64_t block), void *arg);

/* Reports the names in a folder that is stored in blocks. */
int filesystem_ext_folder(struct filesystem *filesystem, TSK_FS_FILE *file, filesystem_found found, void *arg,
                          struct error *err);

/* ---- FAT, exFAT: filesystem_fat.c ---- */

/* Reads an entry of a FAT or exFAT folder, which libtsk numbers as an inode; false if it cannot be read. */
bool filesystem_fat_entry(TSK_FS_INFO *info, uint64_t inode, struct fat_layout *layout,
                          uint8_t entry[FAT_ENTRY_LEN]);
/* Replaces *name by the original bytes, stored in `bytes`, if libtsk has altered them.  Returns the
 * length. */
size_t filesystem_fat_name(const struct filesystem *filesystem, uint64_t inode, const char **name,
                           char bytes[FAT_SHORT_NAME]);
/* Returns how many bytes of an exFAT file were ever written: its valid data length, at most size. */
uint64_t filesystem_exfat_written(const struct filesystem_inode *inode, uint64_t size);

/* ---- NTFS: filesystem_ntfs.c ---- */

/* Finds the next valid $FILE_NAME in the NTFS record itself, from attribute *next on, and advances *next;
 * false if there is none. */
bool filesystem_next_name(TSK_FS_FILE *file, int *next, struct ntfs_name *name);
/* Return whether a record merely holds more attributes of another one; and whether it was never written
 * (QUIRK_NTFS_BLANK_RECORD). */
bool filesystem_ntfs_extends(TSK_FS_FILE *file);
bool filesystem_ntfs_is_blank(const struct filesystem *filesystem, uint64_t inode);
/* Returns whether the stream is $BadClus:$Bad, which is as long as the volume and holds nothing; any clusters
 * in it belong to nobody. */
bool filesystem_ntfs_is_bad_clusters(const struct filesystem_inode *inode, const char *stream);

#endif
