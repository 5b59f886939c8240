/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/disk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "disk/format.h"
#include "disk/gpt.h"
#include "disk/tsk.h"

#define LARGER_THAN_ANY ((TSK_OFF_T)1 << 60)

/* libtsk accepts any struct that begins with TSK_IMG_INFO as an image. */
struct disk {
    TSK_IMG_INFO image;
    struct medium *medium;
    const struct gpt *gpt; /* shown in place of the disk's first bytes; may be NULL */
};

static ssize_t image_read(TSK_IMG_INFO *image, TSK_OFF_T offset, char *into, size_t len)
{
    struct disk *disk = (struct disk *)image;

    if (offset < 0)
        return -1;
    medium_read(disk->medium, (uint64_t)offset, into, len);
    if (disk->gpt && (uint64_t)offset < disk->gpt->start_len) {
        const size_t there = disk->gpt->start_len - (size_t)offset;

        memcpy(into, disk->gpt->start + offset, len < there ? len : there);
    }
    return (ssize_t)len;
}

static void image_close(TSK_IMG_INFO *image)
{
    (void)image; /* disk_close frees it */
}

static void image_stat(TSK_IMG_INFO *image, FILE *file)
{
    (void)image;
    (void)file;
}

struct disk *disk_open(struct medium *medium, struct error *err)
{
    struct disk *disk = memory_new(sizeof *disk, err);

    if (!disk)
        return NULL;
    disk->medium = medium;
    if (!tsk_img_open_external(disk, (TSK_OFF_T)medium_size(medium), medium_sector_size(medium), image_read,
                               image_close, image_stat)) {
        tsk_failed(err, "libtsk rejects the image");
        free(disk);
        return NULL;
    }
    return disk;
}

void disk_close(struct disk *disk)
{
    if (disk)
        tsk_img_close(&disk->image);
    free(disk);
}

struct TSK_IMG_INFO *disk_image(struct disk *disk)
{
    return &disk->image;
}

struct medium *disk_medium(const struct disk *disk)
{
    return disk->medium;
}

/* ---- volumes ---- */

static void report_volumes(const struct disk *disk, const TSK_VS_INFO *table,
                           void (*found)(void *arg, const struct disk_volume *), void *arg)
{
    const uint64_t size = medium_size(disk->medium), block = table->block_size;

    for (TSK_PNUM_T i = 0; i < table->part_count; i++) {
        const TSK_VS_PART_INFO *part = tsk_vs_part_get(table, i);
        struct disk_volume volume;

        if (!part || !(part->flags & TSK_VS_PART_FLAG_ALLOC) || (part->flags & TSK_VS_PART_FLAG_META) ||
            part->start > INT64_MAX / block || part->len > INT64_MAX / block)
            continue;
        volume = (struct disk_volume){.number = part->addr,
                                      .start = part->start * block,
                                      .len = part->len * block,
                                      .about = part->desc ? part->desc : ""};
        if (volume.start >= size)
            volume.missing = volume.len;
        else if (volume.len > size - volume.start)
            volume.missing = volume.len - (size - volume.start);
        volume.len -= volume.missing;
        found(arg, &volume);
    }
}

static void read_medium(void *arg, uint64_t offset, void *into, size_t len)
{
    medium_read(arg, offset, into, len);
}

/* Returns whether nothing recognizable begins at the start of the disk. */
static bool begins_empty(struct medium *medium, struct error *err)
{
    const uint64_t size = medium_size(medium);
    const size_t len = size < FORMAT_HEAD ? (size_t)size : FORMAT_HEAD;
    uint8_t *head = malloc(FORMAT_HEAD);
    bool empty = head != NULL;

    if (head) {
        medium_read(medium, 0, head, len);
        empty = !format_system(head, len) && !format_content(head, len).name;
    } else {
        error_set(err, "out of memory");
    }
    free(head);
    return empty;
}

static int examine_gpt(struct gpt *gpt, struct medium *medium, struct error *err)
{
    return gpt_examine(gpt, medium_size(medium), medium_sector_size(medium), begins_empty(medium, err),
                       read_medium, medium, err);
}

/* A GPT that gpt_examine does not find is a remnant of an earlier use of the disk: QUIRK_GPT_LEFT_OVER. */
static int read_table(struct disk *disk, uint64_t offset, bool is_cut, const struct gpt *gpt,
                      const char **type, void (*found)(void *arg, const struct disk_volume *), void *arg,
                      struct error *err)
{
    const TSK_OFF_T size = disk->image.size;
    TSK_VS_INFO *table;

    *type = "";
    tsk_error_reset();
    if (is_cut)
        disk->image.size = LARGER_THAN_ANY;
    table = tsk_vs_open(&disk->image, (TSK_DADDR_T)offset, TSK_VS_TYPE_DETECT);
    disk->image.size = size;
    if (!table) {
        uint32_t cause = tsk_error_get_errno();

        if (cause == 0 || cause == TSK_ERR_VS_UNKTYPE || cause == TSK_ERR_VS_MAGIC ||
            cause == TSK_ERR_VS_ENCRYPTED || medium_size(disk->medium) < 1024) {
            tsk_error_reset();
            return 1;
        }
        return tsk_failed(err, "cannot read the partition table");
    }
    if (table->vstype == TSK_VS_TYPE_GPT && offset == 0 && gpt->verdict == GPT_NONE) {
        tsk_vs_close(table);
        return 1;
    }
    *type = tsk_vs_type_toname(table->vstype);
    report_volumes(disk, table, found, arg);
    tsk_vs_close(table);
    return 0;
}

