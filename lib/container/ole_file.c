/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "container/ole_inner.h"

/* Layout of the header and of a directory entry (MS-CFB 2.2, 2.6). */
enum {
    HEADER = 512,
    SHIFT_AT = 30,
    MINI_SHIFT_AT = 32,
    DIRECTORY_AT = 48,
    CUTOFF_AT = 56,
    MINI_FAT_AT = 60,
    DIFAT_AT = 68,
    FAT_AT = 76,
    FAT_IN_HEADER = 109,

    NAME_LEN_AT = 64,
    TYPE_AT = 66,
    LEFT_AT = 68,
    RIGHT_AT = 72,
    CHILD_AT = 76,
    CREATED_AT = 100,
    MODIFIED_AT = 108,
    START_AT = 116,
    SIZE_AT = 120,

    MINI_SHIFT = 6,
    CHAIN_PROGRESS = 1 << 16, /* links followed between calls of the watch */
};

#define LAST_SECTOR  0xfffffff9u /* greater numbers have meanings of their own */
#define END_OF_CHAIN 0xfffffffeu
#define FREE_SECTOR  0xffffffffu
#define BROKEN       0xfffffffcu

#define SIGNATURE "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

const struct container_magic ole_file_magic[] = {{0, 8, SIGNATURE}, {0, 0, NULL}};

bool ole_file_matches(const struct container_sight *sight)
{
    return sight->head_len >= strlen(SIGNATURE) && memcmp(sight->head, SIGNATURE, strlen(SIGNATURE)) == 0;
}

static uint64_t sector_offset(const struct ole_file *file, uint32_t sector)
{
    return ((uint64_t)sector + 1) << file->shift;
}

static size_t per_sector(const struct ole_file *file)
{
    return ((size_t)1 << file->shift) / 4;
}

/* ---- the FAT ---- */

/* A sector of the content, kept until another one needs its place; NULL if it cannot be read.  The last one
 * may be cut off: the rest of it is zeros. */
static const uint8_t *cached_sector(struct ole_file *file, uint32_t sector)
{
    const size_t slot = sector % OLE_CACHE, size = (size_t)1 << file->shift;
    const uint64_t offset = sector_offset(file, sector);
    size_t len;

    if (sector >= file->sector_count || offset >= file->content->size)
        return NULL;
    if (file->cached[slot] == sector)
        return file->cache[slot];
    file->cached[slot] = FREE_SECTOR;
    len = size < file->content->size - offset ? size : (size_t)(file->content->size - offset);
    memset(file->cache[slot], 0, size);
    if (content_read(file->content, offset, file->cache[slot], len))
        return NULL;
    file->cached[slot] = sector;
    return file->cache[slot];
}

/* What a list of sectors, of the FAT or the mini FAT, has at an index. */
static uint32_t look_up(struct ole_file *file, const uint32_t *list, size_t count, uint32_t index)
{
    const size_t place = index / per_sector(file);
    const uint8_t *sector = place < count ? cached_sector(file, list[place]) : NULL;

    return sector ? bytes_load32(sector + 4 * (index % per_sector(file))) : BROKEN;
}

static int add_fat_sector(struct ole_file *file, uint32_t sector, struct error *err)
{
    if (array_reserve(&file->fat, &file->fat_room, file->fat_count + 1))
        return error_set(err, "out of memory");
    file->fat[file->fat_count++] = sector;
    return 0;
}

/* From the list in the header, and in the chain of sectors that continues it. */
static int load_fat(struct ole_file *file, const uint8_t *header, struct error *err)
{
    const size_t most = file->sector_count / per_sector(file) + 1, links = per_sector(file) - 1;
    const size_t limit = most < OLE_MOST_FAT ? most : OLE_MOST_FAT;
    uint32_t next = bytes_load32(header + DIFAT_AT);

    for (size_t i = 0; i < FAT_IN_HEADER && file->fat_count < limit; i++)
        if (bytes_load32(header + FAT_AT + 4 * i) != FREE_SECTOR &&
            add_fat_sector(file, bytes_load32(header + FAT_AT + 4 * i), err))
            return -1;
    for (size_t step = 0; next < file->sector_count && step <= limit / links; step++) {
        const uint8_t *sector = cached_sector(file, next);

        for (size_t i = 0; sector && i < links && file->fat_count < limit; i++)
            if (bytes_load32(sector + 4 * i) != FREE_SECTOR &&
                add_fat_sector(file, bytes_load32(sector + 4 * i), err))
                return -1;
        next = sector ? bytes_load32(sector + 4 * links) : END_OF_CHAIN;
    }
    return 0;
}

