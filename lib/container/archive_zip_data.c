/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive_zip_data.h"

#include <string.h>

#include "container/unpack.h"
#include "disk/deflate.h"

enum method { STORED = 0, DEFLATE = 8, DEFLATE64 = 9, BZIP2 = 12, LZMA = 14, ZSTD = 93, XZ = 95, PPMD = 98 };

enum {
    LZMA_ENDS = 2,   /* flag: the data has a mark at its end */
    LZMA_HEADER = 9, /* bytes before the data: version, length of what follows, parameters */
};

/* ---- methods ---- */

bool archive_zip_data_is_supported(unsigned method)
{
    switch (method) {
    case 0:
        return true;
    case 8:
        return archive_zlib_version() != NULL;
    case 12:
        return archive_bzlib_version() != NULL;
    case 14:
    case 95:
        return archive_liblzma_version() != NULL;
    case 93:
        return archive_libzstd_version() != NULL;
    case 9:
    case 98:
        return true;
    default:
        return false;
    }
}

const char *archive_zip_data_method(unsigned method)
{
    static const struct {
        unsigned method;
        const char *name;
    } names[] = {{1, "Shrink"}, {2, "Reduce"},  {3, "Reduce"},     {4, "Reduce"},
                 {5, "Reduce"}, {6, "Implode"}, {8, "Deflate"},    {9, "Deflate64"},
                 {12, "bzip2"}, {14, "LZMA"},   {93, "Zstandard"}, {94, "MP3"},
                 {95, "xz"},    {96, "JPEG"},   {97, "WavPack"},   {98, "PPMd"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].method == method)
            return names[i].name;
    return "unknown";
}

/* ---- what libarchive unpacks ---- */

static uint8_t *put(uint8_t *to, uint64_t value, int bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        *to++ = (uint8_t)value;
    return to;
}

/* A local header with what libarchive needs: it then sees an archive of this member alone, without the name.
 */
static void make_header(struct archive_zip_data *data)
{
    const struct archive_zip_header *header = data->header;
    uint8_t *to = data->prefix;

    to = put(to, 0x04034b50, 4);
    to = put(to, 45, 2);
    to = put(to, 0, 2);
    to = put(to, header->method, 2);
    to = put(to, 0, 4);
    to = put(to, header->crc, 4);
    to = put(to, header->packed, 4);
    to = put(to, header->size, 4);
    to = put(to, 1, 2);
    to = put(to, 0, 2);
    *to++ = 'x';
    data->prefix_len = (size_t)(to - data->prefix);
}

static int open_reader(struct archive_zip_data *data, struct error *err)
{
    static int (*const supports[])(struct archive *) = {archive_read_support_format_zip_streamable, NULL};
    const struct archive_zip_header *header = data->header;
    struct archive_entry *entry;

    if (header->packed > UINT32_MAX || header->size > UINT32_MAX)
        return error_set(err, "it is too large for its method");
    make_header(data);
    data->reader.source = (struct archive_source){.window = data->window,
                                                  .head = data->prefix,
                                                  .head_len = data->prefix_len,
                                                  .start = data->start,
                                                  .end = data->end};
    if (archive_reader_open(&data->reader, supports, err))
        return -1;
    return archive_reader_next(&data->reader, &entry, err) == 1 ? 0 : -1;
}

/* ---- what is unpacked here ---- */

/* The header that LZMA has in a file of its own. */
static int begin_lzma(struct archive_zip_data *data, struct error *err)
{
    const struct archive_zip_header *header = data->header;
    const bool has_end = (header->flags & LZMA_ENDS) || header->size == CONTAINER_UNKNOWN;
    size_t len;
    const uint8_t *bytes = archive_window_at(data->window, data->start, LZMA_HEADER, ARCHIVE_BLOCK, &len);

    if (!bytes || data->end - data->start < LZMA_HEADER)
        return error_set(err, "it is cut off");
    if (bytes[2] != 5 || bytes[3] != 0)
        return error_set(err, "its packed data is damaged");
    memcpy(data->prefix, bytes + 4, 5);
    put(data->prefix + 5, has_end ? UINT64_MAX : header->size, 8);
    data->prefix_len = 13;
    data->at = data->start + LZMA_HEADER;
    return 0;
}

static int begin_unpack(struct archive_zip_data *data, struct error *err)
{
    const unsigned method = data->header->method;

    if (method == LZMA && begin_lzma(data, err))
        return -1;
    if (data->unpack && data->unpack_method == method)
        return unpack_restart(data->unpack, err);
    unpack_free(data->unpack);
    data->unpack = unpack_new(method == DEFLATE     ? UNPACK_DEFLATE
                              : method == DEFLATE64 ? UNPACK_DEFLATE64
                              : method == LZMA      ? UNPACK_LZMA
                              : method == XZ        ? UNPACK_XZ
                                                    : UNPACK_ZSTD,
                              CONTAINER_MEMORY, err);
    data->unpack_method = method;
    return data->unpack ? 0 : -1;
}

/* The packed bytes that come next; NULL if there are none. */
static const uint8_t *packed_bytes(struct archive_zip_data *data, size_t *len)
{
    const uint8_t *bytes;

    if (data->at >= data->end)
        return NULL;
    bytes = archive_window_at(data->window, data->at, 1, ARCHIVE_BLOCK, len);
    if (bytes && *len > data->end - data->at)
        *len = (size_t)(data->end - data->at);
    return bytes;
}

