/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SETS_THIN_INNER_H
#define KITH_SETS_THIN_INNER_H

#include "cluster_input.h"
#include "sets_thin.h"
#include "sketch/tally.h"

/* What the files of sets_thin share: the new set is made in sets_thin.c, searched in sets_thin_recall.c, and
 * described in sets_thin_report.c. */

/* What is searched for: whole records, as new versions whose SHA-1 is unknown, and pieces of them. */
enum sets_thin_size { WHOLE, PIECE_64K, PIECE_16K, PIECE_4K, SIZES };

/* How many of them a set finds, by a file of the same cluster; of whole records, by another one. */
struct sets_thin_recall {
    uint64_t tried[SIZES], found[SIZES];
    uint64_t bytes; /* of the set's file */
};

struct sets_thin_job {
    const struct sets_thin *thin;
    char *path; /* of the set */
    struct cluster_input input;
    struct clusters clusters;
    bool *kept;           /* by content: it keeps its record although it is like its representative */
    uint64_t kept_count;  /* documents with such a content */
    double *covered;      /* by content: the share of its samples that a kept record has */
    double covered_share; /* of all samples of removed records */

    size_t next;      /* document that the copy comes to next */
    uint64_t removed; /* records */
    struct tally kept_blocks;
    uint64_t *blocks; /* of removed records: the beginnings of the SHA-1 of their blocks */
    size_t block_count, block_room;
    uint64_t blocks_there; /* of these, digests that a kept record has as well */
    bool failed;           /* see err */
    struct error err;
    struct sets_thin_recall before, after;
};

const struct collection_document *sets_thin_document(const struct sets_thin_job *job, size_t i);
/* Whether the document becomes a hash-only entry. */
bool sets_thin_is_removed(const struct sets_thin_job *job, size_t i);

/* Searches the set at the path, the old one or the new one, for all removed records.  Returns 0, 1 if it was
 * interrupted, -1 on error. */
int sets_thin_measure(const struct sets_thin_job *job, const char *path, bool is_old,
                      struct sets_thin_recall *recall, struct error *err);

/* Writes what was removed, and what that loses. */
void sets_thin_report(const struct sets_thin_job *job);

#endif
