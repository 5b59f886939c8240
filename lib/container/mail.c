/* SPDX-License-Identifier: Apache-2.0 */
#include "container/mail.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "container/mail_header.h"
#include "container/mail_text.h"
#include "container/transfer.h"
#include "container/window.h"

enum {
    LEVELS_MOST = 32,
    BOUNDARY_MOST = 256,    /* the standard allows 70 */
    DELIMITER_MOST = 512,   /* bytes of a line that are looked at to see whether it is one */
    PIECE = 32 << 10,       /* bytes decoded at a time */
    LINE = WINDOW_ROOM / 2, /* bytes of a header's line that are looked at */
};

/* A part that is divided into others. */
struct level {
    char boundary[BOUNDARY_MOST];
    size_t len;
    uint64_t part; /* number of the last one */
    bool is_digest;
};

struct mail {
    struct container container;
    const struct container_watch *watch;
    struct window window;
    uint64_t at, part_start;
    bool at_line_start, is_too_deep;
    enum {
        IN_HEADER,
        IN_PART,
        AT_TEXT, /* after a part that has a text */
        IN_TEXT,
        IN_LINES,
        IN_BETWEEN, /* before the first part of several, or after the last */
        AT_DELIMITER,
        AT_END,
    } state;
    struct level levels[LEVELS_MOST];
    unsigned depth;
    struct {
        unsigned level;
        bool is_last;
        uint64_t start, end;
    } delimiter; /* where the part ended, in state AT_DELIMITER */
    bool has_delimiter;
    struct mail_header header;
    struct buffer name;
    size_t name_len; /* of the part; more may follow */
    struct transfer transfer;
    struct buffer decoded;
    size_t taken; /* bytes of `decoded`, or of a text, that were read */
    bool has_text;
    struct mail_text text;
};

