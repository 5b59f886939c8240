/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ranges.h"
#include "disk/fat.h"
#include "disk/filesystem_inner.h"
#include "disk/ntfs.h"

/* The size of all extents of a large file but the last: see QUIRK_ISO_EXTENTS. */
static const uint64_t ISO_FULL_EXTENT = 0xfffff800;

enum {
    EXT_SHORT_LINK = 60, /* the target of a link that is this long has blocks */
};

/* What libtsk makes of an attribute's bytes. */
struct attribute_content {
    struct content content;
    const TSK_FS_ATTR *attribute;
};

static ssize_t read_attribute(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct attribute_content *of = (const struct attribute_content *)content;

    return tsk_fs_attr_read(of->attribute, (TSK_OFF_T)offset, into, len, TSK_FS_FILE_READ_FLAG_NONE);
}

/* ---- the objects of an inode ---- */

struct telling {
    struct filesystem *filesystem;
    TSK_FS_FILE *file;
    unsigned kinds;
    bool own; /* a file of the file system itself */
    filesystem_object found;
    void *arg;
    struct ranges slack, map; /* on the image; map: blocks that hold the object's block map */
    bool out_of_memory;       /* some of these are missing */
    uint64_t known; /* bytes of the content that may be stored; behind them are zeros and, on disk, what was
                       there before */
};

static const struct {
    TSK_FS_META_TYPE_ENUM type;
    mode_t mode;
} modes[] = {
    {TSK_FS_META_TYPE_REG, S_IFREG},   {TSK_FS_META_TYPE_DIR, S_IFDIR}, {TSK_FS_META_TYPE_FIFO, S_IFIFO},
    {TSK_FS_META_TYPE_CHR, S_IFCHR},   {TSK_FS_META_TYPE_BLK, S_IFBLK}, {TSK_FS_META_TYPE_LNK, S_IFLNK},
    {TSK_FS_META_TYPE_SOCK, S_IFSOCK},
};

static uint32_t mode_of(const TSK_FS_META *meta)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].type == meta->type)
            return (uint32_t)(modes[i].mode | ((mode_t)meta->mode & 07777));
    return (uint32_t)meta->mode & 07777;
}

static void begin_object(struct telling *telling, enum object_kind kind)
{
    const TSK_FS_META *meta = telling->file->meta;
    struct object *object = &telling->filesystem->object;

    object_reset(object);
    object->kind = kind;
    object->inode = meta->addr;
    object->flags = meta->flags & TSK_FS_META_FLAG_ALLOC ? OBJECT_ALLOCATED : 0;
    object->mode = mode_of(meta);
    object->uid = meta->uid;
    object->gid = meta->gid;
    object->times[OBJECT_MTIME] = (struct object_stamp){meta->mtime, meta->mtime_nano};
    object->times[OBJECT_ATIME] = (struct object_stamp){meta->atime, meta->atime_nano};
    object->times[OBJECT_CTIME] = (struct object_stamp){meta->ctime, meta->ctime_nano};
    object->times[OBJECT_CRTIME] = (struct object_stamp){meta->crtime, meta->crtime_nano};
    telling->slack.count = 0;
}

/* How an object's content is called that has no name of its own. */
static enum object_kind content_kind(const struct telling *telling)
{
    const TSK_FS_META *meta = telling->file->meta;

    if (meta->type == TSK_FS_META_TYPE_DIR)
        return OBJECT_FOLDER;
    if (telling->own || meta->type != TSK_FS_META_TYPE_REG)
        return OBJECT_METADATA;
    return meta->flags & TSK_FS_META_FLAG_ALLOC ? OBJECT_FILE : OBJECT_DELETED;
}

static bool wanted(const struct telling *telling, enum object_kind kind)
{
    return (telling->kinds & OBJECT_BIT(kind)) != 0;
}

static void add_range(struct telling *telling, struct ranges *ranges, uint64_t image, uint64_t len)
{
    if (len > 0 && ranges_add(ranges, image, len))
        telling->out_of_memory = true;
}

