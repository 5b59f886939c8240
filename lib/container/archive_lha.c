/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "container/archive.h"
#include "container/archive_sight.h"
#include "container/archive_zip.h"

/*
 * LHA.  libarchive unpacks the members, but the headers are read here: it ends at the first name that is not
 * in the character set of the locale, and most archives are Japanese.  There are four kinds of headers.
 */

enum {
    FIXED = 21, /* bytes up to the kind of header, which all have in common */
    METHOD = 2, /* where the method is, of 5 bytes */
    METHOD_LEN = 5,
    NAME = 22,         /* where the name is, in kinds 0 and 1, after its length */
    EXTENSIONS_2 = 24, /* where the length of the first extension is */
    LEN_3 = 24,        /* of the header */
    EXTENSIONS_3 = 28,
    MOST_HEADER = 16 << 10,
    MOST_WASTED = 16 << 20, /* bytes of what only looked like headers */
    AFTER = 64,             /* bytes that libarchive wants to see after the data */
    PREFIX = 25,            /* bytes of a header of kind 0 with a name of one byte */
};

struct header {
    char method[METHOD_LEN + 1];
    uint64_t len; /* of the header with its extensions */
    uint64_t packed, size;
    uint32_t time; /* as stored */
    unsigned kind, crc;
    struct object_stamp mtime;
    uint32_t mode;
    size_t folder_len, name_len;
    char folder[ARCHIVE_NAME], name[ARCHIVE_NAME];
};

struct archive_lha {
    struct container container;
    struct archive_window window;
    uint64_t at;   /* of the next header */
    uint64_t last; /* the end of the last member */
    bool is_carved, is_damaged, is_cut;
    uint64_t wasted;
    struct header header;
    uint64_t start, end; /* of the present member's data */
    char path[2 * ARCHIVE_NAME];
    char problem[80];
    uint8_t prefix[PREFIX];
    struct archive_reader reader;
    bool is_read; /* reading the member has begun */
};

/* ---- headers ---- */

/* Folders are separated by 0xff, and in kind 0 by a backslash, which may also be half a character. */
static size_t take_name(char *into, const uint8_t *bytes, size_t len, bool has_backslashes)
{
    len = len < ARCHIVE_NAME ? len : ARCHIVE_NAME;
    for (size_t i = 0; i < len; i++) {
        into[i] = bytes[i] == 0xff ? '/' : (char)bytes[i];
        has_backslashes &= bytes[i] < 0x80;
    }
    for (size_t i = 0; i < len && has_backslashes; i++)
        if (into[i] == '\\')
            into[i] = '/';
    return len;
}

static void take_extension(struct header *header, unsigned type, const uint8_t *bytes, size_t len)
{
    enum { FILE_NAME = 1, FOLDER = 2, SIZES = 0x42, MODE = 0x50, TIME = 0x54 };

    if (type == FILE_NAME)
        header->name_len = take_name(header->name, bytes, len, false);
    else if (type == FOLDER)
        header->folder_len = take_name(header->folder, bytes, len, false);
    else if (type == MODE && len >= 2)
        header->mode = (uint32_t)bytes_load_le(bytes, 2);
    else if (type == TIME && len >= 4)
        header->mtime = (struct object_stamp){bytes_load32(bytes), 0};
    else if (type == SIZES && len >= 16) {
        header->packed = bytes_load64(bytes);
        header->size = bytes_load64(bytes + 8);
    }
}

/* Each extension begins with its type and ends with the length of the next one, of `width` bytes.  Returns
 * where they end, or 0 if they do not. */
static size_t read_extensions(struct header *header, const uint8_t *bytes, size_t len, size_t at, int width)
{
    const size_t frame = 1 + (size_t)width;

    while (at <= len && len - at >= (size_t)width) {
        const size_t own = (size_t)bytes_load_le(bytes + at, width);

        at += (size_t)width;
        if (own == 0)
            return at;
        if (own < frame || own > len - at)
            return 0;
        take_extension(header, bytes[at], bytes + at + 1, own - frame);
        at += own - (size_t)width;
    }
    return 0;
}

