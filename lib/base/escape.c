/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include <stdint.h>
#include <string.h>

/* The value of a lower-case hexadecimal digit, or -1. */
static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Invisible characters, those that change the direction or appearance of others, and two that XML forbids. */
static bool is_invisible(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x7f, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
        {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
        {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
        {0xfffe, 0xffff}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return c < 0x20;
}

/* Decodes the UTF-8 character at p into *c and returns its length; 0 if it is invalid (RFC 3629: shortest
 * form, no surrogates). */
static size_t utf8_char(const uint8_t *p, size_t len, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t want = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

    *c = p[0];
    if (want == 1)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4 || want > len)
        return 0;
    *c = p[0] & (0x7fu >> want);
    for (size_t i = 1; i < want; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (p[i] & 0x3f);
    }
    return *c < least[want] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff) ? 0 : want;
}

/* The length of the character at p if it needs no escaping, else 0. */
static size_t plain_bytes(const uint8_t *p, size_t len)
{
    uint32_t c;
    size_t bytes = utf8_char(p, len, &c);

    return bytes && !is_invisible(c) ? bytes : 0;
}

/* The length of the run of printable ASCII without backslash at p: nearly all of most names. */
static size_t usual_bytes(const uint8_t *p, size_t len)
{
    size_t i = 0;

    while (i < len && p[i] >= ' ' && p[i] < 0x7f && p[i] != '\\')
        i++;
    return i;
}

static void add_byte(struct buffer *out, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";

    buffer_add_char(out, 'x');
    buffer_add_char(out, digits[byte >> 4]);
    buffer_add_char(out, digits[byte & 15]);
}

static void add_escaped(struct buffer *out, const uint8_t *p, size_t len, const char *backslash)
{
    for (size_t i = 0, plain; i < len; i += plain ? plain : 1) {
        plain = usual_bytes(p + i, len - i);
        if (plain == 0)
            plain = plain_bytes(p + i, len - i);
        if (plain && p[i] != '\\') {
            buffer_add(out, p + i, plain);
            continue;
        }
        buffer_add_text(out, backslash);
        if (plain)
            buffer_add_text(out, backslash);
        else
            add_byte(out, p[i]);
    }
}

void escape_text(struct buffer *out, const void *data, size_t len)
{
    add_escaped(out, data, len, "\\");
}

bool escape_needed(const void *data, size_t len)
{
    const uint8_t *p = data;

    for (size_t i = usual_bytes(p, len), plain; i < len;
         i += plain + usual_bytes(p + i + plain, len - i - plain)) {
        plain = plain_bytes(p + i, len - i);
        if (!plain || p[i] == '\\')
            return true;
    }
    return false;
}

/* Decodes a run of \xHH, at most one character's worth; returns the number of bytes. */
static size_t hex_bytes(const char *text, size_t len, uint8_t bytes[4])
{
    size_t count = 0;

    for (; count < 4 && len >= 4 && text[0] == '\\' && text[1] == 'x'; text += 4, len -= 4) {
        const int high = hex_value(text[2]), low = hex_value(text[3]);

        if (high < 0 || low < 0)
            break;
        bytes[count++] = (uint8_t)(high << 4 | low);
    }
    return count;
}

bool escape_undo(struct buffer *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t plain = plain_bytes((const uint8_t *)text + i, len - i);
        uint8_t bytes[4];

        if (!plain)
            return false;
        if (text[i] != '\\') {
            buffer_add(out, text + i, plain);
            i += plain;
        } else if (len - i >= 2 && text[i + 1] == '\\') {
            buffer_add_char(out, '\\');
            i += 2;
        } else {
            size_t count = hex_bytes(text + i, len - i, bytes);

            if (!count || plain_bytes(bytes, count)) /* escape_text never escapes what needs no escaping */
                return false;
            buffer_add(out, bytes, 1);
            i += 4;
        }
    }
    return true;
}