/* Blocks of the content, from a byte of it on; what lies behind the known content is slack. */
static int add_blocks(struct telling *telling, uint64_t offset, uint64_t block, uint64_t count,
                      bool unwritten)
{
    struct filesystem *filesystem = telling->filesystem;
    struct object *object = &filesystem->object;
    const uint64_t size = filesystem->facts.block_size, blocks = filesystem->info->last_block + 1;
    uint64_t image, len, known = unwritten || offset >= telling->known ? 0 : telling->known - offset;

    if (block >= blocks || count > blocks - block || count > INT64_MAX / size ||
        offset > INT64_MAX - count * size) {
        object_blame(object, OBJECT_PARTIAL, "a part of it would lie outside of the file system");
        return -1;
    }
    image = filesystem->image_start + block * size;
    len = count * size;
    if (known > len)
        known = len;
    if (object_add_run(object, offset, image, known))
        object_blame(object, OBJECT_PARTIAL, "a part of its block map cannot be used");
    if (wanted(telling, OBJECT_SLACK))
        add_range(telling, &telling->slack, image + known, len - known);
    return 0;
}

static int tell(struct telling *telling, struct content *content)
{
    return telling->found(telling->arg, &telling->filesystem->object, content);
}

/* The slack that was seen with an object. */
static int tell_slack(struct telling *telling)
{
    for (size_t i = 0, count = telling->slack.count; i < count; i++) {
        struct object *object = &telling->filesystem->object;

        begin_object(telling, OBJECT_SLACK);
        object->flags |= OBJECT_RANGE;
        object->start = telling->slack.list[i].start;
        object->size = telling->slack.list[i].len;
        if (object_add_run(object, 0, object->start, object->size))
            object_blame(object, OBJECT_UNREADABLE, "out of memory");
        if (tell(telling, NULL))
            return -1;
    }
    return 0;
}

/* Whether an object of this kind has anything that is wanted: itself, or slack. */
static bool worth_it(const struct telling *telling, enum object_kind kind)
{
    return wanted(telling, kind) || wanted(telling, OBJECT_SLACK);
}

/* Not a block of its own, and no content either. */
static bool is_detail(const struct object *object)
{
    return object->kind >= OBJECT_METADATA && object->run_count == 0;
}

static int tell_wanted(struct telling *telling, struct content *content)
{
    const struct object *object = &telling->filesystem->object;

    if (wanted(telling, object->kind) && (!is_detail(object) || (telling->kinds & OBJECT_DETAILS)) &&
        tell(telling, content)) /* which may take the object away */
        return -1;
    return tell_slack(telling);
}

/* The blocks that say where the content lies, one after the other. */
static int tell_map(struct telling *telling, uint32_t type)
{
    struct object *object = &telling->filesystem->object;

    if (telling->map.count == 0 || !wanted(telling, OBJECT_METADATA))
        return 0;
    begin_object(telling, OBJECT_METADATA);
    object->type = type;
    for (size_t i = 0; i < telling->map.count; i++) {
        const struct range *range = &telling->map.list[i];

        if (object_add_run(object, object->size, range->start, range->len))
            object_blame(object, OBJECT_PARTIAL, "out of memory");
        object->size += range->len;
    }
    return tell(telling, NULL);
}

static int set_size(struct telling *telling, TSK_OFF_T size)
{
    struct object *object = &telling->filesystem->object;

    if (size < 0) {
        object->size = 0;
        object_blame(object, OBJECT_UNREADABLE, "its size is impossible: %llu", (unsigned long long)size);
        return -1;
    }
    object->size = (uint64_t)size;
    telling->known = (uint64_t)size;
    return 0;
}

/* ---- ext ---- */

static int add_extent(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    struct telling *telling = arg;
    uint64_t size = telling->filesystem->facts.block_size;

    if (file_block > INT64_MAX / size)
        return -1;
    return add_blocks(telling, file_block * size, block, count, unwritten);
}

