/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "container/archive_sight.h"

/* ---- members ---- */

struct archive_container {
    struct container container;
    struct archive_window window;
    struct archive_reader reader;
    uint64_t start;      /* of the archive in the content */
    uint64_t stated_end; /* as its header has it, or CONTAINER_UNKNOWN */
    bool is_packed;      /* its members are not stored as they are */
    uint64_t memory;     /* bytes that unpacking takes */
    char problem[64];
};

static void set_time(struct object_stamp *stamp, int is_set, time_t seconds, long nanoseconds)
{
    if (is_set)
        *stamp = (struct object_stamp){
            seconds, nanoseconds >= 0 && nanoseconds < 1000000000 ? (uint32_t)nanoseconds : 0};
}

static void describe(struct container_member *member, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    const la_int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;

    if (!name)
        name = archive_entry_pathname_utf8(entry);
    *member = (struct container_member){.name = name ? name : "", .mode = archive_entry_mode(entry)};
    member->name_len = strnlen(member->name, ARCHIVE_NAME);
    member->size = size >= 0 ? (uint64_t)size : CONTAINER_UNKNOWN;
    member->uid = (uint32_t)archive_entry_uid(entry);
    member->gid = (uint32_t)archive_entry_gid(entry);
    set_time(&member->times[OBJECT_MTIME], archive_entry_mtime_is_set(entry), archive_entry_mtime(entry),
             archive_entry_mtime_nsec(entry));
    set_time(&member->times[OBJECT_ATIME], archive_entry_atime_is_set(entry), archive_entry_atime(entry),
             archive_entry_atime_nsec(entry));
    set_time(&member->times[OBJECT_CTIME], archive_entry_ctime_is_set(entry), archive_entry_ctime(entry),
             archive_entry_ctime_nsec(entry));
    set_time(&member->times[OBJECT_CRTIME], archive_entry_birthtime_is_set(entry),
             archive_entry_birthtime(entry), archive_entry_birthtime_nsec(entry));
    if (archive_entry_is_encrypted(entry))
        member->problem = "it is encrypted";
}

/* Folders and symbolic links have no content, nor have devices and hard links, unless something is hidden
 * there. */
static bool has_content(struct archive *archive, struct archive_entry *entry)
{
    const bool has_size = archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0;

    if (archive_entry_filetype(entry) == AE_IFDIR || archive_entry_filetype(entry) == AE_IFLNK)
        return false;
    if ((archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR && !has_size &&
        strcmp(archive_entry_pathname(entry), "//") == 0)
        return false; /* the table of names, which libarchive has taken */
    return has_size || (archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry));
}

static int next_entry(struct container *container, struct container_member *member, struct error *err)
{
    struct archive_container *archive = (struct archive_container *)container;
    struct archive_entry *entry;
    int more;

    while ((more = archive_reader_next(&archive->reader, &entry, err)) == 1)
        if (has_content(archive->reader.archive, entry)) {
            describe(member, entry);
            return 1;
        }
    return more;
}

static ssize_t read_entry(struct container *container, void *into, size_t len, struct error *err)
{
    return archive_reader_read(&((struct archive_container *)container)->reader, into, len, err);
}

/* Unless it is compressed, the data is at hand when the header has been read. */
static uint64_t place_of_entry(struct container *container)
{
    struct archive_container *archive = (struct archive_container *)container;
    const la_int64_t at = archive_filter_bytes(archive->reader.archive, 0);

    if (archive->is_packed || archive_filter_count(archive->reader.archive) > 1 || at < 0)
        return CONTAINER_UNKNOWN;
    return archive->start + (uint64_t)at;
}

static uint64_t end_of_archive(struct container *container)
{
    struct archive_container *archive = (struct archive_container *)container;
    const la_int64_t at = archive_filter_bytes(archive->reader.archive, -1);

    if (archive->stated_end != CONTAINER_UNKNOWN)
        return archive->stated_end;
    return at < 0 ? archive->start : archive->start + (uint64_t)at;
}

static void close_archive(struct container *container)
{
    struct archive_container *archive = (struct archive_container *)container;

    archive_reader_release(&archive->reader);
    archive_window_release(&archive->window);
    free(archive);
}

/* ---- opening ---- */

typedef int support(struct archive *);

