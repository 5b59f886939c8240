/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DEFLATE_H
#define KITH_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* The parts of zlib that image containers and documents need. */

/* Adler-32 (RFC 1950). */
uint32_t deflate_checksum(const void *data, size_t len);
/* Continues a CRC-32 (IEEE 802.3) over len more bytes; start with 0. */
uint32_t deflate_crc(uint32_t crc, const void *data, size_t len);
/* Returns the maximum size of len bytes as a zlib stream. */
size_t deflate_bound(size_t len);

struct deflate;

enum deflate_form {
    DEFLATE_ZLIB, /* RFC 1950 */
    DEFLATE_BARE, /* RFC 1951 */
};

/* NULL if out of memory.  deflate_unpack allocates nothing. */
struct deflate *deflate_new(enum deflate_form form);
void deflate_free(struct deflate *deflate);
/* Decompresses a stream, which may be followed by other bytes.  Returns the decompressed length, or -1 if the
 * stream is damaged or the data is longer than room. */
long deflate_unpack(struct deflate *deflate, const void *packed, size_t packed_len, void *into, size_t room);

/*
 * Decompression piece by piece: begin, then step until it returns 0 or -1. A step moves packed and into
 * forward by what it has read and written, and packed_len and room accordingly; it does as much as they
 * allow. Returns 1 if there may be more, 0 at the end of the stream, -1 if it is damaged; what was written by
 * then is valid.
 */
struct deflate_step {
    const uint8_t *packed;
    size_t packed_len;
    uint8_t *into;
    size_t room;
};
int deflate_begin(struct deflate *deflate);
int deflate_step(struct deflate *deflate, struct deflate_step *step);

/* The version of zlib that is in use: "1.2.13". */
const char *deflate_library(void);

#endif
