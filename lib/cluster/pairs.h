/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PAIRS_H
#define KITH_PAIRS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/likeness.h"
#include "cluster/overlap.h"

/*
 * Finds pairs of related documents: candidates that share something, each of which a judge confirms.  How
 * candidates are found decides what is missed, never what is reported.
 *
 * Documents are examined by several threads; results come in their order, so they do not depend on the
 * number of threads.
 */
struct pairs_plan {
    size_t documents;
    /* Adds to the overlap the documents in [from, before) that may be related to this one; see
     * postings_overlap. Called by several threads. */
    void (*candidates)(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                       struct overlap *overlap);
    const void *arg;
    struct likeness_judge judge;
    unsigned threads;        /* 1..PAIRS_MOST_THREADS */
    const atomic_bool *stop; /* set by the caller to stop early; may be NULL */
    atomic_ullong *count;    /* incremented for each document examined; may be NULL */
};

enum { PAIRS_MOST_THREADS = 256 };

struct pair {
    uint32_t a, b;            /* b < a */
    struct likeness likeness; /* of a and b, in this order */
};

/*
 * What to look for: for each document in [from, to) related ones in [start, end) that come before it.
 *
 * group: candidates in the document's own group are left out unless `within` is set, and so are those in
 * PAIRS_NO_GROUP; with `once`, also those in a group in which a related document was found already.  It must
 * not change during a call, and is called by several threads.  NULL: each document is its own group.
 *
 * most: candidates that are compared with a document, those with most in common; 0: all.  cut, if not NULL,
 * is incremented for each document that had more.
 */
struct pairs_query {
    uint32_t from, to, start, end;
    bool once, within;
    uint32_t most;
    atomic_ullong *cut;
    uint32_t (*group)(const void *arg, uint32_t document);
    const void *arg;
};

#define PAIRS_NO_GROUP UINT32_MAX

struct pairs;

/* The plan is copied.  Returns NULL on error. */
struct pairs *pairs_new(const struct pairs_plan *plan, struct error *err);
void pairs_free(struct pairs *pairs);

/* Passes on each related pair: documents in ascending order, for each the candidates with most in common
 * first.  found returns -1 to end with an error.  Returns 0, 1 if it was stopped, -1 on error. */
int pairs_find(struct pairs *pairs, const struct pairs_query *query,
               int (*found)(void *arg, const struct pair *pair, struct error *err), void *arg,
               struct error *err);

/* As pairs_find, in the calling thread: for a few documents, and for a group that changes with what was
 * found.  Does not count. */
int pairs_find_here(struct pairs *pairs, const struct pairs_query *query,
                    int (*found)(void *arg, const struct pair *pair, struct error *err), void *arg,
                    struct error *err);

/* Compares each document with others[document] unless they are equal, by several threads.  Likenesses of
 * pairs that do not meet the limits are filled in, too. */
int pairs_measure(struct pairs *pairs, const uint32_t *others, struct likeness *likenesses,
                  struct error *err);

#endif
