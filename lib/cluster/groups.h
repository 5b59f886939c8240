/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GROUPS_H
#define KITH_GROUPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Retrieval of Hamming fingerprints (hamming.h): which documents are within a distance rh of a query?
 * Yuan et al. 2012, sections 3 and 4.
 *
 * The k bits of a fingerprint are divided into m groups, m > rh.  Fingerprints that differ in at most rh bits
 * differ in at most rh groups, so at least c = m - rh groups are equal.
 *
 *     alg.G  has an index for each group, and makes one conjunctive query for each choice of c groups
 *            (equation 11): C(m, c) queries.
 *     alg.H  has one index of all groups, mapped to one dimension by y = (i - 1) C + A_i (equation 12), and
 *            counts how often each document occurs under the m values of the query (equation 13).  C is
 *            2^ceil(k/m); the paper prints "C=2[k/m]", where the exponent was lost.
 *
 * Both yield candidates; the true distance of each decides.  So both find the same documents, exactly those
 * within rh.  The third algorithm measures the distance to every fingerprint, which is faster when groups are
 * so narrow that their lists are long; alg.H turns to it if a query's lists have more than 16 entries for
 * each document.
 *
 * The fingerprints are kept in memory, the indexes in a temporary database (database.h).  An index maps a
 * value to the list of the documents that have it.
 */
enum groups_algorithm {
    GROUPS_G,
    GROUPS_H,
    GROUPS_SCAN, /* no index */
    GROUPS_ALGORITHMS,
};

enum {
    GROUPS_MOST_BITS = 65535,
    GROUPS_MOST_QUERIES = 10000000, /* conjunctive queries of alg.G for one fingerprint */
};

#define GROUPS_REMOVED UINT64_MAX /* no document has this number */

struct groups_params {
    uint32_t k;  /* bits, 1 to GROUPS_MOST_BITS */
    uint32_t m;  /* groups, 1 to k */
    uint32_t rh; /* distance up to which documents are found, less than m */
};

/* What queries have cost. */
struct groups_work {
    uint64_t queries;    /* of alg.G: conjunctive ones */
    uint64_t lookups;    /* of a value in an index */
    uint64_t entries;    /* read from the lists found there */
    uint64_t candidates; /* distances measured */
};

struct groups;
struct database;

/* Returns -1 if the parameters are outside the algorithm's domain: no more groups than bits that may differ
 * (which a scan does not mind), more groups than bits, or, for alg.G, more than GROUPS_MOST_QUERIES. */
int groups_check(const struct groups_params *params, enum groups_algorithm algorithm, struct error *err);
/* The number of groups with which an algorithm should be fastest for this many documents; rh < k. */
uint32_t groups_best(enum groups_algorithm algorithm, uint32_t k, uint32_t rh, double documents);
/* Alg.H or a scan, whichever should be faster for this many documents; a scan if alg.H cannot be used. */
enum groups_algorithm groups_fastest(const struct groups_params *params, double documents);

/* NULL if the parameters are wrong (for alg.H), on lack of memory, and on errors of the database. */
struct groups *groups_new(const struct groups_params *params, struct error *err);
void groups_free(struct groups *groups);

/* The SQL of a table of an index, and the name of that of alg.H. */
#define GROUPS_TABLE(name)                                                                                   \
    "CREATE TABLE " name " (key ANY NOT NULL, last INTEGER NOT NULL, documents BLOB NOT NULL,"               \
    " PRIMARY KEY (key, last)) STRICT, WITHOUT ROWID"
#define GROUPS_MERGED "merged"

/*
 * The same with the index of alg.H in a database that outlives the struct and has that table.  What is
 * written belongs to the caller's transactions; after a write that failed or was rolled back, the struct
 * must be freed.  The fingerprints are not in there: add those that the index has, in the same order, and
 * GROUPS_REMOVED in the place of each that was removed; then call groups_adopt.
 */
struct groups *groups_new_in(const struct groups_params *params, struct database *database,
                             struct error *err);
/* Takes all fingerprints as indexed for alg.H. */
void groups_adopt(struct groups *groups);

/* Returns the parameters, as changed by the functions below, and the number of fingerprints. */
struct groups_params groups_params(const struct groups *groups);
uint32_t groups_count(const struct groups *groups);
/* The fingerprint in this place of the order of adding; NULL if it was removed, or there is none. */
const uint64_t *groups_fingerprint(const struct groups *groups, uint32_t place);
/* Returns what queries have cost since the last call of this function. */
struct groups_work groups_take_work(struct groups *groups);

/*
 * The functions below return -1 on lack of memory and on errors of the database; after the latter, every
 * further call fails.
 */

/* Adds a fingerprint of k bits; -1 also if it has others after them.  `document` is any number, which queries
 * report; GROUPS_REMOVED is never found. */
int groups_add(struct groups *groups, uint64_t document, const uint64_t *bits, struct error *err);
/* Adds to the algorithm's index what was added since the last call.  Queries do it if necessary; many
 * fingerprints at once make a smaller index. */
int groups_index(struct groups *groups, enum groups_algorithm algorithm, struct error *err);
/* Removes a fingerprint from all indexes, given its place in the order of adding; its place remains. */
int groups_remove(struct groups *groups, uint32_t place, struct error *err);

/* Changes rh, at most k.  Only a scan finds anything unless it is less than m. */
int groups_set_threshold(struct groups *groups, uint32_t rh, struct error *err);
/* Adds a group of bits at the end of every fingerprint.  `bits` holds those of one document after the other,
 * in the order in which they were added, hamming_words(width) words for each.  A group cannot be wider than
 * ceil(k/m) was at the beginning, which determined C. */
int groups_extend(struct groups *groups, uint32_t width, const uint64_t *bits, struct error *err);
/* Removes group number 0 to m - 1 and its bits; m - 1 must be greater than rh. */
int groups_drop(struct groups *groups, uint32_t number, struct error *err);

/* What finds and pairs are passed to: returns 0, or -1 with a message to stop.  Must not call functions of
 * this module. */
typedef int groups_found(void *arg, uint64_t document, uint32_t distance, struct error *err);
typedef int groups_pair(void *arg, uint64_t one, uint64_t other, uint32_t distance, struct error *err);

/* Passes on every document within rh of the query, in the order in which they were added.  -1 also if the
 * query has more than k bits. */
int groups_query(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query,
                 groups_found *found, void *arg, struct error *err);

/* How all pairs are found. */
struct groups_run {
    unsigned threads;        /* 1 or more, besides the calling one */
    const atomic_bool *stop; /* set by the caller to stop early; may be NULL */
    atomic_ullong *count;    /* incremented for each document; may be NULL */
};

/* Passes on every pair of documents within rh of each other, each pair once, ordered by the first and then
 * the second document, where the first is the one that was added earlier; in the calling thread.  Returns 0,
 * 1 if it was stopped (its index can then be useless, and the next call may fail), -1 on error. */
int groups_pairs(struct groups *groups, enum groups_algorithm algorithm, const struct groups_run *run,
                 groups_pair *found, void *arg, struct error *err);

#endif
