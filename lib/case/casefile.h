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
 * A case: an SQLite file (database.h) with what a scan found, from which reports can be made at any time.
 *
 * Objects are numbered from 1 in the order in which the evidence yields them, which does not depend on the
 * number of workers.  So the file always holds the beginning of the complete result: after an interruption
 * the scan resumes after the last object, and the finished case is the same.  An object and its findings are
 * committed together.
 *
 * A log records what was done when; each entry is chained to the one before by SHA-256.  The first entry
 * seals what the case is about, and the one at the end of each evidence item seals everything found in it:
 * anyone who has noted the chain of the last entry can verify later that nothing was changed.
 *
 * A case file may be hostile: everything read from it is checked, and a malformed row is reported as an
 * error.
 */
struct casefile;

enum { CASE_CHAIN_LEN = DIGEST_SHA256_LEN };

/* ---- what a case is about ---- */

/* The case itself. */
struct case_info {
    uint8_t uuid[UUID_LEN];
    int64_t created; /* seconds since 1970 */
    const char *tool, *parameters;
};

/* A reference set, as it was when the case was created. */
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
    CASE_CHANGED, /* the evidence changed while it was read */
    CASE_FAILED,  /* it could not be read; the next scan tries again */
    CASE_STATES,
};

/* Returns "begun", "done", ... */
const char *casefile_state_name(enum case_state state);

/*
 * A piece of evidence, as it is read for some of the sets.  If sets are added to the case later, the same
 * evidence is read again for these alone, as an evidence item of its own, which has neither digests nor an
 * account of the image.
 */
struct case_evidence {
    uint64_t number; /* from 1, in the order given */
    uint64_t again;  /* the number of the first reading of the same evidence; 0: this is the first */
    size_t first_set, set_count; /* those it is read for, by index among the sets of the case */
    const char *parameters;      /* as case_info has them, of this reading */
    const char *path;
    enum case_state state;
    const char *stamp;  /* the state of its files when its scan began (evidence_stamp); "" if unknown */
    const char *format; /* of the image: "raw" ..; "" for files of the host */
    uint64_t size;
    bool has_image;                       /* format and size are known */
    struct digest_values digests, stored; /* of the image as computed, and as stored in its container */
};

/* What the case belongs to, as examiners note it; each is "" if not set. */
struct case_context {
    const char *number, *examiner, *organisation, *notes;
};

enum case_context_key {
    CASE_NUMBER,
    CASE_EXAMINER,
    CASE_ORGANISATION,
    CASE_NOTES,
    CASE_CONTEXT_KEYS,
};

enum { CASE_CONTEXT_LEN = 65536 }; /* bytes of a value, at most */

/* Fills in the context, valid until it is set or the case is closed. */
void casefile_context(const struct casefile *casefile, struct case_context *context);

/* Returns the number of the first reading of the same evidence, which may be this one. */
static inline uint64_t casefile_first_reading(const struct case_evidence *evidence)
{
    return evidence->again ? evidence->again : evidence->number;
}

/* ---- writing ---- */

struct case_plan {
    const char *parameters, *tool;
    int64_t now;
    const struct case_set *sets;
    size_t set_count;
    const char *const *evidence;
    size_t evidence_count;
    /* Called before a piece of evidence is added to a case that is there, with its first reading if it is
     * read again (NULL: it is new): returns -1 if it must not be.  May be NULL. */
    int (*check)(const char *path, const struct case_evidence *first, void *arg, struct error *err);
    void *check_arg;
    uint64_t *numbers; /* filled with the number of each evidence item in the case; or NULL */
};

/*
 * Creates a case, or opens one to resume or extend it.  parameters: everything besides sets and evidence that
 * affects the result, as text, beginning with "C=", the density of samples (and what else the sets
 * determine), and a blank.
 *
 * Evidence that the case does not have is added to it.  The sets must be those for which other evidence of
 * the case was read, or all be new: then they are added, too, and the evidence is to be read again for them.
 * A case with other parameters (but for the density, if the sets are new), or with sets that have changed
 * since, is refused with an error that says what differs, and so is one that fails casefile_check.  tool:
 * "kith 1.0"; now: seconds since 1970.
 */
struct casefile *casefile_open(const char *path, const struct case_plan *plan, struct error *err);
/* Creates a case without a name, for a scan that is not kept.  It holds only objects with findings, and
 * members that could not be unpacked, unless all_objects. */
