/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FINGERPRINTS_INNER_H
#define KITH_FINGERPRINTS_INNER_H

#include "base/buffer.h"
#include "cluster/fingerprints.h"
#include "cluster/hamming.h"
#include "database/statement.h"

/* Shared by the files of the module: fingerprints_change.c changes what fingerprints.c opens and reads. */

enum { FINGERPRINTS_PLACES = 4096 /* with fewer, those of removed contents do not matter */ };

enum fingerprints_sql {
    FINGERPRINTS_FIND_CONTENT,
    FINGERPRINTS_ADD_CONTENT,
    FINGERPRINTS_REMOVE_CONTENT,
    FINGERPRINTS_ADD_DOCUMENT,
    FINGERPRINTS_FIRST_DOCUMENT,
    FINGERPRINTS_FIND_DROPPED,
    FINGERPRINTS_DROP,
    FINGERPRINTS_MOVE_CONTENT,
    FINGERPRINTS_MOVE_DOCUMENTS,
    FINGERPRINTS_SQLS,
};

struct fingerprints {
    struct database *database;
    struct sketch_params params;
    struct groups *groups; /* NULL while it is loaded */
    struct statement *statements[FINGERPRINTS_SQLS];
    uint64_t *bits;     /* of one fingerprint */
    struct buffer path; /* of fingerprints_first */
    bool is_changing;
};

/* Fills err with the message that the file is damaged; returns -1. */
int fingerprints_broken(const struct fingerprints *fingerprints, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Replaces the groups by those of the file, m of them, not indexed. */
int fingerprints_load(struct fingerprints *fingerprints, uint32_t m, struct error *err);

/* The words of a fingerprint. */
static inline size_t fingerprints_words(const struct fingerprints *fingerprints)
{
    return hamming_words(fingerprints->params.size);
}

#endif
