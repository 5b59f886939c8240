/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_case.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "command.h"
#include "report/report_summary.h"
#include "scan_resume.h"
#include "set_flags.h"

/* ---- parameters ---- */

static void add_patterns(struct buffer *out, const char *name, const struct pattern_list *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        buffer_printf(out, " %s=%s", name, patterns->list[i]);
}

static void add_evidence_options(struct buffer *out, const struct evidence_options *evidence)
{
    buffer_add_text(out, " kinds=");
    for (int kind = 0, any = 0; kind < OBJECT_KINDS; kind++)
        if (evidence->kinds & OBJECT_BIT(kind))
            buffer_printf(out, "%s%s", any++ ? "," : "", object_kind_name((enum object_kind)kind));
    if (evidence->opening != OPENING_ALL)
        buffer_printf(out, " containers=%s", opening_mode_name(evidence->opening));
    if (evidence->depth_is_chosen)
        buffer_printf(out, " depth=%u", evidence->depth);
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
}

/* Adds the IDs of the keys to the first word, which stands for what the sets determine. */
static void add_keys(struct buffer *out, const struct scan_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        bool is_new = sets->key_of[i] != NULL;
        char id[SAMPLER_KEY_ID_ROOM];

        for (size_t k = 0; k < i; k++)
            is_new = is_new && sets->key_of[k] != sets->key_of[i];
        if (!is_new)
            continue;
        sampler_key_format(id, sets->key_of[i]->id);
        buffer_printf(out, ",key=%s", id);
    }
}

/* Adds, as a string, everything besides sets and evidence that the result depends on. */
static void add_parameters(struct buffer *out, const struct scan *scan)
{
    buffer_printf(out, "C=%" PRIu32, scan->plan.c);
    add_keys(out, &scan->sets);
    buffer_printf(out, " max-e=%.6g min-matched=%" PRIu64 " blocks=%" PRIu64, exp(scan->matching.most_ln_e),
                  scan->matching.least_matched, scan->chunk);
    if (scan->most != UINT64_MAX)
        buffer_printf(out, " max-size=%" PRIu64, scan->most);
    if (scan->matching.all_references)
        buffer_add_text(out, " all-references");
    if (scan->md5)
        buffer_add_text(out, " md5");
    if (scan->sha256)
        buffer_add_text(out, " sha256");
    add_evidence_options(out, &scan->run.options);
    add_patterns(out, "include", &scan->patterns.include);
    add_patterns(out, "exclude", &scan->patterns.exclude);
    buffer_add_char(out, '\0');
}

/* ---- opening and closing ---- */

/* Evidence that is read again for further sets must still be the same. */
static int check_one(const char *path, const struct case_evidence *first, void *arg, struct error *err)
{
    struct scan_case *scan_case = arg;
    const struct evidence_options *options = &scan_case->scan->run.options;
    char stamp[EVIDENCE_STAMP_LEN + 1];

    scan_case->added += !first;
    scan_case->again += first != NULL;
    if (!first)
        return evidence_check(path, options->image_type, err);
    if (evidence_stamp(path, options->image_type, stamp, err))
        return -1;
    if (scan_resume_check_same(first, path, stamp, options, err) == 0)
        return 0;
    scan_case->changed = true;
    return -1;
}

static int check_evidence(struct scan_case *scan_case)
{
    const struct evidence_list *evidence = scan_case->evidence;
    struct error err;
    int result = 0;

    for (size_t i = 0; i < evidence->count; i++)
        if (check_one(evidence->paths[i], NULL, scan_case, &err)) {
            complain_error(&err);
            result = -1;
        }
    if (result)
        complain("%s: was not created", scan_case->path);
    return result;
}

static struct casefile *open_case(struct scan_case *scan_case, struct error *err)
{
    struct scan *scan = scan_case->scan;
    struct buffer parameters = {0};
    struct case_plan plan = {.tool = set_flags_tool,
                             .now = set_flags_now(),
                             .sets = scan->sets.known,
                             .set_count = scan->sets.count,
                             .evidence = (const char *const *)scan_case->evidence->paths,
                             .evidence_count = scan_case->evidence->count,
                             .check = check_one,
                             .check_arg = scan_case,
                             .numbers = scan->numbers};
    struct casefile *casefile = NULL;

    add_parameters(&parameters, scan);
    plan.parameters = parameters.data;
    if (parameters.failed)
        error_set(err, "out of memory");
    else if (scan_case->path)
        casefile = casefile_open(scan_case->path, &plan, err);
    else
        casefile = casefile_open_temporary(&plan, scan_case->all_objects, err);
    buffer_release(&parameters);
    return casefile;
}

/* A mistyped name may be that of other evidence, and nothing is removed from a case. */
static void show_extended(const struct scan_case *scan_case)
{
    if (scan_case->scan->run.quiet || scan_case->is_new)
        return;
    if (scan_case->added)
        complain("%s: evidence added to the case: %zu", scan_case->path, scan_case->added);
    if (scan_case->again)
        complain("%s: evidence read again for sets added to the case: %zu", scan_case->path,
                 scan_case->again);
}

