/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"
#include "report/report_account.h"
#include "scan_resume.h"
#include "scan_rows.h"
#include "scan_state.h"
#include "set_flags.h"

/* The scan of one piece of evidence. */
struct session {
    struct scan *scan;
    struct casefile *casefile;
    uint64_t number; /* of the evidence */
    bool again;      /* the case has it already, and it is read again for further sets */
    char stamp[EVIDENCE_STAMP_LEN + 1];
    uint64_t objects; /* so far */
    struct scan_resume resume;
    struct scan_rows rows;
    struct scan_containers containers;
    struct scan_state state;
    struct report_account account; /* of the image */
    bool different;                /* it is not the evidence that the case was made of */
};

/* ---- before and after all evidence ---- */

static int make_plan(struct scan *scan, struct error *err)
{
    scan->plan = (struct scanner_plan){.paths = (const char *const *)scan->sets.paths,
                                       .searches = scan->sets.searches,
                                       .keys = scan->sets.key_of,
                                       .count = scan->sets.count,
                                       .matching = scan->matching,
                                       .digests = (scan->md5 ? DIGEST_BIT(DIGEST_MD5) : 0) |
                                                  (scan->sha256 ? DIGEST_BIT(DIGEST_SHA256) : 0),
                                       .most = scan->most,
                                       .chunk = scan->chunk};
    if (scanner_plan_sets(&scan->plan, scan->deep, err) ||
        scanner_inspector(&scan->inspector, &scan->plan, err))
        return -1;
    scan->run.options.inspector = &scan->inspector;
    return 0;
}

int scan_open(struct scan *scan)
{
    struct error err;

    if (scan_sets_open(&scan->sets, &err) == 0 && make_plan(scan, &err) == 0 &&
        scan_limits_open(&scan->limits, &scan->sets, &scan->plan, &err) == 0)
        return 0;
    complain_error(&err);
    return -1;
}

void scan_close(struct scan *scan)
{
    scan_limits_release(&scan->limits);
    scanner_inspector_release(&scan->inspector);
    scan_sets_close(&scan->sets);
    patterns_release(&scan->patterns);
    free(scan->numbers);
}

/* ---- the sink ---- */

static void fail(struct session *session)
{
    session->scan->failed = session->scan->run.over = true;
    interrupt_request();
}

static void keep_text(struct session *session, const char *text)
{
    struct scan *scan = session->scan;

    if (!scan->failed && casefile_problem(session->casefile, session->number, text, &scan->err))
        fail(session);
}

static void take_problem(void *arg, const char *text)
{
    struct session *session = arg;

    evidence_run_problem(&session->scan->run, text);
    keep_text(session, text);
}

static void take_note(void *arg, const char *text)
{
    struct session *session = arg;

    evidence_run_note(&session->scan->run, text);
    keep_text(session, text);
}

/* Findings are committed also while a large object is being read. */
static void take_idle(void *arg)
{
    struct session *session = arg;
    struct scan *scan = session->scan;

    if (!scan->failed && casefile_wait(session->casefile, scan_rows_now(), &scan->err))
        fail(session);
}

static void take_image(void *arg, const struct evidence_image *image)
{
    struct session *session = arg;
    struct scan *scan = session->scan;

    if (!scan->failed && casefile_set_image(session->casefile, session->number, image, &scan->err))
        fail(session);
}

static void take_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    struct session *session = arg;
    struct scan *scan = session->scan;

    if (!scan->failed && casefile_set_digests(session->casefile, session->number, whole, stored, &scan->err))
        fail(session);
    if (evidence_run_contradicts(whole, stored, take_problem, session))
        session->state.partial = true;
}

static void take_account(void *arg, const struct evidence_volume *volume, const struct account_table *table)
{
    struct session *session = arg;

    if (!session->scan->failed && report_account_add(&session->account, volume->label, table)) {
        error_set(&session->scan->err, "out of memory");
        fail(session);
    }
}

