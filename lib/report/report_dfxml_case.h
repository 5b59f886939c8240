/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_DFXML_CASE_H
#define KITH_REPORT_DFXML_CASE_H

#include "case/casefile.h"
#include "report/report_stream.h"

/* Writes what precedes the file objects of a DFXML report: the root's start tag, the case as metadata,
 * creator and source.  Returns 0; 1 if the stream has failed; -1 and fills err if the case cannot be read or
 * memory runs out. */
int report_dfxml_case(struct report_stream *stream, struct casefile *casefile, struct error *err);

#endif
