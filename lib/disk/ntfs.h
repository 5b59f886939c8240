/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NTFS_H
#define KITH_NTFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Details of NTFS that libtsk does not provide, decoded from its bytes: complete names (QUIRK_NTFS_NAME),
 * their parents, and the length of a record. */
enum {
    NTFS_FIRST_FILE = 24, /* records below this are reserved */
    NTFS_EXTEND = 11,     /* the folder that holds further files of the file system itself */
    NTFS_BOOT_LEN = 80,
    NTFS_MAX_NAME = 255 * 3, /* bytes */
};

struct ntfs_name {
    uint64_t parent;
    uint32_t parent_sequence;
    /* UTF-8; an unpaired surrogate is written as three bytes, which strict UTF-8 does not allow */
    char text[NTFS_MAX_NAME];
    size_t len;
};

/* Decodes the content of a $FILE_NAME attribute; false if it is truncated, or if it is only the short form of
 * a long name. */
bool ntfs_name(const uint8_t *data, size_t len, struct ntfs_name *name);

/* Returns the size of a record in bytes, from the boot sector; 0 if that is invalid. */
uint32_t ntfs_record_len(const uint8_t boot[NTFS_BOOT_LEN]);

/* Finds the copy of the boot sector, in bytes of the volume; returns its length, or 0 if the boot sector is
 * invalid. */
uint32_t ntfs_boot_copy(const uint8_t boot[NTFS_BOOT_LEN], uint64_t *at);

#endif
