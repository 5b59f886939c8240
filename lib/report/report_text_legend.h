/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_TEXT_LEGEND_H
#define KITH_REPORT_TEXT_LEGEND_H

#include <stdbool.h>

#include "base/buffer.h"

/* Appends what the terms of a report mean, in lines of this width (0: of any); those of findings, and of
 * their strips, only if there are some. */
void report_text_legend(struct buffer *out, unsigned width, bool findings, bool strips);

#endif
