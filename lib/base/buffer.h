/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BUFFER_H
#define KITH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes that grow.  Adding cannot fail to the caller: when memory runs out the buffer stays as it is,
 * `failed` is set and later additions are ignored, so one check at the end is enough.  Only releasing it
 * clears the flag, so that no reset between a failure and the check can hide what is missing.  A buffer of
 * zeros is an empty one.
 */
struct buffer {
    char *data; /* not terminated; NULL while nothing was ever added */
    size_t len;
    size_t room;
    bool failed;
};

/* Append: bytes, a string without the zero behind it, a character, what printf would write. */
void buffer_add(struct buffer *buffer, const void *data, size_t len);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char c);
void buffer_printf(struct buffer *buffer, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Room for len more bytes at the end, which are added; NULL if there is no memory. */
char *buffer_extend(struct buffer *buffer, size_t len);

/* Something made from another buffer that failed is not complete either. */
void buffer_inherit(struct buffer *buffer, const struct buffer *from);

/* Empties it and keeps the memory, and `failed` as it is. */
void buffer_reset(struct buffer *buffer);
void buffer_release(struct buffer *buffer);

#endif