struct casefile *casefile_open_temporary(const struct case_plan *plan, bool all_objects, struct error *err);
/* Opens a case to change what the functions below set.  Refuses one that fails casefile_check. */
struct casefile *casefile_open_change(const char *path, struct error *err);
/* Opens a case read-only, for reports. */
struct casefile *casefile_open_report(const char *path, struct error *err);
/* Commits what was added and closes the case.  Returns -1 if the data may not have reached the disk. */
int casefile_close(struct casefile *casefile, struct error *err);

/* Whether the case has a name and is kept, so that its log seals it. */
bool casefile_is_kept(const struct casefile *casefile);
/* Describes the case; valid until it is closed. */
const struct case_info *casefile_info(const struct casefile *casefile);

/*
 * After a failed write nothing more is written: the case holds what was committed before, and can be resumed
 * when it is opened again.
 */

/* Adds an entry to the log.  When this returns, the entry and everything added before are on the disk; this
 * also holds for the functions below that set something. */
int casefile_log(struct casefile *casefile, int64_t now, const char *text, struct error *err);
/* Whether the value can be a part of the context: UTF-8 of at most CASE_CONTEXT_LEN bytes, without control
 * characters other than newlines and tabs.  Returns -1 if not. */
int casefile_check_context(enum case_context_key key, const char *value, struct error *err);
/* Sets a part of the context to such a value, with an entry in the log that seals it; does nothing if it has
 * that value. */
int casefile_set_context(struct casefile *casefile, enum case_context_key key, const char *value, int64_t now,
                         struct error *err);
/*
 * Fills in what is known of an evidence item, valid until the next call.  Returns 1, 0 if there is none with
 * that number (to all other functions that is an error), or -1.
 */
int casefile_evidence(struct casefile *casefile, uint64_t number, struct case_evidence *evidence,
                      struct error *err);
int casefile_set_stamp(struct casefile *casefile, uint64_t evidence, const char *stamp, struct error *err);
int casefile_set_image(struct casefile *casefile, uint64_t evidence, const struct evidence_image *image,
                       struct error *err);
int casefile_set_digests(struct casefile *casefile, uint64_t evidence, const struct digest_values *digests,
                         const struct digest_values *stored, struct error *err);
/*
 * Sets the state, with an entry in the log, in one transaction.  For states other than begun and failed the
 * entry is a seal: it holds a digest of everything the case has of the evidence, to which nothing can be
 * added from then on.
 */
int casefile_set_state(struct casefile *casefile, uint64_t evidence, enum case_state state, int64_t now,
                       const char *text, struct error *err);

/*
 * Fills in how far the scan of an evidence item came: the number of its objects, and the first reading item
 * whose content must be read again.
 */
int casefile_progress(struct casefile *casefile, uint64_t evidence, uint64_t *objects, uint64_t *first_item,
                      struct error *err);

/* An object of the case. */
struct case_object {
    uint64_t evidence;
    uint64_t item;       /* item of the reading (object.h) */
    const char *volume;  /* label of the volume */
    const char *address; /* address of the object, or of the chunk if it is one */
    bool chunk;          /* a part of an object, which the case treats as an object */
    enum object_kind kind;
    const char *paths; /* each terminated by a zero byte */
    size_t path_count;
    uint64_t size;
    struct digest_values digests; /* no kinds: the object was not read */
    enum verdict verdict;
    bool partial;       /* it was not read in full, or changed meanwhile; findings apply to what was read */
    const char *reason; /* why it is unreadable, or partial; "" */
    unsigned flags;     /* OBJECT_ALLOCATED, ... (object.h) */
    struct object_stamp times[OBJECT_TIMES];
    const struct object_run *runs; /* where its content lies on the image, by offset; none of a host's file */
    size_t run_count;
    bool runs_cut; /* it has more runs: only the first CASE_MOST_RUNS are kept */
};

enum { CASE_MOST_RUNS = 4096 };

/* Maps an offset in the object to the image.  Sets *image, and *len to the number of bytes that lie there in
 * one piece.  Returns false if no run covers the offset. */
bool casefile_on_image(const struct case_object *object, uint64_t offset, uint64_t *image, uint64_t *len);
/* Calls take for each piece of the bytes [start, end) that is stored in one run, in the order of the object;
 * what no run covers is left out. */
void casefile_pieces(const struct case_object *object, uint64_t start, uint64_t end,
                     void (*take)(void *arg, const struct object_run *piece), void *arg);

/* The details of a reference that a report shows besides the finding. */
struct case_reference {
    struct digest_values digests;
    const char *name; /* raw bytes */
    size_t name_len;
};

