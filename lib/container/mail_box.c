/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "container/mail.h"
#include "container/mail_header.h"
#include "container/window.h"

enum {
    POSTMARK_MOST =
        1024, /* bytes from the beginning of a line that are looked at to see whether it is a postmark */
    PIECE = WINDOW_ROOM / 2,
};

struct box {
    struct container container;
    const struct container_watch *watch;
    struct window window;
    uint64_t at, message_start;
    bool at_postmark;     /* the message is over */
    const uint8_t *piece; /* of the message, in the window: what was not read yet */
    size_t piece_len;
    uint64_t number;
    char name[24];
};

/* The number of bytes before the next postmark, and the empty line before it, among the first `len` of
 * `seen`. */
static size_t before_postmark(struct box *box, const uint8_t *data, size_t len, size_t seen)
{
    for (size_t at = 0; at < len;) {
        const uint8_t *end = memchr(data + at, '\n', len - at);

        if (!end)
            return len;
        at = (size_t)(end - data) + 1;
        box->at_postmark =
            mail_begins_postmark(data + at, seen - at < POSTMARK_MOST ? seen - at : POSTMARK_MOST);
        if (box->at_postmark)
            return at;
    }
    return len;
}

/* The length of the line end that these bytes end in. */
static size_t line_end(const uint8_t *data, size_t len)
{
    return len == 0 || data[len - 1] != '\n' ? 0 : len > 1 && data[len - 2] == '\r' ? 2 : 1;
}

/* The last line end, if another one precedes it. */
static size_t empty_line(const uint8_t *data, size_t len)
{
    const size_t last = line_end(data, len);

    return last && line_end(data, len - last) ? last : 0;
}

/* How many of these bytes, at most four, are line ends at their end: they may be the empty line before a
 * postmark. */
static size_t end_run(const uint8_t *data, size_t len)
{
    size_t run = 0;

    while (run < 4 && run + 1 < len && (data[len - run - 1] == '\n' || data[len - run - 1] == '\r'))
        run++;
    return run;
}

static int unreadable(const struct box *box, struct error *err)
{
    return error_set(err, "cannot be read from byte %llu on", (unsigned long long)box->window.size);
}

/* Moves on to the next bytes of the message.  Returns false at its end. */
static bool next_piece(struct box *box)
{
    size_t seen, len, kept;
    const uint8_t *data = window_view(&box->window, box->at, PIECE, &seen);
    const bool is_last = box->at + seen >= box->window.size;

    box->watch->progress(box->watch->arg);
    box->piece = data;
    box->piece_len = 0;
    if (box->at_postmark)
        return false;
    len = before_postmark(box, data, is_last ? seen : PIECE - POSTMARK_MOST, seen);
    kept = box->at_postmark || is_last ? empty_line(data, len) : end_run(data, len);
    box->at += box->at_postmark || is_last ? len : len - kept;
    box->at_postmark |= is_last;
    box->piece_len = len - kept;
    return box->piece_len > 0;
}

static int box_next(struct container *container, struct container_member *member, struct error *err)
{
    struct box *box = (struct box *)container;
    const uint8_t *line, *end;
    size_t len;

    while (next_piece(box))
        ;
    line = window_view(&box->window, box->at, PIECE, &len);
    if (len == 0)
        return box->window.is_broken ? unreadable(box, err) : 0;
    end = memchr(line, '\n', len);
    box->at += end ? (size_t)(end - line) + 1 : len;
    box->message_start = box->at;
    box->at_postmark = false;
    box->number++;
    snprintf(box->name, sizeof box->name, "%llu", (unsigned long long)box->number);
    *member = (struct container_member){
        .name = box->name, .name_len = strlen(box->name), .size = CONTAINER_UNKNOWN};
    return 1;
}

static ssize_t box_read(struct container *container, void *into, size_t len, struct error *err)
{
    struct box *box = (struct box *)container;

    if (box->piece_len == 0 && !next_piece(box))
        return box->window.is_broken && box->at >= box->window.size ? unreadable(box, err) : 0;
    len = len < box->piece_len ? len : box->piece_len;
    memcpy(into, box->piece, len);
    box->piece += len;
    box->piece_len -= len;
    return (ssize_t)len;
}

static uint64_t box_place(struct container *container)
{
    return ((const struct box *)container)->message_start;
}

static uint64_t box_end(struct container *container)
{
    return ((const struct box *)container)->at;
}

static void box_close(struct container *container)
{
    struct box *box = (struct box *)container;

    window_release(&box->window);
    free(box);
}

static bool box_matches(const struct container_sight *sight)
{
    return mail_begins_postmark(sight->head, sight->head_len);
}

static struct container *box_open(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct box *box = memory_new(sizeof *box, err);

    if (!box)
        return NULL;
    box->container = (struct container){box_next, box_read, box_place, box_end, box_close};
    box->watch = watch;
    box->at_postmark = true;
    if (window_init(&box->window, sight->content, sight->is_carved, err)) {
        free(box);
        return NULL;
    }
    return &box->container;
}

static const struct container_magic magic[] = {{0, 5, "From "}, {0}};

const struct container_format mail_box_format = {
    .name = "mbox", .first = "F", .magic = magic, .matches = box_matches, .open = box_open};
