/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/fat.h"

#include "base/bytes.h"

enum { FIRST_INODE = 3 };

bool fat_layout(const uint8_t boot[FAT_BOOT_LEN], bool is_exfat, struct fat_layout *layout)
{
    enum { MAX_SECTOR_SHIFT = 12, MAX_CLUSTER_SHIFT = 25 };

    if (is_exfat) {
        unsigned sector_shift = boot[108], cluster_shift = sector_shift + boot[109];

        if (sector_shift > MAX_SECTOR_SHIFT || cluster_shift > MAX_CLUSTER_SHIFT)
            return false;
        layout->data = bytes_load_le(boot + 88, 4) << sector_shift;
        layout->cluster = (uint64_t)1 << cluster_shift;
    } else {
        uint64_t sector = bytes_load_le(boot + 11, 2), small = bytes_load_le(boot + 22, 2);
        uint64_t table = small ? small : bytes_load_le(boot + 36, 4);

        layout->data = (bytes_load_le(boot + 14, 2) + boot[16] * table) * sector;
        layout->cluster = boot[13] * sector;
    }
    return layout->data && layout->cluster >= FAT_ENTRY_LEN;
}

unsigned fat_areas(const uint8_t boot[FAT_BOOT_LEN], bool is_exfat, struct fat_area areas[FAT_AREAS])
{
    enum { EXFAT_BOOT_SECTORS = 24, TABLE_AT = 80, TABLE_LEN = 84, SECTOR_SHIFT = 108, TABLES = 110 };
    struct fat_layout layout;

    if (!fat_layout(boot, is_exfat, &layout))
        return 0;
    if (!is_exfat) {
        areas[0] = (struct fat_area){0, layout.data};
        return 1;
    }
    areas[0] = (struct fat_area){0, (uint64_t)EXFAT_BOOT_SECTORS << boot[SECTOR_SHIFT]};
    areas[1] = (struct fat_area){bytes_load_le(boot + TABLE_AT, 4) << boot[SECTOR_SHIFT],
                                 (bytes_load_le(boot + TABLE_LEN, 4) << boot[SECTOR_SHIFT]) * boot[TABLES]};
    return 2;
}

bool fat_entry_at(const struct fat_layout *layout, uint64_t inode, uint64_t *at)
{
    if (inode < FIRST_INODE || inode > INT64_MAX / (2 * FAT_ENTRY_LEN))
        return false;
    *at = layout->data + (inode - FIRST_INODE) * FAT_ENTRY_LEN;
    return *at <= INT64_MAX;
}

bool fat_begins_cluster(const struct fat_layout *layout, uint64_t inode)
{
    return (inode - FIRST_INODE) % (layout->cluster / FAT_ENTRY_LEN) == 0;
}

bool fat_is_file(const uint8_t entry[FAT_ENTRY_LEN], bool is_exfat)
{
    enum { ATTRIBUTES_AT = 11, IS_LABEL = 8, EXFAT_FILE = 5, EXFAT_IN_USE = 0x80 };

    return is_exfat ? (entry[0] & ~EXFAT_IN_USE) == EXFAT_FILE : !(entry[ATTRIBUTES_AT] & IS_LABEL);
}

uint64_t fat_stream_written(const uint8_t entry[FAT_ENTRY_LEN], uint64_t size)
{
    enum { STREAM = 0x40, IN_USE = 0x80, WRITTEN_AT = 8 };
    uint64_t written = bytes_load_le(entry + WRITTEN_AT, 8);

    return (entry[0] & ~IN_USE) == STREAM && written < size ? written : size;
}

/* Short names are padded with blanks; a flag says whether a part is in lower case. */
static size_t add_part(const uint8_t *part, size_t len, bool is_small, char *out)
{
    while (len > 0 && part[len - 1] == ' ')
        len--;
    for (size_t i = 0; i < len; i++)
        out[i] = (char)(is_small && part[i] >= 'A' && part[i] <= 'Z' ? part[i] + ('a' - 'A') : part[i]);
    return len;
}

size_t fat_short_name(const uint8_t entry[FAT_ENTRY_LEN], char name[FAT_SHORT_NAME])
{
    enum {
        BASE_LEN = 8,
        SUFFIX_LEN = 3,
        CASE_AT = 12,
        SMALL_BASE = 8,
        SMALL_SUFFIX = 16,
        DELETED = 0xe5,
        IS_E5 = 5
    };
    size_t len = add_part(entry, BASE_LEN, entry[CASE_AT] & SMALL_BASE, name), suffix;

    if (len > 0 && entry[0] == DELETED)
        name[0] = '_';
    else if (len > 0 && entry[0] == IS_E5)
        name[0] = (char)DELETED;
    suffix = add_part(entry + BASE_LEN, SUFFIX_LEN, entry[CASE_AT] & SMALL_SUFFIX, name + len + 1);
    if (suffix == 0)
        return len;
    name[len] = '.';
    return len + 1 + suffix;
}
