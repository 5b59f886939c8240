/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/deflate.h"

#include <stdlib.h>
#define ZLIB_CONST /* compressed data is const */
#include <zlib.h>

struct deflate {
    z_stream stream;
};

uint32_t deflate_checksum(const void *data, size_t len)
{
    return (uint32_t)adler32_z(1, data, len);
}

uint32_t deflate_crc(uint32_t crc, const void *data, size_t len)
{
    return (uint32_t)crc32_z(crc, data, len);
}

size_t deflate_bound(size_t len)
{
    return compressBound(len);
}

struct deflate *deflate_new(enum deflate_form form)
{
    struct deflate *deflate = calloc(1, sizeof *deflate);

    if (deflate && inflateInit2(&deflate->stream, form == DEFLATE_BARE ? -MAX_WBITS : MAX_WBITS) == Z_OK)
        return deflate;
    free(deflate);
    return NULL;
}

void deflate_free(struct deflate *deflate)
{
    if (deflate)
        inflateEnd(&deflate->stream);
    free(deflate);
}

long deflate_unpack(struct deflate *deflate, const void *packed, size_t packed_len, void *into, size_t room)
{
    z_stream *stream = &deflate->stream;

    if (packed_len > UINT32_MAX || room > UINT32_MAX || inflateReset(stream) != Z_OK)
        return -1;
    stream->next_in = packed;
    stream->avail_in = (uInt)packed_len;
    stream->next_out = into;
    stream->avail_out = (uInt)room;
    return inflate(stream, Z_FINISH) == Z_STREAM_END ? (long)(room - stream->avail_out) : -1;
}

int deflate_begin(struct deflate *deflate)
{
    return inflateReset(&deflate->stream) == Z_OK ? 0 : -1;
}

static uInt at_most_uint(size_t len)
{
    return len < UINT32_MAX ? (uInt)len : UINT32_MAX;
}

int deflate_step(struct deflate *deflate, struct deflate_step *step)
{
    z_stream *stream = &deflate->stream;
    const uInt packed_len = at_most_uint(step->packed_len), room = at_most_uint(step->room);
    int result;

    stream->next_in = step->packed;
    stream->avail_in = packed_len;
    stream->next_out = step->into;
    stream->avail_out = room;
    /* What ends within this step, as most does, is then not copied to the window of the stream. */
    result = inflate(stream, Z_FINISH);
    if (packed_len > 0) /* otherwise it may be NULL */
        step->packed += packed_len - stream->avail_in;
    step->packed_len -= packed_len - stream->avail_in;
    step->into += room - stream->avail_out;
    step->room -= room - stream->avail_out;
    if (result == Z_STREAM_END)
        return 0;
    return result == Z_OK || result == Z_BUF_ERROR ? 1 : -1;
}

const char *deflate_library(void)
{
    return zlibVersion();
}
