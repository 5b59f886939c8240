/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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

/* Columns of table origin, after those of table object. */
enum { G_ID = 17, G_FLAGS, G_TIMES, G_RUNS = G_TIMES + 2 * OBJECT_TIMES, G_CUT };

/* A case from before version 2 has no origins. */
static bool get_origin(struct statement *row, struct case_runs *runs, struct case_object *object)
{
    uint64_t flags, nanoseconds, cut;
    const void *packed;
    size_t len;

    if (statement_is_null(row, G_ID))
        return true;
    for (int time = 0; time < OBJECT_TIMES; time++) {
        if (!statement_number(row, G_TIMES + 2 * time, &object->times[time].seconds) ||
            !statement_up_to(row, G_TIMES + 2 * time + 1, UINT32_MAX, &nanoseconds))
            return false;
        object->times[time].nanoseconds = (uint32_t)nanoseconds;
    }
    if (!statement_up_to(row, G_FLAGS, OBJECT_FLAGS - 1, &flags) || !statement_up_to(row, G_CUT, 1, &cut) ||
        !statement_bytes(row, G_RUNS, &packed, &len) ||
        !casefile_unpack_runs(packed, len, object->size, runs))
        return false;
    object->flags = (unsigned)flags;
    object->runs = runs->list;
    object->run_count = runs->count;
    object->runs_cut = cut != 0;
    return true;
}

bool casefile_get_object(struct statement *row, struct case_runs *runs, struct case_object *object,
                         uint64_t *id, uint64_t *findings)
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
        !statement_digests(row, 10, &object->digests) || !casefile_get_verdict(row, 13, &object->verdict) ||
        !casefile_get_string(row, 14, &object->reason) || !statement_up_to(row, 15, INT64_MAX, findings) ||
        !statement_up_to(row, 16, 1, &partial) || !get_origin(row, runs, object))
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
    " f.edits_high, f.ln_e, f.proof, f.proved, f.blocks, f.also, f.rank, t.of_object, t.of_rank, s.score,"   \
    " s.reordered, s.holders, s.features"

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
    F_RANK,
    F_TWIN,
    F_SCORE = F_TWIN + 2,
    F_REORDERED,
    F_HOLDERS,
    F_FEATURES,
};

#define FROM_FINDING                                                                                         \
    " LEFT JOIN object o ON o.id = f.object" CASEFILE_ORIGIN                                                 \
    " LEFT JOIN twin t ON t.object = f.object AND t.rank = f.rank"                                           \
    " LEFT JOIN score s ON s.object = f.object AND s.rank = f.rank"

struct case_reader {
    struct casefile *casefile;
    struct case_filter filter;
    struct statement *findings, *objects; /* NULL: at the end */
    size_t next_id;                       /* of those in the filter */
    struct case_evidence_row evidence;
    struct finding finding; /* owns the ranges */
    struct case_runs runs;
    struct case_finding_id twin; /* the finding that this one is a twin of; rank 0: none */

