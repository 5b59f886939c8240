/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disk/extmap.h"

/*
 * The input: a byte of options, the 60 bytes of an inode, then the blocks of a small file system, one after
 * the other.
 *
 * Whatever they hold, the blocks that are read and mapped lie within the file system, are not more than it
 * has, and rise in the file.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK_SIZE = 64, CHOICE_SIZES = 16 };

struct disk {
    const uint8_t *data;
    size_t size;
    uint64_t block_count, used, end, next;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Block 1 is the first; the blocks after the input are zeros, or unreadable. */
static int read_block(void *arg, uint64_t block, uint8_t *into)
{
    struct disk *disk = arg;
    const uint64_t at = (block - 1) * BLOCK_SIZE;

    require(block > 0 && block < disk->block_count);
    require(++disk->used <= disk->block_count);
    memset(into, 0, BLOCK_SIZE);
    if (at >= disk->size)
        return block % 2 ? -1 : 0;
    memcpy(into, disk->data + at, disk->size - at < BLOCK_SIZE ? (size_t)(disk->size - at) : BLOCK_SIZE);
    return 0;
}

static int add(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    struct disk *disk = arg;

    (void)unwritten;
    require(count > 0 && block > 0 && block < disk->block_count && count <= disk->block_count - block);
    require(file_block >= disk->next && file_block < disk->end && count <= disk->end - file_block);
    disk->next = file_block + count;
    disk->used += count;
    require(disk->used <= disk->block_count);
    return 0;
}

static void map(struct disk *disk, const uint8_t *root, bool extents)
{
    const struct extmap map = {.block_size = BLOCK_SIZE,
                               .block_count = disk->block_count,
                               .read = read_block,
                               .add = add,
                               .arg = disk};
    uint64_t pointers[EXTMAP_POINTERS];
    int result;

    if (extents) {
        result = extmap_extents(&map, root, disk->end);
    } else {
        for (int i = 0; i < EXTMAP_POINTERS; i++)
            pointers[i] = root[4 * i] | (uint64_t)root[4 * i + 1] << 8 | (uint64_t)root[4 * i + 2] << 16 |
                          (uint64_t)root[4 * i + 3] << 24;
        result = extmap_pointers(&map, pointers, disk->end);
    }
    require(result == 0 || result == -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t sizes[] = {1, 2, 10, 300, 5000, 100000, UINT32_MAX, (uint64_t)1 << 48};
    struct disk disk = {0};
    uint8_t *root;

    if (size < 1 + EXTMAP_ROOT_LEN)
        return 0;
    root = malloc(EXTMAP_ROOT_LEN);
    require(root != NULL);
    memcpy(root, data + 1, EXTMAP_ROOT_LEN);
    disk.data = data + 1 + EXTMAP_ROOT_LEN;
    disk.size = size - 1 - EXTMAP_ROOT_LEN;
    disk.block_count = data[0] / CHOICE_SIZES % 2 ? sizes[data[0] / 2 % 8] : 2 + disk.size / BLOCK_SIZE;
    if (disk.block_count > 5000) /* a map of pointers may be as large as that */
        disk.block_count = data[0] % 2 ? disk.block_count : 5000;
    disk.end = data[0] / 128 ? UINT64_MAX : 1000;
    map(&disk, root, data[0] % 2);
    free(root);
    return 0;
}
