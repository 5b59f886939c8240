/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case/casefile_inner.h"

enum {
    BATCH_OBJECTS = 1000,
    BATCH_MS = 1000,
    MOST_PATHS = 32 << 20, /* bytes: half of what the database accepts in a row */
};

/* ---- objects ---- */

/* Returns the length of the paths that are kept, and their number. */
static size_t measure_paths(const struct case_object *object, size_t *count)
{
    size_t len = 0;

    for (*count = 0; *count < object->path_count; (*count)++) {
        const size_t more = strlen(object->paths + len) + 1;

        if (len + more > MOST_PATHS)
            break;
        len += more;
    }
    return len;
}

static int add_object(struct casefile *casefile, const struct case_object *object, size_t findings,
                      struct error *err)
{
    static const char sql[] =
        "INSERT INTO object (id, evidence, item, volume, address, chunk, kind, size, path_count,"
        " paths, sha1, md5, sha256, verdict, reason, findings, partial)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    struct statement *row = casefile->add_object;
    size_t path_count;
    const size_t len = measure_paths(object, &path_count);

    if (!row)
        row = casefile->add_object = database_prepare(casefile->database, sql, err);
    if (!row)
        return -1;
    statement_bind_number(row, 1, casefile_id(object->evidence, casefile->number));
    casefile_bind_number(row, 2, object->evidence);
    casefile_bind_number(row, 3, object->item);
    casefile_bind_string(row, 4, object->volume);
    casefile_bind_string(row, 5, object->address);
    casefile_bind_number(row, 6, object->chunk);
    casefile_bind_string(row, 7, object_kind_name(object->kind));
    casefile_bind_number(row, 8, object->size);
    casefile_bind_number(row, 9, path_count);
    statement_bind_bytes(row, 10, object->paths, len);
    casefile_bind_digests(row, 11, &object->digests);
    casefile_bind_string(row, 14, finding_verdict_name(object->verdict));
    casefile_bind_string(row, 15, object->reason);
    casefile_bind_number(row, 16, findings);
    casefile_bind_number(row, 17, object->partial);
    return statement_run(row, err) || casefile_add_origin(casefile, object, err) ? -1 : 0;
}

/* ---- findings ---- */

static const char finding_sql[] =
    "INSERT INTO finding (class, object, rank, refset, file, sha1, md5, sha256, size, name, verdict, "
    "obj_start,"
    " obj_end, ref_start, ref_end, matched, ranges, resemblance, containment, edits, edits_low, edits_high, "
    "ln_e,"
    " proof, proved, blocks, also)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static void bind_real_or_null(struct statement *row, int parameter, bool there, double number)
{
    if (there)
        statement_bind_real(row, parameter, number);
    else
        statement_bind_null(row, parameter);
}

static void bind_measures(struct statement *row, int parameter, const struct finding *finding)
{
    statement_bind_real(row, parameter, finding->resemblance);
    statement_bind_real(row, parameter + 1, finding->containment);
    bind_real_or_null(row, parameter + 2, finding->has_edits, finding->edits);
    bind_real_or_null(row, parameter + 3, finding->has_edits, finding->edits_low);
    bind_real_or_null(row, parameter + 4, finding->has_edits, finding->edits_high);
    bind_real_or_null(row, parameter + 5, finding->ln_e > -INFINITY, finding->ln_e);
    casefile_bind_string(row, parameter + 6, finding_proof_name(finding->proof));
    casefile_bind_number(row, parameter + 7, finding->proved);
    casefile_bind_number(row, parameter + 8, finding->blocks);
    casefile_bind_number(row, parameter + 9, finding->also);
}

static void bind_finding(struct casefile *casefile, const struct finding *finding,
                         const struct case_reference *reference)
{
    const struct finding_range *span = &finding->span;
    struct statement *row = casefile->add_finding;

    casefile_bind_number(row, 4, (uint64_t)finding->set + 1);
    casefile_bind_number(row, 5, finding->file);
    casefile_bind_digests(row, 6, &reference->digests);
    casefile_bind_number(row, 9, finding->ref_size);
    statement_bind_bytes(row, 10, reference->name, reference->name_len);
    casefile_bind_string(row, 11, finding_verdict_name(finding->verdict));
    casefile_bind_number(row, 12, span->obj_start);
    casefile_bind_number(row, 13, span->obj_end);
    casefile_bind_number(row, 14, span->ref_start);
    casefile_bind_number(row, 15, span->ref_end);
    casefile_bind_number(row, 16, finding->matched);
    statement_bind_bytes(row, 17, casefile->ranges.data, casefile->ranges.len);
    bind_measures(row, 18, finding);
}

