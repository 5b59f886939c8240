/* SPDX-License-Identifier: Apache-2.0 */
#include "container/charset.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum { REPLACEMENT = 0xfffd, BYTE_ORDER_MARK = 0xfeff };

static const struct {
    const char *name;
    enum charset_kind kind;
} names[] = {
    {"iso-8859-1", CHARSET_WINDOWS_1252},
    {"iso_8859-1", CHARSET_WINDOWS_1252},
    {"latin1", CHARSET_WINDOWS_1252},
    {"windows-1252", CHARSET_WINDOWS_1252},
    {"cp1252", CHARSET_WINDOWS_1252},
    {"iso-8859-15", CHARSET_LATIN_9},
    {"iso_8859-15", CHARSET_LATIN_9},
    {"latin-9", CHARSET_LATIN_9},
    {"utf-16", CHARSET_UTF16},
    {"utf-16be", CHARSET_UTF16_BE},
    {"utf-16le", CHARSET_UTF16_LE},
};

/* 0x80 to 0x9f of Windows-1252; 0: not assigned. */
static const uint16_t windows[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                     0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

enum charset_kind charset_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == len && strncasecmp(names[i].name, name, len) == 0)
            return names[i].kind;
    return CHARSET_RAW;
}

uint32_t charset_windows(uint8_t byte)
{
    return byte >= 0x80 && byte < 0xa0 ? windows[byte - 0x80] : byte;
}

/* ISO 8859-15 is ISO 8859-1 but for eight characters. */
static uint32_t latin_9(uint8_t byte)
{
    switch (byte) {
    case 0xa4:
        return 0x20ac;
    case 0xa6:
        return 0x160;
    case 0xa8:
        return 0x161;
    case 0xb4:
        return 0x17d;
    case 0xb8:
        return 0x17e;
    case 0xbc:
        return 0x152;
    case 0xbd:
        return 0x153;
    case 0xbe:
        return 0x178;
    default:
        return byte;
    }
}

static void write_char(struct buffer *out, uint32_t c)
{
    char utf8[4];

    buffer_add(out, utf8, (size_t)(utf8_put(utf8, c) - utf8));
}

static void add_bytes(struct charset *charset, struct buffer *out, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint32_t c = charset->kind == CHARSET_LATIN_9 ? latin_9(data[i]) : charset_windows(data[i]);

        charset->has_changed |= data[i] >= 0x80;
        write_char(out, c || !data[i] ? c : REPLACEMENT);
    }
}

/* Without its second half, the first half of a pair is no character. */
static void drop_high(struct charset *charset, struct buffer *out)
{
    if (charset->high)
        write_char(out, REPLACEMENT);
    charset->high = 0;
}

static void add_unit(struct charset *charset, struct buffer *out, uint32_t unit)
{
    const bool is_first = !charset->has_begun;

    charset->has_begun = true;
    if (is_first && unit == BYTE_ORDER_MARK)
        return;
    if (unit >= 0xdc00 && unit < 0xe000 && charset->high) {
        write_char(out, 0x10000 + ((charset->high - 0xd800u) << 10) + (unit - 0xdc00));
        charset->high = 0;
        return;
    }
    drop_high(charset, out);
    if (unit >= 0xd800 && unit < 0xdc00)
        charset->high = (uint16_t)unit;
    else
        write_char(out, unit >= 0xdc00 && unit < 0xe000 ? REPLACEMENT : unit);
}

static void add_units(struct charset *charset, struct buffer *out, const uint8_t *data, size_t len)
{
    charset->has_changed |= len > 0;
    for (size_t i = 0; i < len; i++) {
        charset->has_half = !charset->has_half;
        if (charset->has_half) {
            charset->half = data[i];
            continue;
        }
        if (charset->kind == CHARSET_UTF16)
            charset->kind = charset->half == 0xff && data[i] == 0xfe ? CHARSET_UTF16_LE : CHARSET_UTF16_BE;
        add_unit(charset, out,
                 charset->kind == CHARSET_UTF16_LE ? (uint32_t)data[i] << 8 | charset->half
                                                   : (uint32_t)charset->half << 8 | data[i]);
    }
}

void charset_add(struct charset *charset, struct buffer *out, const uint8_t *data, size_t len)
{
    if (charset->kind >= CHARSET_UTF16)
        add_units(charset, out, data, len);
    else if (charset->kind == CHARSET_RAW)
        buffer_add(out, data, len);
    else
        add_bytes(charset, out, data, len);
}

void charset_end(struct charset *charset, struct buffer *out)
{
    drop_high(charset, out);
    if (charset->has_half)
        write_char(out, REPLACEMENT);
    charset->has_half = false;
}
