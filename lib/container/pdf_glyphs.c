/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "container/charset.h"
#include "container/pdf_glyphs_inner.h"

/* ISO 32000-1, annex D: 0x80 to 0xff; 0: not assigned. */
static const uint16_t standard[128] = {
    0,     0,     0,      0,      0,      0,      0,      0,      0,      0,      0,      0,      0,
    0,     0,     0,      0,      0,      0,      0,      0,      0,      0,      0,      0,      0,
    0,     0,     0,      0,      0,      0,      0,      0xa1,   0xa2,   0xa3,   0x2044, 0xa5,   0x192,
    0xa7,  0xa4,  0x27,   0x201c, 0xab,   0x2039, 0x203a, 0xfb01, 0xfb02, 0,      0x2013, 0x2020, 0x2021,
    0xb7,  0,     0xb6,   0x2022, 0x201a, 0x201e, 0x201d, 0xbb,   0x2026, 0x2030, 0,      0xbf,   0,
    0x60,  0xb4,  0x2c6,  0x2dc,  0xaf,   0x2d8,  0x2d9,  0xa8,   0,      0x2da,  0xb8,   0,      0x2dd,
    0x2db, 0x2c7, 0x2014, 0,      0,      0,      0,      0,      0,      0,      0,      0,      0,
    0,     0,     0,      0,      0,      0,      0xc6,   0,      0xaa,   0,      0,      0,      0,
    0x141, 0xd8,  0x152,  0xba,   0,      0,      0,      0,      0,      0xe6,   0,      0,      0,
    0x131, 0,     0,      0x142,  0xf8,   0x153,  0xdf,   0,      0,      0,      0};

static const uint16_t mac[128] = {
    0xc4,  0xc5,   0xc7,   0xc9,   0xd1,   0xd6,   0xdc,   0xe1,   0xe0,   0xe2,   0xe4, 0xe3,   0xe5,
    0xe7,  0xe9,   0xe8,   0xea,   0xeb,   0xed,   0xec,   0xee,   0xef,   0xf1,   0xf3, 0xf2,   0xf4,
    0xf6,  0xf5,   0xfa,   0xf9,   0xfb,   0xfc,   0x2020, 0xb0,   0xa2,   0xa3,   0xa7, 0x2022, 0xb6,
    0xdf,  0xae,   0xa9,   0x2122, 0xb4,   0xa8,   0x2260, 0xc6,   0xd8,   0x221e, 0xb1, 0x2264, 0x2265,
    0xa5,  0xb5,   0x2202, 0x2211, 0x220f, 0x3c0,  0x222b, 0xaa,   0xba,   0x3a9,  0xe6, 0xf8,   0xbf,
    0xa1,  0xac,   0x221a, 0x192,  0x2248, 0x2206, 0xab,   0xbb,   0x2026, 0xa0,   0xc0, 0xc3,   0xd5,
    0x152, 0x153,  0x2013, 0x2014, 0x201c, 0x201d, 0x2018, 0x2019, 0xf7,   0x25ca, 0xff, 0x178,  0x2044,
    0xa4,  0x2039, 0x203a, 0xfb01, 0xfb02, 0x2021, 0xb7,   0x201a, 0x201e, 0x2030, 0xc2, 0xca,   0xc1,
    0xcb,  0xc8,   0xcd,   0xce,   0xcf,   0xcc,   0xd3,   0xd4,   0,      0xd2,   0xda, 0xdb,   0xd9,
    0x131, 0x2c6,  0x2dc,  0xaf,   0x2d8,  0x2d9,  0x2da,  0xb8,   0x2dd,  0x2db,  0x2c7};

uint32_t pdf_glyphs_code(enum pdf_glyphs_encoding encoding, uint8_t code)
{
    if (code < ' ' || code == 0x7f || encoding == PDF_GLYPHS_NONE)
        return 0;
    if (encoding == PDF_GLYPHS_STANDARD && (code == '\'' || code == '`'))
        return code == '`' ? 0x2018 : 0x2019;
    if (code < 0x80)
        return code;
    if (encoding == PDF_GLYPHS_WINDOWS)
        return charset_windows(code);
    return encoding == PDF_GLYPHS_MAC ? mac[code - 0x80] : standard[code - 0x80];
}

/* Digits in upper-case hexadecimal; 0 if there are others. */
static uint32_t read_hex(const char *digits, size_t len)
{
    uint32_t value = 0;

    for (size_t i = 0; i < len; i++) {
        const char c = digits[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'F'))
            return 0;
        value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'A' + 10);
    }
    return value;
}

/* A part of a name: "f", "uni00660069", "u1F600". */
static size_t add_part(const char *name, size_t len, uint32_t into[PDF_GLYPHS_MOST], size_t count)
{
    uint32_t character = pdf_glyphs_name(name, len);

    if (len >= 7 && len % 4 == 3 && memcmp(name, "uni", 3) == 0) {
        for (size_t i = 3; i < len && count < PDF_GLYPHS_MOST; i += 4)
            if ((character = read_hex(name + i, 4)))
                into[count++] = character;
        return count;
    }
    if (!character && len >= 5 && len <= 7 && *name == 'u')
        character = read_hex(name + 1, len - 1);
    if (character && count < PDF_GLYPHS_MOST)
        into[count++] = character;
    return count;
}

size_t pdf_glyphs_named(const char *name, size_t len, uint32_t into[PDF_GLYPHS_MOST])
{
    const char *suffix = len > 0 ? memchr(name + 1, '.', len - 1) : NULL;
    const char *const end = suffix ? suffix : name + len;
    size_t count = 0;

    while (name < end) {
        const char *part = memchr(name, '_', (size_t)(end - name));

        part = part ? part : end;
        count = add_part(name, (size_t)(part - name), into, count);
        name = part < end ? part + 1 : end;
    }
    return count;
}