/* How an archive is read, and where it lies. */
struct plan {
    support *const *supports;
    uint64_t start, end; /* end: as its header has it, or CONTAINER_UNKNOWN */
    bool is_packed;
};

static struct container *open_archive(const struct container_sight *sight,
                                      const struct container_watch *watch, const struct plan *plan,
                                      struct error *err)
{
    struct archive_container *archive = memory_new(sizeof *archive, err);

    if (!archive)
        return NULL;
    archive->container =
        (struct container){next_entry, read_entry, place_of_entry, end_of_archive, close_archive};
    archive->start = plan->start;
    archive->stated_end = plan->end;
    archive->is_packed = plan->is_packed;
    archive->reader.source =
        (struct archive_source){.window = &archive->window, .start = plan->start, .end = sight->size};
    if (archive_window_init(&archive->window, sight->content, watch, err) ||
        archive_reader_open(&archive->reader, plan->supports, err)) {
        close_archive(&archive->container);
        return NULL;
    }
    return &archive->container;
}

#define FILTERS                                                                                              \
    archive_read_support_filter_gzip, archive_read_support_filter_bzip2, archive_read_support_filter_xz,     \
        archive_read_support_filter_zstd, archive_read_support_filter_lz4, archive_read_support_filter_lzma, \
        archive_read_support_filter_lzip, archive_read_support_filter_compress

static const struct plan plan_compressed = {
    (support *const[]){FILTERS, archive_read_support_format_raw, NULL}, 0, CONTAINER_UNKNOWN, true};

/* ---- archives that may be compressed ---- */

enum { FIRST = 512 };

static void no_progress(void *arg)
{
    (void)arg;
}

static bool needs_too_much(const struct container_sight *sight)
{
    return archive_sight_memory(archive_sight_packing(sight), sight->head, sight->head_len) >
           CONTAINER_MEMORY;
}

/* The first bytes of compressed content; returns their number. */
static size_t unpack_first(const struct container_sight *sight, uint8_t first[FIRST])
{
    static const struct container_watch watch = {.progress = no_progress};
    struct container *packed =
        needs_too_much(sight) ? NULL : open_archive(sight, &watch, &plan_compressed, NULL);
    struct container_member member;
    ssize_t len = 0;

    if (packed && next_entry(packed, &member, NULL) == 1)
        len = read_entry(packed, first, FIRST, NULL);
    if (packed)
        close_archive(packed);
    return len > 0 ? (size_t)len : 0;
}

/* The first bytes of the content, unpacked if it is compressed; returns their number. */
static size_t first_bytes(const struct container_sight *sight, uint8_t first[FIRST])
{
    const size_t len = sight->head_len < FIRST ? sight->head_len : FIRST;

    if (archive_sight_packing(sight) != ARCHIVE_SIGHT_BARE)
        return unpack_first(sight, first);
    memcpy(first, sight->head, len);
    return len;
}

static bool matches_tar(const struct container_sight *sight)
{
    uint8_t first[FIRST];

    return archive_sight_is_tar(first, first_bytes(sight, first));
}

static struct container *open_tar(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static support *const supports[] = {FILTERS, archive_read_support_format_tar, NULL};

    return open_archive(sight, watch, &(struct plan){supports, 0, CONTAINER_UNKNOWN, false}, err);
}

static bool matches_cpio(const struct container_sight *sight)
{
    uint8_t first[FIRST];

    return archive_sight_is_cpio(first, first_bytes(sight, first));
}

static struct container *open_cpio(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    static support *const supports[] = {FILTERS, archive_read_support_format_cpio, NULL};

    return open_archive(sight, watch, &(struct plan){supports, 0, CONTAINER_UNKNOWN, false}, err);
}

/* ---- compressed files ---- */

static bool matches_compressed(const struct container_sight *sight, enum archive_sight_packing packing)
{
    uint8_t first[FIRST];
    size_t len;

    if (archive_sight_packing(sight) != packing)
        return false;
    len = unpack_first(sight, first);
    return !archive_sight_is_tar(first, len) && !archive_sight_is_cpio(first, len);
}

