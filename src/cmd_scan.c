/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "context_flags.h"
#include "evidence_flags.h"
#include "evidence_list.h"
#include "file_kind.h"
#include "finding_flags.h"
#include "formats.h"
#include "interrupt.h"
#include "rows.h"
#include "scan.h"
#include "scan_case.h"
#include "set_flags.h"

enum {
    SCAN_REFERENCE = OPTIONS_EVIDENCE,
    SCAN_KEY,
    SCAN_CASE,
    SCAN_CONTEXT,
    SCAN_MAX_E = SCAN_CONTEXT + CASE_CONTEXT_KEYS,
    SCAN_MIN_MATCHED,
    SCAN_DEEP,
    SCAN_REQUIRE,
    SCAN_BLOCKS,
    SCAN_MAX_SIZE,
    SCAN_INCLUDE,
    SCAN_EXCLUDE,
    SCAN_MD5,
    SCAN_SHA256,
    SCAN_ALL_REFERENCES,
    SCAN_SHOW_KNOWN,
    SCAN_ALL,
    SCAN_FAIL_ON_MATCH,
    SCAN_NO_HASH_IMAGE,
    SCAN_FORMAT,
    SCAN_CSV,
    SCAN_EXCEL,
    SCAN_JSON,
    SCAN_TEXT,
    SCAN_IMAGES,
    SCAN_QUIET,
};

static const struct option_spec scan_options[] = {
    OPTIONS_EVIDENCE_SPECS("all but image", "all"),
    {'r', "reference", "SET", "search for the files of this set; may be repeated", &values_set},
    {0, "key", "FILE", "the secret key of a set that was made with one; may be repeated", &values_file},
    {0, "case", "CASE", "keep all objects and findings in this case, new or resumed; kith report writes them",
     &values_case},
    CONTEXT_FLAGS_SPECS("with --case: "),
    {'t', "max-e", "E", "report matches with an E-value of at most E (default: 0.001)", NULL},
    {0, "min-matched", "SIZE",
     "report only identical files and matches of at least this many bytes (default: 0)", NULL},
    {0, "deep", NULL, "sample four times as densely: finds smaller matches, takes longer", NULL},
    {0, "require", "SIZE", "warn if a set is too sparse for 95 % of the fragments of this size to be found",
     NULL},
    {0, "blocks", "SIZE", "split objects into chunks of this size and report on each", NULL},
    {0, "max-size", "SIZE", "skip objects that are larger (default: no limit)", NULL},
    {0, "include", "PATTERN", "scan only files whose path matches; may be repeated", NULL},
    {0, "exclude", "PATTERN", "skip files whose path matches; may be repeated", NULL},
    {0, "md5", NULL, "also compute the MD5 of every object", NULL},
    {0, "sha256", NULL, "also compute the SHA-256 of every object", NULL},
    {0, "all-references", NULL, "report all references of an object, not only the best of similar ones",
     NULL},
    {0, "show-known", NULL, "also list findings in sets of kind known", NULL},
    {0, "all", NULL, "also list objects without a finding, and each finding of content that is listed once",
     NULL},
    {0, "fail-on-match", NULL, "exit with 1 if there is a finding", NULL},
    {0, "no-hash-image", NULL, "do not compute the SHA-1 of the whole image for the case", NULL},
    {0, "format", "FORM", "output format (default: text on a terminal, else csv)", &formats_rows},
    {0, "csv", NULL, "the same as --format csv", NULL},
    {0, "excel", NULL, "the same as --format excel: CSV that spreadsheets display unchanged", NULL},
    {0, "json", NULL, "the same as --format jsonl: JSON Lines, with everything the case has of a finding",
     NULL},
    {0, "text", NULL, "the same as --format text", NULL},
    {0, "images", NULL, "also open the disk images in folders, each as separate evidence", NULL},
    {'q', "quiet", NULL, "show no progress, no notes and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum { LEAST_CHUNK = 512 };

struct command_line {
    struct scan scan;
    struct format_choice format;
    struct case_filter filter;
    const char *case_path; /* NULL: none is kept */
    struct context_flags context;
    bool fail_on_match, no_hash_image;
};

/* ---- options ---- */

static int take_pattern(struct pattern_list *patterns, const struct options *options)
{
    if (!options->value[0]) {
        options_wrong(options->command, "the pattern of --%s is empty: it matches no path",
                      options->spec->name);
        return -1;
    }
    if (patterns_add(patterns, options->value) == 0)
        return 0;
    complain("out of memory");
    return -1;
}

static int take_set(struct scan_sets *sets, const struct options *options)
{
    if (sets->count == MATCHER_MOST_SETS) {
        options_wrong(options->command, "more than %d sets: combine some with kith sets merge",
                      MATCHER_MOST_SETS);
        return -1;
    }
    sets->paths[sets->count] = set_flags_find(options->value);
    if (!sets->paths[sets->count])
        return -1;
    sets->count++;
    return 0;
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {SCAN_DEEP, offsetof(struct command_line, scan.deep)},
        {SCAN_MD5, offsetof(struct command_line, scan.md5)},
        {SCAN_SHA256, offsetof(struct command_line, scan.sha256)},
        {SCAN_ALL_REFERENCES, offsetof(struct command_line, scan.matching.all_references)},
        {SCAN_SHOW_KNOWN, offsetof(struct command_line, filter.known)},
        {SCAN_ALL, offsetof(struct command_line, filter.objects)},
        {SCAN_FAIL_ON_MATCH, offsetof(struct command_line, fail_on_match)},
        {SCAN_NO_HASH_IMAGE, offsetof(struct command_line, no_hash_image)},
        {SCAN_IMAGES, offsetof(struct command_line, scan.run.options.images)},
        {SCAN_QUIET, offsetof(struct command_line, scan.run.quiet)},
    };
    struct command_line *line = arg;
    struct scan *scan = &line->scan;

    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&scan->run.options, options, option);
    if (option >= SCAN_CONTEXT && option < SCAN_CONTEXT + CASE_CONTEXT_KEYS)
        return context_flags_take(&line->context, options, option - SCAN_CONTEXT);
    if (options_flag(flags, option, line))
        return 0;
    switch (option) {
    case SCAN_REFERENCE:
        return take_set(&scan->sets, options);
    case SCAN_KEY:
        return key_flags_take(&scan->sets.keys, options);
    case SCAN_CASE:
        line->case_path = options->value;
        return options_check_new(options->command, options->value);
    case SCAN_MAX_E:
        return finding_flags_e(options, &scan->matching.most_ln_e);
    case SCAN_MIN_MATCHED:
        return options_size(options, 0, INT64_MAX, &scan->matching.least_matched);
    case SCAN_REQUIRE:
        return options_size(options, 1, INT64_MAX, &scan->require);
    case SCAN_BLOCKS:
        return options_size(options, LEAST_CHUNK, INT64_MAX, &scan->chunk);
    case SCAN_MAX_SIZE:
        return options_size(options, 0, INT64_MAX, &scan->most);
    case SCAN_INCLUDE:
        return take_pattern(&scan->patterns.include, options);
    case SCAN_EXCLUDE:
        return take_pattern(&scan->patterns.exclude, options);
    default:
        return formats_take(&line->format, options);
    }
}

