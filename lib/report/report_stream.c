/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_stream.h"

int report_stream_put(struct report_stream *stream, struct error *err)
{
    if (stream->line.failed)
        return error_set(err, "out of memory");
    if (stream->line.len)
        fwrite(stream->line.data, 1, stream->line.len, stream->to);
    buffer_reset(&stream->line);
    return ferror(stream->to) ? 1 : 0;
}

void report_stream_release(struct report_stream *stream)
{
    buffer_release(&stream->line);
}
