/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include "config.h"
#include "lab/lab_rates.h"
#include "selftest_chance.h"
#include "selftest_report_inner.h"

const struct selftest_report_group selftest_report_groups[SELFTEST_GROUPS] = {
    [SELFTEST_IDENTICAL] = {"identical", "Copies of the reference files.", "missed", 0},
    [SELFTEST_VERSIONS] = {"versions", "Edited copies of the reference files.", "missed", 0},
    [SELFTEST_EMBEDDED] = {"embedded", "Whole reference files at random places of larger files.", "missed",
                           0},
    [SELFTEST_FRAGMENTS] = {"fragments", "Pieces cut from random places of reference files.", "missed", 0},
    [SELFTEST_UNRELATED] = {"unrelated",
                            "Files in which each byte value is replaced, and files that are no references.",
                            "falsely reported", 0},
    [SELFTEST_NOTHING] = {"nothing", "Content in which nothing can be found, which must be listed as such.",
                          "wrongly classified", 0},
    [SELFTEST_IMAGES] = {"images", "Known content at each kind of place in images of file systems.", "missed",
                         0},
    [SELFTEST_ESTIMATES] = {"estimates", "Estimated edit distances beside exact ones.",
                            "outside the interval", 0.05 /* estimate.h */},
};

double selftest_report_rate(const struct selftest_case *test, double *low, double *high)
{
    const uint64_t errors = test->group == SELFTEST_UNRELATED ? test->hits : test->trials - test->hits;
    const struct lab_rates_interval interval = lab_rates_interval(errors, test->trials);

    *low = interval.low;
    *high = interval.high;
    return test->trials ? (double)errors / (double)test->trials : 0;
}

