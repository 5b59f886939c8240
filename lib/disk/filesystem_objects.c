/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/filesystem_inner.h"

/* The objects of an inode. */

static bool is_used(const struct filesystem *filesystem, TSK_FS_FILE *file)
{
    const TSK_FS_META *meta = file->meta;

    if (meta->type == TSK_FS_META_TYPE_UNDEF || meta->type == TSK_FS_META_TYPE_VIRT_DIR)
        return false;
    /* $MBR, $FAT1, $FAT2: libtsk's names for some of the structures. */
    if (meta->type == TSK_FS_META_TYPE_VIRT && TSK_FS_TYPE_ISFAT(filesystem->info->ftype))
        return false;
    /* On FAT, only entries that are already known are asked for; see QUIRK_EXFAT_DELETED. */
    if ((meta->flags & TSK_FS_META_FLAG_UNUSED) && !TSK_FS_TYPE_ISFAT(filesystem->info->ftype))
        return false;
    return !filesystem_is_ntfs(filesystem) || !filesystem_ntfs_extends(file);
}

int filesystem_objects(struct filesystem *filesystem, uint64_t inode, unsigned kinds, filesystem_object found,
                       void *arg, struct error *err)
{
    struct filesystem_inode objects = {.filesystem = filesystem, .kinds = kinds, .found = found, .arg = arg};

    tsk_error_reset();
    objects.file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    if (!objects.file || !objects.file->meta) {
        tsk_fs_file_close(objects.file);
        tsk_failed(err, "cannot be read");
        return filesystem_ntfs_is_blank(filesystem, inode) ? 0 : -1;
    }
    if (is_used(filesystem, objects.file)) {
        objects.own = filesystem_owns(filesystem, objects.file);
        if (TSK_FS_TYPE_ISEXT(filesystem->info->ftype) &&
            objects.file->meta->content_type != TSK_FS_META_CONTENT_TYPE_EXT4_INLINE)
            filesystem_give_ext(&objects);
        else
            filesystem_give_attributes(&objects);
    }
    ranges_release(&objects.slack);
    ranges_release(&objects.map);
    tsk_fs_file_close(objects.file);
    return objects.out_of_memory ? error_set(err, "cannot be read in full: out of memory") : 0;
}
