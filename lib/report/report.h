/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_H
#define KITH_REPORT_H

#include <stdbool.h>

#include "case/casefile.h"
#include "report/report_stream.h"

/*
 * The rows of a case in some form, on a stream that the caller opened.
 *
 * A form is a struct of operations.  report_write drives it: begin, finding for each row that the filter lets
 * through, end.  Another form is another struct of operations; nothing else has to change.
 *
 * The operations return 0; 1 if the stream takes no more (ferror says so), and then nothing else is called;
 * -1 with the error set.
 */
struct report_writer {
    const struct report_operations *does;
    struct report_stream out;
    bool colours;
};

struct report_operations {
    /* What stands before the rows.  The casefile is only read.  May be NULL. */
    int (*begin)(struct report_writer *writer, struct casefile *casefile, struct error *err);
    /* A row: a finding, or an object without one.  It is valid during the call. */
    int (*finding)(struct report_writer *writer, const struct case_row *row, struct error *err);
    /* What stands after the last row.  May be NULL. */
    int (*end)(struct report_writer *writer, struct error *err);
};

/* Comma-separated values, as kith-report(1) describes them. */
extern const struct report_operations report_csv;
/* Human-readable paragraphs. */
extern const struct report_operations report_text;

/* Writes the rows in the order of casefile_reader_new.  -1: the case cannot be read, or memory ran out.  That
 * the stream failed is no error here: its owner asks with ferror. */
int report_write(struct report_writer *writer, struct casefile *casefile, const struct case_filter *filter,
                 struct error *err);

#endif
