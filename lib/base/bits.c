/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"

#include <string.h>

static uint64_t lowest(uint64_t number, unsigned width)
{
    return width < 64 ? number & ((1ULL << width) - 1) : number;
}

unsigned bits_width(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* ---- writing ---- */

static void store64(uint8_t *p, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    memcpy(p, &x, sizeof x);
}

/* A number spans at most nine bytes; bits already written to the first are kept, those after it are zeroed.
 */
void bits_put(struct bits_writer *writer, uint64_t number, unsigned width)
{
    const size_t byte = writer->len / 8, end = writer->len + width;
    const unsigned shift = writer->len % 8;
    uint64_t first;
    uint8_t *p;

    if (writer->full || width == 0)
        return;
    if (end > writer->room * 8) {
        writer->full = true;
        return;
    }
    p = writer->out + byte;
    number = lowest(number, width);
    first = number << shift | (shift ? lowest(*p, shift) : 0);
    if (writer->room - byte >= 8)
        store64(p, first);
    else
        for (size_t i = 0; i < (end + 7) / 8 - byte; i++)
            p[i] = (uint8_t)(first >> (8 * i));
    if (shift + width > 64)
        p[8] = (uint8_t)(number >> (64 - shift));
    writer->len = end;
}

unsigned bits_rice_len(uint64_t number, unsigned k)
{
    const uint64_t quotient = number >> k;

    return quotient < BITS_ESCAPE ? (unsigned)quotient + 1 + k : BITS_LONGEST;
}

void bits_put_rice(struct bits_writer *writer, uint64_t number, unsigned k)
{
    const unsigned len = bits_rice_len(number, k);
    const uint64_t quotient = number >> k;

    if (writer->full || len > writer->room * 8 - writer->len) {
        writer->full = true; /* never write half a code */
    } else if (quotient >= BITS_ESCAPE) {
        bits_put(writer, UINT64_MAX, BITS_ESCAPE);
        bits_put(writer, number, 64);
    } else if (len <= 64) {
        bits_put(writer, lowest(number, k) << (quotient + 1) | lowest(UINT64_MAX, (unsigned)quotient), len);
    } else {
        bits_put(writer, lowest(UINT64_MAX, (unsigned)quotient), (unsigned)quotient + 1);
        bits_put(writer, number, k);
    }
}

/*
 * The best k for geometrically distributed numbers (Kiely, "Selecting the Golomb parameter in Rice coding",
 * 2004) is the largest with 2^k <= 2 ln(golden ratio) / ln(1 + 1/mean); 1 / ln(1 + 1/mean) is close to
 * mean + 1/2.
 */
unsigned bits_rice_k(uint64_t sum, uint64_t count)
{
    unsigned __int128 best;

    if (count == 0)
        return 0;
    best = ((unsigned __int128)sum + count / 2) * 77 / ((unsigned __int128)count * 80);
    return best > 1 ? bits_width(best > UINT64_MAX ? UINT64_MAX : (uint64_t)best) - 1 : 0;
}

/* ---- reading ---- */

/* At least 57 bits from a bit offset; zeros past the end of the data. */
static uint64_t peek(const struct bits_reader *reader, size_t at)
{
    const size_t byte = at / 8, bytes = (reader->len + 7) / 8;

    if (bytes >= 8 && byte <= bytes - 8)
        return bytes_load64(reader->data + byte) >> (at % 8);
    return byte < bytes ? bytes_load_le(reader->data + byte, (int)(bytes - byte)) >> (at % 8) : 0;
}

static uint64_t break_off(struct bits_reader *reader)
{
    reader->broken = true;
    reader->at = reader->len;
    return 0;
}

uint64_t bits_get_last(struct bits_reader *reader, unsigned width)
{
    const size_t at = reader->at;
    const unsigned shift = at % 8;
    uint64_t number;

    if (width > reader->len - at || reader->broken)
        return break_off(reader);
    number = peek(reader, at);
    if (shift + width > 64)
        number |= (uint64_t)reader->data[at / 8 + 8] << (64 - shift);
    reader->at = at + width;
    return lowest(number, width);
}

uint64_t bits_get_rice_last(struct bits_reader *reader, unsigned k)
{
    const uint64_t ahead = peek(reader, reader->at);
    const unsigned quotient = ~ahead ? (unsigned)__builtin_ctzll(~ahead) : 64;
    uint64_t number;

    if (quotient >= BITS_ESCAPE) {
        bits_get_last(reader, BITS_ESCAPE);
        number = bits_get_last(reader, 64);
        return number >> k >= BITS_ESCAPE ? number : break_off(reader);
    }
    bits_get_last(reader, quotient + 1);
    number = bits_get_last(reader, k);
    if ((uint64_t)quotient << k >> k != quotient)
        return break_off(reader);
    return reader->broken ? 0 : (uint64_t)quotient << k | number;
}
