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
 * A file system on a disk: the names it keeps, and its objects, inode by inode.  For worker processes only:
 * any of these functions may crash or hang in libtsk.
 */
struct filesystem;

/* Where file names are kept, and how to enumerate the inodes. */
enum filesystem_plan {
    FILESYSTEM_BY_NUMBER, /* inodes first..last, names in folders: ext, UFS, ISO 9660 */
    FILESYSTEM_RECORDS,   /* inodes first..last, each with its own names: NTFS */
    FILESYSTEM_BY_LIST, /* names in folders; filesystem_list finds what no folder lists: FAT, exFAT, YAFFS */
    FILESYSTEM_BY_NAME, /* only what folders list: HFS, APFS */
};

/* The plausible maximum of inodes: one for this many bytes of the image, and a few more. */
enum { FILESYSTEM_SMALLEST_INODE = 128, FILESYSTEM_MORE_INODES = 64 };

struct filesystem_facts {
    enum filesystem_plan plan;
    uint64_t first_inode, last_inode, root;
    uint64_t first_block, last_block; /* limited to the image */
    uint32_t block_size;
    uint64_t start, len;  /* on the image, as claimed by the file system */
    bool has_meta_groups; /* ext: whatever comes after the last inode and block belongs to no object */
    bool inodes_doubtful; /* it claims more inodes than fit; only the plausible number is examined */
};

/* NULL if libtsk cannot open it.  The disk must stay open; the facts live as long as the file system. */
struct filesystem *filesystem_open(struct disk *disk, const struct disk_system *system, struct error *err);
void filesystem_close(struct filesystem *filesystem);
const struct filesystem_facts *filesystem_facts(const struct filesystem *filesystem);

/* ---- names ---- */

struct filesystem_name {
    uint64_t inode, parent;
    uint32_t parent_sequence; /* FILESYSTEM_RECORDS: which use of the parent is meant, as inodes are reused */
    bool allocated;
    bool folder;
    const char *name;
    size_t len;
};

typedef int (*filesystem_found)(void *arg, const struct filesystem_name *name);

/* Reports the names in a folder, except "." and "..".  Stops if found returns non-zero. */
int filesystem_folder(struct filesystem *filesystem, uint64_t inode, filesystem_found found, void *arg,
                      struct error *err);

/* FILESYSTEM_RECORDS: reports the names of one inode; *sequence: its current use. */
int filesystem_names(struct filesystem *filesystem, uint64_t inode, uint32_t *sequence,
                     filesystem_found found, void *arg, struct error *err);

/* FILESYSTEM_BY_LIST: reports all inodes that can be found; those that no folder lists come with the name
 * that they store themselves. */
int filesystem_list(struct filesystem *filesystem, filesystem_found found, void *arg, struct error *err);

/* ---- objects ---- */

/* content: of an object whose content is not simply that of its runs (compressed, resident, ...), else NULL;
 * valid during the call.  The callback may swap the object with another. */
typedef int (*filesystem_object)(void *arg, struct object *object, struct content *content);

/*
 * Reports the objects of an inode.  kinds: a set of OBJECT_BIT and OBJECT_DETAILS, where OBJECT_DELETED
 * stands for everything not allocated.  Unused inodes have no objects.  -1 if the inode cannot be read; err
 * then holds only the cause.
 */
int filesystem_objects(struct filesystem *filesystem, uint64_t inode, unsigned kinds, filesystem_object found,
                       void *arg, struct error *err);

/* ---- outside files ---- */

/* Bytes of the image. */
typedef void (*filesystem_range)(void *arg, uint64_t start, uint64_t len);

/*
 * Reports where the file system keeps structures that belong to no inode: boot areas, superblocks, bitmaps,
 * tables.  In any order; they may overlap.  Calls getting_on now and then.
 */
int filesystem_structures(struct filesystem *filesystem, filesystem_range found,
                          void (*getting_on)(void *arg), void *arg, struct error *err);

/* Reports ranges of free blocks among first..last.  Calls getting_on now and then. */
int filesystem_unallocated(struct filesystem *filesystem, uint64_t first, uint64_t last,
                           filesystem_range found, void (*getting_on)(void *arg), void *arg,
                           struct error *err);

#endif
