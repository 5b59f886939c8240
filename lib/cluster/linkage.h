/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LINKAGE_H
#define KITH_LINKAGE_H

#include "cluster/pairs.h"

/*
 * Single linkage: documents that are related, directly or through others, form a cluster.
 *
 * Sets leaders[d] to the first document of d's cluster.  Pairs within what is known to be one cluster are not
 * compared, so n near-copies take about n comparisons.  The result does not depend on which pairs those are.
 *
 * Returns 0, 1 if it was stopped, -1 on error.
 */
int linkage_run(struct pairs *pairs, uint32_t documents, uint32_t *leaders, struct error *err);

/* Joins the clusters of two documents in such an array; leaders of others may then lead to their first
 * document in several steps, which linkage_settle makes one. */
void linkage_join(uint32_t *leaders, uint32_t a, uint32_t b);
void linkage_settle(uint32_t *leaders, uint32_t documents);

#endif
