/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASEFILE_INNER_H
#define KITH_CASEFILE_INNER_H

#include "base/buffer.h"
#include "case/casefile.h"
#include "database/statement.h"

/* Shared by the files of the module, each of which uses only those after it: casefile.c creates and
 * opens cases; casefile_plan.c compares and extends them; casefile_verify.c checks a whole case;
 * casefile_reader.c reads, casefile_counts.c counts, casefile_writer.c and casefile_account.c add,
 * casefile_place.c where things lie; casefile_context.c has the context, casefile_log.c the log,
 * casefile_batch.c the transactions, casefile_evidence.c the rows of evidence, casefile_values.c the values
 * of rows, casefile_packed.c the lists in them. */

enum {
    /* The lower bits of the id of an object or a problem are its number, from 1; the upper bits are the
     * number of its evidence item.  So all rows of an evidence item lie together and in order, whatever was
     * scanned in between. */
    CASE_NUMBER_BITS = 40,
    CASE_MOST_EVIDENCE = (1 << 23) - 1,
    CASE_MOST_SETS = 4096,
};

/* The order in which findings are stored and reported: by the kind of their set. */
enum case_class { CASE_NOTABLE, CASE_NEUTRAL, CASE_KNOWN, CASE_CLASSES };

/* The row of an evidence item. */
struct case_evidence_row {
    struct case_evidence evidence;
    struct case_counts counts;
    struct buffer texts;
};

struct casefile {
    struct database *database;
    bool writes, all_objects, temporary;
    bool failed; /* a write has failed */
    struct case_info info;
    char *info_text;
    struct case_set *sets;
    size_t set_count;
    struct case_evidence_row latest;

    uint64_t number; /* of the object that is being added */
    uint64_t adding; /* the evidence item whose counts these are; 0: none */
    struct case_counts counts;
    bool in_batch;
    unsigned batch; /* number of rows in it */
    bool timed;     /* committed_ms is set */
    bool rates;     /* SQL knows the function `rated` */
    int64_t committed_ms;
    struct statement *add_object, *add_finding, *add_score, *same;
    struct case_place *place; /* NULL until it is needed */
    struct buffer ranges;
    char *context[CASE_CONTEXT_KEYS]; /* NULL: not set */
};

/* A list of runs that is used again and again. */
struct case_runs {
    struct object_run *list;
    size_t count, room;
};

extern const struct database_format casefile_format;

/* Whether twins of findings in objects of this kind are looked for: blocks without a name. */
static inline bool casefile_is_nameless(enum object_kind kind)
{
    return kind == OBJECT_SLACK || kind == OBJECT_UNALLOCATED || kind == OBJECT_UNCLAIMED ||
           kind == OBJECT_GAP;
}

/* Returns the id of object or finding `number` of an evidence item. */
static inline int64_t casefile_id(uint64_t evidence, uint64_t number)
{
    return (int64_t)(evidence << CASE_NUMBER_BITS | number);
}

/* ---- casefile_evidence.c ---- */

/* Returns 1, 0 if there is none with that number, -1 on error. */
int casefile_load_evidence(struct casefile *casefile, uint64_t number, struct case_evidence_row *row,
                           struct error *err);

/* ---- casefile_plan.c ---- */

/* Returns -1 if the plan has too many sets or evidence. */
int casefile_check_plan(const struct case_plan *plan, struct error *err);
/* Writes the rows that say what a new case is about. */
int casefile_put_plan(struct casefile *casefile, const struct case_plan *plan, struct error *err);
/* Compares the plan with the case, extends the case by what is new, and fills in the plan's numbers.  Returns
 * 1 if there are more sets, which must be loaded again; 0; or -1 if the plan contradicts the case. */
int casefile_follow(struct casefile *casefile, const struct case_plan *plan, struct error *err);

/* ---- casefile_values.c ---- */