/* Opens the case and notes the limits of the sets in its log.  They are read first, so that a damaged one
 * leaves no case. */
static int open_and_log(struct scan_case *scan_case, struct error *err)
{
    struct scan *scan = scan_case->scan;
    struct buffer limits = {0};
    int result = scan_case->path ? scan_limits_describe(&scan->sets, &scan->plan, &limits, err) : 0;

    if (!result)
        scan->casefile = open_case(scan_case, err);
    if (!scan->casefile || context_flags_set(scan_case->context, scan->casefile, err) ||
        scan_limits_log(&limits, scan->casefile, err))
        result = -1;
    buffer_release(&limits);
    return result;
}

int scan_case_open(struct scan_case *scan_case)
{
    struct scan *scan = scan_case->scan;
    struct error err;

    scan->numbers = calloc(scan_case->evidence->count + 1, sizeof *scan->numbers);
    if (!scan->numbers) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    scan_case->is_new = !scan_case->path || (access(scan_case->path, F_OK) && errno == ENOENT);
    if (scan_case->path && scan_case->is_new && check_evidence(scan_case))
        return EXIT_PARTIAL;
    scan->resumable = scan_case->path != NULL;
    if (open_and_log(scan_case, &err) == 0) {
        show_extended(scan_case);
        return 0;
    }
    casefile_close(scan->casefile, NULL);
    scan->casefile = NULL;
    complain_error(&err);
    return scan_case->changed ? EXIT_CHANGED : EXIT_USAGE;
}

static bool is_kept(const struct scan_case *scan_case, enum scan_yield yield)
{
    return scan_case->path && (!scan_case->is_new || yield == SCAN_OBJECTS);
}

int scan_case_close(struct scan_case *scan_case, enum scan_yield yield, bool ok, struct error *err)
{
    const int result = casefile_close(scan_case->scan->casefile, ok ? err : NULL);

    scan_case->scan->casefile = NULL;
    if (scan_case->path && !is_kept(scan_case, yield)) {
        refset_remove(scan_case->path);
        complain("%s: was not kept, since %s", scan_case->path,
                 scan_case->scan->failed  ? "the scan failed before the first object"
                 : yield == SCAN_UNOPENED ? "none of its evidence could be opened"
                                          : "nothing was scanned");
    }
    return result;
}

/* ---- content ---- */

/* A case that cannot be read counts as one with objects, since it must not be removed. */
enum scan_yield scan_case_yield(const struct scan_case *scan_case)
{
    const struct scan *scan = scan_case->scan;
    enum scan_yield yield = SCAN_UNOPENED;
    struct case_evidence evidence;
    struct case_counts counts;
    struct error err;

    for (size_t i = 0; i < scan_case->evidence->count; i++) {
        if (casefile_evidence(scan->casefile, scan->numbers[i], &evidence, &err) <= 0 ||
            casefile_count(scan->casefile, scan->numbers[i], &counts, &err) || counts.objects ||
            (evidence.state == CASE_BEGUN && !scan->failed))
            return SCAN_OBJECTS;
        if (evidence.state != CASE_FAILED)
            yield = SCAN_NOTHING;
    }
    return yield;
}

int scan_case_has_finding(const struct scan_case *scan_case, struct error *err)
{
    for (size_t i = 0; i < scan_case->evidence->count; i++) {
        struct case_counts counts;

        if (casefile_count(scan_case->scan->casefile, scan_case->scan->numbers[i], &counts, err))
            return -1;
        for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++)
            if (counts.findings[verdict])
                return 1;
    }
    return 0;
}

/* arg: a pointer to the path of the evidence. */
static void show_unexamined(void *arg, const char *text)
{
    const char *const *path = arg;

    complain("%s: %s", *path, text);
}

static int show_evidence(struct casefile *casefile, uint64_t number, const char *path, struct error *err)
{
    struct buffer text = {0};
    int result = report_summary(casefile, number, &text, err);

    if (result == 0 && text.failed)
        result = error_set(err, "out of memory");
    if (result == 0 && text.len)
        complain("%s: %.*s", path, (int)text.len, text.data);
    buffer_release(&text);
    return result ? -1 : report_summary_unexamined(casefile, number, show_unexamined, &path, err);
}

static int show_seal(const struct scan_case *scan_case, struct error *err)
{
    uint8_t chain[CASE_CHAIN_LEN];
    struct buffer text = {0};

    if (casefile_chain(scan_case->scan->casefile, chain, err))
        return -1;
    escape_hex(&text, chain, sizeof chain);
    if (text.failed)
        return error_set(err, "out of memory");
    complain("%s: sealed with %.*s", scan_case->path, (int)text.len, text.data ? text.data : "");
    buffer_release(&text);
    return 0;
}

int scan_case_show(const struct scan_case *scan_case, enum scan_yield yield, struct error *err)
{
    for (size_t i = 0; i < scan_case->evidence->count; i++)
        if (show_evidence(scan_case->scan->casefile, scan_case->scan->numbers[i],
                          scan_case->evidence->paths[i], err))
            return -1;
    return is_kept(scan_case, yield) ? show_seal(scan_case, err) : 0;
}
