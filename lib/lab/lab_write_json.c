/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/escape.h"
#include "lab/lab_inner.h"
#include "lab/lab_write.h"

static void add_string(struct buffer *out, const char *text)
{
    escape_json(out, text, strlen(text));
}

/* "name":"text", with a comma after it. */
static void add_pair(struct buffer *out, const char *name, const char *text)
{
    buffer_printf(out, "\"%s\":", name);
    add_string(out, text);
    buffer_add_char(out, ',');
}

static void begin(const char *title, struct buffer *out)
{
    buffer_add_char(out, '{');
    add_pair(out, "title", title);
    buffer_add_text(out, "\"documents\":[");
}

static void end(struct buffer *out)
{
    buffer_add_text(out, "\n]}\n");
}

static void add_columns(const struct lab_table *table, struct buffer *out)
{
    for (size_t i = 0; i < table->width; i++) {
        buffer_add_text(out, i ? ",{" : "{");
        add_pair(out, "name", table->columns[i].name);
        add_pair(out, "unit", table->columns[i].unit);
        buffer_printf(out, "\"paper\":%s}", table->columns[i].is_paper ? "true" : "false");
    }
}

static void add_cell(const struct lab_cell *cell, struct buffer *out)
{
    if (cell->kind == LAB_TEXT)
        add_string(out, cell->text);
    else if (cell->kind == LAB_NUMBER)
        buffer_printf(out, "%.9g", cell->number);
    else
        buffer_add_text(out, "null");
}

static void add_table(const struct lab_table *table, struct buffer *out)
{
    add_pair(out, "table", table->name);
    add_pair(out, "caption", table->caption);
    buffer_add_text(out, "\"columns\":[");
    add_columns(table, out);
    buffer_add_text(out, "],\"rows\":[");
    for (size_t i = 0; i < table->count; i++) {
        const size_t column = i % table->width;

        buffer_add_text(out, column ? "," : i ? "],\n  [" : "\n  [");
        add_cell(&table->cells[i], out);
    }
    buffer_add_text(out, table->count ? "]]" : "]");
}

static void add_axis(const char *axis, const char *name, const char *unit, bool is_log, struct buffer *out)
{
    buffer_printf(out, "\"%s\":{", axis);
    add_pair(out, "name", name);
    add_pair(out, "unit", unit);
    buffer_printf(out, "\"log\":%s},", is_log ? "true" : "false");
}

static void add_plot(const struct lab_plot *plot, struct buffer *out)
{
    add_pair(out, "plot", plot->name);
    add_pair(out, "caption", plot->caption);
    add_axis("x", plot->axes.x_name, plot->axes.x_unit, plot->axes.log_x, out);
    add_axis("y", plot->axes.y_name, plot->axes.y_unit, plot->axes.log_y, out);
    buffer_add_text(out, "\"series\":[");
    for (size_t i = 0; i < plot->count; i++) {
        const struct lab_line *line = &plot->lines[i];

        buffer_add_text(out, i ? ",\n  {" : "\n  {");
        add_pair(out, "label", line->label);
        buffer_add_text(out, "\"points\":[");
        for (size_t k = 0; k < line->count; k++)
            buffer_printf(out, "%s[%.9g,%.9g]", k ? "," : "", line->places[k].x, line->places[k].y);
        buffer_add_text(out, "]}");
    }
    buffer_add_char(out, ']');
}

static void add_item(const struct lab_item *item, struct buffer *out)
{
    if (item->table)
        add_table(item->table, out);
    else if (item->plot)
        add_plot(item->plot, out);
    else {
        buffer_printf(out, "\"%s\":", item->kind == LAB_HEADING ? "heading" : "remark");
        add_string(out, item->text);
    }
}

static void document(const struct lab_document *document, bool is_first, struct buffer *out)
{
    buffer_add_text(out, is_first ? "\n{" : ",\n{");
    add_pair(out, "name", document->name);
    add_pair(out, "title", document->title);
    add_pair(out, "source", document->source);
    buffer_add_text(out, "\"items\":[");
    for (size_t i = 0; i < document->count; i++) {
        buffer_add_text(out, i ? ",\n {" : "\n {");
        add_item(&document->items[i], out);
        buffer_add_char(out, '}');
    }
    buffer_add_text(out, "]}");
}

const struct lab_write_form lab_write_json = {begin, document, end};
