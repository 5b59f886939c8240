/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"

#include <string.h>

#include "base/escape.h"

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

    /* Some readers treat an unquoted semicolon as a separator, too.  An empty first cell is quoted because
     * the next cell puts a comma only after text. */
    for (size_t i = 0; i < len && !quote; i++)
        quote = text[i] == ',' || text[i] == ';' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    quote = quote || (len > 0 && (text[0] == ' ' || text[len - 1] == ' ')) ||
            (len == 0 && (out->len == 0 || out->data[out->len - 1] == '\n'));
    if (quote)
        add_quoted(out, text, len);
    else
        buffer_add(out, text, len);
}

/* Most cells: letters, digits and points, which never need quoting. */
static bool is_plain(const char *text, size_t len)
{
    static const bool always[256] = {
        ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true,
        ['.'] = true,         ['/'] = true,         [':'] = true};

    for (size_t i = 0; i < len; i++)
        if (!always[(unsigned char)text[i]] &&
            !(i > 0 && (text[i] == '-' || text[i] == '@' || text[i] == '+')))
            return false;
    return len > 0;
}

void csv_cell(struct buffer *out, const char *text)
{
    struct buffer escaped = {0};

    begin_cell(out);
    if (is_plain(text, strlen(text))) {
        buffer_add_text(out, text);
        return;
    }
    escape_text(&escaped, text, strlen(text));
    add_cell(out, escaped.data ? escaped.data : "", escaped.len);
    out->failed = out->failed || escaped.failed;
    buffer_release(&escaped);
}

/* Characters that start a formula in spreadsheets; some accept the full-width forms, the last four, too. */
static bool is_formula(const char *p, const char *end)
{
    static const char *const signs[] = {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"};

    while (p < end && (*p == ' ' || *p == '"' || *p == '\''))
        p++;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t len = strlen(signs[i]);

        if ((size_t)(end - p) >= len && memcmp(p, signs[i], len) == 0)
            return true;
    }
    return false;
}

/* Inserts an apostrophe wherever a reader may start a cell with what looks like a formula. */
static void add_tamed(struct buffer *out, const char *text, size_t len)
{
    const char *const end = text + len;

    for (const char *p = text; p < end;) {
        const char *semicolon = memchr(p, ';', (size_t)(end - p)), *stop = semicolon ? semicolon + 1 : end;

        if (is_formula(p, end))
            buffer_add_char(out, '\'');
        buffer_add(out, p, (size_t)(stop - p));
        p = stop;
    }
}

bool csv_foreign(struct buffer *out, const char *data, size_t len)
{
    struct buffer escaped = {0}, text = {0};
    bool changed;

    begin_cell(out);
    if (is_plain(data, len)) {
        buffer_add(out, data, len);
        return false;
    }
    if (!escape_needed(data, len) && !memchr(data, ';', len) && !is_formula(data, data + len)) {
        add_cell(out, data, len);
        return false;
    }
    escape_text(&escaped, data, len);
    add_tamed(&text, escaped.data ? escaped.data : "", escaped.len);
    changed = text.len != len || escape_needed(data, len);
    add_cell(out, text.data ? text.data : "", text.len);
    buffer_inherit(out, &escaped);
    buffer_inherit(out, &text);
    buffer_release(&escaped);
    buffer_release(&text);
    return changed;
}

void csv_number(struct buffer *out, uint64_t number)
{
    begin_cell(out);
    buffer_add_number(out, number);
}

void csv_text(struct buffer *out, struct buffer *text)
{
    buffer_add_char(text, '\0');
    csv_cell(out, text->failed ? "" : text->data);
    buffer_inherit(out, text);
    buffer_reset(text);
}

void csv_hex(struct buffer *out, const void *data, size_t len)
{
    begin_cell(out);
    if (len)
        escape_hex(out, data, len);
    else
        add_cell(out, "", 0);
}

void csv_path(struct buffer *out, const char *path, size_t len)
{
    const bool changed = csv_foreign(out, path, len);

    csv_hex(out, path, changed ? len : 0);
}

void csv_end_line(struct buffer *out)
{
    buffer_add_text(out, "\r\n");
}

/* ---- columns, and records for spreadsheets ---- */

enum { EXACT_DIGITS = 15, MOST_QUOTED = 255 };

void csv_header(struct buffer *out, const struct csv_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_add_text(out, i ? "," : "");
        buffer_add_text(out, columns[i].name);
    }
}

void csv_bom(struct buffer *out)
{
    buffer_add_text(out, "\xef\xbb\xbf");
}

/* Reads the cell at p without its quotes; returns where it ends. */
static const char *read_cell(struct buffer *cell, const char *p, const char *end)
{
    bool quoted = p < end && *p == '"';

    buffer_reset(cell);
    for (p += quoted; p < end; p++) {
        if (quoted && *p == '"' && ++p < end && *p != '"')
            quoted = false;
        if (p == end || (!quoted && (*p == ',' || *p == '\r')))
            break;
        buffer_add_char(cell, *p);
    }
    return p;
}

/* A count that a spreadsheet would round, or what is no number at all, is text. */
static bool stays_number(const struct buffer *cell)
{
    if (strspn(cell->data, "0123456789") >= cell->len)
        return cell->len <= EXACT_DIGITS;
    return strspn(cell->data, "0123456789.e+-") >= cell->len;
}

static void add_formula(struct buffer *out, const struct buffer *cell)
{
    buffer_add_text(out, "\"=\"\"");
    for (size_t i = 0; i < cell->len; i++)
        if (cell->data[i] == '"')
            buffer_add_text(out, "\"\"\"\"");
        else
            buffer_add_char(out, cell->data[i]);
    buffer_add_text(out, "\"\"\"");
}

/* The cell is terminated. */
static void add_for_excel(struct buffer *out, struct buffer *cell, bool is_number)
{
    if (cell->len == 0)
        return;
    if (is_number && stays_number(cell)) {
        buffer_add(out, cell->data, cell->len);
    } else if (cell->len <= MOST_QUOTED) {
        add_formula(out, cell);
    } else {
        const bool begins_number = cell->data[0] >= '0' && cell->data[0] <= '9';

        buffer_add_text(out, begins_number ? "\"'" : "\"");
        for (size_t i = 0; i < cell->len; i++) {
            buffer_add_text(out, cell->data[i] == '"' ? "\"" : "");
            buffer_add_char(out, cell->data[i]);
        }
        buffer_add_char(out, '"');
    }
}

static void rewrite(struct buffer *out, const char *p, const char *end, const struct csv_column *columns,
                    size_t count)
{
    struct buffer cell = {0};
    size_t column = 0;

    while (p < end) {
        p = read_cell(&cell, p, end);
        buffer_add_char(&cell, '\0');
        if (cell.failed)
            break;
        cell.len--;
        add_for_excel(out, &cell, column < count && columns[column].is_number);
        if (p < end && *p == ',') {
            buffer_add_char(out, *p++);
            column++;
        } else {
            csv_end_line(out);
            p += p < end ? 2 : 0; /* CR LF */
            column = 0;
        }
    }
    buffer_inherit(out, &cell);
    buffer_release(&cell);
}

void csv_excel(struct buffer *out, size_t from, const struct csv_column *columns, size_t count)
{
    struct buffer records = {0};

    if (out->failed || out->len == from)
        return;
    buffer_add(&records, out->data + from, out->len - from);
    out->len = from;
    if (!records.failed)
        rewrite(out, records.data, records.data + records.len, columns, count);
    buffer_inherit(out, &records);
    buffer_release(&records);
}
