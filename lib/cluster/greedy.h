/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GREEDY_H
#define KITH_GREEDY_H

#include "cluster/pairs.h"
#include "cluster/postings.h"

/*
 * Greedy clustering (Broder 1997, section 4.4), in one pass: each document joins the cluster whose first
 * member it resembles most, if it is related to that member, or else starts a cluster.  (The paper's other
 * representative, the most popular fingerprints of a cluster, is no document: what is reported would not be
 * the likeness of two files, and it would mix fingerprints that were selected at different rates.)
 *
 * For each fingerprint the clusters are remembered whose first member has it, so that r documents with s
 * fingerprints take O(rs) as long as a fingerprint belongs to few clusters.  The numbers that an index gives
 * to fingerprints stand for the hash table.  If more clusters have a fingerprint than the index calls common,
 * only the latest POSTINGS_HOLDERS of them are candidates because of it; *common: the number of such
 * fingerprints.
 *
 * Sets leaders[d] to the first member of d's cluster, and likenesses[d] to the likeness of d and that member
 * (a is d) unless they are equal.  postings: NULL if the plan's own candidates are to be used.  Returns 0,
 * 1 if it was stopped, -1 on error.
 */
int greedy_run(const struct pairs_plan *plan, const struct postings *postings, uint32_t *leaders,
               struct likeness *likenesses, uint64_t *common, struct error *err);

#endif
