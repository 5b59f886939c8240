/* SPDX-License-Identifier: Apache-2.0 */
#include "audit_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include "base/json_write.h"
#include "formats.h"
#include "report/report_values.h"

static const char *const names[AUDIT_STATUSES] = {"matched", "moved",   "varied",
                                                  "new",     "missing", "unreadable"};

static const struct csv_column columns[] = {
    {"status", false},   {"evidence", false}, {"volume", false}, {"address", false}, {"path", false},
    {"path_hex", false}, {"size", true},      {"sha1", false},   {"known", false},   {"known_hex", false},
    {"verdict", false},  {"score", true},     {"reason", false}};

bool audit_report_passes(const struct audit_report *report)
{
    for (int status = AUDIT_MOVED; status < AUDIT_STATUSES; status++)
        if (report->counts[status])
            return false;
    return true;
}

/* Files that could not be read decide nothing, and may be those that are missing. */
static const char *result_of(const struct audit_report *report, bool is_complete)
{
    const bool is_all = is_complete && !report->counts[AUDIT_UNREADABLE];

    for (int status = AUDIT_MOVED; status < AUDIT_UNREADABLE; status++)
        if (report->counts[status] && (is_all || status != AUDIT_MISSING))
            return "failed";
    return is_complete && audit_report_passes(report) ? "passed" : "incomplete";
}

void audit_report_words(const struct audit_report *report, bool is_complete, struct buffer *out)
{
    buffer_printf(out, "audit %s:", result_of(report, is_complete));
    for (int status = 0; status < AUDIT_STATUSES; status++)
        if (report->counts[status] || status != AUDIT_UNREADABLE) {
            buffer_add_text(out, status ? ", " : " ");
            report_values_number(out, report->counts[status]);
            buffer_printf(out, " %s", names[status]);
        }
}

/* ---- rows ---- */

static void put_text(struct buffer *line, const struct audit_row *row)
{
    buffer_printf(line, "%-10s ", names[row->status]);
    if (*row->volume && strcmp(row->volume, "-") != 0) {
        report_values_foreign(line, row->volume);
        buffer_add_char(line, '/');
    }
    report_values_foreign(line, *row->path ? row->path : row->address);
    if (row->status == AUDIT_MOVED || row->status == AUDIT_VARIED) {
        buffer_printf(line, " (%s ", row->finding ? finding_verdict_name(row->finding->verdict) : "known as");
        if (row->finding)
            buffer_printf(line, "%.3f of ", row->finding->score);
        escape_text(line, row->known, row->known_len);
        buffer_add_char(line, ')');
    }
    if (*row->reason) {
        buffer_add_text(line, ": ");
        report_values_foreign(line, row->reason);
    }
    buffer_add_char(line, '\n');
}

static bool has_sha1(const struct audit_row *row)
{
    return row->digests && row->digests->kinds & DIGEST_BIT(DIGEST_SHA1);
}

static void put_csv(struct buffer *line, const struct audit_row *row)
{
    struct buffer score = {0};

    csv_cell(line, names[row->status]);
    csv_foreign(line, row->evidence, strlen(row->evidence));
    csv_cell(line, row->volume);
    csv_cell(line, row->address);
    csv_path(line, row->path, strlen(row->path));
    if (row->has_size)
        csv_number(line, row->size);
    else
        csv_cell(line, "");
    csv_hex(line, has_sha1(row) ? row->digests->bytes[DIGEST_SHA1] : NULL,
            has_sha1(row) ? DIGEST_SHA1_LEN : 0);
    csv_path(line, row->known, row->known_len);
    csv_cell(line, row->finding ? finding_verdict_name(row->finding->verdict) : "");
    if (row->finding)
        buffer_printf(&score, "%.3f", row->finding->score);
    csv_text(line, &score);
    csv_foreign(line, row->reason, strlen(row->reason));
    csv_end_line(line);
    buffer_release(&score);
}

static void put_json(struct buffer *line, const struct audit_row *row)
{
    struct json_write out = {.to = line};

    json_write_open(&out, NULL, '{');
    json_write_text(&out, "status", names[row->status]);
    if (*row->evidence) {
        json_write_name(&out, "evidence", row->evidence, strlen(row->evidence));
        json_write_text(&out, "volume", row->volume);
        json_write_text(&out, "address", row->address);
    }
    json_write_name(&out, "path", row->path, strlen(row->path));
    if (row->has_size)
        json_write_number(&out, "size", row->size);
    if (has_sha1(row))
        json_write_hex(&out, "sha1", row->digests->bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    if (row->known_len)
        json_write_name(&out, "known", row->known, row->known_len);
    if (row->finding) {
        json_write_text(&out, "verdict", finding_verdict_name(row->finding->verdict));
        json_write_real(&out, "score", 3, row->finding->score);
    }
    if (*row->reason)
        json_write_bytes(&out, "reason", row->reason, strlen(row->reason));
    json_write_close(&out, '}');
    json_write_line(&out);
}

/* ---- the report ---- */

void audit_report_begin(struct audit_report *report)
{
    if (report->format != FORMAT_CSV)
        return;
    csv_header(&report->out.line, columns, sizeof columns / sizeof *columns);
    csv_end_line(&report->out.line);
    report_stream_put(&report->out, NULL);
}

void audit_report_row(struct audit_report *report, const struct audit_row *row)
{
    struct buffer *line = &report->out.line;

    report->counts[row->status]++;
    if (row->status == AUDIT_MATCHED && !report->all)
        return;
    if (report->format == FORMAT_CSV)
        put_csv(line, row);
    else if (report->format == FORMAT_JSON)
        put_json(line, row);
    else
        put_text(line, row);
    report_stream_put(&report->out, NULL);
}

void audit_report_end(struct audit_report *report, bool is_complete)
{
    struct buffer *line = &report->out.line;
    struct json_write out = {.to = line};

    if (report->format == FORMAT_TEXT) {
        audit_report_words(report, is_complete, line);
        buffer_add_char(line, '\n');
    } else if (report->format == FORMAT_JSON) {
        json_write_open(&out, NULL, '{');
        json_write_text(&out, "audit", result_of(report, is_complete));
        for (int status = 0; status < AUDIT_STATUSES; status++)
            json_write_number(&out, names[status], report->counts[status]);
        json_write_close(&out, '}');
        json_write_line(&out);
    }
    report_stream_put(&report->out, NULL);
}

void audit_report_release(struct audit_report *report)
{
    report_stream_release(&report->out);
}
