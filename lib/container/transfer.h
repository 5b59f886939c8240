/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TRANSFER_H
#define KITH_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Decodes bytes that were made fit for mail (RFC 2045, POSIX uuencode).
 *
 * As mail programs do, and so that each of them yields the same bytes: in Base64, what is not of its alphabet
 * is passed over, and everything after the padding; in quoted-printable, a "=" that begins nothing stands for
 * itself, and white space at the end of a line is kept; in uuencoded text, everything before "begin" and
 * after "end" is left out.
 */
enum transfer_kind {
    TRANSFER_IDENTITY,
    TRANSFER_BASE64,
    TRANSFER_QUOTED,
    TRANSFER_UU,
};

enum { TRANSFER_UU_LINE = 128 }; /* the longest line: a count, and 63 bytes as 84 characters */

/* A zeroed struct with its kind is ready. */
struct transfer {
    enum transfer_kind kind;
    unsigned count; /* pending characters */
    unsigned pads;  /* Base64: "=" after them */
    uint32_t bits;  /* Base64: their values */
    bool is_over;
    bool is_begun;                  /* uuencoded: after "begin" */
    uint8_t line[TRANSFER_UU_LINE]; /* the pending ones; longer lines are cut */
};

/* The kind by the name that mail gives it; identity for unknown names. */
enum transfer_kind transfer_find(const char *name, size_t len);

/* Appends what the bytes decode to; they may be divided anywhere. */
void transfer_add(struct transfer *transfer, struct buffer *out, const uint8_t *data, size_t len);
/* Appends what is left at the end of the input. */
void transfer_end(struct transfer *transfer, struct buffer *out);

/* One more than the value of each character of Base64; 0: it is none. */
extern const uint8_t transfer_base64_values[256];

#endif
