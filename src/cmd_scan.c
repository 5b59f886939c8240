/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "command.h"
#include "evidence_flags.h"
#include "evidence_list.h"
#include "interrupt.h"
#include "report/report_about.h"
#include "rows.h"
#include "scan.h"
#include "set_flags.h"

enum {
    SCAN_REFERENCE = OPTIONS_EVIDENCE,
    SCAN_OUTPUT,
    SCAN_MAX_E,
    SCAN_MIN_MATCHED,
    SCAN_DEEP,
    SCAN_BLOCKS,
    SCAN_MAX_SIZE,
    SCAN_INCLUDE,
    SCAN_EXCLUDE,
    SCAN_ALL_REFERENCES,
    SCAN_SHOW_KNOWN,
    SCAN_ALL,
    SCAN_FAIL_ON_MATCH,
    SCAN_NO_HASH_IMAGE,
    SCAN_CSV,
    SCAN_TEXT,
    SCAN_IMAGES,
    SCAN_QUIET,
};

static const struct option_spec scan_options[] = {
    OPTIONS_EVIDENCE_SPECS_WITH(0),
    {'r', "reference", "SET", "look for the files of this set; may be given several times", NULL},
    {'o', "output", "CASE", "keep all in this case, or go on with it, and write no rows (see: kith report)",
     NULL},
    {'t', "max-e", "E", "believe a match that chance would give so often against the set (default: 0.001)",
     NULL},
    {0, "min-matched", "SIZE", "tell no kin with fewer matched bytes", NULL},
    {0, "deep", NULL, "sample four times as densely: finds smaller things, and takes longer", NULL},
    {0, "blocks", "SIZE", "cut objects into chunks of this size and tell what each is", NULL},
    {0, "max-size", "SIZE", "leave out objects that are larger", NULL},
    {0, "include", "PATTERN", "look only at files whose path matches; may be given several times", NULL},
    {0, "exclude", "PATTERN", "leave out files whose path matches; may be given several times", NULL},
    {0, "all-references", NULL, "tell of each object all references, also those like a better one", NULL},
    {0, "show-known", NULL, "list also what was found in sets of kind known", NULL},
    {0, "all", NULL, "list also objects without a finding, with the reason", NULL},
    {0, "fail-on-match", NULL, "exit with 1 if there is a finding", NULL},
    {0, "no-hash-image", NULL, "do not take the SHA-1 of the whole image into the case", NULL},
    {0, "csv", NULL, "write CSV (default if the output is no terminal)", NULL},
    {0, "text", NULL, "write for people (default on a terminal)", NULL},
    {0, "images", NULL, "also open the disk images in folders, each as evidence of its own", NULL},
    {'q', "quiet", NULL, "show no progress, no notes and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

static const double default_max_e = 1e-3;
enum { LEAST_CHUNK = 512 };

struct command_line {
    struct scan scan;
    const struct report_operations *form;
    struct case_filter filter;
    const char *output;
    bool form_chosen, fail_on_match, no_hash_image;
    struct buffer parameters;
};

/* ---- options ---- */

static int add_text(const char ***list, size_t *count, const char *text)
{
    const char **longer = realloc(*list, (*count + 1) * sizeof(char *));

    if (!longer) {
        complain("out of memory");
        return -1;
    }
    *list = longer;
    longer[(*count)++] = text;
    return 0;
}

static int take_e(struct command_line *line, const struct options *options)
{
    char *end;
    const double e = strtod(options->value, &end);

    if (*end || end == options->value || !(e > 0 && e <= 1e6)) {
        options_wrong(options->command, "'%s' is not a number above 0 and up to 1000000", options->value);
        return -1;
    }
    line->scan.matching.most_ln_e = log(e);
    return 0;
}

static int choose_form(struct command_line *line, const struct options *options,
                       const struct report_operations *form)
{
    if (line->form_chosen && line->form != form) {
        options_wrong(options->command, "--csv and --text exclude each other");
        return -1;
    }
    line->form_chosen = true;
    line->form = form;
    return 0;
}

static int take_pattern(struct patterns *patterns, const struct options *options)
{
    if (options->value[0])
        return add_text(&patterns->list, &patterns->count, options->value);
    options_wrong(options->command, "a pattern is empty: no path matches that");
    return -1;
}

static int take_set(struct scan *scan, const struct options *options)
{
    char *path;

    if (scan->set_count == MATCHER_MOST_SETS) {
        options_wrong(options->command, "there are more than %d sets: put some together with kith sets merge",
                      MATCHER_MOST_SETS);
        return -1;
    }
    path = set_flags_find(options->value);
    if (!path)
        complain("out of memory");
    if (path && add_text(&scan->set_paths, &scan->set_count, path) == 0)
        return 0;
    free(path);
    return -1;
}

static int take_option(struct command_line *line, const struct options *options, int option)
{
    struct scan *scan = &line->scan;

    if (option < OPTIONS_EVIDENCE)
        return evidence_flags_take(&scan->evidence, options, option);
    switch (option) {
    case SCAN_REFERENCE:
        return take_set(scan, options);
    case SCAN_OUTPUT:
        line->output = options->value;
        return 0;
    case SCAN_MAX_E:
        return take_e(line, options);
    case SCAN_MIN_MATCHED:
        return options_size(options, 0, INT64_MAX, &scan->matching.least_matched);
    case SCAN_DEEP:
        scan->deep = true;
        return 0;
    case SCAN_BLOCKS:
        return options_size(options, LEAST_CHUNK, INT64_MAX, &scan->chunk);
    case SCAN_MAX_SIZE:
        return options_size(options, 0, INT64_MAX, &scan->most);
    case SCAN_INCLUDE:
        return take_pattern(&scan->include, options);
    case SCAN_EXCLUDE:
        return take_pattern(&scan->exclude, options);
    case SCAN_ALL_REFERENCES:
        scan->matching.all_references = true;
        return 0;
    case SCAN_SHOW_KNOWN:
        line->filter.known = true;
        return 0;
    case SCAN_ALL:
        line->filter.objects = true;
        return 0;
    case SCAN_FAIL_ON_MATCH:
        line->fail_on_match = true;
        return 0;
    case SCAN_NO_HASH_IMAGE:
        line->no_hash_image = true;
        return 0;
    case SCAN_IMAGES:
        scan->evidence.images = true;
        return 0;
    case SCAN_CSV:
        return choose_form(line, options, &report_csv);
    case SCAN_TEXT:
        return choose_form(line, options, &report_text);
    default:
        scan->quiet = true;
        return 0;
    }
}

/* ---- the case ---- */

static void add_patterns(struct buffer *out, const char *name, const struct patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        buffer_printf(out, " %s=%s", name, patterns->list[i]);
}

/* All that the outcome depends on, besides sets and evidence. */
static const char *tell_parameters(struct command_line *line)
{
    const struct scan *scan = &line->scan;
    const struct evidence_options *evidence = &scan->evidence;
    struct buffer *out = &line->parameters;

    buffer_printf(out, "C=%" PRIu32 " max-e=%.6g min-matched=%" PRIu64 " blocks=%" PRIu64, scan->plan.c,
                  exp(scan->matching.most_ln_e), scan->matching.least_matched, scan->chunk);
    if (scan->most != UINT64_MAX)
        buffer_printf(out, " max-size=%" PRIu64, scan->most);
    if (scan->matching.all_references)
        buffer_add_text(out, " all-references");
    buffer_add_text(out, " kinds=");
    for (int kind = 0, any = 0; kind < OBJECT_KINDS; kind++)
        if (evidence->kinds & OBJECT_BIT(kind))
            buffer_printf(out, "%s%s", any++ ? "," : "", object_kind_name((enum object_kind)kind));
    if (evidence->image_type)
        buffer_printf(out, " image-type=%s", evidence->image_type);
    if (evidence->force)
        buffer_add_text(out, " force");
    if (evidence->system_type)
        buffer_printf(out, " fs-type=%s", evidence->system_type);
    if (evidence->has_offset)
        buffer_printf(out, " offset=%" PRIu64, evidence->sector);
    if (evidence->ok_unexamined)
        buffer_add_text(out, " ok-unexamined");
    add_patterns(out, "include", &scan->include);
    add_patterns(out, "exclude", &scan->exclude);
    buffer_add_char(out, '\0');
    return out->failed ? NULL : out->data;
}

static struct casefile *open_case(struct command_line *line, size_t count, char **paths, struct error *err)
{
    const struct case_plan plan = {.parameters = tell_parameters(line),
                                   .tool = set_flags_tool,
                                   .now = set_flags_now(),
                                   .sets = line->scan.known,
                                   .set_count = line->scan.set_count,
                                   .evidence = (const char *const *)paths,
                                   .evidence_count = count};

    if (!plan.parameters) {
        error_set(err, "out of memory");
        return NULL;
    }
    if (line->output)
        return casefile_open(line->output, &plan, err);
    return casefile_open_temporary(&plan, line->filter.objects, err);
}

/* ---- scanning ---- */

static uint64_t bytes_in(size_t count, char **paths)
{
    uint64_t sum = 0;
    struct stat st;

    for (size_t i = 0; i < count; i++) {
        if (stat(paths[i], &st) || S_ISDIR(st.st_mode))
            return 0; /* nobody knows */
        sum += (uint64_t)st.st_size;
    }
    return sum;
}

static int scan_all(struct scan *scan, size_t count, char **paths)
{
    int worst = EXIT_DONE;
    size_t done = 0;

    scan->progress.noun = "objects";
    for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++)
        scan->progress.found_nouns[verdict] = finding_verdict_name((enum verdict)verdict);
    atomic_store(&scan->progress.total, bytes_in(count, paths));
    scan->evidence.bytes = &scan->progress.bytes;
    scan->evidence.stop = interrupt_flag();
    progress_start(&scan->progress, scan->quiet);
    for (; done < count && !scan->failed && !atomic_load(interrupt_flag()); done++) {
        const int status = scan_one(scan, done + 1, paths[done]);

        worst = status > worst ? status : worst;
    }
    progress_stop();
    if (scan->failed)
        return EXIT_USAGE;
    return done < count && !scan->different ? EXIT_INTERRUPTED : worst;
}

static int show_summary(struct scan *scan, size_t count, struct error *err)
{
    for (size_t i = 1; i <= count; i++) {
        struct case_evidence evidence;
        struct case_counts counts;
        struct buffer text = {0};

        if (casefile_evidence(scan->casefile, i, &evidence, err) <= 0 ||
            casefile_count(scan->casefile, i, &counts, err))
            return -1;
        report_about_counts(&counts, &text);
        if (text.failed)
            return error_set(err, "out of memory");
        complain("%s: %" PRIu64 " objects, %.1f MB: %.*s", evidence.path, counts.objects,
                 (double)counts.bytes / 1e6, (int)text.len, text.data ? text.data : "");
        buffer_release(&text);
    }
    return 0;
}

static void take_chain(void *arg, const struct case_entry *entry)
{
    memcpy(arg, entry->chain, CASE_CHAIN_LEN);
}

/* Whoever writes this down can tell later that the case is still the same. */
static int show_seal(const struct command_line *line, struct error *err)
{
    uint8_t chain[CASE_CHAIN_LEN];
    struct buffer text = {0};

    if (casefile_read_log(line->scan.casefile, take_chain, chain, err))
        return -1;
    escape_hex(&text, chain, sizeof chain);
    if (text.failed)
        return error_set(err, "out of memory");
    complain("%s: sealed with %.*s", line->output, (int)text.len, text.data ? text.data : "");
    buffer_release(&text);
    return 0;
}

/* Whether there is anything in sets that are not known. */
static int any_finding(struct scan *scan, size_t count, struct error *err)
{
    for (size_t i = 1; i <= count; i++) {
        struct case_counts counts;

        if (casefile_count(scan->casefile, i, &counts, err))
            return -1;
        for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++)
            if (counts.findings[verdict])
                return 1;
    }
    return 0;
}

