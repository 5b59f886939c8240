/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_COLUMNS_H
#define KITH_REPORT_COLUMNS_H

#include <stddef.h>

#include "base/buffer.h"

/* Text in the columns of a terminal.  All text is escaped already, so it is UTF-8 without control characters.
 */

/* The columns that it takes; ideographs and the like take two. */
unsigned report_columns(const char *text, size_t len);
/* Adds the text, with "..." for its middle if it takes more than `most` columns: more of its end is kept than
 * of its beginning, since names say most at their end.  Fewer than 12 columns are taken for 12. */
void report_columns_shorten(struct buffer *out, const char *text, size_t len, unsigned most);

/*
 * Lines that fit a window: words are added one after another, and one that does not fit begins a new line,
 * indented.  With width 0 no line ends by itself.
 */
struct report_columns_lines {
    struct buffer *out;
    unsigned width, indent;
    unsigned column; /* reached in this line */
};

/* Adds a word, which may contain blanks and is not broken, after a blank unless a line begins; it is emptied.
 */
void report_columns_word(struct report_columns_lines *lines, struct buffer *word);
/* Adds text, which may be broken at each of its blanks. */
void report_columns_text(struct report_columns_lines *lines, const char *text, size_t len);
/* Begins a new line, indented. */
void report_columns_line(struct report_columns_lines *lines);

#endif