/*
 * Follows a chain for up to `most` sectors, in the FAT or the mini FAT, and stops in a loop: by Brent's
 * method a sector is remembered, at ever greater distances, until the chain comes back to it.
 */
static int load_chain(struct ole_file *file, struct ole_chain *chain, const struct ole_chain *mini_fat,
                      uint32_t start, uint64_t most, struct error *err)
{
    const uint32_t *list = mini_fat ? mini_fat->sectors : file->fat;
    const size_t list_count = mini_fat ? mini_fat->count : file->fat_count;
    uint32_t sector = start, remembered = FREE_SECTOR;

    while (chain->count < most && sector != END_OF_CHAIN) {
        if (chain->count == OLE_MOST_CHAIN || sector > LAST_SECTOR ||
            (!mini_fat && sector >= file->sector_count)) {
            chain->problem = sector <= LAST_SECTOR ? "is cut off" : "has a broken chain of sectors";
            return 0;
        }
        if (sector == remembered) {
            chain->problem = "has a chain of sectors that is a loop";
            return 0;
        }
        if (array_reserve(&chain->sectors, &chain->room, chain->count + 1))
            return error_set(err, "out of memory");
        chain->sectors[chain->count++] = sector;
        if ((chain->count & (chain->count - 1)) == 0)
            remembered = sector;
        if (chain->count % CHAIN_PROGRESS == 0)
            file->watch->progress(file->watch->arg);
        sector = look_up(file, list, list_count, sector);
    }
    return 0;
}

static void release_chain(struct ole_chain *chain)
{
    free(chain->sectors);
    *chain = (struct ole_chain){0};
}

/* ---- the directory ---- */

/* 100 nanoseconds since 1601. */
static struct object_stamp stamp_of(const uint8_t *at)
{
    const uint64_t time = bytes_load64(at);
    const int64_t seconds = (int64_t)(time / 10000000) - 11644473600;

    if (time == 0 || seconds <= 0)
        return (struct object_stamp){0};
    return (struct object_stamp){seconds, (uint32_t)(time % 10000000 * 100)};
}

static const uint8_t *raw_entry(struct ole_file *file, uint32_t index)
{
    const uint32_t each = 1u << file->shift >> 7;
    const uint8_t *sector = cached_sector(file, file->directory.sectors[index / each]);

    return sector ? sector + index % each * OLE_ENTRY : NULL;
}

bool ole_file_entry(struct ole_file *file, uint32_t index, struct ole_entry *entry)
{
    const uint8_t *raw = index < file->entry_count ? raw_entry(file, index) : NULL;
    size_t units;

    if (!raw)
        return false;
    units = bytes_load_le(raw + NAME_LEN_AT, 2) / 2; /* with a terminator */
    units = units > OLE_NAME_UNITS + 1 ? OLE_NAME_UNITS : units > 0 ? units - 1 : 0;
    *entry =
        (struct ole_entry){.type = raw[TYPE_AT],
                           .left = bytes_load32(raw + LEFT_AT),
                           .right = bytes_load32(raw + RIGHT_AT),
                           .child = bytes_load32(raw + CHILD_AT),
                           .start = bytes_load32(raw + START_AT),
                           .size = file->is_long ? bytes_load64(raw + SIZE_AT) : bytes_load32(raw + SIZE_AT),
                           .created = stamp_of(raw + CREATED_AT),
                           .modified = stamp_of(raw + MODIFIED_AT)};
    entry->name_len = utf8_of_utf16(entry->name, raw, units);
    return true;
}

