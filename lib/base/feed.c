/* SPDX-License-Identifier: Apache-2.0 */
#include "base/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is read, and how much of it so far. */
struct stream {
    int fd;
    const char *name;
    const struct feed_taker *taker;
    uint8_t *buffer;
    atomic_ullong *progress;
    struct stat st;
    uint64_t len;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * The length of the hole at the current offset, or 0.  Skipping holes avoids reading zeros, which would
 * otherwise dominate.  The offset is left unchanged.
 */
static uint64_t hole_here(int fd, const struct stat *st)
{
    off_t here, data;

    if (!S_ISREG(st->st_mode) || (uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
        return 0;
    here = lseek(fd, 0, SEEK_CUR);
    data = here < 0 ? -1 : lseek(fd, here, SEEK_DATA);
    if (data < 0 && here >= 0 && errno == ENXIO && here < st->st_size)
        data = st->st_size;
    if (here < 0 || data < 0 || lseek(fd, here, SEEK_SET) != here)
        return 0;
    return (uint64_t)(data - here);
}

/* The taker does not know whose content it is. */
static int name_file(const struct stream *stream, const struct error *why, struct error *err)
{
    return error_set(err, "%s: %.1000s", stream->name, why->text);
}

static int begin(struct stream *stream, struct error *err)
{
    const uint64_t len = S_ISREG(stream->st.st_mode) ? (uint64_t)stream->st.st_size : FEED_UNKNOWN;
    struct error why;

    return stream->taker->begin(stream->taker->arg, len, &why) ? name_file(stream, &why, err) : 0;
}

static int give(struct stream *stream, size_t len, struct error *err)
{
    struct error why;

    stream->len += len;
    if (stream->taker->update(stream->taker->arg, stream->buffer, len, &why))
        return name_file(stream, &why, err);
    if (stream->progress)
        atomic_fetch_add_explicit(stream->progress, (unsigned long long)len, memory_order_relaxed);
    return 0;
}

static int give_hole(struct stream *stream, uint64_t len, struct error *err)
{
    memset(stream->buffer, 0, FEED_ROOM);
    for (uint64_t left = len, piece; left > 0; left -= piece) {
        piece = left < FEED_ROOM ? left : FEED_ROOM;
        if (give(stream, (size_t)piece, err))
            return -1;
    }
    return lseek(stream->fd, (off_t)len, SEEK_CUR) < 0
               ? error_errno(err, "%s: cannot seek past a hole", stream->name)
               : 0;
}

/* Reads to the end.  A read error concerns this file only: the rest of the evidence may be fine. */
static enum feed_result give_all(struct stream *stream, struct error *err)
{
    for (;;) {
        const uint64_t hole = hole_here(stream->fd, &stream->st);
        ssize_t got;

        if (hole && give_hole(stream, hole, err))
            return FEED_FAILED;
        got = read(stream->fd, stream->buffer, FEED_ROOM);
        if (got == 0)
            return FEED_OK;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            error_errno(err, "%s: read error at byte %" PRIu64, stream->name, stream->len);
            return FEED_UNREADABLE;
        }
        if (give(stream, (size_t)got, err))
            return FEED_FAILED;
    }
}

/* Whether a regular file is still as it was before it was read. */
static enum feed_result check_unchanged(const struct stream *stream, struct error *err)
{
    const uint64_t size = (uint64_t)stream->st.st_size;
    struct stat after;

    if (!S_ISREG(stream->st.st_mode))
        return FEED_OK;
    if (fstat(stream->fd, &after) || !same_file(&stream->st, &after)) {
        error_set(err, "%s: changed while it was read: %" PRIu64 " bytes read of %" PRIu64 " at the start",
                  stream->name, stream->len, size);
        return FEED_CHANGED;
    }
    if (stream->len != size) {
        error_set(err, "%s: read %" PRIu64 " bytes, expected %" PRIu64, stream->name, stream->len, size);
        return FEED_UNREADABLE;
    }
    return FEED_OK;
}

enum feed_result feed_fd(int fd, const char *name, const struct feed_taker *taker, void *buffer,
                         atomic_ullong *progress, struct error *err)
{
    struct stream stream = {.fd = fd, .name = name, .taker = taker, .buffer = buffer, .progress = progress};
    enum feed_result result;

    if (fstat(fd, &stream.st)) {
        error_errno(err, "%s", name);
        return FEED_UNREADABLE;
    }
    if (begin(&stream, err))
        return FEED_FAILED;
    result = give_all(&stream, err);
    return result == FEED_OK ? check_unchanged(&stream, err) : result;
}
