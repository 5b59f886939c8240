/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case/casefile_inner.h"

/* ---- objects ---- */

/* The value of an enum by its name, or -1. */
static int get_named(struct statement *row, int column, int (*find)(const char *name, size_t len))
{
    const char *name;

    return casefile_get_string(row, column, &name) ? find(name, strlen(name)) : -1;
}

static bool get_kind(struct statement *row, int column, enum object_kind *kind)
{
    const int found = get_named(row, column, object_kind_find);

    *kind = found < 0 ? OBJECT_FILE : (enum object_kind)found;
    return found >= 0;
}

static bool get_verdict(struct statement *row, int column, enum verdict *verdict)
{
    const int found = get_named(row, column, finding_verdict_find);

    *verdict = found < 0 ? VERDICT_NONE : (enum verdict)found;
    return found >= 0;
}

/* The paths are valid if there are `count` zero bytes, one of them at the end. */
static bool get_paths(struct statement *row, int column, size_t count, const char **paths)
{
    const void *data;
    const char *at;
    size_t len, found = 0;

    if (!statement_bytes(row, column, &data, &len))
        return false;
    *paths = at = data;
    if (len && at[len - 1] != '\0')
        return false;
    for (const char *end = at + len; at < end; at += strlen(at) + 1)
        found++;
    return found == count;
}

bool casefile_get_object(struct statement *row, struct case_object *object, uint64_t *id, uint64_t *findings)
{
    uint64_t path_count, chunk, partial;

    *object = (struct case_object){0};
    if (!statement_up_to(row, 0, INT64_MAX, id) ||
        !statement_up_to(row, 1, CASE_MOST_EVIDENCE, &object->evidence) ||
        *id >> CASE_NUMBER_BITS != object->evidence || object->evidence == 0 ||
        !statement_up_to(row, 2, INT64_MAX, &object->item) || !casefile_get_string(row, 3, &object->volume) ||
        !casefile_get_string(row, 4, &object->address) || !statement_up_to(row, 5, 1, &chunk) ||
        !get_kind(row, 6, &object->kind) || !statement_up_to(row, 7, INT64_MAX, &object->size) ||
        !statement_up_to(row, 8, INT32_MAX, &path_count) ||
        !get_paths(row, 9, (size_t)path_count, &object->paths) ||
        !statement_digests(row, 10, &object->digests) || !get_verdict(row, 13, &object->verdict) ||
        !casefile_get_string(row, 14, &object->reason) || !statement_up_to(row, 15, INT64_MAX, findings) ||
        !statement_up_to(row, 16, 1, &partial))
        return false;
    object->chunk = chunk != 0;
    object->partial = partial != 0;
    object->path_count = (size_t)path_count;
    return true;
}

/* ---- findings ---- */

#define FINDING                                                                                              \
    "f.class, f.refset, f.file, f.sha1, f.md5, f.sha256, f.size, f.name, f.verdict, f.obj_start, f.obj_end," \
    " f.ref_start, f.ref_end, f.matched, f.ranges, f.resemblance, f.containment, f.edits, f.edits_low,"      \
    " f.edits_high, f.ln_e, f.proof, f.proved, f.blocks, f.also"

/* Columns after those of the object. */
enum {
    F_CLASS = CASEFILE_OBJECT_COLUMNS,
    F_REFSET,
    F_FILE,
    F_DIGESTS,
    F_SIZE = F_DIGESTS + DIGEST_KINDS,
    F_NAME,
    F_VERDICT,
    F_SPAN,
    F_MATCHED = F_SPAN + 4,
    F_RANGES,
    F_RESEMBLANCE,
    F_CONTAINMENT,
    F_EDITS,
    F_LN_E = F_EDITS + 3,
    F_PROOF,
    F_PROVED,
    F_BLOCKS,
    F_ALSO,
};

struct case_reader {
    struct casefile *casefile;
    struct statement *findings, *objects; /* NULL: at the end */
    struct case_evidence_row evidence;
    struct finding finding; /* owns the ranges */
};

static bool get_reference(struct statement *row, struct finding *finding, struct case_reference *reference)
{
    const void *name;

    if (!statement_up_to(row, F_FILE, INT64_MAX, &finding->file) ||
        !statement_up_to(row, F_SIZE, INT64_MAX, &finding->ref_size) ||
        !statement_digests(row, F_DIGESTS, &reference->digests) ||
        !statement_bytes(row, F_NAME, &name, &reference->name_len))
        return false;
    reference->name = name;
    return true;
}

