/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OVERLAP_H
#define KITH_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Counts how often each document comes up, without visiting those that do not: the fingerprints that a
 * document shares with each of the others.
 */
struct overlap {
    uint32_t *counts; /* by document; all zero after a reset */
    uint32_t *list;   /* the documents with a count */
    size_t count;
};

/* Makes room for counts, all zero, for documents 0 .. documents - 1.  Returns -1 if out of memory. */
int overlap_make(struct overlap *overlap, size_t documents, struct error *err);
void overlap_release(struct overlap *overlap);

/* Adds one to the count of a document. */
static inline void overlap_add(struct overlap *overlap, uint32_t document)
{
    if (overlap->counts[document]++ == 0)
        overlap->list[overlap->count++] = document;
}

/* Sorts the list: the largest counts first, then by document. */
void overlap_sort(struct overlap *overlap);
/* Sets all counts to zero. */
void overlap_reset(struct overlap *overlap);

#endif