/* Reports that the case is damaged, and how; the message begins with its path.  Returns -1. */
int casefile_broken(const struct casefile *casefile, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the class of the set with that index. */
enum case_class casefile_class(const struct casefile *casefile, uint32_t set);
/* Adds the object's size if the object was examined. */
void casefile_count_bytes(struct case_counts *counts, const struct case_object *object);

/* Reads a string; returns false if it is invalid.  It belongs to the statement and has no zero byte except at
 * its end. */
bool casefile_get_string(struct statement *row, int column, const char **out);
/* Reads the name of a verdict; returns false if it is none. */
bool casefile_get_verdict(struct statement *row, int column, enum verdict *verdict);

/* Bind a value.  Numbers above SQLite's largest are bound as that; a NULL string is bound as an empty one.
 * row may be NULL, if it could not be prepared; casefile_run then fails. */
void casefile_bind_number(struct statement *row, int parameter, uint64_t number);
/* Binds two parameters: the ids of an evidence item are those from the first to below the second. */
void casefile_bind_ids(struct statement *row, int parameter, uint64_t evidence);
void casefile_bind_string(struct statement *row, int parameter, const char *text);
void casefile_bind_digests(struct statement *row, int parameter, const struct digest_values *digests);

/* Returns the proof with that name, or -1. */
int casefile_proof_find(const char *name);
/* Whether this is a valid finding for an object of that size. */
bool casefile_is_sound(const struct casefile *casefile, const struct finding *finding, uint64_t size);

/* Whether an evidence item in that state is complete, sealed by the log, and final. */
static inline bool casefile_is_sealed(enum case_state state)
{
    return state != CASE_BEGUN && state != CASE_FAILED;
}

/* ---- casefile_packed.c ---- */

/* Convert ranges to bytes and back; casefile_unpack returns false if the bytes are malformed. */
void casefile_pack(struct buffer *out, const struct finding *finding);
bool casefile_unpack(const void *data, size_t len, struct finding *finding);
/* The same for the runs of an object of this size.  Packing returns how many of them were packed. */
size_t casefile_pack_runs(struct buffer *out, const struct case_object *object);
bool casefile_unpack_runs(const void *data, size_t len, uint64_t size, struct case_runs *out);

/* ---- casefile_batch.c ---- */

/* Begins a transaction, if there is none; casefile_commit ends it. */
int casefile_begin(struct casefile *casefile, struct error *err);
/* After a failed write: rolls back what was not committed and prevents further writes.  Returns -1. */
int casefile_abandon(struct casefile *casefile);
/* Runs a statement in the transaction, and frees it.  Returns -1 on error, also for NULL, a statement that
 * could not be prepared. */
int casefile_run(struct casefile *casefile, struct statement *row, struct error *err);
/* Returns -1 unless the evidence item exists and, when writing, is not sealed. */
int casefile_require_evidence(struct casefile *casefile, uint64_t evidence, struct error *err);
/* Makes this the evidence item whose objects are being counted. */
int casefile_turn_to(struct casefile *casefile, uint64_t evidence, struct error *err);

/* ---- casefile_place.c ---- */

/* Adds where the object that is being added lies; and, of its finding of that rank (from 0), whose twin it
 * is. */
int casefile_add_origin(struct casefile *casefile, const struct case_object *object, struct error *err);
int casefile_add_place(struct casefile *casefile, const struct case_object *object,
                       const struct finding *finding, size_t rank, struct error *err);
void casefile_release_place(struct casefile *casefile);

/* ---- casefile_context.c ---- */

/* Loads the context when the case is opened; -1 on error. */
int casefile_load_context(struct casefile *casefile, struct error *err);

/* ---- casefile_reader.c ---- */

/* The columns of an object, from the tables `o` and `g`. */
#define CASEFILE_OBJECT                                                                                      \
    "o.id, o.evidence, o.item, o.volume, o.address, o.chunk, o.kind, o.size, o.path_count, o.paths, o.sha1," \
    " o.md5, o.sha256, o.verdict, o.reason, o.findings, o.partial, g.id, g.flags, g.mtime, g.mtime_ns,"      \
    " g.atime, g.atime_ns, g.ctime, g.ctime_ns, g.crtime, g.crtime_ns, g.runs, g.cut"
#define CASEFILE_ORIGIN " LEFT JOIN origin g ON g.id = o.id"
enum { CASEFILE_OBJECT_COLUMNS = 29 };

/* Reads an object's columns.  Strings and bytes belong to the statement and are valid until its next step,
 * and so are the runs; id, findings: as in the row. */
bool casefile_get_object(struct statement *row, struct case_runs *runs, struct case_object *object,
                         uint64_t *id, uint64_t *findings);

/* ---- casefile_log.c ---- */

/* Adds an entry to the log with a digest of everything the case has of an evidence item or, for number 0, of
 * what the case is about. */
int casefile_seal(struct casefile *casefile, uint64_t evidence, int64_t now, const char *text,
                  struct error *err);

#endif
