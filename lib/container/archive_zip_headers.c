/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "container/archive_zip.h"

enum {
    FLAGS_UNUSED = 0xc780,
    FULL = 0xffff, /* where the value does not fit: it is in the zip64 extra field */
    UNIX = 3,
    EXTRA_ZIP64 = 1,
    EXTRA_NTFS = 0x000a,
    EXTRA_TIMES = 0x5455,
    NTFS_TIMES = 1,
    LOCATOR = 20, /* bytes of the locator of the zip64 end */
    END64 = 56,
    MOST_ENDS = 16, /* signatures that are looked at */
};

static const uint32_t full = UINT32_MAX;

static bool is_signed(const uint8_t *at, char third, char fourth)
{
    return at[0] == 'P' && at[1] == 'K' && at[2] == (uint8_t)third && at[3] == (uint8_t)fourth;
}

static uint16_t load16(const uint8_t *at)
{
    return (uint16_t)bytes_load_le(at, 2);
}

/* ---- times ---- */

void archive_zip_set_time(struct object_stamp *stamp, uint32_t dos)
{
    const int64_t year = 1980 + (dos >> 25), month = dos >> 21 & 15, day = dos >> 16 & 31;
    const int64_t from_march = (month + 9) % 12, of_year = month <= 2 ? year - 1 : year;
    const int64_t days = 365 * of_year + of_year / 4 - of_year / 100 + of_year / 400 +
                         (153 * from_march + 2) / 5 + day - 1 - 719468;

    if (month < 1 || month > 12 || day < 1)
        return;
    stamp->seconds = days * 86400 + (dos >> 11 & 31) * 3600 + (dos >> 5 & 63) * 60 + (dos & 31) * 2;
}

static void set_unix_time(struct object_stamp *stamp, const uint8_t *at)
{
    *stamp = (struct object_stamp){(int32_t)bytes_load32(at), 0};
}

/* 100 ns since 1601. */
static void set_nt_time(struct object_stamp *stamp, const uint8_t *at)
{
    const uint64_t ticks = bytes_load64(at), second = 10000000, until_1970 = 11644473600;

    if (ticks > 0)
        *stamp = (struct object_stamp){(int64_t)(ticks / second) - (int64_t)until_1970,
                                       (uint32_t)(ticks % second * 100)};
}

/* ---- extra fields ---- */

/* The entry of the directory has only the time of change, though the flags are those of the local header. */
static void read_times(struct archive_zip_header *header, const uint8_t *at, size_t len)
{
    static const enum object_time order[] = {OBJECT_MTIME, OBJECT_ATIME, OBJECT_CRTIME};
    const uint8_t *const end = at + len;
    const unsigned flags = len > 0 ? *at++ : 0;

    for (unsigned i = 0; i < 3; i++)
        if ((flags >> i & 1) && end - at >= 4) {
            set_unix_time(&header->times[order[i]], at);
            at += 4;
        }
}

static void read_nt_times(struct archive_zip_header *header, const uint8_t *at, size_t len)
{
    if (len < 32 || load16(at + 4) != NTFS_TIMES || load16(at + 6) < 24)
        return;
    set_nt_time(&header->times[OBJECT_MTIME], at + 8);
    set_nt_time(&header->times[OBJECT_ATIME], at + 16);
    set_nt_time(&header->times[OBJECT_CRTIME], at + 24);
}

/* Values that did not fit, in this order. */
static void read_zip64(struct archive_zip_header *header, const uint8_t *at, size_t len)
{
    uint64_t *const values[] = {&header->size, &header->packed, &header->local};
    const uint8_t *const end = at + len;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (*values[i] == full && end - at >= 8) {
            *values[i] = bytes_load64(at);
            at += 8;
        }
    if (header->volume == FULL && end - at >= 4)
        header->volume = bytes_load32(at);
}

static void read_extra(struct archive_zip_header *header, const uint8_t *at, size_t len)
{
    while (len >= 4) {
        const size_t field = load16(at + 2), left = len - 4;

        if (field > left)
            return;
        switch (load16(at)) {
        case EXTRA_ZIP64:
            read_zip64(header, at + 4, field);
            break;
        case EXTRA_TIMES:
            read_times(header, at + 4, field);
            break;
        case EXTRA_NTFS:
            read_nt_times(header, at + 4, field);
            break;
        default:
            break;
        }
        at += 4 + field;
        len = left - field;
    }
}

/* ---- headers ---- */