/* Kinds 0 and 1 have a name before the extensions, which only the latter has. */
static bool read_old(struct header *header, const uint8_t *bytes, size_t len)
{
    const size_t base = (size_t)bytes[0] + 2, name = len > NAME ? bytes[NAME - 1] : 0;
    size_t end = base;

    if (base > len || NAME + name + 2 > base)
        return false;
    header->name_len = take_name(header->name, bytes + NAME, name, true);
    header->crc = (unsigned)bytes_load_le(bytes + NAME + name, 2);
    archive_zip_set_time(&header->mtime, header->time);
    if (header->kind == 1) {
        end = base < NAME + name + 4 ? 0 : read_extensions(header, bytes, len, base - 2, 2);
        if (end < base || end - base > header->packed)
            return false;
        header->packed -= end - base;
    }
    header->len = end;
    return true;
}

static bool read_new(struct header *header, const uint8_t *bytes, size_t len)
{
    const bool is_wide = header->kind == 3;
    const size_t extensions = is_wide ? EXTENSIONS_3 : EXTENSIONS_2;

    if (len < extensions + 4)
        return false;
    header->len = is_wide ? bytes_load32(bytes + LEN_3) : bytes_load_le(bytes, 2);
    header->crc = (unsigned)bytes_load_le(bytes + FIXED, 2);
    header->mtime = (struct object_stamp){header->time, 0};
    return header->len <= len && header->len > extensions &&
           read_extensions(header, bytes, (size_t)header->len, extensions, is_wide ? 4 : 2) > 0;
}

/* Reads the header at a place.  Returns 1, 0 if the archive ends there, -1 if there is none. */
static int read_header(struct archive_lha *lha, uint64_t at)
{
    struct header *header = &lha->header;
    const uint64_t left = lha->window.content->size - at;
    size_t len;
    const uint8_t *bytes = archive_window_at(&lha->window, at, 1, ARCHIVE_LOOK, &len);

    if (!bytes || bytes[0] == 0)
        return left == 0 || bytes ? 0 : -1;
    len = left < MOST_HEADER ? (size_t)left : MOST_HEADER;
    bytes = archive_window_at(&lha->window, at, len, ARCHIVE_WINDOW, &len);
    if (!bytes || !archive_sight_is_lha(bytes, len))
        return -1;
    header->kind = bytes[FIXED - 1];
    header->packed = bytes_load32(bytes + METHOD + METHOD_LEN);
    header->size = bytes_load32(bytes + METHOD + METHOD_LEN + 4);
    header->time = bytes_load32(bytes + METHOD + METHOD_LEN + 8);
    header->mode = 0;
    header->mtime = (struct object_stamp){0};
    header->name_len = header->folder_len = 0;
    memcpy(header->method, bytes + METHOD, METHOD_LEN);
    header->method[METHOD_LEN] = 0;
    if ((header->kind < 2 ? read_old : read_new)(header, bytes, len))
        return 1;
    lha->wasted += MOST_HEADER;
    return -1;
}

/* After damage, goes on with the next header that is in order; in free space it may be that of another
 * archive. */
static int find_header(struct archive_lha *lha)
{
    const uint64_t size = lha->window.content->size;

    lha->is_damaged = true;
    if (lha->is_carved)
        return 0;
    while (size - lha->at > FIXED && lha->wasted < MOST_WASTED) {
        const uint64_t found = archive_window_find(&lha->window, lha->at + METHOD + 1, size - 1, "-l");

        if (found >= size - 1)
            break;
        lha->at = found - METHOD;
        if (read_header(lha, lha->at) > 0)
            return 1;
    }
    lha->at = size;
    return 0;
}

/* ---- members ---- */

static bool is_method(const struct archive_lha *lha, const char *methods)
{
    return strstr(methods, lha->header.method) != NULL;
}

static const char *problem_of(struct archive_lha *lha)
{
    const char *method = lha->header.method;

    if (lha->header.packed > UINT32_MAX || lha->header.size > UINT32_MAX)
        return "it is too large for its method";
    if (is_method(lha, "-lh0- -lz4- -lh5- -lh6- -lh7-"))
        return NULL;
    snprintf(lha->problem, sizeof lha->problem, "it is packed by a method that is not supported: l%c%c",
             method[2], method[3] >= '0' && method[3] <= 'z' ? method[3] : '?');
    return lha->problem;
}

