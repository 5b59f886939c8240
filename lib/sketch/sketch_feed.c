/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/sketch_inner.h"

/* Sketches of open files: of a whole, or of its blocks. */

static enum feed_result feed(struct sketcher *sketcher, int fd, const char *name,
                             const struct feed_taker *taker, atomic_ullong *progress, struct error *err)
{
    if (!sketcher->buffer)
        sketcher->buffer = aligned_alloc(4096, FEED_ROOM);
    if (!sketcher->buffer) {
        error_set(err, "%s: out of memory", name);
        return FEED_FAILED;
    }
    return feed_fd(fd, name, taker, sketcher->buffer, progress, err);
}

static int begin_whole(void *arg, uint64_t len, struct error *err)
{
    return sketch_begin(arg, len, err);
}

static int update_whole(void *arg, const void *data, size_t len, struct error *err)
{
    return sketch_update(arg, data, len, err);
}

/* Ends a sketch, and gives it its name. */
static int final(struct sketcher *sketcher, const char *name, struct sketch *out, struct error *err)
{
    if (sketch_final(sketcher, out, err))
        return -1;
    sketch_set_name(out, name, strlen(name));
    if (!out->name.failed && !out->record.name.failed)
        return 0;
    sketch_release(out);
    return error_set(err, "out of memory");
}

enum feed_result sketch_fd(struct sketcher *sketcher, int fd, const char *name, atomic_ullong *progress,
                           struct sketch *out, struct error *err)
{
    const struct feed_taker taker = {begin_whole, update_whole, sketcher};
    const enum feed_result result = feed(sketcher, fd, name, &taker, progress, err);
    struct error why;

    if (result != FEED_OK)
        return result;
    if (final(sketcher, name, out, &why) == 0)
        return FEED_OK;
    error_set(err, "%s: %.1000s", name, why.text);
    return FEED_FAILED;
}

/* ---- blocks ---- */

struct split {
    struct sketcher *sketcher;
    const char *name;
    uint64_t size, at, left; /* the place in the file, and what the block still takes */
    struct sketch *sketch;
    sketch_take *take;
    void *arg;
};

static int begin_block(struct split *split, struct error *err)
{
    split->left = split->size;
    return sketch_begin(split->sketcher, FEED_UNKNOWN, err);
}

static int end_block(struct split *split, struct error *err)
{
    struct buffer name = {0};
    int result;

    buffer_printf(&name, "%s@%" PRIu64, split->name, split->at - (split->size - split->left));
    result =
        name.failed ? error_set(err, "out of memory") : final(split->sketcher, name.data, split->sketch, err);
    buffer_release(&name);
    return result || split->take(split->arg, split->sketch, err) ? -1 : 0;
}

static int begin_blocks(void *arg, uint64_t len, struct error *err)
{
    (void)len;
    return begin_block(arg, err);
}

/* A block ends when something follows it, so that the last one is empty only if the file is. */
static int update_blocks(void *arg, const void *data, size_t len, struct error *err)
{
    struct split *split = arg;
    const uint8_t *p = data;

    for (size_t part; len > 0; p += part, len -= part) {
        if (split->left == 0 && (end_block(split, err) || begin_block(split, err)))
            return -1;
        part = len < split->left ? len : (size_t)split->left;
        if (sketch_update(split->sketcher, p, part, err))
            return -1;
        split->left -= part;
        split->at += part;
    }
    return 0;
}

enum feed_result sketch_fd_blocks(struct sketcher *sketcher, int fd, const char *name, uint64_t size,
                                  atomic_ullong *progress, struct sketch *scratch, sketch_take *take,
                                  void *arg, struct error *err)
{
    struct split split = {
        .sketcher = sketcher, .name = name, .size = size, .sketch = scratch, .take = take, .arg = arg};
    const struct feed_taker taker = {begin_blocks, update_blocks, &split};
    const enum feed_result result = feed(sketcher, fd, name, &taker, progress, err);
    struct error why;

    if (result != FEED_OK)
        return result;
    if (end_block(&split, &why) == 0)
        return FEED_OK;
    error_set(err, "%s: %.1000s", name, why.text);
    return FEED_FAILED;
}
