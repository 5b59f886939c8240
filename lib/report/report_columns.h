/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_COLUMNS_H
#define KITH_REPORT_COLUMNS_H

#include <stddef.h>

#include "base/buffer.h"

/* Fits text into the columns of a terminal.  The text must be escaped (escape.h): it is taken to be UTF-8
 * without control characters. */

/* The number of columns that a text occupies: two for each wide character, such as an ideograph, else one. */
unsigned report_columns(const char *text, size_t len);
/* Appends the text; if it occupies more than `most` columns (at least 12), its middle is replaced by "...".
 * Two thirds of what remains are from its end, where the file name of a path is. */
void report_columns_shorten(struct buffer *out, const char *text, size_t len, unsigned most);

/*
 * Lines that fit a window: a word that does not fit into the line begins a new one, indented.  If width is 0,
 * lines have no limit.
 */
struct report_columns_lines {
    struct buffer *out;
    unsigned width, indent;
    unsigned column; /* the length of the current line */
};

/* Appends a word, which may contain blanks and is never broken, and empties it.  A blank precedes it unless
 * it begins a line. */
void report_columns_word(struct report_columns_lines *lines, struct buffer *word);
/* Appends text, which may be broken at any of its blanks; words longer than a line are shortened. */
void report_columns_text(struct report_columns_lines *lines, const char *text, size_t len);
/* Begins a new, indented line. */
void report_columns_line(struct report_columns_lines *lines);

#endif
