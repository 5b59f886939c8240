/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTRACT_CASE_H
#define KITH_EXTRACT_CASE_H

#include "case/casefile.h"
#include "extract.h"
#include "finding_flags.h"

/* Which findings of a case to extract, and how. */
struct extract_case {
    const struct command *command;
    struct finding_flags selected; /* if no ids are given */
    const struct case_finding_id *ids;
    size_t id_count;
    bool ranges;              /* only the matching bytes */
    const char *const *moved; /* where evidence is now, as OLD=NEW */
    size_t moved_count;
    const char *now; /* where it is now, if the case has one piece of evidence only; NULL: where it was */
};

/* Extracts the objects of findings, or their matching bytes, from the evidence of the case.  Returns an exit
 * status. */
int extract_case(struct extract *extract, const struct extract_case *wanted, const char *path);

/* Sets the options for reading evidence to those of the scan, which the case has as text; what they point to
 * is added to the buffer.  Returns -1 if out of memory. */
int extract_case_options(struct evidence_options *options, const char *parameters, struct buffer *texts);

#endif
