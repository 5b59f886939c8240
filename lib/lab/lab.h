/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_H
#define KITH_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "lab/lab_data.h"

/*
 * Experiments that rebuild the tables and figures of the papers on the user's machine.
 *
 * An experiment appends headings, remarks, tables and plots to a document, and the writers of lab_write.h
 * print it.  Appending never fails: if memory runs out, the document keeps what it has, and lab_failed says
 * so.  Texts are copied and may hold any bytes; the writers escape them.
 */
struct lab_document;
struct lab_table;
struct lab_plot;

/* What the `digits` of a column may be besides a number of digits after the point. */
enum {
    LAB_WORDS = -1,       /* the column holds text */
    LAB_SIGNIFICANT = -2, /* numbers of any size, with three significant digits */
    LAB_PRINTED = -3,     /* numbers with the digits that they have, as the paper prints them */
};

struct lab_column {
    const char *name; /* "estimate" */
    const char *unit; /* "bytes", "pairs/s"; "" if there is none */
    int digits;
    bool is_paper; /* the paper's figures, shown beside ours */
};

/* title: what is shown, which begins with a capital letter afterwards; source: where the paper has it,
 * "Coates 2011, section 4.2.1".  NULL without memory.
 */
struct lab_document *lab_document_new(const char *name, const char *title, const char *source);
void lab_document_free(struct lab_document *document);
/* Whether memory ran out. */
bool lab_failed(const struct lab_document *document);

/* Append a heading, or a paragraph. */
void lab_heading(struct lab_document *document, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lab_remark(struct lab_document *document, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Appends a table and returns it; the document owns it.  name: unique among all experiments, of lower-case
 * letters, digits, '.' and '-'.  The columns and their strings are borrowed: they are constants.  NULL
 * without memory, which the functions below ignore.
 */
struct lab_table *lab_table(struct lab_document *document, const char *name, const char *caption,
                            const struct lab_column *columns, size_t count);
/* Begins a row of empty cells. */
void lab_row(struct lab_table *table);
/* Fills a cell of the last row.  A number that is not finite leaves it empty. */
void lab_number(struct lab_table *table, size_t column, double value);
/* Begins a row with these numbers in its first columns. */
void lab_row_numbers(struct lab_table *table, const double *values, size_t count);
/* Fills a cell of the last row with text. */
void lab_text(struct lab_table *table, size_t column, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Axes: a unit may be "".  On a logarithmic axis, points that are not positive are left out. */
struct lab_axes {
    const char *x_name, *x_unit, *y_name, *y_unit;
    bool log_x, log_y;
};

/* Appends a plot and returns it, as lab_table does.  name: also that of its SVG file. */
struct lab_plot *lab_plot(struct lab_document *document, const char *name, const char *caption,
                          const struct lab_axes *axes);
/* Add a series of points, joined by a line or only marked, and return its number. */
size_t lab_series(struct lab_plot *plot, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
size_t lab_scatter(struct lab_plot *plot, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Points that are not finite, or beyond 1e100, are left out. */
void lab_point(struct lab_plot *plot, size_t series, double x, double y);

/* The plot with this index in the document, or NULL. */
const struct lab_plot *lab_document_plot(const struct lab_document *document, size_t index);
const char *lab_plot_name(const struct lab_plot *plot);

/* ---- experiments ---- */

struct lab_run {
    const struct lab_data *data;
    uint64_t seed;
    bool quick; /* less precise, in a fraction of the time */
    struct buffer
        *factors; /* coates-unrelated appends a file of factors (compare/factors.h); NULL: it does not */
};

/* What an experiment uses of a run by itself: what it leaves out can be neither chosen nor varied. */
enum lab_use {
    LAB_USE_DATA = 1,
    LAB_USE_SEED = 2,
    LAB_USE_QUICK = 4,
    LAB_USE_PLOTS = 8, /* it has plots */
};

struct lab_experiment {
    const char *name;    /* "coates2011-speed" */
    const char *paper;   /* runs all of its experiments: "coates2011" */
    const char *source;  /* "Coates 2011, section 4.1" */
    const char *summary; /* one line */
    unsigned uses;       /* a set of enum lab_use */
    int (*run)(const struct lab_run *run, struct lab_document *out, struct error *err);
};

#endif
