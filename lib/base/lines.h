/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LINES_H
#define KITH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

/*
 * Untrusted text, line by line, in constant memory.
 *
 * Bytes are passed through unchanged, NUL included; only UTF-16 (by its byte order mark, or recognisably so)
 * is converted to UTF-8, an unpaired surrogate becoming three bytes.  A byte order mark is dropped.  Lines
 * end with LF or CR LF, or with CR if there is no LF at the beginning of the text.
 */
struct lines;

enum {
    LINES_HEAD = 64 << 10,   /* bytes of the beginning available through lines_head */
    LINES_LONGEST = 1 << 20, /* default limit of a line, in bytes */
};

enum lines_result {
    LINES_END,
    LINES_LINE,
    LINES_LONG, /* the line exceeds the limit and was skipped */
    LINES_FAILED,
};

/* Opens a file, or standard input for "-"; folders are refused.  NULL on error. */
struct lines *lines_open(const char *path, struct error *err);
/* Reads from memory, which is borrowed until lines_close. */
struct lines *lines_open_memory(const void *data, size_t len, struct error *err);
void lines_close(struct lines *lines);

/* Before the first line: the beginning of the file, raw, and as text without a byte order mark. */
const uint8_t *lines_raw_head(const struct lines *lines, size_t *len);
const char *lines_head(const struct lines *lines, size_t *len);
/* Before the first line: treats the file as binary, without any conversion. */
void lines_binary(struct lines *lines);
void lines_limit(struct lines *lines, size_t longest);

/* The next line without its ending; valid until the next call. */
enum lines_result lines_next(struct lines *lines, const char **line, size_t *len, struct error *err);
/*
 * Pushes back the last `count` lines, given as text with their endings; with too_long, a skipped line follows
 * them.  They are neither read nor hashed again.  Lines pushed back earlier must have been consumed, unless
 * these are among them.
 */
int lines_return(struct lines *lines, const char *text, size_t len, uint64_t count, bool too_long,
                 struct error *err);
/* The ending of the last line; "" if the text ended without one. */
const char *lines_ending(const struct lines *lines);
/* The number of the last line, from 1. */
uint64_t lines_number(const struct lines *lines);

/* Returns at least one byte regardless of lines, which are not counted: 1, 0 at the end, -1 on error. */
int lines_bytes(struct lines *lines, const char **data, size_t *len, struct error *err);
/* Copies the next len bytes; *got is smaller only at the end. */
int lines_copy(struct lines *lines, void *out, size_t len, size_t *got, struct error *err);

/* The number of bytes read from the file, and its size (0 if unknown). */
uint64_t lines_position(const struct lines *lines);
uint64_t lines_size(const struct lines *lines);
bool lines_is_file(const struct lines *lines); /* a regular file, which can be read again */

/* The SHA-256 of the whole file; reads what is left of it. */
int lines_sha256(struct lines *lines, uint8_t out[DIGEST_SHA256_LEN], struct error *err);

#endif
