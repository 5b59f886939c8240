/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BITS_H
#define KITH_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * A bit stream, least significant bit first, with Rice codes.
 *
 * A Rice code with parameter k is number >> k in unary (ones, then a zero), followed by the k low bits; with
 * k near log2 of the mean it costs about 1.5 bits more than that.  A quotient of BITS_ESCAPE or more is
 * written as BITS_ESCAPE ones and 64 plain bits, so no code is longer than BITS_LONGEST.
 */
enum { BITS_ESCAPE = 24, BITS_LONGEST = BITS_ESCAPE + 64 };

struct bits_writer {
    uint8_t *out;
    size_t room; /* bytes */
    size_t len;  /* bits written */
    bool full;   /* a number did not fit; it and everything after it was dropped */
};

void bits_put(struct bits_writer *writer, uint64_t number, unsigned width);  /* width: 0..64 */
void bits_put_rice(struct bits_writer *writer, uint64_t number, unsigned k); /* k: 0..63 */
/* The length of a number's Rice code in bits. */
unsigned bits_rice_len(uint64_t number, unsigned k);
/* The best k for `count` numbers with this sum. */
unsigned bits_rice_k(uint64_t sum, uint64_t count);
/* The number of significant bits; 0 for 0. */
unsigned bits_width(uint64_t number);

struct bits_reader {
    const uint8_t *data;
    size_t len;  /* bits */
    size_t at;   /* bits read */
    bool broken; /* read past the end, or a code no writer produces; all later reads return 0 */
};

/* Slow paths of bits_get and bits_get_rice: near the end of the data, and after an error. */
uint64_t bits_get_last(struct bits_reader *reader, unsigned width);
uint64_t bits_get_rice_last(struct bits_reader *reader, unsigned k);

/* A 64-bit load from a number's first byte yields at least 57 of its bits, enough for most numbers.  These
 * are in the header to be inlined: a record holds ten thousand numbers. */
enum { BITS_AHEAD = 57 };

/* Whether eight bytes are left to load, and no error has occurred. */
static inline bool bits_has_word(const struct bits_reader *reader)
{
    return !reader->broken && reader->at < reader->len && reader->len - reader->at >= 64;
}

/* The next bits, at least BITS_AHEAD of them; only if bits_has_word. */
static inline uint64_t bits_ahead(const struct bits_reader *reader)
{
    return bytes_load64(reader->data + reader->at / 8) >> reader->at % 8;
}

/* Reads a number of this many bits, lowest bit first. */
static inline uint64_t bits_get(struct bits_reader *reader, unsigned width)
{
    uint64_t ahead;

    if (width > BITS_AHEAD || !bits_has_word(reader))
        return bits_get_last(reader, width);
    ahead = bits_ahead(reader);
    reader->at += width;
    return ahead & (((uint64_t)1 << width) - 1);
}

/* Reads a number that bits_put_rice wrote with the same k. */
static inline uint64_t bits_get_rice(struct bits_reader *reader, unsigned k)
{
    uint64_t ahead;
    unsigned quotient;

    if (k >= BITS_AHEAD - BITS_ESCAPE || !bits_has_word(reader))
        return bits_get_rice_last(reader, k);
    ahead = bits_ahead(reader);
    quotient = (unsigned)__builtin_ctzll(~ahead | (uint64_t)1 << BITS_ESCAPE);
    if (quotient == BITS_ESCAPE)
        return bits_get_rice_last(reader, k);
    reader->at += quotient + 1 + k;
    return (uint64_t)quotient << k | (ahead >> quotient >> 1 & (((uint64_t)1 << k) - 1));
}

#endif