/* Yields the one member, which cannot be read. */
static int next_refused(struct container *container, struct container_member *member, struct error *err)
{
    struct archive_container *archive = (struct archive_container *)container;

    (void)err;
    if (archive->memory == 0)
        return 0;
    snprintf(archive->problem, sizeof archive->problem, "it needs %" PRIu64 " MB to be unpacked",
             archive->memory >> 20);
    *member = (struct container_member){
        .name = "data", .name_len = 4, .size = CONTAINER_UNKNOWN, .problem = archive->problem};
    archive->memory = 0;
    return 1;
}

static struct container *open_compressed(const struct container_sight *sight,
                                         const struct container_watch *watch, struct error *err)
{
    struct archive_container *archive =
        (struct archive_container *)open_archive(sight, watch, &plan_compressed, err);

    if (!archive)
        return NULL;
    if (needs_too_much(sight)) {
        archive->container.next = next_refused;
        archive->memory = archive_sight_memory(archive_sight_packing(sight), sight->head, sight->head_len);
    }
    return &archive->container;
}

/* ---- archives with a signature ---- */

static const char magic_7z[] = "7z\xbc\xaf\x27\x1c", magic_rar[] = "Rar!\x1a\7", magic_cab[] = "MSCF\0\0\0",
                  magic_ar[] = "!<arch>\n", magic_rpm[] = "\xed\xab\xee\xdb", magic_xar[] = "xar!";

static bool matches_7z(const struct container_sight *sight)
{
    return archive_sight_start(sight, magic_7z, sizeof magic_7z - 1) != CONTAINER_UNKNOWN;
}

static bool matches_rar(const struct container_sight *sight)
{
    return archive_sight_start(sight, magic_rar, sizeof magic_rar - 1) != CONTAINER_UNKNOWN;
}

static bool matches_cab(const struct container_sight *sight)
{
    return archive_sight_start(sight, magic_cab, sizeof magic_cab) != CONTAINER_UNKNOWN;
}

static bool matches_ar(const struct container_sight *sight)
{
    return archive_sight_begins(sight, magic_ar, sizeof magic_ar - 1);
}

static bool matches_rpm(const struct container_sight *sight)
{
    return archive_sight_begins(sight, magic_rpm, sizeof magic_rpm - 1);
}

static bool matches_xar(const struct container_sight *sight)
{
    return archive_sight_begins(sight, magic_xar, sizeof magic_xar - 1);
}

/* Where an archive that has its length in its header ends. */
static uint64_t stated_end(const struct container_sight *sight, uint64_t start, uint64_t len)
{
    return len < sight->size - start ? start + len : sight->size;
}

static struct container *open_7z(const struct container_sight *sight, const struct container_watch *watch,
                                 struct error *err)
{
    static support *const supports[] = {archive_read_support_format_7zip, NULL};
    const uint64_t start = archive_sight_start(sight, magic_7z, sizeof magic_7z - 1);
    uint8_t header[32];
    uint64_t offset, len;

    if (content_read(sight->content, start, header, sizeof header)) {
        error_set(err, "is cut off");
        return NULL;
    }
    offset = bytes_load64(header + 12);
    len = bytes_load64(header + 20);
    if (offset > sight->size || len > sight->size - offset)
        offset = len = sight->size; /* cut off */
    return open_archive(
        sight, watch,
        &(struct plan){supports, start, stated_end(sight, start, sizeof header + offset + len), true}, err);
}

static struct container *open_rar(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static support *const supports[] = {archive_read_support_format_rar, archive_read_support_format_rar5,
                                        NULL};
    const uint64_t start = archive_sight_start(sight, magic_rar, sizeof magic_rar - 1);

    return open_archive(sight, watch, &(struct plan){supports, start, CONTAINER_UNKNOWN, true}, err);
}

static struct container *open_cab(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static support *const supports[] = {archive_read_support_format_cab, NULL};
    const uint64_t start = archive_sight_start(sight, magic_cab, sizeof magic_cab);
    uint8_t header[12];

    if (content_read(sight->content, start, header, sizeof header)) {
        error_set(err, "is cut off");
        return NULL;
    }
    return open_archive(
        sight, watch,
        &(struct plan){supports, start, stated_end(sight, start, bytes_load32(header + 8)), true}, err);
}

static struct container *open_iso(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static support *const supports[] = {archive_read_support_format_iso9660, NULL};

    return open_archive(sight, watch, &(struct plan){supports, 0, CONTAINER_UNKNOWN, false}, err);
}

