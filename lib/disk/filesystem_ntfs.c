/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "disk/filesystem_inner.h"
#include "disk/ntfs.h"

/* MFT records, and the names in them. */

static bool is_name(const TSK_FS_ATTR *attribute, struct ntfs_name *name)
{
    return attribute->type == TSK_FS_ATTR_TYPE_NTFS_FNAME && attribute->flags & TSK_FS_ATTR_RES &&
           attribute->size >= 0 && (size_t)attribute->size <= attribute->rd.buf_size &&
           ntfs_name(attribute->rd.buf, (size_t)attribute->size, name);
}

bool filesystem_next_name(TSK_FS_FILE *file, int *next, struct ntfs_name *name)
{
    const int count = tsk_fs_file_attr_getsize(file);

    while (*next < count) {
        const TSK_FS_ATTR *attribute = tsk_fs_file_attr_get_idx(file, (*next)++);

        if (attribute && is_name(attribute, name))
            return true;
    }
    return false;
}

int filesystem_names(struct filesystem *filesystem, uint64_t inode, uint32_t *sequence,
                     filesystem_found found, void *arg, struct error *err)
{
    TSK_FS_FILE *file;
    struct ntfs_name name;
    int next = 0, stop;

    tsk_error_reset();
    file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    if (!file || !file->meta) {
        tsk_fs_file_close(file);
        return tsk_failed(err, "cannot read record %llu", (unsigned long long)inode);
    }
    *sequence = file->meta->seq;
    stop = !(file->meta->flags & TSK_FS_META_FLAG_USED) || file->meta->type == TSK_FS_META_TYPE_VIRT_DIR;
    while (!stop && filesystem_next_name(file, &next, &name))
        stop = found(arg,
                     &(struct filesystem_name){.inode = inode,
                                               .parent = name.parent,
                                               .parent_sequence = name.parent_sequence,
                                               .allocated = (file->meta->flags & TSK_FS_META_FLAG_ALLOC) != 0,
                                               .folder = file->meta->type == TSK_FS_META_TYPE_DIR,
                                               .name = name.text,
                                               .len = name.len});
    tsk_fs_file_close(file);
    return 0;
}

/* Such records have no $STANDARD_INFORMATION. */
bool filesystem_ntfs_extends(TSK_FS_FILE *file)
{
    return tsk_fs_file_attr_getsize(file) > 0 &&
           !tsk_fs_file_attr_get_type(file, TSK_FS_ATTR_TYPE_NTFS_SI, 0, 0);
}

bool filesystem_ntfs_is_blank(const struct filesystem *filesystem, uint64_t inode)
{
    static const char zeros[42];
    char record[sizeof zeros];
    uint8_t boot[NTFS_BOOT_LEN];
    uint32_t len = filesystem_is_ntfs(filesystem) &&
                           tsk_fs_read(filesystem->info, 0, (char *)boot, sizeof boot) == (ssize_t)sizeof boot
                       ? ntfs_record_len(boot)
                       : 0;
    TSK_FS_FILE *table = len ? tsk_fs_file_open_meta(filesystem->info, NULL, 0) : NULL;
    bool blank = table && inode <= INT64_MAX / len &&
                 tsk_fs_file_read_type(table, TSK_FS_ATTR_TYPE_NTFS_DATA, 0, (TSK_OFF_T)(inode * len), record,
                                       sizeof record, TSK_FS_FILE_READ_FLAG_NOID) == (ssize_t)sizeof record &&
                 memcmp(record, zeros, sizeof zeros) == 0;

    tsk_fs_file_close(table);
    return blank;
}

bool filesystem_ntfs_is_bad_clusters(const struct filesystem_inode *inode, const char *stream)
{
    enum { BAD_CLUSTERS = 8 };

    return filesystem_is_ntfs(inode->filesystem) && inode->file->meta->addr == BAD_CLUSTERS && stream &&
           strcmp(stream, "$Bad") == 0;
}
