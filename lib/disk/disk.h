/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DISK_H
#define KITH_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "disk/medium.h"

/*
 * A medium as libtsk sees it: its partitions, and which file systems lie in them.  Only for worker processes.
 */
struct disk;

/* Both are borrowed. */
struct disk *disk_open(struct medium *medium, struct error *err);
void disk_close(struct disk *disk);

/* libtsk's own handle, and the medium behind it. */
struct TSK_IMG_INFO *disk_image(struct disk *disk);
struct medium *disk_medium(const struct disk *disk);

struct disk_volume {
    uint64_t number;     /* as mmls counts */
    uint64_t start, len; /* as far as the image goes: len may be 0 */
    uint64_t missing;    /* bytes behind the end of the image */
    const char *about;   /* what the table says of it; valid during the call */
};

/*
 * Calls found for each volume of the partition table at offset, in the order of the table, and gives its type
 * ("dos", "gpt" ..).  is_cut: the image may be cut, see QUIRK_TABLE_CUT.  0, 1 if there is no table, -1 if
 * there is one that cannot be read.
 */
/* fault: what is wrong with the table and changes what is found; its text is empty if nothing is. */
int disk_volumes(struct disk *disk, uint64_t offset, bool is_cut, const char **type,
                 void (*found)(void *arg, const struct disk_volume *), void *arg, struct error *fault,
                 struct error *err);

/* A file system, as it can be opened again. */
struct disk_system {
    uint64_t offset;
    uint32_t type; /* libtsk's number */
    bool in_pool;
    uint64_t block; /* of its superblock in the pool */
};

/*
 * Calls found for each file system that begins at offset: none, one; several where libtsk cannot decide, or
 * in a pool of APFS volumes.  name: as libtsk names it.  type: the one to look for, NULL for any.  1 if there
 * is none, and err tells why libtsk thinks so.
 */
int disk_systems(struct disk *disk, uint64_t offset, const char *type,
                 void (*found)(void *arg, const struct disk_system *, const char *name), void *arg,
                 struct error *err);

/* The names of the file systems that can be asked for: "ntfs", "ext4", "fat" ..; NULL ends the list. */
extern const char *const disk_types[];

#endif
