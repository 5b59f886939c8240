/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "base/bytes.h"
#include "container/archive_open.h"

/* An archive from `start` on.  It ends at `end`, unless that is unknown. */
static struct container *open_from(const struct container_sight *sight, const struct container_watch *watch,
                                   int (*const *supports)(struct archive *), uint64_t start, uint64_t end,
                                   bool is_packed, struct error *err)
{
    const struct archive_plan plan = {
        .supports = supports, .start = start, .end = end, .is_packed = is_packed};

    return archive_open(sight, watch, &plan, err);
}

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
    struct archive_window window;
    struct archive_stream *stream;
    ssize_t len = 0;

    if (needs_too_much(sight) || archive_window_init(&window, sight->content, &watch, NULL))
        return 0;
    stream = archive_stream_open(&window, archive_sight_packing(sight), 0, NULL);
    if (stream)
        len = archive_stream_read(stream, first, FIRST, NULL);
    archive_stream_close(stream);
    archive_window_release(&window);
    return len > 0 ? (size_t)len : 0;
}

static struct container *open_whole(const struct container_sight *sight, const struct container_watch *watch,
                                    int (*const *supports)(struct archive *), struct error *err)
{
    const struct archive_plan plan = {
        .supports = supports, .end = CONTAINER_UNKNOWN, .packing = archive_sight_packing(sight)};

    return archive_open(sight, watch, &plan, err);
}

static bool matches_tar(const struct container_sight *sight)
{
    uint8_t first[FIRST];

    if (archive_sight_packing(sight) == ARCHIVE_SIGHT_BARE)
        return archive_sight_is_tar(sight->head, sight->head_len);
    return archive_sight_is_tar(first, unpack_first(sight, first));
}

/* Unless other things may follow, archives may: tar goes on after the end of one only if it is asked to. */
static int read_concatenated(struct archive *archive)
{
    return archive_read_set_option(archive, "tar", "read_concatenated_archives", "1");
}

static struct container *open_tar(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static int (*const once[])(struct archive *) = {archive_read_support_format_tar, NULL};
    static int (*const all[])(struct archive *) = {archive_read_support_format_tar, read_concatenated, NULL};

    return open_whole(sight, watch, sight->is_carved ? once : all, err);
}

static bool matches_cpio(const struct container_sight *sight)
{
    uint8_t first[FIRST];

    if (archive_sight_packing(sight) == ARCHIVE_SIGHT_BARE)
        return archive_sight_is_cpio(sight->head, sight->head_len);
    return archive_sight_is_cpio(first, unpack_first(sight, first));
}

static struct container *open_cpio(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_cpio, NULL};

    return open_whole(sight, watch, supports, err);
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

static struct container *open_compressed(const struct container_sight *sight,
                                         const struct container_watch *watch, struct error *err)
{
    const enum archive_sight_packing packing = archive_sight_packing(sight);
    const struct archive_plan plan = {.end = CONTAINER_UNKNOWN,
                                      .packing = packing,
                                      .memory = archive_sight_memory(packing, sight->head, sight->head_len)};

    return archive_open(sight, watch, &plan, err);
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

static uint32_t be32(const uint8_t *bytes)
{
    return __builtin_bswap32(bytes_load32(bytes));
}

/* Where an archive that has its length in its header ends. */
static uint64_t stated_end(const struct container_sight *sight, uint64_t start, uint64_t len)
{
    return len < sight->size - start ? start + len : sight->size;
}

static struct container *open_7z(const struct container_sight *sight, const struct container_watch *watch,
                                 struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_7zip, NULL};
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
    return open_from(sight, watch, supports, start, stated_end(sight, start, sizeof header + offset + len),
                     true, err);
}

static struct container *open_rar(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_rar,
                                                        archive_read_support_format_rar5, NULL};
    const uint64_t start = archive_sight_start(sight, magic_rar, sizeof magic_rar - 1);

    return open_from(sight, watch, supports, start, CONTAINER_UNKNOWN, true, err);
}

static struct container *open_cab(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_cab, NULL};
    const uint64_t start = archive_sight_start(sight, magic_cab, sizeof magic_cab);
    uint8_t header[12];

    if (content_read(sight->content, start, header, sizeof header)) {
        error_set(err, "is cut off");
        return NULL;
    }
    return open_from(sight, watch, supports, start, stated_end(sight, start, bytes_load32(header + 8)), true,
                     err);
}

static struct container *open_iso(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_iso9660, NULL};

    return open_from(sight, watch, supports, 0, CONTAINER_UNKNOWN, false, err);
}

static struct container *open_ar(const struct container_sight *sight, const struct container_watch *watch,
                                 struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_ar, NULL};
    const struct archive_plan plan = {
        .supports = supports, .end = CONTAINER_UNKNOWN, .is_endless = sight->is_carved};

    return archive_open(sight, watch, &plan, err);
}

/* Where one of the two headers of an RPM file ends; 0: there is none. */
static uint64_t rpm_header_end(const struct container_sight *sight, uint64_t at)
{
    enum { FIXED = 16, ENTRY = 16 };
    uint8_t header[FIXED];

    if (content_read(sight->content, at, header, sizeof header) || memcmp(header, "\x8e\xad\xe8\x01", 4) != 0)
        return 0;
    return at + FIXED + (uint64_t)be32(header + 8) * ENTRY + be32(header + 12);
}

