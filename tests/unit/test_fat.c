/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "disk/fat.h"

/* ---- boot sectors; the caller has memory of exactly their size, so that a sanitizer sees reads beyond it
 * ---- */

static uint8_t boot[FAT_BOOT_LEN];
static struct fat_layout layout;

static void put_number(uint8_t *p, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(number >> 8 * i);
}

static bool read_layout(bool is_exfat)
{
    uint8_t *copy = malloc(FAT_BOOT_LEN);
    bool possible;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, boot, FAT_BOOT_LEN);
    layout = (struct fat_layout){0};
    possible = fat_layout(copy, is_exfat, &layout);
    free(copy);
    return possible;
}

static void assert_layout(bool is_exfat, uint64_t data, uint64_t cluster)
{
    ck_assert(read_layout(is_exfat));
    ck_assert_uint_eq(layout.data, data);
    ck_assert_uint_eq(layout.cluster, cluster);
}

/* Microsoft, FAT: General Overview of On-Disk Format, "Boot Sector and BPB"; 32: BPB_FATSz32 is used. */
static void put_fat(int bits, unsigned sector, unsigned cluster, unsigned reserved, unsigned tables,
                    uint32_t table)
{
    fill_random(boot, sizeof boot); /* fields that are not used may hold anything */
    put_number(boot + 11, sector, 2);
    put_number(boot + 13, cluster, 1);
    put_number(boot + 14, reserved, 2);
    put_number(boot + 16, tables, 1);
    put_number(boot + 22, bits == 32 ? 0 : table, 2);
    if (bits == 32)
        put_number(boot + 36, table, 4);
}

/* Microsoft, exFAT file system specification, 3.1 "Main and Backup Boot Sector Sub-regions". */
static void put_exfat(unsigned sector_shift, unsigned cluster_shift, uint32_t heap)
{
    fill_random(boot, sizeof boot);
    put_number(boot + 88, heap, 4);
    put_number(boot + 108, sector_shift, 1);
    put_number(boot + 109, cluster_shift, 1);
}

/* A floppy disk of 1.44 MB, a small card, a USB stick as mkfs.fat makes it. */
START_TEST(data_begins_after_the_last_table)
{
    put_fat(12, 512, 1, 1, 2, 9);
    assert_layout(false, 19 * 512, 512); /* the root folder, which is of no cluster */
    put_fat(16, 512, 32, 8, 2, 246);
    assert_layout(false, 500 * 512, 16384);
    put_fat(32, 512, 8, 32, 2, 7567);
    assert_layout(false, UINT64_C(15166) * 512, 4096);
    put_fat(32, 4096, 1, 32, 1, 1000);
    assert_layout(false, UINT64_C(1032) * 4096, 4096);
}
END_TEST

START_TEST(the_layout_follows_from_the_fields_of_the_specification)
{
    for (int round = 0; round < 5000; round++) {
        const int bits = random64() % 2 ? 32 : 16;
        const unsigned sector = 512u << random64() % 4, cluster = 1u << random64() % 8;
        const unsigned reserved = 1 + (unsigned)(random64() % 65535), tables = 1 + (unsigned)(random64() % 2);
        const uint32_t table = 1 + (uint32_t)(random64() % (bits == 32 ? UINT32_MAX : 65535));

        put_fat(bits, sector, cluster, reserved, tables, table);
        assert_layout(false, ((uint64_t)reserved + (uint64_t)tables * table) * sector,
                      (uint64_t)cluster * sector);
    }
}
END_TEST

START_TEST(the_layout_of_exfat_is_given_as_shifts)
{
    put_exfat(9, 3, 2048);
    assert_layout(true, 1 << 20, 4096);
    put_exfat(9, 8, 32768);
    assert_layout(true, 16 << 20, 131072);
    for (unsigned sector = 9; sector <= 12; sector++)
        for (unsigned cluster = 0; cluster <= 25 - sector; cluster++) {
            const uint32_t heap = 24 + (uint32_t)(random64() % (UINT32_MAX - 24));

            put_exfat(sector, cluster, heap);
            assert_layout(true, (uint64_t)heap << sector, (uint64_t)1 << (sector + cluster));
        }
}
END_TEST

