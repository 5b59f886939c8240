/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/escape.h"
#include "lab/lab_inner.h"
#include "lab/lab_write.h"

/* A page without references to others; the paper's figures have a grey ground. */

static void add_text(struct buffer *out, const char *text)
{
    escape_xml(out, text, strlen(text));
}

static void add_element(struct buffer *out, const char *element, const char *text)
{
    buffer_printf(out, "<%s>", element);
    add_text(out, text);
    buffer_printf(out, "</%s>\n", element);
}

static void begin(const char *title, struct buffer *out)
{
    buffer_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n");
    add_element(out, "title", title);
    buffer_add_text(
        out,
        "<style>\n"
        "body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff;\n"
        "  font: 16px/1.5 system-ui, sans-serif }\n"
        "h1 { font-size: 1.7rem } h2 { font-size: 1.35rem; margin-top: 3rem } h3 { font-size: 1.1rem }\n"
        "p { max-width: 52rem } p.source { color: #555 }\n"
        "figure { margin: 1.5rem 0; overflow-x: auto }\n"
        "table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums }\n"
        "caption { text-align: left; font-weight: 600; padding-bottom: .4rem; font-size: .95rem }\n"
        "th, td { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: "
        "top }\n"
        "th { border-bottom: 2px solid #555 } th span { display: block; font-weight: 400; color: #555 }\n"
        ".words { text-align: left; min-width: 5rem } .paper { background: #eee }\n"
        "svg { max-width: 100%; height: auto }\n"
        "@media print { body { font-size: 10pt; max-width: none } figure { break-inside: avoid; overflow: "
        "visible }\n"
        "  table { font-size: 6.5pt } th, td { padding: .1rem .3rem } }\n"
        "</style>\n</head>\n<body>\n");
    add_element(out, "h1", title);
}

static void end(struct buffer *out)
{
    buffer_add_text(out, "</body>\n</html>\n");
}

static const char *class_of(const struct lab_column *column)
{
    const bool is_words = column->digits == LAB_WORDS;

    return column->is_paper ? is_words ? " class=\"words paper\"" : " class=\"paper\""
           : is_words       ? " class=\"words\""
                            : "";
}

static void add_span(struct buffer *out, const char *text)
{
    if (*text)
        add_element(out, "span", text);
}

static void add_head(const struct lab_table *table, struct buffer *out)
{
    buffer_add_text(out, "<thead>\n<tr>");
    for (size_t i = 0; i < table->width; i++) {
        const struct lab_column *column = &table->columns[i];

        buffer_printf(out, "<th scope=\"col\"%s>", class_of(column));
        add_text(out, column->name);
        add_span(out, column->unit);
        add_span(out, column->is_paper ? "paper" : "");
        buffer_add_text(out, "</th>");
    }
    buffer_add_text(out, "</tr>\n</thead>\n");
}

static void add_table(const struct lab_table *table, struct buffer *out)
{
    struct buffer cell = {0};

    buffer_add_text(out, "<figure>\n<table id=\"");
    add_text(out, table->name);
    buffer_add_text(out, "\">\n");
    add_element(out, "caption", table->caption);
    add_head(table, out);
    buffer_add_text(out, "<tbody>\n");
    for (size_t i = 0; i < table->count; i++) {
        const size_t column = i % table->width;

        buffer_printf(out, "%s<td%s>", column ? "" : "<tr>", class_of(&table->columns[column]));
        buffer_reset(&cell);
        lab_table_cell(table, i / table->width, column, &cell);
        escape_xml(out, cell.data, cell.len);
        buffer_printf(out, "</td>%s", column + 1 == table->width ? "</tr>\n" : "");
    }
    buffer_add_text(out, "</tbody>\n</table>\n</figure>\n");
    buffer_inherit(out, &cell);
    buffer_release(&cell);
}

static void document(const struct lab_document *document, bool is_first, struct buffer *out)
{
    (void)is_first;
    buffer_add_text(out, "<section>\n");
    add_element(out, "h2", document->title);
    buffer_add_text(out, "<p class=\"source\">");
    add_text(out, document->source);
    buffer_add_text(out, "</p>\n");
    for (size_t i = 0; i < document->count; i++) {
        const struct lab_item *item = &document->items[i];

        if (item->table)
            add_table(item->table, out);
        else if (item->plot) {
            buffer_add_text(out, "<figure>\n");
            lab_plot_draw(item->plot, out);
            buffer_add_text(out, "</figure>\n");
        } else
            add_element(out, item->kind == LAB_HEADING ? "h3" : "p", item->text);
    }
    buffer_add_text(out, "</section>\n");
}

const struct lab_write_form lab_write_html = {begin, document, end};

void lab_write_svg(const struct lab_plot *plot, struct buffer *out)
{
    buffer_add_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    lab_plot_draw(plot, out);
}