/* The same blocks may be named again and again: a map of the same length as the disk is long enough. */
static void add_map_block(void *arg, uint64_t block)
{
    struct telling *telling = arg;
    const uint64_t size = telling->filesystem->facts.block_size;

    add_range(telling, &telling->map, telling->filesystem->image_start + block * size, size);
}

/* A block of the resize inode is one more of the file system's own, wherever in that huge file it lies. */
static int add_reserved(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    (void)file_block;
    (void)unwritten;
    for (uint64_t i = 0; i < count; i++)
        add_map_block(arg, block + i);
    return 0;
}

static bool has_ext_blocks(const TSK_FS_META *meta)
{
    return meta->type == TSK_FS_META_TYPE_REG || meta->type == TSK_FS_META_TYPE_DIR ||
           (meta->type == TSK_FS_META_TYPE_LNK && meta->size >= EXT_SHORT_LINK);
}

static uint32_t ext_map_type(const TSK_FS_META *meta)
{
    return meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_EXTENTS ? TSK_FS_ATTR_TYPE_UNIX_EXTENT
                                                                       : TSK_FS_ATTR_TYPE_UNIX_INDIR;
}

static int tell_ext(struct telling *telling)
{
    const TSK_FS_META *meta = telling->file->meta;
    struct filesystem *filesystem = telling->filesystem;
    enum object_kind kind = content_kind(telling);

    if (telling->own && meta->addr == EXTGROUPS_RESIZE_INODE) {
        filesystem_map_ext(filesystem, meta, -1, add_reserved, add_map_block, telling);
        return tell_map(telling, ext_map_type(meta));
    }
    if (!worth_it(telling, kind) && !wanted(telling, OBJECT_METADATA))
        return 0;
    begin_object(telling, kind);
    filesystem->object.type = TSK_FS_ATTR_TYPE_DEFAULT;
    if (set_size(telling, meta->size) || !has_ext_blocks(meta))
        return tell_wanted(telling, NULL);
    /* With preallocated blocks after the end, which are slack. */
    if (filesystem_map_ext(filesystem, meta, wanted(telling, OBJECT_SLACK) ? -1 : meta->size, add_extent,
                           add_map_block, telling))
        object_blame(&filesystem->object, OBJECT_PARTIAL, "its block map is damaged");
    return tell_wanted(telling, NULL) || tell_map(telling, ext_map_type(meta)) ? -1 : 0;
}

/* ---- all others: by the attributes that libtsk loads ---- */

/* Holes are runs too: where the runs end before the content does, its blocks are lost, and not zeros. */
static void blame_lost(struct telling *telling, uint64_t covered)
{
    struct object *object = &telling->filesystem->object;

    if (covered < telling->known && covered < object->size)
        object_blame(object, OBJECT_PARTIAL, "of its %llu bytes only the first %llu have a place on the disk",
                     (unsigned long long)object->size, (unsigned long long)covered);
}

static void add_runs(struct telling *telling, const TSK_FS_ATTR *attribute)
{
    const uint64_t size = telling->filesystem->facts.block_size;
    uint64_t covered = 0;

    for (const TSK_FS_ATTR_RUN *run = attribute->nrd.run; run; run = run->next) {
        if (run->offset <= INT64_MAX / size && run->len <= INT64_MAX / size - run->offset)
            covered = (run->offset + run->len) * size;
        if (run->flags & TSK_FS_ATTR_RUN_FLAG_FILLER)
            object_blame(&telling->filesystem->object, OBJECT_PARTIAL, "a part of its block map is lost");
        if (run->flags & (TSK_FS_ATTR_RUN_FLAG_FILLER | TSK_FS_ATTR_RUN_FLAG_SPARSE))
            continue;
        if (run->offset > INT64_MAX / size) {
            object_blame(&telling->filesystem->object, OBJECT_PARTIAL, "its block map is damaged");
            break;
        }
        add_blocks(telling, run->offset * size, run->addr, run->len, false);
    }
    if (telling->known <=
        (uint64_t)attribute->size) /* else it is compressed, and its runs are not its bytes */
        blame_lost(telling, covered);
}

