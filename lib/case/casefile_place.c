/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/ranges.h"
#include "case/casefile_inner.h"

/*
 * Where objects lie on the image, and which findings are twins.
 *
 * The pieces of a deleted file's finding are noted in table place.  Free blocks are read after the files of
 * their volume, so a finding in them can be looked up there: it is a twin if nearly all of its matching bytes
 * lie in the pieces of one finding of the same reference.
 */
enum {
    MOST_PIECES = 64,  /* of a finding that are noted */
    TWIN_PERCENT = 95, /* not all, since where a range ends may be estimated */
};

struct case_place {
    struct statement *add_origin, *add_piece, *add_twin;
    struct statement *before, *after, *load; /* the pieces next to a position; a finding's ranges and runs */
    struct buffer runs;
    struct ranges own, other; /* pieces on the image */
    struct finding finding;   /* owns its ranges */
    struct case_runs room;
};

/* The first run that ends after the offset. */
static size_t find_run(const struct case_object *object, uint64_t offset)
{
    size_t from = 0, to = object->run_count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (object->runs[middle].offset + object->runs[middle].len > offset)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

bool casefile_on_image(const struct case_object *object, uint64_t offset, uint64_t *image, uint64_t *len)
{
    const size_t i = find_run(object, offset);
    const struct object_run *run;

    if (i == object->run_count || object->runs[i].offset > offset)
        return false;
    run = &object->runs[i];
    *image = run->image + (offset - run->offset);
    *len = run->len - (offset - run->offset);
    return true;
}

void casefile_pieces(const struct case_object *object, uint64_t start, uint64_t end,
                     void (*take)(void *arg, const struct object_run *piece), void *arg)
{
    for (size_t i = find_run(object, start); i < object->run_count && object->runs[i].offset < end; i++) {
        const struct object_run *run = &object->runs[i];
        const uint64_t from = run->offset > start ? run->offset : start;
        const uint64_t to = run->offset + run->len < end ? run->offset + run->len : end;

        if (from < to)
            take(arg, &(struct object_run){from, run->image + (from - run->offset), to - from});
    }
}

static struct case_place *place_of(struct casefile *casefile, struct error *err)
{
    if (!casefile->place)
        casefile->place = memory_new(sizeof *casefile->place, err);
    return casefile->place;
}

void casefile_release_place(struct casefile *casefile)
{
    struct case_place *place = casefile->place;

    if (!place)
        return;
    statement_free(place->add_origin);
    statement_free(place->add_piece);
    statement_free(place->add_twin);
    statement_free(place->before);
    statement_free(place->after);
    statement_free(place->load);
    buffer_release(&place->runs);
    ranges_release(&place->own);
    ranges_release(&place->other);
    free(place->finding.ranges);
    free(place->room.list);
    free(place);
}

/* Prepares the statement if it is needed for the first time. */
static struct statement *prepared(struct casefile *casefile, struct statement **statement, const char *sql,
                                  struct error *err)
{
    if (!*statement)
        *statement = database_prepare(casefile->database, sql, err);
    return *statement;
}

/* ---- origins ---- */

int casefile_add_origin(struct casefile *casefile, const struct case_object *object, struct error *err)
{
    struct case_place *place = place_of(casefile, err);
    struct statement *row;
    size_t kept;

    if (!place ||
        !(row = prepared(casefile, &place->add_origin,
                         "INSERT INTO origin (id, flags, mtime, mtime_ns, atime, atime_ns, ctime, ctime_ns,"
                         " crtime, crtime_ns, runs, cut) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                         err)))
        return -1;
    buffer_reset(&place->runs);
    kept = casefile_pack_runs(&place->runs, object);
    if (place->runs.failed)
        return error_set(err, "out of memory for %zu runs", kept);
    statement_bind_number(row, 1, casefile_id(casefile->adding, casefile->number));
    casefile_bind_number(row, 2, object->flags);
    for (int time = 0; time < OBJECT_TIMES; time++) {
        statement_bind_number(row, 3 + 2 * time, object->times[time].seconds);
        casefile_bind_number(row, 4 + 2 * time, object->times[time].nanoseconds);
    }
    statement_bind_bytes(row, 11, place->runs.data, place->runs.len);
    casefile_bind_number(row, 12, object->runs_cut || (kept == CASE_MOST_RUNS && kept < object->run_count));
    return statement_run(row, err);
}

/* ---- pieces ---- */

struct piece_list {
    struct ranges *list;
    int result; /* of ranges_add */
};

static void take_piece(void *arg, const struct object_run *piece)
{
    struct piece_list *pieces = arg;

    if (pieces->result == 0)
        pieces->result = ranges_add(pieces->list, piece->image, piece->len);
}

static int find_pieces(struct ranges *list, const struct case_object *object, const struct finding *finding,
                       struct error *err)
{
    struct piece_list pieces = {list, 0};

    list->count = 0;
    if (finding->range_count == 0) /* of containers that have members in common, but no bytes */
        casefile_pieces(object, finding->span.obj_start,
                        finding->span.obj_end ? finding->span.obj_end : object->size, take_piece, &pieces);
    for (size_t i = 0; i < finding->range_count; i++)
        casefile_pieces(object, finding->ranges[i].obj_start, finding->ranges[i].obj_end, take_piece,
                        &pieces);
    ranges_sort(list);
    return pieces.result ? error_set(err, "out of memory for the pieces of a finding") : 0;
}

static int add_piece(struct casefile *casefile, const struct finding *finding, size_t rank, uint64_t start,
                     struct error *err)
{
    struct statement *row =
        prepared(casefile, &casefile->place->add_piece,
                 "INSERT INTO place (refset, file, start, object, rank) VALUES (?, ?, ?, ?, ?)", err);

    if (!row)
        return -1;
    casefile_bind_number(row, 1, (uint64_t)finding->set + 1);
    casefile_bind_number(row, 2, finding->file);
    casefile_bind_number(row, 3, start);
    statement_bind_number(row, 4, casefile_id(casefile->adding, casefile->number));
    casefile_bind_number(row, 5, rank);
    return statement_run(row, err);
}

/* ---- twins ---- */

/* Whether nearly all of these bytes are also in the other pieces. */
static bool is_covered(const struct ranges *pieces, const struct ranges *by)
{
    uint64_t common = 0, total = 0;

    for (size_t i = 0; i < pieces->count; i++) {
        common += ranges_overlap(by, pieces->list[i].start, pieces->list[i].len);
        total += pieces->list[i].len;
    }
    return common >= total - total / 100 * (100 - TWIN_PERCENT);
}

struct candidate {
    int64_t object;
    uint64_t rank;
};

/* Loads the pieces of a candidate.  Returns 1, 0 if it is malformed or missing, -1 on error. */
static int load_candidate(struct casefile *casefile, const struct candidate *candidate, uint32_t set,
                          struct error *err)
{
    struct case_place *place = casefile->place;
    struct statement *row =
        prepared(casefile, &place->load,
                 "SELECT f.ranges, g.runs, o.size FROM finding f JOIN origin g ON g.id = f.object"
                 " JOIN object o ON o.id = f.object WHERE f.class = ?1 AND f.object = ?2 AND f.rank = ?3",
                 err);
    struct case_object object = {0};
    const void *ranges, *runs;
    size_t ranges_len, runs_len;
    int result;

    if (!row)
        return -1;
    casefile_bind_number(row, 1, casefile_class(casefile, set));
    statement_bind_number(row, 2, candidate->object);
    casefile_bind_number(row, 3, candidate->rank);
    result = statement_step(row, err);
    if (result > 0 && statement_bytes(row, 0, &ranges, &ranges_len) &&
        statement_bytes(row, 1, &runs, &runs_len) && statement_up_to(row, 2, INT64_MAX, &object.size) &&
        casefile_unpack(ranges, ranges_len, &place->finding) &&
        casefile_unpack_runs(runs, runs_len, object.size, &place->room)) {
        object.runs = place->room.list;
        object.run_count = place->room.count;
        result = find_pieces(&place->other, &object, &place->finding, err) ? -1 : 1;
    } else if (result > 0) {
        result =
            casefile_broken(casefile, err, "malformed finding of object %lld", (long long)candidate->object);
    }
    statement_reset(row);
    return result;
}

/* Finds the piece next to start, in findings of the same reference in the same evidence. */
static int find_candidate(struct casefile *casefile, struct statement *row, const struct finding *finding,
                          uint64_t start, struct candidate *candidate, struct error *err)
{
    int result;

    if (!row)
        return -1;
    casefile_bind_number(row, 1, (uint64_t)finding->set + 1);
    casefile_bind_number(row, 2, finding->file);
    casefile_bind_number(row, 3, start);
    casefile_bind_ids(row, 4, casefile->adding);
    result = statement_step(row, err);
    if (result > 0 && (!statement_number(row, 0, &candidate->object) ||
                       !statement_up_to(row, 1, INT32_MAX, &candidate->rank)))
        result = casefile_broken(casefile, err, "malformed row in table place");
    statement_reset(row);
    return result;
}

static int add_twin(struct casefile *casefile, size_t rank, const struct candidate *of, struct error *err)
{
    struct statement *row =
        prepared(casefile, &casefile->place->add_twin,
                 "INSERT OR IGNORE INTO twin (object, rank, of_object, of_rank) VALUES (?, ?, ?, ?)", err);

    if (!row)
        return -1;
    statement_bind_number(row, 1, casefile_id(casefile->adding, casefile->number));
    casefile_bind_number(row, 2, rank);
    statement_bind_number(row, 3, of->object);
    casefile_bind_number(row, 4, of->rank);
    return statement_run(row, err);
}

/* Returns 1 if the candidate next to start has nearly all bytes of the pieces in place->own. */
static int try_candidate(struct casefile *casefile, struct statement *row, const struct finding *finding,
                         size_t rank, struct error *err)
{
    const struct ranges *own = &casefile->place->own;
    struct candidate candidate;
    int result = find_candidate(casefile, row, finding, own->list[0].start, &candidate, err);

    if (result > 0)
        result = load_candidate(casefile, &candidate, finding->set, err);
    if (result <= 0)
        return result;
    if (!is_covered(own, &casefile->place->other))
        return 0;
    return add_twin(casefile, rank, &candidate, err) ? -1 : 1;
}

static int find_twin(struct casefile *casefile, const struct finding *finding, size_t rank, struct error *err)
{
    struct case_place *place = casefile->place;
    int result =
        try_candidate(casefile,
                      prepared(casefile, &place->before,
                               "SELECT object, rank FROM place WHERE refset = ?1 AND file = ?2 AND"
                               " start <= ?3 AND object >= ?4 AND object < ?5 ORDER BY start DESC LIMIT 1",
                               err),
                      finding, rank, err);

    if (result == 0)
        result = try_candidate(casefile,
                               prepared(casefile, &place->after,
                                        "SELECT object, rank FROM place WHERE refset = ?1 AND file = ?2 AND"
                                        " start > ?3 AND object >= ?4 AND object < ?5 ORDER BY start LIMIT 1",
                                        err),
                               finding, rank, err);
    return result < 0 ? -1 : 0;
}

int casefile_add_place(struct casefile *casefile, const struct case_object *object,
                       const struct finding *finding, size_t rank, struct error *err)
{
    struct case_place *place = place_of(casefile, err);

    if (!place || find_pieces(&place->own, object, finding, err))
        return -1;
    if (place->own.count == 0)
        return 0;
    if (casefile_is_nameless(object->kind))
        return find_twin(casefile, finding, rank, err);
    if (object->kind != OBJECT_DELETED && object->kind != OBJECT_ORPHAN)
        return 0;
    for (size_t i = 0; i < place->own.count && i < MOST_PIECES; i++)
        if (add_piece(casefile, finding, rank, place->own.list[i].start, err))
            return -1;
    return 0;
}

int casefile_fold(struct casefile *casefile, uint64_t evidence, uint64_t object, uint32_t rank,
                  uint64_t of_object, uint32_t of_rank, struct error *err)
{
    const struct candidate of = {casefile_id(evidence, of_object), of_rank};

    if (casefile_begin(casefile, err) || casefile_turn_to(casefile, evidence, err))
        return -1;
    casefile->number = object;
    return !place_of(casefile, err) || add_twin(casefile, rank, &of, err) ? casefile_abandon(casefile) : 0;
}
