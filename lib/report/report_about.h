/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_ABOUT_H
#define KITH_REPORT_ABOUT_H

#include "case/casefile.h"
#include "report/report_stream.h"

/* What a case is about: parameters, sets, evidence with its account, and the log of what was done.
 * Human-readable. -1: the case cannot be read, or memory ran out; what came before that is written. */
int report_about(struct report_stream *stream, struct casefile *casefile, struct error *err);

/* Adds "identical 2, variant 1, ...": what was found, for a last line. */
void report_about_counts(const struct case_counts *counts, struct buffer *out);

#endif
