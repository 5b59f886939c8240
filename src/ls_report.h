/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_REPORT_H
#define KITH_LS_REPORT_H

#include <stdbool.h>

#include "evidence/evidence.h"
#include "report/report_account.h"
#include "report/report_stream.h"
#include "report/report_values.h"

/*
 * What kith ls found, in some form, on a stream.
 *
 * A form is a struct of operations, as for the rows of a case (report/report.h).  They add to the stream's
 * line; that it is written, and when, is decided here.
 */
struct ls_report {
    const struct ls_operations *form;
    struct report_stream out;
    unsigned digests; /* a set of DIGEST_BIT: columns of their own */
    bool colours;
    enum report_zone zone;     /* of times in ls_table */
    bool is_account;           /* not objects */
    const char *evidence;      /* path of the one that is being read */
    struct ls_volume *volumes; /* of the summary */
    size_t volume_count;
};

/* An object, as it is listed. */
struct ls_entry {
    const struct evidence_volume *volume;
    const struct object *object;
    const struct digest_values *digests; /* of its content */
    const char *paths;                   /* path_count of them, each ended by a zero byte */
    size_t path_count;
};

/* Each may be NULL. */
struct ls_operations {
    void (*begin)(struct ls_report *report); /* before all evidence */
    void (*image)(struct ls_report *report, const struct evidence_image *image);
    void (*volume)(struct ls_report *report, const struct evidence_volume *volume);
    void (*object)(struct ls_report *report, const struct ls_entry *entry);
    /* The digests of the whole image; stored: those that it holds itself. */
    void (*whole)(struct ls_report *report, uint64_t size, const struct digest_values *values,
                  const struct digest_values *stored);
    /* Which of the image's bytes belong to what. */
    void (*account)(struct ls_report *report, const struct report_account *account);
    void (*end)(struct ls_report *report); /* of an evidence */
};

extern const struct ls_operations ls_summary, /* volumes, and how much of what is in each: for people */
    ls_table,                                 /* a line an object: for people */
    ls_csv, ls_csv_excel, /* the latter for spreadsheets: see csv_excel */
    ls_json,                          /* JSON: an object a line */
    ls_body;                                  /* for mactime */

/* Begins the report; begins and ends a piece of evidence. */
void ls_report_begin(struct ls_report *report);
void ls_report_evidence(struct ls_report *report, const char *path);
void ls_report_end(struct ls_report *report);
/* What is found in it, as the operations have it. */
void ls_report_image(struct ls_report *report, const struct evidence_image *image);
void ls_report_volume(struct ls_report *report, const struct evidence_volume *volume);
void ls_report_object(struct ls_report *report, const struct ls_entry *entry);
void ls_report_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                     const struct digest_values *stored);
void ls_report_account(struct ls_report *report, const struct report_account *account);

/* For forms in which the image is an object like any other. */
void ls_report_whole_object(struct ls_report *report, uint64_t size, const struct digest_values *values,
                            const struct digest_values *stored);

void ls_report_release(struct ls_report *report);

#endif