static int add_score(struct casefile *casefile, const struct finding *finding, size_t rank, struct error *err)
{
    struct statement *row = casefile->add_score;

    if (!row)
        row = casefile->add_score = database_prepare(
            casefile->database,
            "INSERT INTO score (object, rank, score, reordered, holders, features) VALUES (?, ?, ?, ?, ?, ?)",
            err);
    if (!row)
        return -1;
    statement_bind_number(row, 1, casefile_id(casefile->adding, casefile->number));
    casefile_bind_number(row, 2, rank);
    statement_bind_real(row, 3, finding->score);
    casefile_bind_number(row, 4, finding->reordered);
    casefile_bind_number(row, 5, finding->features.holders);
    buffer_reset(&casefile->ranges);
    features_pack(&casefile->ranges, &finding->features);
    if (casefile->ranges.failed)
        return error_set(err, "out of memory for the features of a finding");
    statement_bind_bytes(row, 6, casefile->ranges.data, casefile->ranges.len);
    return statement_run(row, err);
}

static int add_finding(struct casefile *casefile, const struct case_object *object,
                       const struct finding *finding, size_t rank, const struct case_reference *reference,
                       struct error *err)
{
    if (!casefile_is_sound(casefile, finding, object->size))
        return error_set(err, "%s: invalid finding", database_path(casefile->database));
    buffer_reset(&casefile->ranges);
    casefile_pack(&casefile->ranges, finding);
    if (casefile->ranges.failed)
        return error_set(err, "out of memory for %zu ranges", finding->range_count);
    if (!casefile->add_finding)
        casefile->add_finding = database_prepare(casefile->database, finding_sql, err);
    if (!casefile->add_finding)
        return -1;
    casefile_bind_number(casefile->add_finding, 1, casefile_class(casefile, finding->set));
    statement_bind_number(casefile->add_finding, 2, casefile_id(casefile->adding, casefile->number));
    casefile_bind_number(casefile->add_finding, 3, rank);
    bind_finding(casefile, finding, reference);
    if (statement_run(casefile->add_finding, err) || add_score(casefile, finding, rank, err))
        return -1;
    return casefile_add_place(casefile, object, finding, rank, err);
}

static int add_findings(struct casefile *casefile, const struct case_object *object,
                        const struct findings *findings, const struct case_reference *references,
                        struct error *err)
{
    int result = 0;

    for (size_t i = 0; i < findings->count && result == 0; i++)
        result = add_finding(casefile, object, &findings->list[i], i, &references[i], err);
    return result;
}

/* ---- counting ---- */

/* Returns the first finding in a set of the best class found; the findings have been checked. */
static const struct finding *best_of(const struct casefile *casefile, const struct findings *findings)
{
    const struct finding *best = NULL;

    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];

        if (!best || casefile_class(casefile, finding->set) < casefile_class(casefile, best->set))
            best = finding;
    }
    return best;
}

static void count(struct casefile *casefile, const struct case_object *object,
                  const struct findings *findings)
{
    struct case_counts *counts = &casefile->counts;
    const struct finding *best = findings ? best_of(casefile, findings) : NULL;

    casefile_count_bytes(counts, object);
    if (best && casefile_class(casefile, best->set) == CASE_KNOWN)
        counts->known++;
    else
        counts->findings[best ? best->verdict : object->verdict]++;
}

/* A temporary case keeps no other objects without findings than members that could not be unpacked, since
 * casefile_unopened lists them. */
static bool is_kept(const struct casefile *casefile, const struct case_object *object)
{
    return casefile->all_objects || (object->kind == OBJECT_MEMBER && object->partial && object->reason[0]);
}

static int add_all(struct casefile *casefile, const struct case_object *object,
                   const struct findings *findings, const struct case_reference *references,
                   struct error *err)
{
    const size_t found = findings ? findings->count : 0;

    if (casefile->counts.objects >> CASE_NUMBER_BITS)
        return error_set(err, "%s: too many objects", database_path(casefile->database));
    if (found == 0 && !is_kept(casefile, object))
        return 0;
    if (add_object(casefile, object, found, err))
        return -1;
    return found ? add_findings(casefile, object, findings, references, err) : 0;
}