/*
 * Adds the next object of an evidence item; references has one entry for each finding, and findings come best
 * first.  A batch is committed after 1000 objects, or with the first object that arrives a second or more
 * after the last commit (now_ms: of any monotonic clock).  Call casefile_wait while waiting for the next
 * object, so that the batch is committed then, too.  Paths beyond 32 MiB are left out.
 */
int casefile_add(struct casefile *casefile, const struct case_object *object, const struct findings *findings,
                 const struct case_reference *references, int64_t now_ms, struct error *err);
/*
 * Adds a finding to an object of that number that was added before, as the finding of that rank (from 0): all
 * before it are there.  The object is as it was added.  Does nothing if the object has the finding already.
 */
int casefile_extend(struct casefile *casefile, const struct case_object *object, uint64_t number,
                    uint32_t rank, const struct finding *finding, const struct case_reference *reference,
                    struct error *err);
/* Makes a finding a part of another one, under which reports list it as they list twins; a finding that is
 * a part of one already remains that.  Both are given by the number of the object and the rank, from 0. */
int casefile_fold(struct casefile *casefile, uint64_t evidence, uint64_t object, uint32_t rank,
                  uint64_t of_object, uint32_t of_rank, struct error *err);
int casefile_commit(struct casefile *casefile, struct error *err);
int casefile_wait(struct casefile *casefile, int64_t now_ms, struct error *err);
/*
 * Skips an object that the case already has.  Compares the rows after *number with the object, by address,
 * size and first path; the object may be there as a whole or in chunks, whose addresses are the object's, "+"
 * and their offsets.  Returns the number of its rows and sets *number to that of the last; 0 if the row is
 * another object; -1 on error.  Rows of members that come before an object of another kind are passed over:
 * members of items before first_item do not come again.  Of the very last object some chunks may be missing:
 * it belongs to first_item or a later item, so its content is read again and the missing chunks can be added.
 */
int casefile_skip(struct casefile *casefile, uint64_t evidence, uint64_t *number,
                  const struct case_object *object, struct error *err);

/* Adds a problem, something that could not be read, or a note; equal texts are kept once per evidence item.
 * Committed together with objects. */
int casefile_problem(struct casefile *casefile, uint64_t evidence, const char *text, struct error *err);

/* Adds a range of the image that could not be read.  Committed together with objects. */
int casefile_add_bad(struct casefile *casefile, uint64_t evidence, uint64_t start, uint64_t len,
                     struct error *err);
/* Adds a part of the image's account after all of it was read; committed together with the state that ends
 * the evidence item. */
int casefile_add_account(struct casefile *casefile, uint64_t evidence, const char *volume,
                         const struct account_table *table, struct error *err);

/* Removes the account of an evidence item that is not sealed. */
int casefile_drop_account(struct casefile *casefile, uint64_t evidence, struct error *err);

/* ---- reading ---- */

/* Which finding: the numbers of the evidence, of the object in it, and of the finding of the object, each
 * from
 * 1.  As text "1.204.1". */
struct case_finding_id {
    uint64_t evidence, object;
    uint32_t rank;
};

/* Appends the number of a finding. */
void casefile_put_id(struct buffer *out, const struct case_finding_id *id);
/* Returns false unless the text is such a number. */
bool casefile_parse_id(const char *text, struct case_finding_id *id);

/*
 * The same bytes of the image under a second address: a deleted file's blocks are also unallocated.  If both
 * are findings of the same reference, the one in blocks without a name is a twin of the file's.  Findings in
 * the members of a container that a finding of the whole container explains are listed like twins.
 */
struct case_twin {
    struct case_finding_id id;
    const char *address;
    const char
        *name; /* for people: the address, or the path of what lies in a folder, where addresses are "-" */
    enum object_kind kind;
};

/* A row of a report: a finding, or an object without one. */
struct case_row {
    struct case_finding_id id; /* rank 0: an object without a finding */
    const struct case_evidence *evidence;
    struct case_object object;
    bool has_finding;
    struct finding finding;
    const struct case_set *set;
    struct case_reference reference;
    const struct case_twin *twins;
    size_t twin_count;
};

/* The order of the findings in sets of one kind. */
enum case_order {
    CASE_BY_PLACE,        /* by evidence and object, best first */
    CASE_BY_SIGNIFICANCE, /* by score */
    CASE_BY_REFERENCE,    /* by set and reference, then by score */
};

