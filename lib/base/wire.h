/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WIRE_H
#define KITH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Serialisation of numbers and bytes for messages between processes of one machine: 8 bytes per number;
 * byte strings preceded by their length.  The reader trusts nothing: a truncated or overlong item marks it
 * broken, and from then on everything reads as 0 or empty.
 */
void wire_put(struct buffer *out, uint64_t number);
void wire_put_numbers(struct buffer *out, const uint64_t *numbers, size_t count);
void wire_put_bytes(struct buffer *out, const void *data, size_t len);

struct wire {
    const char *data;
    size_t len; /* bytes left */
    bool broken;
};

/* Whether anything is left to read; the next number. */
bool wire_more(const struct wire *wire);
uint64_t wire_get(struct wire *wire);
/* Reads `count` numbers at once; all are 0 if the message is too short. */
void wire_get_numbers(struct wire *wire, uint64_t *numbers, size_t count);
/* The next byte string; it points into the message. */
const char *wire_get_bytes(struct wire *wire, size_t *len);
/* Reads a count of items of at least `bytes_each` bytes; broken if the message cannot hold that many. */
size_t wire_get_count(struct wire *wire, size_t bytes_each);

#endif
