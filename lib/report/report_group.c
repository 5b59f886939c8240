/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_group.h"

bool report_group_begins(struct report_group *group, const struct case_row *row)
{
    const struct report_group now = {.begun = true,
                                     .has_finding = row->has_finding,
                                     .set = row->has_finding ? row->finding.set : 0,
                                     .file = row->has_finding ? row->finding.file : 0};
    const bool same = group->begun && group->has_finding == now.has_finding && group->set == now.set &&
                      group->file == now.file;

    *group = now;
    return !same;
}
