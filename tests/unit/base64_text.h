/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_BASE64_TEXT_H
#define KITH_TEST_BASE64_TEXT_H

#include "base/buffer.h"

/* Shared by the tests of what decodes Base64: encodes bit by bit.  `newline` is written after every `line`
 * characters, 0 for never, and after the last ones. */
static inline void base64_text_add(struct buffer *out, const uint8_t *bytes, size_t len, size_t line,
                                   const char *newline)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;

    for (size_t bit = 0; bit < 8 * len || count % 4; bit += 6) {
        unsigned value = 0;

        for (size_t i = bit; i < bit + 6; i++)
            value = value << 1 | (i < 8 * len ? bytes[i / 8] >> (7 - i % 8) & 1u : 0);
        buffer_add_char(out, bit < 8 * len ? alphabet[value] : '=');
        count++;
        if (line && count % line == 0)
            buffer_add_text(out, newline);
    }
    if (line && count % line)
        buffer_add_text(out, newline);
}

#endif
