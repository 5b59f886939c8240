/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/filesystem.h"

#include <stdlib.h>

#include "base/memory.h"
#include "disk/filesystem_inner.h"

/* ---- opening ---- */

static enum filesystem_plan plan_of(const TSK_FS_INFO *info)
{
    if (TSK_FS_TYPE_ISNTFS(info->ftype))
        return FILESYSTEM_RECORDS;
    if (TSK_FS_TYPE_ISFAT(info->ftype) || TSK_FS_TYPE_ISYAFFS2(info->ftype))
        return FILESYSTEM_BY_LIST;
    if (TSK_FS_TYPE_ISHFS(info->ftype) || TSK_FS_TYPE_ISAPFS(info->ftype))
        return FILESYSTEM_BY_NAME;
    return FILESYSTEM_BY_NUMBER;
}

static void fill_facts(struct filesystem *filesystem)
{
    const TSK_FS_INFO *info = filesystem->info;
    struct filesystem_facts *facts = &filesystem->facts;
    uint64_t room =
        medium_size(disk_medium(filesystem->disk)) / FILESYSTEM_SMALLEST_INODE + FILESYSTEM_MORE_INODES;

    *facts = (struct filesystem_facts){.plan = plan_of(info),
                                       .first_inode = info->first_inum,
                                       .last_inode = info->last_inum,
                                       .root = info->root_inum,
                                       .first_block = info->first_block,
                                       .last_block = info->last_block_act,
                                       .block_size = info->block_size,
                                       .start = filesystem->image_start};
    if (info->block_size && info->last_block < (uint64_t)INT64_MAX / info->block_size - 1)
        facts->len = (info->last_block + 1) * info->block_size;
    if ((facts->plan == FILESYSTEM_BY_NUMBER || facts->plan == FILESYSTEM_RECORDS) &&
        facts->last_inode > facts->first_inode + room) {
        facts->last_inode = facts->first_inode + room;
        facts->inodes_doubtful = true;
    }
}

static TSK_FS_INFO *open_in_pool(struct filesystem *filesystem, const struct disk_system *system)
{
    TSK_IMG_INFO *image;

    filesystem->pool =
        tsk_pool_open_img_sing(disk_image(filesystem->disk), (TSK_OFF_T)system->offset, TSK_POOL_TYPE_APFS);
    image = filesystem->pool ? filesystem->pool->get_img_info(filesystem->pool, system->block) : NULL;
    return image ? tsk_fs_open_img_decrypt(image, 0, TSK_FS_TYPE_APFS, "") : NULL;
}

/* Limits the facts to the groups that libtsk can find (QUIRK_EXT_META_GROUPS); what follows belongs to no
 * object. */
static void fill_ext(struct filesystem *filesystem)
{
    struct filesystem_facts *facts = &filesystem->facts;
    struct extgroups *ext = &filesystem->ext;
    uint8_t superblock[EXTGROUPS_SUPERBLOCK_LEN];
    uint64_t groups;

    filesystem_read(filesystem, EXTGROUPS_SUPERBLOCK_AT, superblock, sizeof superblock);
    if (!extgroups_parse(superblock, ext)) {
        *ext = (struct extgroups){0};
        return;
    }
    groups = extgroups_seen_by_tsk(ext);
    if (groups < ext->group_count && facts->last_inode > groups * ext->inodes_per_group) {
        facts->last_inode = groups * ext->inodes_per_group;
        facts->last_block = facts->first_block + groups * ext->blocks_per_group - 1;
        facts->has_meta_groups = true;
    }
}

static void fill(struct filesystem *filesystem, bool in_pool)
{
    const TSK_FS_INFO *info = filesystem->info;

    filesystem->image_start = in_pool ? filesystem->pool->img_offset : (uint64_t)info->offset;
    filesystem->direct = !in_pool && !info->block_pre_size && !info->block_post_size;
    fill_facts(filesystem);
    if (TSK_FS_TYPE_ISEXT(info->ftype))
        fill_ext(filesystem);
}

struct filesystem *filesystem_open(struct disk *disk, const struct disk_system *system, struct error *err)
{
    struct filesystem *filesystem = memory_new(sizeof *filesystem, err);

    if (!filesystem)
        return NULL;
    filesystem->disk = disk;
    tsk_error_reset();
    filesystem->info = system->in_pool
                           ? open_in_pool(filesystem, system)
                           : tsk_fs_open_img(disk_image(disk), (TSK_OFF_T)system->offset, system->type);
    if (filesystem->info) {
        fill(filesystem, system->in_pool);
        return filesystem;
    }
    tsk_failed(err, "cannot open the file system");
    filesystem_close(filesystem);
    return NULL;
}

void filesystem_close(struct filesystem *filesystem)
{
    if (!filesystem)
        return;
    if (filesystem->info)
        tsk_fs_close(filesystem->info);
    if (filesystem->pool)
        tsk_pool_close(filesystem->pool);
    object_release(&filesystem->object);
    free(filesystem);
}

void filesystem_read(struct filesystem *filesystem, uint64_t at, void *into, size_t len)
{
    medium_read(disk_medium(filesystem->disk), filesystem->image_start + at, into, len);
}

const struct filesystem_facts *filesystem_facts(const struct filesystem *filesystem)
{
    return &filesystem->facts;
}

bool filesystem_is_folder(const struct filesystem *filesystem, uint64_t inode)
{
    TSK_FS_FILE *file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    bool folder = file && file->meta && file->meta->type == TSK_FS_META_TYPE_DIR;

    tsk_fs_file_close(file);
    return folder;
}
