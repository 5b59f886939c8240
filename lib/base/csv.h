/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CSV_H
#define KITH_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Cells of RFC 4180. */

/* A cell of our own making: a number, a word, an address; escaped as escape_text does, in case it is not (a
 * case may be forged).  Adds the comma before it, unless a line begins. */
void csv_cell(struct buffer *out, const char *text);

/*
 * A cell of foreign bytes: escaped as escape_text does, and never a formula to a spreadsheet, be its
 * separator the comma or the semicolon.  At the beginning and after each semicolon there is an apostrophe if
 * what follows, after any blanks, quotes and apostrophes, is = + - @ or the wide form of one of them.  So it
 * can be turned back: there, an apostrophe before such text is not part of it.  Returns whether the cell is
 * other than the bytes.
 */
bool csv_foreign(struct buffer *out, const char *data, size_t len);

/* A cell with this number; with these bytes as hexadecimal digits, none if len is 0. */
void csv_number(struct buffer *out, uint64_t number);
void csv_hex(struct buffer *out, const void *data, size_t len);

/* A cell of our own making that was put together in text, which is emptied.  Its failure becomes that of out.
 */
void csv_text(struct buffer *out, struct buffer *text);

/* Two cells for a foreign path: as csv_foreign writes it, and its bytes as hexadecimal digits if that is
 * other than the bytes. */
void csv_path(struct buffer *out, const char *path, size_t len);

/* Ends the line as the RFC does. */
void csv_end_line(struct buffer *out);

#endif
