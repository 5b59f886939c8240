/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "selftest_image.h"

/* FAT12, FAT16 and FAT32 (Microsoft: FAT32 File System Specification). */

enum {
    MOST_FILES = 64,
    SECTOR_BYTES = 11,
    CLUSTER_SECTORS = 13,
    RESERVED = 14,
    TABLES = 16,
    ROOT_ENTRIES = 17,
    TABLE_SECTORS = 22,
    TABLE_SECTORS_32 = 36,
    ENTRY = 32,
};

static size_t sector_size(const struct selftest_image *image)
{
    return (size_t)selftest_image_number(image, SECTOR_BYTES, 2);
}

static size_t block_size(const struct selftest_image *image)
{
    return sector_size(image) * (size_t)selftest_image_number(image, CLUSTER_SECTORS, 1);
}

static int make(struct selftest_image *image, struct error *err)
{
    char sectors[32];
    const char *const format[] = {"mkfs.fat", "--invariant",       "-i", "6b697468", "-n",        "KITH",
                                  "-F",       image->system->kind, "-s", sectors,    "image.img", NULL};
    const char *copy[MOST_FILES + 8] = {"mcopy", "-m", "-i", "image.img"};
    char names[MOST_FILES][32];
    size_t count = 4;

    snprintf(sectors, sizeof sectors, "%zu", image->system->block / 512);
    for (size_t i = 0; i < MOST_FILES && image->files[i]; i++) {
        snprintf(names[i], sizeof names[i], "tree/%s", image->files[i]);
        copy[count++] = names[i];
    }
    copy[count++] = "::/";
    copy[count] = NULL;
    return selftest_image_blank(image, err) ||
                   selftest_run_tool(image->run, image->tools[0], NULL, format, err) ||
                   selftest_run_tool(image->run, image->tools[1], NULL, copy, err)
               ? -1
               : 0;
}

static int remove_files(struct selftest_image *image, const char *const *files, struct error *err)
{
    const char *argv[MOST_FILES + 8] = {"mdel", "-i", "image.img"};
    char names[MOST_FILES][32];
    size_t count = 3;

    for (size_t i = 0; i < MOST_FILES && files[i]; i++) {
        snprintf(names[i], sizeof names[i], "::/%s", files[i]);
        argv[count++] = names[i];
    }
    argv[count] = NULL;
    return selftest_run_tool(image->run, image->tools[2], NULL, argv, err);
}

static bool is_free(const struct selftest_image *image, uint64_t at)
{
    const uint64_t sector = sector_size(image), table = selftest_image_number(image, RESERVED, 2) * sector;
    const uint64_t short_len = selftest_image_number(image, TABLE_SECTORS, 2);
    const uint64_t table_len =
        (short_len ? short_len : selftest_image_number(image, TABLE_SECTORS_32, 4)) * sector;
    const uint64_t heap = table + selftest_image_number(image, TABLES, 1) * table_len +
                          selftest_image_number(image, ROOT_ENTRIES, 2) * ENTRY;
    const uint64_t cluster = at < heap ? 0 : (at - heap) / block_size(image) + 2;

    if (at < heap || at - (at - heap) % block_size(image) + block_size(image) > image->len)
        return false;
    if (strcmp(image->system->kind, "12") == 0)
        return (selftest_image_number(image, table + cluster * 3 / 2, 2) >> 4 * (cluster & 1) & 0xfff) == 0;
    if (strcmp(image->system->kind, "16") == 0)
        return selftest_image_number(image, table + 2 * cluster, 2) == 0;
    return (selftest_image_number(image, table + 4 * cluster, 4) & 0x0fffffff) == 0;
}

/* FAT32 needs 65,525 clusters at least, so they are small. */
#define FAT(number, size, cluster)                                                                           \
    const struct selftest_image_system selftest_image_fat##number = {                                        \
        .name = "fat" #number,                                                                               \
        .tools = {"mkfs.fat", "mcopy", "mdel", NULL},                                                        \
        .kind = #number,                                                                                     \
        .len = (uint64_t)(size) << 20,                                                                       \
        .block = (cluster),                                                                                  \
        .make = make,                                                                                        \
        .remove = remove_files,                                                                              \
        .block_size = block_size,                                                                            \
        .is_free = is_free}

FAT(12, 8, 4096);
FAT(16, 24, 4096);
FAT(32, 72, 1024);
