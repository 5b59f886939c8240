/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXPLAIN_INNER_H
#define KITH_EXPLAIN_INNER_H

/* Shared by the files of this module: explain.c says what a finding means, explain_verify.c how to verify it.
 */

#include "explain.h"
#include "report/report_columns.h"

/* The text under construction. */
struct explain_text {
    struct report_columns_lines lines;
    const char *case_path;
};

/* Adds a heading, a paragraph, or an item of a list, of sentences that may be broken at blanks; the text must
 * be escaped. */
void explain_heading(struct explain_text *text, const char *heading);
void explain_paragraph(struct explain_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the commands with which other tools show what is proved, and what they print. */
void explain_verify(struct explain_text *text, const struct case_row *row);

#endif
