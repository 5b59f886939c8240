/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <string.h>

#include "escape.h"

static void begin_cell(struct buffer *out)
{
    if (out->len && out->data[out->len - 1] != '\n')
        buffer_add_char(out, ',');
}

static void add_quoted(struct buffer *out, const char *text, size_t len)
{
    buffer_add_char(out, '"');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            buffer_add_char(out, '"');
        buffer_add_char(out, text[i]);
    }
    buffer_add_char(out, '"');
}

static void add_cell(struct buffer *out, const char *text, size_t len)
{
    bool quote = false;

    /* A line's first cell must not be nothing, or its comma would be missing. */
    for (size_t i = 0; i < len && !quote; i++)
        quote = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    quote = quote || (len > 0 && (text[0] == ' ' || text[len - 1] == ' ')) ||
            (len == 0 && (out->len == 0 || out->data[out->len - 1] == '\n'));
    if (quote)
        add_quoted(out, text, len);
    else
        buffer_add(out, text, len);
}

void csv_cell(struct buffer *out, const char *text)
{
    begin_cell(out);
    add_cell(out, text, strlen(text));
}

bool csv_foreign(struct buffer *out, const char *data, size_t len)
{
    struct buffer text = {0};
    bool formula = len > 0 && data[0] && strchr("=+-@", data[0]),
         changed = formula || escape_needed(data, len);

    begin_cell(out);
    if (formula)
        buffer_add_char(&text, '\'');
    escape_text(&text, data, len);
    add_cell(out, text.data ? text.data : "", text.len);
    buffer_release(&text);
    return changed;
}

void csv_end_line(struct buffer *out)
{
    buffer_add_text(out, "\r\n");
}
