/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "selftest_image.h"

/* NTFS (the layout as in ntfs-3g's layout.h).  No tool deletes a file of an image, so that is done here. */

enum {
    SECTOR_BYTES = 11,
    CLUSTER_SECTORS = 13,
    MFT_CLUSTER = 48,
    RECORD = 1024,
    RECORD_BITMAP = 6, /* the record of $Bitmap */
    FIRST_ATTRIBUTE = 20,
    FLAGS = 22,
    RECORD_NUMBER = 44,
    IN_USE = 1,
    FILE_NAME = 0x30,
    DATA = 0x80,
    BITMAP = 0xb0,
    NAME_LETTERS = 24 + 64, /* of a resident FILE_NAME */
    NAME_START = 24 + 66,
    RUNS_OFFSET = 32,
};

static size_t block_size(const struct selftest_image *image)
{
    return (size_t)(selftest_image_number(image, SECTOR_BYTES, 2) *
                    selftest_image_number(image, CLUSTER_SECTORS, 1));
}

static uint64_t mft_at(const struct selftest_image *image)
{
    return selftest_image_number(image, MFT_CLUSTER, 8) * block_size(image);
}

/* Where the record's first attribute of the type lies, or 0. */
static uint64_t attribute_at(const struct selftest_image *image, uint64_t record, uint64_t type)
{
    uint64_t at = record + selftest_image_number(image, record + FIRST_ATTRIBUTE, 2);

    while (at + 8 <= record + RECORD) {
        const uint64_t len = selftest_image_number(image, at + 4, 4);

        if (selftest_image_number(image, at, 4) == type)
            return at;
        if (len < 8 || len > RECORD)
            break;
        at += len;
    }
    return 0;
}

/* Where the first run of an attribute outside its record begins, or 0. */
static uint64_t first_run(const struct selftest_image *image, uint64_t attribute)
{
    const uint64_t run = attribute + selftest_image_number(image, attribute + RUNS_OFFSET, 2);
    const unsigned lens = (unsigned)selftest_image_number(image, run, 1);

    if (attribute == 0 || selftest_image_number(image, attribute + 8, 1) == 0 || lens >> 4 > 8)
        return 0;
    return selftest_image_number(image, run + 1 + (lens & 15), lens >> 4) * block_size(image);
}

/* $Bitmap, a bit for each cluster. */
static uint64_t clusters_at(const struct selftest_image *image)
{
    const uint64_t record = mft_at(image) + RECORD_BITMAP * RECORD;

    return first_run(image, attribute_at(image, record, DATA));
}

static bool is_free(const struct selftest_image *image, uint64_t at)
{
    const uint64_t bit = at / block_size(image), map = clusters_at(image);

    /* after the last cluster lies the copy of the boot sector */
    return map && at + block_size(image) < image->len &&
           !(selftest_image_number(image, map + bit / 8, 1) >> bit % 8 & 1);
}

static bool has_name(const struct selftest_image *image, uint64_t record, const char *name)
{
    const uint64_t at = attribute_at(image, record, FILE_NAME);

    if (at == 0 || selftest_image_number(image, at + NAME_LETTERS, 1) != strlen(name))
        return false;
    for (size_t i = 0; name[i]; i++)
        if (selftest_image_number(image, at + NAME_START + 2 * i, 2) != (uint8_t)name[i])
            return false;
    return true;
}

/* Clears the flag of the record, its bit in $MFT's bitmap, and the bits of its clusters. */
static int forget(struct selftest_image *image, const char *file, uint64_t at, size_t len, struct error *err)
{
    const size_t block = block_size(image);
    const uint64_t records = first_run(image, attribute_at(image, mft_at(image), BITMAP));

    for (uint64_t record = 0; record + RECORD <= image->len; record += RECORD) {
        if (memcmp(image->bytes + record, "FILE", 4) != 0 || !has_name(image, record, file))
            continue;
        image->bytes[record + FLAGS] &= (uint8_t)~IN_USE;
        if (records)
            selftest_image_clear_bits(image, records, selftest_image_number(image, record + RECORD_NUMBER, 4),
                                      1);
        selftest_image_clear_bits(image, clusters_at(image), at / block, (len + block - 1) / block);
        return 0;
    }
    return error_set(err, "%s: not in the NTFS image", file);
}

static int make(struct selftest_image *image, struct error *err)
{
    const char *const format[] = {"mkntfs", "-F", "-Q", "-q", "-T",   "-s", "512",  "-p",        "0", "-H",
                                  "16",     "-S", "63", "-c", "4096", "-L", "KITH", "image.img", NULL};
    char from[64], to[64];
    const char *const copy[] = {"ntfscp", "-f", "-q", "-t", "image.img", from, to, NULL};

    if (selftest_image_blank(image, err) || selftest_run_tool(image->run, image->tools[0], NULL, format, err))
        return -1;
    for (size_t i = 0; image->files[i]; i++) {
        snprintf(from, sizeof from, "tree/%s", image->files[i]);
        snprintf(to, sizeof to, "/%s", image->files[i]);
        if (selftest_run_tool(image->run, image->tools[1], NULL, copy, err))
            return -1;
    }
    return 0;
}

const struct selftest_image_system selftest_image_ntfs = {.name = "ntfs",
                                                          .tools = {"mkntfs", "ntfscp", NULL},
                                                          .len = 24 << 20,
                                                          .block = 4096,
                                                          .make = make,
                                                          .forget = forget,
                                                          .block_size = block_size,
                                                          .is_free = is_free};
