/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "container/unpack.h"
#include "disk/deflate.h"

enum {
    GZ_FIXED = 10,
    GZ_TRAILER = 8,
    LZIP_HEADER = 6,
    LZIP_TRAILER = 20,
    LZMA_HEADER = 13,
};

enum state { STATE_HEADER, STATE_DATA, STATE_END, STATE_FAILED };

struct archive_stream {
    struct archive_window *window;
    enum archive_sight_packing packing;
    enum state state;
    struct error fault;
    uint64_t at;                   /* in the content */
    uint64_t end;                  /* of what is complete */
    struct unpack *unpack;         /* or: */
    struct archive_reader *reader; /* where libarchive unpacks */
    uint64_t size;                 /* unpacked, of the present stream */
    uint32_t crc;
    uint8_t header[LZMA_HEADER]; /* that unpacking needs, and how much of it has been read */
    size_t header_len, header_done;
    bool any; /* the first stream has been begun */
    char name[ARCHIVE_NAME + 1];
    int64_t time;
};

/* ---- headers ---- */

/* Reads a text that a zero ends, and passes it.  Returns -1 if it is too long. */
static int take_text(struct archive_stream *stream, char *into, size_t room)
{
    size_t len;
    const uint8_t *text = archive_window_at(stream->window, stream->at, 1, ARCHIVE_BLOCK, &len);
    const uint8_t *end = text ? memchr(text, 0, len) : NULL;

    if (!end)
        return -1;
    len = (size_t)(end - text);
    stream->at += len + 1;
    if (into) {
        memcpy(into, text, len < room ? len : room - 1);
        into[len < room ? len : room - 1] = 0;
    }
    return 0;
}

static int skip_extra(struct archive_stream *stream)
{
    size_t len;
    const uint8_t *extra = archive_window_at(stream->window, stream->at, 2, ARCHIVE_LOOK, &len);

    if (!extra)
        return -1;
    stream->at += 2 + bytes_load_le(extra, 2);
    return 0;
}

static int take_gz(struct archive_stream *stream, const uint8_t *header)
{
    enum { HAS_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16 };
    const unsigned flags = header[3];

    if (!stream->any)
        stream->time = bytes_load32(header + 4);
    stream->at += GZ_FIXED;
    if ((flags & HAS_EXTRA) && skip_extra(stream))
        return -1;
    if ((flags & HAS_NAME) && take_text(stream, stream->any ? NULL : stream->name, sizeof stream->name))
        return -1;
    if ((flags & HAS_COMMENT) && take_text(stream, NULL, 0))
        return -1;
    stream->at += flags & HAS_CRC ? 2 : 0;
    return 0;
}

/* As LZMA of unknown size with its usual parameters. */
static int take_lzip(struct archive_stream *stream, const uint8_t *header)
{
    const uint64_t dictionary = archive_sight_memory(ARCHIVE_SIGHT_LZIP, header, LZIP_HEADER);

    stream->header[0] = 0x5d;
    for (int i = 0; i < 4; i++)
        stream->header[1 + i] = (uint8_t)(dictionary >> 8 * i);
    memset(stream->header + 5, 0xff, 8);
    stream->header_len = LZMA_HEADER;
    stream->at += LZIP_HEADER;
    return 0;
}

/* Between streams of xz there may be zeros, in fours. */
static void skip_padding(struct archive_stream *stream)
{
    static const uint8_t zeros[4];
    size_t len;
    uint64_t at = stream->at;
    const uint8_t *bytes;

    while ((bytes = archive_window_at(stream->window, at, 4, ARCHIVE_LOOK, &len)) &&
           memcmp(bytes, zeros, 4) == 0)
        at += 4;
    if (bytes && memcmp(bytes,
                        "\xfd"
                        "7z",
                        3) == 0)
        stream->at = at;
}

/* Whether a stream begins here; the first one does. */
static bool is_stream(const struct archive_stream *stream, const uint8_t *bytes, size_t len)
{
    const struct container_sight sight = {.head = bytes, .head_len = len};

    switch (stream->packing) {
    case ARCHIVE_SIGHT_GZ:
        return len >= GZ_FIXED && memcmp(bytes, "\x1f\x8b\x08", 3) == 0 && bytes[3] < 0x20;
    case ARCHIVE_SIGHT_ZST:
        return len >= 8 &&
               (memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ||
                (bytes[0] >= 0x50 && bytes[0] <= 0x5f && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0));
    case ARCHIVE_SIGHT_LZMA:
        return !stream->any;
    default:
        return archive_sight_packing(&sight) == stream->packing;
    }
}

