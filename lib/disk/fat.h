/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FAT_H
#define KITH_FAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Details of entries in FAT and exFAT folders that libtsk does not provide (QUIRK_FAT_SHORT_NAME,
 * QUIRK_EXFAT_VALID_LENGTH), decoded from their bytes.  libtsk numbers entries from the start of the data
 * area, one for every 32 bytes, whatever these contain.
 */
enum { FAT_BOOT_LEN = 112, FAT_ENTRY_LEN = 32 };

struct fat_layout {
    uint64_t data;    /* start of the data area, in bytes of the file system */
    uint64_t cluster; /* bytes */
};

/* Decodes the boot sector; false if it is invalid. */
bool fat_layout(const uint8_t boot[FAT_BOOT_LEN], bool is_exfat, struct fat_layout *layout);

/*
 * Finds the file system's own areas: boot sectors, reserved sectors, FATs.  Returns their number; 0 if the
 * boot sector is inconsistent.
 */
enum { FAT_AREAS = 2 };
struct fat_area {
    uint64_t start, len; /* bytes */
};
unsigned fat_areas(const uint8_t boot[FAT_BOOT_LEN], bool is_exfat, struct fat_area areas[FAT_AREAS]);

/* Finds the byte of the file system at which an inode's entry lies; false if there is no such inode. */
bool fat_entry_at(const struct fat_layout *layout, uint64_t inode, uint64_t *at);
bool fat_begins_cluster(const struct fat_layout *layout, uint64_t inode);

/* Returns whether the entry is a file or folder, rather than the label, the bitmap, ... */
bool fat_is_file(const uint8_t entry[FAT_ENTRY_LEN], bool is_exfat);

/*
 * Copies the short name in a FAT entry, byte for byte and with its dot; the first letter of a deleted name is
 * lost and written as "_".  Returns the length; there is no terminator.
 */
enum { FAT_SHORT_NAME = 12 };
size_t fat_short_name(const uint8_t entry[FAT_ENTRY_LEN], char name[FAT_SHORT_NAME]);

/* Returns how many of a file's `size` bytes were ever written, according to its stream extension entry; size,
 * if the entry is not one. */
uint64_t fat_stream_written(const uint8_t entry[FAT_ENTRY_LEN], uint64_t size);

#endif
