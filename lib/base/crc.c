/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crc.h"

#include "base/bytes.h"
#include "base/cpu.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* reflected */

/*
 * Tables for slicing: row r holds the contribution of a byte that is followed by r others, the XOR of the
 * contributions of its bits.
 */
#define STEP(crc) ((crc) >> 1 ^ ((crc)&1 ? POLYNOMIAL : 0))
#define ROW(r, before)                                                                                       \
    BIT7_##r = STEP(before), BIT6_##r = STEP(BIT7_##r), BIT5_##r = STEP(BIT6_##r),                           \
    BIT4_##r = STEP(BIT5_##r), BIT3_##r = STEP(BIT4_##r), BIT2_##r = STEP(BIT3_##r),                         \
    BIT1_##r = STEP(BIT2_##r), BIT0_##r = STEP(BIT1_##r)

enum {
    ROW(0, 1u),
    ROW(1, BIT0_0),
    ROW(2, BIT0_1),
    ROW(3, BIT0_2),
    ROW(4, BIT0_3),
    ROW(5, BIT0_4),
    ROW(6, BIT0_5),
    ROW(7, BIT0_6),
};

#define PART(r, x, bit) ((x) >> (bit)&1 ? (uint32_t)BIT##bit##_##r : 0)
#define BYTE(r, x)                                                                                           \
    PART(r, x, 0) ^ PART(r, x, 1) ^ PART(r, x, 2) ^ PART(r, x, 3) ^ PART(r, x, 4) ^ PART(r, x, 5) ^          \
        PART(r, x, 6) ^ PART(r, x, 7)
#define BYTES4(r, x)  BYTE(r, x), BYTE(r, (x) + 1), BYTE(r, (x) + 2), BYTE(r, (x) + 3)
#define BYTES16(r, x) BYTES4(r, x), BYTES4(r, (x) + 4), BYTES4(r, (x) + 8), BYTES4(r, (x) + 12)
#define BYTES64(r, x) BYTES16(r, x), BYTES16(r, (x) + 16), BYTES16(r, (x) + 32), BYTES16(r, (x) + 48)
#define BYTES256(r)                                                                                          \
    {                                                                                                        \
        BYTES64(r, 0), BYTES64(r, 64), BYTES64(r, 128), BYTES64(r, 192)                                      \
    }

static const uint32_t table[8][256] = {BYTES256(0), BYTES256(1), BYTES256(2), BYTES256(3),
                                       BYTES256(4), BYTES256(5), BYTES256(6), BYTES256(7)};

static uint32_t update_scalar(uint32_t crc, const uint8_t *p, size_t len)
{
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t x = bytes_load64(p) ^ crc;

        crc = 0;
        for (unsigned i = 0; i < 8; i++)
            crc ^= table[7 - i][x >> (8 * i) & 0xff];
    }
    for (; len > 0; len--)
        crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
    return crc;
}

#if defined(__x86_64__)

static __attribute__((target("sse4.2"))) uint32_t update_sse42(uint32_t crc, const uint8_t *p, size_t len)
{
    uint64_t wide = crc;

    for (; len >= 8; len -= 8, p += 8)
        wide = _mm_crc32_u64(wide, bytes_load64(p));
    crc = (uint32_t)wide;
    for (; len > 0; len--)
        crc = _mm_crc32_u8(crc, *p++);
    return crc;
}

#endif

uint32_t crc_update(uint32_t crc, const void *data, size_t len)
{
#if defined(__x86_64__)
    if (cpu_level() >= CPU_AVX2) /* AVX2 implies SSE 4.2 */
        return ~update_sse42(~crc, data, len);
#endif
    return ~update_scalar(~crc, data, len);
}