/* ---- scanning ---- */

static int scan_all(struct scan *scan, const struct evidence_list *evidence)
{
    int status;

    scan->run.progress.noun = "object";
    for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++)
        scan->run.progress.found_nouns[verdict] = finding_verdict_name((enum verdict)verdict);
    atomic_store(&scan->run.progress.total, evidence_list_bytes(evidence));
    scan->run.options.stop = interrupt_flag();
    progress_start(&scan->run.progress, scan->run.quiet);
    status = evidence_run_all(&scan->run, evidence->count, evidence->paths, scan_evidence, scan);
    progress_stop();
    return scan->failed ? EXIT_USAGE : status;
}

static int conclude(struct command_line *line, const struct scan_case *scan_case, enum scan_yield yield,
                    int status, struct error *err)
{
    struct scan *scan = &line->scan;
    const struct report_operations *form =
        line->format.format ? line->format.format->writer : rows_usual_form();
    const struct report_options plain = {.zone = REPORT_ZONE_UTC};
    const struct case_filter filter = rows_filter(form, &line->filter, false);
    int found;

    if (!line->case_path && rows_write(form, scan->casefile, &filter, &plain, err))
        return -1;
    fflush(stdout);
    if (!scan->run.quiet && (line->case_path || form != &report_text) &&
        scan_case_show(scan_case, yield, err))
        return -1;
    found = line->fail_on_match ? scan_case_has_finding(scan_case, err) : 0;
    if (found < 0)
        return -1;
    if (status == EXIT_INTERRUPTED)
        complain(line->case_path ? "interrupted; rerun the same command to resume"
                                 : "interrupted; the output is incomplete");
    return status == EXIT_DONE && found ? EXIT_MATCH : status;
}