static void describe(struct archive_lha *lha, struct container_member *member)
{
    const struct header *header = &lha->header;
    size_t len = header->folder_len;

    memcpy(lha->path, header->folder, len);
    if (len > 0 && lha->path[len - 1] != '/' && len < ARCHIVE_NAME)
        lha->path[len++] = '/';
    memcpy(lha->path + len, header->name, header->name_len);
    len += header->name_len;
    *member = (struct container_member){.name = lha->path,
                                        .name_len = len < ARCHIVE_NAME ? len : ARCHIVE_NAME,
                                        .size = header->size,
                                        .mode = header->mode,
                                        .problem = problem_of(lha)};
    member->times[OBJECT_MTIME] = header->mtime;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct archive_lha *lha = (struct archive_lha *)container;
    const uint64_t size = lha->window.content->size;

    for (;;) {
        int found = read_header(lha, lha->at);

        if (found < 0)
            found = find_header(lha);
        if (found == 0)
            return lha->is_damaged ? error_set(err, "is damaged")
                   : lha->is_cut   ? error_set(err, "is cut off")
                                   : 0;
        lha->start = lha->at + lha->header.len;
        lha->is_cut = lha->header.packed > size - lha->start;
        lha->at = lha->end = lha->last = lha->is_cut ? size : lha->start + lha->header.packed;
        if (is_method(lha, "-lhd-")) /* a folder */
            continue;
        lha->is_read = false;
        describe(lha, member);
        return 1;
    }
}

/* A header of kind 0 for libarchive, without the name. */
static void make_prefix(struct archive_lha *lha)
{
    const struct header *header = &lha->header;
    uint8_t *out = lha->prefix, sum = 0;

    memset(out, 0, PREFIX);
    out[0] = PREFIX - 2;
    memcpy(out + METHOD, header->method, METHOD_LEN);
    for (int i = 0; i < 4; i++) {
        out[METHOD + METHOD_LEN + i] = (uint8_t)(header->packed >> 8 * i);
        out[METHOD + METHOD_LEN + 4 + i] = (uint8_t)(header->size >> 8 * i);
    }
    out[FIXED - 2] = ' ';
    out[FIXED] = 1;
    out[NAME] = 'x';
    out[NAME + 1] = (uint8_t)header->crc;
    out[NAME + 2] = (uint8_t)(header->crc >> 8);
    for (size_t i = METHOD; i < PREFIX; i++)
        sum = (uint8_t)(sum + out[i]);
    out[1] = sum;
}

static int begin_member(struct archive_lha *lha, struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_lha, NULL};
    const uint64_t size = lha->window.content->size;
    struct archive_entry *entry;
    int result;

    lha->is_read = true;
    make_prefix(lha);
    archive_reader_release(&lha->reader);
    lha->reader =
        (struct archive_reader){.source = {.window = &lha->window,
                                           .head = lha->prefix,
                                           .head_len = PREFIX,
                                           .start = lha->start,
                                           .end = size - lha->end < AFTER ? size : lha->end + AFTER}};
    if (archive_reader_open(&lha->reader, supports, err))
        return -1;
    result = archive_reader_next(&lha->reader, &entry, err);
    return result == 0 ? error_set(err, "it is damaged") : result > 0 ? 0 : -1;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct archive_lha *lha = (struct archive_lha *)container;

    if (lha->header.size == 0)
        return 0;
    if (!lha->is_read && begin_member(lha, err))
        return -1;
    return archive_reader_read(&lha->reader, into, len, err);
}

static uint64_t place_of_member(struct container *container)
{
    const struct archive_lha *lha = (const struct archive_lha *)container;

    return is_method(lha, "-lh0- -lz4-") ? lha->start : CONTAINER_UNKNOWN;
}

static uint64_t end_of_archive(struct container *container)
{
    return ((const struct archive_lha *)container)->last;
}

/* ---- the format ---- */

static void close_lha(struct container *container)
{
    struct archive_lha *lha = (struct archive_lha *)container;

    archive_reader_release(&lha->reader);
    archive_window_release(&lha->window);
    free(lha);
}

static struct container *open_lha(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct archive_lha *lha = memory_new(sizeof *lha, err);

    if (!lha)
        return NULL;
    lha->container = (struct container){next_member, read_member, place_of_member, end_of_archive, close_lha};
    lha->is_carved = sight->is_carved;
    if (archive_window_init(&lha->window, sight->content, watch, err)) {
        close_lha(&lha->container);
        return NULL;
    }
    return &lha->container;
}

static bool matches_lha(const struct container_sight *sight)
{
    return archive_sight_is_lha(sight->head, sight->head_len);
}

static const struct container_magic magic[] = {{2, 3, "-lh"}, {2, 3, "-lz"}, {0, 0, NULL}};

const struct container_format archive_format_lha = {
    .name = "lha", .magic = magic, .matches = matches_lha, .open = open_lha};
