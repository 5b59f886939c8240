/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "selftest_image.h"

/* exFAT (Microsoft: exFAT file system specification).  No tool copies files to an image, so their entries are
 * written here. */

enum {
    FAT_OFFSET = 80,
    HEAP_OFFSET = 88,
    CLUSTER_COUNT = 92,
    ROOT_CLUSTER = 96,
    SECTOR_SHIFT = 108,
    CLUSTER_SHIFT = 109,
    ENTRY = 32,
    SET = 3, /* entries of a file: itself, its stream, its name of up to 15 letters */
    NAME_LETTERS = 15,
    BITMAP = 0x81,
    FILE_ENTRY = 0x85,
    STREAM = 0xc0,
    NAME = 0xc1,
    IN_USE = 0x80,
    ARCHIVE = 0x20,
    CONTIGUOUS = 3, /* allocation possible, no chain in the FAT */
};

static uint64_t sector_size(const struct selftest_image *image)
{
    const uint64_t shift = selftest_image_number(image, SECTOR_SHIFT, 1);

    return shift >= 9 && shift <= 12 ? UINT64_C(1) << shift : 0;
}

static size_t block_size(const struct selftest_image *image)
{
    const uint64_t shift = selftest_image_number(image, CLUSTER_SHIFT, 1);

    return shift <= 12 ? (size_t)sector_size(image) << shift : 0;
}

static uint64_t heap_start(const struct selftest_image *image)
{
    return selftest_image_number(image, HEAP_OFFSET, 4) * sector_size(image);
}

static uint64_t cluster_at(const struct selftest_image *image, uint64_t cluster)
{
    return heap_start(image) + (cluster - 2) * block_size(image);
}

static uint64_t root_at(const struct selftest_image *image)
{
    return cluster_at(image, selftest_image_number(image, ROOT_CLUSTER, 4));
}

/* Where the bitmap of clusters lies, or 0. */
static uint64_t bitmap_at(const struct selftest_image *image)
{
    uint64_t at = root_at(image);

    for (; selftest_image_number(image, at, 1); at += ENTRY)
        if (image->bytes[at] == BITMAP)
            return cluster_at(image, selftest_image_number(image, at + 20, 4));
    return 0;
}

static bool is_free(const struct selftest_image *image, uint64_t at)
{
    const uint64_t heap = heap_start(image), bitmap = bitmap_at(image);
    const size_t block = block_size(image);
    uint64_t bit;

    if (at < heap || bitmap == 0 || block == 0)
        return false;
    bit = (at - heap) / block;
    return bit < selftest_image_number(image, CLUSTER_COUNT, 4) &&
           !(selftest_image_number(image, bitmap + bit / 8, 1) >> bit % 8 & 1);
}

/* ---- files ---- */

static void put(uint8_t *at, unsigned bytes, uint64_t number)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* Section 6.3.3, and 7.6.4 of the specification, where nothing is skipped. */
static uint16_t rotated_sum(const uint8_t *data, size_t len, bool is_set)
{
    uint16_t sum = 0;

    for (size_t i = 0; i < len; i++)
        if (!is_set || (i != 2 && i != 3))
            sum = (uint16_t)((sum << 15 | sum >> 1) + data[i]);
    return sum;
}

static void fill_set(uint8_t set[SET * ENTRY], const char *name, uint64_t first, uint64_t len)
{
    enum { TIME = (2024 - 1980) << 25 | 1 << 21 | 2 << 16 | 3 << 11 };
    const size_t letters = strlen(name);
    uint8_t upper[2 * NAME_LETTERS] = {0};

    memset(set, 0, SET * ENTRY);
    for (size_t i = 0; i < letters; i++) {
        set[2 * ENTRY + 2 + 2 * i] = (uint8_t)name[i];
        upper[2 * i] = (uint8_t)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
    }
    set[0] = FILE_ENTRY;
    set[1] = SET - 1;
    put(set + 4, 2, ARCHIVE);
    for (size_t at = 8; at <= 16; at += 4)
        put(set + at, 4, TIME);
    set[ENTRY] = STREAM;
    set[ENTRY + 1] = CONTIGUOUS;
    set[ENTRY + 3] = (uint8_t)letters;
    put(set + ENTRY + 4, 2, rotated_sum(upper, 2 * letters, false));
    put(set + ENTRY + 8, 8, len);
    put(set + ENTRY + 20, 4, first);
    put(set + ENTRY + 24, 8, len);
    set[2 * ENTRY] = NAME;
    put(set + 2, 2, rotated_sum(set, SET * ENTRY, true));
}

