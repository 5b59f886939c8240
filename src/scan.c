/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "command.h"
#include "evidence_flags.h"
#include "interrupt.h"
#include "set_flags.h"

enum { MOST_PROBLEMS = 50 };

/* ---- the sets ---- */

/* Findings of notable sets come first everywhere, so these sets do. */
static int kind_rank(enum refset_kind kind)
{
    return kind == REFSET_NOTABLE ? 0 : kind == REFSET_NEUTRAL ? 1 : 2;
}

static void sort_sets(struct scan *scan)
{
    for (size_t i = 1; i < scan->set_count; i++)
        for (size_t k = i; k > 0; k--) {
            struct refset *set = scan->sets[k];
            const char *path = scan->set_paths[k];

            if (kind_rank(refset_info(scan->sets[k - 1])->params.kind) <=
                kind_rank(refset_info(set)->params.kind))
                break;
            scan->sets[k] = scan->sets[k - 1];
            scan->sets[k - 1] = set;
            scan->set_paths[k] = scan->set_paths[k - 1];
            scan->set_paths[k - 1] = path;
        }
}

static int check_twice(const struct scan *scan, size_t set, struct error *err)
{
    for (size_t i = 0; i < set; i++)
        if (memcmp(refset_info(scan->sets[i])->uuid, refset_info(scan->sets[set])->uuid, REFSET_UUID_LEN) ==
            0)
            return error_set(err, "%s and %s are the same set", scan->set_paths[i], scan->set_paths[set]);
    return 0;
}

static void describe_set(const struct scan *scan, size_t i, struct case_set *known)
{
    const struct refset_info *info = refset_info(scan->sets[i]);

    *known = (struct case_set){.generation = info->generation,
                               .kind = info->params.kind,
                               .path = scan->set_paths[i],
                               .files = info->counts.files,
                               .records = info->counts.records};
    memcpy(known->uuid, info->uuid, sizeof known->uuid);
    memcpy(known->name, info->params.name, sizeof known->name);
}

/* At rest, and so it stays while it is open.  A writer that was interrupted leaves a set that is brought to
 * rest by the next reader who closes it. */
static struct refset *open_at_rest(const char *path, struct error *err)
{
    struct refset *set = refset_open(path, REFSET_READ, err);

    if (!set || refset_at_rest(set))
        return set;
    if (refset_close(set, err) || !(set = refset_open(path, REFSET_READ, err)) || refset_at_rest(set))
        return set;
    refset_close(set, NULL);
    error_set(err, "%s: is being written by another program", path);
    return NULL;
}

static int open_sets(struct scan *scan, struct error *err)
{
    for (size_t i = 0; i < scan->set_count; i++) {
        scan->sets[i] = open_at_rest(scan->set_paths[i], err);
        if (!scan->sets[i] || check_twice(scan, i, err))
            return -1;
    }
    sort_sets(scan);
    for (size_t i = 0; i < scan->set_count; i++) {
        scan->searches[i] =
            refset_search_new(scan->sets[i], REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, err);
        if (!scan->searches[i])
            return -1;
        describe_set(scan, i, &scan->known[i]);
    }
    scan->plan = (struct scanner_plan){.paths = scan->set_paths,
                                       .searches = scan->searches,
                                       .count = scan->set_count,
                                       .matching = scan->matching,
                                       .most = scan->most,
                                       .chunk = scan->chunk};
    if (scanner_plan_sets(&scan->plan, scan->deep, err) ||
        scanner_inspector(&scan->inspector, &scan->plan, err))
        return -1;
    scan->evidence.inspector = &scan->inspector;
    return 0;
}

int scan_open_sets(struct scan *scan)
{
    struct error err;

    if (open_sets(scan, &err) == 0)
        return 0;
    complain_error(&err);
    return -1;
}

void scan_close_sets(struct scan *scan)
{
    report_account_reset(&scan->account);
    ranges_release(&scan->bad);
    scanner_inspector_release(&scan->inspector);
    for (size_t i = 0; i < scan->set_count; i++) {
        refset_search_free(scan->searches[i]);
        if (scan->sets[i])
            refset_close(scan->sets[i], NULL);
    }
}

/* ---- which files ---- */

/* A pattern without a slash is for the last part of a path; '*' goes over slashes. */
static bool matches(const struct patterns *patterns, const char *path)
{
    const char *last = path_last(path);

    for (size_t i = 0; i < patterns->count; i++)
        if (fnmatch(patterns->list[i], strchr(patterns->list[i], '/') ? path : last, 0) == 0)
            return true;
    return false;
}

