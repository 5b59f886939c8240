/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILESYSTEM_INNER_H
#define KITH_FILESYSTEM_INNER_H

/* What the files of this module share. */

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
    uint64_t image_start; /* where block 0 lies on the image */
    bool direct;          /* blocks are bytes of the image as they are */
    struct object object; /* the one that is put together */
    struct extgroups ext; /* of an ext file system; zeros if its superblock contradicts itself */
};

static inline bool filesystem_is_ntfs(const struct filesystem *filesystem)
{
    return TSK_FS_TYPE_ISNTFS(filesystem->info->ftype);
}

/* ---- filesystem.c ---- */

/* Bytes from a place in the file system; what cannot be read is zeros. */
void filesystem_read(struct filesystem *filesystem, uint64_t at, void *into, size_t len);

/* Whether an inode, of whatever number, is that of a folder. */
bool filesystem_is_folder(const struct filesystem *filesystem, uint64_t inode);

/* ---- which files are the file system's own: filesystem_own.c ---- */

/* Whether a file is, and not a user's; and whether a stream of such a file is. */
bool filesystem_owns(const struct filesystem *filesystem, TSK_FS_FILE *file);
bool filesystem_owns_stream(const struct filesystem *filesystem, uint64_t inode, const char *name);

/* ---- an inode, and the objects that are made of it: filesystem_build.c ---- */

struct filesystem_inode {
    struct filesystem *filesystem; /* whose object is the present one */
    TSK_FS_FILE *file;
    unsigned kinds; /* that are wanted */
    bool own;       /* a file of the file system itself */
    filesystem_object found;
    void *arg;
    struct ranges slack, map; /* on the image; map: blocks that hold the object's block map */
    bool out_of_memory;       /* some of these are missing */
    bool has_content;         /* an object with its content was given */
    uint64_t known; /* bytes of the content that may be stored; after them are zeros and, on disk, what was
                       there before */
};

/* What the inode's content is, if that has no name of its own. */
enum object_kind filesystem_content_kind(const struct filesystem_inode *inode);
/* Whether that kind is wanted; whether it, or slack, is. */
bool filesystem_wants(const struct filesystem_inode *inode, enum object_kind kind);
bool filesystem_is_worth_it(const struct filesystem_inode *inode, enum object_kind kind);

/* Begins the next object, with all that the inode says of it. */
void filesystem_begin_object(struct filesystem_inode *inode, enum object_kind kind);
/* -1 if no object can have that size; it is blamed then. */
int filesystem_set_size(struct filesystem_inode *inode, TSK_OFF_T size);
/* Blocks of the content, from a byte of it on; what lies after the known content is slack.  -1 if they lie
 * outside of the file system; the object is blamed then. */
int filesystem_add_blocks(struct filesystem_inode *inode, uint64_t offset, uint64_t block, uint64_t count,
                          bool unwritten);
/* Bytes of the image, to one of the inode's two. */
void filesystem_add_range(struct filesystem_inode *inode, struct ranges *ranges, uint64_t image,
                          uint64_t len);

/* Hand over: the object; it if it is wanted, and the slack that was seen with it; the blocks of its map as an
 * object of that type.  Not 0: the callback wants no more. */
int filesystem_give(struct filesystem_inode *inode, struct content *content);
int filesystem_give_wanted(struct filesystem_inode *inode, struct content *content);
int filesystem_give_map(struct filesystem_inode *inode, uint32_t type);

/* ---- ways to the objects of an inode ---- */

/* Of ext, by block maps that kith reads; of any other, by the attributes that libtsk loads. */
int filesystem_give_ext(struct filesystem_inode *inode);
int filesystem_give_attributes(struct filesystem_inode *inode);

/* ---- ext: filesystem_ext.c ---- */

/*
 * Stretches of blocks of an ext file, in order, as far as byte len; -1: also what is reserved after its end.
 * used gets each block that holds a part of the map itself; it may be NULL.  libtsk's own map is not used:
 * see QUIRK_EXT_EXTENTS.  -1 if a part of the map cannot be used.
 */
typedef int (*filesystem_stretch)(void *arg, uint64_t file_block, uint64_t block, uint64_t count,
                                  bool unwritten);
int filesystem_map_ext(struct filesystem *filesystem, const TSK_FS_META *meta, int64_t len,
                       filesystem_stretch found, void (*used)(void *arg, uint64_t block), void *arg);

/* The names in a folder whose blocks hold them. */
int filesystem_ext_folder(struct filesystem *filesystem, TSK_FS_FILE *file, filesystem_found found, void *arg,
                          struct error *err);

/* ---- FAT, exFAT: filesystem_fat.c ---- */

/* An entry of a FAT or exFAT folder, which libtsk numbers as inodes; false if it cannot be read. */
bool filesystem_fat_entry(TSK_FS_INFO *info, uint64_t inode, struct fat_layout *layout,
                          uint8_t entry[FAT_ENTRY_LEN]);
/* A name with its own bytes: *name is moved to `bytes` if libtsk's has others.  Returns its length. */
size_t filesystem_fat_name(const struct filesystem *filesystem, uint64_t inode, const char **name,
                           char bytes[FAT_SHORT_NAME]);
/* The bytes of an exFAT file of this size that were ever written: its valid data length, at most its size. */
uint64_t filesystem_exfat_written(const struct filesystem_inode *inode, uint64_t size);

/* ---- NTFS: filesystem_ntfs.c ---- */

/* The next sound $FILE_NAME that is kept in an NTFS record itself, from its attribute *next on, which is
 * moved on; false: there is none. */
bool filesystem_next_name(TSK_FS_FILE *file, int *next, struct ntfs_name *name);
/* Whether a record only holds a part of another one's attributes; and whether one was never written
 * (QUIRK_NTFS_BLANK_RECORD). */
bool filesystem_ntfs_extends(TSK_FS_FILE *file);
bool filesystem_ntfs_is_blank(const struct filesystem *filesystem, uint64_t inode);
/* $BadClus:$Bad is as long as the volume and holds nothing; its clusters, if any, belong to nobody. */
bool filesystem_ntfs_is_bad_clusters(const struct filesystem_inode *inode, const char *stream);

#endif