static int conclude(struct command_line *line, size_t count, int status, struct error *err)
{
    struct scan *scan = &line->scan;
    int found;

    if (!line->output && rows_write(line->form, scan->casefile, &line->filter, err))
        return -1;
    fflush(stdout);
    if (!scan->quiet && (show_summary(scan, count, err) || (line->output && show_seal(line, err))))
        return -1;
    found = line->fail_on_match ? any_finding(scan, count, err) : 0;
    if (found < 0)
        return -1;
    if (status == EXIT_INTERRUPTED)
        complain(line->output ? "interrupted; the same command goes on" : "interrupted; this is not all");
    return status == EXIT_DONE && found ? EXIT_MATCH : status;
}

/* A case is for evidence that is there: a mistyped name makes none. */
static int check_evidence(const struct command_line *line, size_t count, char **paths)
{
    struct error err;
    int result = 0;

    for (size_t i = 0; i < count; i++)
        if (evidence_check(paths[i], line->scan.evidence.image_type, &err)) {
            complain_error(&err);
            result = -1;
        }
    if (result)
        complain("%s: was not made", line->output);
    return result;
}

/* Of a new case: whether no evidence in it could be opened. */
static bool is_of_nothing(struct scan *scan, size_t count)
{
    struct case_evidence evidence;
    struct case_counts counts;
    struct error err;

    for (size_t i = 1; i <= count; i++)
        if (casefile_evidence(scan->casefile, i, &evidence, &err) <= 0 || evidence.state != CASE_FAILED ||
            casefile_count(scan->casefile, i, &counts, &err) || counts.objects)
            return false;
    return true;
}

