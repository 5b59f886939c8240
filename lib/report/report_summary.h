/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_SUMMARY_H
#define KITH_REPORT_SUMMARY_H

#include "case/casefile.h"

/* Sums up what a case holds about a piece of evidence. */

/*
 * Appends "3 findings in 2 of 1,204 objects (15.0 MB of content): 1 identical, 2 variants", or "no findings
 * in 1,204 objects (15.0 MB of content)", followed by the number of objects that are known, allow no verdict,
 * or were not examined. Appends nothing if none of the evidence was read.  Returns -1 and fills err if the
 * case cannot be read.
 */
int report_summary(struct casefile *casefile, uint64_t evidence, struct buffer *out, struct error *err);

/* Calls take for each volume whose files were not examined: "volume 2@1048576 (50.0 MB): ENCRYPTED, content
 * not examined".  Returns -1 and fills err if the case cannot be read or memory runs out. */
int report_summary_unexamined(struct casefile *casefile, uint64_t evidence,
                              void (*take)(void *arg, const char *text), void *arg, struct error *err);

#endif
