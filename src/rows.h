/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ROWS_H
#define KITH_ROWS_H

#include "report/report.h"

/* Writing the rows of a case to standard output, as `kith scan` and `kith report` both do. */

/* The default format: text on a terminal, else CSV. */
const struct report_operations *rows_usual_form(void);

/* The filter of a report in this format.  Text on a terminal and pages have the most significant findings
 * first, unless the order was asked for (sorted); with objects without findings, twins have rows of their
 * own. */
struct case_filter rows_filter(const struct report_operations *form, const struct case_filter *filter,
                               bool sorted);

/* As report_write.  Of the options, those of the terminal are filled in. */
int rows_write(const struct report_operations *form, struct casefile *casefile,
               const struct case_filter *filter, const struct report_options *options, struct error *err);

#endif
