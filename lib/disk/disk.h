/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DISK_H
#define KITH_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "disk/medium.h"

/* A medium as libtsk sees it: its partitions, and the file systems in them.  For worker processes only. */
struct disk;

/* Borrows the medium, which must outlive it.  NULL on error. */
struct disk *disk_open(struct medium *medium, struct error *err);
void disk_close(struct disk *disk);

/* libtsk's handle, and the underlying medium. */
struct TSK_IMG_INFO *disk_image(struct disk *disk);
struct medium *disk_medium(const struct disk *disk);

struct disk_volume {
    uint64_t number;     /* as numbered by mmls */
    uint64_t start, len; /* limited to the image: len may be 0 */
    uint64_t missing;    /* bytes beyond the end of the image */
    const char *about;   /* description in the table; valid during the call */
};

/*
 * Calls found for each volume of the partition table at offset, in the order of the table, and sets type
 * ("dos", "gpt", ...).  is_cut: allow for a truncated image, see QUIRK_TABLE_CUT.  fault: describes an error
 * in the table that affects what is found; empty if there is none.  Returns 0, 1 if there is no table, or -1
 * if there is one that cannot be read.
 */
int disk_volumes(struct disk *disk, uint64_t offset, bool is_cut, const char **type,
                 void (*found)(void *arg, const struct disk_volume *), void *arg, struct error *fault,
                 struct error *err);

/* Identifies a file system, so that it can be opened again. */
struct disk_system {
    uint64_t offset;
    uint32_t type; /* libtsk's constant */
    bool in_pool;
    uint64_t block; /* block of its superblock in the pool */
};

/*
 * Calls found for each file system that begins at offset: none, one, or several if libtsk cannot decide or if
 * it is a pool of APFS volumes.  name: libtsk's name of its type.  type: the type to look for; NULL: any.
 * Returns 0, or 1 if there is none, with libtsk's reason in err.
 */
int disk_systems(struct disk *disk, uint64_t offset, const char *type,
                 void (*found)(void *arg, const struct disk_system *, const char *name), void *arg,
                 struct error *err);

/* The types of file systems that may be requested: "ntfs", "ext4", "fat", ...; ends with NULL. */
extern const char *const disk_types[];

#endif