    /* The twins of the current row, and the reader that loads one finding at a time to ask the filter. */
    struct statement *twins;
    struct case_twin *list;
    size_t room;
    struct buffer addresses;
    struct case_reader *single;
    struct case_finding_id single_id;
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

static bool get_id(struct statement *row, int column, struct case_finding_id *id)
{
    uint64_t number, rank;

    if (!statement_up_to(row, column, INT64_MAX, &number) ||
        !statement_up_to(row, column + 1, INT32_MAX, &rank))
        return false;
    *id = (struct case_finding_id){number >> CASE_NUMBER_BITS,
                                   number & (((uint64_t)1 << CASE_NUMBER_BITS) - 1), (uint32_t)rank + 1};
    return true;
}

static bool get_rank(struct case_reader *reader, struct statement *row, struct case_finding_id *id)
{
    uint64_t rank;

    reader->twin.rank = 0;
    if (!statement_up_to(row, F_RANK, INT32_MAX, &rank) ||
        (!statement_is_null(row, F_TWIN) && !get_id(row, F_TWIN, &reader->twin)))
        return false;
    id->rank = (uint32_t)rank + 1;
    return true;
}

/* A finding from before version 3 has none. */
static bool get_score(struct statement *row, struct finding *finding)
{
    uint64_t reordered = 0;
    const void *features;
    size_t len;

    finding->reordered = false;
    finding->features = (struct features){0};
    if (statement_is_null(row, F_SCORE)) {
        finding_rate(finding, 1);
        return true;
    }
    if (!statement_real(row, F_SCORE, &finding->score) || !statement_up_to(row, F_REORDERED, 1, &reordered) ||
        !statement_up_to(row, F_HOLDERS, INT64_MAX, &finding->features.holders) ||
        !statement_bytes(row, F_FEATURES, &features, &len) ||
        !features_unpack(features, len, &finding->features))
        return false;
    finding->reordered = reordered != 0;
    return true;
}

static bool get_finding(struct case_reader *reader, struct statement *row, struct case_row *out)
{
    struct finding *finding = &reader->finding;
    uint64_t class, set;

    if (!statement_up_to(row, F_CLASS, CASE_CLASSES - 1, &class) ||
        !statement_up_to(row, F_REFSET, reader->casefile->set_count, &set) || set == 0 ||
        !get_reference(row, finding, &out->reference) ||
        !casefile_get_verdict(row, F_VERDICT, &finding->verdict) || !get_place(row, finding) ||
        !get_measures(row, finding) || !get_proof(row, finding) || !get_score(row, finding) ||
        !get_rank(reader, row, &out->id))
        return false;
    finding->set = (uint32_t)set - 1;
    out->set = &reader->casefile->sets[finding->set];
    return class == casefile_class(reader->casefile, finding->set) &&
           casefile_is_sound(reader->casefile, finding, out->object.size);
}

/* ---- rows of a report ---- */

#define SELECT_FINDING "SELECT " CASEFILE_OBJECT ", " FINDING " FROM "

/* Sorts only keys, since sorting takes place in memory.  The limit prevents SQLite from dropping the order of
 * the inner query. */
#define SORTED(order)                                                                                        \
    SELECT_FINDING "(SELECT class, object, rank FROM finding LEFT JOIN score USING (object, rank)"           \
                   " WHERE class <= ? ORDER BY " order " LIMIT -1) k"                                        \
                   " CROSS JOIN finding f ON f.class = k.class AND f.object = k.object AND f.rank = "        \
                   "k.rank" FROM_FINDING

/* Findings from before version 3 have no score, so theirs is computed.  An E of 0 is NULL, which comes
 * first. */
#define BY_SCORE                                                                                             \
    " coalesce(score, rated(verdict = 'identical', verdict = 'variant', resemblance, containment, size)) "   \
    "DESC,"                                                                                                  \
    " CASE verdict WHEN 'identical' THEN 0 WHEN 'variant' THEN 1 WHEN 'embedded' THEN 2 ELSE 3 END,"         \
    " ln_e, object, rank"

/* The arguments are those of BY_SCORE. */
static double rated(const double *arguments)
{
    struct finding finding = {.verdict = arguments[0] != 0   ? VERDICT_IDENTICAL
                                         : arguments[1] != 0 ? VERDICT_VARIANT
                                                             : VERDICT_FRAGMENT,
                              .resemblance = arguments[2],
                              .containment = arguments[3],
                              .ref_size = arguments[4] > 0 ? (uint64_t)arguments[4] : 0};

    finding_rate(&finding, 1);
    return finding.score;
}

/* Once, since a function that a statement uses cannot be replaced. */
static int define_rated(struct casefile *casefile, struct error *err)
{
    if (!casefile->rates && database_define(casefile->database, "rated", 5, rated, err))
        return -1;
    casefile->rates = true;
    return 0;
}

/* By place, the order is that of the primary key, so SQLite need not sort. */
static const char *const queries[] = {
    [CASE_BY_PLACE] =
        SELECT_FINDING "finding f" FROM_FINDING " WHERE f.class <= ? ORDER BY f.class, f.object, f.rank",
    [CASE_BY_SIGNIFICANCE] = SORTED("class," BY_SCORE),
    [CASE_BY_REFERENCE] = SORTED("class, refset, file," BY_SCORE),
};

static const char one_finding[] =
    SELECT_FINDING "finding f" FROM_FINDING " WHERE f.class IN (0, 1, 2) AND f.object = ? AND f.rank = ?";

/* An object that is read again for further sets has one row without a finding at most: that of the first
 * reading, if no reading has found anything.  The numbers of objects are the same in all readings. */
#define NOT_AGAIN                                                                                            \
    " AND o.evidence NOT IN (SELECT id FROM pass WHERE again > 0)"                                           \
    " AND o.id NOT IN (SELECT (p.again << 40) + (f.object & 1099511627775) FROM pass p JOIN finding f"       \
    " ON f.class IN (0, 1, 2) AND f.object >= p.id << 40 AND f.object < p.id + 1 << 40 WHERE p.again > 0)"

static int prepare(struct case_reader *reader, struct error *err)
{
    struct database *database = reader->casefile->database;
    const struct case_filter *filter = &reader->filter;

    if (define_rated(reader->casefile, err))
        return -1;
    reader->findings = database_prepare(database, filter->ids ? one_finding : queries[filter->order], err);
    if (!reader->findings || filter->ids)
        return reader->findings ? 0 : -1;
    casefile_bind_number(reader->findings, 1, filter->known ? CASE_KNOWN : CASE_NEUTRAL);
    if (!filter->objects)
        return 0;
    reader->objects = database_prepare(database,
                                       "SELECT " CASEFILE_OBJECT " FROM object o" CASEFILE_ORIGIN
                                       " WHERE o.findings = 0" NOT_AGAIN " ORDER BY o.id",
                                       err);
    return reader->objects ? 0 : -1;
}

struct case_reader *casefile_reader_new(struct casefile *casefile, const struct case_filter *filter,
                                        struct error *err)
{
    struct case_reader *reader = memory_new(sizeof *reader, err);

