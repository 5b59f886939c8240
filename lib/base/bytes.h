/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BYTES_H
#define KITH_BYTES_H

#include <stdint.h>
#include <string.h>

/* Eight bytes as a little-endian number, at any address, on any machine. */
static inline uint64_t bytes_load64(const uint8_t *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Four bytes. */
static inline uint32_t bytes_load32(const uint8_t *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap32(x);
#endif
    return x;
}

/* As many bytes, at most eight. */
static inline uint64_t bytes_load_le(const uint8_t *p, int bytes)
{
    uint64_t x = 0;

    while (bytes-- > 0)
        x = x << 8 | p[bytes];
    return x;
}

#endif
