/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASE_REPORT_H
#define KITH_CASE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "case/casefile.h"

/* The rows of a case on standard output. */

enum case_form {
    CASE_CSV,
    CASE_TEXT, /* for people */
};

struct case_report {
    enum case_form form;
    struct case_filter filter;
    uint64_t findings; /* rows that were findings in sets that are not known */
};

/* -1: the case cannot be read. */
int case_report_write(struct case_report *report, struct casefile *casefile, struct error *err);

/* What the case is about, and the log of what was done, for people. */
int case_report_about(struct casefile *casefile, struct error *err);

/* "identical 2, variant 1, ...": what was found, for a last line. */
void case_report_counts(const struct case_counts *counts, struct buffer *out);

#endif
