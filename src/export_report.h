/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXPORT_REPORT_H
#define KITH_EXPORT_REPORT_H

#include "report/report_stream.h"
#include "set/known.h"
#include "set/refset.h"

/* A reference set as text. */
enum export_form { EXPORT_CSV, EXPORT_JSON, EXPORT_SHA1SUM, EXPORT_HASHDEEP };

struct export_report {
    enum export_form form;
    struct report_stream out;
    bool exact;        /* sha1sum, hashdeep: names as they are, whatever they do to a terminal */
    unsigned digests;  /* hashdeep: the kinds that have a column, which each file must have */
    uint64_t left_out; /* files that the form cannot hold */
};

void export_report_begin(struct export_report *report, const struct refset_info *info);
void export_report_source(struct export_report *report, const struct refset_source *source);
/* -1 without memory. */
int export_report_file(struct export_report *report, uint64_t id, uint64_t source, const struct known *known);
void export_report_release(struct export_report *report);

#endif
