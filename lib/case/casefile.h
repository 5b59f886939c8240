/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASEFILE_H
#define KITH_CASEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/uuid.h"
#include "compare/finding.h"
#include "evidence/evidence_sink.h"
#include "set/refset.h"

/*
 * A case: an SQLite file (database.h) with what a scan found, from which reports are made again and again.
 *
 * Objects are numbered from 1 in the order in which evidence tells them, which is the same for any number of
 * workers, so what is in the file is always the beginning of the whole: after an interruption the scan goes
 * on behind it, and the case becomes the same.  An object and its findings are committed together.
 *
 * What was done when is in a log, each entry with the SHA-256 of the one before.  The first entry seals what
 * the case is about, and the one at the end of an evidence all that was found in it: whoever has written down
 * the chain of the last entry can tell later that nothing was changed.
 *
 * A case file may be hostile: what is read from it is checked, and a row that cannot be is an error that says
 * so.
 */
struct casefile;

enum { CASE_CHAIN_LEN = DIGEST_SHA256_LEN };

/* ---- what a case is about ---- */

/* What the case itself is. */
struct case_info {
    uint8_t uuid[UUID_LEN];
    int64_t created; /* seconds since 1970 */
    const char *tool, *parameters;
};

/* A reference set, as it was when the case began. */
struct case_set {
    uint8_t uuid[UUID_LEN];
    uint64_t generation;
    enum refset_kind kind;
    char name[REFSET_NAME_LEN + 1];
    const char *path;
    uint64_t files, records;
};

enum case_state {
    CASE_BEGUN,
    CASE_DONE,
    CASE_PARTIAL, /* something could not be read */
    CASE_CHANGED, /* the evidence, while it was read */
    CASE_FAILED,  /* it could not be read; the next scan tries again */
    CASE_STATES,
};

/* "begun" .. */
const char *casefile_state_name(enum case_state state);

struct case_evidence {
    uint64_t number; /* from 1 on, as they were named */
    const char *path;
    enum case_state state;
    const char *stamp;  /* what its files were when it was begun (evidence_stamp); "" if nobody can tell */
    const char *format; /* of the image: "raw" ..; "" for files of the host */
    uint64_t size;
    bool has_image;                       /* format and size are known */
    struct digest_values digests, stored; /* of the image, and those that its container holds */
};

/* ---- writing ---- */

struct case_plan {
    const char *parameters, *tool;
    int64_t now;
    const struct case_set *sets;
    size_t set_count;
    const char *const *evidence;
    size_t evidence_count;
};

/*
 * Makes a case, or goes on with one.  parameters: all that the outcome depends on besides sets and evidence,
 * as text.  A case with other parameters, sets (by UUID and generation) or evidence is refused with words
 * that say what differs, and so is one that does not verify (casefile_check). tool: "kith 1.0"; now: seconds
 * since 1970.
 */
struct casefile *casefile_open(const char *path, const struct case_plan *plan, struct error *err);
/* One without a name, for a scan that is not kept: it has only objects that have findings, or all_objects. */
struct casefile *casefile_open_temporary(const struct case_plan *plan, bool all_objects, struct error *err);
/* For reports; nothing is changed. */
struct casefile *casefile_open_report(const char *path, struct error *err);
/* Commits what was added.  -1 if it may not be safe on the disk. */
int casefile_close(struct casefile *casefile, struct error *err);

/* Valid until the case is closed. */
const struct case_info *casefile_info(const struct casefile *casefile);

/*
 * When a write failed, nothing more is written: what was committed before is the beginning of the whole, and
 * can be gone on with when the case is opened again.
 */

/* An entry of the log.  It and all that was added before are safe on the disk, as with what sets something
 * below. */
int casefile_log(struct casefile *casefile, int64_t now, const char *text, struct error *err);
/*
 * What is known of an evidence; 1, or 0 if there is none of that number (to all other functions that is an
 * error). Valid until the next call.
 */
int casefile_evidence(struct casefile *casefile, uint64_t number, struct case_evidence *evidence,
                      struct error *err);
int casefile_set_stamp(struct casefile *casefile, uint64_t evidence, const char *stamp, struct error *err);
int casefile_set_image(struct casefile *casefile, uint64_t evidence, const struct evidence_image *image,
                       struct error *err);
int casefile_set_digests(struct casefile *casefile, uint64_t evidence, const struct digest_values *digests,
                         const struct digest_values *stored, struct error *err);
/*
 * With an entry of the log, in one transaction.  That of a state other than begun and failed seals: it holds
 * a digest of all that the case has of the evidence, to which nothing can be added from then on.
 */
int casefile_set_state(struct casefile *casefile, uint64_t evidence, enum case_state state, int64_t now,
                       const char *text, struct error *err);

/*
 * How far an evidence came: so many objects are there, and the content of items before first_item need not be
 * read again.
 */
int casefile_progress(struct casefile *casefile, uint64_t evidence, uint64_t *objects, uint64_t *first_item,
                      struct error *err);

/* An object of the case. */
struct case_object {
    uint64_t evidence;
    uint64_t item;       /* of the reading (object.h) */
    const char *volume;  /* label */
    const char *address; /* of the chunk, if it is one */
    bool chunk;          /* a part of an object, which the case takes for an object of its own */
    enum object_kind kind;
    const char *paths; /* each ended by a zero byte */
    size_t path_count;
    uint64_t size;
    struct digest_values digests; /* no kinds: it was not read */
    enum verdict verdict;
    bool partial;       /* not all of it was read, or not as it stayed: what was found is of the rest */
    const char *reason; /* why it is unreadable, or partly; "" */
};

