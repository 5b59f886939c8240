/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_JSON_WRITE_H
#define KITH_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Writes JSON (RFC 8259) to a buffer, which may be emptied at any time: only whether the next value needs a
 * comma is kept here.  Whoever uses it opens and closes objects and arrays in the right order.
 *
 * A key of NULL is for elements of arrays and for the top-level value.  Keys are written as they are.
 */
struct json_write {
    struct buffer *to;
    bool comma; /* a value precedes the next one */
};

/* Begin and end an object ('{' and '}') or an array ('[' and ']'). */
void json_write_open(struct json_write *out, const char *key, char bracket);
void json_write_close(struct json_write *out, char bracket);
/* Ends a line of JSON Lines: the next value is a top-level one again. */
void json_write_line(struct json_write *out);

/* Write a value.  A text is a string of kith's own; bytes are anything, as escape_json writes them. */
void json_write_text(struct json_write *out, const char *key, const char *text);
void json_write_bytes(struct json_write *out, const char *key, const void *data, size_t len);
void json_write_number(struct json_write *out, const char *key, uint64_t number);
void json_write_bool(struct json_write *out, const char *key, bool value);
/* A number, which must be finite, with this many decimals. */
void json_write_real(struct json_write *out, const char *key, int decimals, double number);
/* A string of lower-case hexadecimal digits. */
void json_write_hex(struct json_write *out, const char *key, const void *data, size_t len);
/* A value that the caller has formatted as JSON. */
void json_write_raw(struct json_write *out, const char *key, const char *value);
/* A string that was assembled in a buffer, which is emptied; its failure is inherited. */
void json_write_made(struct json_write *out, const char *key, struct buffer *text);

/*
 * Writes a foreign name of any bytes so that they can be recovered: its escaped text and, only if that
 * differs from the bytes, a member whose key is the same with "_hex" at its end.
 */
void json_write_name(struct json_write *out, const char *key, const char *name, size_t len);

#endif
