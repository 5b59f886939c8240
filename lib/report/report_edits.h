/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_EDITS_H
#define KITH_REPORT_EDITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "case/casefile.h"

/* An estimated edit distance, and what is needed to put it into words. */
struct report_edits {
    double edits, low, high; /* bytes; low and high: the 95 % interval */
    bool identical;          /* by SHA-1 */
    bool not_identical;      /* by SHA-1; if neither is set, it is unknown */
    bool proved;             /* each block of the contents has equal digests */
    bool reordered;          /* the same content in another order */
};

/* Appends, for example, "about 315 bytes differ (86 to 2,054)", "not identical; probably at most 374 bytes
 * differ", "same content in another order; compared in place, about 9,216 bytes differ (8,700 to 9,800)", "no
 * byte differs" (only if proved) or "no difference seen in the samples". */
void report_edits(const struct report_edits *edits, struct buffer *out);

/* Appends the edits of a finding, which must have them or be reordered. */
void report_edits_of(const struct case_row *row, struct buffer *out);
/* Appends what two containers have in common, of a finding with PROOF_MEMBERS: "same documents, container
 * differs: 6 of 6 members identical", or "versions of the same documents: 5 of 6 members identical, 1
 * varied". */
void report_edits_members(const struct case_row *row, struct buffer *out);

#endif