static int step_unpack(struct archive_zip_data *data, uint8_t *into, size_t room, size_t *got,
                       struct error *err)
{
    struct unpack_step step = {.into = into, .room = room};
    const bool is_prefix = data->prefix_done < data->prefix_len;
    size_t len = 0;
    int more;

    step.packed = is_prefix ? data->prefix + data->prefix_done : packed_bytes(data, &len);
    if (is_prefix)
        len = data->prefix_len - data->prefix_done;
    step.packed_len = step.packed ? len : 0;
    len = step.packed_len;
    more = unpack_step(data->unpack, &step, err);
    *got = room - step.room;
    if (is_prefix)
        data->prefix_done += len - step.packed_len;
    else
        data->at += len - step.packed_len;
    if (more > 0 && *got == 0 && len == step.packed_len)
        return error_set(err, "it is cut off");
    return more;
}

static int step_stored(struct archive_zip_data *data, uint8_t *into, size_t room, size_t *got,
                       struct error *err)
{
    const uint64_t packed = data->header->packed;
    size_t len = 0;
    const uint8_t *bytes = packed_bytes(data, &len);

    if (!bytes)
        return packed == CONTAINER_UNKNOWN || data->at - data->start == packed
                   ? 0
                   : error_set(err, "it is cut off");
    *got = len < room ? len : room;
    memcpy(into, bytes, *got);
    data->at += *got;
    return 1;
}

static int step_reader(struct archive_zip_data *data, uint8_t *into, size_t room, size_t *got,
                       struct error *err)
{
    const ssize_t len = archive_reader_read(&data->reader, into, room, err);

    *got = len > 0 ? (size_t)len : 0;
    data->at = data->end;
    return len > 0 ? 1 : (int)len;
}

/* ---- all ---- */

void archive_zip_data_begin(struct archive_zip_data *data, const struct archive_zip_header *header,
                            uint64_t start, uint64_t end)
{
    archive_reader_release(&data->reader);
    data->reader = (struct archive_reader){0};
    data->header = header;
    data->start = data->at = start;
    data->end = end;
    data->size = data->crc = 0;
    data->prefix_len = data->prefix_done = 0;
    data->fault.text[0] = 0;
    data->state = header->packed == 0 && header->size == 0 ? ARCHIVE_ZIP_ENDED : ARCHIVE_ZIP_NEW;
}

static int begin(struct archive_zip_data *data, struct error *err)
{
    switch (data->header->method) {
    case STORED:
        return 0;
    case DEFLATE:
    case DEFLATE64:
    case LZMA:
    case ZSTD:
    case XZ:
        return begin_unpack(data, err);
    default:
        return open_reader(data, err);
    }
}

static int step(struct archive_zip_data *data, uint8_t *into, size_t room, size_t *got, struct error *err)
{
    switch (data->header->method) {
    case STORED:
        return step_stored(data, into, room, got, err);
    case DEFLATE:
    case DEFLATE64:
    case LZMA:
    case ZSTD:
    case XZ:
        return step_unpack(data, into, room, got, err);
    default:
        return step_reader(data, into, room, got, err);
    }
}

/* Compares what was unpacked with what the headers, or a descriptor after the data, state. */
static int check(struct archive_zip_data *data, struct error *err)
{
    struct archive_zip_descriptor stated = {
        .crc = data->header->crc, .packed = data->header->packed, .size = data->header->size};

    if ((data->header->flags & ARCHIVE_ZIP_SIZES_FOLLOW) &&
        !archive_zip_read_descriptor(data->window, data->start, data->at, &stated))
        return error_set(err, "it is cut off");
    if (stated.size != data->size && (stated.size > UINT32_MAX || stated.size != (uint32_t)data->size))
        return error_set(err, "its size does not agree");
    if (stated.packed != data->at - data->start && data->header->method != LZMA &&
        !(data->header->flags & ARCHIVE_ZIP_SIZES_FOLLOW))
        return error_set(err, "its packed size does not agree");
    return stated.crc != data->crc ? error_set(err, "its CRC-32 does not agree") : 0;
}

static void go_on(struct archive_zip_data *data, uint8_t *into, size_t room, size_t *done)
{
    size_t got = 0;
    int more = 1;

    if (data->state == ARCHIVE_ZIP_NEW) {
        data->state = begin(data, &data->fault) ? ARCHIVE_ZIP_FAILED : ARCHIVE_ZIP_BEGUN;
        return;
    }
    more = step(data, into, room, &got, &data->fault);
    data->crc = deflate_crc(data->crc, into, got);
    data->size += got;
    *done += got;
    if (more == 0)
        more = check(data, &data->fault);
    if (more <= 0)
        data->state = more < 0 ? ARCHIVE_ZIP_FAILED : ARCHIVE_ZIP_ENDED;
}

ssize_t archive_zip_data_read(struct archive_zip_data *data, void *into, size_t len, struct error *err)
{
    size_t done = 0;

    while (done < len && data->state <= ARCHIVE_ZIP_BEGUN)
        go_on(data, (uint8_t *)into + done, len - done, &done);
    if (done > 0 || data->state != ARCHIVE_ZIP_FAILED)
        return (ssize_t)done;
    return error_set(err, "%s", data->fault.text);
}

void archive_zip_data_release(struct archive_zip_data *data)
{
    archive_reader_release(&data->reader);
    unpack_free(data->unpack);
}