int casefile_add(struct casefile *casefile, const struct case_object *object, const struct findings *findings,
                 const struct case_reference *references, int64_t now_ms, struct error *err)
{
    if (casefile_begin(casefile, err) || casefile_turn_to(casefile, object->evidence, err))
        return -1;
    casefile->number = ++casefile->counts.objects;
    if (add_all(casefile, object, findings, references, err))
        return casefile_abandon(casefile);
    count(casefile, object, findings);
    if (!casefile->timed)
        casefile->committed_ms = now_ms;
    casefile->timed = true;
    if (++casefile->batch < BATCH_OBJECTS)
        return casefile_wait(casefile, now_ms, err);
    casefile->committed_ms = now_ms;
    return casefile_commit(casefile, err);
}

/* ---- findings that come later ---- */

/* Counts the object as this, once more or once less. */
static void count_as(struct case_counts *counts, bool known, enum verdict verdict, uint64_t by)
{
    if (known)
        counts->known += by;
    else
        counts->findings[verdict] += by;
}

/* Finds as what the object counts: by its first finding of the best class. */
static int find_best(struct casefile *casefile, int64_t id, bool *known, enum verdict *verdict,
                     struct error *err)
{
    struct statement *row = database_prepare(casefile->database,
                                             "SELECT class, verdict FROM finding WHERE class IN (0, 1, 2)"
                                             " AND object = ? ORDER BY class, rank LIMIT 1",
                                             err);
    uint64_t class = 0;
    int result;

    if (!row)
        return -1;
    statement_bind_number(row, 1, id);
    result = statement_step(row, err);
    if (result > 0 &&
        (!statement_up_to(row, 0, CASE_CLASSES - 1, &class) || !casefile_get_verdict(row, 1, verdict)))
        result = casefile_broken(casefile, err, "malformed finding of object %lld", (long long)id);
    *known = class == CASE_KNOWN;
    statement_free(row);
    return result < 0 ? -1 : 0;
}

static int has_finding(struct casefile *casefile, int64_t id, uint32_t rank, struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database,
                         "SELECT 1 FROM finding WHERE class IN (0, 1, 2) AND object = ? AND rank = ?", err);
    int result;

    if (!row)
        return -1;
    statement_bind_number(row, 1, id);
    statement_bind_number(row, 2, rank);
    result = statement_step(row, err);
    statement_free(row);
    return result;
}

static int note_finding(struct casefile *casefile, int64_t id, enum verdict verdict, struct error *err)
{
    struct statement *row = database_prepare(casefile->database,
                                             "UPDATE object SET findings = findings + 1, verdict ="
                                             " CASE findings WHEN 0 THEN ?2 ELSE verdict END WHERE id = ?1",
                                             err);
    int result;

    if (!row)
        return -1;
    statement_bind_number(row, 1, id);
    casefile_bind_string(row, 2, finding_verdict_name(verdict));
    result = statement_run(row, err);
    statement_free(row);
    return result;
}

static int extend(struct casefile *casefile, const struct case_object *object, uint32_t rank,
                  const struct finding *finding, const struct case_reference *reference, struct error *err)
{
    const int64_t id = casefile_id(object->evidence, casefile->number);
    enum verdict before = object->verdict, after = object->verdict;
    bool was_known, is_known;
    const int there = has_finding(casefile, id, rank, err);

    if (there)
        return there < 0 ? -1 : 0;
    if (find_best(casefile, id, &was_known, &before, err) ||
        (rank == 0 && !is_kept(casefile, object) && add_object(casefile, object, 0, err)) ||
        add_finding(casefile, object, finding, rank, reference, err) ||
        note_finding(casefile, id, finding->verdict, err) || find_best(casefile, id, &is_known, &after, err))
        return -1;
    count_as(&casefile->counts, was_known, before, UINT64_MAX);
    count_as(&casefile->counts, is_known, after, 1);
    return 0;
}

int casefile_extend(struct casefile *casefile, const struct case_object *object, uint64_t number,
                    uint32_t rank, const struct finding *finding, const struct case_reference *reference,
                    struct error *err)
{
    if (casefile_begin(casefile, err) || casefile_turn_to(casefile, object->evidence, err))
        return -1;
    casefile->number = number;
    return extend(casefile, object, rank, finding, reference, err) ? casefile_abandon(casefile) : 0;
}

