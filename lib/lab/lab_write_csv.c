/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"
#include "lab/lab_inner.h"
#include "lab/lab_write.h"

/* One line for each cell that is not empty, so that all tables have the same columns. */

static void begin(const char *title, struct buffer *out)
{
    static const struct csv_column columns[] = {{"experiment", false}, {"table", false}, {"row", true},
                                                {"column", false},     {"unit", false},  {"paper", true},
                                                {"value", true}};

    (void)title;
    csv_header(out, columns, sizeof columns / sizeof *columns);
    csv_end_line(out);
}

static void end(struct buffer *out)
{
    (void)out;
}

/* Cells are built on a line of their own: csv_cell puts commas between the cells of one line. */
static void add_cell(const struct lab_document *document, const struct lab_table *table, size_t index,
                     struct buffer *out)
{
    const size_t row = index / table->width, column = index % table->width;
    struct buffer line = {0}, text = {0};

    csv_cell(&line, document->name);
    csv_cell(&line, table->name);
    csv_number(&line, row + 1);
    csv_cell(&line, table->columns[column].name);
    csv_cell(&line, table->columns[column].unit);
    csv_number(&line, table->columns[column].is_paper);
    lab_table_cell(table, row, column, &text);
    if (table->cells[index].kind == LAB_NUMBER)
        csv_text(&line, &text);
    else
        csv_foreign(&line, text.data, text.len);
    csv_end_line(&line);
    if (line.len)
        buffer_add(out, line.data, line.len);
    buffer_inherit(out, &line);
    buffer_inherit(out, &text);
    buffer_release(&line);
    buffer_release(&text);
}

static void document(const struct lab_document *document, bool is_first, struct buffer *out)
{
    (void)is_first;
    for (size_t i = 0; i < document->count; i++) {
        const struct lab_table *table = document->items[i].table;

        for (size_t cell = 0; table && cell < table->count; cell++)
            if (table->cells[cell].kind != LAB_EMPTY)
                add_cell(document, table, cell, out);
    }
}

const struct lab_write_form lab_write_csv = {begin, document, end};
