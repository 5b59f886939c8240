/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_CSV_EXTRA_H
#define KITH_REPORT_CSV_EXTRA_H

#include "base/buffer.h"
#include "case/casefile.h"

/* Columns of CSV that are written only on request, after the others and in this order: bit i of a set of them
 * is column i. */
enum { REPORT_CSV_EXTRAS = 19 };

/* The name of a column, or NULL after the last one. */
const char *report_csv_extra_name(size_t column);
/* Whether its cells are numbers. */
bool report_csv_extra_is_number(size_t column);
/* Append a cell for each column of the set: of the header, and of a row. */
void report_csv_extra_header(struct buffer *line, unsigned columns);
void report_csv_extra(struct buffer *line, const struct case_row *row, unsigned columns);

#endif
