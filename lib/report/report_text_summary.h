/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_TEXT_SUMMARY_H
#define KITH_REPORT_TEXT_SUMMARY_H

#include "case/casefile.h"
#include "report/report_stream.h"

/*
 * Writes the seal of a case that is kept, and lines about each piece of evidence, beginning with its path:
 * the hashes of the image, the number of findings and objects, and each volume that was not examined.  width:
 * as in report.h, but not less than 60. Returns 0; 1 if the stream has failed; -1 and fills err if the case
 * cannot be read or memory runs out.
 */
int report_text_summary(struct report_stream *stream, unsigned width, struct casefile *casefile,
                        struct error *err);

#endif