static void take_bad(void *arg, uint64_t start, uint64_t len)
{
    struct session *session = arg;
    struct scan *scan = session->scan;

    if (!scan->failed && casefile_add_bad(session->casefile, session->number, start, len, &scan->err))
        fail(session);
}

/* ---- objects ---- */

static void show_bad(struct session *session, const struct case_object *row)
{
    struct error text;

    error_set(&text, "%s: %s", row->path_count ? row->paths : row->address,
              row->reason[0] ? row->reason : "cannot be read");
    evidence_run_problem(&session->scan->run, text.text);
}

/* A worker that was taken over must not end the scan: only this object is lost. */
static int blame_worker(struct session *session, struct case_object *row)
{
    const char *text = scan_state_lose(&session->state);

    if (text)
        keep_text(session, text);
    row->verdict = VERDICT_UNREADABLE;
    row->partial = true;
    row->reason = "invalid result from worker";
    show_bad(session, row);
    return scan_rows_add_bare(&session->rows, row, &session->scan->err);
}

/* Adds its rows, of which the case holds some already. */
static int add_inspected(struct session *session, const struct object *object, struct case_object *row,
                         uint64_t already)
{
    const int added = scan_rows_add(&session->rows, object, row, already, &session->scan->err);

    return added == SCANNER_INVALID ? blame_worker(session, row) : added;
}

/* already: how many of its rows the case holds. */
static int add_object(struct session *session, const struct object *object, struct case_object *row,
                      uint64_t already)
{
    struct scan *scan = session->scan;
    const char *text = scan_state_count(&session->state, object);

    if (text)
        keep_text(session, text);
    if (object->state == OBJECT_CHANGED || (object->state == OBJECT_PARTIAL && scan_state_lacks(object)))
        show_bad(session, row);
    if (object->result.len)
        return add_inspected(session, object, row, already);
    if (already)
        return 0;
    if (object->state == OBJECT_UNREADABLE && scan_state_lacks(object))
        show_bad(session, row);
    else if (object->state != OBJECT_UNREADABLE &&
             ((object->flags & OBJECT_UNWANTED) || object->size > scan->most))
        row->verdict = VERDICT_SKIPPED;
    return scan_rows_add_bare(&session->rows, row, &scan->err);
}

/* What packs others is not known yet: an object that the case holds may be the container of those to come. */
static int recall(struct session *session, const struct object *object, struct case_object *row)
{
    const int taken =
        object->result.len ? scan_rows_add(&session->rows, object, row, UINT64_MAX, &session->scan->err) : 0;

    return taken == SCANNER_INVALID ? 0 : taken;
}

/* Returns -1 if the case cannot be read. */
static int note_number(struct session *session)
{
    struct case_counts counts;

    if (casefile_count(session->casefile, session->number, &counts, &session->scan->err))
        return -1;
    scan_containers_added(&session->containers, session->resume.passed < session->resume.there
                                                    ? session->resume.passed
                                                    : counts.objects);
    return 0;
}

static void pass_or_add(struct session *session, const struct object *object, struct case_object *row)
{
    uint64_t already;

    switch (scan_resume_pass(&session->resume, row, &already, &session->scan->err)) {
    case SCAN_RESUME_THERE:
        if (recall(session, object, row) == 0 && note_number(session) == 0)
            return;
        break;
    case SCAN_RESUME_OTHER:
        session->different = session->scan->run.over = true;
        interrupt_request();
        return;
    case SCAN_RESUME_NEW:
        if (add_object(session, object, row, already) == 0 && note_number(session) == 0)
            return;
        break;
    case SCAN_RESUME_FAILED:
        break;
    }
    fail(session);
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct session *session = arg;
    struct scan *scan = session->scan;
    struct buffer address = {0};
    char reason[512] = "";
    struct case_object row = {.evidence = session->number,
                              .item = object->item,
                              .volume = volume->label,
                              .kind = object->kind,
                              .paths = paths,
                              .path_count = count,
                              .size = object->size,
                              .verdict = VERDICT_UNREADABLE,
                              .partial = object->state != OBJECT_WHOLE,
                              .reason = reason,
                              .flags = object->flags,
                              .runs = object->runs,
                              .run_count = object->run_count};

    memcpy(row.times, object->times, sizeof row.times);
    session->objects++;
    atomic_fetch_add_explicit(&scan->run.progress.count, 1, memory_order_relaxed);
    if (scan->failed || session->different)
        return;
    progress_what(count ? paths : volume->label);
    if (object->problem.len)
        snprintf(reason, sizeof reason, "%.*s", (int)(object->problem.len < 500 ? object->problem.len : 500),
                 object->problem.data);
    object_address(&address, object);
    buffer_add_char(&address, '\0');
    row.address = address.data;
    if (address.failed) {
        error_set(&scan->err, "out of memory");
        fail(session);
    } else if (scan_containers_begin(&session->containers, object, &scan->err)) {
        fail(session);
    } else {
        pass_or_add(session, object, &row);
    }
    buffer_release(&address);
}

