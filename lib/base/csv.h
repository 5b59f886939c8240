/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CSV_H
#define KITH_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* CSV as in RFC 4180, safe to open in a spreadsheet. */

/* Appends a cell with text of kith's own: a number, a word, an address.  Preceded by a comma unless it begins
 * the line.  The text is escaped as by escape_text all the same, since a case may be forged. */
void csv_cell(struct buffer *out, const char *text);

/*
 * Appends a cell with foreign bytes, escaped as by escape_text and neutralised so that no spreadsheet takes
 * it for a formula, whether its separator is the comma or the semicolon: at the start of the cell and after
 * each semicolon, an apostrophe is inserted if = + - @ or the full-width form of one of them follows, after
 * any blanks, quotes and apostrophes.  This is reversible: an apostrophe before such text is never part of
 * it.  Returns whether the cell differs from the bytes.
 */
bool csv_foreign(struct buffer *out, const char *data, size_t len);

/* Append a cell with a number, or with bytes in hexadecimal (empty if len is 0). */
void csv_number(struct buffer *out, uint64_t number);
void csv_hex(struct buffer *out, const void *data, size_t len);

/* As csv_cell, for text assembled in a buffer, which is emptied.  out inherits its failure. */
void csv_text(struct buffer *out, struct buffer *text);

/* Appends two cells for a foreign path: csv_foreign's, and the raw bytes in hexadecimal if that cell differs
 * from them. */
void csv_path(struct buffer *out, const char *path, size_t len);

/* Ends the line with CR LF. */
void csv_end_line(struct buffer *out);

#endif
