/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_known.h"
#include "audit_report.h"
#include "command.h"
#include "evidence_flags.h"
#include "evidence_list.h"
#include "file_kind.h"
#include "formats.h"
#include "interrupt.h"
#include "nesting.h"
#include "scan.h"
#include "set_flags.h"

enum {
    AUDIT_BARE = OPTIONS_EVIDENCE,
    AUDIT_ALL,
    AUDIT_FORMAT,
    AUDIT_CSV,
    AUDIT_JSON,
    AUDIT_IMAGES,
    AUDIT_QUIET,
};

static const struct option_spec audit_options[] = {
    OPTIONS_EVIDENCE_SPECS("file, stream", "no"),
    {'b', "bare", NULL, "compare the names of files only, without their folders", NULL},
    {0, "all", NULL, "also list files that match", NULL},
    {0, "format", "FORM", "output format (default: text)", &formats_sets},
    {0, "csv", NULL, "the same as --format csv", NULL},
    {0, "json", NULL, "the same as --format json: JSON Lines", NULL},
    {0, "images", NULL, "also open the disk images in folders, each as separate evidence", NULL},
    {'q', "quiet", NULL, "show no progress and no notes", NULL},
    {0, NULL, NULL, NULL, NULL},
};

struct audit {
    struct scan scan; /* begins with the run, as the sink needs */
    struct format_choice format;
    bool bare;
    struct audit_known *known;
    struct audit_report report;
    struct scanner_part part; /* of the current object */
    struct nesting nesting;   /* of the current object */
    int level;
    bool failed; /* err says why */
    struct error err;
};

/* ---- objects ---- */

static struct refset_search *search_of(const struct audit *audit)
{
    return audit->scan.sets.searches[0];
}

static void fail(struct audit *audit)
{
    audit->failed = audit->scan.run.over = true;
    interrupt_request();
}

/* Whether it is known under this path; a member, under the name that kith add gives it. */
static bool is_known_as(struct audit *audit, uint64_t file, const struct audit_row *row,
                        const struct object *object)
{
    struct buffer name = {0};
    bool is_known;

    if (audit->level > 0) {
        nesting_name(&audit->nesting, audit->level, &name);
        buffer_add(&name, row->path, nesting_outer_len(object, row->path));
        buffer_add_char(&name, '\0');
    }
    audit->report.out.line.failed |= name.failed;
    is_known =
        audit_known_use(audit->known, file, row->volume, name.len && !name.failed ? name.data : row->path);
    buffer_release(&name);
    return is_known;
}

/* Puts a row for each path; which of matched and moved it is depends on the path. */
static void put_rows(struct audit *audit, struct audit_row *row, uint64_t file, const struct object *object,
                     const char *paths, size_t count)
{
    const bool is_known = row->status == AUDIT_MATCHED;

    for (size_t i = 0; i < (count ? count : 1); i++) {
        row->path = count ? paths : "";
        if (is_known)
            row->status = is_known_as(audit, file, row, object) ? AUDIT_MATCHED : AUDIT_MOVED;
        audit_report_row(&audit->report, row);
        paths += count ? strlen(paths) + 1 : 0;
    }
}

/* Finds what the set has of an object: the same content, or else related content. */
static int compare(struct audit *audit, struct audit_row *row, uint64_t *file, struct set_file *reference)
{
    const struct findings *findings = &audit->part.findings;
    int found;

    if (refset_search_digests(search_of(audit), &audit->part.digests, 0, file, &audit->err))
        return -1;
    row->status = *file ? AUDIT_MATCHED : findings->count ? AUDIT_VARIED : AUDIT_NEW;
    if (!*file && findings->count) {
        row->finding = &findings->list[0];
        *file = row->finding->file;
    }
    if (!*file)
        return 0;
    found = refset_search_file(search_of(audit), *file, reference, &audit->err);
    if (found == 0 || (found > 0 && row->finding && row->finding->verdict == VERDICT_IDENTICAL))
        return error_set(&audit->err, "invalid result from worker");
    row->known = reference->name.len ? reference->name.data : "";
    row->known_len = reference->name.len;
    return found < 0 ? -1 : 0;
}

