/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "selftest_batch.h"
#include "selftest_chance.h"
#include "selftest_estimates.h"
#include "selftest_files.h"
#include "selftest_images.h"
#include "selftest_report.h"
#include "terminal.h"

enum { OUTPUT_LEN = 64 };

/* ---- the folder of the report ---- */

static int write_file(int folder, const char *path, const char *name, const struct buffer *content,
                      struct error *err)
{
    const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file) {
        error_errno(err, "%s/%s", path, name);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (fwrite(content->data, 1, content->len, file) < content->len || fflush(file)) {
        error_errno(err, "%s/%s", path, name);
        fclose(file);
        return -1;
    }
    return fclose(file) ? error_errno(err, "%s/%s", path, name) : 0;
}

static const struct {
    const char *name;
    void (*write)(const struct selftest_report *report, struct buffer *out);
} report_files[] = {{"report.html", selftest_report_html},
                    {"report.json", selftest_report_json},
                    {"cases.csv", selftest_report_csv}};
enum { REPORT_FILES = sizeof report_files / sizeof *report_files };

static int write_report(const struct selftest_report *report, int folder, const char *path, struct error *err)
{
    int result = 0;

    for (size_t i = 0; result == 0 && i < REPORT_FILES; i++) {
        struct buffer out = {0};

        report_files[i].write(report, &out);
        result = out.failed ? error_set(err, "out of memory for the report")
                            : write_file(folder, path, report_files[i].name, &out, err);
        buffer_release(&out);
    }
    return result;
}

/* ---- the run ---- */

/* SOURCE_DATE_EPOCH, as reproducible-builds.org defines it, or now. */
static time_t report_time(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end;

    if (epoch && *epoch >= '0' && *epoch <= '9') {
        const long long seconds = strtoll(epoch, &end, 10);

        if (!*end)
            return (time_t)seconds;
    }
    return time(NULL);
}

static int prepare(struct selftest_run *run, struct error *err)
{
    const int result = run->data
                           ? selftest_content_choose(&run->content, run->data, run->seed, run->quick, err)
                           : selftest_content_generate(&run->content, run->seed, run->quick, err);

    return result || selftest_run_continue(err) || selftest_scratch_make(&run->scratch, err) ? -1 : 0;
}

static int run_cases(struct selftest_run *run, struct selftest_facts *programs, struct error *err)
{
    progress_what("sets");
    if (selftest_batch_make_sets(run, err))
        return -1;
    progress_what("files");
    if (selftest_files_run(run, err))
        return -1;
    progress_what("images");
    if (selftest_images_run(run, programs, err))
        return -1;
    progress_what("estimates");
    return selftest_estimates_run(run, err) || selftest_chance_run(run, err) ? -1 : 0;
}

static bool is_broken(const struct selftest_run *run)
{
    for (size_t i = 0; i < run->cases.count; i++)
        if (run->cases.list[i]->broken)
            return true;
    return false;
}

static int put_summary(const struct selftest_report *report, const char *path)
{
    struct buffer out = {0};

    selftest_report_text(report, &out);
    put_output(&out);
    buffer_release(&out);
    say("report: %s/report.html, report.json, cases.csv", path);
    return is_broken(report->run) ? EXIT_MATCH : EXIT_DONE;
}

static int run_into(struct selftest_run *run, int folder, const char *path, bool quiet, struct error *err)
{
    struct selftest_facts tool = {0}, machine = {0}, programs = {0};
    struct selftest_report report = {
        .run = run, .tool = &tool, .machine = &machine, .programs = &programs, .started = report_time()};
    struct progress progress = {.noun = "case"};
    int result = selftest_facts_tool(&tool, err);

    selftest_facts_machine(&machine);
    progress_start(&progress, quiet);
    if (result == 0)
        result = prepare(run, err);
    if (result == 0)
        result = run_cases(run, &programs, err);
    progress_stop();
    report.ended = report_time();
    if (result == 0)
        result = write_report(&report, folder, path, err);
    if (result == 0)
        result = put_summary(&report, path);
    selftest_facts_release(&tool);
    selftest_facts_release(&machine);
    selftest_facts_release(&programs);
    return result;
}

/* The folder is made before the test, so that two minutes of work are not lost for want of a place. */
static int make_output(const char *path, struct error *err)
{
    int folder;

    if (mkdir(path, 0777))
        return error_errno(err, "%s", path);
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        error_errno(err, "%s", path);
        rmdir(path);
    }
    return folder;
}

/* Nothing is left of a report that is not complete. */
static void remove_output(int folder, const char *path)
{
    for (size_t i = 0; i < REPORT_FILES; i++)
        unlinkat(folder, report_files[i].name, 0);
    rmdir(path);
}

static void default_output(char path[OUTPUT_LEN])
{
    const time_t now = report_time();
    struct tm parts;

    gmtime_r(&now, &parts);
    strftime(path, OUTPUT_LEN, "kith-selftest-%Y-%m-%d", &parts);
}

int selftest_run(const struct selftest_options *options)
{
    struct selftest_run run = {
        .seed = options->seed, .quick = options->quick, .data = options->data, .scratch = {NULL, -1}};
    char by_date[OUTPUT_LEN];
    const char *path = options->output ? options->output : by_date;
    struct error err;
    int folder, result;

    default_output(by_date);
    interrupt_catch();
    folder = make_output(path, &err);
    if (folder < 0) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    result = run_into(&run, folder, path, options->quiet, &err);
    if (result < 0) {
        complain_error(&err);
        remove_output(folder, path);
        result = atomic_load(interrupt_flag()) ? EXIT_INTERRUPTED : EXIT_USAGE;
    }
    close(folder);
    selftest_scratch_remove(&run.scratch);
    selftest_content_release(&run.content);
    selftest_case_release(&run.cases);
    buffer_release(&run.out);
    buffer_release(&run.errors);
    return result;
}
