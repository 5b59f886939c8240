/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_STREAM_H
#define KITH_REPORT_STREAM_H

#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * Text on its way to a stream that the caller opened and will close.
 *
 * It is put together in `line` and written piece by piece.  If memory runs out nothing is written from there
 * on, so what is in the stream is the beginning of the whole, and `line.failed` stays set.  A stream that
 * cannot be written is left to stdio: ferror says so.
 */
struct report_stream {
    FILE *to;
    struct buffer line;
};

/* Writes the line and empties it.  0; 1 if the stream takes no more; -1 without memory. */
int report_stream_put(struct report_stream *stream, struct error *err);
void report_stream_release(struct report_stream *stream);

#endif