/* What is told of a reference besides the finding. */
struct case_reference {
    struct digest_values digests;
    const char *name; /* raw bytes */
    size_t name_len;
};

/*
 * Adds the next object of an evidence; references has one for each finding, which are best first.  Objects
 * are committed in batches: with the thousandth, with the first that comes a second after the last commit
 * (now_ms: of any clock that does not go back), or with casefile_wait, which whoever waits for the next
 * object calls.  Of the paths those beyond 32 MiB are left out.
 */
int casefile_add(struct casefile *casefile, const struct case_object *object, const struct findings *findings,
                 const struct case_reference *references, int64_t now_ms, struct error *err);
int casefile_commit(struct casefile *casefile, struct error *err);
int casefile_wait(struct casefile *casefile, int64_t now_ms, struct error *err);
/*
 * What the case has already is passed over: whether what is behind *number is this object (by its address,
 * size and first path), whole or in chunks, whose addresses are the object's, "+" and where they begin.  1,
 * and *number is that of its last row; 0 if it is another one.  The chunks of the very last object may not
 * all be there: it is of first_item or a later item, so its content is read again, and those that are missing
 * can be added.
 */
int casefile_skip(struct casefile *casefile, uint64_t evidence, uint64_t *number,
                  const struct case_object *object, struct error *err);

/* Something that could not be read, or a note; the same text is kept once for each evidence.  Committed as
 * objects are. */
int casefile_problem(struct casefile *casefile, uint64_t evidence, const char *text, struct error *err);

/* Bytes of the image that could not be read.  Committed as objects are. */
int casefile_add_bad(struct casefile *casefile, uint64_t evidence, uint64_t start, uint64_t len,
                     struct error *err);
/* A part of the image's account, once all of it was read; committed with the state that ends it. */
int casefile_add_account(struct casefile *casefile, uint64_t evidence, const char *volume,
                         const struct account_table *table, struct error *err);

/* Forgets the parts of one that was not sealed. */
int casefile_drop_account(struct casefile *casefile, uint64_t evidence, struct error *err);

/* ---- reading ---- */

/* A row of a report: a finding, or an object without one. */
struct case_row {
    const struct case_evidence *evidence;
    struct case_object object;
    bool has_finding;
    struct finding finding;
    const struct case_set *set;
    struct case_reference reference;
};

struct case_filter {
    bool known;             /* findings in sets of kind known, too */
    bool objects;           /* objects without a finding, too */
    bool significant_first; /* sort the findings of each kind of set by verdict, then by E */
};

struct case_reader;

/*
 * Findings in notable sets first, then neutral, then known ones, then objects without any; within each by
 * evidence and object, best first, unless the filter has them sorted.
 */
struct case_reader *casefile_reader_new(struct casefile *casefile, const struct case_filter *filter,
                                        struct error *err);
void casefile_reader_free(struct case_reader *reader);
/* 1; 0 at the end; -1.  The row is valid until the next call. */
int casefile_reader_next(struct case_reader *reader, struct case_row *row, struct error *err);

/* The sets, and the problems of an evidence in the order in which they were told. */
size_t casefile_sets(const struct casefile *casefile, const struct case_set **sets);
int casefile_problems(struct casefile *casefile, uint64_t evidence, void (*tell)(void *arg, const char *text),
                      void *arg, struct error *err);

/* The bytes of the image that could not be read are added to out, as ranges_insert does it. */
int casefile_bad(struct casefile *casefile, uint64_t evidence, struct ranges *out, struct error *err);
/* The account of the image, a row of it in each table; tell: not 0 without memory. */
int casefile_account(struct casefile *casefile, uint64_t evidence,
                     int (*tell)(void *arg, const char *volume, const struct account_table *table), void *arg,
                     struct error *err);

struct case_counts {
    uint64_t objects, bytes; /* in the case */
    uint64_t
        findings[VERDICTS]; /* by the best finding in a set that is not known, or why there is no finding */
    uint64_t known;         /* objects that only known sets have */
};
/* All that were added, also those that a temporary case does not keep. */
int casefile_count(struct casefile *casefile, uint64_t evidence, struct case_counts *counts,
                   struct error *err);

/* Adds to findings[verdict] the number of findings of that verdict in sets that are not of kind known.  One
 * object may have several. */
int casefile_count_findings(struct casefile *casefile, uint64_t evidence, uint64_t findings[VERDICTS],
                            struct error *err);

/*
 * Whether the log's chain holds, and all that it sealed is as it was: each fault is reported; returns their
 * number, or -1 if the file cannot be read.  It reads all rows that are sealed.
 */
int casefile_check(struct casefile *casefile, void (*fault)(void *arg, const char *text), void *arg,
                   struct error *err);

/*
 * Checks the file, each row and the log's chain: each fault is reported; returns their number, or -1 if the
 * file cannot be read at all.
 */
int casefile_verify(const char *path, void (*fault)(void *arg, const char *text), void *arg,
                    struct error *err);

struct case_entry {
    int64_t time;
    const char *text;
    const uint8_t *chain; /* the SHA-256 of this entry and the chain of the one before */
};

/* The log in order; the chain is checked: -1 where it breaks, and that entry is not told. */
int casefile_read_log(struct casefile *casefile, void (*tell)(void *arg, const struct case_entry *entry),
                      void *arg, struct error *err);

#endif
