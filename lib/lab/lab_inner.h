/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_INNER_H
#define KITH_LAB_INNER_H

#include <stdarg.h>

#include "base/buffer.h"
#include "lab/lab.h"

/* What a document holds, for the files of this module. */

enum lab_item_kind { LAB_HEADING, LAB_REMARK, LAB_TABLE, LAB_PLOT };

struct lab_item {
    enum lab_item_kind kind;
    char *text; /* of a heading or remark */
    struct lab_table *table;
    struct lab_plot *plot;
};

struct lab_document {
    char *name, *title, *source;
    struct lab_item *items;
    size_t count, room;
    bool failed;
};

enum lab_cell_kind { LAB_EMPTY, LAB_NUMBER, LAB_TEXT };

struct lab_cell {
    enum lab_cell_kind kind;
    double number;
    char *text;
};

struct lab_table {
    char *name, *caption;
    const struct lab_column *columns;
    size_t width; /* number of columns */
    struct lab_cell *cells;
    size_t count, room; /* cells */
    bool failed;
};

struct lab_place {
    double x, y;
};

struct lab_line {
    char *label;
    bool is_scatter;
    struct lab_place *places;
    size_t count, room;
};

struct lab_plot {
    char *name, *caption;
    struct lab_axes axes;
    struct lab_line *lines;
    size_t count, room;
    bool failed;
};

/* Formatted text, to be freed by the caller; NULL without memory. */
char *lab_table_format(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));
/* Free what they hold, and themselves; NULL is allowed. */
void lab_table_free(struct lab_table *table);
void lab_plot_free(struct lab_plot *plot);

/* Appends the text of a cell: what the writers print, before any escaping. */
void lab_table_cell(const struct lab_table *table, size_t row, size_t column, struct buffer *out);
/* Appends the plot as an SVG element, escaped. */
void lab_plot_draw(const struct lab_plot *plot, struct buffer *out);

#endif
