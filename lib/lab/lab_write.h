/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_WRITE_H
#define KITH_LAB_WRITE_H

#include "base/buffer.h"
#include "lab/lab.h"

/*
 * Documents as text: begin, then each document, then end, all appended to one buffer or to a buffer that is
 * emptied in between.  What comes from the user, such as file names, is escaped.
 *
 *   text   for a terminal; plots are named only
 *   csv    a line for each cell: experiment, table, row, column, unit, paper (1 for the paper's figure),
 * value json   one object, with an array of documents: all tables, plots and remarks html   one page that
 * needs no other file; the plots are part of it
 */
struct lab_write_form {
    void (*begin)(const char *title, struct buffer *out);
    void (*document)(const struct lab_document *document, bool is_first, struct buffer *out);
    void (*end)(struct buffer *out);
};

extern const struct lab_write_form lab_write_text;
extern const struct lab_write_form lab_write_csv;
extern const struct lab_write_form lab_write_json;
extern const struct lab_write_form lab_write_html;

/* Appends the plot as an SVG file. */
void lab_write_svg(const struct lab_plot *plot, struct buffer *out);

#endif
