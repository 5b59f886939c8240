/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_REPORT_INNER_H
#define KITH_SELFTEST_REPORT_INNER_H

#include "lab/lab.h"
#include "selftest_report.h"

/* The last arguments of lab_table. */
#define COLUMNS(table) (table), sizeof(table) / sizeof *(table)

/* Appends the tables of all procedures and cases. */
void selftest_report_cases(const struct selftest_report *report, struct lab_document *document);

/* Append the list of all files that were tested: their paths, escaped by the writers, lengths and SHA-1.
 * With generated content the document only has a remark. */
void selftest_report_files(const struct selftest_report *report, struct lab_document *document);
void selftest_report_files_json(const struct selftest_report *report, struct buffer *out);

#endif