bool scan_wants(const struct scan *scan, const char *paths, size_t count)
{
    bool included = scan->include.count == 0;

    for (size_t i = 0; i < count; i++, paths += strlen(paths) + 1) {
        if (matches(&scan->exclude, paths))
            return false;
        included = included || matches(&scan->include, paths);
    }
    return included;
}

static bool is_wanted(void *arg, const char *paths, size_t count)
{
    return scan_wants(arg, paths, count);
}

/* ---- what is found ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fail(struct scan *scan)
{
    scan->failed = true;
    interrupt_request();
}

static void keep_text(struct scan *scan, const char *text)
{
    if (!scan->failed && casefile_problem(scan->casefile, scan->number, text, &scan->err))
        fail(scan);
}

static void take_problem(void *arg, const char *text)
{
    struct scan *scan = arg;

    if (scan->problems++ < MOST_PROBLEMS)
        complain("%s: %s", scan->path, text);
    keep_text(scan, text);
}

static void take_note(void *arg, const char *text)
{
    struct scan *scan = arg;

    if (!scan->quiet)
        complain("%s: %s", scan->path, text);
    keep_text(scan, text);
}

/* What was found is not to be lost while a large object is read. */
static void take_idle(void *arg)
{
    struct scan *scan = arg;

    if (!scan->failed && casefile_wait(scan->casefile, now_ms(), &scan->err))
        fail(scan);
}

static void take_image(void *arg, const struct evidence_image *image)
{
    struct scan *scan = arg;

    if (!scan->failed && casefile_set_image(scan->casefile, scan->number, image, &scan->err))
        fail(scan);
}

static void take_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    struct scan *scan = arg;

    if (!scan->failed && casefile_set_digests(scan->casefile, scan->number, whole, stored, &scan->err))
        fail(scan);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digest_differing(whole, stored) & DIGEST_BIT(kind)) {
            char text[128];

            snprintf(text, sizeof text, "the %s of the image is not the one stored in it at acquisition",
                     digest_name((enum digest_kind)kind));
            take_problem(scan, text);
            scan->partial = true;
        }
}

/* What the sets tell of the references; a worker's word is checked as far as that goes. */
static int find_references(struct scan *scan, const struct scanner_part *part, struct set_file *files,
                           struct case_reference *references)
{
    for (size_t i = 0; i < part->findings.count; i++) {
        const struct finding *finding = &part->findings.list[i];
        struct set_file *file = &files[i];
        const int found = refset_search_file(scan->searches[finding->set], finding->file, file, &scan->err);

        if (found < 0)
            return -1;
        if (found == 0 || (file->has_size && file->size != finding->ref_size) ||
            (finding->verdict == VERDICT_IDENTICAL && digest_differing(&file->digests, &part->digests)))
            return error_set(&scan->err, "a worker sent what cannot be");
        references[i] = (struct case_reference){
            .digests = file->digests, .name = file->name.data, .name_len = file->name.len};
    }
    return 0;
}

/* What a part's findings do not tell. */
static void tell_lacks(struct scan *scan, struct case_object *row, const struct scanner_part *part)
{
    struct error text;

    if (part->findings.lacks & FINDINGS_COMMON) {
        if (!row->reason[0])
            row->reason = "some of it is in so many files of a set that it is no evidence for any";
        scan->common++;
    }
    if (part->findings.lacks & FINDINGS_CUT) {
        error_set(&text, "%s: it has more of the references than can be told: %zu places are",
                  row->path_count ? row->paths : row->address, part->findings.count);
        take_note(scan, text.text);
    }
}

static int add_row(struct scan *scan, const struct case_object *object, const struct scanner_part *part)
{
    const size_t count = part ? part->findings.count : 0;
    static const struct findings none;
    struct set_file *files = calloc(count + 1, sizeof *files);
    struct case_reference *references = calloc(count + 1, sizeof *references);
    int result = files && references ? 0 : error_set(&scan->err, "out of memory");

    if (!result && part)
        result = find_references(scan, part, files, references);
    if (!result)
        result = casefile_add(scan->casefile, object, part ? &part->findings : &none, references, now_ms(),
                              &scan->err);
    for (size_t i = 0; files && i < count; i++)
        set_file_release(&files[i]);
    free(files);
    free(references);
    if (!result && part && count && scan->known[part->findings.list[0].set].kind != REFSET_KNOWN)
        atomic_fetch_add_explicit(&scan->progress.found[part->verdict], 1, memory_order_relaxed);
    return result;
}