/* Appends an entry to those that the tree leads to, unless it is one of them. */
static void reach(struct ole_file *file, uint32_t *reached, uint32_t *count, uint32_t index, uint32_t parent)
{
    if (index == 0 || index >= file->entry_count || file->parents[index] != OLE_NO_PARENT)
        return;
    file->parents[index] = (int32_t)parent;
    reached[(*count)++] = index;
}

/* The entries of a folder are a binary tree.  Each entry is reached once, whatever the links are. */
static int find_parents(struct ole_file *file, struct error *err)
{
    uint32_t *reached = memory_new((size_t)file->entry_count * sizeof *reached, err), count = 0;
    struct ole_entry entry;

    file->parents = memory_new((size_t)file->entry_count * sizeof *file->parents, err);
    if (!reached || !file->parents) {
        free(reached);
        return -1;
    }
    for (uint32_t i = 0; i < file->entry_count; i++)
        file->parents[i] = OLE_NO_PARENT;
    file->parents[0] = 0;
    if (ole_file_entry(file, 0, &entry))
        reach(file, reached, &count, entry.child, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parent = (uint32_t)file->parents[reached[i]];

        if (!ole_file_entry(file, reached[i], &entry))
            continue;
        reach(file, reached, &count, entry.left, parent);
        reach(file, reached, &count, entry.right, parent);
        if (entry.type == OLE_STORAGE)
            reach(file, reached, &count, entry.child, reached[i]);
    }
    free(reached);
    return 0;
}

bool ole_entry_is(const struct ole_entry *entry, const char *name)
{
    return entry->type == OLE_STREAM && entry->name_len == strlen(name) &&
           memcmp(entry->name, name, entry->name_len) == 0;
}

bool ole_file_find(struct ole_file *file, int32_t folder, const char *name, struct ole_entry *entry)
{
    for (uint32_t i = 1; i < file->entry_count; i++)
        if (file->parents[i] == folder && ole_file_entry(file, i, entry) && ole_entry_is(entry, name))
            return true;
    return false;
}

/* ---- the file ---- */

/* The folders, and the mini stream. */
static int load_structures(struct ole_file *file, const uint8_t *header, struct error *err)
{
    const uint32_t each = 1u << file->shift >> 7;
    struct ole_entry root;

    if (load_chain(file, &file->directory, NULL, bytes_load32(header + DIRECTORY_AT), OLE_MOST_ENTRIES / each,
                   err))
        return -1;
    if (file->directory.count == 0)
        return error_set(err, "is cut off before its directory");
    if (sector_offset(file, file->directory.sectors[file->directory.count - 1] + 1) > file->content->size)
        file->directory.problem = "is cut off";
    file->entry_count = (uint32_t)file->directory.count * each;
    if (find_parents(file, err) || load_chain(file, &file->mini_fat, NULL, bytes_load32(header + MINI_FAT_AT),
                                              (uint64_t)OLE_MOST_CHAIN >> (file->shift - 2), err))
        return -1;
    if (ole_file_entry(file, 0, &root) && root.type == OLE_ROOT)
        return load_chain(file, &file->mini_stream, NULL, root.start,
                          (root.size >> file->shift) + ((root.size & ((1u << file->shift) - 1)) > 0), err);
    return 0;
}

int ole_file_open(struct ole_file *file, struct content *content, const struct container_watch *watch,
                  struct error *err)
{
    uint8_t header[HEADER];
    uint64_t sectors;

    file->content = content;
    file->watch = watch;
    for (size_t i = 0; i < OLE_CACHE; i++)
        file->cached[i] = FREE_SECTOR;
    if (content_read(content, 0, header, sizeof header))
        return error_set(err, "is cut off in its header");
    file->shift = (unsigned)bytes_load_le(header + SHIFT_AT, 2);
    if ((file->shift != 9 && file->shift != 12) || bytes_load_le(header + MINI_SHIFT_AT, 2) != MINI_SHIFT)
        return error_set(err, "has sectors of an unknown size");
    file->is_long = file->shift == 12;
    sectors = (content->size + ((uint64_t)1 << file->shift) - 1) >> file->shift;
    sectors -= sectors > 0; /* the header's */
    file->sector_count = sectors < LAST_SECTOR ? (uint32_t)sectors : LAST_SECTOR;
    file->mini_cutoff = bytes_load32(header + CUTOFF_AT);
    return load_fat(file, header, err) ? -1 : load_structures(file, header, err);
}

