/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BYTES_H
#define KITH_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Loads an unaligned little-endian 64-bit number. */
static inline uint64_t bytes_load64(const uint8_t *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
    return le64toh(x);
}

/* Loads an unaligned little-endian 32-bit number. */
static inline uint32_t bytes_load32(const uint8_t *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
    return le32toh(x);
}

/* Loads a little-endian number of 0 to 8 bytes. */
static inline uint64_t bytes_load_le(const uint8_t *p, int bytes)
{
    uint64_t x = 0;

    while (bytes-- > 0)
        x = x << 8 | p[bytes];
    return x;
}

/* Sets the top bit of each zero byte; bytes above a zero byte may be marked wrongly. */
static inline uint64_t bytes_zero(uint64_t x)
{
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* Finds the first occurrence of either character in [p, stop), or returns stop; eight bytes at a time. */
static inline const char *bytes_find_either(const char *p, const char *stop, char one, char other)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);

    for (; stop - p >= 8; p += 8) {
        const uint64_t x = bytes_load64((const uint8_t *)p);

        if (bytes_zero(x ^ ones * (unsigned char)one) | bytes_zero(x ^ ones * (unsigned char)other))
            break;
    }
    while (p < stop && *p != one && *p != other)
        p++;
    return p;
}

#endif
