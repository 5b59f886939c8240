/* SPDX-License-Identifier: Apache-2.0 */
#include "container/mail_text.h"

#include <string.h>

enum { LINE_MOST = 64 << 10 };

void mail_text_begin(struct mail_text *text, enum charset_kind charset, bool is_flowed, bool deletes_space)
{
    mail_text_release(text);
    *text = (struct mail_text){.charset = {.kind = charset},
                               .is_flowed = is_flowed,
                               .deletes_space = deletes_space,
                               .is_same = true};
}

void mail_text_release(struct mail_text *text)
{
    running_text_release(&text->running);
    buffer_release(&text->lines);
    buffer_release(&text->line);
    buffer_release(&text->raw);
    buffer_release(&text->converted);
}

bool mail_text_failed(const struct mail_text *text)
{
    return text->running.out.failed || text->lines.failed || text->line.failed || text->raw.failed ||
           text->converted.failed;
}

/* The length of a line's marks of quotation, with the space that follows each; or, of flowed lines, the one
 * that protects their beginning.  Sets the depth. */
static size_t measure_marks(struct mail_text *text, const char *line, size_t len)
{
    size_t at = 0;

    for (text->depth = 0; at < len && line[at] == '>'; text->depth++) {
        at++;
        if (!text->is_flowed && at < len && line[at] == ' ')
            at++;
    }
    if (text->is_flowed && at < len && line[at] == ' ')
        at++;
    text->is_quoted |= at > 0;
    return at;
}

static bool is_blank(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return false;
    return true;
}

/* Adds a line, or the beginning of one, to the running text. */
static void add_running(struct mail_text *text, const char *line, size_t len, bool ends)
{
    const bool is_signature = (len == 2 || len == 3) && memcmp(line, "-- ", len) == 0;
    const bool has_space = len > 0 && line[len - 1] == ' ';
    const bool goes_on = !is_signature && (text->is_flowed ? has_space : !is_blank(line, len));

    if (is_signature || is_blank(line, len))
        running_text_break(&text->running);
    if (ends && goes_on && text->is_flowed && text->deletes_space)
        len--;
    running_text_utf8(&text->running, line, len);
    if (ends && !goes_on)
        running_text_break(&text->running);
    else if (ends && !(text->is_flowed && text->deletes_space))
        running_text_space(&text->running);
}

/* Takes what is in `line`; `ends`: its end follows. */
static void take_line(struct mail_text *text, bool ends)
{
    const char *line = text->line.len ? text->line.data : "";
    const unsigned depth = text->depth;
    size_t from = 0, to = text->line.len;

    if (!text->in_line) {
        from = measure_marks(text, line, to);
        if (text->depth != depth)
            running_text_break(&text->running);
    }
    if (ends && to > from && line[to - 1] == '\r')
        to--;
    add_running(text, line + from, to - from, ends);
    buffer_add(&text->lines, line + from, to - from);
    if (ends)
        buffer_add_char(&text->lines, '\n');
    text->in_line = !ends;
    buffer_reset(&text->line);
}

static void add_lines(struct mail_text *text, const char *data, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(data + at, '\n', len - at);
        size_t piece = end ? (size_t)(end - data) - at : len - at;
        const size_t room = LINE_MOST - text->line.len;
        const bool is_long = piece > room;

        piece = is_long ? room : piece;
        buffer_add(&text->line, data + at, piece);
        if (end || is_long)
            take_line(text, !is_long);
        at += piece + (end && !is_long);
    }
}

/* Compares the running text with the part, as far as it goes so far. */
static void compare(struct mail_text *text, const uint8_t *data, size_t len)
{
    const size_t made = text->running.out.len - text->compared;
    size_t common;

    if (!text->is_same)
        return;
    buffer_add(&text->raw, data, len);
    common = made < text->raw.len ? made : text->raw.len;
    text->is_same =
        text->raw.len - common <= LINE_MOST &&
        (common == 0 || memcmp(text->raw.data, text->running.out.data + text->compared, common) == 0);
    if (common && text->is_same) {
        memmove(text->raw.data, text->raw.data + common, text->raw.len - common);
        text->raw.len -= common;
    }
    text->compared += common;
}

void mail_text_add(struct mail_text *text, const uint8_t *data, size_t len)
{
    if (text->running.out.len > MAIL_TEXT_MOST || text->lines.len > MAIL_TEXT_MOST) {
        text->is_cut = true;
        return;
    }
    buffer_reset(&text->converted);
    charset_add(&text->charset, &text->converted, data, len);
    add_lines(text, text->converted.data, text->converted.len);
    compare(text, data, len);
}

void mail_text_end(struct mail_text *text)
{
    buffer_reset(&text->converted);
    charset_end(&text->charset, &text->converted);
    add_lines(text, text->converted.data, text->converted.len);
    if (text->line.len)
        take_line(text, false);
    running_text_end(&text->running);
    compare(text, NULL, 0);
    text->is_same &= text->raw.len == 0 && text->compared == text->running.out.len;
    text->is_quoted |= text->charset.has_changed;
}
