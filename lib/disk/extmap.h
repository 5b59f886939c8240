/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTMAP_H
#define KITH_EXTMAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Maps the blocks of an ext2/3/4 file, starting from the 60 bytes in its inode; needed because of
 * QUIRK_EXT_EXTENTS and QUIRK_EXT_TRIPLE_INDIRECT.  Everything it reads is hostile; the work is limited by
 * the number of blocks in the file system.
 */
enum { EXTMAP_ROOT_LEN = 60, EXTMAP_POINTERS = 15 };

struct extmap {
    uint32_t block_size;
    uint64_t block_count;                                  /* all addresses are below it */
    int (*read)(void *arg, uint64_t block, uint8_t *into); /* reads one block; returns 0 or -1 */
    /* Receives a run of blocks, in ascending order of the file's blocks.  unwritten: reads as zeros. */
    int (*add)(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten);
    void *arg;
};

/*
 * Calls add for everything mapped below end, in blocks of the file.  Returns 0, or -1 if part of the map is
 * unusable; the rest has been added.
 */
int extmap_extents(const struct extmap *map, const uint8_t root[EXTMAP_ROOT_LEN], uint64_t end);
int extmap_pointers(const struct extmap *map, const uint64_t pointers[EXTMAP_POINTERS], uint64_t end);

#endif