/* Chunks have the object's address and where they lie in it.  The first ones may be in the case already. */
static int add_parts(struct scan *scan, const struct object *object, const struct case_object *whole,
                     const char *address, uint64_t already)
{
    struct case_object row = *whole;
    struct scanner_result result;
    static struct scanner_part part;
    char of_chunk[160];
    int more;

    scanner_result_begin(&result, object);
    while ((more = scanner_result_next(&result, &scan->plan, &part, &scan->err)) > 0) {
        if (already > 0) {
            already--;
            continue;
        }
        if (scan->chunk && object->size > scan->chunk) {
            snprintf(of_chunk, sizeof of_chunk, "%s+%" PRIu64, address, part.start);
            row.address = of_chunk;
            row.chunk = true;
        }
        row.size = part.len;
        row.digests = part.digests;
        row.verdict = part.verdict;
        row.reason = whole->reason;
        tell_lacks(scan, &row, &part);
        if (add_row(scan, &row, &part))
            return -1;
    }
    return more;
}

/* The state of the evidence is known at its end only, and who goes on has not seen the beginning: so what
 * decides it is kept with the first object of its kind. */
static const char partial_text[] = "of some objects not all could be read",
                  changed_text[] = "some objects changed while they were read";

/* What is left of a deleted file is seldom all of it. */
static bool is_partial(const struct object *object)
{
    return object->state == OBJECT_UNREADABLE ||
           (object->state == OBJECT_PARTIAL && (object->flags & OBJECT_ALLOCATED));
}

static void keep_state(struct scan *scan, const struct object *object)
{
    if (object->state == OBJECT_CHANGED && !scan->changed) {
        scan->changed = true;
        keep_text(scan, changed_text);
    } else if (is_partial(object) && !scan->partial) {
        scan->partial = true;
        keep_text(scan, partial_text);
    }
}

static void recall_state(void *arg, const char *text)
{
    struct scan *scan = arg;

    scan->partial = scan->partial || strcmp(text, partial_text) == 0;
    scan->changed = scan->changed || strcmp(text, changed_text) == 0;
}

static void show_bad(struct scan *scan, const char *name, const char *reason)
{
    if (scan->problems++ < MOST_PROBLEMS)
        complain("%s: %s: %s", scan->path, name, reason[0] ? reason : "it cannot be read");
}

static int add_object(struct scan *scan, const struct evidence_volume *volume, const struct object *object,
                      const char *paths, size_t count, const char *address, uint64_t already)
{
    char reason[512] = "";
    struct case_object row = {.evidence = scan->number,
                              .item = object->item,
                              .volume = volume->label,
                              .address = address,
                              .kind = object->kind,
                              .paths = paths,
                              .path_count = count,
                              .size = object->size,
                              .verdict = VERDICT_UNREADABLE,
                              .partial = object->state != OBJECT_WHOLE,
                              .reason = reason};

    if (object->problem.len)
        snprintf(reason, sizeof reason, "%.*s", (int)(object->problem.len < 500 ? object->problem.len : 500),
                 object->problem.data);
    keep_state(scan, object);
    if (object->state == OBJECT_CHANGED || (object->state == OBJECT_PARTIAL && is_partial(object)))
        show_bad(scan, count ? paths : address, reason);
    if (object->result.len)
        return add_parts(scan, object, &row, address, already);
    if (already)
        return 0;
    if (object->state == OBJECT_UNREADABLE)
        show_bad(scan, count ? paths : address, reason);
    else if ((object->flags & OBJECT_UNWANTED) || object->size > scan->most)
        row.verdict = VERDICT_SKIPPED;
    return add_row(scan, &row, NULL);
}

/* What the case has of the object already: 1, and *already is the number of its rows; 0 if it has another one
 * there. */
static int pass_known(struct scan *scan, const struct object *object, const char *paths, size_t count,
                      const char *address, uint64_t *already)
{
    const struct case_object row = {
        .address = address, .size = object->size, .paths = paths, .path_count = count};
    const uint64_t before = scan->rows;
    const int same = casefile_skip(scan->casefile, scan->number, &scan->rows, &row, &scan->err);

    *already = scan->rows - before;
    return same;
}

