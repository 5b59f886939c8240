/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SIGNIFICANCE_H
#define KITH_SIGNIFICANCE_H

#include "compare/finding.h"
#include "match/alignment.h"

/*
 * Stage 7: the E of a finding, from all that the comparison found (chance_line.h).
 *
 * How improbable a matching sample is depends on how often the set has it: that was counted for samples that
 * were looked up, and the others are taken for average ones.  Samples that were recognized by place and
 * character alone are evidence of no more than that.  Bytes that are proved to be equal are evidence
 * themselves, as far as they vary.
 */
struct significance;

/* Returns NULL if out of memory. */
struct significance *significance_new(struct error *err);
void significance_free(struct significance *significance);

/* Counts how often the set has each of the queries, of an object that was searched for it.  All are borrowed
 * until the next call. */
int significance_begin(struct significance *significance, const struct seeds *seeds,
                       const struct queries *queries, const struct subject *subject, struct error *err);
/* What it was begun with. */
const struct queries *significance_queries(const struct significance *significance);
/* The number of references that have this query, an index into all; the mean if it was not looked up. */
double significance_hits(const struct significance *significance, size_t query);
/* The bytes of all references that were sampled. */
double significance_bytes(const struct significance *significance);
/* Computes ln E of an alignment, of which only the finding's ranges are accepted. */
int significance_of_ranges(struct significance *significance, const struct alignment *alignment,
                           const struct finding *finding, double *ln_e, struct error *err);
/* Computes ln E of a reference, all of which lies in the object in this range, byte for byte. */
int significance_of_whole(struct significance *significance, const struct finding_range *range, double *ln_e,
                          struct error *err);
/* Fills in the features of the object's content in the finding's ranges.  Returns -1 if out of memory. */
int significance_features(struct significance *significance, struct finding *finding, struct error *err);

#endif