static void show_unreadable(struct audit *audit, const struct audit_row *row, const char *what)
{
    struct error text;

    error_set(&text, "%s: %s", what, *row->reason ? row->reason : "cannot be read");
    evidence_run_problem(&audit->scan.run, text.text);
}

static int add_object(struct audit *audit, const struct object *object, struct audit_row *row,
                      const char *paths, size_t count)
{
    struct set_file reference = {0};
    struct scanner_result result;
    uint64_t file = 0;
    int status = 0;

    if (object->state == OBJECT_WHOLE && object->result.len) {
        scanner_result_begin(&result, object);
        if (scanner_result_next(&result, &audit->scan.plan, &audit->part, &audit->err) <= 0)
            return -1;
        row->digests = &audit->part.digests;
        status = compare(audit, row, &file, &reference);
    } else {
        row->status = AUDIT_UNREADABLE;
        show_unreadable(audit, row, count ? paths : row->address);
    }
    if (status == 0)
        put_rows(audit, row, file, object, paths, count);
    set_file_release(&reference);
    return status;
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct audit *audit = arg;
    struct buffer address = {0}, reason = {0};
    struct audit_row row = {.evidence = audit->scan.run.path,
                            .volume = volume->label,
                            .has_size = true,
                            .size = object->size,
                            .known = ""};

    atomic_fetch_add_explicit(&audit->scan.run.progress.count, 1, memory_order_relaxed);
    if (audit->failed)
        return;
    audit->level = nesting_take(&audit->nesting, object);
    if (audit->level < 0) {
        error_set(&audit->err, "out of memory");
        fail(audit);
        return;
    }
    if (audit->nesting.levels[audit->level].grade == BOILERPLATE_ALL)
        return; /* kith add leaves it out, too */
    object_address(&address, object);
    buffer_add_char(&address, '\0');
    if (object->state != OBJECT_WHOLE)
        buffer_add(&reason, object->problem.data, object->problem.len);
    buffer_add_char(&reason, '\0');
    if (address.failed || reason.failed) {
        error_set(&audit->err, "out of memory");
        fail(audit);
    } else {
        row.address = address.data;
        row.reason = reason.data;
        if (add_object(audit, object, &row, paths, count))
            fail(audit);
    }
    buffer_release(&address);
    buffer_release(&reason);
}

/* ---- the evidence ---- */

static int audit_one(void *arg, size_t number, const char *path)
{
    struct audit *audit = arg;
    const struct evidence_sink sink = {.object = take_object, .arg = audit};
    enum evidence_result result;
    struct error err;

    (void)number;
    result = evidence_run_read(&audit->scan.run, path, &sink, &err);
    audit->scan.run.over |= ferror(stdout) || audit->report.out.line.failed;
    return evidence_run_end(&audit->scan.run, result, &err);
}

static int put_missing(void *arg, const struct known *file, const char *name)
{
    struct audit *audit = arg;

    audit_report_row(&audit->report, &(struct audit_row){.status = AUDIT_MISSING,
                                                         .evidence = "",
                                                         .volume = "",
                                                         .address = "",
                                                         .path = name,
                                                         .has_size = file->has_size,
                                                         .size = file->size,
                                                         .digests = &file->digests,
                                                         .known = name,
                                                         .known_len = strlen(name),
                                                         .reason = ""});
    return ferror(stdout) || audit->report.out.line.failed;
}

static int conclude(struct audit *audit, int status)
{
    struct buffer words = {0};

    if (audit_known_missing(audit->known, put_missing, audit, &audit->err) < 0) {
        complain_error(&audit->err);
        return EXIT_USAGE;
    }
    audit_report_end(&audit->report, status == EXIT_DONE);
    if (audit->report.format == FORMAT_CSV && !audit->scan.run.quiet) {
        fflush(stdout);
        audit_report_words(&audit->report, status == EXIT_DONE, &words);
        complain("%.*s", (int)words.len, words.len ? words.data : "");
        buffer_release(&words);
    }
    if (status == EXIT_DONE && audit->report.counts[AUDIT_UNREADABLE])
        return EXIT_PARTIAL;
    return status == EXIT_DONE && !audit_report_passes(&audit->report) ? EXIT_MATCH : status;
}

