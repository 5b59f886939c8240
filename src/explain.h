/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXPLAIN_H
#define KITH_EXPLAIN_H

#include "base/buffer.h"
#include "case/casefile.h"

/*
 * Appends a finding in words, for someone who does not know the program: what was compared, what is proved
 * and how to verify that with other tools, what is estimated, what E means, and what the finding does not
 * show. case_path: for commands.  width: of the lines, in columns; commands are never broken.  Names from the
 * evidence are escaped.
 */
void explain(struct buffer *out, struct casefile *casefile, const struct case_row *row, const char *case_path,
             unsigned width);

#endif
