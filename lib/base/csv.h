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

/* ---- columns, and records for spreadsheets ---- */

struct csv_column {
    const char *name;
    bool is_number;
};

/* Appends the names of the columns to an empty line, and does not end it. */
void csv_header(struct buffer *out, const struct csv_column *columns, size_t count);

/* Appends the byte-order mark by which spreadsheets recognise UTF-8. */
void csv_bom(struct buffer *out);

/*
 * Rewrites the whole records that begin at out->data[from], which the functions above have written, so that a
 * spreadsheet shows every cell as it is instead of guessing at dates, numbers and formulas: a text becomes
 * the formula ="text".  Columns beyond count are text.
 *
 * Numbers stay numbers up to 15 digits, which is what spreadsheets keep.  Empty cells stay empty.  Text of
 * more than 255 bytes, the most that a formula may quote, stays text: it has an apostrophe before it if it
 * begins with a digit, and csv_foreign has dealt with formulas.
 */
void csv_excel(struct buffer *out, size_t from, const struct csv_column *columns, size_t count);

#endif
