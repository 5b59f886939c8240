/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_HTML_LEGEND_H
#define KITH_REPORT_HTML_LEGEND_H

#include "base/buffer.h"

/* Appends what verdicts, scores, E and proof mean, and what they do not: for readers of a page who are not
 * examiners. */
void report_html_legend(struct buffer *out);

/* Appends what a scan may have missed: a section of its own. */
void report_html_legend_limits(struct buffer *out);

#endif
