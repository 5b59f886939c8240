/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "selftest_image.h"

/* ext2, ext3 and ext4 with one block group (Linux: Documentation/filesystems/ext4), and a disk with a
 * partition. */

enum {
    SUPERBLOCK = 1024,
    FIRST_BLOCK = SUPERBLOCK + 20,
    BLOCK_BITS = SUPERBLOCK + 24,
    GROUP_BLOCKS = SUPERBLOCK + 32,
    BLOCKS = SUPERBLOCK + 4,
    MIB = 1 << 20,
};

/* A partition of 16 MiB, with space before and after it, in sectors. */
static const char table[] = "label: dos\nlabel-id: 0x6b697468\nstart=2048, size=32768, type=83\n";

/* A number of the file system. */
static uint64_t number_at(const struct selftest_image *image, uint64_t at, unsigned bytes)
{
    return selftest_image_number(image, image->system->base + at, bytes);
}

/* The first tool makes the file system, the third one a partition table, if it lies in a partition. */
static int make(struct selftest_image *image, struct error *err)
{
    const struct selftest_image_system *system = image->system;
    char extended[160], blocks[24];
    const char *const format[] = {"mke2fs",
                                  "-q",
                                  "-F",
                                  "-t",
                                  system->kind,
                                  "-b",
                                  "4096",
                                  "-N",
                                  "128",
                                  "-U",
                                  "6b697468-0000-4000-8000-000000000001",
                                  "-E",
                                  extended,
                                  "-d",
                                  "tree",
                                  "image.img",
                                  blocks,
                                  NULL};
    const char *const divide[] = {"sfdisk", "-q", "image.img", NULL};

    snprintf(extended, sizeof extended,
             "hash_seed=6b697468-0000-4000-8000-000000000001,root_owner=0:0,offset=%" PRIu64, system->base);
    snprintf(blocks, sizeof blocks, "%" PRIu64, (system->size ? system->size : system->len) / system->block);
    if (selftest_image_blank(image, err) || selftest_run_tool(image->run, image->tools[0], NULL, format, err))
        return -1;
    if (!system->size)
        return 0;
    return selftest_scratch_write(&image->run->scratch, "commands", table, sizeof table - 1, err) ||
                   selftest_run_tool(image->run, image->tools[2], "commands", divide, err)
               ? -1
               : 0;
}

/* debugfs ends with 0 in any case; after its version it prints nothing but errors. */
static int remove_files(struct selftest_image *image, const char *const *files, struct error *err)
{
    char name[48];
    const char *const argv[] = {"debugfs", "-w", "-f", "/dev/stdin", name, NULL};
    struct buffer commands = {0};
    const char *end;
    int result;

    snprintf(name, sizeof name, "image.img?offset=%" PRIu64, image->system->base);
    for (; *files; files++)
        buffer_printf(&commands, "rm %s\n", *files);
    result = commands.failed
                 ? error_set(err, "out of memory")
                 : selftest_scratch_write(&image->run->scratch, "commands", commands.data, commands.len, err);
    buffer_release(&commands);
    if (result || selftest_run_tool(image->run, image->tools[1], "commands", argv, err))
        return -1;
    end = memchr(image->run->errors.data ? image->run->errors.data : "", '\n', image->run->errors.len);
    if (end && end + 1 < image->run->errors.data + image->run->errors.len)
        return error_set(err, "debugfs: %.*s",
                         (int)(image->run->errors.data + image->run->errors.len - end - 2), end + 1);
    return 0;
}

static size_t block_size(const struct selftest_image *image)
{
    const uint64_t bits = number_at(image, BLOCK_BITS, 4);

    return bits < 8 ? (size_t)1024 << bits : 0;
}

static bool is_free(const struct selftest_image *image, uint64_t at)
{
    const uint64_t block = block_size(image), first = number_at(image, FIRST_BLOCK, 4);
    const uint64_t bitmap = number_at(image, (first + 1) * block, 4) * block;
    uint64_t number;

    if (image->system->size && (at < image->system->base || at >= image->system->base + image->system->size))
        return at >= MIB; /* of no partition, nor of the table */
    if (block == 0)
        return false;
    number = (at - image->system->base) / block;
    return number >= first && number < number_at(image, BLOCKS, 4) &&
           number - first < number_at(image, GROUP_BLOCKS, 4) &&
           !(number_at(image, bitmap + (number - first) / 8, 1) >> (number - first) % 8 & 1);
}

#define EXT(type)                                                                                            \
    const struct selftest_image_system selftest_image_##type = {.name = #type,                               \
                                                                .kind = #type,                               \
                                                                .tools = {"mke2fs", "debugfs", NULL},        \
                                                                .len = 16 << 20,                             \
                                                                .block = 4096,                               \
                                                                .make = make,                                \
                                                                .remove = remove_files,                      \
                                                                .block_size = block_size,                    \
                                                                .is_free = is_free}

EXT(ext2);
EXT(ext3);
EXT(ext4);

/* ext4 in the only partition of a disk. */
const struct selftest_image_system selftest_image_mbr = {.name = "mbr",
                                                         .tools = {"mke2fs", "debugfs", "sfdisk", NULL},
                                                         .kind = "ext4",
                                                         .base = MIB,
                                                         .size = 16 * MIB,
                                                         .len = 20 * MIB,
                                                         .block = 4096,
                                                         .make = make,
                                                         .remove = remove_files,
                                                         .block_size = block_size,
                                                         .is_free = is_free};
