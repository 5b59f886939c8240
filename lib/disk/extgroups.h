/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTGROUPS_H
#define KITH_EXTGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where an ext2/3/4 file system keeps its own structures: superblocks and descriptors with their copies,
 * bitmaps, tables of inodes, and blocks of extended attributes.  From the superblock and what it leads to,
 * all of which is hostile: the work is bounded by the number of groups that fit into the file system.
 */
enum {
    EXTGROUPS_SUPERBLOCK_AT = 1024,
    EXTGROUPS_SUPERBLOCK_LEN = 1024,
    EXTGROUPS_RESIZE_INODE = 7,
};

struct extgroups {
    uint32_t compat, incompat, ro_compat; /* features */
    uint32_t block_size, inode_size, descriptor_len;
    uint64_t first_block, block_count;
    uint64_t blocks_per_group, inodes_per_group, group_count;
    uint32_t reserved_descriptors; /* blocks after the descriptors, for growing */
    uint32_t first_meta_group;
    uint32_t backups[2]; /* groups with copies, where there are only two (sparse_super2) */
    uint32_t user_quota, group_quota, project_quota, journal, orphan_file; /* inodes */
};

/* False if the numbers contradict themselves. */
bool extgroups_parse(const uint8_t superblock[EXTGROUPS_SUPERBLOCK_LEN], struct extgroups *groups);

/* Names tell the type of the file. */
bool extgroups_has_types(const struct extgroups *groups);

/*
 * Whether an inode that is not a folder is the file system's own: only if the feature that it serves is on,
 * since the superblock may name any file.
 */
bool extgroups_is_own(const struct extgroups *groups, uint64_t inode);

/*
 * The number of groups that have their descriptors where libtsk looks for them (QUIRK_EXT_META_GROUPS); all,
 * without meta_bg.
 */
uint64_t extgroups_seen_by_tsk(const struct extgroups *groups);

struct extgroups_reader {
    /* Reads bytes from a place in the file system; what is not there is zeros. */
    void (*read)(void *arg, uint64_t at, void *into, size_t len);
    /* Blocks of the file system's own, in any order, maybe several times. */
    void (*found)(void *arg, uint64_t block, uint64_t count);
    void *arg;
};

/* -1 without memory. */
int extgroups_structures(const struct extgroups *groups, const struct extgroups_reader *reader);

#endif