void ole_file_close(struct ole_file *file)
{
    free(file->fat);
    free(file->parents);
    release_chain(&file->directory);
    release_chain(&file->mini_fat);
    release_chain(&file->mini_stream);
}

uint64_t ole_file_end(struct ole_file *file)
{
    uint32_t last = 0;

    for (size_t place = file->fat_count; place-- > 0 && last == 0;) {
        const uint8_t *sector = cached_sector(file, file->fat[place]);

        for (size_t i = per_sector(file); sector && i-- > 0 && last == 0;)
            if (bytes_load32(sector + 4 * i) != FREE_SECTOR)
                last = (uint32_t)(place * per_sector(file) + i) + 1;
    }
    if (last == 0)
        return HEADER;
    return sector_offset(file, last) < file->content->size ? sector_offset(file, last) : file->content->size;
}

/* ---- streams ---- */

int ole_stream_open(struct ole_stream *stream, struct ole_file *file, const struct ole_entry *entry,
                    struct error *err)
{
    unsigned shift = file->shift;
    uint64_t most;

    *stream = (struct ole_stream){.is_mini = entry->size < file->mini_cutoff};
    if (stream->is_mini)
        shift = MINI_SHIFT;
    most = (entry->size >> shift) + ((entry->size & ((1u << shift) - 1)) > 0);
    if (load_chain(file, &stream->chain, stream->is_mini ? &file->mini_fat : NULL, entry->start, most, err))
        return -1;
    stream->size = entry->size;
    if (stream->chain.count < most) {
        stream->size = (uint64_t)stream->chain.count << shift;
        stream->problem =
            stream->chain.problem ? stream->chain.problem : "is shorter than its directory states";
    }
    return 0;
}

void ole_stream_release(struct ole_stream *stream)
{
    release_chain(&stream->chain);
}

/* Sectors that follow each other in the content are read at once. */
static ssize_t read_sectors(const struct ole_file *file, const struct ole_chain *chain, uint64_t offset,
                            void *into, size_t len)
{
    const size_t size = (size_t)1 << file->shift, within = offset & (size - 1);
    size_t at = (size_t)(offset >> file->shift), count = size - within;

    if (at >= chain->count)
        return -1;
    offset = sector_offset(file, chain->sectors[at]) + within;
    for (; count < len && at + 1 < chain->count && chain->sectors[at + 1] == chain->sectors[at] + 1; at++)
        count += size;
    count = count < len ? count : len;
    return offset < file->content->size ? file->content->read(file->content, offset, into, count) : -1;
}

ssize_t ole_stream_read(struct ole_stream *stream, struct ole_file *file, uint64_t offset, void *into,
                        size_t len)
{
    size_t within, count;
    ssize_t got;

    if (offset >= stream->size || len == 0)
        return 0;
    len = len < stream->size - offset ? len : (size_t)(stream->size - offset);
    if (!stream->is_mini) {
        got = read_sectors(file, &stream->chain, offset, into, len);
        return got > 0 ? got : -1;
    }
    within = offset & ((1u << MINI_SHIFT) - 1);
    count = (1u << MINI_SHIFT) - within;
    got = read_sectors(file, &file->mini_stream,
                       ((uint64_t)stream->chain.sectors[offset >> MINI_SHIFT] << MINI_SHIFT) + within, into,
                       count < len ? count : len);
    return got > 0 ? got : -1;
}

int ole_stream_read_all(struct ole_stream *stream, struct ole_file *file, uint64_t offset, void *into,
                        size_t len)
{
    uint8_t *to = into;

    while (len > 0) {
        const ssize_t count = ole_stream_read(stream, file, offset, to, len);

        if (count <= 0)
            return -1;
        to += count;
        offset += (uint64_t)count;
        len -= (size_t)count;
    }
    return 0;
}
