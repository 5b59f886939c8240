/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UNPACK_H
#define KITH_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Decompression piece by piece, of a stream that may be cut off anywhere: what can be unpacked is. */

enum unpack_method {
    UNPACK_DEFLATE, /* RFC 1951 */
    UNPACK_DEFLATE64,
    UNPACK_LZMA,    /* with a header of 13 bytes, as in .lzma files */
    UNPACK_XZ,      /* one stream */
    UNPACK_ZSTD,    /* one frame */
};

struct unpack;

/* Begins a stream.  It may allocate `memory` bytes for its dictionary.  NULL on error. */
struct unpack *unpack_new(enum unpack_method method, uint64_t memory, struct error *err);
/* Begins another stream.  -1 on error. */
int unpack_restart(struct unpack *unpack, struct error *err);
void unpack_free(struct unpack *unpack);

/*
 * Moves packed and into forward by what it has read and written, and packed_len and room accordingly. Returns
 * 1 if there may be more, 0 at the end of the stream, -1 if it is damaged or needs too much memory; what was
 * written by then is valid.  packed may be NULL if packed_len is 0.
 */
struct unpack_step {
    const uint8_t *packed;
    size_t packed_len;
    uint8_t *into;
    size_t room;
};
int unpack_step(struct unpack *unpack, struct unpack_step *step, struct error *err);

/* Unpacks a whole stream in memory, which may be followed by other bytes.  Returns the number of bytes, or -1
 * if it is damaged, cut off, or longer than room. */
long unpack_block(enum unpack_method method, const void *packed, size_t packed_len, void *into, size_t room,
                  struct error *err);

#endif