static bool get_place(struct statement *row, struct finding *finding)
{
    struct finding_range *span = &finding->span;
    const void *ranges;
    size_t len;

    return statement_up_to(row, F_SPAN, INT64_MAX, &span->obj_start) &&
           statement_up_to(row, F_SPAN + 1, INT64_MAX, &span->obj_end) &&
           statement_up_to(row, F_SPAN + 2, INT64_MAX, &span->ref_start) &&
           statement_up_to(row, F_SPAN + 3, INT64_MAX, &span->ref_end) &&
           statement_up_to(row, F_MATCHED, INT64_MAX, &finding->matched) &&
           statement_bytes(row, F_RANGES, &ranges, &len) && casefile_unpack(ranges, len, finding);
}

static bool get_edits(struct statement *row, struct finding *finding)
{
    finding->has_edits = !statement_is_null(row, F_EDITS);
    if (finding->has_edits)
        return statement_real(row, F_EDITS, &finding->edits) &&
               statement_real(row, F_EDITS + 1, &finding->edits_low) &&
               statement_real(row, F_EDITS + 2, &finding->edits_high);
    finding->edits = finding->edits_low = finding->edits_high = 0;
    return statement_is_null(row, F_EDITS + 1) && statement_is_null(row, F_EDITS + 2);
}

static bool get_measures(struct statement *row, struct finding *finding)
{
    const bool certain = statement_is_null(row, F_LN_E);

    if (!statement_real(row, F_RESEMBLANCE, &finding->resemblance) ||
        !statement_real(row, F_CONTAINMENT, &finding->containment) || !get_edits(row, finding) ||
        (!certain && !statement_real(row, F_LN_E, &finding->ln_e)))
        return false;
    if (certain)
        finding->ln_e = -INFINITY;
    return true;
}

static bool get_proof(struct statement *row, struct finding *finding)
{
    const char *name;
    int proof;

    if (!casefile_get_string(row, F_PROOF, &name) ||
        !statement_up_to(row, F_PROVED, INT64_MAX, &finding->proved) ||
        !statement_up_to(row, F_BLOCKS, INT64_MAX, &finding->blocks) ||
        !statement_up_to(row, F_ALSO, INT64_MAX, &finding->also))
        return false;
    proof = casefile_proof_find(name);
    finding->proof = proof < 0 ? PROOF_ESTIMATE : (enum proof)proof;
    return proof >= 0;
}

static bool get_finding(struct case_reader *reader, struct statement *row, struct case_row *out)
{
    struct finding *finding = &reader->finding;
    uint64_t class, set;

    if (!statement_up_to(row, F_CLASS, CASE_CLASSES - 1, &class) ||
        !statement_up_to(row, F_REFSET, reader->casefile->set_count, &set) || set == 0 ||
        !get_reference(row, finding, &out->reference) || !get_verdict(row, F_VERDICT, &finding->verdict) ||
        !get_place(row, finding) || !get_measures(row, finding) || !get_proof(row, finding))
        return false;
    finding->set = (uint32_t)set - 1;
    out->set = &reader->casefile->sets[finding->set];
    return class == casefile_class(reader->casefile, finding->set) &&
           casefile_is_sound(reader->casefile, finding, out->object.size);
}

/* ---- rows of a report ---- */

/* The order is that of the primary key, so SQLite need not sort. */
static const char in_order[] = "SELECT " CASEFILE_OBJECT ", " FINDING
                               " FROM finding f LEFT JOIN object o ON o.id = f.object WHERE f.class <= ?"
                               " ORDER BY f.class, f.object, f.rank";

/* Sorts only keys, since sorting takes place in memory.  The limit prevents SQLite from dropping the order of
 * the inner query.  An E of 0 is NULL, which comes first. */
static const char by_significance[] =
    "SELECT " CASEFILE_OBJECT ", " FINDING " FROM"
    " (SELECT class, object, rank FROM finding WHERE class <= ? ORDER BY class,"
    " CASE verdict WHEN 'identical' THEN 0 WHEN 'variant' THEN 1 WHEN 'embedded' THEN 2 ELSE 3 END,"
    " ln_e, object, rank LIMIT -1) k"
    " CROSS JOIN finding f ON f.class = k.class AND f.object = k.object AND f.rank = k.rank"
    " LEFT JOIN object o ON o.id = f.object";

static int prepare(struct case_reader *reader, const struct case_filter *filter, struct error *err)
{
    struct database *database = reader->casefile->database;

    reader->findings =
        database_prepare(database, filter->significant_first ? by_significance : in_order, err);
    if (!reader->findings)
        return -1;
    casefile_bind_number(reader->findings, 1, filter->known ? CASE_KNOWN : CASE_NEUTRAL);
    if (!filter->objects)
        return 0;
    reader->objects = database_prepare(
        database, "SELECT " CASEFILE_OBJECT " FROM object o WHERE o.findings = 0 ORDER BY o.id", err);
    return reader->objects ? 0 : -1;
}

