/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASEFILE_INNER_H
#define KITH_CASEFILE_INNER_H

#include "base/buffer.h"
#include "case/casefile.h"
#include "database/statement.h"

/* What the files of the module share, each above the next: casefile.c makes, opens and compares cases, and
 * casefile_verify.c checks the whole; casefile_reader.c reads, casefile_writer.c and casefile_account.c add;
 * casefile_log.c has the log, casefile_batch.c the transactions, casefile_evidence.c the rows of evidence,
 * and casefile_values.c the values of rows. */

enum {
    /* Of the id of an object or a problem the lower bits are its number, from 1 on, and those above the
     * number of its evidence: so all of an evidence lie together and in order, whatever was scanned in
     * between. */
    CASE_NUMBER_BITS = 40,
    CASE_MOST_EVIDENCE = (1 << 23) - 1,
    CASE_MOST_SETS = 4096,
};

/* Findings are kept in the order of reports: by the kind of their set. */
enum case_class { CASE_NOTABLE, CASE_NEUTRAL, CASE_KNOWN, CASE_CLASSES };

/* An evidence's row. */
struct case_evidence_row {
    struct case_evidence evidence;
    struct case_counts counts;
    struct buffer texts;
};

struct casefile {
    struct database *database;
    bool writes, all_objects, temporary;
    bool failed; /* a write did */
    struct case_info info;
    char *info_text;
    struct case_set *sets;
    size_t set_count;
    struct case_evidence_row told;

    uint64_t adding; /* the evidence whose counts these are; 0: none */
    struct case_counts counts;
    bool in_batch;
    unsigned batch; /* things in it */
    bool timed;     /* the next is known */
    int64_t committed_ms;
    struct statement *add_object, *add_finding, *same;
    struct buffer ranges;
};

extern const struct database_format casefile_format;

static inline int64_t casefile_id(uint64_t evidence, uint64_t number)
{
    return (int64_t)(evidence << CASE_NUMBER_BITS | number);
}

/* ---- casefile_evidence.c ---- */

/* 1, 0 if there is none of that number, -1. */
int casefile_load_evidence(struct casefile *casefile, uint64_t number, struct case_evidence_row *row,
                           struct error *err);

/* ---- casefile_values.c ---- */

/* Messages about a case begin with its name. */
int casefile_broken(const struct casefile *casefile, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Of the set with that index. */
enum case_class casefile_class(const struct casefile *casefile, uint32_t set);

/* False if the value cannot be.  A string lies in the statement and has no zero byte but that at its end. */
bool casefile_get_string(struct statement *row, int column, const char **out);

/* Numbers that are larger than the largest of SQLite's become that; a text that is NULL is an empty string.
 * A row that could not be prepared, NULL, is left to casefile_run. */
void casefile_bind_number(struct statement *row, int parameter, uint64_t number);
/* Two: the ids of an evidence are those from the first to less than the second. */
void casefile_bind_ids(struct statement *row, int parameter, uint64_t evidence);
void casefile_bind_string(struct statement *row, int parameter, const char *text);
void casefile_bind_digests(struct statement *row, int parameter, const struct digest_values *digests);

/* As it is written in the table of findings. */
const char *casefile_proof_name(enum proof proof);
/* Or -1. */
int casefile_proof_find(const char *name);
/* Whether it can be a finding of an object of that size. */
bool casefile_is_sound(const struct casefile *casefile, const struct finding *finding, uint64_t size);
/* Ranges as bytes, and back: false if they are none. */
void casefile_pack(struct buffer *out, const struct finding *finding);
bool casefile_unpack(const void *data, size_t len, struct finding *finding);

/* Whether all of an evidence in that state is there, sealed by the log, and never changes again. */
static inline bool casefile_is_sealed(enum case_state state)
{
    return state != CASE_BEGUN && state != CASE_FAILED;
}

/* ---- casefile_batch.c ---- */

/* Begins a transaction, if there is none; casefile_commit ends it. */
int casefile_begin(struct casefile *casefile, struct error *err);
/* After a failed write: rolls back what was not committed, and nothing more is written.  -1. */
int casefile_abandon(struct casefile *casefile);
/* Runs a statement in the transaction, and frees it; -1 also for one that could not be prepared, NULL. */
int casefile_run(struct casefile *casefile, struct statement *row, struct error *err);
/* -1 unless there is one, and it is not sealed. */
int casefile_require_evidence(struct casefile *casefile, uint64_t evidence, struct error *err);
/* Makes that the evidence whose objects are counted. */
int casefile_turn_to(struct casefile *casefile, uint64_t evidence, struct error *err);

/* ---- casefile_reader.c ---- */

/* The columns of an object, of the table `o`. */
#define CASEFILE_OBJECT                                                                                      \
    "o.id, o.evidence, o.item, o.volume, o.address, o.chunk, o.kind, o.size, o.path_count, o.paths, o.sha1," \
    " o.md5, o.sha256, o.verdict, o.reason, o.findings, o.partial"
enum { CASEFILE_OBJECT_COLUMNS = 17 };

/* What lies in the statement is valid until it is stepped; id, findings: as in the row. */
bool casefile_get_object(struct statement *row, struct case_object *object, uint64_t *id, uint64_t *findings);

/* ---- casefile_log.c ---- */

/* An entry of the log with a digest of all that the case has of an evidence, or, of number 0, of what it is
 * about. */
int casefile_seal(struct casefile *casefile, uint64_t evidence, int64_t now, const char *text,
                  struct error *err);

#endif