    if (!reader)
        return NULL;
    reader->casefile = casefile;
    reader->filter = *filter;
    if (prepare(reader, err) == 0)
        return reader;
    casefile_reader_free(reader);
    return NULL;
}

void casefile_reader_free(struct case_reader *reader)
{
    if (!reader)
        return;
    casefile_reader_free(reader->single);
    statement_free(reader->twins);
    statement_free(reader->findings);
    statement_free(reader->objects);
    buffer_release(&reader->evidence.texts);
    buffer_release(&reader->addresses);
    free(reader->finding.ranges);
    free(reader->runs.list);
    free(reader->list);
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
    if (!casefile_get_object(from, &reader->runs, &row->object, &id, &findings))
        return casefile_broken(reader->casefile, err, "malformed row in table object");
    row->id = (struct case_finding_id){row->object.evidence, id & (((uint64_t)1 << CASE_NUMBER_BITS) - 1), 0};
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

static int next_by_id(struct case_reader *reader, struct case_row *row, struct error *err)
{
    const struct case_finding_id *id;
    struct buffer text = {0};
    int result = 0;

    if (reader->next_id == reader->filter.id_count)
        return 0;
    id = &reader->filter.ids[reader->next_id++];
    statement_reset(reader->findings);
    if (id->rank && id->evidence <= CASE_MOST_EVIDENCE && id->object >> CASE_NUMBER_BITS == 0) {
        statement_bind_number(reader->findings, 1, casefile_id(id->evidence, id->object));
        casefile_bind_number(reader->findings, 2, id->rank - 1);
        result = statement_step(reader->findings, err);
    }
    if (result > 0)
        return get_row(reader, reader->findings, row, err);
    if (result == 0) {
        casefile_put_id(&text, id);
        result = error_set(err, "%s: there is no finding %.*s", database_path(reader->casefile->database),
                           (int)text.len, text.data ? text.data : "");
        buffer_release(&text);
    }
    return result;
}

/* ---- twins ---- */

/* Loads a single finding of the case by another reader.  Returns 1, or -1. */
static int load_one(struct case_reader *reader, const struct case_finding_id *id, struct case_row *row,
                    struct error *err)
{
    const struct case_filter filter = {.ids = &reader->single_id, .id_count = 1};

    if (!reader->single)
        reader->single = casefile_reader_new(reader->casefile, &filter, err);
    if (!reader->single)
        return -1;
    reader->single_id = *id;
    reader->single->next_id = 0;
    return next_by_id(reader->single, row, err);
}

/* Whether the row repeats another one that the filter lets through. */
static int is_repeated(struct case_reader *reader, const struct case_row *row, struct error *err)
{
    struct case_row other;

    if (!row->has_finding || reader->twin.rank == 0 || reader->filter.twins || reader->filter.ids)
        return 0;
    if (load_one(reader, &reader->twin, &other, err) < 0)
        return -1;
    return !reader->filter.wants || reader->filter.wants(reader->filter.arg, &other);
}

/* Files of the host have no address but their path. */
static const char *twin_name(const char *address, const char *paths, size_t len)
{
    const bool has_address = address[0] != '-' || (address[1] != '\0' && address[1] != '/');

    return has_address || len == 0 || !memchr(paths, '\0', len) ? address : paths;
}

static bool get_twin(struct case_reader *reader, size_t count)
{
    const char *address, *kind, *name;
    const void *paths;
    size_t len;
    struct case_twin *twin;
    int found;

    if (array_reserve(&reader->list, &reader->room, count + 1))
        return false;
    twin = &reader->list[count];
    if (!get_id(reader->twins, 0, &twin->id) || !casefile_get_string(reader->twins, 2, &address) ||
        !casefile_get_string(reader->twins, 3, &kind) || !statement_bytes(reader->twins, 4, &paths, &len))
        return false;
    found = object_kind_find(kind, strlen(kind));
    twin->kind = found < 0 ? OBJECT_FILE : (enum object_kind)found;
    name = twin_name(address, paths, len);
    buffer_add(&reader->addresses, address, strlen(address) + 1);
    buffer_add(&reader->addresses, name, strlen(name) + 1);
    return found >= 0;
}

/* Once all are known, the addresses no longer move. */
static void point_to_addresses(struct case_reader *reader, struct case_row *row, size_t count)
{
    const char *at = reader->addresses.data;

    for (size_t i = 0; i < count; i++) {
        reader->list[i].address = at;
        at += strlen(at) + 1;
        reader->list[i].name = at;
        at += strlen(at) + 1;
    }
    row->twins = reader->list;
    row->twin_count = count;
}

/* Only deleted files and containers have any. */
static bool may_have_twins(const struct case_row *row)
{
    return row->has_finding && (row->object.kind != OBJECT_SLACK || row->finding.proof == PROOF_MEMBERS);
}

static int find_twins(struct case_reader *reader, struct case_row *row, struct error *err)
{
    size_t count = 0;
    int result;

    if (!may_have_twins(row))
        return 0;
    if (!reader->twins)
        reader->twins = database_prepare(reader->casefile->database,
                                         "SELECT t.object, t.rank, o.address, o.kind, o.paths FROM twin t"
                                         " JOIN object o ON o.id = t.object WHERE t.of_object = ? AND"
                                         " t.of_rank = ? ORDER BY t.object, t.rank",
                                         err);
    if (!reader->twins)
        return -1;
    statement_reset(reader->twins);
    statement_bind_number(reader->twins, 1, casefile_id(row->id.evidence, row->id.object));
    casefile_bind_number(reader->twins, 2, row->id.rank - 1);
    buffer_reset(&reader->addresses);
    while ((result = statement_step(reader->twins, err)) > 0)
        if (!get_twin(reader, count++))
            return casefile_broken(reader->casefile, err, "malformed row in table twin");
    if (result == 0 && reader->addresses.failed)
        return error_set(err, "out of memory for the addresses of %zu twins", count);
    point_to_addresses(reader, row, count);
    return result;
}

static int next_row(struct case_reader *reader, struct case_row *row, struct error *err)
{
    int result;

    if (reader->filter.ids)
        return next_by_id(reader, row, err);
    result = next_of(reader, &reader->findings, row, err);
    return result ? result : next_of(reader, &reader->objects, row, err);
}

int casefile_reader_next(struct case_reader *reader, struct case_row *row, struct error *err)
{
    int result, repeated;

    while ((result = next_row(reader, row, err)) > 0) {
        if (reader->filter.wants && !reader->filter.wants(reader->filter.arg, row))
            continue;
        repeated = is_repeated(reader, row, err);
        if (repeated <= 0)
            return repeated < 0 || find_twins(reader, row, err) ? -1 : 1;
    }
    return result;
}
