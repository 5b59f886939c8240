/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UTF8_H
#define KITH_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Writes a character of up to 21 bits in one to four bytes, be it half of one; returns where they end. */
static inline char *utf8_put(char *to, uint32_t c)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = len; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 63));
    to[0] = (char)(lead[len] | c);
    return to + len;
}

/* Writes little-endian UTF-16 as UTF-8, at most three bytes for each unit, half of a pair included; returns the
 * length. */
static inline size_t utf8_of_utf16(char *to, const uint8_t *utf16, size_t units)
{
    char *at = to;

    for (size_t i = 0; i < units; i++) {
        uint32_t c = utf16[2 * i] | (uint32_t)utf16[2 * i + 1] << 8;
        const uint32_t low = i + 1 < units ? utf16[2 * i + 2] | (uint32_t)utf16[2 * i + 3] << 8 : 0;

        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i++;
        }
        at = utf8_put(at, c);
    }
    return (size_t)(at - to);
}

#endif