static int scan_into_case(struct command_line *line, const struct evidence_list *evidence)
{
    struct scan *scan = &line->scan;
    struct scan_case scan_case = {.scan = scan,
                                  .evidence = evidence,
                                  .path = line->case_path,
                                  .context = &line->context,
                                  .all_objects = line->filter.objects};
    struct error err;
    int status = scan_case_open(&scan_case);
    enum scan_yield yield;

    if (status)
        return status;
    status = scan_all(scan, evidence);
    yield = scan_case_yield(&scan_case);
    if (!scan->failed && (yield != SCAN_UNOPENED || !scan_case.is_new))
        status = conclude(line, &scan_case, yield, status, &err);
    if (scan_case_close(&scan_case, yield, !scan->failed && status >= 0, &err))
        status = scan->failed ? EXIT_USAGE : -1;
    if (status >= 0)
        return status;
    complain_error(&err);
    return EXIT_USAGE;
}

/* A set that is too sparse for what is required is used all the same. */
static int scan_as_required(struct command_line *line, const struct evidence_list *evidence)
{
    const struct scan *scan = &line->scan;
    struct error err;
    const int enough =
        scan->require ? scan_limits_check(&scan->sets, &scan->plan, scan->require, scan->deep, &err) : 1;
    int status;

    if (enough < 0) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    status = scan_into_case(line, evidence);
    return enough || (status != EXIT_DONE && status != EXIT_MATCH) ? status : EXIT_PARTIAL;
}

static int scan_list(struct command_line *line, const struct evidence_list *evidence)
{
    if (evidence_list_check_twice(evidence) || evidence_list_check_output(evidence, line->case_path) ||
        evidence_flags_sandbox(&line->scan.run.options))
        return EXIT_USAGE;
    interrupt_catch();
    return scan_open(&line->scan) ? EXIT_USAGE : scan_as_required(line, evidence);
}

/* Without paths, the evidence is what the case has. */
static int list_evidence(struct command_line *line, struct evidence_list *evidence, size_t count,
                         char **paths)
{
    const struct evidence_options *options = &line->scan.run.options;

    if (line->case_path && file_kind_check_case(line->case_path))
        return -1;
    if (count == 0)
        return evidence_list_of_case(evidence, line->case_path) ||
                       evidence_flags_check(options, evidence->count, evidence->paths)
                   ? -1
                   : 0;
    return evidence_flags_check(options, count, paths) || evidence_flags_sandbox(options) ||
                   evidence_list_make(evidence, options, count, paths)
               ? -1
               : 0;
}

static int scan_named(struct command_line *line, size_t count, char **paths)
{
    struct evidence_list evidence = {.count = 0};
    int status = EXIT_USAGE;

    line->scan.hash_image = line->case_path && !line->no_hash_image;
    if (list_evidence(line, &evidence, count, paths) == 0)
        status = scan_list(line, &evidence);
    evidence_list_release(&evidence);
    return status;
}

/* ---- the command ---- */

static int run_line(struct command_line *line, const struct command *command, int argc, char **argv)
{
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, line, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (line->scan.sets.count == 0)
        return options_wrong(command, "no reference set given (-r SET)");
    if (line->scan.require && line->scan.require < line->scan.matching.least_matched)
        return options_wrong(command, "--min-matched drops what --require demands");
    if (line->case_path && (line->format.format || line->filter.objects || line->filter.known))
        return options_wrong(command, "--case writes no rows: --format, --csv, --text, --all and "
                                      "--show-known are options of kith report");
    if (!line->case_path && context_flags_any(&line->context))
        return options_wrong(
            command, "--case-number, --examiner, --organisation and --notes belong to a case (--case)");
    if (operand == argc && (!line->case_path || access(line->case_path, F_OK)))
        return options_wrong(command, "no evidence given");
    return scan_named(line, (size_t)(argc - operand), argv + operand);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct command_line line = {.scan = {.run.options = evidence_flags_defaults(OBJECT_USUAL),
                                         .matching = {.most_ln_e = log(MATCHER_USUAL_E)},
                                         .most = UINT64_MAX}};
    const int status = run_line(&line, command, argc, argv);

    scan_close(&line.scan);
    return status;
}

const struct command command_scan = {"scan",
                                     "[options] -r SET IMAGE|FOLDER|FILE...",
                                     "find known files, and files related to them, in evidence",
                                     scan_options,
                                     run,
                                     NULL,
                                     &values_verdicts};
