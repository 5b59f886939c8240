/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FAT_H
#define KITH_FAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What libtsk does not say of entries in FAT and exFAT folders (QUIRK_FAT_SHORT_NAME,
 * QUIRK_EXFAT_VALID_LENGTH), by their bytes.  It numbers the entries from where the data begins, 32 bytes
 * each, whatever else lies there.
 */
enum { FAT_BOOT_LEN = 112, FAT_ENTRY_LEN = 32 };

struct fat_layout {
    uint64_t data;    /* where it begins, in bytes of the file system */
    uint64_t cluster; /* bytes */
};

/* From the boot sector; false if that is impossible. */
bool fat_layout(const uint8_t boot[FAT_BOOT_LEN], bool is_exfat, struct fat_layout *layout);

/*
 * Where the file system's own tables lie: boot sectors, reserved ones, FATs.  Returns how many areas there
 * are, 0 if the boot sector contradicts itself.
 */
enum { FAT_AREAS = 2 };
struct fat_area {
    uint64_t start, len; /* bytes */
};
unsigned fat_areas(const uint8_t boot[FAT_BOOT_LEN], bool is_exfat, struct fat_area areas[FAT_AREAS]);

/* The byte of the file system at which an inode's entry lies; false if there is none of that number. */
bool fat_entry_at(const struct fat_layout *layout, uint64_t inode, uint64_t *at);
bool fat_begins_cluster(const struct fat_layout *layout, uint64_t inode);

/* Whether the entry is one of a file or folder, not of the label, the bitmap .. */
bool fat_is_file(const uint8_t entry[FAT_ENTRY_LEN], bool is_exfat);

/*
 * The short name in an entry of FAT, byte for byte and with its point; "_" for the first letter of a deleted
 * one, which is lost.  Returns its length; it is not terminated.
 */
enum { FAT_SHORT_NAME = 12 };
size_t fat_short_name(const uint8_t entry[FAT_ENTRY_LEN], char name[FAT_SHORT_NAME]);

/* How many bytes of a file of so many were ever written, by its stream extension entry; all, if it is none.
 */
uint64_t fat_stream_written(const uint8_t entry[FAT_ENTRY_LEN], uint64_t size);

#endif
