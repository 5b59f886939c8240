/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_IMAGE_H
#define KITH_SELFTEST_IMAGE_H

#include "selftest_run.h"

/*
 * File systems made by their own tools, without privileges, from the files in the folder "tree".  Each system
 * says what it needs to know for content to be planted outside of files, read from its structures here, not
 * by the code under test.
 */
enum { SELFTEST_IMAGE_TOOLS = 3 };

struct selftest_image {
    struct selftest_run *run;
    const struct selftest_image_system *system;
    char *tools[SELFTEST_IMAGE_TOOLS]; /* paths */
    const char *const *files;          /* the names of all files in "tree", ending with NULL */
    /* The bytes of "image.img" while it is mapped; changes are written to it. */
    uint8_t *bytes;
    size_t len;
};

struct selftest_image_system {
    const char *name;
    const char *tools[SELFTEST_IMAGE_TOOLS + 1]; /* ends with NULL; the first one makes the file system */
    const char *kind;                            /* FAT: 12, 16 or 32; ext: ext2, ext3 or ext4; else NULL */
    uint64_t base;                               /* where the file system begins: in a partition; else 0 */
    uint64_t size;                               /* and its length; 0: all of the image */
    uint64_t len;                                /* bytes of an image */
    size_t block;                                /* bytes in which space is allocated */
    /* Makes image.img with all files. */
    int (*make)(struct selftest_image *image, struct error *err);
    /* Deletes a file, which lies at this offset (the image is mapped); or NULL. */
    int (*forget)(struct selftest_image *image, const char *file, uint64_t at, size_t len, struct error *err);
    /* Deletes files with a tool (the image is not mapped); or NULL.  files ends with NULL. */
    int (*remove)(struct selftest_image *image, const char *const *files, struct error *err);
    /* The block size that the file system itself states; the image is mapped. */
    size_t (*block_size)(const struct selftest_image *image);
    /* Whether the block that holds this offset belongs to nothing, by the map of free blocks. */
    bool (*is_free)(const struct selftest_image *image, uint64_t at);
};

extern const struct selftest_image_system selftest_image_ext2, selftest_image_ext3, selftest_image_ext4,
    selftest_image_fat12, selftest_image_fat16, selftest_image_fat32, selftest_image_exfat,
    selftest_image_ntfs, selftest_image_mbr;

/* Makes an empty file of the system's length. */
int selftest_image_blank(struct selftest_image *image, struct error *err);

/* Maps image.img into memory, or writes it back and unmaps it. */
int selftest_image_map(struct selftest_image *image, struct error *err);
void selftest_image_unmap(struct selftest_image *image);

/* Numbers in little-endian order; 0 outside of the image. */
uint64_t selftest_image_number(const struct selftest_image *image, uint64_t at, unsigned bytes);

/* Clears `count` bits of a bitmap that begins at `map`, in the order of ext, exFAT and NTFS. */
void selftest_image_clear_bits(struct selftest_image *image, uint64_t map, uint64_t first, uint64_t count);

#endif
