/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "selftest_image.h"

/* ext2, ext3 and ext4 with one block group (Linux: Documentation/filesystems/ext4). */

enum {
    SUPERBLOCK = 1024,
    FIRST_BLOCK = SUPERBLOCK + 20,
    BLOCK_BITS = SUPERBLOCK + 24,
    GROUP_BLOCKS = SUPERBLOCK + 32,
    BLOCKS = SUPERBLOCK + 4,
};

static int make(struct selftest_image *image, struct error *err)
{
    const char *const argv[] = {"mke2fs",
                                "-q",
                                "-F",
                                "-t",
                                image->system->name,
                                "-b",
                                "4096",
                                "-N",
                                "128",
                                "-U",
                                "6b697468-0000-4000-8000-000000000001",
                                "-E",
                                "hash_seed=6b697468-0000-4000-8000-000000000001,root_owner=0:0",
                                "-d",
                                "tree",
                                "image.img",
                                NULL};

    return selftest_image_blank(image, err) || selftest_run_tool(image->run, image->tools[0], NULL, argv, err)
               ? -1
               : 0;
}

/* debugfs ends with 0 in any case; after its version it prints nothing but errors. */
static int remove_files(struct selftest_image *image, const char *const *files, struct error *err)
{
    const char *const argv[] = {"debugfs", "-w", "-f", "/dev/stdin", "image.img", NULL};
    struct buffer commands = {0};
    const char *end;
    int result;

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
    const uint64_t bits = selftest_image_number(image, BLOCK_BITS, 4);

    return bits < 8 ? (size_t)1024 << bits : 0;
}

static bool is_free(const struct selftest_image *image, uint64_t at)
{
    const uint64_t block = block_size(image), first = selftest_image_number(image, FIRST_BLOCK, 4);
    const uint64_t bitmap = selftest_image_number(image, (first + 1) * block, 4) * block;
    uint64_t number;

    if (block == 0)
        return false;
    number = at / block;
    return number >= first && number < selftest_image_number(image, BLOCKS, 4) &&
           number - first < selftest_image_number(image, GROUP_BLOCKS, 4) &&
           !(selftest_image_number(image, bitmap + (number - first) / 8, 1) >> (number - first) % 8 & 1);
}

#define EXT(type)                                                                                            \
    const struct selftest_image_system selftest_image_##type = {.name = #type,                               \
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
