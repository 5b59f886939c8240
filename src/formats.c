/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

#include <stdio.h>
#include <string.h>

#include "export_report.h"
#include "lab/lab_write.h"
#include "ls_report.h"
#include "report/report.h"

/* ---- the tables ---- */

static const struct format ls[] = {
    {"text", "long", &ls_table, 0}, {"summary", "summary", &ls_summary, 0},
    {"csv", "csv", &ls_csv, 0},     {"excel", "excel", &ls_csv_excel, 0},
    {"json", "json", &ls_json, 0},  {"body", "body", &ls_body, 0},
    {NULL, NULL, NULL, 0},
};

static const struct format rows[] = {
    {"text", "text", &report_text, 0},
    {"csv", "csv", &report_csv, 0},
    {"excel", "excel", &report_csv_excel, 0},
    {"jsonl", "json", &report_jsonl, 0},
    {"timesketch", NULL, &report_timesketch, 0},
    {"dfxml", NULL, &report_dfxml, 0},
    {"html", NULL, &report_html, 0},
    {"case", NULL, &report_uco, 0},
    {"summary", NULL, &report_overview, 0},
    {NULL, NULL, NULL, 0},
};

static const struct format export[] = {
    {"csv", "csv", NULL, EXPORT_CSV},
    {"json", "json", NULL, EXPORT_JSON},
    {"sha1sum", "sha1sum", NULL, EXPORT_SHA1SUM},
    {"hashdeep", "hashdeep", NULL, EXPORT_HASHDEEP},
    {"kdb", "kdb", NULL, FORMAT_KDB},
    {NULL, NULL, NULL, 0},
};

static const struct format compare[] = {
    {"text", NULL, NULL, FORMAT_TEXT},
    {"json", "json", NULL, FORMAT_JSON},
    {"html", NULL, NULL, FORMAT_HTML},
    {NULL, NULL, NULL, 0},
};

static const struct format text_json[] = {
    {"text", NULL, NULL, FORMAT_TEXT},
    {"json", "json", NULL, FORMAT_JSON},
    {NULL, NULL, NULL, 0},
};

static const struct format text_csv[] = {
    {"text", NULL, NULL, FORMAT_TEXT},
    {"csv", "csv", NULL, FORMAT_CSV},
    {NULL, NULL, NULL, 0},
};

static const struct format text_csv_json[] = {
    {"text", NULL, NULL, FORMAT_TEXT},
    {"csv", "csv", NULL, FORMAT_CSV},
    {"json", "json", NULL, FORMAT_JSON},
    {NULL, NULL, NULL, 0},
};

static const struct format lab[] = {
    {"text", NULL, &lab_write_text, 0},
    {"csv", "csv", &lab_write_csv, 0},
    {"json", "json", &lab_write_json, 0},
    {"html", "html", &lab_write_html, 0},
    {NULL, NULL, NULL, 0},
};

static const char *format_name(const void *table, size_t index)
{
    return ((const struct format *)table)[index].name;
}

#define TABLE(rows)                                                                                          \
    {                                                                                                        \
        "format", "formats", false, format_name, rows                                                        \
    }

const struct values formats_ls = TABLE(ls), formats_rows = TABLE(rows), formats_export = TABLE(export),
                    formats_compare = TABLE(compare), formats_sign = TABLE(text_json),
                    formats_sets_list = TABLE(text_csv), formats_sets_info = TABLE(text_json),
                    formats_sets = TABLE(text_csv_json), formats_cluster = TABLE(text_csv_json),
                    formats_lab = TABLE(lab);

/* ---- choosing ---- */

static const struct format *find_synonym(const struct command *command, const char *option)
{
    const struct option_spec *spec = command->options;

    while (strcmp(spec->name, "format") != 0)
        spec++;
    for (const struct format *row = spec->values->table; row->name; row++)
        if (row->synonym && strcmp(row->synonym, option) == 0)
            return row;
    return NULL;
}

const struct format *formats_find(const struct values *formats, const char *name)
{
    const int found = values_find(formats, name, strlen(name));

    return found < 0 ? NULL : (const struct format *)formats->table + found;
}

/* Excel's CSV is CSV, too: both may be asked for together. */
static bool is_refined(const struct format *format, const struct format *by)
{
    return strcmp(format->name, "csv") == 0 && strcmp(by->name, "excel") == 0;
}

int formats_take(struct format_choice *choice, const struct options *options)
{
    const struct format *format;
    char option[sizeof choice->option];
    int found = 0;

    if (options->value) {
        found = options_named(options, options->value, strlen(options->value));
        if (found < 0)
            return -1;
        format = (const struct format *)options->spec->values->table + found;
        snprintf(option, sizeof option, "--format %s", format->name);
    } else {
        format = find_synonym(options->command, options->spec->name);
        snprintf(option, sizeof option, "--%s", options->spec->name);
    }
    if (choice->format && is_refined(format, choice->format))
        return 0;
    if (choice->format && choice->format != format && !is_refined(choice->format, format)) {
        options_wrong(options->command, "%s and %s contradict each other", choice->option, option);
        return -1;
    }
    choice->format = format;
    memcpy(choice->option, option, sizeof option);
    return 0;
}