/* Begins the next stream.  Returns 1, 0 if there is none, -1 if its header is damaged. */
static int begin_stream(struct archive_stream *stream, struct error *err)
{
    const uint8_t *bytes;
    size_t len = 0;
    int result = 0;

    if (stream->any && stream->packing == ARCHIVE_SIGHT_XZ)
        skip_padding(stream);
    bytes = archive_window_at(stream->window, stream->at, 1, ARCHIVE_LOOK, &len);
    if (!bytes || !is_stream(stream, bytes, len))
        return 0;
    stream->header_len = stream->header_done = 0;
    if (stream->packing == ARCHIVE_SIGHT_GZ)
        result = take_gz(stream, bytes);
    else if (stream->packing == ARCHIVE_SIGHT_LZIP)
        result = take_lzip(stream, bytes);
    if (result)
        return error_set(err, "it is cut off");
    if (stream->any && unpack_restart(stream->unpack, err))
        return -1;
    stream->any = true;
    stream->size = stream->crc = 0;
    return 1;
}

/* ---- trailers ---- */

static bool needs_crc(const struct archive_stream *stream)
{
    return stream->packing == ARCHIVE_SIGHT_GZ || stream->packing == ARCHIVE_SIGHT_LZIP;
}

/* Checks what follows the data. */
static int end_stream(struct archive_stream *stream, struct error *err)
{
    const size_t trailer = stream->packing == ARCHIVE_SIGHT_GZ ? GZ_TRAILER : LZIP_TRAILER;
    size_t len;
    const uint8_t *bytes;
    uint64_t size;

    if (needs_crc(stream)) {
        bytes = archive_window_at(stream->window, stream->at, trailer, ARCHIVE_LOOK, &len);
        if (!bytes)
            return error_set(err, "it is cut off");
        stream->at += trailer;
        size = stream->packing == ARCHIVE_SIGHT_GZ ? bytes_load32(bytes + 4) : bytes_load64(bytes + 4);
        if (bytes_load32(bytes) != stream->crc)
            return error_set(err, "its CRC-32 does not agree");
        if (size != (stream->packing == ARCHIVE_SIGHT_GZ ? (uint32_t)stream->size : stream->size))
            return error_set(err, "its size does not agree");
    }
    stream->end = stream->at;
    return 0;
}

/* ---- data ---- */

/* Unpacks some; *got receives the number of bytes.  Returns as unpack_step. */
static int step_data(struct archive_stream *stream, uint8_t *into, size_t room, size_t *got,
                     struct error *err)
{
    struct unpack_step step = {.into = into, .room = room};
    size_t len = 0;
    const uint8_t *packed;
    int more;

    if (stream->header_done < stream->header_len) {
        packed = stream->header + stream->header_done;
        len = stream->header_len - stream->header_done;
    } else
        packed = archive_window_at(stream->window, stream->at, 1, ARCHIVE_BLOCK, &len);
    step.packed = packed;
    step.packed_len = packed ? len : 0;
    more = unpack_step(stream->unpack, &step, err);
    *got = room - step.room;
    if (stream->header_done < stream->header_len)
        stream->header_done += len - step.packed_len;
    else if (packed)
        stream->at += len - step.packed_len;
    if (more > 0 && *got == 0 && (!packed || step.packed_len == len))
        return error_set(err, "it is cut off");
    return more;
}

static void go_on(struct archive_stream *stream, uint8_t *into, size_t room, size_t *done)
{
    size_t got = 0;
    int more;

    if (stream->state == STATE_HEADER) {
        more = begin_stream(stream, &stream->fault);
        stream->state = more > 0 ? STATE_DATA : more < 0 ? STATE_FAILED : STATE_END;
        return;
    }
    more = step_data(stream, into, room, &got, &stream->fault);
    if (needs_crc(stream))
        stream->crc = deflate_crc(stream->crc, into, got);
    stream->size += got;
    *done += got;
    if (more == 0)
        more = end_stream(stream, &stream->fault) ? -1 : 0;
    if (more < 0)
        stream->state = STATE_FAILED;
    else if (more == 0)
        stream->state = STATE_HEADER;
}

ssize_t archive_stream_read(struct archive_stream *stream, void *into, size_t len, struct error *err)
{
    size_t done = 0;

    if (stream->reader)
        return archive_reader_read(stream->reader, into, len, err);
    while (done < len && stream->state <= STATE_DATA)
        go_on(stream, (uint8_t *)into + done, len - done, &done);
    if (done > 0 || stream->state != STATE_FAILED)
        return (ssize_t)done;
    return error_set(err, "%s", stream->fault.text);
}

/* ---- opening ---- */

