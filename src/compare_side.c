/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_side.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/walk.h"
#include "sketch_flags.h"
#include "terminal.h"

void compare_side_release(struct compare_side *side)
{
    if (side->fd > STDIN_FILENO)
        close(side->fd);
    free(side->content);
    sketch_release(&side->sketch);
}

/* Reads all of fd into memory; more than `most` bytes are an error. */
static int read_all(int fd, const char *path, uint64_t most, struct buffer *out, struct error *err)
{
    for (;;) {
        char *to;
        ssize_t got;

        if (out->len > most)
            return error_set(err, "%s: is larger than %" PRIu64 " bytes", path, most);
        to = buffer_extend(out, 1 << 16);
        if (!to)
            return error_set(err, "%s: out of memory after %zu bytes", path, out->len);
        got = read(fd, to, 1 << 16);
        out->len -= (1 << 16) - (got > 0 ? (size_t)got : 0);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return error_errno(err, "%s: read error at byte %zu", path, out->len);
    }
}

int compare_side_open(struct compare_side *side, const char *path, struct error *err)
{
    struct stat st;

    side->path = path;
    if (strcmp(path, "-") == 0) {
        struct buffer all = {0};

        if (read_all(STDIN_FILENO, path, SIZE_MAX / 2, &all, err)) {
            buffer_release(&all);
            return -1;
        }
        side->content = (uint8_t *)all.data;
        side->len = all.len;
        return 0;
    }
    side->fd = walk_open(path, 0);
    if (side->fd < 0)
        return error_errno(err, "%s", path);
    if (fstat(side->fd, &st))
        return error_errno(err, "%s", path);
    if (!S_ISREG(st.st_mode))
        return error_set(err, "%s: is %s; only files and records can be compared", path,
                         walk_kind(st.st_mode));
    side->len = (uint64_t)st.st_size;
    return 0;
}

bool compare_side_is_record(const struct compare_side *side)
{
    char start[SKETCH_MAGIC_LEN] = "";

    if (side->len < RECORD_MAGIC_LEN)
        return false;
    if (side->content)
        memcpy(start, side->content, side->len < sizeof start ? side->len : sizeof start);
    else if (pread(side->fd, start, sizeof start, 0) < 0)
        return false;
    return memcmp(start, RECORD_MAGIC, RECORD_MAGIC_LEN) == 0 ||
           memcmp(start, SKETCH_MAGIC, SKETCH_MAGIC_LEN) == 0;
}

int compare_side_load(struct compare_side *side, struct error *err)
{
    struct buffer all = {0};

    if (side->content || side->len == 0)
        return 0;
    if (lseek(side->fd, 0, SEEK_SET) != 0 || read_all(side->fd, side->path, SIZE_MAX / 2, &all, err)) {
        buffer_release(&all);
        return -1;
    }
    side->content = (uint8_t *)all.data;
    if (all.len != side->len)
        return error_set(err, "%s: changed while it was read", side->path);
    return 0;
}

int compare_side_parse(struct compare_side *side, struct error *err)
{
    struct error why;
    const char *text, *newline;

    if (compare_side_load(side, err))
        return -1;
    text = side->content ? (const char *)side->content : ""; /* the file may have been emptied */
    newline = memchr(text, '\n', side->len);
    if (newline && newline + 1 < text + side->len)
        return error_set(
            err, "%s: holds more than one record; pass a single line, for example on standard input (-)",
            side->path);
    if (sketch_parse(&side->sketch, text, newline ? (size_t)(newline - text) : side->len, &why))
        return error_set(err, "%s: line 1: %.4000s (--raw treats it as content)", side->path, why.text);
    return 0;
}

enum feed_result compare_side_sign(struct compare_side *side, const struct sketch_params *params,
                                   struct error *err)
{
    struct sketcher *sketcher = sketch_new(params, err);
    enum feed_result result = FEED_FAILED;
    struct error doubt;

    if (!sketcher)
        return FEED_FAILED;
    if (!side->content)
        result = sketch_fd(sketcher, side->fd, side->path, NULL, &side->sketch, err);
    else if (!sketch_bytes(sketcher, side->content, side->len, true, &side->sketch, err))
        result = FEED_OK;
    sketch_set_name(&side->sketch, side->path, strlen(side->path));
    sketch_free(sketcher);
    if (result == FEED_OK && sketch_flags_doubt(&side->sketch, side->path, &doubt))
        complain_error(&doubt);
    return result;
}