/* After the lead come the signature, which is padded, and the header, then a compressed cpio archive. */
static uint64_t rpm_payload(const struct container_sight *sight)
{
    enum { LEAD = 96, ALIGNMENT = 8 };
    const uint64_t signature = rpm_header_end(sight, LEAD);

    return signature ? rpm_header_end(sight, (signature + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) : 0;
}

static struct container *open_rpm(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_cpio, NULL};
    const uint64_t start = rpm_payload(sight);
    uint8_t head[64];
    const struct container_sight payload = {.head = head, .head_len = sizeof head};
    struct archive_plan plan = {.supports = supports, .start = start, .end = CONTAINER_UNKNOWN};

    if (start == 0 || content_read(sight->content, start, head, sizeof head)) {
        error_set(err, "is cut off");
        return NULL;
    }
    plan.packing = archive_sight_packing(&payload);
    return archive_open(sight, watch, &plan, err);
}

static struct container *open_xar(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_xar, NULL};

    return open_from(sight, watch, supports, 0, CONTAINER_UNKNOWN, true, err);
}

/* ---- formats ---- */

/* libarchive converts names to the character set of the locale, for which it needs no files if that is UTF-8.
 */
static int prepare(struct error *err)
{
    locale_t locale;

    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        return 0;
    locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!locale)
        return error_set(err, "the locale C.UTF-8 is missing");
    uselocale(locale);
    return 0;
}

/* Values of the first byte: of programs, and of anything compressed. */
#define PROGRAM "M\x7f"
#define GZ      "\x1f"
#define FRAME   "PQRSTUVWXYZ[\\]^_"
#define ZST     "\x28" FRAME
#define LZ4     "\4\2" FRAME
#define PACKED  GZ "B\xfd]L" ZST LZ4

/* FORMAT(name, what it may begin with, what to look for in free space...) */
#define FORMAT(id, values, ...)                                                                              \
    const struct container_format archive_format_##id = {                                                    \
        .name = #id,                                                                                         \
        .first = (values),                                                                                   \
        .magic = (const struct container_magic[]){__VA_ARGS__, {0, 0, NULL}},                                \
        .prepare = prepare,                                                                                  \
        .matches = matches_##id,                                                                             \
        .open = open_##id}

FORMAT(7z, "7" PROGRAM, {0, 6, magic_7z});
FORMAT(rar, "R" PROGRAM, {0, 6, magic_rar});
FORMAT(cab, PROGRAM, {0, 8, magic_cab});
FORMAT(tar, NULL, {257, 5, "ustar"});
FORMAT(cpio, "0q\xc7" PACKED, {0, 6, "070701"}, {0, 6, "070702"});
FORMAT(ar, "!", {0, 8, magic_ar});
FORMAT(rpm, "\xed", {0, 4, magic_rpm});

/* These are no signature in free space, where the second has too few bytes, or nothing says where it ends. */
#define UNCARVED(id, values)                                                                                 \
    const struct container_format archive_format_##id = {                                                    \
        .name = #id, .first = (values), .prepare = prepare, .matches = matches_##id, .open = open_##id}

static bool matches_iso(const struct container_sight *sight)
{
    return archive_sight_is_iso(sight);
}

UNCARVED(iso, NULL);
UNCARVED(xar, "x");

/* COMPRESSED(name, how it is recognised, what it may begin with, what to look for in free space...) */
#define COMPRESSED(id, packing, values, ...)                                                                 \
    static bool matches_##id(const struct container_sight *sight)                                            \
    {                                                                                                        \
        return matches_compressed(sight, packing);                                                           \
    }                                                                                                        \
    const struct container_format archive_format_##id = {.name = #id,                                        \
                                                         .first = (values),                                  \
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

COMPRESSED(gz, ARCHIVE_SIGHT_GZ, GZ, MAGIC(0, 3, "\x1f\x8b\x08"));
COMPRESSED(bz2, ARCHIVE_SIGHT_BZ2, "B", MAGIC(4, 6, "1AY&SY"));
COMPRESSED(xz, ARCHIVE_SIGHT_XZ, "\xfd",
           MAGIC(0, 6,
                 "\xfd"
                 "7zXZ"));
COMPRESSED(zst, ARCHIVE_SIGHT_ZST, ZST, MAGIC(0, 4, "\x28\xb5\x2f\xfd"));
COMPRESSED(lz4, ARCHIVE_SIGHT_LZ4, LZ4, NULL);
COMPRESSED(lzma, ARCHIVE_SIGHT_LZMA, "]", NULL);
COMPRESSED(lzip, ARCHIVE_SIGHT_LZIP, "L", NULL);
COMPRESSED(z, ARCHIVE_SIGHT_Z, GZ, NULL);

const char *archive_library(void)
{
    static const char name[] = "libarchive ";
    const char *version = archive_version_string();

    return strncmp(version, name, strlen(name)) == 0 ? version + strlen(name) : version;
}
