/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ESCAPE_H
#define KITH_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Names of evidence are bytes that somebody else chose.  Shown to a person or written to a report they must
 * not steer a terminal, hide, or end a line.
 *
 * Escaped text is UTF-8: a backslash is written twice, and control characters (also U+0080..9F), invisible
 * and direction-changing ones and whatever is not UTF-8 are written byte by byte as \xHH.  So it can be
 * turned back.
 */
void escape_text(struct buffer *out, const void *data, size_t len);

/* Whether escape_text would change anything. */
bool escape_needed(const void *data, size_t len);

/* Turns escaped text back; false if it is not what escape_text writes. */
bool escape_undo(struct buffer *out, const char *text, size_t len);

/* A JSON string with its quotes, of bytes that become the escaped text as above. */
void escape_json(struct buffer *out, const void *data, size_t len);

/*
 * For the line formats of other programs, which want the bytes of names: bytes that are not UTF-8 stay,
 * unless a terminal may take them for control characters (0x80..9f).  What else escape_text would write as
 * \xHH is written so here, too.  escape_unsafe tells whether there is any of it.
 *
 * escape_marked is for lines that are marked by a backslash at their beginning, as sha1sum does: \\ \n \r are
 * its escapes, and stand for those bytes; if it is to be exact there are no others.  escape_sparing has only
 * \xHH: a backslash becomes \x5c where \xHH would follow by itself, and stays otherwise.  Both can be turned
 * back.
 */
bool escape_unsafe(const void *data, size_t len);
void escape_marked(struct buffer *out, const void *data, size_t len, bool exact);
void escape_sparing(struct buffer *out, const void *data, size_t len);

/* Lower-case hexadecimal digits. */
void escape_hex(struct buffer *out, const void *data, size_t len);

#endif
