/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BITS_H
#define KITH_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Numbers in as few bits as they need, the lowest bit first.
 *
 * A Rice code of parameter k is made of number >> k ones, a zero, and the k lower bits; with k near the
 * logarithm of the mean it takes about 1.5 bits more than that.  A quotient of BITS_ESCAPE or more is written
 * as that many ones and 64 plain bits, so no number takes more than BITS_LONGEST.
 */
enum { BITS_ESCAPE = 24, BITS_LONGEST = BITS_ESCAPE + 64 };

struct bits_writer {
    uint8_t *out;
    size_t room; /* bytes */
    size_t len;  /* bits written */
    bool full;   /* something did not fit; it was left out, and so is all that comes later */
};

void bits_put(struct bits_writer *writer, uint64_t number, unsigned width);  /* width: 0..64 */
void bits_put_rice(struct bits_writer *writer, uint64_t number, unsigned k); /* k: 0..63 */
/* The bits that the code of a number takes. */
unsigned bits_rice_len(uint64_t number, unsigned k);
/* The k that suits numbers with this sum. */
unsigned bits_rice_k(uint64_t sum, uint64_t count);
/* How many bits the number needs; 0 for 0. */
unsigned bits_width(uint64_t number);

struct bits_reader {
    const uint8_t *data;
    size_t len;  /* bits */
    size_t at;   /* bits read */
    bool broken; /* read beyond the end, or what no writer writes: everything is 0 from there on */
};

/* Near the end of the data, and what is broken; for the two below. */
uint64_t bits_get_last(struct bits_reader *reader, unsigned width);
uint64_t bits_get_rice_last(struct bits_reader *reader, unsigned k);

/* Most numbers lie in the 57 bits from their byte on, with a whole word left to read.  These two are here to
 * be inlined: a record has ten thousand of them. */
enum { BITS_AHEAD = 57 };

static inline bool bits_has_word(const struct bits_reader *reader)
{
    return !reader->broken && reader->at < reader->len && reader->len - reader->at >= 64;
}

static inline uint64_t bits_ahead(const struct bits_reader *reader)
{
    return bytes_load64(reader->data + reader->at / 8) >> reader->at % 8;
}

static inline uint64_t bits_get(struct bits_reader *reader, unsigned width)
{
    uint64_t ahead;

    if (width > BITS_AHEAD || !bits_has_word(reader))
        return bits_get_last(reader, width);
    ahead = bits_ahead(reader);
    reader->at += width;
    return ahead & (((uint64_t)1 << width) - 1);
}

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
