/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_STREAM_H
#define KITH_ARCHIVE_STREAM_H

#include "container/archive_inner.h"
#include "container/archive_sight.h"

/*
 * A compressed file: streams of one kind, one after another, are one content.  What precedes damage, or the
 * end of a file that is cut off, is unpacked to the last byte.
 */
struct archive_stream;

/* The compressed file at `start`; the window is borrowed.  NULL on error. */
struct archive_stream *archive_stream_open(struct archive_window *window, enum archive_sight_packing packing,
                                           uint64_t start, struct error *err);
void archive_stream_close(struct archive_stream *stream);

/* As `read` of a container. */
ssize_t archive_stream_read(struct archive_stream *stream, void *into, size_t len, struct error *err);

/* Where the compressed file ends, as far as it has been read. */
uint64_t archive_stream_end(const struct archive_stream *stream);

/* The name and time in the header: "" and 0 if it has none. */
const char *archive_stream_name(const struct archive_stream *stream);
int64_t archive_stream_time(const struct archive_stream *stream);

#endif