static int audit_all(struct audit *audit, const struct evidence_list *evidence)
{
    struct scan *scan = &audit->scan;
    int status;

    scan->run.progress.noun = "file";
    atomic_store(&scan->run.progress.total, evidence_list_bytes(evidence));
    scan->run.options.stop = interrupt_flag();
    audit_report_begin(&audit->report);
    progress_start(&scan->run.progress, scan->run.quiet);
    status = evidence_run_all(&scan->run, evidence->count, evidence->paths, audit_one, audit);
    progress_stop();
    if (audit->failed) {
        complain_error(&audit->err);
        return EXIT_USAGE;
    }
    if (status == EXIT_INTERRUPTED)
        complain("interrupted; the output is incomplete");
    else
        status = conclude(audit, status);
    note_output(&audit->report.out.line);
    return status;
}

/* Sets know the members of containers, too. */
static int skip_members(struct audit *audit, struct error *err)
{
    uint64_t count = 0;

    if (audit->scan.run.options.opening != OPENING_NO)
        return 0;
    if (audit_known_skip_members(audit->known, search_of(audit), &count, err))
        return -1;
    if (count && !audit->scan.run.quiet)
        complain("%" PRIu64 " member%s of containers in the set not looked for (--containers)", count,
                 plural(count));
    return 0;
}

static int open_and_audit(struct audit *audit, const struct evidence_list *evidence)
{
    int status = EXIT_USAGE;
    struct error err;

    if (evidence_list_check_twice(evidence))
        return EXIT_USAGE;
    interrupt_catch();
    if (scan_open(&audit->scan))
        return EXIT_USAGE;
    audit->known = audit_known_new(audit->scan.sets.sets[0], audit->bare, &err);
    if (audit->known && skip_members(audit, &err) == 0)
        status = audit_all(audit, evidence);
    else
        complain_error(&err);
    audit_known_free(audit->known);
    finding_list_release(&audit->part.findings);
    nesting_release(&audit->nesting);
    audit_report_release(&audit->report);
    return status;
}

/* ---- the command ---- */

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {AUDIT_BARE, offsetof(struct audit, bare)},
        {AUDIT_ALL, offsetof(struct audit, report.all)},
        {AUDIT_IMAGES, offsetof(struct audit, scan.run.options.images)},
        {AUDIT_QUIET, offsetof(struct audit, scan.run.quiet)},
    };
    struct audit *audit = arg;

    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&audit->scan.run.options, options, option);
    return options_flag(flags, option, audit) ? 0 : formats_take(&audit->format, options);
}

static int audit_paths(struct audit *audit, const char *set, size_t count, char **paths)
{
    struct evidence_options *options = &audit->scan.run.options;
    struct evidence_list evidence = {.count = 0};
    int status = EXIT_USAGE;

    audit->scan.sets.paths[0] = set_flags_find(set);
    if (!audit->scan.sets.paths[0])
        return EXIT_USAGE;
    audit->scan.sets.count = 1;
    options->files_expected = true;
    audit->report.out.to = stdout;
    audit->report.format = audit->format.format ? audit->format.format->number : FORMAT_TEXT;
    if (evidence_flags_check(options, count, paths) == 0 && evidence_flags_sandbox(options) == 0 &&
        evidence_list_make(&evidence, options, count, paths) == 0)
        status = open_and_audit(audit, &evidence);
    evidence_list_release(&evidence);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct audit audit = {
        .scan = {.run.options = evidence_flags_defaults(OBJECT_BIT(OBJECT_FILE) | OBJECT_BIT(OBJECT_STREAM)),
                 .matching = {.most_ln_e = log(MATCHER_USUAL_E)},
                 .most = UINT64_MAX}};
    int operand = 0, status = options_read(command, argc, argv, take_option, &audit, &operand);

    if (status != OPTIONS_GO)
        ;
    else if (argc - operand < 2)
        status = options_wrong(command, operand == argc ? "no set given" : "no evidence given");
    else
        status = audit_paths(&audit, argv[operand], (size_t)(argc - operand - 1), argv + operand + 1);
    scan_close(&audit.scan);
    return status;
}

const struct command command_audit = {"audit",
                                      "[options] SET IMAGE|FOLDER|FILE...",
                                      "check that evidence holds the files of a set, and no others",
                                      audit_options,
                                      run,
                                      &values_set,
                                      NULL};