static int scan_into_case(struct command_line *line, size_t count, char **paths)
{
    const bool is_new = line->output && access(line->output, F_OK) && errno == ENOENT;
    struct scan *scan = &line->scan;
    struct error err;
    bool of_nothing = false;
    int status;

    if (is_new && check_evidence(line, count, paths))
        return EXIT_PARTIAL;
    scan->casefile = open_case(line, count, paths, &err);
    if (!scan->casefile) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    scan->keeps = line->output != NULL;
    scan->hash_image = line->output && !line->no_hash_image;
    status = scan_all(scan, count, paths);
    of_nothing = is_new && !scan->failed && is_of_nothing(scan, count);
    if (!scan->failed && !of_nothing)
        status = conclude(line, count, status, &err);
    if (casefile_close(scan->casefile, scan->failed || status < 0 ? NULL : &err))
        status = scan->failed ? EXIT_USAGE : -1;
    if (of_nothing) {
        refset_remove(line->output);
        complain("%s: was not kept, since it would be a case of nothing", line->output);
    }
    if (status >= 0)
        return status;
    complain_error(&err);
    return EXIT_USAGE;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The path without links; as it is, if there is no such file. */
static char *real_name(const char *path)
{
    char *real = realpath(path, NULL);

    return real ? real : strdup(path);
}

/* Its rows would be there twice. */
static int check_names(size_t count, char **paths)
{
    char **sorted = calloc(count, sizeof *sorted);
    bool failed = !sorted;
    int result = 0;

    for (size_t i = 0; i < count && !failed; i++)
        failed = !(sorted[i] = real_name(paths[i]));
    if (!failed)
        qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1; i < count && !failed && !result; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            complain("%s: is named twice", sorted[i]);
            result = -1;
        }
    if (failed)
        complain("out of memory");
    for (size_t i = 0; sorted && i < count; i++)
        free(sorted[i]);
    free(sorted);
    return failed ? -1 : result;
}

