/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "evidence_flags.h"
#include "evidence_list.h"
#include "evidence_run.h"
#include "formats.h"
#include "ls_digests.h"
#include "ls_report.h"
#include "report/report_account.h"
#include "terminal.h"
#include "timezone.h"

enum {
    OPTION_FORMAT = OPTIONS_EVIDENCE,
    OPTION_LONG,
    OPTION_SUMMARY,
    OPTION_CSV,
    OPTION_EXCEL,
    OPTION_JSON,
    OPTION_BODY,
    OPTION_TIMEZONE,
    OPTION_HASH,
    OPTION_MD5,
    OPTION_SHA256,
    OPTION_HASH_IMAGE,
    OPTION_METADATA,
    OPTION_ACCOUNT,
    OPTION_IMAGES,
    OPTION_QUIET,
};

static const struct option_spec ls_options[] = {
    OPTIONS_EVIDENCE_SPECS("all but image", "known"),
    {0, "format", "FORM", "output format (default: summary on a terminal, else csv)", &formats_ls},
    {'l', "long", NULL, "the same as --format text: a line for each object", NULL},
    {0, "summary", NULL, "the same as --format summary: only volumes and counts", NULL},
    {0, "csv", NULL, "the same as --format csv", NULL},
    {0, "excel", NULL, "the same as --format excel: CSV that spreadsheets display unchanged", NULL},
    {0, "json", NULL, "the same as --format json: JSON Lines", NULL},
    {0, "body", NULL, "the same as --format body: a body file for mactime", NULL},
    {0, "timezone", "ZONE", "time zone of --long: UTC (default), local, or a name such as Europe/Berlin",
     NULL},
    {0, "hash", NULL, "read the content and add its SHA-1", NULL},
    {0, "md5", NULL, "add the MD5", NULL},
    {0, "sha256", NULL, "add the SHA-256", NULL},
    {0, "hash-image", NULL,
     "add SHA-1, MD5 and SHA-256 of the whole image, and compare them with those stored in it", NULL},
    {0, "metadata", NULL, "also list metadata and folders that do not fill a block of their own", NULL},
    {0, "account", NULL, "account for every byte of the image instead of listing objects", NULL},
    {0, "images", NULL, "also open the disk images in folders, each as separate evidence", NULL},
    {'q', "quiet", NULL, "show no progress and no notes", NULL},
    {0, NULL, NULL, NULL, NULL},
};

struct ls {
    struct evidence_run run; /* must be first, for the sink */
    struct ls_report report;
    unsigned digests; /* of each object */
    struct format_choice format;
    bool is_account; /* instead of objects */
    struct report_account account;
    uint64_t image_size;
    unsigned long long damaged; /* objects of this evidence that are incomplete */
    bool wrong_digest;
    bool has_zone; /* --timezone was given */
};

/* ---- the sink ---- */

static void take_image(void *arg, const struct evidence_image *image)
{
    struct ls *ls = arg;

    ls->image_size = image->size;
    ls_report_image(&ls->report, image);
}

static void take_volume(void *arg, const struct evidence_volume *volume)
{
    struct ls *ls = arg;

    if (!ls->is_account)
        ls_report_volume(&ls->report, volume);
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct ls *ls = arg;
    struct digest_values values;

    ls->damaged += object->state != OBJECT_WHOLE;
    atomic_fetch_add_explicit(&ls->run.progress.count, 1, memory_order_relaxed);
    if (ls->is_account)
        return;
    ls_digests_result(object, &values);
    ls_report_object(&ls->report, &(struct ls_entry){volume, object, &values, paths, count});
}

static void take_account(void *arg, const struct evidence_volume *volume, const struct account_table *table)
{
    struct ls *ls = arg;

    if (ls->is_account && report_account_add(&ls->account, volume->label, table))
        ls->report.out.line.failed = true;
}

static void show_contradiction(void *arg, const char *text)
{
    const struct ls *ls = arg;

    complain("%s: %s", ls->run.path, text);
}

static void take_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    struct ls *ls = arg;

    ls_report_whole(&ls->report, ls->image_size, whole, stored);
    ls->wrong_digest = evidence_run_contradicts(whole, stored, show_contradiction, ls);
}

/* ---- each piece of evidence ---- */

static void show_damage(const struct ls *ls, enum evidence_result result)
{
    if (ls->run.problems)
        return;
    if (result == EVIDENCE_PARTIAL)
        complain("%s: %llu object%s could not be read in full", ls->run.path, ls->damaged,
                 plural(ls->damaged));
    if (result == EVIDENCE_CHANGED)
        complain("%s: %llu object%s could not be read in full, or changed while being read", ls->run.path,
                 ls->damaged, plural(ls->damaged));
}

