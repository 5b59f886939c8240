/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_STREAM_H
#define KITH_REPORT_STREAM_H

#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * Text on its way to a stream, which the caller opens and closes.
 *
 * It is assembled in `line` and written piece by piece.  Once memory runs out nothing more is written, so
 * that the stream holds the beginning of the text without gaps, and `line.failed` stays set.  Write errors
 * are left to stdio: check ferror.
 */
struct report_stream {
    FILE *to;
    struct buffer line;
};

/* Writes the line and empties it.  Returns 0; 1 if the stream has failed; -1 if memory ran out, with err
 * filled unless it is NULL. */
int report_stream_put(struct report_stream *stream, struct error *err);
/* Frees the line; the stream stays open. */
void report_stream_release(struct report_stream *stream);

#endif
