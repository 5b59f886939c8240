/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_HTML_ROW_H
#define KITH_REPORT_HTML_ROW_H

#include "case/casefile.h"
#include "report/report.h"

/* A row of the page: as data for the script, and as it reads without scripts. */

/* The most ranges of a finding that a page has: of more, the longest. */
enum { REPORT_HTML_ROW_RANGES = 400 };

/* Appends an array of JSON, whose elements finding.js names.  shared: NULL without a finding. */
void report_html_row_json(struct buffer *json, const struct case_row *row, const struct report_shared *shared,
                          const struct report_options *options);
/* Appends a row of a table with nine columns. */
void report_html_row_plain(struct buffer *out, const struct case_row *row);

/* The byte of the image at which a finding begins; UINT64_MAX: none is known. */
uint64_t report_html_row_place(const struct case_row *row);

#endif
