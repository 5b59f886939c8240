/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/extgroups.h"

#include <stdlib.h>

#include "base/bytes.h"

enum {
    HAS_JOURNAL = 0x4, /* compat */
    RESIZE_INODE = 0x10,
    SPARSE_SUPER2 = 0x200,
    ORPHAN_FILE = 0x1000,
    HAS_TYPES = 0x2, /* incompat */
    META_GROUPS = 0x10,
    IS_64BIT = 0x80,
    SPARSE_SUPER = 0x1, /* ro_compat */
    QUOTA = 0x100,
    PROJECT = 0x2000,
};

enum {
    MAGIC = 0xef53,
    OLD_INODE = 128,
    SMALL_DESCRIPTOR = 32,
    LARGE_DESCRIPTOR = 64,
    LEAST_GROUP = 256, /* in blocks */
    MAX_BLOCK_SHIFT = 6,
    BAD_BLOCKS_INODE = 1,
    JOURNAL_INODE = 8,
};

static uint32_t get32(const uint8_t *superblock, size_t at)
{
    return bytes_load32(superblock + at);
}

bool extgroups_parse(const uint8_t superblock[EXTGROUPS_SUPERBLOCK_LEN], struct extgroups *groups)
{
    const uint32_t block_shift = get32(superblock, 0x18);
    const bool has_sizes = get32(superblock, 0x4c) > 0; /* the revision; before, the sizes were fixed */
    uint64_t data;

    *groups = (struct extgroups){
        .compat = get32(superblock, 0x5c),
        .incompat = get32(superblock, 0x60),
        .ro_compat = get32(superblock, 0x64),
        .inode_size = has_sizes ? (uint32_t)bytes_load_le(superblock + 0x58, 2) : OLD_INODE,
        .first_block = get32(superblock, 0x14),
        .blocks_per_group = get32(superblock, 0x20),
        .inodes_per_group = get32(superblock, 0x28),
        .reserved_descriptors = (uint32_t)bytes_load_le(superblock + 0xce, 2),
        .journal = get32(superblock, 0xe0),
        .first_meta_group = get32(superblock, 0x104),
        .user_quota = get32(superblock, 0x240),
        .group_quota = get32(superblock, 0x244),
        .backups = {get32(superblock, 0x24c), get32(superblock, 0x250)},
        .project_quota = get32(superblock, 0x26c),
        .orphan_file = get32(superblock, 0x280),
    };
    if (bytes_load_le(superblock + 0x38, 2) != MAGIC || block_shift > MAX_BLOCK_SHIFT ||
        groups->blocks_per_group < LEAST_GROUP || groups->inodes_per_group == 0 ||
        groups->inode_size < OLD_INODE)
        return false;
    groups->block_size = 1024u << block_shift;
    if (groups->inodes_per_group > 8 * (uint64_t)groups->block_size) /* the bitmap is a single block */
        return false;
    groups->descriptor_len =
        groups->incompat & IS_64BIT ? (uint32_t)bytes_load_le(superblock + 0xfe, 2) : SMALL_DESCRIPTOR;
    groups->block_count = get32(superblock, 0x4);
    if (groups->incompat & IS_64BIT)
        groups->block_count |= (uint64_t)get32(superblock, 0x150) << 32;
    if (groups->descriptor_len < SMALL_DESCRIPTOR || groups->descriptor_len > groups->block_size ||
        groups->inode_size > groups->block_size || groups->block_count <= groups->first_block ||
        groups->block_count > INT64_MAX / groups->block_size)
        return false;
    data = groups->block_count - groups->first_block;
    groups->group_count = data / groups->blocks_per_group + (data % groups->blocks_per_group != 0);
    return true;
}

bool extgroups_has_types(const struct extgroups *groups)
{
    return (groups->incompat & HAS_TYPES) != 0;
}

bool extgroups_is_own(const struct extgroups *groups, uint64_t inode)
{
    const bool has_quota = (groups->ro_compat & QUOTA) != 0;

    if (inode == 0)
        return false;
    return inode == BAD_BLOCKS_INODE ||
           (inode == EXTGROUPS_RESIZE_INODE && (groups->compat & RESIZE_INODE)) ||
           (inode == JOURNAL_INODE && inode == groups->journal && (groups->compat & HAS_JOURNAL)) ||
           (inode == groups->user_quota && has_quota) || (inode == groups->group_quota && has_quota) ||
           (inode == groups->project_quota && has_quota && (groups->ro_compat & PROJECT)) ||
           (inode == groups->orphan_file && (groups->compat & ORPHAN_FILE));
}

uint64_t extgroups_seen_by_tsk(const struct extgroups *groups)
{
    const uint64_t each = groups->block_size / groups->descriptor_len;
    const uint64_t seen = ((uint64_t)groups->first_meta_group + 1) * each;

    return (groups->incompat & META_GROUPS) && seen < groups->group_count ? seen : groups->group_count;
}

/* ---- structures ---- */

static bool is_power(uint64_t number, uint64_t base)
{
    while (number > 1 && number % base == 0)
        number /= base;
    return number == 1;
}

static bool has_copy(const struct extgroups *groups, uint64_t group)
{
    if (group == 0)
        return true;
    if (groups->compat & SPARSE_SUPER2)
        return group == groups->backups[0] || group == groups->backups[1];
    return !(groups->ro_compat & SPARSE_SUPER) || is_power(group, 3) || is_power(group, 5) ||
           is_power(group, 7);
}

