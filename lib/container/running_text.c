/* SPDX-License-Identifier: Apache-2.0 */
#include "container/running_text.h"

#include <string.h>

#include "base/utf8.h"
#include "container/charset.h"

/* U+FB00 to U+FB06. */
static const char *const ligatures[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};

void running_text_release(struct running_text *text)
{
    buffer_release(&text->out);
    *text = (struct running_text){0};
}

static bool is_space(uint32_t c)
{
    return c <= ' ' || (c >= 0x7f && c <= 0xa0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 ||
           (c >= 0xd800 && c <= 0xdfff) || c == 0xfffe || c == 0xffff || c > 0x10ffff;
}

/* Soft hyphen, zero-width characters, marks of direction, byte order mark. */
static bool is_invisible(uint32_t c)
{
    return c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

/* Before the next visible character. */
static void begin_word(struct running_text *text)
{
    if (text->wants_break || text->wants_space)
        buffer_add_char(&text->out, text->wants_break ? '\n' : ' ');
    text->wants_break = text->wants_space = false;
    text->in_word = text->any = true;
}

static void write_char(struct running_text *text, uint32_t c)
{
    char utf8[4];

    begin_word(text);
    buffer_add(&text->out, utf8, (size_t)(utf8_put(utf8, c) - utf8));
}

void running_text_space(struct running_text *text)
{
    text->wants_space |= text->in_word;
    text->in_word = false;
}

static void add_char(struct running_text *text, uint32_t c)
{
    if (is_space(c))
        running_text_space(text);
    else if (c >= 0xfb00 && c <= 0xfb06)
        for (const char *at = ligatures[c - 0xfb00]; *at; at++)
            write_char(text, (unsigned char)*at);
    else if (!is_invisible(c))
        write_char(text, c);
}

/* What came of a character that was cut off is no text. */
static void drop_incomplete(struct running_text *text)
{
    if (text->missing)
        running_text_space(text);
    text->missing = 0;
}

void running_text_char(struct running_text *text, uint32_t character)
{
    drop_incomplete(text);
    add_char(text, character);
}

/* The first byte of a character. */
static void begin_char(struct running_text *text, uint8_t byte)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};

    if (byte < 0xc2 || byte > 0xf4) {
        add_char(text, byte < 0x80 ? byte : ' ');
        return;
    }
    text->missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    text->least = least[text->missing];
    text->character = byte & (0x3fu >> text->missing);
}

static void add_byte(struct running_text *text, uint8_t byte)
{
    if (text->missing && (byte & 0xc0) == 0x80) {
        text->character = text->character << 6 | (byte & 0x3f);
        if (--text->missing == 0)
            add_char(text, text->character < text->least ? ' ' : text->character);
        return;
    }
    drop_incomplete(text);
    begin_char(text, byte);
}

static bool is_visible(char c)
{
    return c > ' ' && c < 0x7f;
}

/* Adds the words of visible ASCII characters that the data begins with, if single spaces are between them;
 * returns how many bytes that are. */
static size_t add_visible(struct running_text *text, const char *data, size_t len)
{
    size_t count = 0;

    while (count < len && (is_visible(data[count]) || (data[count] == ' ' && count > 0 && count + 1 < len &&
                                                       is_visible(data[count + 1]))))
        count++;
    if (count == 0)
        return 0;
    drop_incomplete(text);
    begin_word(text);
    buffer_add(&text->out, data, count);
    return count;
}

void running_text_utf8(struct running_text *text, const char *data, size_t len)
{
    while (len > 0) {
        size_t count = add_visible(text, data, len);

        if (count == 0)
            add_byte(text, (uint8_t)data[count++]);
        data += count;
        len -= count;
    }
}

void running_text_windows(struct running_text *text, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        running_text_char(text, charset_windows((uint8_t)data[i]));
}

/* Whether it could be UTF-8 that is cut out of a text; the shapes of characters are enough to judge by. */
static bool is_utf8(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        const uint8_t c = (uint8_t)text[at++];
        unsigned more = c < 0x80 ? 0 : c < 0xc2 ? 4 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 4;

        if (more == 4)
            return false;
        for (; more > 0 && at < len; more--)
            if (((uint8_t)text[at++] & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static bool is_ascii(const char *text, size_t len)
{
    char all = 0;

    for (size_t i = 0; i < len; i++)
        all |= text[i];
    return !(all & 0x80);
}

void running_text_decide(enum running_text_charset *charset, const char *data, size_t len)
{
    if (*charset == RUNNING_TEXT_UNDECIDED && !is_ascii(data, len))
        *charset = is_utf8(data, len) ? RUNNING_TEXT_UTF8 : RUNNING_TEXT_WINDOWS;
}

void running_text_add(struct running_text *text, enum running_text_charset charset, const char *data,
                      size_t len)
{
    if (charset == RUNNING_TEXT_WINDOWS)
        running_text_windows(text, data, len);
    else
        running_text_utf8(text, data, len);
}

void running_text_break(struct running_text *text)
{
    drop_incomplete(text);
    text->in_word = text->wants_space = false;
    text->wants_break = text->any;
}

void running_text_end(struct running_text *text)
{
    running_text_break(text);
    if (text->any)
        buffer_add_char(&text->out, '\n');
    text->wants_break = text->any = false;
}

size_t running_text_take(struct running_text *text, void *into, size_t len)
{
    const size_t left = text->out.len - text->taken, count = len < left ? len : left;

    if (count > 0)
        memcpy(into, text->out.data + text->taken, count);
    text->taken += count;
    if (text->taken == text->out.len) {
        buffer_reset(&text->out);
        text->taken = 0;
    }
    return count;
}
