/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_HTML_HEAD_H
#define KITH_REPORT_HTML_HEAD_H

#include "case/casefile.h"
#include "report/report.h"

/* What a page has besides the findings: what the case is about. */

/* Writes what was examined, by whom, with what, with which result, and what was not examined.  Returns 0; 1
 * if the stream has failed; -1 and fills err if the case cannot be read or memory runs out. */
int report_html_head(struct report_stream *stream, struct casefile *casefile,
                     const struct report_options *options, struct error *err);

/* Writes the log of the case, whose last entry is its seal.  Returns as report_html_head. */
int report_html_head_log(struct report_stream *stream, struct casefile *casefile, enum report_zone zone,
                         struct error *err);

#endif
