/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILESYSTEM_H
#define KITH_FILESYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "disk/content.h"
#include "disk/disk.h"
#include "disk/object.h"

/*
 * A file system of a disk: the names that it keeps, and its objects, inode by inode.  Only for worker
 * processes: behind it is libtsk, which may crash or hang in any of these calls.
 */
struct filesystem;

/* Where the names of the files are, and how all of its inodes are found. */
enum filesystem_plan {
    FILESYSTEM_BY_NUMBER, /* inodes first..last, names in folders: ext, UFS, ISO 9660 */
    FILESYSTEM_RECORDS,   /* inodes first..last, each holds its own names: NTFS */
    FILESYSTEM_BY_LIST, /* names in folders, and filesystem_list finds what no folder names: FAT, exFAT, YAFFS
                         */
    FILESYSTEM_BY_NAME, /* only what folders name: HFS, APFS */
};

/* More inodes than that for each byte of the image are not believed. */
enum { FILESYSTEM_SMALLEST_INODE = 128, FILESYSTEM_MORE_INODES = 64 };

struct filesystem_facts {
    enum filesystem_plan plan;
    uint64_t first_inode, last_inode, root;
    uint64_t first_block, last_block; /* as far as the image holds them */
    uint32_t block_size;
    uint64_t start, len;  /* on the image, as the file system claims */
    bool has_meta_groups; /* ext: what comes after the last inode and block belongs to no object */
    bool inodes_doubtful; /* it claims more inodes than it has room for: only so many are looked at */
};

/* NULL if libtsk cannot read it.  The disk must stay open; the facts lie in the file system. */
struct filesystem *filesystem_open(struct disk *disk, const struct disk_system *system, struct error *err);
void filesystem_close(struct filesystem *filesystem);
const struct filesystem_facts *filesystem_facts(const struct filesystem *filesystem);

/* ---- names ---- */

struct filesystem_name {
    uint64_t inode, parent;
    uint32_t parent_sequence; /* FILESYSTEM_RECORDS: the parent's use that is meant; inodes are used again */
    bool allocated;
    bool folder;
    const char *name;
    size_t len;
};

typedef int (*filesystem_found)(void *arg, const struct filesystem_name *name);

/* The names in a folder, but "." and "..".  Stops when found returns not 0. */
int filesystem_folder(struct filesystem *filesystem, uint64_t inode, filesystem_found found, void *arg,
                      struct error *err);

/* FILESYSTEM_RECORDS: the names of one inode; *sequence: which use of it this is. */
int filesystem_names(struct filesystem *filesystem, uint64_t inode, uint32_t *sequence,
                     filesystem_found found, void *arg, struct error *err);

/* FILESYSTEM_BY_LIST: all inodes that can be found; those that no folder names have the name that they keep
 * themselves. */
int filesystem_list(struct filesystem *filesystem, filesystem_found found, void *arg, struct error *err);

/* ---- objects ---- */

/* content: of an object that runs alone do not hold (compressed, resident ..), else NULL; valid during the
 * call.  The object is the callback's to swap with another. */
typedef int (*filesystem_object)(void *arg, struct object *object, struct content *content);

/*
 * The objects of an inode, of the kinds of a set of OBJECT_BIT and OBJECT_DETAILS; OBJECT_DELETED stands for
 * whatever is not allocated.  What is not used gives none.  -1 if the inode cannot be read: the error tells
 * only the cause.
 */
int filesystem_objects(struct filesystem *filesystem, uint64_t inode, unsigned kinds, filesystem_object found,
                       void *arg, struct error *err);

/* ---- what is no file ---- */

/* Bytes of the image. */
typedef void (*filesystem_range)(void *arg, uint64_t start, uint64_t len);

/*
 * Where the file system keeps structures that are no objects of an inode: boot areas, superblocks, bitmaps,
 * tables.  In any order, and they may overlap.  getting_on is called now and then.
 */
int filesystem_structures(struct filesystem *filesystem, filesystem_range found,
                          void (*getting_on)(void *arg), void *arg, struct error *err);

/* Stretches of free blocks among first..last; getting_on is called now and then. */
int filesystem_unallocated(struct filesystem *filesystem, uint64_t first, uint64_t last,
                           filesystem_range found, void (*getting_on)(void *arg), void *arg,
                           struct error *err);

#endif