/* Whether the line is a delimiter: "--", a boundary, "--" if it is the last, white space. */
static bool is_delimiter(struct mail *mail, const uint8_t *line, size_t len, unsigned level, bool *is_last,
                         size_t *end)
{
    const struct level *of = &mail->levels[level];
    size_t at = 2 + of->len;

    if (len < at || memcmp(line + 2, of->boundary, of->len) != 0)
        return false;
    *is_last = len >= at + 2 && line[at] == '-' && line[at + 1] == '-';
    at += *is_last ? 2 : 0;
    while (at < len && at < DELIMITER_MOST && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r'))
        at++;
    *end = at + 1;
    return at == len ? len < DELIMITER_MOST : line[at] == '\n';
}

/* Looks whether a line that begins at this offset is a delimiter of any level, the innermost first. */
static bool find_delimiter(struct mail *mail, uint64_t offset, const uint8_t *line, size_t len)
{
    size_t end;

    if (len < 2 || line[0] != '-' || line[1] != '-')
        return false;
    for (unsigned level = mail->depth; level-- > 0;)
        if (is_delimiter(mail, line, len, level, &mail->delimiter.is_last, &end)) {
            mail->delimiter.level = level;
            mail->delimiter.start = offset;
            mail->delimiter.end = offset + end;
            mail->has_delimiter = true;
            return true;
        }
    return false;
}

/* The number of bytes before the next delimiter; the end of the line before it belongs to it.  Looks at those
 * of the first `len` bytes, of which there are `seen`. */
static size_t before_delimiter(struct mail *mail, const uint8_t *data, size_t len, size_t seen)
{
    for (size_t at = 0; at < len;) {
        const uint8_t *end = memchr(data + at, '\n', len - at);

        if (!end)
            return len;
        at = (size_t)(end - data) + 1;
        if (find_delimiter(mail, mail->at + at, data + at, seen - at))
            return at - (at > 1 && data[at - 2] == '\r' ? 2 : 1);
    }
    return len;
}

/* The next bytes of a part as they are stored; none at its end. */
static const uint8_t *next_piece(struct mail *mail, size_t *len)
{
    size_t seen;
    const uint8_t *data = window_view(&mail->window, mail->at, PIECE, &seen);
    const bool is_last = mail->at + seen >= mail->window.size;
    const size_t room = is_last ? seen : PIECE - DELIMITER_MOST;

    mail->watch->progress(mail->watch->arg);
    *len = 0;
    if (mail->depth == 0)
        *len = room;
    else if (!mail->has_delimiter && !(mail->at_line_start && find_delimiter(mail, mail->at, data, seen))) {
        *len = before_delimiter(mail, data, room, seen);
        *len -=
            *len == room && !is_last && data[room - 1] == '\r'; /* its line feed may belong to a delimiter */
    }
    mail->at_line_start = false;
    mail->at += *len;
    return data;
}

/* Decodes more of the part.  Returns false at its end. */
static bool decode(struct mail *mail)
{
    size_t len;
    const uint8_t *data = next_piece(mail, &len);

    buffer_reset(&mail->decoded);
    mail->taken = 0;
    if (len)
        transfer_add(&mail->transfer, &mail->decoded, data, len);
    else
        transfer_end(&mail->transfer, &mail->decoded);
    if (mail->has_text && mail->decoded.len)
        mail_text_add(&mail->text, (const uint8_t *)mail->decoded.data, mail->decoded.len);
    if (mail->has_text && !len)
        mail_text_end(&mail->text);
    if (!len)
        mail->state = mail->has_text ? AT_TEXT : AT_DELIMITER;
    return len != 0;
}

static bool out_of_memory(const struct mail *mail)
{
    return mail->decoded.failed || mail->name.failed || mail->header.type.failed ||
           mail->header.encoding.failed || mail->header.disposition.failed || mail_text_failed(&mail->text);
}

/* Skips the rest of a part, or what lies between parts. */
static void skip_part(struct mail *mail)
{
    size_t len;

    if (mail->has_text)
        while (decode(mail))
            ;
    else {
        while (next_piece(mail, &len), len)
            ;
        mail->state = AT_DELIMITER;
    }
}

/* Moves on after the line, of which `seen` bytes are known not to contain its end. */
static void skip_line(struct mail *mail, size_t seen)
{
    const uint8_t *data, *end;

    do {
        mail->at += seen;
        data = window_view(&mail->window, mail->at, LINE, &seen);
        end = seen ? memchr(data, '\n', seen) : NULL;
        mail->watch->progress(mail->watch->arg);
    } while (!end && seen);
    mail->at += end ? (size_t)(end - data) + 1 : 0;
}

/* Reads a line of the header.  Returns false if there is none left. */
static bool read_header_line(struct mail *mail, bool is_first)
{
    size_t len, colon;
    const uint8_t *line = window_view(&mail->window, mail->at, LINE, &len), *end;
    const enum mail_line kind = mail_line(line, len, &colon);
    const bool is_mark =
        is_first && len > 6 && (memcmp(line, "From ", 5) == 0 || memcmp(line, ">From ", 6) == 0);

    if (len == 0 || find_delimiter(mail, mail->at, line, len) || (kind == MAIL_OTHER && !is_mark))
        return false;
    end = memchr(line, '\n', len);
    if (kind == MAIL_FIELD || kind == MAIL_FOLDED)
        mail_header_line(&mail->header, line, end ? (size_t)(end - line) : len);
    if (end)
        mail->at += (size_t)(end - line) + 1;
    else
        skip_line(mail, len);
    return kind != MAIL_EMPTY;
}

static void read_header(struct mail *mail)
{
    bool is_first = true;

    mail_header_reset(&mail->header);
    while (read_header_line(mail, is_first))
        is_first = false;
    mail->at_line_start = true;
}

/* Returns whether the part is divided into others, which follow. */
static bool enter_level(struct mail *mail)
{
    struct level *level = &mail->levels[mail->depth];
    struct buffer boundary = {0};
    bool is_divided = mail_header_boundary(&mail->header, &boundary) && boundary.len <= BOUNDARY_MOST;

    buffer_inherit(&mail->name, &boundary);
    mail->is_too_deep = is_divided && mail->depth == LEVELS_MOST;
    is_divided = is_divided && !mail->is_too_deep;
    if (is_divided) {
        memcpy(level->boundary, boundary.data, boundary.len);
        level->len = boundary.len;
        level->part = 0;
        level->is_digest = mail_value_is(&mail->header.type, "multipart/digest");
        mail->depth++;
    }
    buffer_release(&boundary);
    return is_divided;
}

static void name_part(struct mail *mail)
{
    buffer_reset(&mail->name);
    mail_header_name(&mail->header, &mail->name);
    if (mail->name.len)
        return;
    buffer_add_text(&mail->name, "part-");
    for (unsigned level = 0; level < mail->depth; level++) {
        if (level)
            buffer_add_char(&mail->name, '.');
        buffer_add_number(&mail->name, mail->levels[level].part);
    }
    if (mail->depth == 0)
        buffer_add_char(&mail->name, '1');
}

static bool is_plain_text(const struct mail *mail)
{
    if (mail->header.type.len == 0)
        return mail->depth == 0 || !mail->levels[mail->depth - 1].is_digest;
    return mail_value_is(&mail->header.type, "text/plain") || mail_value_is(&mail->header.type, "text");
}

/* Makes the part whose header was read the present member. */
static void begin_part(struct mail *mail, struct container_member *member)
{
    name_part(mail);
    mail->transfer = (struct transfer){.kind = mail_header_transfer(&mail->header)};
    mail->has_text = is_plain_text(mail);
    if (mail->has_text)
        mail_text_begin(&mail->text, mail_header_charset(&mail->header),
                        mail_header_states(&mail->header, "format", "flowed"),
                        mail_header_states(&mail->header, "delsp", "yes"));
    mail->part_start = mail->at;
    mail->taken = 0;
    buffer_reset(&mail->decoded);
    mail->state = IN_PART;
    mail->name_len = mail->name.len;
    *member = (struct container_member){
        .name = mail->name.data, .name_len = mail->name.len, .size = CONTAINER_UNKNOWN};
}

/* Returns whether there is a part to be yielded. */
static bool next_part(struct mail *mail, struct container_member *member)
{
    read_header(mail);
    if (enter_level(mail)) {
        mail->state = IN_BETWEEN;
        return false;
    }
    begin_part(mail, member);
    if (mail->is_too_deep) {
        mail->has_text = false;
        member->problem = "its parts are nested too deeply";
    }
    return true;
}

/* Makes a text of the part the present member, unless it says nothing new. */
static bool next_text(struct mail *mail, struct container_member *member)
{
    const bool is_lines = mail->state == IN_TEXT;
    const struct buffer *text = is_lines ? &mail->text.lines : &mail->text.running.out;

    mail->state = is_lines ? IN_LINES : IN_TEXT;
    mail->taken = 0;
    mail->name.len = mail->name_len;
    buffer_add_text(&mail->name, is_lines ? " unquoted" : " text");
    *member =
        (struct container_member){.name = mail->name.data, .name_len = mail->name.len, .size = text->len};
    return text->len && (is_lines ? mail->text.is_quoted : !mail->text.is_same);
}

/* Goes on after the delimiter that ended a part. */
static void pass_delimiter(struct mail *mail)
{
    mail->state = AT_END;
    mail->has_text = false;
    if (!mail->has_delimiter)
        return;
    mail->has_delimiter = false;
    mail->at = mail->delimiter.end < mail->window.size ? mail->delimiter.end : mail->window.size;
    mail->depth = mail->delimiter.level + (mail->delimiter.is_last ? 0 : 1);
    if (mail->depth == 0)
        return;
    mail->state = mail->delimiter.is_last ? IN_BETWEEN : IN_HEADER;
    mail->at_line_start = true;
    if (!mail->delimiter.is_last)
        mail->levels[mail->depth - 1].part++;
}

static int unreadable(const struct mail *mail, struct error *err)
{
    return error_set(err, "cannot be read from byte %llu on", (unsigned long long)mail->window.size);
}

static int finish(const struct mail *mail, struct error *err)
{
    if (mail->window.is_broken)
        return unreadable(mail, err);
    return mail->depth ? error_set(err, "is cut off: the last boundary is missing") : 0;
}

static int mail_next(struct container *container, struct container_member *member, struct error *err)
{
    struct mail *mail = (struct mail *)container;
    bool found = false;

    while (!found && !out_of_memory(mail))
        switch (mail->state) {
        case IN_HEADER:
            found = next_part(mail, member);
            break;
        case IN_PART:
        case IN_BETWEEN:
            skip_part(mail);
            break;
        case AT_TEXT:
        case IN_TEXT:
            found = next_text(mail, member);
            break;
        case IN_LINES:
            mail->state = AT_DELIMITER;
            break;
        case AT_DELIMITER:
            pass_delimiter(mail);
            break;
        case AT_END:
            return finish(mail, err);
        }
    return out_of_memory(mail) ? error_set(err, "out of memory") : 1;
}

static ssize_t take(struct mail *mail, const struct buffer *from, void *into, size_t len)
{
    const size_t left = from->len - mail->taken;

    len = len < left ? len : left;
    if (len)
        memcpy(into, from->data + mail->taken, len);
    mail->taken += len;
    return (ssize_t)len;
}

static ssize_t read_text(struct mail *mail, const struct buffer *text, void *into, size_t len,
                         struct error *err)
{
    const ssize_t got = take(mail, text, into, len);

    return got == 0 && mail->text.is_cut ? error_set(err, "is longer than %d bytes", MAIL_TEXT_MOST) : got;
}

static ssize_t mail_read(struct container *container, void *into, size_t len, struct error *err)
{
    struct mail *mail = (struct mail *)container;

    if (mail->state == IN_TEXT)
        return read_text(mail, &mail->text.running.out, into, len, err);
    if (mail->state == IN_LINES)
        return read_text(mail, &mail->text.lines, into, len, err);
    while (mail->taken == mail->decoded.len && mail->state == IN_PART && !out_of_memory(mail))
        decode(mail);
    if (out_of_memory(mail))
        return error_set(err, "out of memory");
    if (mail->taken < mail->decoded.len)
        return take(mail, &mail->decoded, into, len);
    return mail->window.is_broken && !mail->has_delimiter ? unreadable(mail, err) : 0;
}

static uint64_t mail_place(struct container *container)
{
    const struct mail *mail = (const struct mail *)container;

    return mail->state == IN_PART && mail->transfer.kind == TRANSFER_IDENTITY ? mail->part_start
                                                                              : CONTAINER_UNKNOWN;
}

static uint64_t mail_end(struct container *container)
{
    return ((const struct mail *)container)->at;
}

static void mail_close(struct container *container)
{
    struct mail *mail = (struct mail *)container;

    window_release(&mail->window);
    mail_header_release(&mail->header);
    buffer_release(&mail->name);
    buffer_release(&mail->decoded);
    mail_text_release(&mail->text);
    free(mail);
}

static bool mail_matches(const struct container_sight *sight)
{
    return mail_begins(sight->head, sight->head_len);
}

static struct container *mail_open(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct mail *mail = memory_new(sizeof *mail, err);

    if (!mail)
        return NULL;
    mail->container = (struct container){mail_next, mail_read, mail_place, mail_end, mail_close};
    mail->watch = watch;
    if (window_init(&mail->window, sight->content, sight->is_carved, err)) {
        free(mail);
        return NULL;
    }
    return &mail->container;
}

/* A file of a mail program begins with one of these in most cases. */
static const struct container_magic magic[] = {
    {0, 12, "Return-Path:"},
    {0, 9, "Received:"},
    {0, 13, "Delivered-To:"},
    {0, 13, "MIME-Version:"},
    {0, 11, "Message-ID:"},
    {0, 11, "Message-Id:"},
    {0, 5, "From:"},
    {0, 5, "Date:"},
    {0, 8, "Subject:"},
    {0, 13, "X-Account-Key"},
    {0},
};

const struct container_format mail_format = {
    .name = "mail", .magic = magic, .matches = mail_matches, .open = mail_open};
