/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/ntfs.h"

#include "base/bytes.h"
#include "base/utf8.h"

/* Layout of $FILE_NAME: parent, times and sizes, number of UTF-16 units, namespace, name. */
enum { COUNT_AT = 64, SPACE_AT = 65, TEXT_AT = 66, SPACE_DOS = 2 };

bool ntfs_name(const uint8_t *data, size_t len, struct ntfs_name *name)
{
    if (len < TEXT_AT || TEXT_AT + 2 * (size_t)data[COUNT_AT] > len || data[SPACE_AT] == SPACE_DOS)
        return false;
    name->parent = bytes_load_le(data, 6);
    name->parent_sequence = (uint32_t)bytes_load_le(data + 6, 2);
    name->len = utf8_of_utf16(name->text, data + TEXT_AT, data[COUNT_AT]);
    return true;
}

uint32_t ntfs_record_len(const uint8_t boot[NTFS_BOOT_LEN])
{
    enum { SECTOR_AT = 11, CLUSTER_AT = 13, RECORD_AT = 64 };
    unsigned record = boot[RECORD_AT];

    /* A number of clusters or, if negative, a power of two in bytes. */
    if (record < 128)
        return (uint32_t)(record * boot[CLUSTER_AT] * bytes_load_le(boot + SECTOR_AT, 2));
    return record > 256 - 32 ? 1u << (256 - record) : 0;
}

uint32_t ntfs_boot_copy(const uint8_t boot[NTFS_BOOT_LEN], uint64_t *at)
{
    enum { SECTOR_AT = 11, SECTORS_AT = 40, LARGEST_SECTOR = 4096 };
    const uint32_t sector = (uint32_t)bytes_load_le(boot + SECTOR_AT, 2);
    const uint64_t sectors = bytes_load_le(boot + SECTORS_AT, 8);

    if (sector == 0 || sector > LARGEST_SECTOR || sectors > INT64_MAX / sector)
        return 0;
    *at = sectors * sector; /* it follows the last sector */
    return sector;
}