/* What follows the fixed part.  Of long names and extra fields only the start is read, so that entries that
 * all have the same long header take no long time. */
static int read_rest(struct archive_window *window, uint64_t at, size_t fixed, size_t extra, size_t comment,
                     struct archive_zip_header *header)
{
    const uint64_t total = fixed + header->full_name_len + extra + comment, size = window->content->size;
    size_t len;
    const uint8_t *bytes;

    header->len = total;
    header->name_len = header->full_name_len < ARCHIVE_NAME ? header->full_name_len : ARCHIVE_NAME;
    if (total > size || at > size - total)
        return -1;
    bytes = archive_window_at(window, at, fixed + header->name_len, ARCHIVE_LOOK, &len);
    if (!bytes)
        return -1;
    memcpy(header->name, bytes + fixed, header->name_len);
    if (extra > ARCHIVE_LOOK)
        extra = ARCHIVE_LOOK;
    bytes = extra ? archive_window_at(window, at + fixed + header->full_name_len, extra, ARCHIVE_LOOK, &len)
                  : NULL;
    if (bytes)
        read_extra(header, bytes, extra);
    return 0;
}

/* What both have, from the flags on. */
static void read_common(struct archive_zip_header *header, const uint8_t *at)
{
    memset(header, 0, offsetof(struct archive_zip_header, name));
    header->flags = load16(at);
    header->method = load16(at + 2);
    archive_zip_set_time(&header->times[OBJECT_MTIME], bytes_load32(at + 4));
    header->crc = bytes_load32(at + 8);
    header->packed = bytes_load32(at + 12);
    header->size = bytes_load32(at + 16);
    header->full_name_len = load16(at + 20);
}

int archive_zip_read_local(struct archive_window *window, uint64_t at, struct archive_zip_header *header)
{
    size_t len;
    const uint8_t *bytes = archive_window_at(window, at, ARCHIVE_ZIP_LOCAL, ARCHIVE_LOOK, &len);

    if (!bytes || !is_signed(bytes, 3, 4))
        return -1;
    read_common(header, bytes + 6);
    return read_rest(window, at, ARCHIVE_ZIP_LOCAL, load16(bytes + 28), 0, header);
}

int archive_zip_read_central(struct archive_window *window, uint64_t at, size_t want,
                             struct archive_zip_header *header)
{
    size_t len;
    const uint8_t *bytes = archive_window_at(window, at, ARCHIVE_ZIP_CENTRAL, want, &len);

    if (!bytes || !is_signed(bytes, 1, 2))
        return -1;
    read_common(header, bytes + 8);
    header->volume = load16(bytes + 34);
    header->mode = bytes[5] == UNIX ? bytes_load32(bytes + 38) >> 16 : 0;
    header->local = bytes_load32(bytes + 42);
    return read_rest(window, at, ARCHIVE_ZIP_CENTRAL, load16(bytes + 30), load16(bytes + 32), header);
}

/* ---- searching ---- */

bool archive_zip_is_local(struct archive_window *window, uint64_t at, uint64_t most)
{
    size_t len;
    const uint8_t *bytes = archive_window_at(window, at, ARCHIVE_ZIP_LOCAL, ARCHIVE_LOOK, &len);
    unsigned method, name, extra;

    if (!bytes || !is_signed(bytes, 3, 4))
        return false;
    method = load16(bytes + 8);
    name = load16(bytes + 26);
    extra = load16(bytes + 28);
    return !(load16(bytes + 6) & FLAGS_UNUSED) && (method <= 20 || (method >= 93 && method <= 99)) &&
           name > 0 && name <= ARCHIVE_NAME && ARCHIVE_ZIP_LOCAL + name + extra <= most;
}

bool archive_zip_is_central(struct archive_window *window, uint64_t at)
{
    size_t len;
    const uint8_t *bytes = archive_window_at(window, at, ARCHIVE_ZIP_CENTRAL, ARCHIVE_LOOK, &len);

    return bytes && is_signed(bytes, 1, 2);
}

/* ---- descriptors ---- */

bool archive_zip_read_descriptor(struct archive_window *window, uint64_t data, uint64_t at,
                                 struct archive_zip_descriptor *descriptor)
{
    const uint64_t packed = at - data;
    size_t len, skip;
    const uint8_t *bytes = archive_window_at(window, at, 12, ARCHIVE_LOOK, &len);