/* The folder of a path, without links; NULL if there is none. */
static char *real_folder(const char *path)
{
    char *copy = strdup(path), *folder = copy ? realpath(dirname(copy), NULL) : NULL;

    free(copy);
    return folder;
}

static bool is_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 &&
           (path[len] == '/' || path[len] == '\0' || folder[len - 1] == '/');
}

/* A case in a folder that is scanned would be its own evidence. */
static int check_output(const char *output, size_t count, char **paths)
{
    char *folder = output ? real_folder(output) : NULL;
    int result = 0;

    for (size_t i = 0; folder && i < count && !result; i++) {
        char *evidence = realpath(paths[i], NULL);
        struct stat st;

        if (strcmp(output, paths[i]) == 0) {
            complain("%s: is the evidence, too", output);
            result = -1;
        }
        if (evidence && stat(evidence, &st) == 0 && S_ISDIR(st.st_mode) && is_below(folder, evidence)) {
            complain("%s: lies in %s, which is evidence: nothing is written there", output, paths[i]);
            result = -1;
        }
        free(evidence);
    }
    free(folder);
    return result;
}

static int scan_evidence(struct command_line *line, size_t count, char **paths)
{
    int status;

    if (check_names(count, paths) || check_output(line->output, count, paths) ||
        evidence_flags_sandbox(&line->scan.evidence))
        return EXIT_USAGE;
    interrupt_catch();
    status = scan_open_sets(&line->scan) ? EXIT_USAGE : scan_into_case(line, count, paths);
    scan_close_sets(&line->scan);
    return status;
}

static int scan_list(struct command_line *line, size_t count, char **paths)
{
    struct evidence_list list = {.count = 0};
    int status = EXIT_USAGE;

    if (evidence_flags_sandbox(&line->scan.evidence) == 0 &&
        evidence_list_make(&list, &line->scan.evidence, count, paths) == 0)
        status = scan_evidence(line, list.count, list.paths);
    evidence_list_release(&list);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct command_line line = {.scan = {.evidence = evidence_flags_defaults(OBJECT_STORED),
                                         .matching = {.most_ln_e = log(default_max_e)},
                                         .most = UINT64_MAX},
                                .form = rows_usual_form()};
    struct options options;
    int option, operand = 0, status = EXIT_USAGE;

    options_begin(&options, command, argc, argv);
    while ((option = options_next(&options, &operand)) >= 0)
        if (take_option(&line, &options, option))
            break;
    if (option == OPTIONS_HELP)
        status = EXIT_DONE;
    else if (option == OPTIONS_END && line.scan.set_count == 0)
        options_wrong(command, "no reference set was named (-r SET)");
    else if (option == OPTIONS_END && line.output &&
             (line.form_chosen || line.filter.objects || line.filter.known))
        options_wrong(command,
                      "-o writes no rows: --csv, --text, --all and --show-known are for kith report");
    else if (option == OPTIONS_END && operand == argc)
        options_wrong(command, "no evidence was named");
    else if (option == OPTIONS_END)
        status = scan_list(&line, (size_t)(argc - operand), argv + operand);
    for (size_t i = 0; i < line.scan.set_count; i++)
        free((char *)line.scan.set_paths[i]);
    free(line.scan.set_paths);
    free(line.scan.include.list);
    free(line.scan.exclude.list);
    buffer_release(&line.parameters);
    return status;
}

const struct command command_scan = {"scan", "[options] -r SET IMAGE|FOLDER|FILE...",
                                     "look for known files and their kin in evidence", scan_options, run};
