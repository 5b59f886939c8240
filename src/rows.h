/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ROWS_H
#define KITH_ROWS_H

#include "report/report.h"

/* The rows of a case on standard output: what `kith scan` and `kith report` share. */

/* What they are written as unless the user says otherwise: for people on a terminal, else CSV. */
const struct report_operations *rows_usual_form(void);

/* As report_write. */
int rows_write(const struct report_operations *form, struct casefile *casefile,
               const struct case_filter *filter, struct error *err);

#endif