int casefile_wait(struct casefile *casefile, int64_t now_ms, struct error *err)
{
    if (!casefile->in_batch || !casefile->timed || now_ms - casefile->committed_ms < BATCH_MS)
        return 0;
    casefile->committed_ms = now_ms;
    return casefile_commit(casefile, err);
}

/* ---- resuming ---- */

int casefile_progress(struct casefile *casefile, uint64_t evidence, uint64_t *objects, uint64_t *first_item,
                      struct error *err)
{
    struct case_counts counts;
    struct statement *row;
    uint64_t id = 0;
    int result;

    *objects = *first_item = 0;
    if (casefile_count(casefile, evidence, &counts, err))
        return -1;
    row = database_prepare(casefile->database,
                           "SELECT id, item FROM object WHERE id > ?1 AND id < ?2 ORDER BY id DESC LIMIT 1",
                           err);
    if (!row)
        return -1;
    statement_bind_number(row, 1, casefile_id(evidence, 0));
    statement_bind_number(row, 2, casefile_id(evidence + 1, 0));
    result = statement_step(row, err);
    if (result > 0 &&
        (!statement_up_to(row, 0, INT64_MAX, &id) || !statement_up_to(row, 1, INT64_MAX, first_item)))
        result = casefile_broken(casefile, err, "malformed row in table object");
    statement_free(row);
    id &= ((uint64_t)1 << CASE_NUMBER_BITS) - 1;
    if (result >= 0 && (casefile->all_objects ? id != counts.objects : id > counts.objects))
        result = casefile_broken(casefile, err,
                                 "evidence %" PRIu64 ": %" PRIu64
                                 " objects expected, but the last is number %" PRIu64,
                                 evidence, counts.objects, id);
    *objects = counts.objects;
    return result < 0 ? -1 : 0;
}

/* Finds the row with that number, valid until the statement is reset.  Returns 1, 0 or -1. */
static int find_row(struct casefile *casefile, uint64_t evidence, uint64_t number, struct error *err)
{
    if (number >> CASE_NUMBER_BITS || evidence > CASE_MOST_EVIDENCE)
        return 0;
    if (!casefile->same)
        casefile->same = database_prepare(
            casefile->database, "SELECT address, size, chunk, paths, kind FROM object WHERE id = ?", err);
    if (!casefile->same)
        return -1;
    statement_bind_number(casefile->same, 1, casefile_id(evidence, number));
    return statement_step(casefile->same, err);
}

/* Compares the first path, which is all that distinguishes files of the host. */
static bool has_path(struct statement *row, const struct case_object *object)
{
    const size_t len = object->path_count ? strlen(object->paths) + 1 : 0;
    const void *paths;
    size_t paths_len;

    return statement_bytes(row, 3, &paths, &paths_len) && paths_len >= len && (len || !paths_len) &&
           memcmp(paths, object->paths, len) == 0;
}

/* Whether this is the address of the object's chunk that begins at start: that of the object, "+" and start.
 */
static bool is_chunk_address(const char *address, const struct case_object *object, uint64_t start)
{
    const size_t len = strlen(object->address);
    char after[32];

    snprintf(after, sizeof after, "+%" PRIu64, start);
    return strncmp(address, object->address, len) == 0 && strcmp(address + len, after) == 0;
}

/* Whether the row is the whole object (*chunk becomes false), or a chunk of it that begins at *start (*start
 * becomes its end). */
static bool row_is(struct statement *row, const struct case_object *object, uint64_t *start, bool *chunk)
{
    const uint64_t most = object->size > INT64_MAX ? INT64_MAX : object->size;
    const char *was;
    uint64_t size, is_chunk;

    if (!statement_up_to(row, 2, 1, &is_chunk) || !casefile_get_string(row, 0, &was) ||
        !statement_up_to(row, 1, INT64_MAX, &size) || !has_path(row, object))
        return false;
    *chunk = is_chunk;
    if (!is_chunk)
        return *start == 0 && strcmp(was, object->address) == 0 && size == most;
    if (!is_chunk_address(was, object, *start) || size > most - *start)
        return false;
    *start += size;
    return true;
}

/* Members come again only with an object whose content is read again; otherwise their rows are passed over.
 */