/* Attributes that a program keeps whatever it likes in, beside a file's content. */
static bool is_stream(const struct telling *telling, const TSK_FS_ATTR *attribute)
{
    const bool named = attribute->name && attribute->name[0];

    switch (attribute->type) {
    case TSK_FS_ATTR_TYPE_HFS_RSRC:
    case TSK_FS_ATTR_TYPE_HFS_EXT_ATTR:
    case TSK_FS_ATTR_TYPE_NTFS_EA:
    case TSK_FS_ATTR_TYPE_NTFS_PROP:
        return true;
    case TSK_FS_ATTR_TYPE_NTFS_DATA:
        return named;
    case TSK_FS_ATTR_TYPE_NTFS_LOG: /* resident ones hold a transaction's numbers, or a key */
        return !(attribute->flags & TSK_FS_ATTR_RES);
    default: /* types that nobody has defined */
        return filesystem_is_ntfs(telling->filesystem) && attribute->type > TSK_FS_ATTR_TYPE_NTFS_LOG;
    }
}

static bool is_content(const TSK_FS_ATTR *attribute)
{
    return attribute->type == TSK_FS_ATTR_TYPE_DEFAULT || attribute->type == TSK_FS_ATTR_TYPE_NTFS_DATA ||
           attribute->type == TSK_FS_ATTR_TYPE_HFS_DATA;
}

static enum object_kind attribute_kind(const struct telling *telling, const TSK_FS_ATTR *attribute)
{
    const TSK_FS_META *meta = telling->file->meta;

    if (is_stream(telling, attribute))
        return telling->own && filesystem_owns_stream(telling->filesystem, meta->addr,
                                                      attribute->name ? attribute->name : "")
                   ? OBJECT_METADATA
                   : OBJECT_STREAM;
    if (is_content(attribute))
        return content_kind(telling);
    return meta->type == TSK_FS_META_TYPE_DIR && attribute->type == TSK_FS_ATTR_TYPE_NTFS_IDXROOT
               ? OBJECT_FOLDER
               : OBJECT_METADATA;
}

/*
 * The clusters of a compressed attribute as they are stored, as slack: what is left in a unit after its
 * compressed bytes, does not decompress, or lies after the content's end would be read by nobody otherwise.
 * Units that are not compressed are read twice.
 */
static void add_stored(struct telling *telling, const TSK_FS_ATTR *attribute)
{
    const struct filesystem *filesystem = telling->filesystem;
    const uint64_t size = filesystem->facts.block_size, blocks = filesystem->info->last_block + 1;

    for (const TSK_FS_ATTR_RUN *run = attribute->nrd.run; run && wanted(telling, OBJECT_SLACK);
         run = run->next)
        if (!(run->flags & (TSK_FS_ATTR_RUN_FLAG_FILLER | TSK_FS_ATTR_RUN_FLAG_SPARSE)) &&
            run->addr < blocks && run->len <= blocks - run->addr)
            add_range(telling, &telling->slack, filesystem->image_start + run->addr * size, run->len * size);
}

static bool is_direct(const struct telling *telling, const TSK_FS_ATTR *attribute)
{
    return telling->filesystem->direct && (attribute->flags & TSK_FS_ATTR_NONRES) &&
           !(attribute->flags & (TSK_FS_ATTR_COMP | TSK_FS_ATTR_RES)) && attribute->nrd.skiplen == 0 &&
           !attribute->r;
}

/*
 * How much of an exFAT file was ever written, by the entry after the file's own (QUIRK_EXFAT_VALID_LENGTH).
 * What lies after that reads as zeros.  Without that entry in the same cluster all counts as written.
 */
