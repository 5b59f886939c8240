/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/escape.h"
#include "lab/lab_inner.h"
#include "lab/lab_write.h"
#include "report/report_columns.h"

/* Tables in columns, with the names, the units and a mark of the paper's figures above them. */

enum {
    WIDTH = 100, /* of paragraphs */
    HEAD_LINES = 3,
    GAP = 2,
};

static void begin(const char *title, struct buffer *out)
{
    (void)title;
    (void)out;
}

static void end(struct buffer *out)
{
    (void)out;
}

static void add_escaped(struct buffer *out, const char *text)
{
    escape_text(out, text, strlen(text));
}

static void add_paragraph(struct buffer *out, const char *text)
{
    struct report_columns_lines lines = {.out = out, .width = WIDTH};
    struct buffer escaped = {0};

    add_escaped(&escaped, text);
    report_columns_text(&lines, escaped.data ? escaped.data : "", escaped.len);
    buffer_add_char(out, '\n');
    buffer_inherit(out, &escaped);
    buffer_release(&escaped);
}

static void add_underlined(struct buffer *out, const char *text, char line)
{
    const size_t from = out->len;
    unsigned columns;

    add_escaped(out, text);
    columns = out->len > from ? report_columns(out->data + from, out->len - from) : 0;
    buffer_add_char(out, '\n');
    for (; columns > 0; columns--)
        buffer_add_char(out, line);
    buffer_add_char(out, '\n');
}

/* ---- tables ---- */

static const char *head(const struct lab_column *column, unsigned line)
{
    return line == 0 ? column->name : line == 1 ? column->unit : column->is_paper ? "(paper)" : "";
}

/* The text of a cell; rows before the first are those of the head. */
static void get_cell(const struct lab_table *table, size_t row, size_t column, struct buffer *out)
{
    struct buffer plain = {0};

    buffer_reset(out);
    if (row < HEAD_LINES) {
        add_escaped(out, head(&table->columns[column], (unsigned)row));
        return;
    }
    lab_table_cell(table, row - HEAD_LINES, column, &plain);
    escape_text(out, plain.data, plain.len);
    buffer_inherit(out, &plain);
    buffer_release(&plain);
}

static unsigned cell_width(const struct buffer *cell)
{
    return cell->len ? report_columns(cell->data, cell->len) : 0;
}

static void add_line(const struct lab_table *table, size_t row, const unsigned *widths, struct buffer *out)
{
    struct buffer cell = {0};
    unsigned blanks = 0; /* not written at the end of a line */

    for (size_t column = 0; column < table->width; column++) {
        const bool is_words = table->columns[column].digits == LAB_WORDS;
        unsigned free_columns;

        get_cell(table, row, column, &cell);
        free_columns = widths[column] - cell_width(&cell);
        blanks += is_words ? 0 : free_columns;
        if (cell.len) {
            buffer_printf(out, "%*s", (int)blanks, "");
            buffer_add(out, cell.data, cell.len);
            blanks = 0;
        } else {
            blanks += is_words ? free_columns : 0;
            blanks += GAP;
            continue;
        }
        blanks += GAP + (is_words ? free_columns : 0);
    }
    buffer_add_char(out, '\n');
    buffer_inherit(out, &cell);
    buffer_release(&cell);
}

static bool is_empty_line(const struct lab_table *table, unsigned line)
{
    for (size_t column = 0; column < table->width; column++)
        if (*head(&table->columns[column], line))
            return false;
    return true;
}

static void add_table(const struct lab_table *table, struct buffer *out)
{
    enum { MOST_COLUMNS = 32 };
    unsigned widths[MOST_COLUMNS] = {0};
    const size_t rows = HEAD_LINES + table->count / table->width;
    struct buffer cell = {0};

    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < table->width && column < MOST_COLUMNS; column++) {
            unsigned width;

            get_cell(table, row, column, &cell);
            width = cell_width(&cell);
            widths[column] = widths[column] > width ? widths[column] : width;
        }
    buffer_inherit(out, &cell);
    buffer_release(&cell);
    add_paragraph(out, table->caption);
    buffer_add_char(out, '\n');
    for (size_t row = 0; row < rows; row++)
        if (row >= HEAD_LINES || !is_empty_line(table, (unsigned)row))
            add_line(table, row, widths, out);
}

static void document(const struct lab_document *document, bool is_first, struct buffer *out)
{
    if (!is_first)
        buffer_add_text(out, "\n\n");
    add_underlined(out, document->title, '=');
    add_paragraph(out, document->source);
    for (size_t i = 0; i < document->count; i++) {
        const struct lab_item *item = &document->items[i];

        buffer_add_char(out, '\n');
        if (item->kind == LAB_HEADING)
            add_underlined(out, item->text, '-');
        else if (item->kind == LAB_REMARK)
            add_paragraph(out, item->text);
        else if (item->table)
            add_table(item->table, out);
        else
            buffer_printf(out, "Plot %s: --plots or --format html\n", item->plot->name);
    }
}

const struct lab_write_form lab_write_text = {begin, document, end};