struct case_reader *casefile_reader_new(struct casefile *casefile, const struct case_filter *filter,
                                        struct error *err)
{
    struct case_reader *reader = memory_new(sizeof *reader, err);

    if (!reader)
        return NULL;
    reader->casefile = casefile;
    if (prepare(reader, filter, err) == 0)
        return reader;
    casefile_reader_free(reader);
    return NULL;
}

void casefile_reader_free(struct case_reader *reader)
{
    if (!reader)
        return;
    statement_free(reader->findings);
    statement_free(reader->objects);
    buffer_release(&reader->evidence.texts);
    free(reader->finding.ranges);
    free(reader);
}

static int find_evidence(struct case_reader *reader, struct case_row *row, struct error *err)
{
    int result = 1;

    if (reader->evidence.evidence.number != row->object.evidence)
        result = casefile_load_evidence(reader->casefile, row->object.evidence, &reader->evidence, err);
    if (result == 0)
        return casefile_broken(reader->casefile, err, "objects of evidence %" PRIu64 ", which is missing",
                               row->object.evidence);
    row->evidence = &reader->evidence.evidence;
    return result;
}

static int get_row(struct case_reader *reader, struct statement *from, struct case_row *row,
                   struct error *err)
{
    uint64_t id, findings;

    *row = (struct case_row){.has_finding = from == reader->findings};
    if (!casefile_get_object(from, &row->object, &id, &findings))
        return casefile_broken(reader->casefile, err, "malformed row in table object");
    if (row->has_finding && (findings == 0 || !get_finding(reader, from, row)))
        return casefile_broken(reader->casefile, err, "malformed finding of object %" PRIu64, id);
    if (row->has_finding)
        row->finding = reader->finding;
    return find_evidence(reader, row, err);
}

/* Frees the statement at its end, since stepping it again would restart it. */
static int next_of(struct case_reader *reader, struct statement **from, struct case_row *row,
                   struct error *err)
{
    int result;

    if (!*from)
        return 0;
    result = statement_step(*from, err);
    if (result > 0)
        return get_row(reader, *from, row, err);
    statement_free(*from);
    *from = NULL;
    return result;
}

int casefile_reader_next(struct case_reader *reader, struct case_row *row, struct error *err)
{
    const int result = next_of(reader, &reader->findings, row, err);

    return result ? result : next_of(reader, &reader->objects, row, err);
}

/* ---- counts ---- */

static int add_count(struct casefile *casefile, struct statement *row, uint64_t findings[VERDICTS],
                     struct error *err)
{
    enum verdict verdict;
    uint64_t count;

    if (!get_verdict(row, 0, &verdict) || !statement_up_to(row, 1, INT64_MAX, &count))
        return casefile_broken(casefile, err, "malformed row in table finding: invalid verdict");
    findings[verdict] += count;
    return 0;
}

int casefile_count_findings(struct casefile *casefile, uint64_t evidence, uint64_t findings[VERDICTS],
                            struct error *err)
{
    struct statement *row;
    int result;

    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    row = database_prepare(casefile->database,
                           "SELECT verdict, count(*) FROM finding WHERE class IN (?1, ?2)"
                           " AND object > ?3 AND object < ?4 GROUP BY verdict",
                           err);
    if (!row)
        return -1;
    casefile_bind_number(row, 1, CASE_NOTABLE);
    casefile_bind_number(row, 2, CASE_NEUTRAL);
    statement_bind_number(row, 3, casefile_id(evidence, 0));
    statement_bind_number(row, 4, casefile_id(evidence + 1, 0));
    while ((result = statement_step(row, err)) > 0)
        if (add_count(casefile, row, findings, err)) {
            result = -1;
            break;
        }
    statement_free(row);
    return result;
}

/* ---- problems ---- */

int casefile_problems(struct casefile *casefile, uint64_t evidence, void (*each)(void *arg, const char *text),
                      void *arg, struct error *err)
{
    struct statement *row;
    const char *text;
    int result;

    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    row = database_prepare(casefile->database,
                           "SELECT text FROM problem WHERE id > ?1 AND id < ?2 ORDER BY id", err);
    if (!row)
        return -1;
    statement_bind_number(row, 1, casefile_id(evidence, 0));
    statement_bind_number(row, 2, casefile_id(evidence + 1, 0));
    while ((result = statement_step(row, err)) > 0) {
        if (!casefile_get_string(row, 0, &text)) {
            result = casefile_broken(casefile, err, "malformed row in table problem");
            break;
        }
        each(arg, text);
    }
    statement_free(row);
    return result;
}