START_TEST(impossible_layouts_are_refused)
{
    put_fat(16, 0, 4, 1, 2, 9);
    ck_assert(!read_layout(false));
    put_fat(16, 512, 0, 1, 2, 9);
    ck_assert(!read_layout(false));
    put_fat(16, 512, 4, 0, 0, 9);
    ck_assert(!read_layout(false));
    put_fat(32, 512, 4, 0, 2, 0);
    ck_assert(!read_layout(false));
    put_exfat(9, 3, 0);
    ck_assert(!read_layout(true));
    for (unsigned sector = 9; sector < 256; sector += sector < 40 ? 1 : 24)
        for (unsigned cluster = 0; cluster < 256; cluster++) {
            put_exfat(sector, cluster, 2048);
            ck_assert_int_eq(read_layout(true), sector <= 12 && sector + cluster <= 25);
        }
    memset(boot, 0, sizeof boot);
    ck_assert(!read_layout(false) && !read_layout(true));
    memset(boot, 0xff, sizeof boot);
    ck_assert(!read_layout(true));
}
END_TEST

START_TEST(any_position_can_be_queried_for_any_boot_sector)
{
    static const uint64_t inodes[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      1000,
                                      UINT32_MAX,
                                      INT64_MAX / 64,
                                      INT64_MAX / 64 + 1,
                                      INT64_MAX / 32,
                                      INT64_MAX / 32 + 4,
                                      UINT64_MAX / 32 + 4,
                                      INT64_MAX,
                                      UINT64_MAX};

    for (int round = 0; round < 5000; round++) {
        fill_random(boot, sizeof boot);
        boot[108] %= 32;
        boot[109] %= 32;
        if (!read_layout(round % 2))
            continue;
        ck_assert_uint_gt(layout.data, 0);
        ck_assert_uint_ge(layout.cluster, FAT_ENTRY_LEN);
        for (size_t i = 0; i < sizeof inodes / sizeof *inodes; i++) {
            uint64_t at;

            if (!fat_entry_at(&layout, inodes[i], &at))
                continue;
            ck_assert_uint_ge(at, layout.data);
            ck_assert_uint_le(at, INT64_MAX);
            fat_begins_cluster(&layout, inodes[i]);
        }
    }
}
END_TEST

/* ---- entries ---- */

/* 32 bytes each; the first is number 3 in libtsk, 2 the root folder. */
START_TEST(entries_are_numbered_from_3_where_the_data_begins)
{
    const struct fat_layout floppy = {19 * 512, 512};
    uint64_t at;

    for (uint64_t inode = 0; inode < 3; inode++)
        ck_assert(!fat_entry_at(&floppy, inode, &at));
    ck_assert(fat_entry_at(&floppy, 3, &at));
    ck_assert_uint_eq(at, 9728);
    ck_assert(fat_entry_at(&floppy, 4, &at));
    ck_assert_uint_eq(at, 9760);
    ck_assert(fat_entry_at(&floppy, 3 + 16, &at));
    ck_assert_uint_eq(at, 20 * 512);
    ck_assert(!fat_entry_at(&floppy, UINT64_MAX, &at));
    ck_assert(!fat_entry_at(&floppy, (uint64_t)INT64_MAX / 32 + 4, &at));
}
END_TEST

/* Specification, 3.5: FirstSectorofCluster = ((N - 2) * BPB_SecPerClus) + FirstDataSector. */
START_TEST(the_first_entry_of_a_cluster_lies_at_its_first_sector)
{
    for (int round = 0; round < 5000; round++) {
        const unsigned sector = 512u << random64() % 4, cluster = 1u << random64() % 8;
        const uint64_t heap = 24 + random64() % UINT32_MAX, entries = sector * cluster / 32;
        const uint64_t n = 2 + random64() % 0xfffffff0, inode = 3 + (n - 2) * entries;
        const struct fat_layout exfat = {heap * sector, (uint64_t)sector * cluster};
        uint64_t at;

        ck_assert(fat_entry_at(&exfat, inode, &at));
        ck_assert_uint_eq(at, (heap + (n - 2) * cluster) * sector);
        ck_assert(fat_begins_cluster(&exfat, inode));
        ck_assert(fat_begins_cluster(&exfat, inode + entries));
        ck_assert(!fat_begins_cluster(&exfat, inode + 1));
        ck_assert(!fat_begins_cluster(&exfat, inode + 1 + random64() % (entries - 1)));
        ck_assert(!fat_begins_cluster(&exfat, inode + entries - 1));
    }
}
END_TEST

