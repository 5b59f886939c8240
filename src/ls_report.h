/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_REPORT_H
#define KITH_LS_REPORT_H

#include <stdbool.h>

#include "evidence/evidence.h"
#include "report/report_account.h"

/* What kith ls found, in the form that was asked for, on standard output. */

enum ls_form {
    LS_SUMMARY, /* volumes, and how much of what is in each: for people */
    LS_TABLE,   /* a line an object: for people */
    LS_CSV,
    LS_JSON, /* an object a line */
    LS_BODY, /* for mactime */
};

struct ls_report {
    enum ls_form form;
    unsigned digests; /* a set of DIGEST_BIT: columns of their own */
    const char *evidence;
    const struct ls_volume *volume;
    struct ls_volume *volumes; /* of the summary */
    size_t volume_count;
    bool colours;
    bool is_account; /* not objects */
    bool header_done;
    struct buffer line;
};

void ls_report_release(struct ls_report *report);

/* Begins another piece of evidence. */
void ls_report_evidence(struct ls_report *report, const char *path);
void ls_report_image(struct ls_report *report, const struct evidence_image *image);
void ls_report_volume(struct ls_report *report, const struct evidence_volume *volume);
/* values: what was computed of the object's content. */
void ls_report_object(struct ls_report *report, const struct evidence_volume *volume,
                      const struct object *object, const struct digest_values *values, const char *paths,
                      size_t count);
/* stored: digests that the image itself holds. */
void ls_report_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                     const struct digest_values *stored);
/* Which of the image's bytes belong to what, if there is an image. */
void ls_report_account(struct ls_report *report, const struct report_account *account);
/* Ends it; the summary is written here. */
void ls_report_end(struct ls_report *report);

#endif
