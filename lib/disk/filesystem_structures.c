/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "disk/fat.h"
#include "disk/filesystem_inner.h"
#include "disk/medium.h"
#include "disk/ntfs.h"

/*
 * Where a file system keeps structures that are not files: boot areas and their copies, superblocks, bitmaps,
 * tables.  Structures that are not recognized here are not lost: they belong to no object, and are read as
 * unclaimed.
 */
struct structures {
    struct filesystem *filesystem;
    filesystem_range found;
    void (*getting_on)(void *arg);
    void *arg;
};

enum { ISO_SECTOR = 2048, HFS_HEADER = 1024, HFS_SECTOR = 512 };

/* Reports bytes of the file system, as far as the image holds them. */
static void found_bytes(const struct structures *structures, uint64_t start, uint64_t len)
{
    const struct filesystem *filesystem = structures->filesystem;
    const uint64_t size = medium_size(disk_medium(filesystem->disk));
    const uint64_t there = filesystem->image_start < size ? size - filesystem->image_start : 0;

    if (start >= there || len == 0)
        return;
    structures->found(structures->arg, filesystem->image_start + start,
                      len < there - start ? len : there - start);
}

/* Reports whole blocks, for structures that share their block with nothing else. */
static void found_in_blocks(const struct structures *structures, uint64_t start, uint64_t len)
{
    const uint64_t size = structures->filesystem->facts.block_size;
    const uint64_t first = start / size * size, end = (start + len + size - 1) / size * size;

    found_bytes(structures, first, end - first);
}

/* Reads zeros beyond the end of the image, without recording them as unreadable: nobody claimed that they
 * exist. */
static void read_there(const struct structures *structures, uint64_t at, void *into, size_t len)
{
    struct filesystem *filesystem = structures->filesystem;
    const uint64_t size = medium_size(disk_medium(filesystem->disk));

    if (at > size || filesystem->image_start > size - at || len > size - at - filesystem->image_start)
        memset(into, 0, len);
    else
        filesystem_read(filesystem, at, into, len);
}

/* ---- ext ---- */

static void read_ext(void *arg, uint64_t at, void *into, size_t len)
{
    read_there(arg, at, into, len);
}

static void found_block(void *arg, uint64_t block, uint64_t count)
{
    const struct structures *structures = arg;
    const struct filesystem_facts *facts = &structures->filesystem->facts;
    const uint64_t blocks = facts->len / facts->block_size;

    structures->getting_on(structures->arg);
    if (block < blocks)
        found_bytes(structures, block * facts->block_size,
                    (count < blocks - block ? count : blocks - block) * facts->block_size);
}

static int find_ext(struct structures *structures)
{
    const struct extgroups_reader reader = {read_ext, found_block, structures};

    return structures->filesystem->ext.block_size
               ? extgroups_structures(&structures->filesystem->ext, &reader)
               : 0;
}

/* ---- FAT, exFAT, NTFS ---- */

static void find_fat(const struct structures *structures)
{
    uint8_t boot[FAT_BOOT_LEN];
    struct fat_area areas[FAT_AREAS];
    const bool is_exfat = structures->filesystem->info->ftype == TSK_FS_TYPE_EXFAT;

    read_there(structures, 0, boot, sizeof boot);
    for (unsigned i = 0, count = fat_areas(boot, is_exfat, areas); i < count; i++)
        found_bytes(structures, areas[i].start, areas[i].len);
}

/* Everything in NTFS is a file, except the copy of the boot sector after its end. */
static void find_ntfs(const struct structures *structures)
{
    uint8_t boot[NTFS_BOOT_LEN];
    uint64_t at;
    uint32_t len;

    read_there(structures, 0, boot, sizeof boot);
    len = ntfs_boot_copy(boot, &at);
    found_bytes(structures, at, len);
}

/* ---- other file systems ---- */

/* The boot blocks and the header, and the header's copy in the last sector but one. */
static void find_hfs(const struct structures *structures)
{
    const uint64_t len = structures->filesystem->facts.len;

    found_in_blocks(structures, 0, HFS_HEADER + HFS_SECTOR);
    if (len > 2 * HFS_SECTOR)
        found_in_blocks(structures, len - 2 * HFS_SECTOR, 2 * HFS_SECTOR);
}

/* The path tables that a volume descriptor refers to, in both byte orders. */
static void find_paths(const struct structures *structures, const uint8_t *descriptor)
{
    enum { LEN_AT = 132, LITTLE_AT = 140, BIG_AT = 148, EACH = 2 };
    const uint64_t len = bytes_load32(descriptor + LEN_AT);

    for (int i = 0; i < EACH; i++) {
        const uint64_t little = bytes_load32(descriptor + LITTLE_AT + 4 * i),
                       big = __builtin_bswap32(bytes_load32(descriptor + BIG_AT + 4 * i));

        if (little)
            found_in_blocks(structures, little * ISO_SECTOR, len);
        if (big)
            found_in_blocks(structures, big * ISO_SECTOR, len);
    }
}