static int list_one(void *arg, size_t number, const char *path)
{
    struct ls *ls = arg;
    const struct evidence_sink sink = {.image = take_image,
                                       .volume = take_volume,
                                       .object = take_object,
                                       .account = take_account,
                                       .digests = take_digests,
                                       .arg = ls};
    enum evidence_result result;
    struct error err;
    int status;

    (void)number;
    ls->damaged = 0;
    ls->wrong_digest = false;
    ls_report_evidence(&ls->report, path);
    result = evidence_run_read(&ls->run, path, &sink, &err);
    if (ls->is_account)
        ls_report_account(&ls->report, &ls->account);
    report_account_reset(&ls->account);
    ls_report_end(&ls->report);
    status = evidence_run_end(&ls->run, result, &err);
    show_damage(ls, result);
    ls->run.over = ferror(stdout) || ls->report.out.line.failed;
    return ls->wrong_digest && status == EXIT_DONE ? EXIT_PARTIAL : status;
}

static int list_all(struct ls *ls, size_t count, char **paths)
{
    int status;

    ls->run.progress.noun = "object";
    ls->report.colours = terminal_colours(STDOUT_FILENO);
    ls_report_begin(&ls->report);
    progress_start(&ls->run.progress,
                   ls->run.quiet || (ls->report.form != &ls_summary && isatty(STDOUT_FILENO)));
    status = evidence_run_all(&ls->run, count, paths, list_one, ls);
    progress_stop();
    note_output(&ls->report.out.line);
    ls_report_release(&ls->report);
    return status;
}

static int list_named(struct ls *ls, size_t count, char **paths)
{
    struct evidence_list list;
    const int failed = evidence_list_make(&list, &ls->run.options, count, paths);
    const int status = failed ? EXIT_USAGE : list_all(ls, list.count, list.paths);

    evidence_list_release(&list);
    return status;
}

/* ---- options ---- */

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {OPTION_IMAGES, offsetof(struct ls, run.options.images)},
        {OPTION_ACCOUNT, offsetof(struct ls, is_account)},
        {OPTION_QUIET, offsetof(struct ls, run.quiet)},
    };
    struct ls *ls = arg;

    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&ls->run.options, options, option);
    if (options_flag(flags, option, ls))
        return 0;
    switch (option) {
    case OPTION_TIMEZONE:
        ls->has_zone = true;
        return timezone_take(options, &ls->report.zone);
    case OPTION_HASH:
        ls->digests |= DIGEST_BIT(DIGEST_SHA1);
        return 0;
    case OPTION_MD5:
        ls->digests |= DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5);
        return 0;
    case OPTION_SHA256:
        ls->digests |= DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256);
        return 0;
    case OPTION_HASH_IMAGE:
        ls->run.options.image_digests = DIGEST_BIT(DIGEST_KINDS) - 1;
        return 0;
    case OPTION_METADATA:
        ls->run.options.kinds |= OBJECT_BIT(OBJECT_METADATA) | OBJECT_BIT(OBJECT_FOLDER) | OBJECT_DETAILS;
        return 0;
    default:
        return formats_take(&ls->format, options);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct ls ls = {.run = {.options = evidence_flags_defaults(OBJECT_USUAL)}};
    const struct inspector inspector = ls_digests_inspector(&ls.digests);
    int operand = 0, status;

    ls.report.out.to = stdout;
    ls.run.options.opening = OPENING_KNOWN; /* free space is not read otherwise */
    status = options_read(command, argc, argv, take_option, &ls, &operand);
    if (status != OPTIONS_GO)
        return status;
    if (operand == argc)
        return options_wrong(command, "no evidence given");
    ls.report.form = ls.format.format        ? ls.format.format->writer
                     : isatty(STDOUT_FILENO) ? &ls_summary
                                             : &ls_csv;
    if (evidence_flags_check(&ls.run.options, (size_t)(argc - operand), argv + operand) ||
        evidence_flags_sandbox(&ls.run.options))
        return EXIT_USAGE;
    if (ls.has_zone && ls.report.form != &ls_table)
        return options_wrong(command, "--timezone is an option of --long");
    if (ls.is_account && (ls.digests || ls.report.form == &ls_body))
        return options_wrong(command,
                             "--account lists no objects, so it excludes --body, --hash, --md5 and --sha256");
    /* unreadable ranges are found only by reading everything */
    ls.run.options.inspector = ls.is_account                          ? &inspector_reader
                               : ls.digests                           ? &inspector
                               : ls.run.options.opening != OPENING_NO ? &inspector_closed
                                                                      : NULL;
    if (ls.is_account)
        ls.run.options.opening = OPENING_NO;
    ls.report.is_account = ls.is_account;
    ls.report.digests = ls.digests | ls.run.options.image_digests;
    return list_named(&ls, (size_t)(argc - operand), argv + operand);
}

const struct command command_ls = {"ls",
                                   "[options] IMAGE|FOLDER|FILE...",
                                   "list what is in a disk image: volumes, file systems, objects",
                                   ls_options,
                                   run,
                                   NULL,
                                   NULL};