void selftest_report_time(time_t time, char out[32])
{
    struct tm parts;

    gmtime_r(&time, &parts);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

void selftest_report_source(const struct selftest_report *report, struct buffer *out)
{
    const struct selftest_content *content = &report->run->content;

    if (report->run->data)
        buffer_printf(out,
                      "%zu files, %" PRIu64 " bytes, chosen at random (seed %" PRIu64 ") from %" PRIu64
                      " files below %s, of which %" PRIu64 " could not be read",
                      content->count, content->bytes, report->run->seed, content->candidates,
                      report->run->data, content->unreadable);
    else
        buffer_printf(out, "%zu generated files, %" PRIu64 " bytes, seed %" PRIu64, content->count,
                      content->bytes, report->run->seed);
}

/* ---- CSV: a row for each case ---- */

static const struct csv_column columns[] = {
    {"id", false},         {"group", false},     {"description", false},  {"class", false},
    {"size", false},       {"set", false},       {"expected", false},     {"trials", true},
    {"in_summary", false}, {"files", true},      {"hits", true},          {"error_rate", true},
    {"low", true},         {"high", true},       {"right_verdict", true}, {"other_findings", true},
    {"unfounded", true},   {"promises", true},   {"broken", true},        {"nominal", true},
    {"mean_error", true},  {"mean_width", true}, {"range_error", true},   {"result", false},
    {"note", false}};

static void add_number(struct buffer *out, int digits, double value, bool is_known)
{
    char text[64] = "";

    if (is_known)
        snprintf(text, sizeof text, "%.*f", digits, value);
    csv_cell(out, text);
}

static void add_expected(const struct selftest_case *test, struct buffer *out)
{
    struct buffer text = {0};

    for (size_t i = 0; test->expected && test->expected[i]; i++)
        buffer_printf(&text, "%s%s", i ? " or " : "", test->expected[i]);
    csv_text(out, &text);
    buffer_release(&text);
}

static void add_case(const struct selftest_case *test, struct buffer *out)
{
    double low, high;
    const double rate = selftest_report_rate(test, &low, &high);
    const double nominal = selftest_report_groups[test->group].nominal;
    const uint64_t counts[] = {test->right, test->other, test->unfounded, test->promises, test->broken};

    csv_cell(out, test->id);
    csv_cell(out, selftest_report_groups[test->group].name);
    csv_cell(out, test->what);
    csv_cell(out, test->class_name);
    csv_cell(out, test->size_name);
    csv_cell(out, test->dense ? "dense" : "default");
    add_expected(test, out);
    csv_number(out, test->trials);
    csv_cell(out, test->again ? "no" : "yes");
    csv_number(out, selftest_case_files(test));
    csv_number(out, test->hits);
    add_number(out, 6, rate, test->trials > 0);
    add_number(out, 6, low, test->trials > 0);
    add_number(out, 6, high, test->trials > 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        csv_number(out, counts[i]);
    add_number(out, 6, nominal, nominal > 0);
    add_number(out, 6, test->error_sum / (double)test->trials,
               test->group == SELFTEST_ESTIMATES && test->trials > 0);
    add_number(out, 6, test->width_sum / (double)test->trials,
               test->group == SELFTEST_ESTIMATES && test->trials > 0);
    add_number(out, 1, test->range_sum / (double)test->ranges, test->ranges > 0);
    csv_cell(out, selftest_case_result(test));
    csv_foreign(out, test->note, strlen(test->note));
    csv_end_line(out);
}

void selftest_report_csv(const struct selftest_report *report, struct buffer *out)
{
    csv_header(out, columns, sizeof columns / sizeof *columns);
    csv_end_line(out);
    for (size_t i = 0; i < report->run->cases.count; i++)
        add_case(report->run->cases.list[i], out);
}

/* ---- JSON ---- */

static void add_string(struct buffer *out, const char *name, const char *value)
{
    escape_json(out, name, strlen(name));
    buffer_add_text(out, ": ");
    escape_json(out, value, strlen(value));
}

static void add_facts(struct buffer *out, const char *name, const struct selftest_facts *facts)
{
    buffer_printf(out, "  \"%s\": {", name);
    for (size_t i = 0; i < facts->count; i++) {
        buffer_add_text(out, i ? ",\n    " : "\n    ");
        add_string(out, facts->list[i].name, selftest_facts_value(facts, i));
    }
    buffer_add_text(out, "\n  },\n");
}

static void add_rates(struct buffer *out, const struct selftest_case *test)
{
    double low, high;
    const double rate = selftest_report_rate(test, &low, &high);

    buffer_printf(out, ", \"trials\": %" PRIu64 ", \"files\": %" PRIu64 ", \"hits\": %" PRIu64, test->trials,
                  selftest_case_files(test), test->hits);
    if (test->trials)
        buffer_printf(out, ", \"error_rate\": %.6f, \"interval\": [%.6f, %.6f]", rate, low, high);
    buffer_printf(out,
                  ", \"right_verdict\": %" PRIu64 ", \"other_findings\": %" PRIu64 ", \"unfounded\": %" PRIu64
                  ", \"promises\": %" PRIu64 ", \"broken\": %" PRIu64,
                  test->right, test->other, test->unfounded, test->promises, test->broken);
    if (test->group == SELFTEST_ESTIMATES && test->trials)
        buffer_printf(out,
                      ", \"nominal\": %.6f, \"mean_width\": %.6f, \"mean_error\": %.6f, "
                      "\"mean_error_half_width\": %.6f",
                      selftest_report_groups[test->group].nominal, test->width_sum / (double)test->trials,
                      test->error_sum / (double)test->trials,
                      lab_rates_half_width(test->error_sum, test->error_squares, test->trials));
    if (test->ranges)
        buffer_printf(out, ", \"range_error\": %.1f", test->range_sum / (double)test->ranges);
}

static void add_json_case(struct buffer *out, const struct selftest_case *test)
{
    const char *separator = "";

    buffer_add_text(out, "    {");
    add_string(out, "id", test->id);
    buffer_add_text(out, ", ");
    add_string(out, "group", selftest_report_groups[test->group].name);
    buffer_add_text(out, ", ");
    add_string(out, "description", test->what);
    buffer_add_text(out, ", ");
    add_string(out, "class", test->class_name);
    buffer_add_text(out, ", ");
    add_string(out, "size", test->size_name);
    buffer_add_text(out, ", ");
    add_string(out, "set", test->dense ? "dense" : "default");
    buffer_printf(out, ", \"in_summary\": %s, \"expected\": [", test->again ? "false" : "true");
    for (size_t i = 0; test->expected && test->expected[i]; i++, separator = ", ") {
        buffer_add_text(out, separator);
        escape_json(out, test->expected[i], strlen(test->expected[i]));
    }
    buffer_add_char(out, ']');
    add_rates(out, test);
    buffer_add_text(out, ", ");
    add_string(out, "result", selftest_case_result(test));
    buffer_add_text(out, ", ");
    add_string(out, "note", test->note);
    buffer_add_char(out, '}');
}

static void add_json_summary(const struct selftest_report *report, struct buffer *out)
{
    buffer_add_text(out, "  \"summary\": [\n");
    for (enum selftest_group group = 0; group < SELFTEST_GROUPS; group++) {
        const struct selftest_case sum = selftest_case_sum(&report->run->cases, group);

        buffer_add_text(out, "    {");
        add_string(out, "group", selftest_report_groups[group].name);
        add_rates(out, &sum);
        buffer_printf(out, "}%s\n", group + 1 < SELFTEST_GROUPS ? "," : "");
    }
    buffer_add_text(out, "  ],\n");
}

static void add_json_chance(const struct selftest_report *report, struct buffer *out)
{
    const char *separator = "";

    buffer_add_text(out, "  \"chance\": [");
    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++) {
        const struct selftest_chance *chance = &report->run->chance[class];

        if (chance->objects == 0)
            continue;
        buffer_printf(
            out, "%s\n    {\"class\": \"%s\", \"objects\": %" PRIu64 ", \"matches\": %.6g, \"clusters\": [",
            separator, selftest_class_names[class], chance->objects, chance->matches);
        for (size_t i = 0; i < SELFTEST_DECADES; i++)
            buffer_printf(out, "%s{\"e\": %g, \"observed\": %.4g}", i ? ", " : "", selftest_chance_limit(i),
                          chance->observed[i]);
        buffer_add_text(out, "]}");
        separator = ",";
    }
    buffer_add_text(out, "\n  ],\n");
}

void selftest_report_json(const struct selftest_report *report, struct buffer *out)
{
    const struct selftest_cases *cases = &report->run->cases;
    struct buffer source = {0};
    char started[32], ended[32];

    selftest_report_time(report->started, started);
    selftest_report_time(report->ended, ended);
    selftest_report_source(report, &source);
    buffer_add_char(&source, '\0');
    buffer_add_text(out, "{\n  ");
    add_string(out, "report", PACKAGE_NAME " selftest");
    buffer_printf(out, ",\n  \"seed\": %" PRIu64 ",\n  \"quick\": %s,\n  ", report->run->seed,
                  report->run->quick ? "true" : "false");
    add_string(out, "started", started);
    buffer_add_text(out, ",\n  ");
    add_string(out, "ended", ended);
    buffer_add_text(out, ",\n  ");
    add_string(out, "data", source.failed ? "" : source.data);
    buffer_add_text(out, ",\n");
    add_facts(out, "tool", report->tool);
    add_facts(out, "environment", report->machine);
    add_facts(out, "support_software", report->programs);
    selftest_report_files_json(report, out);
    add_json_summary(report, out);
    add_json_chance(report, out);
    buffer_add_text(out, "  \"cases\": [\n");
    for (size_t i = 0; i < cases->count; i++) {
        add_json_case(out, cases->list[i]);
        buffer_add_text(out, i + 1 < cases->count ? ",\n" : "\n");
    }
    buffer_add_text(out, "  ]\n}\n");
    buffer_inherit(out, &source);
    buffer_release(&source);
}

/* ---- text ---- */

void selftest_report_text(const struct selftest_report *report, struct buffer *out)
{
    struct selftest_case all = {0};
    uint64_t left_out = 0;

    buffer_printf(out, "%-10s %8s %8s %8s  %s\n", "cases", "trials", "of files", "errors",
                  "rate of errors (95 % interval)");
    for (enum selftest_group group = 0; group < SELFTEST_GROUPS; group++) {
        const struct selftest_report_group *names = &selftest_report_groups[group];
        const struct selftest_case sum = selftest_case_sum(&report->run->cases, group);
        double low, high;
        const double rate = selftest_report_rate(&sum, &low, &high);

        if (sum.trials == 0) {
            buffer_printf(out, "%-10s not run\n", names->name);
            continue;
        }
        buffer_printf(out, "%-10s %8" PRIu64 " %8" PRIu64 " %8.0f  %.2f %% %s (%.2f to %.2f %%)", names->name,
                      sum.trials, selftest_case_files(&sum), rate * (double)sum.trials, 100 * rate,
                      names->rate, 100 * low, 100 * high);
        if (names->nominal > 0)
            buffer_printf(out, "; nominal: %.0f %%", 100 * names->nominal);
        buffer_add_char(out, '\n');
    }
    for (size_t i = 0; i < report->run->cases.count; i++) {
        const struct selftest_case *test = report->run->cases.list[i];

        left_out += test->trials == 0;
        all.promises += test->promises;
        all.broken += test->broken;
        all.unfounded += test->unfounded;
    }
    buffer_printf(out,
                  "%" PRIu64 " rows that promise equal bytes compared with the bytes: %" PRIu64
                  " broken; %" PRIu64 " unfounded findings\n",
                  all.promises, all.broken, all.unfounded);
    for (size_t i = 0; i < report->run->cases.count; i++)
        if (report->run->cases.list[i]->broken)
            buffer_printf(out, "FAIL: %s: %s\n", report->run->cases.list[i]->id,
                          report->run->cases.list[i]->note);
    if (report->run->content.uniform.count)
        buffer_printf(out, "%zu files too uniform to be sampled: only their copies were tested\n",
                      report->run->content.uniform.count);
    if (left_out)
        buffer_printf(out, "%" PRIu64 " cases not run; the report says why\n", left_out);
}
