/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTGROUPS_H
#define KITH_EXTGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where an ext2/3/4 file system keeps its own structures: superblocks and descriptors with their copies,
 * bitmaps, inode tables, and blocks of extended attributes.  The superblock and everything it leads to is
 * hostile; the work is limited by the number of groups that fit into the file system.
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
    uint32_t reserved_descriptors; /* reserved after the descriptors, for growth */
    uint32_t first_meta_group;
    uint32_t backups[2]; /* the groups with copies, if there are only two (sparse_super2) */
    uint32_t user_quota, group_quota, project_quota, journal, orphan_file; /* inode numbers */
};

/* False if the superblock is inconsistent. */
bool extgroups_parse(const uint8_t superblock[EXTGROUPS_SUPERBLOCK_LEN], struct extgroups *groups);

/* Returns whether folder entries record the type of the file. */
bool extgroups_has_types(const struct extgroups *groups);

/*
 * Returns whether an inode that is not a folder belongs to the file system itself.  That holds only if the
 * feature that needs it is enabled, since the superblock may name any file.
 */
bool extgroups_is_own(const struct extgroups *groups, uint64_t inode);

/*
 * Returns the number of groups whose descriptors lie where libtsk looks for them (QUIRK_EXT_META_GROUPS);
 * without meta_bg, all groups.
 */
uint64_t extgroups_seen_by_tsk(const struct extgroups *groups);

struct extgroups_reader {
    /* Reads bytes at a position in the file system; zeros if they do not exist. */
    void (*read)(void *arg, uint64_t at, void *into, size_t len);
    /* Receives the file system's own blocks, in any order, possibly more than once. */
    void (*found)(void *arg, uint64_t block, uint64_t count);
    void *arg;
};

/* -1 if out of memory. */
int extgroups_structures(const struct extgroups *groups, const struct extgroups_reader *reader);

#endif
