/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REORDER_H
#define KITH_REORDER_H

#include "match/significance.h"

/*
 * A second test, which ignores order: whether an object is the same content as a reference in another order.
 *
 * Lines that were sorted or blocks that were shuffled leave few matches that line up, but as many samples in
 * both as before.  References that have a third of an object's samples become candidates although nothing
 * lines up. Their alignment tells which share of each is in the other, and in which order
 * (compare/verdict.h).  Here it is decided whether that is evidence: enough different samples in bytes that
 * vary, with an E of their own (chance_common.h).  All runs of matches, however short, become ranges.
 */
struct reorderer;

/* Returns NULL if out of memory. */
struct reorderer *reorder_new(struct error *err);
void reorder_free(struct reorderer *reorderer);

/* Adds chains of references that have many of the object's samples, but of which no chain was accepted.  All
 * of the object's queries must have been searched at once.  Returns -1 on error. */
int reorder_add_chains(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                       const struct subject *subject, struct error *err);

/* Computes ln E of what the two have in common in any order; *evidence: whether it is worth reporting.
 * Returns -1 if out of memory. */
int reorder_judge(struct reorderer *reorderer, const struct significance *significance,
                  const struct alignment *alignment, double *ln_e, bool *evidence, struct error *err);
/* Replaces the finding's ranges by all runs of matches, for the same alignment as reorder_judge. */
int reorder_ranges(struct reorderer *reorderer, const struct alignment *alignment, struct finding *finding,
                   struct error *err);

#endif