/* An entry of garbage except for one byte. */
static bool is_file(bool is_exfat, size_t at, unsigned byte)
{
    uint8_t *entry = random_block(FAT_ENTRY_LEN);
    bool result;

    entry[at] = (uint8_t)byte;
    result = fat_is_file(entry, is_exfat);
    free(entry);
    return result;
}

/* Attributes: 1 read-only, 2 hidden, 4 system, 8 the label, 0x10 a folder, 0x20 archive; 0x0f a part of a
 * long name. */
START_TEST(a_label_or_a_part_of_a_name_is_not_a_file)
{
    for (unsigned attributes = 0; attributes < 256; attributes++)
        ck_assert_int_eq(is_file(false, 11, attributes), (attributes & 8) == 0);
}
END_TEST

/* Specification, 7: 0x85 a file or folder, 0x05 one that is deleted; 0x81 bitmap, 0x82 up-case table, 0x83
 * label .. */
START_TEST(only_exfat_entries_of_type_5_are_files)
{
    for (unsigned type = 0; type < 256; type++)
        ck_assert_int_eq(is_file(true, 0, type), type == 0x85 || type == 0x05);
}
END_TEST

static uint64_t written(unsigned type, uint64_t valid, uint64_t size)
{
    uint8_t *entry = random_block(FAT_ENTRY_LEN);
    uint64_t result;

    entry[0] = (uint8_t)type;
    put_number(entry + 8, valid, 8);
    result = fat_stream_written(entry, size);
    free(entry);
    return result;
}

/* Specification, 7.6: 0xc0, deleted 0x40; ValidDataLength, at 8, lies between 0 and DataLength. */
START_TEST(a_stream_entry_states_the_valid_length)
{
    for (unsigned type = 0; type < 256; type++) {
        const bool stream = type == 0xc0 || type == 0x40;

        ck_assert_uint_eq(written(type, 0, 1000), stream ? 0 : 1000);
        ck_assert_uint_eq(written(type, 999, 1000), stream ? 999 : 1000);
        ck_assert_uint_eq(written(type, 1000, 1000), 1000);
        ck_assert_uint_eq(written(type, 1001, 1000), 1000);
        ck_assert_uint_eq(written(type, UINT64_MAX, 1000), 1000);
        ck_assert_uint_eq(written(type, 0, 0), 0);
        ck_assert_uint_eq(written(type, UINT64_C(0x123456789a), UINT64_MAX),
                          stream ? UINT64_C(0x123456789a) : UINT64_MAX);
    }
}
END_TEST

START_TEST(a_short_name_keeps_its_bytes)
{
    static const struct {
        const char *entry; /* eleven bytes, and the one with the flags for the case */
        uint8_t small;
        const char *name;
    } examples[] = {
        {"README  TXT", 0, "README.TXT"},
        {"README  TXT", 8, "readme.TXT"},
        {"README  TXT", 24, "readme.txt"},
        {"NOSUFFIX   ", 0, "NOSUFFIX"},
        {"\xe5OST    TXT", 0, "_OST.TXT"},
        {"\x05HA     DOC", 0, "\xe5HA.DOC"},
        {"\x8e\xca\x90\xb9    TXT", 0, "\x8e\xca\x90\xb9.TXT"},
        {"A B     C D", 0, "A B.C D"},
        {"LONGNAMEEXT", 0, "LONGNAME.EXT"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        uint8_t entry[FAT_ENTRY_LEN] = {0};
        char name[FAT_SHORT_NAME];

        memcpy(entry, examples[i].entry, 11);
        entry[12] = examples[i].small;
        ck_assert_uint_eq(fat_short_name(entry, name), strlen(examples[i].name));
        ck_assert_mem_eq(name, examples[i].name, strlen(examples[i].name));
    }
}
END_TEST

RUN_TESTS("fat", a_short_name_keeps_its_bytes, data_begins_after_the_last_table,
          the_layout_follows_from_the_fields_of_the_specification, the_layout_of_exfat_is_given_as_shifts,
          impossible_layouts_are_refused, any_position_can_be_queried_for_any_boot_sector,
          entries_are_numbered_from_3_where_the_data_begins,
          the_first_entry_of_a_cluster_lies_at_its_first_sector, a_label_or_a_part_of_a_name_is_not_a_file,
          only_exfat_entries_of_type_5_are_files, a_stream_entry_states_the_valid_length)
