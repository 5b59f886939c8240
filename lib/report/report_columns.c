/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_columns.h"

#include <stdint.h>
#include <string.h>

enum { LEAST_COLUMNS = 12, ELLIPSIS = 3 };

/* ---- characters ---- */

static size_t character_len(const char *text, size_t len)
{
    size_t end = 1;

    while (end < len && ((uint8_t)text[end] & 0xc0) == 0x80)
        end++;
    return end;
}

static uint32_t decode(const char *text, size_t len)
{
    uint32_t code = (uint8_t)text[0];

    if (len > 1)
        code &= 0xffu >> (len + 1);
    for (size_t i = 1; i < len && i < 4; i++)
        code = code << 6 | ((uint8_t)text[i] & 0x3f);
    return code;
}

/* The blocks that Unicode's East Asian Width has as wide, without exceptions within them. */
static unsigned character_columns(const char *text, size_t len)
{
    static const struct {
        uint32_t first, last;
    } wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    const uint32_t code = decode(text, len);

    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i].first && code <= wide[i].last)
            return 2;
    return 1;
}

unsigned report_columns(const char *text, size_t len)
{
    unsigned columns = 0;

    for (size_t at = 0, step; at < len; at += step) {
        step = character_len(text + at, len - at);
        columns += character_columns(text + at, step);
    }
    return columns;
}

/* ---- shortening ---- */

/* The bytes at the beginning that take at most that many columns. */
static size_t find_head(const char *text, size_t len, unsigned most)
{
    size_t at = 0;

    for (unsigned columns = 0; at < len;) {
        const size_t step = character_len(text + at, len - at);

        columns += character_columns(text + at, step);
        if (columns > most)
            break;
        at += step;
    }
    return at;
}

void report_columns_shorten(struct buffer *out, const char *text, size_t len, unsigned most)
{
    const unsigned all = report_columns(text, len), room = most > LEAST_COLUMNS ? most : LEAST_COLUMNS;
    const unsigned head = (room - ELLIPSIS) / 3;
    size_t tail;

    if (all <= room) {
        buffer_add(out, text, len);
        return;
    }
    tail = find_head(text, len, all - (room - ELLIPSIS - head));
    if (report_columns(text + tail, len - tail) > room - ELLIPSIS - head) /* a wide one was cut in two */
        tail += character_len(text + tail, len - tail);
    buffer_add(out, text, find_head(text, len, head));
    buffer_add_text(out, "...");
    buffer_add(out, text + tail, len - tail);
}

/* ---- lines ---- */

void report_columns_line(struct report_columns_lines *lines)
{
    buffer_printf(lines->out, "\n%*s", (int)lines->indent, "");
    lines->column = lines->indent;
}

void report_columns_word(struct report_columns_lines *lines, struct buffer *word)
{
    const unsigned columns = report_columns(word->len ? word->data : "", word->len);
    const bool begins = lines->column <= lines->indent;

    if (!begins && lines->width && lines->column + 1 + columns > lines->width) {
        report_columns_line(lines);
    } else if (!begins) {
        buffer_add_char(lines->out, ' ');
        lines->column++;
    }
    if (word->len)
        buffer_add(lines->out, word->data, word->len);
    lines->column += columns;
    buffer_inherit(lines->out, word);
    buffer_reset(word);
}

void report_columns_text(struct report_columns_lines *lines, const char *text, size_t len)
{
    const unsigned most = lines->width > lines->indent ? lines->width - lines->indent : 1;
    const char *const end = text + len;
    struct buffer word = {0};

    while (text < end) {
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        const size_t word_len = (size_t)((blank ? blank : end) - text);

        if (lines->width)
            report_columns_shorten(&word, text, word_len, most);
        else
            buffer_add(&word, text, word_len);
        report_columns_word(lines, &word);
        text = blank ? blank + 1 : end;
    }
    buffer_release(&word);
}
