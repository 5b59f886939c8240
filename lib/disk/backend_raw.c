/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/walk.h"
#include "disk/backend.h"

/* Raw bytes: a file or block device, or several consecutive ones. */
struct part {
    int fd;
    uint64_t start, end;
};

struct raw {
    struct part *parts;
    size_t count;
    int close_them;
};

static const struct part *part_at(const struct raw *raw, uint64_t offset)
{
    size_t low = 0, high = raw->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (offset < raw->parts[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return low < raw->count ? &raw->parts[low] : NULL;
}

static ssize_t raw_read(void *state, uint64_t offset, void *into, size_t len)
{
    const struct part *part = part_at(state, offset);

    if (!part)
        return 0;
    if (len > part->end - offset)
        len = (size_t)(part->end - offset);
    return pread(part->fd, into, len, (off_t)(offset - part->start));
}

static void raw_close(void *state)
{
    struct raw *raw = state;

    for (size_t i = 0; raw->close_them && i < raw->count; i++)
        if (raw->parts[i].fd >= 0)
            close(raw->parts[i].fd);
    free(raw->parts);
    free(raw);
}

static int raw_new(struct backend *backend, size_t count, int close_them, struct error *err)
{
    struct raw *raw = calloc(1, sizeof *raw);

    if (raw)
        raw->parts = calloc(count, sizeof *raw->parts);
    if (!raw || !raw->parts) {
        free(raw);
        return error_set(err, "out of memory");
    }
    raw->close_them = close_them;
    *backend = (struct backend){.sector_size = 512, .read = raw_read, .close = raw_close, .state = raw};
    return 0;
}

static int add_part(struct backend *backend, int fd, const char *name, struct error *err)
{
    struct raw *raw = backend->state;
    off_t len = lseek(fd, 0, SEEK_END); /* works for block devices, too */

    raw->parts[raw->count++] =
        (struct part){fd, backend->size, backend->size + (len > 0 ? (uint64_t)len : 0)};
    if (len < 0)
        return error_errno(err, "%s", name);
    if ((uint64_t)len > INT64_MAX - backend->size)
        return error_set(err, "%s: the files are too large", name);
    backend->size += (uint64_t)len;
    return 0;
}

int backend_raw_fd(struct backend *backend, int fd, const char *name, struct error *err)
{
    if (raw_new(backend, 1, 0, err))
        return -1;
    if (add_part(backend, fd, name, err)) {
        raw_close(backend->state);
        return -1;
    }
    return 0;
}

static ssize_t content_read_some(void *state, uint64_t offset, void *into, size_t len)
{
    struct content *content = state;
    const uint64_t left = offset < content->size ? content->size - offset : 0;
    const ssize_t got = left ? content->read(content, offset, into, len < left ? len : (size_t)left) : 0;

    if (left && got <= 0)
        errno = EIO;
    return left && got <= 0 ? -1 : got;
}

static void leave_content(void *state)
{
    (void)state;
}

int backend_raw_content(struct backend *backend, struct content *content, struct error *err)
{
    if (content->size > INT64_MAX)
        return error_set(err, "it is too large");
    *backend = (struct backend){.size = content->size,
                                .sector_size = 512,
                                .read = content_read_some,
                                .close = leave_content,
                                .state = content};
    return 0;
}

/*
 * When an image is split, all parts except the last one have the same size.  A shorter one in the middle is
 * truncated, so that everything after it would be misplaced; a longer last one belongs to another image.
 */
static int check_lengths(const struct raw *raw, char *const *paths, struct error *err)
{
    const uint64_t first = raw->parts[0].end;

    for (size_t i = 1; i < raw->count; i++) {
        const uint64_t len = raw->parts[i].end - raw->parts[i].start;

        if (len > first || (len < first && i + 1 < raw->count))
            return error_set(err,
                             "%s: this segment has %" PRIu64 " bytes, but the first one has %" PRIu64
                             ": it is truncated, or belongs to another image",
                             paths[i], len, first);
    }
    return 0;
}

int backend_raw_open(struct backend *backend, char *const *paths, size_t count, struct error *err)
{
    if (raw_new(backend, count, 1, err))
        return -1;
    for (size_t i = 0; i < count; i++) {
        int fd = walk_open(paths[i], 0);

        if (fd < 0)
            error_errno(err, "%s", paths[i]);
        if (fd < 0 || add_part(backend, fd, paths[i], err)) {
            raw_close(backend->state);
            return -1;
        }
    }
    if (check_lengths(backend->state, paths, err)) {
        raw_close(backend->state);
        return -1;
    }
    return 0;
}
