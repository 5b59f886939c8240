/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "case_open.h"
#include "command.h"
#include "evidence_flags.h"
#include "file_kind.h"
#include "finding_flags.h"
#include "formats.h"
#include "interrupt.h"
#include "options.h"
#include "report/report_about.h"
#include "report_bytes.h"
#include "rows.h"
#include "terminal.h"
#include "timezone.h"

enum {
    REPORT_FORMAT = OPTIONS_FINDING,
    REPORT_SORT,
    REPORT_COLUMNS,
    REPORT_GROUP,
    REPORT_CSV,
    REPORT_EXCEL,
    REPORT_JSON,
    REPORT_TEXT,
    REPORT_ALL,
    REPORT_KNOWN,
    REPORT_ABOUT,
    REPORT_TIMEZONE,
    REPORT_CHECK,
    REPORT_BYTES,
};

static const struct option_spec report_options[] = {
    OPTIONS_FINDING_SPECS,
    {0, "format", "FORM", "output format (default: text on a terminal, else csv)", &formats_rows},
    {0, "sort", "ORDER", "by place (default; on a terminal: significance), significance or reference",
     &values_orders},
    {0, "columns", "COLUMN,...", "further columns of CSV, after the usual ones", &values_columns},
    {0, "group-by", "WHAT", "reference: put the findings of each reference under a heading",
     &values_groupings},
    {0, "csv", NULL, "the same as --format csv", NULL},
    {0, "excel", NULL, "the same as --format excel: CSV that spreadsheets display unchanged", NULL},
    {0, "json", NULL, "the same as --format jsonl: JSON Lines, with everything the case has of a finding",
     NULL},
    {0, "text", NULL, "the same as --format text", NULL},
    {0, "all", NULL, "also list objects without a finding, and each finding of content that is listed once",
     NULL},
    {0, "show-known", NULL, "also list findings in sets of kind known", NULL},
    {0, "about", NULL, "describe the case instead: parameters, sets, evidence, and the log", NULL},
    {0, "timezone", "ZONE",
     "time zone of --about and pages: UTC (default), local, or a name such as Europe/Berlin", NULL},
    {0, "check", NULL, "check every byte of the case instead, and the chain of its log", NULL},
    {0, "with-bytes", "EVIDENCE", "of a page: also show bytes of this evidence and pictures; may be repeated",
     &values_file},
    {0, NULL, NULL, NULL, NULL},
};

struct report {
    struct case_filter filter;
    struct finding_flags finding;
    struct format_choice format;
    enum report_zone zone;
    unsigned columns; /* further ones: report_csv_extra.h */
    bool about, check, has_zone, sorted, by_reference;
    struct buffer selection; /* the options as they were given */
    const char **evidence;   /* of --with-bytes */
    size_t evidence_count;
};

static int take_order(struct report *report, const struct options *options)
{
    const int order = options_named(options, options->value, strlen(options->value));

    report->sorted = true;
    report->filter.order = order < 0 ? CASE_BY_PLACE : (enum case_order)order;
    return order < 0 ? -1 : 0;
}

static int take_evidence(struct report *report, const struct options *options)
{
    if (array_resize(&report->evidence, report->evidence_count + 1)) {
        complain("out of memory");
        return -1;
    }
    report->evidence[report->evidence_count++] = options->value;
    return 0;
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {REPORT_ALL, offsetof(struct report, filter.objects)},
        {REPORT_KNOWN, offsetof(struct report, filter.known)},
        {REPORT_ABOUT, offsetof(struct report, about)},
        {REPORT_CHECK, offsetof(struct report, check)},
    };

    struct report *report = arg;

    if (option < OPTIONS_FINDING)
        return finding_flags_take(&report->finding, options, option);
    if (option == REPORT_SORT)
        return take_order(report, options);
    if (option == REPORT_COLUMNS)
        return options_list(options, &report->columns);
    if (option == REPORT_GROUP) {
        report->by_reference = true; /* the only one there is */
        return options_named(options, options->value, strlen(options->value)) < 0 ? -1 : 0;
    }
    if (option == REPORT_TIMEZONE) {
        report->has_zone = true;
        return timezone_take(options, &report->zone);
    }
    if (option == REPORT_BYTES)
        return take_evidence(report, options);
    return options_flag(flags, option, report) ? 0 : formats_take(&report->format, options);
}

/* Warns that a report may be incomplete. */
static int show_states(struct casefile *casefile, struct error *err)
{
    struct case_evidence evidence;
    int result, status = EXIT_DONE;

    for (uint64_t number = 1; (result = casefile_evidence(casefile, number, &evidence, err)) > 0; number++) {
        if (evidence.state == CASE_DONE)
            continue;
        complain("%s: %s", evidence.path,
                 evidence.state == CASE_BEGUN ? "the scan is incomplete; rerun the same command to resume it"
                 : evidence.state == CASE_CHANGED ? "changed while it was being scanned"
                 : evidence.state == CASE_FAILED  ? "could not be read"
                                                  : "parts of it were not examined");
        status = evidence.state == CASE_CHANGED ? EXIT_CHANGED
                 : status == EXIT_CHANGED       ? status
                                                : EXIT_PARTIAL;
    }
    return result < 0 ? -1 : status;
}

static void show_fault(void *arg, const char *text)
{
    (void)arg;
    say("%s", text);
}

static int check_case(const char *path)
{
    struct error err;
    const int faults = casefile_verify(path, show_fault, NULL, &err);

    if (faults < 0) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    if (faults == 0)
        say("sound");
    return faults ? EXIT_PARTIAL : EXIT_DONE;
}

