/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXAMINE_H
#define KITH_EXAMINE_H

#include "match/alignment.h"
#include "match/regions.h"

/*
 * Stages 5 to 7: from a region to a finding.  The chain is aligned with the object; what of it is evidence is
 * proved as far as possible; then a verdict is given.
 */
struct examiner;

/* NULL on error. */
struct examiner *examine_new(struct error *err);
void examine_free(struct examiner *examiner);

/* 1 and a finding (its set is not filled in) at the end of the list; 0 if nothing of it is left; -1. */
int examine_region(struct examiner *examiner, const struct seeds *seeds, const struct queries *queries,
                   const struct subject *subject, const struct region *region, struct effort *effort,
                   struct findings *findings, struct error *err);

#endif
