/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_account.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include "base/json_write.h"

int report_account_add(struct report_account *report, const char *label, const struct account_table *table)
{
    struct report_account_part *parts;
    struct account_table *sum;
    size_t i = 0;

    while (i < report->count && strcmp(report->parts[i].label, label) != 0)
        i++;
    if (i == report->count) {
        parts = realloc(report->parts, (report->count + 1) * sizeof *parts);
        if (!parts)
            return -1;
        report->parts = parts;
        parts[i] = (struct report_account_part){.label = strdup(label)};
        if (!parts[i].label)
            return -1;
        report->count++;
    }
    sum = &report->parts[i].table;
    sum->len += table->len;
    for (int row = 0; row < ACCOUNT_ROWS; row++) {
        sum->objects[row] += table->objects[row];
        sum->bytes[row] += table->bytes[row];
    }
    return 0;
}

void report_account_reset(struct report_account *report)
{
    for (size_t i = 0; i < report->count; i++)
        free(report->parts[i].label);
    free(report->parts);
    *report = (struct report_account){0};
}

uint64_t report_account_total(const struct report_account *report)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < report->count; i++)
        sum += account_sum(&report->parts[i].table);
    return sum;
}

static uint64_t total_objects(const struct report_account *report)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < report->count; i++)
        for (int row = 0; row < ACCOUNT_ROWS; row++)
            sum += report->parts[i].table.objects[row];
    return sum;
}

static bool is_empty(const struct account_table *table, unsigned row)
{
    return table->objects[row] == 0 && table->bytes[row] == 0;
}

/* ---- forms ---- */

static void text_row(struct buffer *out, unsigned indent, const char *name, uint64_t objects, uint64_t bytes)
{
    buffer_printf(out, "%*s%-14s %12" PRIu64 " %20" PRIu64 "\n", (int)indent, "", name, objects, bytes);
}

void report_account_text(const struct report_account *report, struct buffer *out, unsigned indent)
{
    buffer_printf(out, "%*s%-14s %12s %20s\n", (int)indent, "", "kind", "objects", "bytes");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_account_part *part = &report->parts[i];

        buffer_printf(out, "%*s", (int)indent, "");
        if (strcmp(part->label, "-") != 0) {
            buffer_add_text(out, "volume ");
            escape_text(out, part->label, strlen(part->label));
        } else {
            buffer_add_text(out, report->count > 1 ? "outside of volumes" : "no partition table");
        }
        buffer_add_char(out, '\n');
        for (unsigned row = 0; row < ACCOUNT_ROWS; row++)
            if (!is_empty(&part->table, row))
                text_row(out, indent, account_row_name(row), part->table.objects[row],
                         part->table.bytes[row]);
    }
    text_row(out, indent, "total", total_objects(report), report_account_total(report));
}

static const struct csv_column columns[] = {
    {"evidence", false}, {"volume", false}, {"kind", false}, {"objects", true}, {"bytes", true}};

enum { COLUMNS = sizeof columns / sizeof *columns };

void report_account_csv_header(struct buffer *out)
{
    csv_header(out, columns, COLUMNS);
    csv_end_line(out);
}

typedef void row_writer(struct buffer *out, const char *evidence, const char *label, const char *name,
                        uint64_t objects, uint64_t bytes);

static void write_rows(const struct report_account *report, struct buffer *out, const char *evidence,
                       row_writer *write)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct account_table *table = &report->parts[i].table;

        for (unsigned row = 0; row < ACCOUNT_ROWS; row++)
            if (!is_empty(table, row))
                write(out, evidence, report->parts[i].label, account_row_name(row), table->objects[row],
                      table->bytes[row]);
    }
    write(out, evidence, "", "total", total_objects(report), report_account_total(report));
}

static void csv_row(struct buffer *out, const char *evidence, const char *label, const char *name,
                    uint64_t objects, uint64_t bytes)
{
    csv_foreign(out, evidence, strlen(evidence));
    csv_cell(out, label);
    csv_cell(out, name);
    buffer_printf(out, ",%" PRIu64 ",%" PRIu64, objects, bytes);
    csv_end_line(out);
}

void report_account_csv(const struct report_account *report, struct buffer *out, const char *evidence)
{
    write_rows(report, out, evidence, csv_row);
}

void report_account_csv_excel(const struct report_account *report, struct buffer *out, const char *evidence)
{
    const size_t from = out->len;

    report_account_csv(report, out, evidence);
    csv_excel(out, from, columns, COLUMNS);
}

static void json_row(struct buffer *out, const char *evidence, const char *label, const char *name,
                     uint64_t objects, uint64_t bytes)
{
    struct json_write json = {.to = out};

    json_write_open(&json, NULL, '{');
    json_write_text(&json, "evidence", evidence);
    json_write_text(&json, "volume", label);
    json_write_text(&json, "kind", name);
    json_write_number(&json, "objects", objects);
    json_write_number(&json, "bytes", bytes);
    json_write_close(&json, '}');
    json_write_line(&json);
}

void report_account_json(const struct report_account *report, struct buffer *out, const char *evidence)
{
    write_rows(report, out, evidence, json_row);
}
