/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_BYTES_H
#define KITH_REPORT_BYTES_H

#include "evidence_run.h"
#include "report/report_previews.h"

enum { REPORT_BYTES_FINDINGS = 1000 }; /* of a report: the first ones */

/*
 * Reads from evidence what a page shows of the first findings that the filter lets through: the bytes at both
 * ends of their first ranges and, of small objects that are pictures, all of it.  evidence: paths of evidence
 * of the case, or where it is now, as OLD=NEW; a single path may also be where the only evidence is now.
 * Objects are compared with their digests, unless the evidence is certainly as it was; nothing is shown of
 * one that differs.
 *
 * Returns an exit status, after an error was shown if it is not EXIT_DONE.  With EXIT_PARTIAL some findings
 * lack bytes, and their previews say why.
 */
int report_bytes(struct report_previews *previews, struct casefile *casefile,
                 const struct case_filter *filter, const char *const *evidence, size_t count,
                 struct evidence_run *run);

#endif