static int skip_members(struct casefile *casefile, uint64_t evidence, uint64_t *number, struct error *err)
{
    const char *kind;
    int result;

    while ((result = find_row(casefile, evidence, *number + 1, err)) > 0) {
        const bool is_member = casefile_get_string(casefile->same, 4, &kind) &&
                               strcmp(kind, object_kind_name(OBJECT_MEMBER)) == 0;

        statement_reset(casefile->same);
        if (!is_member)
            return 0;
        ++*number;
    }
    return result;
}

int casefile_skip(struct casefile *casefile, uint64_t evidence, uint64_t *number,
                  const struct case_object *object, struct error *err)
{
    uint64_t start = 0;
    bool chunk = true;
    int result = 0, rows = 0;

    if (object->kind != OBJECT_MEMBER && skip_members(casefile, evidence, number, err))
        return -1;
    while (chunk && (start == 0 || start < object->size) &&
           (result = find_row(casefile, evidence, *number + 1, err)) > 0) {
        const bool same = row_is(casefile->same, object, &start, &chunk);

        statement_reset(casefile->same);
        if (!same)
            break;
        ++*number;
        rows++;
    }
    return result < 0 ? -1 : rows;
}

/* ---- evidence ---- */

/* Prepares a statement whose first parameter is the evidence. */
static struct statement *change(struct casefile *casefile, uint64_t evidence, const char *sql,
                                struct error *err)
{
    struct statement *row = casefile_require_evidence(casefile, evidence, err)
                                ? NULL
                                : database_prepare(casefile->database, sql, err);

    casefile_bind_number(row, 1, evidence);
    return row;
}

static int run_now(struct casefile *casefile, struct statement *row, struct error *err)
{
    return casefile_run(casefile, row, err) || casefile_commit(casefile, err) ? -1 : 0;
}

int casefile_set_stamp(struct casefile *casefile, uint64_t evidence, const char *stamp, struct error *err)
{
    struct statement *row = change(casefile, evidence, "UPDATE evidence SET stamp = ?2 WHERE id = ?1", err);

    casefile_bind_string(row, 2, stamp);
    return run_now(casefile, row, err);
}

int casefile_set_image(struct casefile *casefile, uint64_t evidence, const struct evidence_image *image,
                       struct error *err)
{
    struct statement *row =
        change(casefile, evidence, "UPDATE evidence SET format = ?2, size = ?3 WHERE id = ?1", err);

    casefile_bind_string(row, 2, image->format);
    casefile_bind_number(row, 3, image->size);
    return run_now(casefile, row, err);
}

int casefile_set_digests(struct casefile *casefile, uint64_t evidence, const struct digest_values *digests,
                         const struct digest_values *stored, struct error *err)
{
    struct statement *row = change(casefile, evidence,
                                   "UPDATE evidence SET sha1 = ?2, md5 = ?3, sha256 = ?4, stored_sha1 = ?5,"
                                   " stored_md5 = ?6, stored_sha256 = ?7 WHERE id = ?1",
                                   err);

    casefile_bind_digests(row, 2, digests);
    casefile_bind_digests(row, 2 + DIGEST_KINDS, stored);
    return run_now(casefile, row, err);
}

int casefile_set_state(struct casefile *casefile, uint64_t evidence, enum case_state state, int64_t now,
                       const char *text, struct error *err)
{
    struct statement *row;

    if (casefile_commit(casefile, err)) /* this also writes the counts */
        return -1;
    row = change(casefile, evidence, "UPDATE evidence SET state = ?2 WHERE id = ?1", err);
    casefile_bind_string(row, 2, casefile_state_name(state));
    if (casefile_run(casefile, row, err))
        return -1;
    return casefile_is_sealed(state) ? casefile_seal(casefile, evidence, now, text, err)
                                     : casefile_log(casefile, now, text, err);
}

int casefile_problem(struct casefile *casefile, uint64_t evidence, const char *text, struct error *err)
{
    struct statement *row =
        change(casefile, evidence,
               "INSERT OR IGNORE INTO problem (id, evidence, text)"
               " SELECT ifnull(max(id), ?3) + 1, ?1, ?2 FROM problem WHERE id > ?3 AND id < ?4",
               err);

    casefile_bind_string(row, 2, text);
    casefile_bind_ids(row, 3, evidence);
    if (casefile_run(casefile, row, err))
        return -1;
    return ++casefile->batch < BATCH_OBJECTS ? 0 : casefile_commit(casefile, err);
}
