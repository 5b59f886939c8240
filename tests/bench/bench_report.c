/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of reports: bench_report CASE [FORMAT...], with a case of make_case.  Each format is written to
 * /dev/null; rows per second of processor time, and the most memory that was in use by then.  Checking the
 * case, which kith report does first, is measured apart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "report/report.h"

static const struct {
    const char *name;
    const struct report_operations *form;
} formats[] = {
    {"csv", &report_csv},
    {"excel", &report_csv_excel},
    {"jsonl", &report_jsonl},
    {"text", &report_text},
    {"html", &report_html},
    {"summary", &report_overview},
    {"timesketch", &report_timesketch},
    {"dfxml", &report_dfxml},
    {"case", &report_uco},
};

static struct error err;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_report: %s\n", err.text);
    exit(2);
}

static double most_megabytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void ignore(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "bench_report: %s\n", text);
}

static double count_rows(struct casefile *casefile)
{
    struct case_evidence evidence;
    uint64_t findings[VERDICTS] = {0}, rows = 0;

    for (uint64_t number = 1; casefile_evidence(casefile, number, &evidence, &err) > 0; number++)
        need(!casefile_count_findings(casefile, number, findings, &err));
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        rows += findings[verdict];
    return (double)rows;
}

static void measure(struct casefile *casefile, const char *name, const struct report_operations *form,
                    double rows)
{
    const struct case_filter filter = {.known = false};
    struct report_writer writer = {.does = form, .out.to = fopen("/dev/null", "w")};
    double start = cpu_seconds(), seconds;

    need(writer.out.to != NULL);
    need(!report_write(&writer, casefile, &filter, &err));
    fclose(writer.out.to);
    seconds = cpu_seconds() - start;
    printf("%-10s %8.2f s  %8.0f rows/s  %6.0f MB\n", name, seconds, rows / seconds, most_megabytes());
}

int main(int argc, char **argv)
{
    struct casefile *casefile = argc > 1 ? casefile_open_report(argv[1], &err) : NULL;
    double rows, start;

    if (argc < 2) {
        fprintf(stderr, "usage: bench_report CASE [FORMAT...]\n");
        return 2;
    }
    need(casefile != NULL);
    rows = count_rows(casefile);
    start = cpu_seconds();
    need(casefile_check(casefile, ignore, NULL, &err) >= 0);
    printf("%-10s %8.2f s  %8.0f rows/s  %6.0f MB\n", "check", cpu_seconds() - start,
           rows / (cpu_seconds() - start), most_megabytes());
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (int k = argc > 2 ? 2 : 1; k < argc; k++)
            if (argc == 2 || strcmp(argv[k], formats[i].name) == 0)
                measure(casefile, formats[i].name, formats[i].form, rows);
    need(!casefile_close(casefile, &err));
    return 0;
}
