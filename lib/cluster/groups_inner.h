/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GROUPS_INNER_H
#define KITH_GROUPS_INNER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "cluster/groups.h"
#include "cluster/hamming.h"
#include "database/statement.h"

/* Shared by the files of the module, listed from the top layer down: groups_pairs.c finds all pairs by
 * several threads; groups_query.c reads the indexes for a query; groups.c has the fingerprints and changes of
 * the groups; groups_finder.c finds documents in what was read; groups_plan.c has the parameters,
 * groups_index.c the indexes. */

/*
 * A table of an index.  Its rows hold the documents under one key, ascending, as 32-bit little-endian
 * numbers in the order of adding; the number of the last one is part of the primary key, so a list is read
 * in order, and from any document on.
 */
struct groups_table {
    struct statement *insert, *read, *remove;
};

struct groups_part {
    struct hamming_group bits;
    uint32_t serial;           /* i - 1 of equation 12: the group's interval in the index of alg.H */
    struct groups_table table; /* the group's index for alg.G; NULL if there is none */
};

/* A query, and what was read from the indexes for it. */
struct groups_reading {
    const uint64_t *query;
    uint32_t from;     /* the first document that is wanted */
    uint32_t needed;   /* occurrences among the entries that make a candidate; 0: all are candidates */
    uint32_t *entries; /* documents below groups->count */
    size_t count, room;
};

/* The work space of a thread, for as many documents as there are. */
struct groups_finder {
    uint16_t *tally; /* of each document; all zero between queries */
    uint32_t *touched, *candidates, *hits;
    size_t room;
    size_t candidate_count, hit_count; /* distances measured; documents found, ascending */
};

struct groups {
    struct groups_params params;
    uint32_t most_width; /* C is 2^most_width */
    size_t words;        /* per fingerprint */
    uint64_t *bits, *documents;
    uint32_t count;
    size_t bits_room, documents_room; /* words, documents */

    struct database *database;
    bool is_guest;             /* the database is the caller's, and so are the transactions */
    struct groups_part *parts; /* params.m */
    size_t part_room;
    struct groups_table merged;          /* the index of alg.H */
    uint32_t indexed[GROUPS_ALGORITHMS]; /* documents in the index */
    uint8_t *key;                        /* the current one, if it is not a number */
    bool failed;                         /* a write failed, and the database cannot roll back */

    hamming_measure *measure;
    struct groups_work work;
    struct groups_finder finder; /* for groups_query, and to read for alg.G */
    struct groups_reading reading;
};

/* Whether the document was removed; its bits are zero then. */
static inline bool groups_is_removed(const struct groups *groups, uint32_t document)
{
    return groups->documents[document] == GROUPS_REMOVED;
}

/* The fingerprint of a document. */
static inline const uint64_t *groups_bits(const struct groups *groups, uint32_t document)
{
    return groups->bits + (size_t)document * groups->words;
}

/* The distance of a query and a document. */
static inline uint32_t groups_distance(const struct groups *groups, const uint64_t *query, uint32_t document)
{
    return groups->measure(query, groups_bits(groups, document), groups->words);
}

/* ---- groups.c ---- */

/* groups_index, which stops between two groups if it shall; then the index cannot be used any more.  Returns
 * 0, 1 if it was stopped, -1 on error. */
int groups_index_until(struct groups *groups, enum groups_algorithm algorithm, const atomic_bool *stop,
                       struct error *err);

/* ---- groups_query.c ---- */

/* Reads what a query for documents from number `from` on needs; the index must be up to date, and for alg.G
 * there must be room in groups->finder. */
int groups_read(struct groups *groups, enum groups_algorithm algorithm, const uint64_t *query, uint32_t from,
                struct groups_reading *reading, struct error *err);
/* ---- groups_finder.c ---- */

/* Fills in finder->hits; for any thread. */
void groups_find(const struct groups *groups, const struct groups_reading *reading,
                 struct groups_finder *finder);
/* Makes room for this number of documents.  A zeroed finder has none; release it in any case. */
int groups_finder_reserve(struct groups_finder *finder, uint32_t count, struct error *err);
void groups_finder_release(struct groups_finder *finder);

/* ---- groups_plan.c ---- */

/* Returns -1 if the fingerprint has bits after the last of k. */
int groups_check_bits(const uint64_t *bits, uint32_t k, struct error *err);

/* ---- groups_index.c ---- */

/* Creates the index of alg.H, and the database unless it has one; -1 on error. */
int groups_index_open(struct groups *groups, struct error *err);
void groups_index_close(struct groups *groups);
/* Adds documents `from` to `end` to the algorithm's index of one group. */
int groups_index_part(struct groups *groups, enum groups_algorithm algorithm, struct groups_part *part,
                      uint32_t from, uint32_t end, struct error *err);
/* Removes a document from the algorithm's index of one group. */
int groups_index_remove(struct groups *groups, enum groups_algorithm algorithm, struct groups_part *part,
                        uint32_t document, struct error *err);
/* Removes a group from all indexes. */
int groups_index_drop(struct groups *groups, struct groups_part *part, struct error *err);
/* Fills err with "an earlier write failed" if so, and returns -1. */
int groups_index_usable(const struct groups *groups, struct error *err);

/* A list being read: a row of it at a time. */
struct groups_list {
    struct statement *read;
    const uint8_t *data; /* `count` 32-bit numbers */
    size_t count;
    uint32_t from;
};

/* Begins to read the list of the documents, from number `from` on, that have the same value as the query in
 * this group.  The list before must have been read to its end. */
void groups_list_begin(struct groups *groups, enum groups_algorithm algorithm, const struct groups_part *part,
                       const uint64_t *query, uint32_t from, struct groups_list *list);
/* Reads the next row.  Returns 1, 0 at the end, -1 on error. */
int groups_list_next(struct groups *groups, struct groups_list *list, struct error *err);
/* An entry of the row that was read. */
static inline uint32_t groups_list_entry(const struct groups_list *list, size_t i)
{
    return bytes_load32(list->data + i * sizeof(uint32_t));
}

#endif
