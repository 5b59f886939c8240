/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXPLAIN_INNER_H
#define KITH_EXPLAIN_INNER_H

/* Shared by the files of this module: explain.c says what a finding means, explain_verify.c how to verify it,
 * explain_member.c what the object is packed in, explain_limits.c what it does not show. */

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

/* Adds a command, which is emptied, and what it prints. */
void explain_command(struct explain_text *text, struct buffer *command);
void explain_result(struct explain_text *text, const struct digest_values *digests, enum digest_kind kind);

/* Adds what a member is packed in, in words. */
void explain_member(struct explain_text *text, const struct case_object *object);
/* Adds the commands with which other tools unpack a member, if they can.  command: an empty buffer. */
void explain_unpack(struct explain_text *text, const struct case_row *row, struct buffer *command);

/* Appends the command that writes the object on the disk with this address and path to standard output.
 * Returns false, and appends nothing, if only kith can read it. */
bool explain_add_base(struct buffer *out, const struct case_row *row, const char *address, const char *path);

/* Adds the commands with which other tools show what is proved, and what they print. */
void explain_verify(struct explain_text *text, const struct case_row *row);

/* Adds what the finding does not show. */
void explain_limits(struct explain_text *text, struct casefile *casefile, const struct case_row *row);

#endif
