/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_ABOUT_H
#define KITH_REPORT_ABOUT_H

#include "case/casefile.h"
#include "report/report_stream.h"
#include "report/report_values.h"

/* Writes, human-readable, what a case is about: parameters, sets, evidence with its account, and the log of
 * what was done.  Returns -1 if the case cannot be read or memory runs out; what came before that is written.
 */
int report_about(struct report_stream *stream, struct casefile *casefile, enum report_zone zone,
                 struct error *err);

#endif