/* ---- a session ---- */

static int begin(struct session *session, const struct case_evidence *known)
{
    struct scan *scan = session->scan;
    struct evidence_options *options = &scan->run.options;
    const struct patterns *patterns = &scan->patterns;
    struct error text;

    if (scan_resume_begin(&session->resume, session->casefile, session->number, &scan->err) ||
        casefile_problems(session->casefile, session->number, scan_state_recall, &session->state, &scan->err))
        return -1;
    if (digest_differing(&known->digests, &known->stored))
        session->state.partial = true;
    options->first_item = session->resume.first_item;
    options->unpacked_before = session->resume.unpacked;
    options->bad = &session->resume.bad;
    options->image_digests =
        scan->hash_image && !known->digests.kinds && !known->again ? DIGEST_BIT(DIGEST_SHA1) : 0;
    options->wanted = patterns->include.count || patterns->exclude.count ? patterns_want : NULL;
    options->wanted_arg = &scan->patterns;
    if (session->resume.there)
        error_set(&text, "%s: resumed after %" PRIu64 " row%s", scan->run.path, session->resume.there,
                  plural(session->resume.there));
    else
        error_set(&text, "%s: started", scan->run.path);
    if (!session->resume.there &&
        casefile_set_stamp(session->casefile, session->number, session->stamp, &scan->err))
        return -1;
    return casefile_set_state(session->casefile, session->number, CASE_BEGUN, set_flags_now(), text.text,
                              &scan->err);
}

/* For evidence that was read to its end. */
static int keep_account(struct session *session)
{
    const struct report_account *account = &session->account;
    struct error *err = &session->scan->err;

    if (casefile_drop_account(session->casefile, session->number, err))
        return -1;
    for (size_t i = 0; i < account->count; i++)
        if (casefile_add_account(session->casefile, session->number, account->parts[i].label,
                                 &account->parts[i].table, err))
            return -1;
    return 0;
}

static int end(struct session *session, enum evidence_result result)
{
    const enum case_state state = scan_state_of(&session->state, result);
    struct error text;

    if (state != CASE_BEGUN && state != CASE_FAILED &&
        (scan_containers_end(&session->containers, &session->scan->err) ||
         (!session->again && keep_account(session))))
        return -1;
    error_set(&text, "%s: %s", session->scan->run.path, scan_state_words(state));
    if (casefile_set_state(session->casefile, session->number, state, set_flags_now(), text.text,
                           &session->scan->err))
        return -1;
    return scan_state_exit(state);
}

static void show_common(const struct session *session)
{
    if (session->rows.common && !session->scan->run.quiet)
        complain("%s: %llu object%s without a finding: the matching content occurs in too many files of a "
                 "set to be "
                 "evidence for one of them; --all lists them",
                 session->scan->run.path, session->rows.common, plural(session->rows.common));
}

