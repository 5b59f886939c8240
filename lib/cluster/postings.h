/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_POSTINGS_H
#define KITH_POSTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/overlap.h"

/*
 * An inverted index in memory: which documents share a fingerprint, and which of these fingerprints a
 * document has.
 *
 * Fingerprints that only one document has lead nowhere and are left out.  Those of more than `common`
 * documents are left out, too, since all pairs of their documents would have to be counted (Cherkasova 2009,
 * section 2: "entries that are shared by a large number of files, e.g. by more than 1000 documents").
 *
 * What remains of a fingerprint is the number of its group of documents.  Each membership takes eight bytes,
 * four in either direction, and each group eight.  While the index is built, the fingerprints are sorted in
 * portions of about 256 MB.
 */
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
};

/* The documents of group g are members[starts[g]] .. members[starts[g + 1] - 1], in ascending order; the
 * groups of document d are groups[firsts[d]] .. groups[firsts[d + 1] - 1], ascending. */
struct postings {
    size_t documents, group_count;
    size_t *starts, *firsts;
    uint32_t *members, *groups;
    uint32_t *distinct; /* of each document: the number of its different fingerprints */
    uint32_t *left_out; /* and of those among them that are common */
    uint64_t common;    /* fingerprints left out because too many documents have them */
    size_t memberships; /* in groups */
};

/* Builds the index.  Returns -1 if out of memory or if there are more than UINT32_MAX fingerprints of a
 * document or groups.  Release it in any case. */
int postings_build(struct postings *postings, const struct postings_source *source, uint32_t common,
                   struct error *err);
void postings_release(struct postings *postings);

/* Adds to the overlap each document in [from, before) once for every fingerprint it shares with this one,
 * itself included. */
void postings_overlap(const struct postings *postings, uint32_t document, uint32_t from, uint32_t before,
                      struct overlap *overlap);

#endif