struct case_filter {
    bool known;   /* include findings in sets of kind known */
    bool objects; /* include objects without a finding */
    bool twins;   /* a row for each twin; otherwise it is an address of the finding that it repeats */
    enum case_order order;
    const struct case_finding_id
        *ids; /* if not NULL: only these findings, whatever their set, in this order */
    size_t id_count;
    bool (*wants)(void *arg, const struct case_row *row); /* NULL: all rows; without the row's twins */
    void *arg;
};

struct case_reader;

/*
 * Reads the rows of a report: findings in notable sets first, then in neutral, then in known ones, then
 * objects without findings; within each in the order of the filter.  Returns NULL on error.
 */
struct case_reader *casefile_reader_new(struct casefile *casefile, const struct case_filter *filter,
                                        struct error *err);
void casefile_reader_free(struct case_reader *reader);
/* Returns 1, 0 at the end, -1 on error.  The row is valid until the next call. */
int casefile_reader_next(struct case_reader *reader, struct case_row *row, struct error *err);

/* casefile_sets returns the sets and their number; casefile_problems passes on the problems of an evidence
 * item in the order in which they were added. */
size_t casefile_sets(const struct casefile *casefile, const struct case_set **sets);
int casefile_problems(struct casefile *casefile, uint64_t evidence, void (*each)(void *arg, const char *text),
                      void *arg, struct error *err);
/* Passes on the members of containers that were not unpacked, or not to their ends: the first path of each,
 * and why.  Returns -1 on error. */
int casefile_unopened(struct casefile *casefile, uint64_t evidence,
                      void (*each)(void *arg, const char *path, const char *reason), void *arg,
                      struct error *err);

/* Adds the ranges of the image that could not be read to out, as ranges_insert does. */
int casefile_bad(struct casefile *casefile, uint64_t evidence, struct ranges *out, struct error *err);
/* Reads the account of the image.  Each call of `each` gets a table with one row; it returns nonzero if out
 * of memory. */
int casefile_account(struct casefile *casefile, uint64_t evidence,
                     int (*each)(void *arg, const char *volume, const struct account_table *table), void *arg,
                     struct error *err);

/* Counts the members of containers in items before this one, and the bytes of those that could be read. */
int casefile_members(struct casefile *casefile, uint64_t evidence, uint64_t item, uint64_t *count,
                     uint64_t *bytes, struct error *err);

struct case_counts {
    uint64_t objects;            /* all */
    uint64_t bytes;              /* of those that were examined: neither unreadable nor skipped */
    uint64_t findings[VERDICTS]; /* by the best finding in a set not of kind known, or by the reason why there
                                    is none */
    uint64_t known;              /* objects found only in known sets */
};
/* Counts everything that was added, even objects that a temporary case does not keep. */
int casefile_count(struct casefile *casefile, uint64_t evidence, struct case_counts *counts,
                   struct error *err);

/* Adds to findings[verdict] the number of findings with that verdict in sets not of kind known, without
 * twins. An object may have several. */
int casefile_count_findings(struct casefile *casefile, uint64_t evidence, uint64_t findings[VERDICTS],
                            struct error *err);
/* Counts the objects whose findings in sets not of kind known are all twins. */
int casefile_count_repeated(struct casefile *casefile, uint64_t evidence, uint64_t *objects,
                            struct error *err);

/*
 * Checks that the log's chain holds and that everything it seals is unchanged.  Reports each fault; returns
 * their number, or -1 if the file cannot be read.  Reads all sealed rows.
 */
int casefile_check(struct casefile *casefile, void (*fault)(void *arg, const char *text), void *arg,
                   struct error *err);

/*
 * Checks the file, each row and the log's chain.  Reports each fault; returns their number, or -1 if the file
 * cannot be read at all.
 */
int casefile_verify(const char *path, void (*fault)(void *arg, const char *text), void *arg,
                    struct error *err);

struct case_entry {
    int64_t time;
    const char *text;
    const uint8_t *chain; /* SHA-256 of this entry and the chain of the one before */
};

/* Reads the chain of the last entry: the seal of the whole case. */
int casefile_chain(struct casefile *casefile, uint8_t chain[CASE_CHAIN_LEN], struct error *err);

/* Reads the log in order and checks its chain.  Returns -1 where the chain breaks, without passing on that
 * entry. */
int casefile_read_log(struct casefile *casefile, void (*each)(void *arg, const struct case_entry *entry),
                      void *arg, struct error *err);

#endif
