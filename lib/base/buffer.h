/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BUFFER_H
#define KITH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A growing byte buffer.  Appending never returns an error: if memory runs out, the buffer keeps what it
 * has, sets `failed` and ignores later appends, so one check at the end is enough.  Only buffer_release
 * clears the flag; a reset between the failure and the check cannot hide missing data.  A zeroed struct is an
 * empty buffer.
 */
struct buffer {
    char *data; /* not NUL-terminated; NULL until the first append */
    size_t len;
    size_t room;
    bool failed;
};

/* Append bytes, a string without its NUL, a character, a number in decimal, a number as printf's "%.*f" has
 * it, or formatted text. */
void buffer_add(struct buffer *buffer, const void *data, size_t len);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char c);
void buffer_add_number(struct buffer *buffer, uint64_t number);
void buffer_add_fixed(struct buffer *buffer, double number, int decimals);
void buffer_printf(struct buffer *buffer, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends len uninitialised bytes and returns a pointer to them; NULL if memory runs out. */
char *buffer_extend(struct buffer *buffer, size_t len);

/* Sets `failed` if `from` has failed: text made from incomplete text is incomplete. */
void buffer_inherit(struct buffer *buffer, const struct buffer *from);

/* Empties the buffer but keeps its memory and its `failed` flag. */
void buffer_reset(struct buffer *buffer);
void buffer_release(struct buffer *buffer);

#endif
