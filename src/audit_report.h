/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_AUDIT_REPORT_H
#define KITH_AUDIT_REPORT_H

#include "base/digest.h"
#include "compare/finding.h"
#include "report/report_stream.h"

/* What an audit says of a file. */
enum audit_status {
    AUDIT_MATCHED, /* known, and so is its path */
    AUDIT_MOVED,   /* known by another path */
    AUDIT_VARIED,  /* not known, but it resembles or shares content with a file that is */
    AUDIT_NEW,
    AUDIT_MISSING, /* known, but not in the evidence */
    AUDIT_UNREADABLE,
    AUDIT_STATUSES,
};

struct audit_row {
    enum audit_status status;
    const char *evidence, *volume, *address; /* of a missing file "" */
    const char *path;
    bool has_size;
    uint64_t size;
    const struct digest_values *digests; /* may be NULL */
    const char *known;                   /* a name in the set; "" */
    size_t known_len;
    const struct finding *finding; /* of a varied file, else NULL */
    const char *reason;            /* why it is unreadable; "" */
};

struct audit_report {
    struct report_stream out;
    int format; /* FORMAT_TEXT, FORMAT_CSV or FORMAT_JSON */
    bool all;   /* matched files, too */
    uint64_t counts[AUDIT_STATUSES];
};

/* Write what comes before the rows, a row, which is counted, and the result: whether the audit passed. */
void audit_report_begin(struct audit_report *report);
void audit_report_row(struct audit_report *report, const struct audit_row *row);
void audit_report_end(struct audit_report *report, bool is_complete);
void audit_report_release(struct audit_report *report);

/* Whether all files are matched. */
bool audit_report_passes(const struct audit_report *report);
/* Appends the result in words: "audit failed: 3 matched, 1 moved, ...". */
void audit_report_words(const struct audit_report *report, bool is_complete, struct buffer *out);

#endif