static uint64_t exfat_written(const struct telling *telling, uint64_t size)
{
    const uint64_t next = telling->file->meta->addr + 1;
    uint8_t entry[FAT_ENTRY_LEN];
    struct fat_layout layout;

    if (!filesystem_fat_entry(telling->filesystem->info, next, &layout, entry) ||
        fat_begins_cluster(&layout, next))
        return size;
    return fat_stream_written(entry, size);
}

static int tell_attribute(struct telling *telling, const TSK_FS_ATTR *attribute)
{
    struct object *object = &telling->filesystem->object;
    struct attribute_content content = {{0, read_attribute}, attribute};
    enum object_kind kind = attribute_kind(telling, attribute);
    bool direct = is_direct(telling, attribute);

    if (kind <= OBJECT_DELETED || kind == OBJECT_FOLDER)
        telling->filesystem->told_content = true;
    /* $BadClus:$Bad is as long as the volume and holds nothing; its clusters, if any, belong to nobody. */
    if (!worth_it(telling, kind) ||
        (filesystem_is_ntfs(telling->filesystem) && telling->file->meta->addr == 8 && kind == OBJECT_STREAM &&
         attribute->name && strcmp(attribute->name, "$Bad") == 0))
        return 0;
    begin_object(telling, kind);
    object->type = (uint32_t)attribute->type;
    object->id = attribute->id;
    if (attribute->flags & TSK_FS_ATTR_RES)
        object->flags |= OBJECT_RESIDENT;
    if (attribute->flags & TSK_FS_ATTR_COMP)
        object->flags |= OBJECT_COMPRESSED;
    if (attribute->flags & TSK_FS_ATTR_ENC)
        object->flags |= OBJECT_ENCRYPTED;
    if (attribute->name && (kind == OBJECT_STREAM || kind == OBJECT_METADATA))
        buffer_add_text(&object->stream, attribute->name);
    if (set_size(telling, attribute->size))
        return tell_wanted(telling, NULL);
    if (telling->filesystem->info->ftype == TSK_FS_TYPE_ISO9660 && object->size == ISO_FULL_EXTENT)
        object_blame(object, OBJECT_PARTIAL,
                     "it is the first part of a larger file, which goes on as another object");
    if (attribute->flags & TSK_FS_ATTR_NONRES) {
        if (direct && attribute->nrd.initsize >= 0 && attribute->nrd.initsize < attribute->size)
            telling->known = (uint64_t)attribute->nrd.initsize;
        if (direct && telling->filesystem->info->ftype == TSK_FS_TYPE_EXFAT && kind <= OBJECT_DELETED)
            telling->known = exfat_written(telling, object->size);
        if (attribute->flags & TSK_FS_ATTR_COMP)
            telling->known = INT64_MAX; /* the stored bytes are not the content's */
        add_runs(telling, attribute);
        if (attribute->flags & TSK_FS_ATTR_COMP)
            add_stored(telling, attribute);
    }
    content.content.size = object->size;
    return tell_wanted(telling, direct ? NULL : &content.content);
}

/* A file or folder without any content of its own is told all the same: it has a name. */
static int tell_empty(struct telling *telling)
{
    enum object_kind kind = content_kind(telling);

    if (kind == OBJECT_METADATA || !wanted(telling, kind) ||
        (kind == OBJECT_FOLDER && !(telling->kinds & OBJECT_DETAILS)))
        return 0;
    begin_object(telling, kind);
    telling->filesystem->object.type =
        (uint32_t)telling->filesystem->info->get_default_attr_type(telling->file);
    if (kind != OBJECT_FOLDER && telling->file->meta->size > 0 &&
        set_size(telling, telling->file->meta->size) == 0)
        object_blame(&telling->filesystem->object, OBJECT_UNREADABLE, "its content cannot be found");
    return tell(telling, NULL);
}

/* QUIRK_EXT_INLINE_EMPTY: no attribute, and an error, though nothing is wrong.  What is too large to be read
 * (QUIRK_EXT_INLINE_LARGE) is an error indeed. */