/* libtsk caches what it has read, so the corrected view of the first sectors needs a handle of its own. */
static int read_repaired(struct disk *disk, const struct gpt *gpt, bool is_cut, const char **type,
                         void (*found)(void *arg, const struct disk_volume *), void *arg, struct error *err)
{
    struct disk *view = disk_open(disk->medium, err);
    int result = -1;

    if (view) {
        view->gpt = gpt;
        result = read_table(view, 0, is_cut, gpt, type, found, arg, err);
    }
    disk_close(view);
    return result;
}

int disk_volumes(struct disk *disk, uint64_t offset, bool is_cut, const char **type,
                 void (*found)(void *arg, const struct disk_volume *), void *arg, struct error *fault,
                 struct error *err)
{
    struct gpt gpt = {.verdict = GPT_NONE};
    int result = 0;

    *type = "";
    if (offset == 0)
        result = examine_gpt(&gpt, disk->medium, err);
    *fault = gpt.fault;
    if (result == 0)
        result = gpt.start_len ? read_repaired(disk, &gpt, is_cut, type, found, arg, err)
                               : read_table(disk, offset, is_cut, &gpt, type, found, arg, err);
    gpt_release(&gpt);
    return result;
}

/* ---- file systems ---- */

struct system_search {
    struct disk *disk;
    uint64_t offset;
    unsigned count;
    void (*found)(void *arg, const struct disk_system *, const char *name);
    void *arg;
};

static bool try_type(struct system_search *search, TSK_FS_TYPE_ENUM type)
{
    TSK_FS_INFO *info = tsk_fs_open_img(&search->disk->image, (TSK_OFF_T)search->offset, type);
    struct disk_system system = {.offset = search->offset};

    if (!info)
        return false;
    system.type = (uint32_t)info->ftype;
    search->count++;
    search->found(search->arg, &system, tsk_fs_type_toname(info->ftype));
    tsk_fs_close(info);
    return true;
}

/* QUIRK_TYPE_AMBIGUOUS: in this case libtsk's error names several types ("ext or ufs"). */
static void try_each(struct system_search *search)
{
    static const TSK_FS_TYPE_ENUM types[] = {TSK_FS_TYPE_NTFS_DETECT, TSK_FS_TYPE_FAT_DETECT,
                                             TSK_FS_TYPE_EXT_DETECT,  TSK_FS_TYPE_FFS_DETECT,
                                             TSK_FS_TYPE_HFS_DETECT,  TSK_FS_TYPE_ISO9660_DETECT};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        try_type(search, types[i]);
}

static void try_pool(struct system_search *search)
{
    const TSK_POOL_INFO *pool =
        tsk_pool_open_img_sing(&search->disk->image, (TSK_OFF_T)search->offset, TSK_POOL_TYPE_APFS);
    const TSK_POOL_VOLUME_INFO *volume = pool ? pool->vol_list : NULL;

    for (int left = pool ? pool->num_vols : 0; volume && left > 0; left--, volume = volume->next) {
        struct disk_system system = {
            .offset = search->offset, .type = TSK_FS_TYPE_APFS, .in_pool = true, .block = volume->block};

        search->count++;
        search->found(search->arg, &system,
                      volume->flags & TSK_POOL_VOLUME_FLAG_ENCRYPTED ? "apfs, encrypted" : "apfs");
    }
    if (pool)
        tsk_pool_close(pool);
}

int disk_systems(struct disk *disk, uint64_t offset, const char *type,
                 void (*found)(void *arg, const struct disk_system *, const char *name), void *arg,
                 struct error *err)
{
    struct system_search search = {.disk = disk, .offset = offset, .found = found, .arg = arg};
    const char *text;
    bool several;

    tsk_error_reset();
    if (type) {
        TSK_FS_TYPE_ENUM wanted = tsk_fs_type_toid_utf8(type);

        if (wanted == TSK_FS_TYPE_APFS)
            try_pool(&search);
        else
            try_type(&search, wanted);
        if (search.count)
            return 0;
        tsk_failed(err, "no %s file system can be opened", type);
        return 1;
    }
    if (try_type(&search, TSK_FS_TYPE_DETECT))
        return 0;
    text = tsk_error_get_errstr();
    several = text && strstr(text, " or ");
    tsk_failed(err, "it cannot be opened");
    if (several)
        try_each(&search);
    if (!search.count)
        try_pool(&search);
    tsk_error_reset();
    return search.count ? 0 : 1;
}

/* The names that fsstat -f list prints, without older synonyms such as linux-ext3. */
const char *const disk_types[] = {"ntfs",    "fat",  "fat12",  "fat16", "fat32", "exfat", "ext",
                                  "ext2",    "ext3", "ext4",   "ufs",   "ufs1",  "ufs2",  "hfs",
                                  "iso9660", "apfs", "yaffs2", "raw",   "swap",  NULL};
