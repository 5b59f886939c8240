/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WIRE_H
#define KITH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Numbers and bytes as messages between processes of one machine: 8 bytes a number; bytes with their count
 * before them. The reader trusts nothing: what is cut or too long makes it broken, and then everything reads
 * as 0 or empty.
 */
void wire_put(struct buffer *out, uint64_t number);
void wire_put_bytes(struct buffer *out, const void *data, size_t len);

struct wire {
    const char *data;
    size_t len; /* what is left */
    bool broken;
};

/* Whether anything is left that can be read; the next number. */
bool wire_more(const struct wire *wire);
uint64_t wire_get(struct wire *wire);
/* That many at once; all are 0 if they are not there. */
void wire_get_numbers(struct wire *wire, uint64_t *numbers, size_t count);
/* The bytes lie in the message. */
const char *wire_get_bytes(struct wire *wire, size_t *len);
/* A count of things that take at least so many bytes each, so it cannot be more than the message holds. */
size_t wire_get_count(struct wire *wire, size_t bytes_each);

#endif