static bool is_empty_inline(const TSK_FS_META *meta)
{
    return meta->content_type == TSK_FS_META_CONTENT_TYPE_EXT4_INLINE && meta->size == 0;
}

static int tell_attributes(struct telling *telling)
{
    int count;

    tsk_error_reset();
    count = tsk_fs_file_attr_getsize(telling->file);
    if (count == 0 && tsk_error_get_errno() && !is_empty_inline(telling->file->meta) &&
        content_kind(telling) <= OBJECT_DELETED) {
        struct error err;

        begin_object(telling, content_kind(telling));
        set_size(telling, telling->file->meta->size);
        tsk_failed(&err, "its content cannot be found");
        object_blame(&telling->filesystem->object, OBJECT_UNREADABLE, "%.200s", err.text);
        return wanted(telling, telling->filesystem->object.kind) ? tell(telling, NULL) : 0;
    }
    for (int i = 0; i < count; i++) {
        const TSK_FS_ATTR *attribute = tsk_fs_file_attr_get_idx(telling->file, i);

        if (attribute && tell_attribute(telling, attribute))
            return -1;
    }
    return telling->filesystem->told_content ? 0 : tell_empty(telling);
}

/* ---- an inode ---- */

/* Records that only hold a part of another one's attributes have no $STANDARD_INFORMATION. */
static bool is_extension_record(TSK_FS_FILE *file)
{
    return tsk_fs_file_attr_getsize(file) > 0 &&
           !tsk_fs_file_attr_get_type(file, TSK_FS_ATTR_TYPE_NTFS_SI, 0, 0);
}

static bool is_used(const struct filesystem *filesystem, TSK_FS_FILE *file)
{
    const TSK_FS_META *meta = file->meta;

    if (meta->type == TSK_FS_META_TYPE_UNDEF || meta->type == TSK_FS_META_TYPE_VIRT_DIR)
        return false;
    /* $MBR, $FAT1, $FAT2: libtsk's names for a part of the structures. */
    if (meta->type == TSK_FS_META_TYPE_VIRT && TSK_FS_TYPE_ISFAT(filesystem->info->ftype))
        return false;
    /* Entries of FAT folders are only asked for when they are known; see QUIRK_EXFAT_DELETED. */
    if ((meta->flags & TSK_FS_META_FLAG_UNUSED) && !TSK_FS_TYPE_ISFAT(filesystem->info->ftype))
        return false;
    return !filesystem_is_ntfs(filesystem) || !is_extension_record(file);
}

/* A record that was never written is all zeros: see QUIRK_NTFS_BLANK_RECORD. */
static bool is_blank_record(const struct filesystem *filesystem, uint64_t inode)
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

int filesystem_objects(struct filesystem *filesystem, uint64_t inode, unsigned kinds, filesystem_object found,
                       void *arg, struct error *err)
{
    struct telling telling = {.filesystem = filesystem, .kinds = kinds, .found = found, .arg = arg};

    tsk_error_reset();
    telling.file = tsk_fs_file_open_meta(filesystem->info, NULL, inode);
    if (!telling.file || !telling.file->meta) {
        tsk_fs_file_close(telling.file);
        tsk_failed(err, "cannot be read");
        return is_blank_record(filesystem, inode) ? 0 : -1;
    }
    filesystem->told_content = false;
    if (is_used(filesystem, telling.file)) {
        telling.own = filesystem_owns(filesystem, telling.file);
        if (TSK_FS_TYPE_ISEXT(filesystem->info->ftype) &&
            telling.file->meta->content_type != TSK_FS_META_CONTENT_TYPE_EXT4_INLINE)
            tell_ext(&telling);
        else
            tell_attributes(&telling);
    }
    ranges_release(&telling.slack);
    ranges_release(&telling.map);
    tsk_fs_file_close(telling.file);
    return telling.out_of_memory ? error_set(err, "cannot be read in full: out of memory") : 0;
}
