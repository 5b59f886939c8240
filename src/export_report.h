/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXPORT_REPORT_H
#define KITH_EXPORT_REPORT_H

#include "report/report_stream.h"
#include "set/known.h"
#include "set/refset.h"

/* Writes a reference set as text. */
enum export_form { EXPORT_CSV, EXPORT_JSON, EXPORT_SHA1SUM, EXPORT_HASHDEEP };

struct export_report {
    enum export_form form;
    struct report_stream out;
    bool exact; /* sha1sum, hashdeep: names are not escaped, even if they control a terminal */
    unsigned
        digests; /* hashdeep: a set of DIGEST_BIT, of digests that have a column and that every file needs */
    uint64_t left_out; /* files that the format cannot express */
};

void export_report_begin(struct export_report *report, const struct refset_info *info);
void export_report_source(struct export_report *report, const struct refset_source *source);
/* Returns -1 if memory runs out. */
int export_report_file(struct export_report *report, uint64_t id, uint64_t source, const struct known *known);
void export_report_release(struct export_report *report);

#endif
