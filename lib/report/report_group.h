/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_GROUP_H
#define KITH_REPORT_GROUP_H

#include "case/casefile.h"

/* Groups of rows, which come in the order CASE_BY_REFERENCE.  A zeroed struct precedes the first row. */
struct report_group {
    bool begun, has_finding;
    uint32_t set;
    uint64_t file;
};

/* Whether the row is the first of its reference; objects without a finding are a group of their own.  Call it
 * once for each row. */
bool report_group_begins(struct report_group *group, const struct case_row *row);

#endif