static struct container *open_ar(const struct container_sight *sight, const struct container_watch *watch,
                                 struct error *err)
{
    static support *const supports[] = {archive_read_support_format_ar, NULL};

    return open_archive(sight, watch, &(struct plan){supports, 0, CONTAINER_UNKNOWN, false}, err);
}

static struct container *open_rpm(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static support *const supports[] = {archive_read_support_filter_rpm, FILTERS,
                                        archive_read_support_format_cpio, NULL};

    return open_archive(sight, watch, &(struct plan){supports, 0, CONTAINER_UNKNOWN, true}, err);
}

static struct container *open_xar(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static support *const supports[] = {archive_read_support_format_xar, NULL};

    return open_archive(sight, watch, &(struct plan){supports, 0, CONTAINER_UNKNOWN, true}, err);
}

/* ---- formats ---- */

/* libarchive converts names to the character set of the locale, for which it needs no files if that is UTF-8.
 */
static int prepare(struct error *err)
{
    const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

    if (!locale)
        return error_set(err, "the locale C.UTF-8 is missing");
    uselocale(locale);
    return 0;
}

/* FORMAT(name, what to look for in free space...) */
#define FORMAT(id, ...)                                                                                      \
    const struct container_format archive_format_##id = {                                                    \
        .name = #id,                                                                                         \
        .magic = (const struct container_magic[]){__VA_ARGS__, {0, 0, NULL}},                                \
        .prepare = prepare,                                                                                  \
        .matches = matches_##id,                                                                             \
        .open = open_##id}

FORMAT(7z, {0, 6, magic_7z});
FORMAT(rar, {0, 6, magic_rar});
FORMAT(cab, {0, 8, magic_cab});
FORMAT(tar, {257, 5, "ustar"});
FORMAT(cpio, {0, 6, "070701"}, {0, 6, "070702"});
FORMAT(ar, {0, 8, magic_ar});
FORMAT(rpm, {0, 4, magic_rpm});

/* These are no signature in free space, where the second has too few bytes, or nothing says where it ends. */
#define UNCARVED(id)                                                                                         \
    const struct container_format archive_format_##id = {                                                    \
        .name = #id, .prepare = prepare, .matches = matches_##id, .open = open_##id}

static bool matches_iso(const struct container_sight *sight)
{
    return archive_sight_is_iso(sight);
}

UNCARVED(iso);
UNCARVED(xar);

/* COMPRESSED(name, how it is recognised, what to look for in free space...) */
#define COMPRESSED(id, packing, ...)                                                                         \
    static bool matches_##id(const struct container_sight *sight)                                            \
    {                                                                                                        \
        return matches_compressed(sight, packing);                                                           \
    }                                                                                                        \
    const struct container_format archive_format_##id = {.name = #id,                                        \
                                                         .magic = __VA_ARGS__,                               \
                                                         .prepare = prepare,                                 \
                                                         .matches = matches_##id,                            \
                                                         .open = open_compressed}
#define MAGIC(at, len, bytes)                                                                                \
    (const struct container_magic[])                                                                         \
    {                                                                                                        \
        {at, len, bytes},                                                                                    \
        {                                                                                                    \
            0, 0, NULL                                                                                       \
        }                                                                                                    \
    }

COMPRESSED(gz, ARCHIVE_SIGHT_GZ, MAGIC(0, 3, "\x1f\x8b\x08"));
COMPRESSED(bz2, ARCHIVE_SIGHT_BZ2, MAGIC(4, 6, "1AY&SY"));
COMPRESSED(xz, ARCHIVE_SIGHT_XZ,
           MAGIC(0, 6,
                 "\xfd"
                 "7zXZ"));
COMPRESSED(zst, ARCHIVE_SIGHT_ZST, MAGIC(0, 4, "\x28\xb5\x2f\xfd"));
COMPRESSED(lz4, ARCHIVE_SIGHT_LZ4, NULL);
COMPRESSED(lzma, ARCHIVE_SIGHT_LZMA, NULL);
COMPRESSED(lzip, ARCHIVE_SIGHT_LZIP, NULL);
COMPRESSED(z, ARCHIVE_SIGHT_Z, NULL);

const char *archive_library(void)
{
    static const char name[] = "libarchive ";
    const char *version = archive_version_string();

    return strncmp(version, name, strlen(name)) == 0 ? version + strlen(name) : version;
}