/* Returns the exit status, or -1 if the case cannot be written or a set cannot be read. */
static int read_all(struct session *session, const struct case_evidence *known)
{
    const struct evidence_sink sink = {.image = take_image,
                                       .object = take_object,
                                       .account = take_account,
                                       .bad = take_bad,
                                       .digests = take_digests,
                                       .problem = take_problem,
                                       .note = take_note,
                                       .idle = take_idle,
                                       .arg = session};
    struct scan *scan = session->scan;
    enum evidence_result result;
    struct error err;

    if (begin(session, known))
        return -1;
    result = evidence_run_read(&scan->run, scan->run.path, &sink, &err);
    if (session->different) {
        complain("%s: the evidence is not the one that the case was made of: object %" PRIu64
                 " differs; the case was not changed",
                 scan->run.path, session->objects);
        return EXIT_CHANGED;
    }
    if (scan->failed)
        return -1;
    evidence_run_end(&scan->run, result, &err);
    if (result == EVIDENCE_FAILED)
        keep_text(session, err.text);
    show_common(session);
    return end(session, result);
}

/* Evidence that was scanned to its end is not read again. */
static int show_done(const struct scan *scan, const struct case_evidence *known)
{
    if (!scan->run.quiet)
        complain("%s: was scanned completely before; it was not read again", scan->run.path);
    return scan_state_exit(known->state);
}

/* A further reading is compared with the first one.  Returns 1; 0 after showing what differs; or -1. */
static int is_same(struct session *session, const struct case_evidence *known)
{
    struct scan *scan = session->scan;
    struct case_evidence first = *known;
    int found = 1;
    struct error err;

    if (known->again)
        found = casefile_evidence(session->casefile, known->again, &first, &scan->err);
    if (found <= 0)
        return found < 0 ? -1 : error_set(&scan->err, "%s: its first reading is missing", scan->run.path);
    if (scan_resume_check_same(&first, scan->run.path, session->stamp, &scan->run.options, &err) == 0)
        return 1;
    complain_error(&err);
    return 0;
}

/* As read_all, for a case that may hold part of the evidence. */
static int resume(struct session *session, const struct case_evidence *known)
{
    struct scan *scan = session->scan;
    const bool is_done = known->state != CASE_BEGUN && known->state != CASE_FAILED;
    struct error err;
    int same;

    if (evidence_stamp(scan->run.path, scan->run.options.image_type, session->stamp, &err)) {
        if (!is_done)
            return read_all(session, known); /* which reports the error, and logs it */
        complain("%s; the case keeps what was scanned before", err.text);
        return EXIT_PARTIAL;
    }
    if (known->state != CASE_FAILED && (same = is_same(session, known)) <= 0)
        return same < 0 ? -1 : EXIT_CHANGED;
    return is_done ? show_done(scan, known) : read_all(session, known);
}

static int run(struct session *session)
{
    struct scan *scan = session->scan;
    struct case_evidence known;
    int found = casefile_evidence(session->casefile, session->number, &known, &scan->err);

    if (found == 0)
        return error_set(&scan->err, "%s: is not in the case", scan->run.path);
    if (found < 0)
        return -1;
    session->again = known.again > 0;
    session->rows.first_set = session->containers.first_set = known.first_set;
    return scan->resumable ? resume(session, &known) : read_all(session, &known);
}

int scan_evidence(void *arg, size_t index, const char *path)
{
    struct scan *scan = arg;
    struct session session = {.scan = scan, .casefile = scan->casefile, .number = scan->numbers[index]};
    int status;

    session.rows = (struct scan_rows){.casefile = scan->casefile,
                                      .sets = &scan->sets,
                                      .plan = &scan->plan,
                                      .limits = &scan->limits,
                                      .containers = &session.containers,
                                      .progress = &scan->run.progress,
                                      .note = take_note,
                                      .arg = &session};
    session.containers = (struct scan_containers){.casefile = scan->casefile, .sets = &scan->sets};
    scan->run.path = path;
    status = run(&session);
    report_account_reset(&session.account);
    scan_rows_release(&session.rows);
    scan_containers_release(&session.containers);
    scan_resume_release(&session.resume);
    scan->run.options.bad = NULL;
    if (status >= 0)
        return status;
    scan->failed = scan->run.over = true;
    complain_error(&scan->err);
    return EXIT_USAGE;
}
