/* SPDX-License-Identifier: Apache-2.0 */
#include "container/ole_text_inner.h"

const uint8_t *ole_text_at(struct ole_text_stream *stream, uint64_t offset, size_t need)
{
    if (offset > stream->stream.size || need > stream->stream.size - offset || need > OLE_TEXT_WINDOW)
        return NULL;
    if (offset < stream->start || offset + need > stream->start + stream->len) {
        const uint64_t left = stream->stream.size - offset;
        const size_t len = left < OLE_TEXT_WINDOW ? (size_t)left : OLE_TEXT_WINDOW;

        stream->start = offset;
        stream->len = 0;
        while (stream->len < len) {
            const ssize_t count = ole_stream_read(&stream->stream, stream->file, offset + stream->len,
                                                  stream->window + stream->len, len - stream->len);

            if (count <= 0)
                break;
            stream->len += (size_t)count;
        }
        if (stream->len < need)
            return NULL;
    }
    return stream->window + (offset - stream->start);
}

uint32_t ole_text_unit(struct ole_text_utf16 *utf16, uint32_t unit)
{
    const uint32_t high = utf16->high;

    utf16->high = 0;
    if (unit >= 0xd800 && unit < 0xdc00) {
        utf16->high = unit;
        return 0;
    }
    return high && unit >= 0xdc00 && unit < 0xe000 ? 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)
                                                   : unit;
}
