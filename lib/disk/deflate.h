/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DEFLATE_H
#define KITH_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* What containers of images need of zlib. */

/* Adler-32 (RFC 1950) of all of it. */
uint32_t deflate_checksum(const void *data, size_t len);
/* CRC-32 (IEEE 802.3). */
uint32_t deflate_crc(const void *data, size_t len);
/* The most that so many bytes take as a zlib stream. */
size_t deflate_bound(size_t len);

struct deflate;

enum deflate_form {
    DEFLATE_ZLIB, /* RFC 1950 */
    DEFLATE_BARE, /* RFC 1951 */
};

/* NULL without memory; nothing is allocated afterwards. */
struct deflate *deflate_new(enum deflate_form form);
void deflate_free(struct deflate *deflate);
/* Unpacks a stream, which may be followed by other bytes; the length, or -1 if it is damaged or longer
 * than room. */
long deflate_unpack(struct deflate *deflate, const void *packed, size_t packed_len, void *into, size_t room);

#endif
