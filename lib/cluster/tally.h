/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TALLY_H
#define KITH_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Counts how often each document comes up, without visiting those that do not: the fingerprints that a
 * document shares with each of the others.
 */
struct tally {
    uint32_t *counts; /* by document; all zero after a reset */
    uint32_t *list;   /* the documents with a count */
    size_t count;
};

/* Makes a tally of zeros for documents 0 .. documents - 1.  Returns -1 if out of memory. */
int tally_make(struct tally *tally, size_t documents, struct error *err);
void tally_release(struct tally *tally);

/* Adds one to the count of a document. */
static inline void tally_add(struct tally *tally, uint32_t document)
{
    if (tally->counts[document]++ == 0)
        tally->list[tally->count++] = document;
}

/* Sorts the list: the largest counts first, then by document. */
void tally_sort(struct tally *tally);
/* Sets all counts to zero. */
void tally_reset(struct tally *tally);

#endif