void escape_xml(struct buffer *out, const void *data, size_t len)
{
    struct buffer text = {0};

    escape_text(&text, data, len);
    for (size_t i = 0; i < text.len; i++)
        switch (text.data[i]) {
        case '&':
            buffer_add_text(out, "&amp;");
            break;
        case '<':
            buffer_add_text(out, "&lt;");
            break;
        case '>':
            buffer_add_text(out, "&gt;");
            break;
        case '"':
            buffer_add_text(out, "&quot;");
            break;
        case '\'':
            buffer_add_text(out, "&#39;");
            break;
        default:
            buffer_add_char(out, text.data[i]);
        }
    buffer_inherit(out, &text);
    buffer_release(&text);
}

/* The number of bytes at p that must not reach a terminal: a character, or a stray byte; else 0. */
static size_t unsafe_bytes(const uint8_t *p, size_t len)
{
    uint32_t c;
    const size_t bytes = utf8_char(p, len, &c);

    if (bytes)
        return is_invisible(c) ? bytes : 0;
    return *p < 0xa0; /* terminals show a stray lead byte as a replacement character */
}

bool escape_unsafe(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint32_t c;

    for (size_t i = 0, bytes; i < len; i += bytes ? bytes : 1) {
        if (unsafe_bytes(p + i, len - i))
            return true;
        bytes = utf8_char(p + i, len - i, &c);
    }
    return false;
}

static void add_unsafe(struct buffer *out, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        buffer_add_char(out, '\\');
        add_byte(out, p[i]);
    }
}

/* Copies the character or stray byte at p; returns its length. */
static size_t add_safe(struct buffer *out, const uint8_t *p, size_t len)
{
    uint32_t c;
    size_t bytes = utf8_char(p, len, &c);

    bytes = bytes ? bytes : 1;
    buffer_add(out, p, bytes);
    return bytes;
}

void escape_marked(struct buffer *out, const void *data, size_t len, bool exact)
{
    static const char bytes[] = "\\\n\r", letters[] = "\\nr";
    const uint8_t *p = data;

    for (size_t i = 0, unsafe; i < len;) {
        const char *named = p[i] ? strchr(bytes, p[i]) : NULL;

        if (named) {
            buffer_add_char(out, '\\');
            buffer_add_char(out, letters[named - bytes]);
            i++;
        } else if (!exact && (unsafe = unsafe_bytes(p + i, len - i)) > 0) {
            add_unsafe(out, p + i, unsafe);
            i += unsafe;
        } else {
            i += add_safe(out, p + i, len - i);
        }
    }
}

static bool reads_as_escape(const uint8_t *p, size_t len)
{
    uint8_t bytes[4];

    return len >= 4 && hex_bytes((const char *)p, 4, bytes) > 0;
}

void escape_sparing(struct buffer *out, const void *data, size_t len)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < len;) {
        size_t unsafe = unsafe_bytes(p + i, len - i);

        if (reads_as_escape(p + i, len - i))
            unsafe = 1;
        if (unsafe)
            add_unsafe(out, p + i, unsafe);
        i += unsafe ? unsafe : add_safe(out, p + i, len - i);
    }
}

void escape_json(struct buffer *out, const void *data, size_t len)
{
    const uint8_t *p = data, *quote;

    buffer_add_char(out, '"');
    for (size_t end; len; p += end, len -= end) {
        quote = memchr(p, '"', len);
        end = quote ? (size_t)(quote - p) : len;
        add_escaped(out, p, end, "\\\\"); /* JSON doubles each backslash of the escape */
        if (quote) {
            buffer_add_text(out, "\\\"");
            end++;
        }
    }
    buffer_add_char(out, '"');
}

void escape_hex(struct buffer *out, const void *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = data;

    char *to = len && len <= SIZE_MAX / 2 ? buffer_extend(out, 2 * len) : NULL;

    for (size_t i = 0; to && i < len; i++) {
        *to++ = digits[p[i] >> 4];
        *to++ = digits[p[i] & 15];
    }
}
