/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/medium.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "disk/medium_inner.h"

enum {
    SMALLEST_READ = 4096, /* granularity of reads around a bad position, to find its extent */
    MAX_BAD = 1 << 16,    /* ranges; after that, new ones are merged into their neighbours */
};

struct medium {
    struct backend backend;
    const char *format;
    struct ranges bad;     /* sorted */
    struct ranges news;    /* added since they were last requested */
    struct ranges lost;    /* known when it was opened */
    size_t reported;       /* ranges received from the backend */
    uint64_t reported_len; /* length of the last one, which may have grown since */
    uint64_t bytes_read;
};

/* ---- opening ---- */

static void ask_backend(struct medium *medium);

/* Keeps what the backend knows to be lost before anything has been read. */
static int keep_lost(struct medium *medium)
{
    struct ranges *lost = &medium->lost;

    ask_backend(medium);
    if (medium->bad.count == 0)
        return 0;
    lost->list = malloc(medium->bad.count * sizeof *lost->list);
    if (!lost->list)
        return -1;
    memcpy(lost->list, medium->bad.list, medium->bad.count * sizeof *lost->list);
    lost->count = lost->room = medium->bad.count;
    return 0;
}

struct medium *medium_new(const struct backend *backend, const char *format, struct error *err)
{
    struct medium *medium = memory_new(sizeof *medium, err);

    if (!medium) {
        backend->close(backend->state);
        return NULL;
    }
    medium->backend = *backend;
    medium->format = format;
    if (medium->backend.sector_size < 512)
        medium->backend.sector_size = 512;
    if (ranges_reserve(&medium->bad) == 0 && ranges_reserve(&medium->news) == 0 && keep_lost(medium) == 0)
        return medium;
    error_set(err, "out of memory");
    medium_close(medium);
    return NULL;
}

struct medium *medium_open_fd(int fd, const char *name, struct error *err)
{
    struct backend backend = {0};

    return backend_raw_fd(&backend, fd, name, err) ? NULL : medium_new(&backend, "raw", err);
}

size_t medium_read_some(const struct backend *backend, uint64_t offset, uint8_t *into, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t got = backend->read(backend->state, offset + done, into + done, len - done);

        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

void medium_close(struct medium *medium)
{
    if (!medium)
        return;
    medium->backend.close(medium->backend.state);
    ranges_release(&medium->bad);
    ranges_release(&medium->news);
    ranges_release(&medium->lost);
    free(medium);
}

uint64_t medium_size(const struct medium *medium)
{
    return medium->backend.size;
}

uint32_t medium_sector_size(const struct medium *medium)
{
    return medium->backend.sector_size;
}

const char *medium_format(const struct medium *medium)
{
    return medium->format;
}

const struct digest_values *medium_stored(const struct medium *medium)
{
    return &medium->backend.stored;
}

const char *medium_extents(const struct medium *medium, size_t *len)
{
    const char *names = NULL;

    *len = 0;
    if (medium->backend.files)
        names = medium->backend.files(medium->backend.state, len);
    return names ? names : "";
}

const char *medium_damages(const struct medium *medium)
{
    const char *text = medium->backend.damages ? medium->backend.damages(medium->backend.state) : NULL;

    return text ? text : "";
}

uint64_t medium_bytes_read(const struct medium *medium)
{
    return medium->bytes_read;
}

/* ---- unreadable ranges ---- */

static void note_bad(struct medium *medium, uint64_t start, uint64_t len)
{
    ranges_cover(&medium->bad, start, len, MAX_BAD);
    ranges_cover(&medium->news, start, len, MAX_BAD);
}

static void ask_backend(struct medium *medium)
{
    uint64_t start = 0, len = 0;

    if (!medium->backend.bad)
        return;
    if (medium->reported && medium->backend.bad(medium->backend.state, medium->reported - 1, &start, &len) &&
        len > medium->reported_len) {
        medium->reported_len = len;
        note_bad(medium, start, len);
    }
    while (medium->backend.bad(medium->backend.state, medium->reported, &start, &len)) {
        medium->reported++;
        medium->reported_len = len;
        note_bad(medium, start, len);
    }
}

const struct range *medium_bad(const struct medium *medium, size_t *count)
{
    *count = medium->bad.count;
    return medium->bad.list;
}

const struct range *medium_news(struct medium *medium, size_t *count)
{
    *count = medium->news.count;
    medium->news.count = 0;
    return medium->news.list;
}

uint64_t medium_bad_bytes(const struct medium *medium, uint64_t offset, uint64_t len)
{
    return ranges_overlap(&medium->bad, offset, len);
}

uint64_t medium_lost_bytes(const struct medium *medium, uint64_t offset, uint64_t len)
{
    return ranges_overlap(&medium->lost, offset, len);
}

/* ---- reading ---- */

/* After an unreadable position, reading continues piece by piece. */
static void read_around(struct medium *medium, uint64_t offset, uint8_t *into, size_t len)
{
    const uint32_t step = medium->backend.piece ? medium->backend.piece : SMALLEST_READ;

    while (len > 0) {
        size_t piece = step - (size_t)(offset % step), got;

        if (piece > len)
            piece = len;
        got = medium_read_some(&medium->backend, offset, into, piece);
        if (got < piece) {
            if (medium->backend.piece)
                got = 0;
            memset(into + got, 0, piece - got);
            note_bad(medium, offset + got, piece - got);
        }
        offset += piece;
        into += piece;
        len -= piece;
    }
}

void medium_read(struct medium *medium, uint64_t offset, void *into, size_t len)
{
    uint8_t *at = into;
    size_t there = offset >= medium->backend.size        ? 0
                   : len > medium->backend.size - offset ? (size_t)(medium->backend.size - offset)
                                                         : len;
    size_t got = medium_read_some(&medium->backend, offset, at, there);

    medium->bytes_read += there;
    if (got < there)
        read_around(medium, offset + got, at + got, there - got);
    if (there < len) {
        memset(at + there, 0, len - there);
        note_bad(medium, offset + there, len - there);
    }
    ask_backend(medium);
}