    if (!bytes)
        return false;
    skip = is_signed(bytes, 7, 8) ? 4 : 0; /* the signature is optional */
    if (len < skip + 12)
        return false;
    *descriptor = (struct archive_zip_descriptor){.crc = bytes_load32(bytes + skip), .packed = packed};
    if (len >= skip + 20 && bytes_load64(bytes + skip + 4) == packed &&
        memcmp(bytes + skip + 12, "PK", 2) != 0) { /* unless the short form ends there */
        descriptor->size = bytes_load64(bytes + skip + 12);
        descriptor->len = skip + 20;
        return true;
    }
    descriptor->size = bytes_load32(bytes + skip + 8);
    descriptor->len = skip + 12;
    return bytes_load32(bytes + skip + 4) == (uint32_t)packed;
}

/* ---- the end of the directory ---- */

/* A zip64 archive has an end of its own, and a locator of that, before the end. */
static bool read_end64(struct archive_window *window, uint64_t at, uint64_t *len, uint64_t *offset,
                       uint64_t *start)
{
    size_t got;
    const uint8_t *bytes =
        at < LOCATOR ? NULL : archive_window_at(window, at - LOCATOR, LOCATOR, LOCATOR, &got);
    uint64_t end64;

    if (!bytes || !is_signed(bytes, 6, 7))
        return false;
    end64 = bytes_load64(bytes + 8);
    for (int i = 0; i < 2; i++) {
        bytes = end64 > at ? NULL : archive_window_at(window, end64, END64, END64, &got);
        if (bytes && is_signed(bytes, 6, 6)) {
            *len = bytes_load64(bytes + 40);
            *offset = bytes_load64(bytes + 48);
            *start = end64;
            return true;
        }
        end64 = at - LOCATOR - END64; /* if something was put before the archive */
    }
    return false;
}

/* The directory ends where its end begins, whatever was put before the archive; else it is where it should
 * be without that. */
static void place_directory(struct archive_window *window, struct archive_zip_end *end, uint64_t stop,
                            uint64_t len, uint64_t offset)
{
    if (len <= stop && archive_zip_is_central(window, stop - len))
        end->directory = stop - len;
    else if (offset < stop && archive_zip_is_central(window, offset))
        end->directory = offset;
    else
        return;
    end->has_directory = true;
}

int archive_zip_read_end(struct archive_window *window, uint64_t at, uint64_t directory,
                         struct archive_zip_end *end)
{
    size_t got;
    const uint8_t *bytes = archive_window_at(window, at, ARCHIVE_ZIP_END, ARCHIVE_ZIP_END, &got);
    uint64_t len, offset, stop = at, rest;

    if (!bytes || !is_signed(bytes, 5, 6))
        return -1;
    rest = window->content->size - at - ARCHIVE_ZIP_END;
    *end = (struct archive_zip_end){.at = at, .directory = at, .len = ARCHIVE_ZIP_END};
    end->len += load16(bytes + 20) < rest ? load16(bytes + 20) : rest;
    len = bytes_load32(bytes + 12);
    offset = bytes_load32(bytes + 16);
    read_end64(window, at, &len, &offset, &stop);
    if (directory != ARCHIVE_ZIP_NONE)
        end->has_directory = (end->directory = directory) < at;
    else
        place_directory(window, end, stop, len, offset);
    end->base = end->directory - offset; /* may wrap around: the start of the archive is missing */
    return 0;
}

/* Finds the last signature that begins in [first, *at); false if there is none. */
static bool find_last_end(struct archive_window *window, uint64_t first, uint64_t *at)
{
    size_t len;
    const uint8_t *bytes = archive_window_at(window, first, 4, ARCHIVE_WINDOW, &len), *found;

    if (!bytes)
        return false;
    if (len - 3 < *at - first)
        *at = first + len - 3;
    while ((found = memrchr(bytes, 'P', (size_t)(*at - first))) != NULL) {
        *at = first + (uint64_t)(found - bytes);
        if (is_signed(found, 5, 6))
            return true;
    }
    return false;
}

int archive_zip_find_end(struct archive_window *window, struct archive_zip_end *end)
{
    const uint64_t size = window->content->size;
    const uint64_t first = size > ARCHIVE_ZIP_END + FULL ? size - ARCHIVE_ZIP_END - FULL : 0;
    uint64_t at = size;

    for (int tries = 0; tries < MOST_ENDS && find_last_end(window, first, &at); tries++)
        if (archive_zip_read_end(window, at, ARCHIVE_ZIP_NONE, end) == 0 &&
            (end->has_directory || at + end->len == size))
            return 0;
    return -1;
}
