/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_REPORT_H
#define KITH_LS_REPORT_H

#include <stdbool.h>

#include "evidence/evidence.h"
#include "report/report_account.h"
#include "report/report_stream.h"
#include "report/report_values.h"

/*
 * Writes what kith ls finds to a stream, in one of several formats.
 *
 * A format is a struct of operations, as for the rows of a case (report/report.h).  They append to the
 * stream's line; this module decides when it is written.
 */
struct ls_report {
    const struct ls_operations *form;
    struct report_stream out;
    unsigned digests; /* a set of DIGEST_BIT: columns of their own */
    bool colours;
    enum report_zone zone;     /* of times in ls_table */
    bool is_account;           /* print the account instead of objects */
    const char *evidence;      /* path of the one being read */
    struct ls_volume *volumes; /* for the summary */
    size_t volume_count;
};

/* An object to be listed. */
struct ls_entry {
    const struct evidence_volume *volume;
    const struct object *object;
    const struct digest_values *digests; /* of its content */
    const char *paths;                   /* path_count strings, one after the other */
    size_t path_count;
};

/* Each operation may be NULL. */
struct ls_operations {
    void (*begin)(struct ls_report *report); /* before the first evidence */
    void (*image)(struct ls_report *report, const struct evidence_image *image);
    void (*volume)(struct ls_report *report, const struct evidence_volume *volume);
    void (*object)(struct ls_report *report, const struct ls_entry *entry);
    /* The digests of the whole image; stored: those recorded in it at acquisition. */
    void (*whole)(struct ls_report *report, uint64_t size, const struct digest_values *values,
                  const struct digest_values *stored);
    /* How many bytes of the image belong to each kind of object. */
    void (*account)(struct ls_report *report, const struct report_account *account);
    void (*end)(struct ls_report *report); /* after each evidence */
};

extern const struct ls_operations
    ls_summary,           /* human-readable: volumes, and the size of each kind of object in them */
    ls_table,             /* human-readable: a line for each object */
    ls_csv, ls_csv_excel, /* the latter for spreadsheets: see csv_excel */
    ls_json,              /* JSON Lines */
    ls_body;              /* for mactime */

/* Begin the report; begin and end a piece of evidence. */
void ls_report_begin(struct ls_report *report);
void ls_report_evidence(struct ls_report *report, const char *path);
void ls_report_end(struct ls_report *report);
/* Pass on what is found in it to the operations. */
void ls_report_image(struct ls_report *report, const struct evidence_image *image);
void ls_report_volume(struct ls_report *report, const struct evidence_volume *volume);
void ls_report_object(struct ls_report *report, const struct ls_entry *entry);
void ls_report_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                     const struct digest_values *stored);
void ls_report_account(struct ls_report *report, const struct report_account *account);

/* The operation `whole` of formats in which the image is an object like any other. */
void ls_report_whole_object(struct ls_report *report, uint64_t size, const struct digest_values *values,
                            const struct digest_values *stored);

void ls_report_release(struct ls_report *report);

#endif