/* The length of a stream of nothing, which libarchive takes for no format at all; 0: it is another one. */
static size_t empty_len(enum archive_sight_packing packing, const uint8_t *bytes, size_t len)
{
    static const char bz2[] = "\x17\x72\x45\x38\x50\x90\0\0\0\0", checksum[] = "\x05\x5d\xcc\x02";
    enum { BZ2_LEN = 14, LZ4_LEN = 11, HAS_CHECKSUM = 4, HAS_SIZE = 8, SIZE = 8 };
    size_t end;

    if (packing == ARCHIVE_SIGHT_BZ2)
        return len >= BZ2_LEN && memcmp(bytes + 4, bz2, BZ2_LEN - 4) == 0 ? BZ2_LEN : 0;
    if (packing != ARCHIVE_SIGHT_LZ4 || len < LZ4_LEN)
        return 0;
    end = LZ4_LEN + (bytes[4] & HAS_SIZE ? SIZE : 0);
    if (len < end || bytes_load32(bytes + end - 4) != 0)
        return 0;
    if (!(bytes[4] & HAS_CHECKSUM))
        return end;
    return len >= end + 4 && memcmp(bytes + end, checksum, 4) == 0 ? end + 4 : 0;
}

/* Whether it is a stream of nothing, and no other one follows. */
static bool is_empty(struct archive_stream *stream)
{
    size_t len = 0;
    const uint8_t *bytes = archive_window_at(stream->window, stream->at, 1, ARCHIVE_LOOK, &len);
    const size_t end = bytes ? empty_len(stream->packing, bytes, len) : 0;
    struct container_sight rest;

    if (end == 0)
        return false;
    rest = (struct container_sight){.head = bytes + end, .head_len = len - end};
    if (archive_sight_packing(&rest) == stream->packing)
        return false;
    stream->end = stream->at + end;
    return true;
}

/* libarchive has what remains: bzip2, LZ4 and compress. */
static int open_reader(struct archive_stream *stream, struct error *err)
{
    static int (*const supports[])(struct archive *) = {
        archive_read_support_filter_bzip2, archive_read_support_filter_lz4,
        archive_read_support_filter_compress, archive_read_support_format_raw, NULL};
    struct archive_entry *entry;

    if (is_empty(stream)) {
        stream->state = STATE_END;
        return 0;
    }
    stream->reader = memory_new(sizeof *stream->reader, err);
    if (!stream->reader)
        return -1;
    stream->reader->source = (struct archive_source){
        .window = stream->window, .start = stream->at, .end = stream->window->content->size};
    if (archive_reader_open(stream->reader, supports, err))
        return -1;
    return archive_reader_next(stream->reader, &entry, err) == 1 ? 0 : -1;
}

static int open_unpack(struct archive_stream *stream, struct error *err)
{
    static const enum unpack_method methods[] = {[ARCHIVE_SIGHT_GZ] = UNPACK_DEFLATE,
                                                 [ARCHIVE_SIGHT_XZ] = UNPACK_XZ,
                                                 [ARCHIVE_SIGHT_ZST] = UNPACK_ZSTD,
                                                 [ARCHIVE_SIGHT_LZMA] = UNPACK_LZMA,
                                                 [ARCHIVE_SIGHT_LZIP] = UNPACK_LZMA};

    stream->unpack = unpack_new(methods[stream->packing], CONTAINER_MEMORY, err);
    if (!stream->unpack)
        return -1;
    if (begin_stream(stream, err) == 1)
        stream->state = STATE_DATA;
    else
        stream->state = STATE_FAILED;
    if (stream->state == STATE_FAILED)
        error_set(&stream->fault, "it is cut off");
    return 0;
}

struct archive_stream *archive_stream_open(struct archive_window *window, enum archive_sight_packing packing,
                                           uint64_t start, struct error *err)
{
    struct archive_stream *stream = memory_new(sizeof *stream, err);

    if (!stream)
        return NULL;
    stream->window = window;
    stream->packing = packing;
    stream->at = stream->end = start;
    if (packing == ARCHIVE_SIGHT_BZ2 || packing == ARCHIVE_SIGHT_LZ4 || packing == ARCHIVE_SIGHT_Z
            ? open_reader(stream, err)
            : open_unpack(stream, err)) {
        archive_stream_close(stream);
        return NULL;
    }
    return stream;
}

void archive_stream_close(struct archive_stream *stream)
{
    if (!stream)
        return;
    if (stream->reader)
        archive_reader_release(stream->reader);
    free(stream->reader);
    unpack_free(stream->unpack);
    free(stream);
}

uint64_t archive_stream_end(const struct archive_stream *stream)
{
    la_int64_t at;

    if (!stream->reader)
        return stream->state == STATE_END ? stream->end : stream->at;
    at = archive_filter_bytes(stream->reader->archive, -1);
    return stream->reader->source.start + (at > 0 ? (uint64_t)at : 0);
}

const char *archive_stream_name(const struct archive_stream *stream)
{
    return stream->name;
}

int64_t archive_stream_time(const struct archive_stream *stream)
{
    return stream->time;
}
