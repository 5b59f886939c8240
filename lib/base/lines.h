/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LINES_H
#define KITH_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

/*
 * Text that somebody else wrote, line by line, in constant memory.
 *
 * Bytes are given as they are, NUL bytes too; only UTF-16 (with a byte order mark, or plainly so) becomes
 * UTF-8, where half a surrogate pair is kept as three bytes.  A byte order mark is left out.  A line ends
 * with LF or CR LF; or with CR if the text's beginning has no LF at all.
 */
struct lines;

enum {
    LINES_HEAD = 64 << 10,   /* as much of the beginning is there before anything is read */
    LINES_LONGEST = 1 << 20, /* of a line, unless lines_limit says otherwise */
};

enum lines_result {
    LINES_END,
    LINES_LINE,
    LINES_LONG, /* the line is longer than the limit and was passed over */
    LINES_FAILED,
};

/* path "-": standard input.  Not a folder.  NULL on error. */
struct lines *lines_open(const char *path, struct error *err);
/* The bytes are borrowed until it is closed. */
struct lines *lines_open_memory(const void *data, size_t len, struct error *err);
void lines_close(struct lines *lines);

/* Before anything is read: the beginning, as it is in the file and as text without a byte order mark. */
const uint8_t *lines_raw_head(const struct lines *lines, size_t *len);
const char *lines_head(const struct lines *lines, size_t *len);
/* Before anything is read: the file is no text, its bytes are given as they are. */
void lines_binary(struct lines *lines);
void lines_limit(struct lines *lines, size_t longest);

/* Without its end; valid until the next call. */
enum lines_result lines_next(struct lines *lines, const char **line, size_t *len, struct error *err);
/*
 * The last `count` lines, with their ends, are given once more; behind them too_long: a line that was passed
 * over. They are neither read nor hashed again.  No other lines may have been given back and not come yet,
 * except if these are of them.
 */
int lines_return(struct lines *lines, const char *text, size_t len, uint64_t count, bool too_long,
                 struct error *err);
/* What ended the last line: "" at the end of the text. */
const char *lines_ending(const struct lines *lines);
/* The last line's number, from 1. */
uint64_t lines_number(const struct lines *lines);

/* The bytes that are there, some at least, regardless of lines, which are not counted: 1, 0 at the end, -1.
 */
int lines_bytes(struct lines *lines, const char **data, size_t *len, struct error *err);
/* The next bytes; *got is less than len only at the end. */
int lines_copy(struct lines *lines, void *out, size_t len, size_t *got, struct error *err);

/* How many bytes of the file were read, and its size (0: unknown). */
uint64_t lines_position(const struct lines *lines);
uint64_t lines_size(const struct lines *lines);
bool lines_is_file(const struct lines *lines); /* which can be read again */

/* Of the whole file; what is left of it is read. */
int lines_sha256(struct lines *lines, uint8_t out[DIGEST_SHA256_LEN], struct error *err);

#endif
