/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NTFS_H
#define KITH_NTFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libtsk does not say of NTFS, by its bytes: the whole of a name (QUIRK_NTFS_NAME), whose name it is,
 * the length of a record. */
enum {
    NTFS_FIRST_FILE = 24, /* records below are reserved */
    NTFS_EXTEND = 11,     /* the folder of more of its own files */
    NTFS_BOOT_LEN = 80,
    NTFS_MAX_NAME = 255 * 3, /* bytes */
};

struct ntfs_name {
    uint64_t parent;
    uint32_t parent_sequence;
    char text[NTFS_MAX_NAME]; /* UTF-8; a surrogate without its other half is three bytes that UTF-8 does not
                                 allow */
    size_t len;
};

/* From the content of a $FILE_NAME attribute; false if it is cut, or only the short name beside a long one.
 */
bool ntfs_name(const uint8_t *data, size_t len, struct ntfs_name *name);

/* Bytes in a record, by the boot sector; 0 if that is impossible. */
uint32_t ntfs_record_len(const uint8_t boot[NTFS_BOOT_LEN]);

/* Where the copy of the boot sector lies, in bytes of the volume; returns its length, 0 if that is
 * impossible. */
uint32_t ntfs_boot_copy(const uint8_t boot[NTFS_BOOT_LEN], uint64_t *at);

#endif