static uint64_t base_of(const struct extgroups *groups, uint64_t group)
{
    return groups->first_block + group * groups->blocks_per_group;
}

static uint64_t descriptors_per_block(const struct extgroups *groups)
{
    return groups->block_size / groups->descriptor_len;
}

/* The number of descriptor blocks after a superblock, not counting those of meta_bg. */
static uint64_t descriptor_blocks(const struct extgroups *groups)
{
    const uint64_t each = descriptors_per_block(groups);
    const uint64_t blocks = groups->group_count / each + (groups->group_count % each != 0);

    return (groups->incompat & META_GROUPS) && groups->first_meta_group < blocks ? groups->first_meta_group
                                                                                 : blocks;
}

static uint64_t descriptor_block(const struct extgroups *groups, uint64_t group)
{
    const uint64_t each = descriptors_per_block(groups), block = group / each;
    const uint64_t first = block * each; /* of the meta group */

    if (block < descriptor_blocks(groups))
        return groups->first_block + 1 + block;
    return base_of(groups, first) + has_copy(groups, first);
}

/* With meta_bg, the first, second and last group covered by a block of descriptors hold copies of it. */
static bool has_meta_copy(const struct extgroups *groups, uint64_t group)
{
    const uint64_t each = descriptors_per_block(groups), at = group % each;

    return group / each >= descriptor_blocks(groups) && (at == 0 || at == 1 || at == each - 1);
}

static void found_heads(const struct extgroups *groups, const struct extgroups_reader *reader, uint64_t group)
{
    const uint64_t base = base_of(groups, group);

    if (has_copy(groups, group))
        reader->found(reader->arg, base, 1 + descriptor_blocks(groups) + groups->reserved_descriptors);
    if (has_meta_copy(groups, group))
        reader->found(reader->arg, base + has_copy(groups, group), 1);
}

/* Reports blocks of extended attributes, which files may share. */
static void found_attributes(const struct extgroups *groups, const struct extgroups_reader *reader,
                             const uint8_t *inode)
{
    enum { LINKS_AT = 0x1a, ATTRIBUTES_AT = 0x68, ATTRIBUTES_HIGH_AT = 0x76 };
    uint64_t block = bytes_load_le(inode + ATTRIBUTES_AT, 4);

    if (groups->incompat & IS_64BIT)
        block |= bytes_load_le(inode + ATTRIBUTES_HIGH_AT, 2) << 32;
    if (block && bytes_load_le(inode + LINKS_AT, 2))
        reader->found(reader->arg, block, 1);
}

/* Inode tables may overlap in a damaged file system: no more blocks are read than there are.  Returns how
 * many were. */
static uint64_t found_table(const struct extgroups *groups, const struct extgroups_reader *reader,
                            uint64_t table, uint8_t *block, uint64_t most)
{
    const uint64_t each = groups->block_size / groups->inode_size;
    const uint64_t count = groups->inodes_per_group / each + (groups->inodes_per_group % each != 0);
    uint64_t i;

    reader->found(reader->arg, table, count);
    for (i = 0; i < count && i < most && table + i < groups->block_count; i++) {
        reader->read(reader->arg, (table + i) * groups->block_size, block, groups->block_size);
        for (uint64_t k = 0; k < each; k++)
            found_attributes(groups, reader, block + k * groups->inode_size);
    }
    return i;
}

static uint64_t found_group(const struct extgroups *groups, const struct extgroups_reader *reader,
                            const uint8_t *descriptor, uint8_t *block, uint64_t most)
{
    static const struct {
        int low, high;
    } places[] = {{0, 32}, {4, 36}, {8, 40}}; /* block bitmap, inode bitmap, inode table */
    enum { PLACES = sizeof places / sizeof *places };
    uint64_t at[PLACES];

    for (int i = 0; i < PLACES; i++) {
        at[i] = bytes_load_le(descriptor + places[i].low, 4);
        if (groups->descriptor_len >= LARGE_DESCRIPTOR)
            at[i] |= bytes_load_le(descriptor + places[i].high, 4) << 32;
    }
    reader->found(reader->arg, at[0], 1);
    reader->found(reader->arg, at[1], 1);
    return found_table(groups, reader, at[2], block, most);
}

int extgroups_structures(const struct extgroups *groups, const struct extgroups_reader *reader)
{
    const uint64_t each = descriptors_per_block(groups);
    uint64_t most = groups->block_count;
    uint8_t *descriptors = malloc(groups->block_size), *block = malloc(groups->block_size);

    if (!descriptors || !block) {
        free(descriptors);
        free(block);
        return -1;
    }
    reader->found(reader->arg, 0, groups->first_block); /* the boot block, if blocks are that small */
    for (uint64_t group = 0; group < groups->group_count; group++) {
        if (group % each == 0)
            reader->read(reader->arg, descriptor_block(groups, group) * groups->block_size, descriptors,
                         groups->block_size);
        found_heads(groups, reader, group);
        most -= found_group(groups, reader, descriptors + group % each * groups->descriptor_len, block, most);
    }
    free(descriptors);
    free(block);
    return 0;
}
