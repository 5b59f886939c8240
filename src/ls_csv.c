/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/csv.h"
#include "ls_report.h"
#include "ls_values.h"

static const struct csv_column columns[] = {
    {"evidence", false}, {"volume", false}, {"address", false}, {"kind", false},     {"path", false},
    {"path_hex", false}, {"size", true},    {"sha1", false},    {"allocated", true}, {"mtime", false},
    {"atime", false},    {"ctime", false},  {"crtime", false},  {"flags", false},    {"runs", false},
    {"also", false},     {"status", false}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void begin(struct ls_report *report)
{
    struct buffer *line = &report->out.line;

    if (report->is_account) {
        report_account_csv_header(line);
        return;
    }
    csv_header(line, columns, COLUMNS);
    for (int kind = DIGEST_MD5; kind < DIGEST_KINDS; kind++)
        if (report->digests & DIGEST_BIT(kind))
            csv_cell(line, digest_name((enum digest_kind)kind));
    csv_end_line(line);
}

static void begin_excel(struct ls_report *report)
{
    csv_bom(&report->out.line);
    begin(report);
}

static void add_digest(struct buffer *line, const struct digest_values *values, enum digest_kind kind)
{
    csv_hex(line, values->bytes[kind], values->kinds & DIGEST_BIT(kind) ? digest_len(kind) : 0);
}

/* Other names of the same object, separated by two slashes, which no path contains. */
static void add_also(struct buffer *line, const struct ls_entry *entry)
{
    const char *path = entry->paths;
    struct buffer also = {0};

    for (size_t i = 1; i < entry->path_count; i++) {
        path = ls_values_next(path);
        if (i > 1)
            buffer_add_text(&also, "//");
        buffer_add_text(&also, path);
    }
    csv_foreign(line, also.data ? also.data : "", also.len);
    buffer_inherit(line, &also);
    buffer_release(&also);
}

static void add_place(struct buffer *line, const struct ls_report *report, const struct ls_entry *entry,
                      struct buffer *text)
{
    csv_foreign(line, report->evidence, strlen(report->evidence));
    csv_cell(line, entry->volume->label);
    object_address(text, entry->object);
    csv_text(line, text);
    csv_cell(line, object_kind_name(entry->object->kind));
    csv_path(line, entry->paths, entry->path_count ? strlen(entry->paths) : 0);
    csv_number(line, entry->object->size);
}

static void add_properties(struct buffer *line, const struct object *object, struct buffer *text)
{
    csv_cell(line, object->flags & OBJECT_ALLOCATED ? "1" : "0");
    for (int i = 0; i < OBJECT_TIMES; i++) {
        ls_values_stamp(text, &object->times[i], REPORT_ZONE_UTC);
        csv_text(line, text);
    }
    ls_values_flags(text, object);
    csv_text(line, text);
    ls_values_runs(text, object);
    csv_text(line, text);
}

static void put_object(struct ls_report *report, const struct ls_entry *entry)
{
    struct buffer text = {0}, *line = &report->out.line;

    add_place(line, report, entry, &text);
    add_digest(line, entry->digests, DIGEST_SHA1);
    add_properties(line, entry->object, &text);
    add_also(line, entry);
    ls_values_state(&text, entry->object);
    csv_foreign(line, text.data, text.len);
    for (int kind = DIGEST_MD5; kind < DIGEST_KINDS; kind++)
        if (report->digests & DIGEST_BIT(kind))
            add_digest(line, entry->digests, (enum digest_kind)kind);
    csv_end_line(line);
    buffer_inherit(line, &text);
    buffer_release(&text);
}

static void put_object_excel(struct ls_report *report, const struct ls_entry *entry)
{
    const size_t from = report->out.line.len;

    put_object(report, entry);
    csv_excel(&report->out.line, from, columns, COLUMNS);
}

static void put_account(struct ls_report *report, const struct report_account *account)
{
    report_account_csv(account, &report->out.line, report->evidence);
}

static void put_account_excel(struct ls_report *report, const struct report_account *account)
{
    report_account_csv_excel(account, &report->out.line, report->evidence);
}

const struct ls_operations ls_csv = {
    .begin = begin, .object = put_object, .whole = ls_report_whole_object, .account = put_account};
const struct ls_operations ls_csv_excel = {.begin = begin_excel,
                                           .object = put_object_excel,
                                           .whole = ls_report_whole_object,
                                           .account = put_account_excel};
