/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_H
#define KITH_REPORT_H

#include <stdbool.h>

#include "case/casefile.h"
#include "report/report_fold.h"
#include "report/report_stream.h"
#include "report/report_values.h"

struct report_previews; /* report_previews.h */

/*
 * The rows of a case in some format, on a stream that the caller opened.
 *
 * A format is a struct of operations.  report_write drives it: begin, finding for each row that the filter
 * lets through, end.  A new format is a new struct of operations; nothing else has to change.
 *
 * The operations return 0; 1 if the stream takes no more (ferror is set), after which none of them is called;
 * -1 with the error set.
 */
struct report_options {
    bool colours;
    unsigned width;                         /* columns of the terminal; 0: the stream is not a terminal */
    enum report_zone zone;                  /* of the times shown to people */
    unsigned extra_columns;                 /* of CSV: report_csv_extra.h */
    bool by_reference;                      /* group rows by reference: report_text, report_jsonl */
    bool kept;                              /* the case is in a file: findings are referred to by number */
    bool faulty;                            /* the case does not verify (casefile_check) */
    const char *selection;                  /* the options that chose the rows and their order; NULL: none */
    const struct report_previews *previews; /* for pages; NULL: none */
};

struct report_writer {
    const struct report_operations *does;
    struct report_stream out;
    struct report_options options;
    uint64_t rows;                      /* written so far; counted by report_write */
    struct report_fold *fold;           /* NULL: the format does not need it */
    bool folded;                        /* common content has one row */
    const struct report_shared *shared; /* of the row that is written; NULL: it has no finding */
    void *state;                        /* the format's own, from begin to release */
};

struct report_operations {
    bool folds;  /* unless objects without findings are listed, common content has one row (report_fold.h) */
    bool counts; /* the rows are only counted, so that nothing about their content is needed */
    bool by_reference; /* rows must come in the order CASE_BY_REFERENCE, whatever the filter says */
    /* Writes what precedes the rows.  The casefile is only read.  May be NULL. */
    int (*begin)(struct report_writer *writer, struct casefile *casefile, struct error *err);
    /* Writes a row: a finding, or an object without one, which is valid during the call. */
    int (*finding)(struct report_writer *writer, const struct case_row *row, struct error *err);
    /* Writes what follows the last row.  May be NULL. */
    int (*end)(struct report_writer *writer, struct error *err);
    /* Frees the state, also after an error; called once if begin was.  May be NULL. */
    void (*release)(struct report_writer *writer);
};

/* Comma-separated values, as kith-report(1) describes them. */
extern const struct report_operations report_csv;
/* The same for spreadsheets: see csv_excel. */
extern const struct report_operations report_csv_excel;
/* JSON Lines, as kith-report-json(5) describes them: the case, the rows, and a last line with their number.
 */
extern const struct report_operations report_jsonl;
/* An event for each known time of the object of each row, as Timesketch imports JSON Lines. */
extern const struct report_operations report_timesketch;
/* Digital Forensics XML 2.0.0-beta.0: a file object for each object, in which its rows are elements of a
 * namespace of kith's own. */
extern const struct report_operations report_dfxml;
/* A page: what the case is about, and its first 50,000 findings with pictures, in one file. */
extern const struct report_operations report_html;
/* Human-readable paragraphs; a legend if there was a finding; the summary of each piece of evidence and what
 * of it was not examined (report_summary.h).  On a terminal each finding has a strip, and lines fit the
 * window. */
extern const struct report_operations report_text;

/* A graph in JSON-LD with the terms of CASE and UCO 1.4.0, and of a namespace of kith's own for scores. */
extern const struct report_operations report_uco;
/* Human-readable: counts by verdict and set, the references with most findings, and the summary of each piece
 * of evidence; no rows. */
extern const struct report_operations report_overview;

/* Writes the rows in the order of casefile_reader_new.  Returns -1 if the case cannot be read or memory runs
 * out. A stream that fails is no error here: its owner checks ferror. */
int report_write(struct report_writer *writer, struct casefile *casefile, const struct case_filter *filter,
                 struct error *err);

#endif