/* The system area, the descriptors, and what they refer to. */
static void find_iso(const struct structures *structures)
{
    enum { FIRST = 16, MOST = 64, PRIMARY = 1, SUPPLEMENTARY = 2 };
    uint8_t sector[ISO_SECTOR];
    uint64_t at;

    for (at = FIRST; at < MOST; at++) {
        read_there(structures, at * ISO_SECTOR, sector, sizeof sector);
        if (memcmp(sector + 1, "CD001", 5) != 0)
            break;
        if (sector[0] == PRIMARY || sector[0] == SUPPLEMENTARY)
            find_paths(structures, sector);
    }
    found_bytes(structures, 0, at * ISO_SECTOR);
}

static TSK_WALK_RET_ENUM walk_block(const TSK_FS_BLOCK *block, void *arg)
{
    if (block->flags & TSK_FS_BLOCK_FLAG_META)
        found_block(arg, block->addr, 1);
    return TSK_WALK_CONT;
}

/* Blocks that libtsk itself marks as metadata. */
static int find_marked(struct structures *structures, struct error *err)
{
    const struct filesystem_facts *facts = &structures->filesystem->facts;
    const TSK_FS_BLOCK_WALK_FLAG_ENUM flags =
        TSK_FS_BLOCK_WALK_FLAG_ALLOC | TSK_FS_BLOCK_WALK_FLAG_META | TSK_FS_BLOCK_WALK_FLAG_AONLY;

    tsk_error_reset();
    return tsk_fs_block_walk(structures->filesystem->info, facts->first_block, facts->last_block, flags,
                             walk_block, structures)
               ? tsk_failed(err, "cannot find all structures")
               : 0;
}

int filesystem_structures(struct filesystem *filesystem, filesystem_range found,
                          void (*getting_on)(void *arg), void *arg, struct error *err)
{
    struct structures structures = {filesystem, found, getting_on, arg};
    const TSK_FS_TYPE_ENUM type = filesystem->info->ftype;

    if (TSK_FS_TYPE_ISEXT(type))
        return find_ext(&structures) ? error_set(err, "out of memory") : 0;
    if (TSK_FS_TYPE_ISFFS(type))
        return find_marked(&structures, err);
    if (TSK_FS_TYPE_ISFAT(type))
        find_fat(&structures);
    else if (TSK_FS_TYPE_ISNTFS(type))
        find_ntfs(&structures);
    else if (TSK_FS_TYPE_ISHFS(type))
        find_hfs(&structures);
    else if (TSK_FS_TYPE_ISISO9660(type))
        find_iso(&structures);
    return 0;
}

/* ---- free blocks ---- */

struct free_blocks {
    const struct filesystem *filesystem;
    filesystem_range found;
    void (*getting_on)(void *arg);
    void *arg;
    uint64_t first, end; /* of the range being collected */
    uint64_t seen;
};

static void flush_free(struct free_blocks *blocks)
{
    uint64_t size = blocks->filesystem->facts.block_size;

    if (blocks->end > blocks->first)
        blocks->found(blocks->arg, blocks->filesystem->image_start + blocks->first * size,
                      (blocks->end - blocks->first) * size);
}

static TSK_WALK_RET_ENUM free_block(const TSK_FS_BLOCK *block, void *arg)
{
    struct free_blocks *blocks = arg;

    if (block->addr != blocks->end) {
        flush_free(blocks);
        blocks->first = block->addr;
    }
    blocks->end = block->addr + 1;
    if (++blocks->seen % 65536 == 0)
        blocks->getting_on(blocks->arg);
    return TSK_WALK_CONT;
}

int filesystem_unallocated(struct filesystem *filesystem, uint64_t first, uint64_t last,
                           filesystem_range found, void (*getting_on)(void *arg), void *arg,
                           struct error *err)
{
    struct free_blocks blocks = {
        .filesystem = filesystem, .found = found, .getting_on = getting_on, .arg = arg};
    const TSK_FS_BLOCK_WALK_FLAG_ENUM flags = TSK_FS_BLOCK_WALK_FLAG_UNALLOC | TSK_FS_BLOCK_WALK_FLAG_AONLY;
    int failed;

    tsk_error_reset();
    failed = tsk_fs_block_walk(filesystem->info, first, last, flags, free_block, &blocks);
    flush_free(&blocks);
    return failed ? tsk_failed(err, "cannot find all free blocks from %llu to %llu",
                               (unsigned long long)first, (unsigned long long)last)
                  : 0;
}
