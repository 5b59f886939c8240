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

#endif