static int take_row(struct scan *scan, const struct evidence_volume *volume, const struct object *object,
                    const char *paths, size_t count, const char *address)
{
    uint64_t already = 0;

    if (scan->rows < scan->there) {
        const int same = pass_known(scan, object, paths, count, address, &already);

        if (same <= 0 || scan->rows < scan->there)
            return same;
    }
    return add_object(scan, volume, object, paths, count, address, already) ? -1 : 1;
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct scan *scan = arg;
    struct buffer address = {0};
    int result;

    scan->objects++;
    atomic_fetch_add_explicit(&scan->progress.count, 1, memory_order_relaxed);
    if (scan->failed || scan->different)
        return;
    progress_what(count ? paths : volume->label);
    object_address(&address, object);
    buffer_add_char(&address, '\0');
    result = address.failed ? error_set(&scan->err, "out of memory")
                            : take_row(scan, volume, object, paths, count, address.data);
    buffer_release(&address);
    if (result < 0)
        fail(scan);
    if (result == 0) {
        scan->different = true;
        interrupt_request();
    }
}

/* ---- each piece of evidence ---- */

static enum case_state state_of(enum evidence_result result)
{
    switch (result) {
    case EVIDENCE_DONE:
        return CASE_DONE;
    case EVIDENCE_CHANGED:
        return CASE_CHANGED;
    case EVIDENCE_STOPPED:
        return CASE_BEGUN;
    case EVIDENCE_FAILED:
        return CASE_FAILED;
    default:
        return CASE_PARTIAL;
    }
}

static int status_of(enum case_state state)
{
    return state == CASE_DONE      ? EXIT_DONE
           : state == CASE_CHANGED ? EXIT_CHANGED
           : state == CASE_BEGUN   ? EXIT_INTERRUPTED
                                   : EXIT_PARTIAL;
}

static int begin_evidence(struct scan *scan, const struct case_evidence *known)
{
    struct error text;

    scan->objects = scan->rows = 0;
    scan->problems = scan->common = 0;
    scan->partial = scan->changed = false;
    if (casefile_progress(scan->casefile, scan->number, &scan->there, &scan->evidence.first_item, &scan->err))
        return -1;
    if (casefile_problems(scan->casefile, scan->number, recall_state, scan, &scan->err))
        return -1;
    scan->partial = scan->partial || digest_differing(&known->digests, &known->stored);
    scan->bad.count = 0;
    if (casefile_bad(scan->casefile, scan->number, &scan->bad, &scan->err))
        return -1;
    scan->evidence.bad = &scan->bad;
    scan->evidence.image_digests = scan->hash_image && !known->digests.kinds ? DIGEST_BIT(DIGEST_SHA1) : 0;
    scan->evidence.wanted = scan->include.count || scan->exclude.count ? is_wanted : NULL;
    scan->evidence.wanted_arg = scan;
    if (scan->there)
        error_set(&text, "%s: going on behind %" PRIu64 " rows", scan->path, scan->there);
    else
        error_set(&text, "%s: begun", scan->path);
    if (!scan->there && casefile_set_stamp(scan->casefile, scan->number, scan->stamp, &scan->err))
        return -1;
    return casefile_set_state(scan->casefile, scan->number, CASE_BEGUN, set_flags_now(), text.text,
                              &scan->err);
}

static void take_account(void *arg, const struct evidence_volume *volume, const struct account_table *table)
{
    struct scan *scan = arg;

    if (!scan->failed && report_account_add(&scan->account, volume->label, table)) {
        error_set(&scan->err, "out of memory");
        fail(scan);
    }
}

static void take_bad(void *arg, uint64_t start, uint64_t len)
{
    struct scan *scan = arg;

    if (!scan->failed && casefile_add_bad(scan->casefile, scan->number, start, len, &scan->err))
        fail(scan);
}

/* Of evidence that was read to its end. */
static int keep_account(struct scan *scan)
{
    const struct report_account *account = &scan->account;

    if (casefile_drop_account(scan->casefile, scan->number, &scan->err))
        return -1;
    for (size_t i = 0; i < account->count; i++)
        if (casefile_add_account(scan->casefile, scan->number, account->parts[i].label,
                                 &account->parts[i].table, &scan->err))
            return -1;
    return 0;
}

static int end_evidence(struct scan *scan, enum evidence_result result)
{
    static const char *const words[] = {"interrupted", "done", "done, but not all could be read",
                                        "done, but it changed while it was read", "it could not be read"};
    enum case_state state = state_of(result);
    struct error text;

    if (state == CASE_DONE && scan->partial)
        state = CASE_PARTIAL;
    if ((state == CASE_DONE || state == CASE_PARTIAL) && scan->changed)
        state = CASE_CHANGED;

    if (state != CASE_BEGUN && state != CASE_FAILED && keep_account(scan))
        return -1;
    error_set(&text, "%s: %s", scan->path, words[state]);
    if (casefile_set_state(scan->casefile, scan->number, state, set_flags_now(), text.text, &scan->err))
        return -1;
    return status_of(state);
}

