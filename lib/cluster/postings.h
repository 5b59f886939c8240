/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_POSTINGS_H
#define KITH_POSTINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/overlap.h"

/*
 * An inverted index in memory: which documents share a fingerprint, and which of these fingerprints a
 * document has.
 *
 * Fingerprints that only one document has lead nowhere and are left out.  To count all pairs of the documents
 * that share a common one, which more than `common` of them have, would take too long (Cherkasova 2009,
 * section 2: "entries that are shared by a large number of files, e.g. by more than 1000 documents"); it
 * leads only to the first POSTINGS_HOLDERS of its documents, so that a large family of near-copies holds
 * together.
 *
 * What remains of a fingerprint is the number of its group of documents.  Each membership takes eight bytes,
 * four in either direction, and each group eight.  While the index is built, the fingerprints are sorted in
 * portions of about 256 MB.
 */
enum { POSTINGS_HOLDERS = 16 };

struct postings_list {
    const void *first; /* a uint64_t; may be NULL if there are none */
    size_t count;
    size_t stride; /* bytes from one fingerprint to the next */
};

struct postings_source {
    size_t documents;
    /* The fingerprints of a document, in any order; the same one may occur several times. */
    struct postings_list (*list)(const void *arg, uint32_t document);
    const void *arg;
    const atomic_bool *stop; /* set by the caller to stop early; may be NULL */
};

/* The documents of group g are members[starts[g]] .. members[starts[g + 1] - 1], in ascending order; the
 * groups of document d are groups[firsts[d]] .. groups[firsts[d + 1] - 1], ascending. */
struct postings {
    size_t documents, group_count;
    size_t *starts, *firsts;
    uint32_t *members, *groups;
    uint32_t *distinct;   /* of each document: the number of its different fingerprints */
    uint32_t *widespread; /* and of those among them that are common */
    uint32_t most;        /* documents that share a fingerprint before it is common */
    uint64_t common;      /* common fingerprints */
    size_t memberships;   /* in groups */
};

/* Builds the index.  Returns 0, 1 if it was stopped, -1 if out of memory or if there are more than UINT32_MAX
 * fingerprints of a document or groups.  Release it in any case. */
int postings_build(struct postings *postings, const struct postings_source *source, uint32_t common,
                   struct error *err);
void postings_release(struct postings *postings);

/* Adds to the overlap each document in [from, before), itself included, once for every fingerprint of this
 * one that leads there. */
void postings_overlap(const struct postings *postings, uint32_t document, uint32_t from, uint32_t before,
                      struct overlap *overlap);

#endif