/* The first of `count` free clusters in a row, now in use; 0 if there are none. */
static uint64_t allocate(struct selftest_image *image, uint64_t count)
{
    const uint64_t clusters = selftest_image_number(image, CLUSTER_COUNT, 4), bitmap = bitmap_at(image);
    uint64_t run = 0;

    for (uint64_t cluster = 2; cluster < clusters + 2; cluster++) {
        run = is_free(image, cluster_at(image, cluster)) ? run + 1 : 0;
        if (run < count)
            continue;
        for (uint64_t bit = cluster - 1 - count; bit <= cluster - 2; bit++)
            image->bytes[bitmap + bit / 8] |= (uint8_t)(1u << bit % 8);
        return cluster + 1 - count;
    }
    return 0;
}

static int add_file(struct selftest_image *image, const char *name, const struct buffer *content,
                    struct error *err)
{
    const size_t block = block_size(image);
    uint64_t at = root_at(image), first;

    if (block == 0)
        return error_set(err, "mkfs.exfat made an unknown layout");
    first = allocate(image, (content->len + block - 1) / block);
    while (selftest_image_number(image, at, 1))
        at += ENTRY;
    if (first == 0 || strlen(name) > NAME_LETTERS || at + SET * ENTRY > root_at(image) + block)
        return error_set(err, "%s: no room in the exFAT image", name);
    fill_set(image->bytes + at, name, first, content->len);
    memcpy(image->bytes + cluster_at(image, first), content->data, content->len);
    return 0;
}

static int add_files(struct selftest_image *image, struct error *err)
{
    struct buffer content = {0}, name = {0};
    int result = 0;

    for (size_t i = 0; result == 0 && image->files[i]; i++) {
        buffer_reset(&name);
        buffer_printf(&name, "tree/%s", image->files[i]);
        buffer_add_char(&name, '\0');
        result = name.failed ? error_set(err, "out of memory")
                             : selftest_scratch_read(&image->run->scratch, name.data, &content, err);
        if (result == 0)
            result = add_file(image, image->files[i], &content, err);
    }
    buffer_release(&content);
    buffer_release(&name);
    return result;
}

static int make(struct selftest_image *image, struct error *err)
{
    const char *const argv[] = {"mkfs.exfat", "-c", "4K", "-L", "KITH", "image.img", NULL};
    int result;

    if (selftest_image_blank(image, err) || selftest_run_tool(image->run, image->tools[0], NULL, argv, err) ||
        selftest_image_map(image, err))
        return -1;
    result = add_files(image, err);
    selftest_image_unmap(image);
    return result;
}

/* As a driver deletes: the entries are marked as unused, the clusters as free. */
static int forget(struct selftest_image *image, const char *file, uint64_t at, size_t len, struct error *err)
{
    const size_t block = block_size(image);
    const uint64_t first = block ? (at - heap_start(image)) / block : 0;

    for (uint64_t entry = root_at(image); selftest_image_number(image, entry, 1); entry += ENTRY) {
        if (image->bytes[entry] != FILE_ENTRY ||
            selftest_image_number(image, entry + ENTRY + 20, 4) != first + 2)
            continue;
        for (unsigned i = 0; i < SET; i++)
            image->bytes[entry + i * ENTRY] &= (uint8_t)~IN_USE;
        if (block)
            selftest_image_clear_bits(image, bitmap_at(image), first, (len + block - 1) / block);
        return 0;
    }
    return error_set(err, "%s: not in the exFAT image", file);
}

const struct selftest_image_system selftest_image_exfat = {.name = "exfat",
                                                           .tools = {"mkfs.exfat", NULL},
                                                           .len = 16 << 20,
                                                           .block = 4096,
                                                           .make = make,
                                                           .forget = forget,
                                                           .block_size = block_size,
                                                           .is_free = is_free};