static int read_evidence(struct scan *scan, const struct case_evidence *known)
{
    const struct evidence_sink sink = {.image = take_image,
                                       .object = take_object,
                                       .account = take_account,
                                       .bad = take_bad,
                                       .digests = take_digests,
                                       .problem = take_problem,
                                       .note = take_note,
                                       .idle = take_idle,
                                       .arg = scan};
    enum evidence_result result;
    struct error err;

    if (begin_evidence(scan, known))
        return -1;
    report_account_reset(&scan->account);
    result = evidence_read(scan->path, &scan->evidence, &sink, &err);
    if (scan->different) {
        complain("%s: it is not what the case began with: object %" PRIu64
                 " is another one; the case stays as it was",
                 scan->path, scan->objects);
        return EXIT_CHANGED;
    }
    if (scan->failed)
        return -1;
    if (result == EVIDENCE_FAILED) {
        complain_error(&err);
        keep_text(scan, err.text);
    }
    if (scan->problems > MOST_PROBLEMS)
        complain("%s: and %llu problems more of this kind", scan->path, scan->problems - MOST_PROBLEMS);
    if (scan->common && !scan->quiet)
        complain(
            "%s: %llu objects without a finding have content that is in so many files of a set that it is no "
            "evidence for any; --all lists them",
            scan->path, scan->common);
    return end_evidence(scan, result);
}

static void keep_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    (void)stored;
    *(struct digest_values *)arg = *whole;
}

/* Whether the image has the SHA-1 that the case has of it: that decides, whatever its times are. */
static bool has_same_sha1(const struct scan *scan, const struct case_evidence *known)
{
    struct digest_values now = {0};
    const struct evidence_sink sink = {.digests = keep_digests, .arg = &now};
    struct evidence_options options = scan->evidence;
    struct error err;

    if (!(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return false;
    options.kinds = 0;
    options.first_item = 0;
    options.inspector = NULL;
    options.wanted = NULL;
    options.image_digests = DIGEST_BIT(DIGEST_SHA1);
    evidence_read(scan->path, &options, &sink, &err);
    return (now.kinds & DIGEST_BIT(DIGEST_SHA1)) && digest_differing(&now, &known->digests) == 0;
}

/* Whether its files are those that the case began with. */
static bool looks_the_same(const struct scan *scan, const struct case_evidence *known)
{
    if (!known->stamp[0] || strcmp(known->stamp, scan->stamp) == 0 || has_same_sha1(scan, known))
        return true;
    complain("%s: it is not what the case began with: then it was %s, now it is %s; the case stays as it was",
             scan->path, known->stamp, scan->stamp[0] ? scan->stamp : "a device");
    return false;
}

/* What is done is not read again. */
static int tell_done(const struct scan *scan, const struct case_evidence *known)
{
    if (!scan->quiet)
        complain("%s: the case has all of it already; it was not read again", scan->path);
    return status_of(known->state);
}

static int go_on(struct scan *scan, const struct case_evidence *known)
{
    struct error err;
    const bool is_done = known->state != CASE_BEGUN && known->state != CASE_FAILED;

    if (!scan->keeps)
        return read_evidence(scan, known);
    if (evidence_stamp(scan->path, scan->evidence.image_type, scan->stamp, &err)) {
        if (!is_done)
            return read_evidence(scan, known); /* which tells, and keeps it in the log */
        complain("%s; what the case has of it stays", err.text);
        return EXIT_PARTIAL;
    }
    if (known->state != CASE_FAILED && !looks_the_same(scan, known))
        return EXIT_CHANGED;
    return is_done ? tell_done(scan, known) : read_evidence(scan, known);
}

int scan_one(struct scan *scan, uint64_t number, const char *path)
{
    struct case_evidence known;
    int status;

    scan->number = number;
    scan->path = path;
    status = casefile_evidence(scan->casefile, number, &known, &scan->err);
    if (status == 0)
        status = error_set(&scan->err, "%s: the case has no such evidence", path);
    if (status > 0)
        status = go_on(scan, &known);
    if (status >= 0)
        return status;
    scan->failed = true;
    complain_error(&scan->err);
    return EXIT_USAGE;
}
