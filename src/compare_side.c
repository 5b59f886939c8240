/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_side.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/walk.h"
#include "sketch_flags.h"
#include "terminal.h"

void compare_side_release(struct compare_side *side)
{
    if (side->fd > STDIN_FILENO)
        close(side->fd);
    free(side->content);
    sketch_release(&side->sketch);
    for (size_t i = 0; i < side->block_count; i++)
        sketch_release(&side->blocks[i]);
    free(side->blocks);
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

static ssize_t read_side(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct compare_side *side =
        (const struct compare_side *)((const char *)content - offsetof(struct compare_side, bytes));

    if (!side->content)
        return pread(side->fd, into, len, (off_t)offset);
    memcpy(into, side->content + offset, len);
    return (ssize_t)len;
}

struct content *compare_side_bytes(struct compare_side *side)
{
    if (side->is_record)
        return NULL;
    side->bytes = (struct content){.size = side->len, .read = read_side};
    return &side->bytes;
}

/* Parses line `number`, which begins at *text; moves *text to the next line, or to the end. */
static int parse_line(const struct compare_side *side, const char **text, const char *end, size_t number,
                      struct sketch *out, struct error *err)
{
    const char *newline = memchr(*text, '\n', (size_t)(end - *text)), *const stop = newline ? newline : end;
    struct error why;

    if (sketch_parse(out, *text, (size_t)(stop - *text), &why))
        return error_set(err, "%s: line %zu: %.4000s (--raw treats it as content)", side->path, number,
                         why.text);
    *text = newline ? newline + 1 : end;
    return 0;
}

/* Whether a sketch is that of the block at `start` of a file: NAME@START, in a scheme that is split.  Sets
 * the length of NAME. */
static bool is_block(const struct sketch *sketch, uint64_t start, size_t *name_len)
{
    const struct buffer *name = &sketch->name;
    char suffix[24];
    const size_t len = (size_t)snprintf(suffix, sizeof suffix, "@%" PRIu64, start);

    if (!(sketch_uses(sketch->params.scheme) & SKETCH_USE_RESIDUE) || name->len < len ||
        memcmp(name->data + name->len - len, suffix, len) != 0)
        return false;
    *name_len = name->len - len;
    return true;
}

/* Adds the block to the whole, whose sketch has its name, parameters and length. */
static int add_block(struct compare_side *side, const struct sketch *block, struct error *err)
{
    struct sketch *whole = &side->sketch;
    size_t name_len = 0;

    if (!is_block(block, whole->len, &name_len))
        return error_set(
            err, "%s: holds more than one record; pass a single line, for example on standard input (-)",
            side->path);
    if (side->block_count == 0) {
        whole->params = block->params;
        whole->record.params = block->record.params;
        sketch_set_name(whole, block->name.data, name_len);
    }
    if (memcmp(&whole->record.params, &block->record.params, sizeof whole->record.params) != 0 ||
        whole->name.len != name_len || memcmp(whole->name.data, block->name.data, name_len) != 0)
        return error_set(err, "%s: line %zu: is no block of the same file", side->path,
                         side->block_count + 1);
    if (block->len > INT64_MAX - whole->len)
        return error_set(err, "%s: line %zu: the blocks are too long", side->path, side->block_count + 1);
    whole->len += block->len;
    side->block_count++;
    return whole->name.failed ? error_set(err, "%s: out of memory", side->path) : 0;
}

int compare_side_parse(struct compare_side *side, struct error *err)
{
    const char *text, *end;
    size_t room = 0;

    if (compare_side_load(side, err))
        return -1;
    text = side->content ? (const char *)side->content : ""; /* the file may have been emptied */
    end = text + (side->content ? side->len : 0);
    if (parse_line(side, &text, end, 1, &side->sketch, err))
        return -1;
    if (text == end)
        return 0;
    side->sketch.digests = (struct digest_values){0}; /* of the first block */
    side->sketch.len = 0;
    for (text = (const char *)side->content; text < end;) {
        struct sketch *block;

        if (array_reserve(&side->blocks, &room, side->block_count + 1))
            return error_set(err, "%s: out of memory for %zu blocks", side->path, side->block_count);
        block = &side->blocks[side->block_count];
        *block = (struct sketch){0};
        if (parse_line(side, &text, end, side->block_count + 1, block, err) || add_block(side, block, err)) {
            sketch_release(block);
            return -1;
        }
    }
    return 0;
}

bool compare_side_is_same(const struct sketch *a, const struct sketch *b)
{
    return a->len == b->len && digest_agree(&a->digests, &b->digests);
}

enum feed_result compare_side_sign(struct compare_side *side, const struct sketch_params *params,
                                   struct error *err)
{
    struct sketcher *sketcher = sketch_new(params, err);
    enum feed_result result = FEED_FAILED;
    struct error doubt;

    /* SHA-256, since files with equal SHA-1 can be constructed */
    if (!sketcher || sketch_digests(sketcher, DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err)) {
        sketch_free(sketcher);
        return FEED_FAILED;
    }
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