/* Reads what a page shows of the evidence; the filter is that of the page. */
static int read_bytes(const struct report *report, struct casefile *casefile,
                      const struct case_filter *filter, struct report_previews *previews)
{
    struct evidence_run run = {.options = evidence_flags_defaults(OBJECT_STORED), .quiet = true};

    if (report->evidence_count == 0)
        return EXIT_DONE;
    if (evidence_flags_sandbox(&run.options))
        return EXIT_USAGE;
    interrupt_catch();
    run.options.stop = interrupt_flag();
    return report_bytes(previews, casefile, filter, report->evidence, report->evidence_count, &run);
}

/* Returns an exit status, or -1 and fills err. */
static int write_rows(const struct report *report, struct casefile *casefile, bool faulty, struct error *err)
{
    const struct report_operations *form = report->format.format ? report->format.format->writer
                                           : report->columns     ? &report_csv
                                                                 : rows_usual_form();
    struct report_previews previews = {.count = 0};
    const struct report_options options = {.zone = report->zone,
                                           .extra_columns = report->columns,
                                           .by_reference = report->by_reference,
                                           .kept = true,
                                           .faulty = faulty,
                                           .selection = report->selection.data,
                                           .previews = &previews};
    struct case_filter filter = rows_filter(form, &report->filter, report->sorted);
    int status = read_bytes(report, casefile, &filter, &previews);

    if ((status == EXIT_DONE || status == EXIT_PARTIAL) && rows_write(form, casefile, &filter, &options, err))
        status = -1;
    report_previews_release(&previews);
    return status;
}

/* Of two exit statuses; an error is the worst. */
static int worse(int status, int other)
{
    return other < 0 || other > status ? other : status;
}

static int report_case(const struct report *options, const char *path)
{
    struct report_stream out = {.to = stdout};
    struct error err;
    bool warned = false;
    struct casefile *casefile = case_open(path, &warned, &err);
    int status = casefile ? 0 : -1;

    if (status == 0)
        status = options->about ? report_about(&out, casefile, options->zone, &err)
                                : write_rows(options, casefile, warned, &err);
    if (status == EXIT_DONE || status == EXIT_PARTIAL)
        status = worse(status, show_states(casefile, &err));
    if (status < 0)
        complain_error(&err);
    if (casefile)
        casefile_close(casefile, NULL);
    return warned ? EXIT_PARTIAL : status < 0 ? EXIT_USAGE : status;
}

static bool is_form(const struct report *report, const struct report_operations *form)
{
    return report->format.format && report->format.format->writer == form;
}

/* Why options for one format cannot be used with another one; NULL if they can. */
static const char *wrong_format(const struct report *report)
{
    const bool is_csv = is_form(report, &report_csv) || is_form(report, &report_csv_excel);
    const bool is_grouped = is_form(report, &report_text) || is_form(report, &report_jsonl);

    if (report->has_zone && !report->about && !is_form(report, &report_html))
        return "--timezone is an option of --about and of --format html";
    if (report->evidence_count && !is_form(report, &report_html))
        return "--with-bytes is an option of --format html";
    if (report->columns && !is_csv && (report->format.format || report->about || report->check))
        return "--columns is an option of --format csv and excel";
    if (report->by_reference && !is_grouped)
        return "--group-by is an option of --format text and jsonl";
    if (report->by_reference && report->sorted && report->filter.order != CASE_BY_REFERENCE)
        return "--group-by reference and --sort contradict each other";
    if (!report->filter.objects && report->finding.verdicts >> (VERDICT_FRAGMENT + 1))
        return "--verdict has a verdict of objects without a finding, which only --all lists";
    return NULL;
}

/* The options as one text, for a page to state how it was made. */
static void note_options(struct report *report, char **argv, int operand)
{
    for (int i = 1; i < operand; i++) {
        if (strcmp(argv[i], "--") == 0)
            continue;
        buffer_add_text(&report->selection, report->selection.len ? " " : "");
        buffer_add_text(&report->selection, argv[i]);
    }
    buffer_add_char(&report->selection, '\0');
}

static int run_with(const struct command *command, struct report *report, char **argv, int argc, int operand)
{
    if (wrong_format(report))
        return options_wrong(command, "%s", wrong_format(report));
    if (report->about && report->check)
        return options_wrong(command, "--about and --check contradict each other");
    if (report->format.format && (report->about || report->check))
        return options_wrong(command, "%s and %s contradict each other", report->format.option,
                             report->about ? "--about" : "--check");
    if ((report->about || report->check) && (report->sorted || finding_flags_any(&report->finding)))
        return options_wrong(command, "%s lists no findings: nothing can be selected or sorted",
                             report->about ? "--about" : "--check");
    if (argc - operand != 1)
        return options_wrong(command, operand == argc ? "no case given" : "more than one case given");
    if (file_kind_check_case(argv[operand]))
        return EXIT_USAGE;
    if (finding_flags_any(&report->finding)) {
        report->filter.wants = finding_flags_want;
        report->filter.arg = &report->finding;
    }
    note_options(report, argv, operand);
    return report->check ? check_case(argv[operand]) : report_case(report, argv[operand]);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct report report = {.about = false};
    int operand = 0;
    int status = options_read(command, argc, argv, take_option, &report, &operand);

    if (status == OPTIONS_GO)
        status = run_with(command, &report, argv, argc, operand);
    buffer_release(&report.selection);
    free(report.evidence);
    return status;
}

const struct command command_report = {
    "report",     "[options] CASE", "write the findings of a case", report_options, run,
    &values_case, &values_verdicts};
