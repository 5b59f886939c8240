/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "case_report.h"
#include "command.h"
#include "options.h"
#include "terminal.h"

enum {
    REPORT_CSV,
    REPORT_TEXT,
    REPORT_ALL,
    REPORT_KNOWN,
};

static const struct option_spec report_options[] = {
    {0, "csv", NULL, "write CSV (default if the output is no terminal)", NULL},
    {0, "text", NULL, "write for people (default on a terminal)", NULL},
    {0, "all", NULL, "list also objects without a finding, with the reason", NULL},
    {0, "show-known", NULL, "list also what was found in sets of kind known", NULL},
    {0, NULL, NULL, NULL, NULL},
};

static void take_option(struct case_report *report, int option)
{
    switch (option) {
    case REPORT_CSV:
        report->form = CASE_CSV;
        break;
    case REPORT_TEXT:
        report->form = CASE_TEXT;
        break;
    case REPORT_ALL:
        report->filter.objects = true;
        break;
    default:
        report->filter.known = true;
        break;
    }
}

/* What the reader of a report must know: that it may not be all. */
static int show_states(struct casefile *casefile, struct error *err)
{
    struct case_evidence evidence;
    int result, status = EXIT_DONE;

    for (uint64_t number = 1; (result = casefile_evidence(casefile, number, &evidence, err)) > 0; number++) {
        if (evidence.state == CASE_DONE)
            continue;
        complain("%s: %s", evidence.path,
                 evidence.state == CASE_BEGUN ? "it was not scanned to the end; the scan's command goes on"
                 : evidence.state == CASE_CHANGED ? "it changed while it was scanned"
                 : evidence.state == CASE_FAILED  ? "it could not be read"
                                                  : "not all of it could be read");
        status = evidence.state == CASE_CHANGED ? EXIT_CHANGED
                 : status == EXIT_CHANGED       ? status
                                                : EXIT_PARTIAL;
    }
    return result < 0 ? -1 : status;
}

static int report_case(struct case_report *report, const char *path)
{
    struct error err;
    struct casefile *casefile = casefile_open_report(path, &err);
    int status = casefile ? 0 : -1;

    if (casefile && !case_report_write(report, casefile, &err))
        status = show_states(casefile, &err);
    else
        status = -1;
    if (status < 0)
        complain_error(&err);
    if (casefile)
        casefile_close(casefile, NULL);
    return status < 0 ? EXIT_USAGE : status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct case_report report = {.form = isatty(STDOUT_FILENO) ? CASE_TEXT : CASE_CSV};
    struct options options;
    int option, operand = 0;

    options_begin(&options, command, argc, argv);
    while ((option = options_next(&options, &operand)) >= 0)
        take_option(&report, option);
    if (option != OPTIONS_END)
        return option == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (argc - operand != 1)
        return options_wrong(command, operand == argc ? "no case was named" : "more than one case was named");
    return report_case(&report, argv[operand]);
}

const struct command command_report = {"report", "[options] CASE", "write what a scan found", report_options,
                                       run};
